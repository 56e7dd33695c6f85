"""Plyground as an engine for other programs: the Gomocup (Piskvork) protocol on standard input and output."""
