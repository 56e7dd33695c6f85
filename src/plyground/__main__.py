"""`python -m plyground` is the command `plyground`."""

from .cli import main

if __name__ == "__main__":
    main()
