"""The command line.  Heavy parts are imported by the commands that need them: `--help` stays quick."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from .show import emit
from .spec import InputError

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

GameSpec = Annotated[
    str, typer.Argument(help="a game like tictactoe, gomoku(15), or path/to/file.py:Game", metavar="GAME")
]
AgentSpec = Annotated[str, typer.Argument(help="an agent like random or uct(sims=1000)", metavar="AGENT")]
Position = Annotated[str, typer.Option(help='moves ("b2 a1") or a diagram ("X.O/.X./O.. X")')]
Seed = Annotated[int, typer.Option(help="where all random choices come from", min=0)]
Json = Annotated[bool, typer.Option("--json", help="print one JSON object")]


def examples(*commands: str) -> str:
    """The end of a command's help."""
    return "Examples:  " + "   |   ".join(commands)


@app.callback(help="A game-AI laboratory.  `plyground COMMAND --help` explains each command.")
def options() -> None:
    pass


def main() -> None:
    """Run a command; what a person got wrong is answered in one line and exit code 2."""
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except Exception as error:
        code = explained(error)
    sys.exit(code or 0)


def explained(error: Exception) -> int:
    """One line and an exit code for what a person or a game got wrong; anything else is a bug and is raised."""
    if isinstance(error, InputError):
        return refused(str(error))
    if hasattr(error, "format_message"):  # the argument parser's errors
        return refused(error.format_message() or "what shall I do?  `plyground --help` lists the commands")
    if type(error).__name__ in ("Abort", "Quit"):  # the person has had enough
        return 130
    raise error


def refused(line: str) -> int:
    print("plyground:", " ".join(line.split()), file=sys.stderr)
    return 2


def made(text: str, seed: int | None = None) -> Any:
    """The game of a spec; a user's own game is tried out, interpreted, before anything is compiled."""
    from . import cache, games

    cache.say_when_compiling()
    game = games.make(text, seed)
    if type(game).__module__ == "plyground.outside":
        from .check import check

        for _, breach in check(game, games=2, compiled=False):
            if breach:
                raise InputError(f"{text}: {breach}; `plyground check` tells more")
    return game


@app.command("games", epilog=examples("plyground games", "plyground games --json"))
def list_games(json: Json = False) -> None:
    """List the games and their parameters."""
    from . import games

    listing("game", {name: games.maker(name) for name in games.REGISTRY}, json)


@app.command("agents", epilog=examples("plyground agents", "plyground agents --json"))
def list_agents(json: Json = False) -> None:
    """List the agents and their options."""
    from . import agents

    listing("agent", {name: agents.maker(name) for name in agents.REGISTRY}, json)


def listing(kind: str, makers: dict[str, Any], json: bool) -> None:
    """What can be made, with every parameter's default and meaning."""
    from .spec import parameters

    if json:
        described = [
            {
                "name": name,
                "about": (maker.__doc__ or "").split("\n")[0],
                "parameters": [
                    {
                        "name": p.name,
                        "type": p.type.__name__,
                        "default": p.default,
                        "about": p.about.text,
                        "choices": list(p.about.choices),
                        "low": p.about.low,
                        "high": p.about.high,
                    }
                    for p in parameters(maker)
                ],
            }
            for name, maker in makers.items()
        ]
        emit({f"{kind}s": described})
        return
    for name, maker in makers.items():
        print(f"{name}: {(maker.__doc__ or '').splitlines()[0]}")
        for p in parameters(maker):
            choices = f" ({', '.join(p.about.choices)})" if p.about.choices else ""
            print(f"    {p!s:<22} {p.about.text}{choices}")


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
    from . import agents
    from .agents.human import Quit
    from .play import play_in_terminal

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
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let two agents play and say who is stronger."""
    from .arena.match import Plan, play_match
    from .show import match_progress, match_report

    made(game, seed)
    plan = Plan(game, (one, other), games, seed, openings)
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
    from . import agents
    from . import position as positions
    from .show import thinking, thought_report

    player = agents.make(agent, seed)
    rules = made(game, seed)
    state = positions.read(rules, position)
    if rules.over(state):
        raise InputError("the game is over in this position: there is nothing to think about")
    if rules.player(state) < 0:
        raise InputError("a chance event is due in this position: add its outcome to the moves")
    with thinking(player) as limit:
        thought = player.think(rules, state, limit)
    thought_report(rules, state, thought, json)


@app.command(epilog=examples("plyground check tictactoe", "plyground check path/to/file.py:Game"))
def check(
    game: GameSpec,
    games: Annotated[int, typer.Option(help="random games to look at", min=1, max=10_000)] = 20,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Check that a game keeps the laws of the rules; exit code 1 if it does not."""
    from . import games as all_games
    from .check import check as laws

    rules = all_games.make(game, seed)
    found = []
    for law, breach in laws(rules, games, seed):
        found.append({"law": law, "breach": breach})
        if not json:
            print(f"broken  {law}: {breach}" if breach else f"ok      {law}")
    broken = sum(bool(one["breach"]) for one in found)
    if json:
        emit({"game": game, "ok": not broken, "laws": found})
    else:
        print(f"{game}: {f'{broken} broken' if broken else 'all'} of {len(found)} laws{'' if broken else ' hold'}")
    if broken:
        raise typer.Exit(1)


@app.command(
    epilog=examples("plyground bench", "plyground bench peers --json", "plyground bench scaling --plot scaling.svg")
)
def bench(
    parts: Annotated[
        list[str] | None, typer.Argument(help="peers, rollouts, nodes, start, scaling; all if none is named")
    ] = None,
    seconds: Annotated[float, typer.Option(help="time for each row", min=0.05, max=600)] = 2.0,
    plot: Annotated[str, typer.Option(help="draw the part `scaling` into this file (.svg, .png)")] = "",
    json: Json = False,
) -> None:
    """Measure the throughput of the kernels, beside peers that are installed."""
    from .bench import measure
    from .show import bench_report

    bench_report(measure(parts or [], seconds, plot), json)
