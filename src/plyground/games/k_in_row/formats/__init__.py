"""Files of single games: PSQ, as Piskvork and Gomocup write them, and SGF."""
