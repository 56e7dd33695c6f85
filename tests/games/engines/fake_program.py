"""A program that speaks GTP or UCI, well or badly: `fake_program.py gtp|uci WAY...`.

It answers the moves that follow `moves=`, parted by commas, one after the other.  The ways are: `crash` and `hang` at
its first move, `refuse` (GTP) the size of the board, and `log=FILE` for all that it hears.
"""

import sys
import time

PROTOCOL, *WAYS = sys.argv[1:]
GIVEN = dict(way.split("=", 1) for way in WAYS if "=" in way)
moves = iter(GIVEN.get("moves", "").split(","))


def say(line: str) -> None:
    print(line, flush=True)


def move() -> str:
    if "crash" in WAYS:
        sys.exit("I have crashed")
    if "hang" in WAYS:
        time.sleep(3600)
    return next(moves)


for line in sys.stdin:
    if "log" in GIVEN:
        with open(GIVEN["log"], "a", encoding="utf-8") as log:
            log.write(line)
    word = line.split()[0]
    if word == "quit":
        break
    if PROTOCOL == "gtp":
        print("a remark", flush=True)
        if word == "uci":
            say("? unknown command\n")
        elif word == "boardsize" and "refuse" in WAYS:
            say("? unacceptable size\n")
        else:
            say(f"= {move()}\n" if word == "genmove" else "=\n")
    elif word in ("uci", "isready"):
        say("id name fake")
        say("uciok" if word == "uci" else "readyok")
    elif word == "go":
        say("info depth 1 score cp 0")
        say(f"bestmove {move()} ponder e7e5")
    elif word == "boardsize":
        say(f"Unknown command: '{line.strip()}'. Type help for more information.")
