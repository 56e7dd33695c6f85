"""AlphaGo's recipe as a lesson: what each of its four stages brings, on small boards."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from .alphago_runs import MIXES, recipe
from .lab import Part
from .plot import draw_scores, drawing
from .report import Plot, Section, Table, percent, pooled, tally, three, with_interval

PART = "alphago, {}"
FULL: dict[str, dict[str, Any]] = {
    "connect-four": {
        "options": {
            "teacher": "uct(sims=200)",
            "teacher_games": 768,
            "blocks": 1,
            "updates": 60,
            "update_games": 64,
            "value_games": 20_480,
            "value_epochs": 6,
            "threads": 1,  # the games are trained side by side
        },
        "sims": 50,
        "count": 60,
        "positions": 400,
        "rollouts": 32,
    },
    "gomoku(9)": {
        "options": {
            "teacher": "uct(sims=500)",
            "teacher_games": 768,
            "blocks": 1,
            "epochs": 6,
            "updates": 60,
            "update_games": 64,
            "value_games": 4096,
            "threads": 1,
        },
        "sims": 50,
        "count": 60,
        "positions": 200,
        "rollouts": 16,
    },
}
TINY = {"teacher_games": 64, "channels": 8, "epochs": 2, "updates": 4, "update_games": 16, "value_games": 256}
QUICK: dict[str, dict[str, Any]] = {
    "tictactoe": {
        "options": {"teacher": "uct(sims=50)", "value_epochs": 2, **TINY},
        "sims": 10,
        "count": 4,
        "positions": 40,
        "rollouts": 4,
    }
}
WORDS = {0.0: "value net alone, λ = 0", 0.5: "both, λ = ½", 1.0: "roll-outs alone, λ = 1"}


def parts(quick: bool) -> dict[str, Part]:
    """None where what training needs is not installed."""
    if not find_spec("torch"):
        return {}
    chosen = QUICK if quick else FULL
    return {PART.format(game): Part(recipe, {"game": game, **how, "seed": 0}) for game, how in chosen.items()}


def sections(found: dict[str, Any], quick: bool) -> list[Section]:
    """A lesson, if there are figures for it."""
    names = [name for name in parts(quick) if name in found]
    if not names:
        return []
    runs = {name.partition(", ")[2]: found[name] for name in names}
    blocks: list[str | Table | Plot] = [
        "The study closes with a summary of AlphaGo. Here it is built, by `plyground train alphago`, for any game of "
        "two players without chance: a net learns to predict the moves of games (here of a search), a fast policy of "
        "local patterns learns the same, the net improves itself in games against a pool of its earlier selves, and "
        "a second net learns who wins, from one position of each game. The search then asks all of them: a new leaf "
        "is worth (1 − λ) v + λ z, v by the value net, z the result of a roll-out by the fast policy.",
        _stages(runs),
        "**Predicting moves.** The net sees the whole board, the fast policy 5 × 5 cells around each move, and what it "
        "loses by that it wins back in speed: it is asked before every move of a roll-out.",
        _predictions(runs),
        "**Foretelling results.** From positions that the value net has not seen: how far from the result is its word, "
        "and how far the mean of many roll-outs? Where nobody draws, who always says 0 errs by 1.",
        *(_errors(game, run) for game, run in runs.items()),
        "**Searching by all of them.** The same nets and the same number of simulations; only λ differs. In the paper "
        "λ = ½ beat both others.",
        *_mixes(runs),
    ]
    return [Section("AlphaGo's recipe", blocks, names)]


def _stages(runs: dict[str, Any]) -> Table:
    columns = ["game", "sl predicts", "rollout predicts", "rl against sl"]
    columns += ["error, value net", "error, roll-outs", "minutes"]
    rows = []
    for game, run in runs.items():
        score = f"{percent(run['rl_score'])}\n± {percent(run['rl_score_interval'])}"
        predicts = [percent(run[name]) for name in ("accuracy", "fast_accuracy")]
        whole = run["errors"][0]["errors"]
        errors = [f"{whole[way]:.3f}" for way in ("value net", "roll-outs, fast policy")]
        rows.append([game, *predicts, score, *errors, f"{run['seconds'] / 60:.1f}"])
    said = "The four stages: shares of moves foretold, score of 400 games, mean squared errors, minutes of training"
    return Table(columns, rows, said)


def _predictions(runs: dict[str, Any]) -> Plot:
    with drawing(panels=len(runs)) as made:
        panels = made.axes if len(runs) > 1 else [made.axes]
        for axes, (game, run) in zip(panels, runs.items(), strict=True):
            for name, label in (("accuracy", "policy net"), ("fast_accuracy", "fast policy")):
                curve = run["curves"][name]
                axes.plot(range(1, len(curve) + 1), curve, "o-", label=label)
            axes.set(title=game, xlabel="times through all positions", ylabel="moves foretold")
        made.legend()
    return Plot(made.svg, "Moves of held-out games that a policy holds for the likeliest.")


def _errors(game: str, run: dict[str, Any]) -> Plot:
    rows = run["errors"][1:]
    with drawing() as made:
        middle = [sum(row["moves"]) / 2 for row in rows]
        for way in rows[0]["errors"]:
            made.axes.plot(middle, [row["errors"][way] for row in rows], "o-", label=way)
        made.axes.set(xlabel="moves played", ylabel="mean squared error", title=game)
        made.axes.set_ylim(0, None)
        made.legend(2)
    return Plot(made.svg, f"{game}: errors of {run['errors'][0]['positions']} foretold results, by moves played.")


def scores(run: dict[str, Any]) -> dict[float, dict[str, int]]:
    """The games of each mix against the two others."""
    found = {}
    for mix in MIXES:
        own = [pair for name, pair in run["pairs"].items() if name.startswith(f"{mix} v ")]
        turned = [
            {**pair, "wins": pair["losses"], "losses": pair["wins"]}
            for name, pair in run["pairs"].items()
            if name.endswith(f" v {mix}")
        ]
        found[mix] = pooled([*own, *turned])
    return found


def _mixes(runs: dict[str, Any]) -> list[Table | Plot]:
    rows, pairs = [], []
    with drawing(width=5.0) as made:
        for game, run in runs.items():
            known = scores(run)
            draw_scores(made.axes, MIXES, [tally(counts) for counts in known.values()], label=game)
            told = f"{game}, {run['sims']} simulations"
            rows += [[told, WORDS[mix], three(one), with_interval(one)] for mix, one in known.items()]
            for name, pair in run["pairs"].items():
                one, other = (f"λ = {float(mix):g}" for mix in name.split(" v "))
                pairs.append([told, f"{one} against {other}", three(pair), with_interval(pair)])
        made.axes.set(xlabel="λ", ylabel="score against the two others", xticks=MIXES)
        made.legend()
    table = Table(["game", "leaves", "wins / losses / draws", "score against the two others"], rows)
    by_pair = Table(["game", "pair", "wins / losses / draws", "score"], pairs, "Pair by pair")
    return [table, by_pair, Plot(made.svg, "Score of each λ against the two others, with 95 % intervals.")]


def findings(found: dict[str, Any], quick: bool) -> list[str]:
    """What the runs show, in a sentence each."""
    told = []
    for name in parts(quick):
        if name in found:
            run, game = found[name], name.partition(", ")[2]
            whole, known = run["errors"][0]["errors"], scores(run)
            best = max(known, key=lambda mix: tally(known[mix]).score)
            told.append(
                f"**AlphaGo's recipe on {game}:** the net foretells {percent(run['accuracy'])} of the teacher's moves, "
                f"the fast policy {percent(run['fast_accuracy'])}; the improved policy scores "
                f"{percent(run['rl_score'])} against the first; the value net errs by {whole['value net']:.2f}, "
                f"roll-outs of the fast policy by {whole['roll-outs, fast policy']:.2f}; λ = {best:g} scored most."
            )
    return told
