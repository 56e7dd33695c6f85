"""The study gomoku-tetris: run on a tiny board, and its page from figures made up: what it says follows them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import answer
from plyground import agents, games
from plyground.learn.measure import one_by_one
from plyground.studies import gomoku_game, gomoku_rave, gomoku_selfplay, gomoku_tetris, tetris_compared
from plyground.studies.diagram import game_record
from plyground.studies.gomoku_runs import against, one_game
from plyground.studies.lab import match, match_part
from plyground.studies.report import rendered
from studies import tetris_figures


def counts(wins: int, losses: int, draws: int = 0) -> dict[str, int]:
    return {"games": wins + losses + draws, "wins": wins, "draws": draws, "losses": losses}


def made_up(quick: bool, rave: float, learnt: float) -> dict[str, Any]:
    """Figures of all parts: how often RAVE wins, and what the trained nets score in the end."""
    parts, lines = gomoku_tetris.parts(quick), dict.fromkeys(tetris_compared.LEARNERS, 9.0)
    found = tetris_figures.made_up(parts, lines, lines)
    for name, part in parts.items():
        if name in found:
            continue
        if part.work is match:
            share = rave if name.startswith("RAVE") and "c = 1" not in name else 0.5
            wins = round(share * 200)
            found[name] = counts(wins, 200 - wins) | {"seconds_per_move": [0.002, 0.001]}
        elif part.work is one_game:
            found[name] = {"moves": ["e5", "e6", "d4"], "actions": [40, 31, 48], "score": 0.0}
        else:
            points, last = part.arguments["points"], round(learnt * 100)
            curve = [{"positions": at, "search": counts(10, 90), "net": counts(0, 100)} for at in points[:-1]] + [
                {"positions": points[-1], "search": counts(last, 100 - last), "net": counts(last, 100 - last)}
            ]
            found[name] = {
                "seconds": 7.0,
                "games": 50,
                "curve": curve,
                "random": counts(9, 1),
                "win-block": counts(5, 5),
            }
    return found


def page(found: dict[str, Any], quick: bool) -> str:
    made = {"study": "gomoku-tetris", "quick": quick, "version": "", "date": "", "python": "", "machine": ""}
    report = gomoku_tetris.report(found, quick)
    return rendered(gomoku_tetris.TITLE, report, dict.fromkeys(found, "plyground"), made)


@pytest.fixture
def plots_left_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks at the plots; a run from the command draws them all."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, out, **_: out.write("<svg></svg>"))


@pytest.mark.usefixtures("plots_left_empty")
@pytest.mark.parametrize("quick", [True, False])
def test_what_was_found_follows_the_figures(quick: bool) -> None:
    good, bad, even = (page(made_up(quick, *shares), quick) for shares in ((0.9, 0.8), (0.2, 0.02), (0.5, 0.1)))
    assert "it beats UCT" in good and "it loses to UCT" in bad and "it cannot be told from UCT" in even
    assert "best? Holds:" in good and "Does not show here" in bad
    assert "improves against one-ply" in good and "it beats one-ply" in good
    assert "does not clearly change against one-ply" in even and "it loses to one-ply" in even
    assert "none scores more than all others" in even and "the game is drawn" in even
    assert ("15×15" in good.partition("<h2>")[0]) == (not quick) and "threat-space search" in good


@pytest.mark.usefixtures("plots_left_empty")
def test_the_curve_of_the_shipped_net_stands_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gomoku_selfplay, "KNOWN", tmp_path / "curve.json")
    lines = [
        {"positions": at, "opponent": "somebody", **counts(at // 1000, 40 - at // 1000)} for at in (30_000, 10_000)
    ]
    (tmp_path / "curve.json").write_text(json.dumps(lines))
    told = page(made_up(True, 0.9, 0.8), True)
    section = told.partition("came with the program, 15×15</h2>")[2].partition("<h2>")[0]
    assert section.index("<td>10,000") < section.index("<td>30,000")
    assert "10 / 30 / 0" in section and "75.0 %" in section and "somebody" in section


def test_a_tiny_run_from_the_command_to_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gomoku_rave, "BOARDS", {"9×9": "tictactoe"})
    monkeypatch.setattr(gomoku_rave, "TUNED_WITH", {True: 20})
    limits = {"sims=10": gomoku_rave.ALL, "seconds=0.0005": gomoku_rave.BOTH}
    monkeypatch.setattr(gomoku_rave, "QUICK", {("9×9", limit): (2, who) for limit, who in limits.items()})
    settings: dict[str, Any] = {"GAME": "tictactoe", "CLAIMED": "tictactoe", "SETTINGS": ((0.0, 2), (0.5, 2), (0.5, 4))}
    settings |= {"BASE": (0.5, 2), "OTHERS": {"win-block": "win-block"}, "CLAIMS": {"random": ("random", "1 – 0")}}
    options = gomoku_selfplay.QUICK["options"] | {"positions": 40, "round": 20, "parallel_games": 4}
    settings["QUICK"] = gomoku_selfplay.QUICK | {
        "options": options,
        "points": [0, 40],
        "sims": 4,
        "count": 4,
        "opening": 1,
    }
    for name, value in settings.items():
        monkeypatch.setattr(gomoku_selfplay, name, value)
    little = {"seconds": dict.fromkeys(tetris_compared.WELLS, 0.02), "points": [], "count": 2}
    monkeypatch.setattr(tetris_compared, "QUICK", tetris_compared.QUICK | little)
    monkeypatch.setattr(tetris_compared, "UCT", {True: 5})
    monkeypatch.setattr(gomoku_game, "GAME", "tictactoe")
    monkeypatch.setattr(gomoku_game, "PLAYERS", {True: ("rave(sims=20)", "one-ply")})
    told = answer("reproduce", "gomoku-tetris", "--quick", "--out", str(tmp_path), "--jobs", "1")
    run = told["figures"]["trained, λ = 0.5, 2 simulations, seed 0"]["value"]
    assert [at["positions"] >= asked for at, asked in zip(run["curve"], (0, 40), strict=True)] == [True, True]
    assert (
        all(at[who]["games"] == 4 for at in run["curve"] for who in ("search", "net"))
        and run["win-block"]["games"] == 4
    )
    text = Path(told["page"]).read_text()
    titles = ("MCTS and MC-RAVE", "Self-play actor-critic with MCTS", "The performance curve", "The opponent")
    assert all(
        f"<h2>{title}</h2>" in text for title in (*titles, "A game between two of our players", "Tetris: the learners")
    )
    assert "/#play?game=tictactoe&amp;moves=" in text and "--show" in text


# --- what it is computed by ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        pytest.param("mnk(3,1,1)", (2, 0, 2), id="whoever moves first wins: half of the games each"),
        pytest.param("mnk(2,1,2)", (0, 4, 0), id="a full board is a draw"),
    ],
)
def test_games_against_an_agent_are_counted_from_both_seats(name: str, wanted: tuple[int, int, int]) -> None:
    game = games.make(name)
    agent = agents.make("one-ply")
    told = against(game, one_by_one(lambda state: agent.think(game, state).action), "random", 4, 0, 1)
    assert (told["wins"], told["draws"], told["losses"]) == wanted and told["games"] == 4


def test_both_games_of_a_pair_begin_alike_and_the_better_player_wins_them() -> None:
    game, begun = games.make("mnk(6,6,4)"), list[bytes]()
    agent = agents.make("one-ply")

    def choices(states: np.ndarray) -> np.ndarray:
        begun.extend(state["cells"].tobytes() for state in states if (state["cells"] != 0).sum() == 4)
        return np.array([agent.think(game, state).action for state in states], np.int64)

    told = against(game, choices, "random", 8, 4, 1)
    assert told["wins"] == 8
    first = list(begun)  # four stones: the first player is to move, so it sees each opening of its four games
    assert len(first) == 4 and len(set(first)) == 4


def test_a_match_with_an_opening_says_so_in_its_command() -> None:
    part = match_part("mnk(6,6,4)", "one-ply", "random", 4, opening=3)
    assert shlex.split(part.command)[-4:] == ["--openings", "3", "--seed", "1"]
    assert "--openings" not in match_part("tictactoe", "random", "random", 2).command
    told = part.compute()[0]
    assert told["games"] == 4 and told == part.compute()[0] | {k: told[k] for k in ("seconds_per_move", "longest_move")}


def test_a_record_numbers_every_stone_once_and_rings_the_winning_row() -> None:
    game = games.make("gomoku(9)")
    moves = [40, 0, 41, 1, 42, 2, 43, 3, 44]
    drawn = game_record(game, moves, 4)
    assert drawn.count("moves ") == 3  # three moves a board
    for number in range(1, 10):
        assert drawn.count(f">{number}</text>") == 1 + 3  # the stone, and the row of that number on three boards
    assert drawn.count("#c0392b") == 5
    assert drawn.count("<circle") == 3 + 6 + 9 + 5
    assert "#c0392b" not in game_record(game, moves[:-1], 2)


def test_the_game_shown_is_the_one_of_the_command() -> None:
    told = one_game("tictactoe", "one-ply", "win-block", 3)
    again = answer("match", "tictactoe", "one-ply", "win-block", "--games", "1", "--seed", "3", "--moves")
    assert again["records"][0]["moves"] == told["moves"] and again["records"][0]["score"] == told["score"]
