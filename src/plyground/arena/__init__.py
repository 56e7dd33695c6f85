"""Who is stronger: matches between agents and their statistics."""
