"""Of the study gomoku-tetris: Monte-Carlo tree search, and what RAVE adds to it."""

from __future__ import annotations

from itertools import product
from typing import Any

from .lab import Part, match_part
from .plot import COLOURS, draw_scores, drawing
from .report import Plot, Section, Table, percent, pooled, tally, verdict, with_interval

ABOUT = "The study sums up MCTS and MC-RAVE and how they choose a move."

BOARDS = {"9×9": "gomoku(9)", "15×15": "gomoku(15)"}
OPENING = 2  # random moves
HAND, MSE = "hand-selected, c = 0", "minimum MSE, c = 0"
HAND_C, MSE_C = "hand-selected, c = 1", "minimum MSE, c = 1"
BOTH = (HAND, MSE)
VARIANTS = {
    HAND: "rave({})",
    HAND_C: "rave({}, c=1.0)",
    MSE: 'rave({}, schedule="mse")',
    MSE_C: 'rave({}, schedule="mse", c=1.0)',
}
ALL = tuple(VARIANTS)
# board and limit of a move: games, and who plays them
Races = dict[tuple[str, str], tuple[int, tuple[str, ...]]]
FULL: Races = {
    **{("9×9", f"sims={sims}"): (100, ALL) for sims in (100, 300, 1000, 3000)},
    ("9×9", "sims=10000"): (60, BOTH),
    **{("15×15", f"sims={sims}"): (60, BOTH) for sims in (300, 1000, 3000)},
    **{("9×9", f"seconds={seconds}"): (40, BOTH) for seconds in (0.003, 0.01, 0.03)},
    ("15×15", "seconds=0.03"): (30, BOTH),
}
QUICK: Races = {
    **{("9×9", f"sims={sims}"): (8, ALL) for sims in (100, 300)},
    **{("9×9", f"seconds={seconds}"): (8, BOTH) for seconds in (0.002, 0.005)},
}
TUNED_WITH = {True: 100, False: 1000}  # simulations
SMALLER, LARGER = ("k = 10 v k = 1,000", "k = 100 v k = 1,000"), "k = 10,000 v k = 1,000"
SCHEDULES, RANDOM = "minimum MSE v hand-selected", "RAVE v UCT, both with random roll-outs"
TUNED = {  # what else may be set; k = 1000 and b = 0.1 by default
    **{name: (f"rave({{}}, k={k})", "rave({})") for name, k in zip((*SMALLER, LARGER), (10, 100, 10_000), strict=True)},
    **{f"b = {b} v b = 0.1": (f'rave({{}}, schedule="mse", bias={b})', VARIANTS[MSE]) for b in (0.01, 0.5)},
    SCHEDULES: (VARIANTS[MSE], VARIANTS[HAND]),
    RANDOM: ('rave({}, rollout="random")', 'uct({}, rollout="random")'),
}


def parts(quick: bool) -> dict[str, Part]:
    made = {}
    for (board, limit), (games, variants) in (QUICK if quick else FULL).items():
        for variant in variants:
            one, timed = VARIANTS[variant].format(limit), limit.startswith("seconds")
            part = match_part(BOARDS[board], one, f"uct({limit})", games, timed=timed, opening=OPENING)
            made[f"RAVE, {variant}, {board}, {limit}"] = part
    limit, games = f"sims={TUNED_WITH[quick]}", 8 if quick else 100
    for name, (one, other) in TUNED.items():
        part = match_part(BOARDS["9×9"], one.format(limit), other.format(limit), games, opening=OPENING)
        made[f"RAVE tuned, {name}"] = part
    return made


# --- the section --------------------------------------------------------------------------------------


def _runs(found: dict[str, Any], variant: str, board: str, kind: str) -> dict[float, Any]:
    """The matches of a variant by what a move was limited to, in `sims` or in `seconds`."""
    start = f"RAVE, {variant}, {board}, {kind}="
    return {float(name[len(start) :]): run for name, run in found.items() if name.startswith(start)}


def _limits(found: dict[str, Any], kind: str) -> list[tuple[str, float]]:
    return [(board, limit) for board in BOARDS for limit in _runs(found, HAND, board, kind)]


def sections(found: dict[str, Any], quick: bool) -> list[Section]:
    texts = [
        "**MCTS** grows a tree one simulation at a time. A simulation walks from the root to a leaf, each player going "
        "to the child with the highest bound Q(s,a) + c·√(ln N(s) / N(s,a)): the mean result so far, and a bonus for "
        "what was seldom tried (UCT). It adds a node, plays the game to its end by a fast policy, and adds the result "
        "to every node it came by. The move that was tried most often is played.",
        "**MC-RAVE** (Gelly and Silver, 2011) learns more from each simulation. Besides Q it keeps Q̃(s,a), the mean "
        "result of all simulations in which the same player played a at s **or later**: every roll-out says something "
        "about every stone in it. It chooses by (1 − β)·Q + β·Q̃ + c·√(ln N(s) / N(s,a)). Q̃ is there at once but "
        "biased, Q is right but slow, so β falls as visits grow: by hand, β = √(k / (3 N(s) + k)), or such that the "
        "mean squared error is least, β = ñ / (n + ñ + 4 n ñ b²) with the bias b.",
        f"Each match has {OPENING} random moves first, both seats alike, and UCT with c = 1 (our default) as the "
        "opponent; scores are those of RAVE, with 95 % intervals. Roll-outs win at once, else block, else are random, "
        "for both. Heuristic MC-RAVE, which begins a node with a prior, is not built here.",
    ]
    blocks: list[str | Table | Plot] = [*texts, _table(found, "sims"), _plot(found), _table(found, "seconds")]
    rows = [[name, with_interval(found[f"RAVE tuned, {name}"])] for name in TUNED]
    caption = f"What may be set, one against the other, on 9×9 with {TUNED_WITH[quick]:,} simulations a move"
    blocks.append(Table(["", "score of the first"], rows, caption))
    return [Section("MCTS and MC-RAVE", blocks, [name for name in found if name.startswith("RAVE")])]


def _table(found: dict[str, Any], kind: str) -> Table:
    rows = []
    for board, limit in _limits(found, kind):
        runs = {variant: _runs(found, variant, board, kind).get(limit) for variant in VARIANTS}
        cells = [with_interval(run) if run else "" for run in runs.values()]
        one, other = (1000 * seconds for seconds in (runs[HAND] or {})["seconds_per_move"])
        budget = f"{limit:,.0f} simulations" if kind == "sims" else f"{1000 * limit:g} ms"
        rows.append([f"{board}, {budget} a move", *cells, f"{one:.1f} / {other:.1f} ms"])
    caption = "At equal simulations" if kind == "sims" else "At equal time"
    return Table(["", *VARIANTS, "time a move, RAVE / UCT"], rows, caption)


def _plot(found: dict[str, Any]) -> Plot:
    with drawing(10.5, 3.9, panels=2) as made:
        for axes, kind in zip(made.axes, ("sims", "seconds"), strict=True):
            for i, (variant, board) in enumerate(product(VARIANTS, BOARDS)):
                runs = _runs(found, variant, board, kind)
                if runs:
                    label = f"{variant}, {board}"
                    draw_scores(axes, runs, map(tally, runs.values()), color=COLOURS[i], label=label)
            axes.axhline(0.5, color="#888888", linestyle=":", linewidth=1)
            axes.set_xscale("log")
            ticks = sorted({limit for _, limit in _limits(found, kind)})
            axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
            axes.minorticks_off()
            axes.set_ylim(0, 1.02)
            axes.set_xlabel("simulations a move" if kind == "sims" else "seconds a move")
        made.axes[0].set_ylabel("score of RAVE against UCT")
        made.legend(columns=3)
    return Plot(made.svg, "RAVE against UCT by the budget of a move, with 95 % intervals; dotted: both alike.")


# --- what was found -----------------------------------------------------------------------------------


def findings(found: dict[str, Any], quick: bool) -> list[str]:
    told = []
    for kind, words in (("sims", "At equal simulations"), ("seconds", "At equal time")):
        parts = []
        for board in BOARDS:
            runs = _runs(found, HAND, board, kind)
            if runs:
                scores = [tally(run).score for run in runs.values()]
                all_games = pooled(runs.values())
                spread = f", {percent(min(scores), 0)} to {percent(max(scores), 0)} by budget" * (len(scores) > 1)
                parts.append(
                    f"on {board} it {verdict(all_games, 'UCT')} ({percent(tally(all_games).score)} of "
                    f"{all_games['games']} games{spread})"
                )
        told.append(f"**{words},** MC-RAVE with the hand-selected schedule and c = 0: {'; '.join(parts)}.")
    same = list(_runs(found, HAND_C, "9×9", "sims"))
    means = {v: pooled([_runs(found, v, "9×9", "sims")[limit] for limit in same]) for v in VARIANTS}
    better = all(
        tally(means[a]).interval()[0] > tally(means[b]).interval()[1] for a, b in ((HAND, HAND_C), (MSE, MSE_C))
    )
    worse = any(tally(means[a]).score < tally(means[b]).score for a, b in ((HAND, HAND_C), (MSE, MSE_C)))
    holds = "Holds" if better else "Does not show here" if worse else "Holds by the means, not by the intervals"
    told.append(
        f"**c = 0 is best? {holds}:** on 9×9, all budgets together, "
        + ", ".join(f"{percent(tally(run).score)} ({name})" for name, run in means.items())
        + "."
        + " With c > 0 every move is tried once before any is tried again, which RAVE is there to spare." * (not worse)
    )
    tuned = {name: found[f"RAVE tuned, {name}"] for name in TUNED}
    weaker = [name for name in SMALLER if tally(tuned[name]).interval()[1] < 0.5]
    holds = {0: "Does not show here", 1: "Holds in part", 2: "Holds"}[len(weaker)]
    told.append(
        f"**The best k is at least 1,000? {holds}:** with {TUNED_WITH[quick]:,} simulations "
        + ", ".join(f"{name} scores {percent(tally(tuned[name]).score)}" for name in (*SMALLER, LARGER))
        + f". The minimum-MSE schedule {verdict(tuned[SCHEDULES], 'the hand-selected one')} "
        + f"({percent(tally(tuned[SCHEDULES]).score)}). With random roll-outs for both, RAVE "
        + f"{verdict(tuned[RANDOM], 'UCT')} ({percent(tally(tuned[RANDOM]).score)})."
    )
    return told
