"""What a tournament says: ratings and a cross table, as text, JSON, and a picture."""

from __future__ import annotations

from typing import Any

from ..arena.ratings import Ratings
from ..arena.tournament import Standings
from ..plots import save
from .reports import tell_repeats
from .show import emit, show, table


def ranking(ratings: Ratings) -> list[int]:
    """The agents from the strongest to the weakest."""
    return sorted(range(len(ratings.elo)), key=lambda agent: -ratings.elo[agent])


def summary(standings: Standings) -> dict[str, Any]:
    """All that a tournament says, the strongest agent first, as JSON can hold it."""
    tournament, ratings = standings.tournament, standings.ratings()
    everyone = range(len(tournament.agents))
    agents = [
        {
            "label": tournament.labels[agent],
            "spec": tournament.agents[agent],
            "elo": ratings.elo[agent],
            "interval": list(ratings.interval(agent)),
            **standings.tally(agent).counts(),
            "score": standings.tally(agent).score,
            "forfeits": len(standings.forfeits(agent)),
            "seconds_per_move": standings.seconds_a_move(agent),
            "superiority": {tournament.labels[o]: ratings.superiority(agent, o) for o in everyone if o != agent},
        }
        for agent in ranking(ratings)
    ]
    pairings = [
        {
            "agents": [tournament.labels[agent] for agent in pairing],
            **result.summary(),
            "repeats": result.repeats(),
        }
        for pairing, result in zip(tournament.pairings, standings.results, strict=True)
    ]
    return {
        "game": tournament.game,
        "seed": tournament.seed,
        "gauntlet": tournament.gauntlet,
        "complete": standings.complete,
        "games": standings.games,
        "agents": agents,
        "anchor": tournament.labels[0] if tournament.gauntlet else "mean",
        "first_player": {"elo": ratings.advantage, "interval": list(ratings.interval(-1))},
        "pairings": pairings,
        "openings": list(tournament.book),
    }


def report(standings: Standings, json: bool) -> None:
    if json:
        emit(summary(standings))
        return
    tournament, ratings = standings.tournament, standings.ratings()
    order = ranking(ratings)
    show(rating_table(standings, ratings, order))
    print()
    show(cross_table(standings, order))
    low, high = ratings.interval(-1)
    draws = int(standings.table[:, :, 1].sum()) / max(standings.games, 1)
    print(f"\nratings are counted from {tournament.labels[0] if tournament.gauntlet else 'their mean'}")
    print(f"moving first is worth {ratings.advantage:+.0f} Elo, 95 % interval {low:+.0f} to {high:+.0f}")
    print(f"{standings.games:,} games, {draws:.1%} of them drawn")
    tell_repeats(sum(result.repeats() for result in standings.results))
    for agent in order:
        if reasons := standings.forfeits(agent):
            print(f"{tournament.labels[agent]} forfeited {len(reasons)} games; the last: {reasons[-1]}")


def rating_table(standings: Standings, ratings: Ratings, order: list[int]) -> Any:
    """Who is how strong, and by which results."""
    given_up = any(standings.forfeits(agent) for agent in order)
    rows = numbers("", "Elo", "95 %", "above next", "games", "score", *(["forfeits"] if given_up else []))
    for place, agent in enumerate(order):
        low, high = ratings.interval(agent)
        below = order[place + 1 : place + 2]
        above = f"{ratings.superiority(agent, below[0]):.0%}" if below else ""
        tally = standings.tally(agent)
        cells = [f"{ratings.elo[agent]:+.0f}", f"{low:+.0f} to {high:+.0f}", above, f"{tally.games:,}"]
        cells += [f"{tally.score:.1%}", *([str(len(standings.forfeits(agent)))] if given_up else [])]
        rows.add_row(f"{place + 1}. {standings.tournament.labels[agent]}", *cells)
    return rows


def cross_table(standings: Standings, order: list[int]) -> Any:
    """The points of each agent against each other one, of so many games."""
    places = [f"{place}." for place in range(1, len(order) + 1)]
    rows = numbers("points against", *places)
    for place, agent in zip(places, order, strict=True):
        cells = [points(standings, agent, other) for other in order]
        rows.add_row(f"{place} {standings.tournament.labels[agent]}", *cells)
    return rows


def numbers(*columns: str) -> Any:
    """A table in which long names are broken into lines, but no numbers."""
    rows = table(*columns)
    for column in rows.columns[1:]:
        column.no_wrap = True
    return rows


def points(standings: Standings, agent: int, other: int) -> str:
    """`12.5/20`; nothing if they have not met."""
    tally = standings.tally(agent, other)
    return f"{tally.wins + tally.draws / 2:g}/{tally.games}" if tally.games else ""


def draw(standings: Standings, file: str) -> None:
    """A picture: who scored how much against whom, and the ratings with their intervals."""
    import matplotlib
    from matplotlib.figure import Figure

    tournament, ratings = standings.tournament, standings.ratings()
    order = ranking(ratings)
    names = [label if len(label) <= 32 else label[:30] + "…" for label in (tournament.labels[a] for a in order)]
    tallies = [[standings.tally(agent, other) for other in order] for agent in order]
    scores = [[tally.score if tally.games else float("nan") for tally in row] for row in tallies]
    places = list(range(len(order)))
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "plyground", "font.size": 9}):
        figure = Figure(figsize=(4.2 + 1.1 * len(order), 1.6 + 0.42 * len(order)), layout="constrained")
        table, bars = figure.subplots(1, 2, sharey=True, width_ratios=[max(2, len(order)), 4])
        table.imshow(scores, cmap="RdBu", vmin=0, vmax=1, aspect="auto")
        for row, tallied in enumerate(tallies):
            for col, tally in enumerate(tallied):
                if tally.games:
                    strong = abs(tally.score - 0.5) > 0.31
                    table.text(col, row, f"{tally.score:.0%}", ha="center", va="center", color="w" if strong else "k")
        table.set_xticks(places, [str(place + 1) for place in places])
        table.set_yticks(places, [f"{name}  {place + 1}" for place, name in enumerate(names)])
        table.set_title("score against", fontsize=9)
        elo = [ratings.elo[agent] for agent in order]
        ends = [ratings.interval(agent) for agent in order]
        wide = [
            [e - low for e, (low, _) in zip(elo, ends, strict=True)],
            [h - e for e, (_, h) in zip(elo, ends, strict=True)],
        ]
        bars.barh(places, elo, xerr=wide, color="#1f5fa8", alpha=0.75, error_kw={"ecolor": "#333333", "capsize": 3})
        bars.axvline(0, color="#333333", linewidth=0.8)
        bars.set_title("Elo with 95 % intervals", fontsize=9)
        bars.grid(axis="x", alpha=0.3)
        figure.suptitle(f"{tournament.game}, {standings.games:,} games", fontsize=10)
        save(figure, file, dpi=150)
