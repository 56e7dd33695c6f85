"""Nets: what they are, how they lie on disk, and how states become numbers and numbers opinions."""
