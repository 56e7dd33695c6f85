"""A program that speaks the Gomocup protocol, well or badly: `fake_engine.py WAY...`.

It plays the first free cell.  The ways are: `crash` and `hang` at its second move, `illegal` and `outside` moves,
`late` by half a second, `flood`ing both outputs, `chat`ting, `suggest`ing, `deaf` to START, `small` boards refused,
`no-restart`, `babble` and `dither` (OK and SUGGEST without end at its second move), and
`log=FILE` for all that it hears.
"""

import sys
import time

WAYS = sys.argv[1:]
LOG = next((way.removeprefix("log=") for way in WAYS if way.startswith("log=")), None)
stones: dict = {}
size = (0, 0)
moves = 0


def say(line: str) -> None:
    sys.stdout.write(line + "\r\n")
    sys.stdout.flush()


def flood() -> None:
    for i in range(20_000):
        sys.stdout.write(f"DEBUG {i} {'x' * 40}\n")
        sys.stderr.write(f"error {i} {'x' * 40}\n")


def move() -> None:
    global moves
    moves += 1
    cell = next((x, y) for y in range(size[1]) for x in range(size[0]) if (x, y) not in stones)
    if "crash" in WAYS and moves == 2:
        sys.exit("I have crashed")
    if "hang" in WAYS and moves == 2:
        time.sleep(3600)
    while moves == 2 and {"babble", "dither"} & {*WAYS}:
        say("OK" if "babble" in WAYS else f"SUGGEST {cell[0]},{cell[1]}")
    if "late" in WAYS:
        time.sleep(0.5)
    if "flood" in WAYS:
        flood()
    if "chat" in WAYS:
        say("MESSAGE 3,3 looks good")
        say("DEBUG depth 1")
        say("")
        say("I like this game")
    if "illegal" in WAYS and stones:
        cell = next(iter(stones))
    if "outside" in WAYS:
        cell = (size[0], 0)
    if "suggest" in WAYS:
        say(f"SUGGEST {cell[0]},{cell[1]}")
        return
    stones[cell] = 1
    say(f"{cell[0]},{cell[1]}")


def hear() -> str:
    """The next line; nothing at the end."""
    line = sys.stdin.readline()
    if LOG:
        with open(LOG, "a") as file:
            file.write(line)
    return line


for line in iter(hear, ""):
    word, _, words = line.strip().partition(" ")
    if word in ("START", "RECTSTART"):
        if "deaf" in WAYS:
            time.sleep(3600)
        size = tuple(int(one) for one in (words if "," in words else f"{words},{words}").split(","))
        say("ERROR too large" if "small" in WAYS else "OK")
    elif word == "RESTART":
        stones, moves = {}, 0
        say("UNKNOWN" if "no-restart" in WAYS else "OK")
    elif word == "BEGIN":
        move()
    elif word == "TURN":
        x, y = words.split(",")
        stones[int(x), int(y)] = 2
        move()
    elif word == "BOARD":
        for stone in iter(lambda: hear().strip(), "DONE"):
            x, y, who = stone.split(",")
            stones[int(x), int(y)] = int(who)
        move()
    elif word == "PLAY":
        x, y = words.split(",")
        stones[int(x), int(y)] = 1
        say(words)
    elif word == "END":
        break
