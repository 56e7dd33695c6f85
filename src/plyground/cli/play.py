"""Commands in which agents play or think: play, match, think."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from ..show import emit
from ..spec import InputError
from .base import AgentSpec, GameSpec, Json, Position, Seed, app, examples, made


@app.command(
    epilog=examples("plyground play tictactoe", 'plyground play "gomoku(9)" --agent "uct(seconds=2)" --seat second')
)
def play(
    game: GameSpec,
    agent: Annotated[str, typer.Option(help="who plays against you")] = "uct",
    seat: Annotated[str, typer.Option(help="your seat: first or second")] = "first",
    you: Annotated[str, typer.Option(help="who plays for you")] = "human",
    position: Position = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Play in the terminal."""
    from .. import agents
    from ..agents.human import Quit
    from ..play import play_in_terminal

    if seat not in ("first", "second"):
        raise InputError(f"--seat is first or second, not {seat!r}")
    specs = (you, agent) if seat == "first" else (agent, you)
    players = [agents.make(spec, seed + i) for i, spec in enumerate(specs)]
    try:
        record = play_in_terminal(made(game, seed), players, specs, position, seed, quiet=json)
    except Quit:
        print("\ngood-bye", file=sys.stderr)
        return
    if json:
        emit({"game": game, "first": specs[0], "second": specs[1], **record})


@app.command(
    epilog=examples(
        'plyground match tictactoe "uct(sims=1000)" win-block',
        'plyground match "gomoku(9)" uct rave --games 200 --openings 2',
        "plyground match tictactoe uct uct --games 1 --show",
    )
)
def match(
    game: GameSpec,
    one: AgentSpec,
    other: AgentSpec,
    games: Annotated[int, typer.Option(help="how many; both agents sit in each seat equally often")] = 100,
    openings: Annotated[int, typer.Option(help="random moves at the start, the same for both games of a pair")] = 0,
    jobs: Annotated[int, typer.Option(help="processes; 0 takes one a core", min=0)] = 0,
    moves: Annotated[bool, typer.Option("--moves", help="tell the moves of every game")] = False,
    show: Annotated[bool, typer.Option("--show", help="draw every move, in one process")] = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let two agents play and say who is stronger."""
    from ..arena.match import Plan, play_match
    from ..reports import match_report, move_report
    from ..show import match_progress

    made(game, seed)
    plan = Plan(game, (one, other), games, seed, openings)
    if show and json:
        raise InputError("--show draws the moves; with --json, --moves tells them")
    if show:
        result = play_match(plan, show=move_report)
    else:
        with match_progress(games) as watch:
            result = play_match(plan, jobs or os.cpu_count() or 1, watch)
    if len(result.records) < games:
        print(f"plyground: stopped after {len(result.records)} of {games} games", file=sys.stderr)
    match_report(result, moves, json)


@app.command(
    epilog=examples(
        'plyground think tictactoe "uct(sims=5000)" --position "b2 a1"',
        'plyground think connect-four "uct(seconds=1)" --json',
    )
)
def think(game: GameSpec, agent: AgentSpec, position: Position = "", seed: Seed = 0, json: Json = False) -> None:
    """Let an agent choose one move and show what it saw."""
    from .. import agents
    from .. import position as positions
    from ..reports import thought_report
    from ..show import thinking

    player = agents.make(agent, seed)
    rules = made(game, seed)
    state = positions.read(rules, position)
    positions.must_move(rules, state)
    with thinking(player) as limit:
        thought = player.think(rules, state, limit)
    thought_report(rules, state, thought, json)
