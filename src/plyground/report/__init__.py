"""What is told of a result, in one place: by the commands as text or JSON, in Python as a table, a plot or a frame."""
