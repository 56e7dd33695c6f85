"""Commands about the laboratory itself: games, agents, check, bench."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..bench import LONG
from ..bench import parts as benchmarks
from ..spec import InputError
from .base import GameSpec, Json, Position, Seed, app, examples, made
from .show import emit


@app.command("games", epilog=examples("plyground games", "plyground games --json"))
def list_games(json: Json = False) -> None:
    """List the games and their parameters."""
    from .. import games
    from ..manifest import loaded

    listing("game", loaded(games.registry(), games.maker), json)


@app.command("agents", epilog=examples("plyground agents", "plyground agents --json"))
def list_agents(json: Json = False) -> None:
    """List the agents and their options."""
    from .. import agents
    from ..manifest import loaded

    listing("agent", loaded(agents.registry(), agents.maker), json)


def listing(kind: str, makers: dict[str, Any], json: bool) -> None:
    """What can be made, with every parameter's default and meaning."""
    from ..spec import described, parameters

    if json:
        emit({f"{kind}s": described(makers)})
        return
    for name, maker in makers.items():
        about = (maker.__doc__ or "").partition("\n")[0]
        print(f"{name}: {about}")
        for p in parameters(maker):
            named = [f"{number} {name}" for number, name in enumerate(p.about.names, int(p.about.low or 0))]
            choices = f" ({', '.join(p.about.choices or named)})" if p.about.choices or named else ""
            print(f"    {p!s:<22} {p.about.text}{choices}")


@app.command(epilog=examples("plyground perft chess 5", 'plyground perft tictactoe 9 --position "b2"'))
def perft(
    game: GameSpec,
    depth: Annotated[int, typer.Argument(help="moves of the longest lines", min=1, max=100)],
    position: Position = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Count the lines of 1, 2, 3, ... moves, by which programs compare their rules.

    A line that ends earlier does not count; an outcome of chance counts as a move.
    """
    from time import perf_counter

    from ..api.given import state_of
    from ..exact.perft import perft as lines

    rules = made(game, seed)
    state = state_of(rules, position)
    lines(rules, state, 1)  # compiled
    found = []
    for moves in range(1, depth + 1):
        begun = perf_counter()
        found.append({"moves": moves, "lines": lines(rules, state, moves), "seconds": perf_counter() - begun})
        if not json:
            print(f"{moves:>3} {found[-1]['lines']:>20,} {found[-1]['seconds']:>10.2f} s")
    if json:
        emit({"game": game, "position": position, "perft": found})


@app.command(epilog=examples("plyground check tictactoe", "plyground check path/to/file.py:Game"))
def check(
    game: GameSpec,
    games: Annotated[int, typer.Option(help="random games to look at", min=1, max=10_000)] = 20,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Check that a game keeps the laws of the rules; exit code 1 if it does not.

    Of a game that keeps them all, hints say what would make its roll-outs faster, and what the page lacks to draw it.
    """
    from .. import games as all_games
    from ..check import check as laws
    from ..check.advice import advice

    rules = all_games.make(game, seed)
    found = []
    for law, breach in laws(rules, games, seed):
        found.append({"law": law, "breach": breach})
        if not json:
            print(f"broken  {law}: {breach}" if breach else f"ok      {law}")
    broken = sum(bool(one["breach"]) for one in found)
    hints = [] if broken else list(advice(rules, seed=seed))
    if json:
        emit({"game": game, "ok": not broken, "laws": found, "hints": hints})
    else:
        for hint in hints:
            print(f"hint    {hint}")
        print(f"{game}: {f'{broken} broken' if broken else 'all'} of {len(found)} laws{'' if broken else ' hold'}")
    if broken:
        raise typer.Exit(1)


@app.command(
    epilog=examples(
        "plyground bench",
        "plyground bench peers --json",
        "plyground bench peers --file hex.py --peer 'hex(board_size=7)'",
        "plyground bench scaling --plot scaling.svg",
    )
)
def bench(
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"{', '.join(name for name in benchmarks() if name not in LONG)}: all of these if none is named; "
            f"{', '.join(LONG)}, which take long"
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(help="time for each row", min=0.05, max=600)] = 2.0,
    plot: Annotated[
        str, typer.Option(help="draw the part `scaling`, or the curves of `learners`, into this file (.svg, .png)")
    ] = "",
    file: Annotated[str, typer.Option(help="for `peers`: a game of your own, path/to/file.py:Game(size=7)")] = "",
    peer: Annotated[str, typer.Option(help="the same game in OpenSpiel, like hex(board_size=7); with --file")] = "",
    json: Json = False,
) -> None:
    """Measure the throughput of the kernels, beside peers that are installed."""
    from ..bench import measure
    from .reports import bench_report

    if bool(file) != bool(peer) or (file and parts != ["peers"]):
        example = "plyground bench peers --file hex.py --peer 'hex(board_size=7)'"
        raise InputError(f"--file and --peer go together: {example}")
    if file:
        from ..bench.tree_search import own_peer

        made(file)
        bench_report({"peers": own_peer(file, peer, seconds)}, json)
        return
    bench_report(measure(parts or [], seconds, plot), json)
