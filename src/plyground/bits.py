"""Numbers as sets of bits."""

import numpy as np


def ones(word):
    """How many bits of a number are set, which is not negative."""
    word = np.int64(word)
    word -= word >> 1 & 0x5555555555555555
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333)
    word = word + (word >> 4) & 0x0F0F0F0F0F0F0F0F
    word += word >> 32
    word += word >> 16
    return word + (word >> 8) & 127


ones.instruction = "ctpop"  # type: ignore[attr-defined]  # compiled code takes the processor's own


def shifted(bits, by):
    """All bits moved up by so many places, or down."""
    return bits << by if by > 0 else bits >> -by
