"""Nets over the free cells of a region: a transformer, and one of convolutions along the six directions."""
