"""Numbers as sets of bits."""

import numpy as np


def ones(word):
    """How many bits of a line are set."""
    word = np.int64(word)
    word -= word >> 1 & 0x55555555
    word = (word & 0x33333333) + (word >> 2 & 0x33333333)
    word = word + (word >> 4) & 0x0F0F0F0F
    return word * 0x01010101 >> 24 & 63


ones.instruction = "ctpop"  # type: ignore[attr-defined]  # compiled code takes the processor's own
