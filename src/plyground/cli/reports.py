"""What the commands tell of a thought, a match, a solution, odds and benchmarks: text or JSON."""

from __future__ import annotations

from dataclasses import asdict
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from .show import emit, show, table

if TYPE_CHECKING:  # these import the compiler, and `--help` must not
    from ..agents.base import Thought
    from ..arena.results import Result
    from ..arena.scores import Standing
    from ..arena.sprt import Trial
    from ..exact.odds import Odds
    from ..exact.solve import Solution


def thought_report(game: Any, state: Any, thought: Thought, json: bool) -> None:
    if json:
        moves = [
            {"action": m.action, "name": game.name(m.action), "visits": m.visits, "value": m.value, "proven": m.proven}
            | ({} if m.prior is None else {"prior": m.prior})
            for m in thought.moves
        ]
        emit(
            {
                "action": thought.action,
                "name": game.name(thought.action),
                "value": thought.value,
                "simulations": thought.simulations,
                "seconds": thought.seconds,
                "moves": moves,
                "line": [game.name(action) for action in thought.line],
            }
            | ({"note": thought.note} if thought.note else {})
        )
        return
    print(game.text(state))
    print(f"\n{game.name(thought.action)}", end="")
    if thought.value is not None:
        print(f", value {thought.value:+.3f} for the player to move", end="")
    if thought.note:
        print(f" ({thought.note})", end="")
    rate = f", {thought.simulations / thought.seconds:,.0f}/s" if thought.seconds and thought.simulations else ""
    print(f"\n{thought.simulations:,} simulations in {thought.seconds:.3f} s{rate}")
    if thought.line:
        print("line:", " ".join(game.name(action) for action in thought.line))
    if thought.moves:
        guided = any(m.prior is not None for m in thought.moves)
        searched = any(m.visits for m in thought.moves)
        rows = table("move", "visits", "share", *(["prior"] if guided else []), "value", "")
        total = sum(m.visits for m in thought.moves) or 1
        for m in thought.moves[:20]:
            proven = ("won" if m.value > 0 else "lost") if m.proven else ""
            prior = ["" if m.prior is None else f"{m.prior:.1%}"] if guided else []
            value = f"{m.value:+.3f}" if m.visits or m.proven or not searched else "-"
            cells = [f"{m.visits:,}", f"{m.visits / total:.1%}", *prior, value, proven]
            rows.add_row(game.name(m.action), *cells)
        print()
        show(rows)
        if len(thought.moves) > 20:
            print(f"and {len(thought.moves) - 20} more")


def solution_report(game: Any, state: Any, solution: Solution, json: bool) -> None:
    if json:
        moves = [
            {
                "action": a.action,
                "name": game.name(a.action),
                "value": a.value,
                "at_least": a.low,
                "at_most": a.high,
                "plies": a.plies,
                "shortest": a.shortest,
            }
            for a in solution.answers
        ]
        emit(
            {
                "value": solution.value,
                "at_least": solution.low,
                "at_most": solution.high,
                "complete": solution.complete,
                "why_unknown": solution.why,
                "moves": moves,
                "line": [game.name(action) for action in solution.line],
                "nodes": solution.nodes,
                "seconds": solution.seconds,
            }
        )
        return
    print(game.text(state))
    player = ("first", "second")[int(game.player(state))]
    print(
        f"\n{told(solution, solution.answers[0].plies, solution.answers[0].shortest)} for the {player} player, to move"
    )
    if solution.why:
        print(f"not all values are known: {solution.why}")
    rate = f", {solution.nodes / solution.seconds:,.0f}/s" if solution.seconds else ""
    print(f"{solution.nodes:,} positions in {solution.seconds:.3f} s{rate}")
    if solution.line:
        print("line:", " ".join(game.name(action) for action in solution.line))
    rows = table("move", "value")
    for answer in solution.answers:
        rows.add_row(game.name(answer.action), told(answer, answer.plies, answer.shortest))
    print()
    show(rows)


def told(known: Any, plies: int | None, shortest: bool) -> str:
    """A value in words: won in 5, lost in at most 8, not won, unknown."""
    words = {1.0: "won", 0.0: "drawn", -1.0: "lost"}
    if known.value is None:
        return {(0.0, 1.0): "not lost", (-1.0, 0.0): "not won"}.get((known.low, known.high), "unknown")
    if known.value not in words:
        return f"worth {known.value:+g}"
    if not plies or known.value == 0:
        return words[known.value]
    return f"{words[known.value]} in {'' if shortest else 'at most '}{plies} {'ply' if plies == 1 else 'plies'}"


def odds_report(game: Any, state: Any, odds: Odds, seats: tuple[str, str], json: bool) -> None:
    from ..exact.odds import chances

    def row(distribution: Any) -> dict[str, Any]:
        three = zip(("win", "draw", "loss"), chances(distribution), strict=True)
        return {name: str(p) if odds.exact else float(p) for name, p in three}

    if json:
        moves = [{"action": a, "name": game.name(a), **row(d)} for a, d in odds.moves.items()]
        first, second = seats
        told = {"first": first, "second": second, **row(odds.total), "exact": odds.exact, "moves": moves}
        emit(told | {"positions": odds.positions})
        return
    print(game.text(state))
    print(f"\nfirst player {seats[0]}, second player {seats[1]}; results as the first player sees them")
    rows = table("", "wins", "draws", "loses")
    for name, distribution in [("this position", odds.total), *((game.name(a), d) for a, d in odds.moves.items())]:
        cells = [f"{p} = {float(p):.2%}" if odds.exact else f"{float(p):.4%}" for p in chances(distribution)]
        rows.add_row(name, *cells)
    show(rows)
    print(f"\n{odds.positions:,} positions, {'exact fractions' if odds.exact else 'floating point'}")


def move_report(number: int, who: str, move: str, position: str) -> None:
    """A move of a match, and the position it leads to."""
    print(f"game {number + 1}: {who} plays {move}\n{position}\n", flush=True)


def match_report(result: Result, moves: bool, json: bool, trial: Trial | None = None) -> None:
    from ..arena.statistics import elo

    plan, total = result.plan, result.tally()
    alike = plan.agents[0] == plan.agents[1]
    names = [f"{agent} #{number}" if alike else agent for number, agent in enumerate(plan.agents, 1)]
    low, high = result.interval()
    seats = {"first": result.tally(0), "second": result.tally(1)}
    if json:
        told = [
            {
                "number": r.number + 1,
                "first": plan.agents[r.first],
                "moves": r.names,
                "opening": r.opening,
                "score": r.score,
                "reason": r.reason,
            }
            for r in result.records
        ]
        report = {
            "game": plan.game,
            "agents": list(plan.agents),
            "seed": plan.seed,
            **result.summary(),
            "seconds_per_move": [result.seconds_a_move(0), result.seconds_a_move(1)],
            "longest_move": [result.longest_move(0), result.longest_move(1)],
            "repeats": result.repeats(),
            "forfeits": [len(result.forfeits(0)), len(result.forfeits(1))],
        }
        emit(report | ({"sprt": trial.summary()} if trial else {}) | ({"records": told} if moves else {}))
        return
    if moves:
        for r in result.records:
            score = f"{r.score:+g}" + (f" ({r.reason})" if r.reason else "")
            print(f"{r.number + 1:>4}  {names[r.first]} first, score {score}: {' '.join(r.names)}")
        print()
    rows = table(f"{names[0]} v {names[1]}", "games", "wins", "draws", "losses", "score")
    for name, tally in [("moving first", seats["first"]), ("moving second", seats["second"]), ("together", total)]:
        rows.add_row(name, *(f"{n:,}" for n in tally.counts().values()), f"{tally.score:.1%}")
    show(rows)
    print(f"\nscore {total.score:.1%}, 95 % interval {low:.1%} to {high:.1%}")
    print(f"Elo difference {elo(total.score):+.0f}, 95 % interval {elo(low):+.0f} to {elo(high):+.0f}")
    if trial:
        print(trial.text())
    tell_repeats(result.repeats())
    for number, agent in enumerate(names):
        mean, longest = 1000 * result.seconds_a_move(number), 1000 * result.longest_move(number)
        print(f"{agent}: {mean:.2f} ms a move, the longest {longest:,.0f} ms")
    for number, agent in enumerate(names):
        if reasons := result.forfeits(number):
            print(f"{agent} forfeited {len(reasons)} of them; the last: {reasons[-1]}")


def bench_report(measured: dict[str, Any], json: bool) -> None:
    if json:
        emit(measured)
        return
    for part, rows in measured.items():
        if isinstance(rows, str):
            print(f"{part}: {rows}\n")
            continue
        drawn = table(*(name.replace("_", " ") for name in rows[0]), title=part)
        for row in rows:
            drawn.add_row(*map(measured_text, row.values()))
        show(drawn)
        print()


def score_report(standing: Standing, json: bool) -> None:
    """Print what an agent scored in games of one player."""
    task, played = standing.task, standing.played
    (mean, reach), survival = standing.mean(), standing.survival()
    seconds = sum(one.seconds for one in played) / len(played)
    if json:
        told = {"game": task.game, "agent": task.agent, "seed": task.seed, "games": len(played), "cut": standing.cut}
        told |= {"mean": mean, "interval": [mean - reach, mean + reach] if len(played) > 1 else None}
        told |= {"survival": survival and {"mean": survival[0], "interval": list(survival[1:])}}
        emit(told | {"seconds_a_game": seconds, "records": [asdict(one) for one in played]})
        return
    print(f"{task.agent} plays {task.game}\n")
    rows = table("", "mean", "95 % interval", "least", "median", "most")
    for name in ("score", "moves"):
        values = sorted(getattr(one, name) for one in played)
        found = f"± {measured_text(reach)}" if name == "score" and len(values) > 1 else ""
        figures = (fmean(values), values[0], median(values), values[-1])
        texts = [measured_text(float(value)).removesuffix(".00") for value in figures]
        rows.add_row(name, texts[0], found, *texts[1:])
    show(rows)
    cut = f", {standing.cut} of them cut short: these scores are too low" if standing.cut else ""
    print(f"\n{len(played):,} games{cut}; {seconds:,.1f} s a game")
    if survival:
        mean, low, high = survival
        print(f"score a game by survival: {mean:,.0f}, 95 % interval {low:,.0f} to {high:,.0f}")
        print("(all points by the games that have ended, as if each point were as likely to be the last)")


def measured_text(value: Any) -> str:
    """A figure of a benchmark: two decimals below a hundred, none above; nothing for what was not measured."""
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"
    return "" if value is None else str(value)


def tell_repeats(repeats: int) -> None:
    """Say that games are the same as others."""
    if repeats:
        print(f"{repeats:,} games repeat others move for move and tell nothing new: --openings makes them differ")
