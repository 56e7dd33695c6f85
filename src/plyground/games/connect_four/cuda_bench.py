"""How fast a GPU makes the book of Connect Four, with several settings, and are its scores those of the solver?

    python -m plyground.games.connect_four.cuda_bench --setting 135168/128/65536 --setting 67584/64/65536 --seconds 10

A setting is threads/threads of a block/megabytes of the table; threads 0: as many as run at once.
"""

from __future__ import annotations

import random
import sys
import time
from typing import Annotated

import typer

from ...spec import InputError
from . import book
from .cuda import CudaWorkers
from .rules import ConnectFour
from .scores import Position, Scores, new_table, prepare

SETTINGS = ["101376/128/65536", "67584/128/65536", "33792/64/65536", "101376/128/16384", "101376/128/131072"]
CHECKED = ((14, 300), (12, 100))  # stones, positions


def measure(
    setting: Annotated[list[str], typer.Option(help="threads/threads of a block/megabytes")] = SETTINGS,
    stones: Annotated[int, typer.Option(help="of the positions", min=1, max=book.MOST_STONES)] = 10,
    seconds: Annotated[float, typer.Option(help="for each setting", min=0)] = 10.0,
    check: Annotated[int, typer.Option(help="how many scores of each kind are compared, at most", min=0)] = 300,
) -> None:
    """Measure nodes a second and positions solved with each setting, and compare scores with the solver's."""
    begun = time.perf_counter()
    prepare()
    for stones_checked, count in CHECKED:
        positions = drawn(stones_checked, min(count, check))
        workers = CudaWorkers(list(enumerate(positions)), 16384, 1024)
        found: dict[int, int] = {}
        while workers.busy:
            found.update(workers.more())
        compare(f"{stones_checked} stones", [(positions[i], found[i]) for i in found])
    print(f"{workers.registers} registers of a thread; {time.perf_counter() - begun:.1f} s so far", flush=True)
    layer, left = book.layers(stones)[-1], book.COLS * book.ROWS - stones
    pairs = zip(layer.mine.tolist(), layer.taken.tolist(), strict=True)
    todo = [(i, Position(mine, taken, left)) for i, (mine, taken) in enumerate(pairs)]
    print(f"{len(todo):,} positions with {stones} stones; {time.perf_counter() - begun:.1f} s so far", flush=True)
    found = {}
    for text in setting:
        try:
            found |= tried(todo, text, seconds)
        except InputError as error:
            print(f"{text}: {error}", flush=True)
    some = random.Random(1).sample(sorted(found), min(len(found), check // 10))
    compare(f"{stones} stones", [(todo[i][1], found[i]) for i in some])
    print(f"{time.perf_counter() - begun:.1f} s in all")


def tried(todo: list[tuple[int, Position]], setting: str, seconds: float) -> dict[int, int]:
    """Let a GPU search with this setting for so long, and say how it goes on; the scores."""
    try:
        threads, block, megabytes = map(int, setting.split("/"))
    except ValueError:
        raise InputError("a setting is threads/threads of a block/megabytes, as 67584/128/65536") from None
    workers = CudaWorkers(todo, threads, megabytes, block)
    print(workers, flush=True)
    found: dict[int, int] = {}
    first = last = time.perf_counter()
    nodes = 0
    while workers.busy and last - first < seconds:
        found.update(workers.more())
        now = time.perf_counter()
        speed = (workers.nodes - nodes) / (now - last) / 1e6
        print(f"  {now - first:6.2f} s  {len(found):9,} solved  {speed:9,.1f} million nodes a second", flush=True)
        nodes, last = workers.nodes, now
    return found


def compare(name: str, found: list[tuple[Position, int]]) -> None:
    """Find these scores by the solver, too."""
    scores, begun = Scores(ConnectFour(), new_table(ConnectFour(), 64)), time.perf_counter()
    wrong = sum(scores.score(position) != score for position, score in found)
    print(
        f"{name}: {wrong} of {len(found)} scores are not the solver's; {time.perf_counter() - begun:.1f} s", flush=True
    )


def drawn(stones: int, count: int) -> list[Position]:
    """Positions of random games, in which nobody has won."""
    game, rng = ConnectFour(), random.Random(1)
    found: list[Position] = []
    while len(found) < count:
        position: Position | int = Position(0, 0, book.COLS * book.ROWS)
        while isinstance(position, Position) and position.taken.bit_count() < stones:
            room = [col for col in range(book.COLS) if not position.taken >> book.HIGH * col + book.ROWS - 1 & 1]
            position = position.after(game, rng.choice(room))
        if isinstance(position, Position):
            found.append(position)
    return found


if __name__ == "__main__":
    try:
        typer.run(measure)
    except InputError as error:
        print(f"cuda_bench: {error}", file=sys.stderr)
        sys.exit(2)
