"""The page: a server on this machine, and what it shows of games, searches and matches."""
