"""Tactics of k in a row: what a stone makes of its lines, wins by continuous threats, and alpha-beta on top of them."""
