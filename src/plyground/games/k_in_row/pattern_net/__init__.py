"""A net that a kernel runs: patterns of stones along lines, looked up in a table, and little more (`model.py`)."""
