"""A program that speaks GTP or UCI, well or badly: `fake_program.py gtp|uci WAY...`.

It says the moves of `moves=d4,pass`, one after another.  The ways are: `crash`, `hang` and `deaf`, `chat`ting, `refuse`
a board, and `log=FILE` for all that it hears.
"""

import sys
import time

PROTOCOL, *WAYS = sys.argv[1:]
SAID = {key: value for key, _, value in (way.partition("=") for way in WAYS)}
moves = iter(SAID.get("moves", "").split(","))


def say(line: str) -> None:
    if "deaf" not in WAYS:
        print(line, flush=True)


def move() -> str:
    if "crash" in WAYS:
        sys.exit("I have crashed")
    if "hang" in WAYS:
        time.sleep(3600)
    if "chat" in WAYS:
        say("info string thinking\n\nabout it")
    return next(moves)


for heard in sys.stdin:
    line = heard.strip()
    if "log" in SAID:
        with open(SAID["log"], "a", encoding="utf-8") as log:
            log.write(line + "\n")
    if line == "quit":
        break
    if PROTOCOL == "uci":
        if line in ("uci", "isready"):
            say("uciok" if line == "uci" else "readyok")
        elif line.startswith("go"):
            say(f"bestmove {move()} ponder e7e5")
    elif line.startswith("genmove"):
        say(f"= {move()}\n")
    elif line.startswith("time") or ("refuse" in WAYS and line.startswith("boardsize")):
        say("? unknown command\n")
    else:
        say("=\n")
