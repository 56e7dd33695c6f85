"""Of the study gomoku-tetris: DQN, actor-critic and MCTS-actor-critic in Tetris, beside controllers and searches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .lab import Part
from .plot import COLOURS, drawing
from .report import Plot, Section, Table
from .tetris_runs import agent, controller, linear, training

ABOUT = "In Tetris it compares an actor-critic that is based on MCTS with DQN and with a plain actor-critic."

WELLS = {"simplified": 'tetris(6,12,"simplified")', "reference": "tetris(6,12)"}
MAIN, OTHER = WELLS
DQN, PLAIN, MCTS, STUDY = "DQN", "actor-critic", "MCTS-actor-critic", "the same, the study's losses"
LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    DQN: ("afterstate-dqn", {}),
    PLAIN: ("a2c", {}),
    MCTS: ("mcts-actor-critic", {}),
    STUDY: ("mcts-actor-critic", {"actor": "returns", "trace": 1.0}),
}
SEEDS = {MAIN: 3, OTHER: 1}
LIMIT = {MAIN: 1_500, OTHER: 500}  # pieces of a game that is measured
FULL: dict[str, Any] = {
    "seconds": {MAIN: 60.0, OTHER: 40.0},
    "points": [5_000 * 2**i for i in range(10)],
    "count": 24,  # games at a point of the curve; twice as many at its end
    "options": {},
}
QUICK: dict[str, Any] = {
    "seconds": {MAIN: 1.0, OTHER: 0.5},
    "points": [1_000, 2_000, 4_000],
    "count": 5,
    "options": {"environments": 8, "limit": 60},
}
CONTROLLERS = {f"{name}, {depth} ahead": (name, depth) for name in ("dellacherie", "bcts") for depth in (1, 2)}
WEIGHTS = "cross-entropy"
UCT = {True: 50, False: 300}  # simulations


def parts(quick: bool) -> dict[str, Part]:
    asked, made = QUICK if quick else FULL, {}
    for rules, game in WELLS.items():
        for name, (algorithm, given) in LEARNERS.items():
            for seed in range(1 if quick or name == STUDY else SEEDS[rules]):
                options = {"limit": LIMIT[rules]} | given | asked["options"]
                arguments = {"game": game, "algorithm": algorithm, "options": options, "seed": seed}
                rest = {"seconds": asked["seconds"][rules], "points": asked["points"], "count": asked["count"]}
                made[f"Tetris, {rules}, {name}, seed {seed}"] = Part(training, arguments | rest)
        limit, count = (60, 4) if quick else (LIMIT[rules], 100)
        play = {"game": game, "limit": limit, "seed": 1}
        for name, (word, depth) in CONTROLLERS.items():
            made[f"Tetris, {rules}, {name}"] = Part(
                controller, play | {"name": word, "depth": depth, "count": count if depth == 1 else count // 2}
            )
        generations = {"generations": 1, "population": 20} if quick else {"generations": 8}
        made[f"Tetris, {rules}, {WEIGHTS}"] = Part(linear, play | {"options": generations, "count": count // 2})
        uct = play | {"spec": f"uct(sims={UCT[quick]})", "count": 2 if quick else 12}
        made[f"Tetris, {rules}, UCT"] = Part(agent, uct)
    return made


# --- figures ------------------------------------------------------------------------------------------


class Mean(NamedTuple):
    """A mean over games, and half of its 95 % interval; those of the seeds beside it."""

    value: float
    interval: float
    seeds: list[float]

    def text(self, digits: int = 0) -> str:
        told = f"{self.value:,.{digits}f} ± {self.interval:,.{digits}f}"
        many = len(self.seeds) > 1
        return told + ("\nseeds: " + ", ".join(f"{one:,.{digits}f}" for one in sorted(self.seeds))) * many


def mean(runs: Iterable[dict[str, Any]], what: str = "lines") -> Mean:
    """Of the games of several seeds.  The error is that of the games or that of the seeds, whichever is larger."""
    each = [run[what] for run in runs]
    seeds = [sum(games) / len(games) for games in each]
    value = sum(seeds) / len(seeds)
    within = sum(_variance(games) / len(games) for games in each) / len(each) ** 2
    between = _variance(seeds) / len(seeds)
    return Mean(value, 1.96 * max(within, between) ** 0.5, seeds)


def _variance(numbers: list[float]) -> float:
    middle = sum(numbers) / len(numbers)
    return sum((number - middle) ** 2 for number in numbers) / max(1, len(numbers) - 1)


def _curves(found: dict[str, Any], rules: str, name: str) -> list[list[dict[str, Any]]]:
    return [run["curve"] for key, run in found.items() if key.startswith(f"Tetris, {rules}, {name}, seed ")]


def _best(point: dict[str, Any]) -> dict[str, Any]:
    """The games of a learner as it is meant to play: with its search, if it has one."""
    return point.get("search", point["net"])


def _common(found: dict[str, Any], rules: str) -> int:
    """The last point of the curves, but for their ends, that all learners have reached."""
    curves = [curve for name in LEARNERS for curve in _curves(found, rules, name)]
    return max(0, min(len(curve) for curve in curves) - 2)


def _then(found: dict[str, Any], rules: str, name: str, at: int, what: str = "lines") -> Mean:
    """All seeds at a point of the curves; -1: at the end."""
    return mean((_best(curve[at]) for curve in _curves(found, rules, name)), what)


def _compared(one: Mean, other: Mean) -> str:
    apart = one.value - other.value
    sure = abs(apart) > (one.interval**2 + other.interval**2) ** 0.5
    return ("clears more lines than" if apart > 0 else "clears fewer lines than") if sure else "cannot be told from"


# --- the section --------------------------------------------------------------------------------------


def sections(found: dict[str, Any], quick: bool) -> list[Section]:
    return [_learners(found, quick), _others(found, quick)]


def _learners(found: dict[str, Any], quick: bool) -> Section:
    asked = QUICK if quick else FULL
    texts = [
        "They all rate placements by the well that each leaves (eight features, and the lines that it clears), by a "
        "net of two layers of 32 units. **DQN** learns what a placement is worth, towards r + γ·E max Q of the next "
        "ones. The **actor-critic** draws placements from a policy and learns from the advantage R − V. The "
        "**MCTS-actor-critic** has one net for both: log π, and v of the well; a tree search with chance nodes for the "
        "next piece plays by it, and chooses by Q + c·P·√(ln N(s) / (1 + N(s,a))), Q scaled to 0…1 within the tree; "
        "a leaf is worth (1 − λ)·v + λ·z, here with λ = 0. The policy learns the shares of the visits, the value what "
        "came later to one fifth and the search's own value to four fifths. **The study's losses** are log π·(z − v(s))"
        " for the placement that was played, and (z − v)², z being nothing but what came.",
        f"Each trains for {asked['seconds'][MAIN]:g} seconds of processor time on one core (measuring not counted), in "
        f"`{WELLS[MAIN]}`: 6 columns, 12 rows, any turn and column, pieces alike likely, no preview. Lines of a game "
        f"of at most {QUICK['options']['limit'] if quick else LIMIT[MAIN]:,} pieces, with 95 % intervals over games "
        "and seeds. The MCTS-actor-critic plays with its search unless it says net alone. By hand: "
        f"`plyground train mcts-actor-critic '{WELLS[MAIN]}' --out runs/mcts`.",
    ]
    blocks: list[str | Table | Plot] = [*texts, _plot(found), _table(found, MAIN)]
    blocks += [
        f"The same in the reference game, `{WELLS[OTHER]}`: two hidden rows, one piece of preview, which only "
        f"the searches look at, and points for lines at once and for hard drops; {asked['seconds'][OTHER]:g} "
        "seconds of training.",
        _table(found, OTHER),
    ]
    used = [name for name in found if name.startswith("Tetris") and "seed" in name]
    return Section("Tetris: the learners", blocks, used)


def _table(found: dict[str, Any], rules: str) -> Table:
    at, rows = _common(found, rules), []
    pieces = round(max(curve[at]["pieces"] for name in LEARNERS for curve in _curves(found, rules, name)), -2)
    for name in LEARNERS:
        curves = _curves(found, rules, name)
        last = [curve[-1] for curve in curves]
        score = _then(found, rules, name, -1, "scores").text() if rules == OTHER else ""
        seen = sum(point["pieces"] for point in last) / len(last)
        pace = sum(_best(point)["seconds_a_piece"] for point in last) / len(last)
        alone = mean(point["net"] for point in last).text() if "search" in last[0] else ""
        equal = [_then(found, rules, name, at).text(), _then(found, rules, name, -1).text()]
        ended = sum(_best(point)["unfinished"] for point in last) / len(last)
        cells = [*equal, alone, *([score] if rules == OTHER else []), f"{seen:,.0f}", f"{1000 * pace:.2g} ms"]
        rows.append([name, *cells, f"{ended:.0%}".replace("%", " %")])
    columns = ["", f"after about {pieces:,.0f} placements", "after the same time", "the same, net alone"]
    columns += [*(["points"] if rules == OTHER else []), "placements seen", "time a placement", "ended by the limit"]
    return Table(columns, rows, f"Lines a game, {rules} rules")


def _plot(found: dict[str, Any]) -> Plot:
    with drawing(10.5, 4.4, panels=2) as made:
        for axes, along in zip(made.axes, ("pieces", "seconds"), strict=True):
            for name, colour in zip(LEARNERS, COLOURS, strict=False):
                curves = _curves(found, MAIN, name)
                for who, style in (("search", "-"), ("net", "--" if "search" in curves[0][0] else "-")):
                    if who in curves[0][0]:
                        label = f"{name}, net alone" if style == "--" else name
                        _line(axes, curves, who, along, color=colour, linestyle=style, label=label)
            for i, name in enumerate(("bcts, 1 ahead", "bcts, 2 ahead")):
                value = mean([found[f"Tetris, {MAIN}, {name}"]]).value
                axes.axhline(value, color=COLOURS[i + 4], linestyle=":", linewidth=1, label=name)
            axes.set_xscale("log")
            axes.set_ylim(0, None)
        made.axes[0].set_xlabel("placements of training")
        made.axes[1].set_xlabel("seconds of training (processor time)")
        made.axes[0].set_ylabel("lines a game")
        made.legend(columns=3)
    return Plot(made.svg, "Lines a game while they learn, all seeds and games together, with 95 % intervals.")


def _line(axes: Any, curves: list[list[dict[str, Any]]], who: str, along: str, **style: Any) -> None:
    points = list(zip(*(curve[: min(map(len, curves)) - 1] for curve in curves), strict=True))
    points.append(tuple(curve[-1] for curve in curves))
    means = [mean(point[who] for point in same) for same in points]
    at = [sum(point[along] for point in same) / len(same) for same in points]
    look = {"marker": "o", "markersize": 3, "capsize": 2, "linewidth": 1.2}
    axes.errorbar(at, [one.value for one in means], yerr=[one.interval for one in means], **look, **style)


def _rest(found: dict[str, Any], rules: str) -> dict[str, dict[str, Any]]:
    """Games of all that does not learn by a net."""
    told = {f"`{name}`": found[f"Tetris, {rules}, {name}"] for name in CONTROLLERS}
    ours = found[f"Tetris, {rules}, {WEIGHTS}"]
    told |= {f"{WEIGHTS}, {depth} ahead": ours[depth] for depth in ("1", "2")}
    return told | {"UCT": found[f"Tetris, {rules}, UCT"]}


def _others(found: dict[str, Any], quick: bool) -> Section:
    seconds = found[f"Tetris, {MAIN}, {WEIGHTS}"]["seconds"]
    text = (
        "Feature controllers know the same eight features; their weights were found by hand (`dellacherie`), by others "
        f"(`bcts`), or by our `{WEIGHTS}` in {seconds:.0f} seconds. `2 ahead` is "
        "expectimax: the mean over all pieces that may come next. UCT knows nothing but the rules: "
        f"{UCT[quick]} simulations of random placements."
    )
    columns = ["", *(f"{rules}: {what}" for rules in WELLS for what in ("lines", "points"))]
    rows = []
    every = {rules: _rest(found, rules) for rules in WELLS}
    for name in every[MAIN]:
        cells = [mean([every[rules][name]], what).text() for rules in WELLS for what in ("lines", "scores")]
        pace = 1000 * every[MAIN][name]["seconds_a_piece"]
        rows.append([name, *cells, f"{pace:.2g} ms"])
    limits = " and ".join(f"{LIMIT[rules]:,}" for rules in WELLS)
    caption = f"Games of at most {QUICK['options']['limit'] if quick else limits} pieces"
    used = [name for name in found if name.startswith("Tetris") and "seed" not in name]
    table = Table([*columns, "time a placement"], rows, caption)
    return Section("Tetris: controllers and searches", [text, table], used)


# --- what was found -----------------------------------------------------------------------------------


def findings(found: dict[str, Any], quick: bool) -> list[str]:
    told, at = [], _common(found, MAIN)
    for words, point in (("the same time", -1), ("equally many placements", at)):
        ours = _then(found, MAIN, MCTS, point)
        parts = []
        for name in (DQN, PLAIN):
            other = _then(found, MAIN, name, point)
            parts.append(f"{_compared(ours, other)} {name} ({other.value:,.0f} ± {other.interval:,.0f})")
        told.append(
            f"**Tetris, after {words},** MCTS-actor-critic ({ours.value:,.0f} ± {ours.interval:,.0f} lines a game) "
            f"{' and '.join(parts)}."
        )
    last = [curve[-1] for curve in _curves(found, MAIN, MCTS)]
    search, net = mean(point["search"] for point in last), mean(point["net"] for point in last)
    pace = [sum(point[who]["seconds_a_piece"] for point in last) / len(last) for who in ("search", "net")]
    told.append(
        f"**What its search adds:** its net alone clears {net.value:,.0f} ± {net.interval:,.0f} lines, with the search "
        f"{search.value:,.0f} ± {search.interval:,.0f}, at {pace[0] / pace[1]:,.0f} times the processor time a "
        "placement. DQN and actor-critic play without search."
    )
    theirs = _then(found, MAIN, STUDY, -1)
    told.append(
        f"**With the study's losses** the same search {_compared(theirs, search)} the one above "
        f"({theirs.value:,.0f} ± {theirs.interval:,.0f} against {search.value:,.0f} ± {search.interval:,.0f})."
    )
    rest = {name: mean([games]) for name, games in _rest(found, MAIN).items()}
    beside = "; ".join(f"{name} {one.value:,.0f} ± {one.interval:,.0f}" for name, one in rest.items())
    above = [name for name, one in rest.items() if _compared(search, one) == "clears more lines than"]
    told.append(f"**Beside controllers and searches** it clears more lines than {_listed(above)}. {beside}.")
    by_points = "; ".join(
        f"{name} {_then(found, OTHER, name, -1).value:,.0f} lines and "
        f"{_then(found, OTHER, name, -1, 'scores').value:,.0f} points"
        for name in LEARNERS
    )
    limit = QUICK["options"]["limit"] if quick else LIMIT[OTHER]
    told.append(f"**By the rules of the reference game,** in at most {limit} pieces: {by_points}.")
    return told


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none of them"
