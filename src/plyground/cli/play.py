"""Commands in which agents play a person, or think: play, think, steps."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from ..spec import InputError
from .base import (
    AgentSpec,
    GameSpec,
    Json,
    MoveSeconds,
    Position,
    Seed,
    agents_like,
    app,
    asked_to_stop,
    examples,
    made,
)
from .show import emit


def make_ready(agent: Any, game: Any, seed: int) -> None:
    """Compile and load what the agent needs for this game before any of its moves, and begin."""
    agent.ready(game)
    agent.begin(seed)


@app.command(
    epilog=examples("plyground play tictactoe", 'plyground play "gomoku(9)" --agent "uct(seconds=2)" --seat second')
)
def play(
    game: GameSpec,
    opponent: Annotated[
        str, typer.Argument(help="the same as --agent", metavar="AGENT", autocompletion=agents_like)
    ] = "",
    agent: Annotated[
        str,
        typer.Option(
            help="who plays against you; if nobody is named, the game's own opponent, else uct",
            autocompletion=agents_like,
        ),
    ] = "",
    seat: Annotated[str, typer.Option(help="your seat: first or second")] = "first",
    you: Annotated[str, typer.Option(help="who plays for you", autocompletion=agents_like)] = "human",
    position: Position = "",
    move_seconds: MoveSeconds = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Play in the terminal."""
    from .. import agents
    from ..agents.human import Quit
    from .terminal import play_in_terminal

    if seat not in ("first", "second"):
        raise InputError(f"--seat is first or second, not {seat!r}")
    rules = made(game, seed)
    if agent and opponent:
        raise InputError(f"{opponent} and {agent} cannot both play against you: name one of them")
    agent = opponent or agent or agents.usual(rules)
    specs = (you, agent) if seat == "first" else (agent, you)
    players = [agents.make(spec, seed + i, move_seconds) for i, spec in enumerate(specs)]
    for i, player in enumerate(players[:1] if rules.alone() else players):
        make_ready(player, rules, seed + i)
    try:
        record = play_in_terminal(rules, players, specs, position, seed, quiet=json)
    except Quit:
        print("\ngood-bye", file=sys.stderr)
        return
    if json:
        emit({"game": game, "first": specs[0], "second": specs[1], **record})


@app.command(
    epilog=examples(
        'plyground think tictactoe "uct(sims=5000)" --position "b2 a1"',
        'plyground think connect-four "uct(seconds=1)" --json',
    )
)
def think(
    game: GameSpec,
    agent: AgentSpec,
    position: Position = "",
    move_seconds: MoveSeconds = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let an agent choose one move and show what it saw."""
    from .. import agents
    from .. import position as positions
    from ..api.given import state_of
    from ..progress import thinking
    from ..report.thought import ThoughtReport
    from .reports import print_report

    player = agents.make(agent, seed, move_seconds)
    rules = made(game, seed)
    state = state_of(rules, position)
    positions.must_move(rules, state)
    make_ready(player, rules, seed)
    with asked_to_stop("what was found so far is told") as asked, thinking(player, asked) as limit:
        thought = player.think(rules, state, limit)
    print_report(ThoughtReport(rules, state, thought), json)
    if asked:
        raise typer.Exit(128 + asked[0])


@app.command(
    epilog=examples(
        'plyground steps tictactoe uct --position "b2 a1" --skip 20',
        'plyground steps tictactoe "alphabeta(depth=2, threats=False)" --position "b2 a1 c3 a2 a3"',
    )
)
def steps(
    game: GameSpec,
    agent: AgentSpec,
    position: Position = "",
    sims: Annotated[int, typer.Option(help="simulations of a tree search that are shown", min=1, max=10_000)] = 1,
    skip: Annotated[int, typer.Option(help="simulations before these, by the compiled kernel", min=0)] = 0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Run a search one step at a time and show what it selects and why, adds, plays out and carries up.

    Of minimax and alpha-beta, the nodes with their windows and cut-offs.  The page draws the same under "Steps".
    """
    from .. import agents
    from .. import position as positions
    from ..api.given import state_of
    from ..report.steps import step_by_step
    from .reports import print_report

    player = agents.make(agent, seed)
    rules = made(game, seed)
    state = state_of(rules, position)
    positions.must_move(rules, state)
    found = step_by_step(player, rules, state)
    print_report(found.first(sims, skip), json)
