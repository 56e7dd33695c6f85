"""Of the study gomoku-tetris: the actor-critic that learns by MCTS against itself, and how strong it becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .gomoku_runs import training
from .lab import Part, match_part
from .plot import COLOURS, draw_scores, drawing
from .report import Plot, Section, Table, percent, pooled, tally, three, verdict, with_interval

ABOUT = (
    "It lets a policy and a value net learn Gomoku from games of MCTS against itself, and measures them against an "
    "existing program."
)

GAME, BOARD = "mnk(6,6,4)", "6×6, four in a row"
OPENING = 4  # random moves
BASE = (0.5, 32)  # lambda, and simulations of a move in self-play
SETTINGS = ((0.0, 32), BASE, (1.0, 32), (0.5, 8), (0.5, 128))
FULL: dict[str, Any] = {
    "options": {
        "positions": 10_000,
        "round": 500,
        "parallel_games": 32,
        "blocks": 2,
        "channels": 32,
        "lr": 0.003,
        "replay_ratio": 4,
    },
    "points": [0, 1000, 2500, 5000, 10_000],
    "sims": 64,  # of the search that is measured
    "count": 40,
    "opening": OPENING,
}
QUICK: dict[str, Any] = FULL | {
    "options": FULL["options"] | {"positions": 200, "round": 100, "parallel_games": 8, "blocks": 1, "channels": 8},
    "points": [0, 100, 200],
    "sims": 16,
    "count": 6,
}
SEEDS = 3
OTHERS = {  # against one-ply on the same board
    "win-block": "win-block",
    "UCT, 64 simulations": "uct(sims=64)",
    "UCT, 1,000 simulations": "uct(sims=1000)",
    "RAVE, 1,000 simulations": "rave(sims=1000)",
    "AlphaZero's net that came with the program, 64 simulations": 'alphazero("mnk-6-6-4", sims=64)',
}
CLAIMED = "gomoku(9)"
CLAIMS = {  # one-ply there: opponent, and what the study says of it
    "random": ("random", "120 – 0"),
    "win-block": ("win-block", "120 – 0\nagainst win-block-adjacent"),
    "plain UCT, 1,000 simulations": ('uct(sims=1000, rollout="random")', "4 – 0"),
}
KNOWN = Path(__file__).parent / "known" / "gomoku-15-curve.json"


def parts(quick: bool) -> dict[str, Part]:
    asked, made = QUICK if quick else FULL, {}
    for share, sims in SETTINGS:
        options = asked["options"] | {"rollout": share, "sims": sims}
        for seed in range(1 if quick else SEEDS):
            arguments = asked | {"game": GAME, "options": options, "seed": seed}
            made[f"trained, {_name(share, sims)}, seed {seed}"] = Part(training, arguments)
    for name, agent in OTHERS.items():
        made[f"one-ply v {name}"] = match_part(GAME, agent, "one-ply", 6 if quick else 60, opening=OPENING)
    for name, (agent, _) in CLAIMS.items():
        made[f"one-ply on 9×9 v {name}"] = match_part(CLAIMED, "one-ply", agent, 6 if quick else 120)
    return made


def _name(share: float, sims: int) -> str:
    return f"λ = {share:g}, {sims} simulations"


def _runs(found: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The trainings of each setting, one a seed."""
    names = [_name(*setting) for setting in SETTINGS]
    return {name: [run for key, run in found.items() if key.startswith(f"trained, {name}, ")] for name in names}


def _last(runs: list[dict[str, Any]], who: str) -> dict[str, int]:
    """All seeds together, after training: with its search or the net alone, against one-ply."""
    return pooled(run["curve"][-1][who] for run in runs)


# --- the sections -------------------------------------------------------------------------------------


def sections(found: dict[str, Any], quick: bool) -> list[Section]:
    return [_training(found, quick), _curve(found), _shipped(), _opponent(found)]


def _training(found: dict[str, Any], quick: bool) -> Section:
    asked = QUICK if quick else FULL
    options = asked["options"]
    texts = [
        "**Self-play.** Each move is searched by MCTS, which takes the action with the highest Q + c·√(ln N(s) / (1 + "
        "N(s,a))) and, among those that are alike, the one that the policy net π(s,a) prefers. A leaf is worth V = "
        "(1 − λ)·v(s) + λ·z: what the value net v says, and the result z of a roll-out by a fast policy. Q is the mean "
        "of the values below.",
        "**Training.** On minibatches (s, a, z) of the newest positions the actor ascends log π(a|s)·(z − v(s)): "
        "a move of a game that went better than expected becomes more likely; the critic minimises (z − v(s))².",
        f"Here on {BOARD}, with a residual net ({options['blocks']} × {options['channels']} channels), "
        f"{options['positions']:,} positions on one core, c = 0.7; the study asks for 1,600 simulations a move and "
        f"deep nets. The search that is measured has {asked['sims']} simulations and the λ of the training. Much the "
        f"same by hand: `plyground train actor-critic '{GAME}' --rollout {BASE[0]} --sims {BASE[1]} --out runs/actor`, "
        'then `alphazero("runs/actor")` is an agent like others.',
    ]
    rows = []
    for name, runs in _runs(found).items():
        seconds, games = (sum(run[key] for run in runs) / len(runs) for key in ("seconds", "games"))
        alone = [with_interval(pooled(run[opponent] for run in runs)) for opponent in ("random", "win-block")]
        cells = [*alone, with_interval(_last(runs, "net")), with_interval(_last(runs, "search"))]
        before = with_interval(pooled(run["curve"][0]["search"] for run in runs))
        rows.append([name, f"{seconds:.0f} s\n{games:,.0f} games", *cells, before])
    columns = ["self-play", "training", "net alone v random", "v win-block", "v one-ply", "with its search v one-ply"]
    seeds = len(next(iter(_runs(found).values())))
    caption = f"After training, {seeds} seed{'s' * (seeds > 1)} together; {OPENING} random moves open a game"
    table = Table([*columns, "the same search untrained"], rows, caption)
    used = [name for name in found if name.startswith("trained, ")]
    return Section("Self-play actor-critic with MCTS", [*texts, table], used)


def _curve(found: dict[str, Any]) -> Section:
    settings = _runs(found)
    base = _name(*BASE)
    words = {"search": "with its search", "net": "net alone"}
    curves = {who: [pooled(at[who] for at in same) for same in _points(settings[base])] for who in words}
    positions = [_at(same) for same in _points(settings[base])]
    with drawing(10.5, 4.8, panels=2) as made:
        left, right = made.axes
        for who, label in words.items():
            draw_scores(left, positions, map(tally, curves[who]), label=label)
        for i, name in enumerate(OTHERS):
            score = tally(found[f"one-ply v {name}"]).score
            left.axhline(score, color=COLOURS[i + 2], linestyle=":", linewidth=1, label=name)
        left.set_title(base, fontsize=9)
        for i, (name, runs) in enumerate(settings.items()):
            scores = [tally(pooled(at["search"] for at in same)).score for same in _points(runs)]
            right.plot([_at(same) for same in _points(runs)], scores, "o-", color=COLOURS[i], linewidth=1, label=name)
        right.set_title("with its search", fontsize=9)
        for axes in made.axes:
            axes.set_xlabel("positions of self-play")
            axes.set_ylim(-0.02, 1.02)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=8)
        left.set_ylabel("score against one-ply")
    rows = [
        [f"{at:,}", *(f"{with_interval(curves[who][i])}; {three(curves[who][i])}" for who in words)]
        for i, at in enumerate(positions)
    ]
    table = Table(["positions", *words.values()], rows, f"{base}: score, interval, wins / losses / draws")
    plot = Plot(
        made.svg, f"Against one-ply on {BOARD} while the nets learn: wins and half of the draws, with 95 % intervals."
    )
    used = [name for name in found if name.startswith(("trained, ", "one-ply v "))]
    return Section("The performance curve", [plot, table], used)


def _points(runs: list[dict[str, Any]]) -> list[tuple[dict[str, Any], ...]]:
    """The points of the curves, those of all seeds together."""
    return list(zip(*(run["curve"] for run in runs), strict=True))


def _at(same: tuple[dict[str, Any], ...]) -> int:
    """The positions learnt from at a point; a round ends a little later than asked."""
    return round(sum(one["positions"] for one in same) / len(same))


def _shipped() -> Section:
    """The curve of a net that took a GPU, as it was measured."""
    lines = json.loads(KNOWN.read_text(encoding="utf-8"))
    by_opponent: dict[str, list[dict[str, Any]]] = {}
    for line in sorted(lines, key=lambda line: line["positions"]):
        by_opponent.setdefault(line["opponent"], []).append(line)
    with drawing() as made:
        for opponent, known in by_opponent.items():
            at = [line["positions"] for line in known]
            draw_scores(made.axes, at, map(tally, known), label=opponent)
        made.axes.set_xlabel("positions of self-play")
        made.axes.set_ylabel("score of the net")
        made.axes.set_ylim(-0.02, 1.02)
        made.legend()
    plot = Plot(made.svg, "The net for 15×15 against other programs while it learnt, with 95 % intervals.")
    rows = [
        [f"{line['positions']:,}", opponent, with_interval(line), three(line)]
        for opponent, known in by_opponent.items()
        for line in known
    ]
    table = Table(["positions", "opponent", "score", "wins / losses / draws"], rows)
    text = (
        "Measured once, while the net `gomoku-15` was trained on a GPU by AlphaZero; these figures are not run again. "
        "It began with the net of 9×9, and plays here with 100 simulations a move, without looking for threats; four "
        "random stones come first. The first program is weak, the second of middle strength."
    )
    return Section("The curve of the net that came with the program, 15×15", [text, plot, table])


def _opponent(found: dict[str, Any]) -> Section:
    rows = []
    for name, (_, reported) in CLAIMS.items():
        run = found[f"one-ply on 9×9 v {name}"]
        rows.append([name, reported, f"{run['wins']} – {run['losses']}", with_interval(run)])
    text = (
        "The program that the study names, here as `one-ply`, looks at every window of k cells, and at no reply: it "
        "completes k − 1 of its own, else blocks k − 1, else extends k − 2, else blocks k − 2, else adds up points of "
        "the windows. It is deterministic, so the games of the curve begin with random moves."
    )
    claims = Table(
        ["one-ply against", "reported", "here", "score"], rows, "On 9×9, five in a row, moving first and second"
    )
    others = [[name, with_interval(found[f"one-ply v {name}"])] for name in OTHERS]
    table = Table(["against one-ply", "score"], others, f"On {BOARD}, after {OPENING} random moves")
    return Section("The opponent", [text, claims, table], [name for name in found if name.startswith("one-ply")])


# --- what was found -----------------------------------------------------------------------------------


def findings(found: dict[str, Any], quick: bool) -> list[str]:
    settings = _runs(found)
    base = _name(*BASE)
    points = _points(settings[base])
    told = []
    for who, words in (("search", "The actor-critic with its search"), ("net", "Its net alone")):
        first, last = (pooled(at[who] for at in same) for same in (points[0], points[-1]))
        told.append(
            f"**{words}** ({base}) {_change(first, last)} against one-ply, from {percent(tally(first).score)} to "
            f"{percent(tally(last).score)} after {_at(points[-1]):,} positions; it {verdict(last, 'one-ply')}."
        )
    shares = {f"λ = {share:g}": _name(share, sims) for share, sims in SETTINGS if sims == BASE[1]}
    numbers = {str(sims): _name(share, sims) for share, sims in sorted(SETTINGS) if share == BASE[0]}
    for what, names in (("λ", shares), ("Simulations in self-play", numbers)):
        runs = {word: settings[name] for word, name in names.items()}
        each = "; ".join(
            f"{word}: {percent(tally(_last(of, 'search')).score)} with its search, its net alone "
            f"{percent(tally(_last(of, 'net')).score)}, and "
            f"{percent(tally(pooled(run['win-block'] for run in of)).score)} against win-block, "
            f"{sum(run['seconds'] for run in of) / len(of):.0f} s of training"
            for word, of in runs.items()
        )
        told.append(f"**{what}:** {_best({word: _last(of, 'search') for word, of in runs.items()})}. {each}.")
    kept = [
        name
        for name in CLAIMS
        if found[f"one-ply on 9×9 v {name}"]["wins"] == found[f"one-ply on 9×9 v {name}"]["games"]
    ]
    others = ", ".join(f"{name} {percent(tally(found[f'one-ply v {name}']).score)}" for name in OTHERS)
    told.append(
        f"**The opponent** won every game on 9×9 against {_listed(kept)}; the study says, against all of these. On "
        f"{BOARD} these score against it: {others}."
    )
    return told


def _best(results: dict[str, dict[str, int]]) -> str:
    """Who scores most, and whether the intervals say so too."""
    first, second, *_ = sorted(results, key=lambda word: -tally(results[word]).score)
    if tally(results[first]).score == tally(results[second]).score:
        return "none scores more than all others against one-ply"
    apart = all(
        tally(results[first]).interval()[0] > tally(run).interval()[1] for word, run in results.items() if word != first
    )
    return f"{first} scores most against one-ply, {'clearly' if apart else 'but the intervals overlap'}"


def _change(first: dict[str, int], last: dict[str, int]) -> str:
    before, after = tally(first).interval(), tally(last).interval()
    return "improves" if after[0] > before[1] else "gets worse" if after[1] < before[0] else "does not clearly change"


def _listed(names: list[str]) -> str:
    return f"{len(names)} of {len(CLAIMS)} opponents ({'; '.join(names) or 'none'})"
