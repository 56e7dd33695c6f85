"""Plyground: a game-AI laboratory.  Write a game once, in plain Python; get every player at machine-code speed."""

__version__ = "0.1.0"
