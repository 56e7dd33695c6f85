"""Who is stronger: matches between agents and their statistics."""

from dataclasses import dataclass
from typing import Annotated

from ..spec import About

GAMES, MOST_GAMES = 100, 10_000  # of a match, and of one that a test ends
GAMES_OF_TOURNAMENT = 20  # of each two agents


@dataclass(frozen=True)
class TournamentOptions:
    """What a tournament can be told, beside its game and its agents."""

    games: Annotated[int, About("of each two agents; if even, both sit in each seat equally often", low=1)] = (
        GAMES_OF_TOURNAMENT
    )
    gauntlet: Annotated[bool, About("only the first agent plays all others")] = False
    openings: Annotated[int, About("random moves at the start, the same for both games of a pair", low=0)] = 0
    seed: Annotated[int, About("where all random choices come from", low=0)] = 0
