"""Many games at once on the page's server, beside clients who misbehave: see `bench.load`."""

from __future__ import annotations

from ..bench import load
from .base import Campaign

LEAST, MOST = 20.0, 600.0  # seconds in which memory can be seen to grow, and after which it would have


def run(campaign: Campaign) -> None:
    """Put a server under load; inputs are moves."""
    seconds = min(max(LEAST, campaign.seconds), MOST)
    found = load.run(seconds)
    campaign.count(f"moves, {found['clients']} games at once", found["moves"])
    for line in found["kinds_of_errors"]:
        campaign.fail(f"moves, {found['clients']} games at once", "load", line)
    growth = found["memory_growth"]
    if campaign.seconds >= LEAST and growth is not None and growth > load.GROWTH:
        memory = f"{found['memory_start']:.0f} to {found['memory_end']:.0f} MB"
        campaign.fail("memory", f"{seconds:.0f} s of load", f"memory has grown by {growth:.1%}: {memory}")
