"""Who is stronger: matches between agents and their statistics."""

GAMES, MOST_GAMES = 100, 10_000  # of a match, and of one that a test ends
GAMES_OF_TOURNAMENT = 20  # of each two agents
