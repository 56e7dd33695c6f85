"""Games of one player: seeds, games cut short, the mean, the estimate from survival, a folder that goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import answer, refusal, run
from plyground import agents, games, rules
from plyground.agents.base import Agent, Thought
from plyground.agents.linear import Controller, play_games
from plyground.arena.scores import Played, Player, Standing, Task, play_all, play_alone, play_at_once, play_one, waiting
from plyground.games.tetris.features import BCTS
from plyground.report.score import ScoreReport

GAME = 'tetris(6,12,"simplified")'
WORDS = ["score", GAME, "bcts", "--games", "3", "--moves", "40", "--jobs", "1"]


def standing(*scores: float, cut: int = 0) -> Standing:
    """Games with these scores, a point a move, of which the last ones were cut short."""
    ended = len(scores) - cut
    games = [Played(i, score, int(score), 0.0, i < ended) for i, score in enumerate(scores)]
    return Standing(Task(GAME, "bcts"), games)


def test_mean_and_interval() -> None:
    mean, reach = standing(1, 2, 3, 6).mean()
    assert mean == 3 and reach == pytest.approx(3.182446 * np.std([1, 2, 3, 6], ddof=1) / 2)
    assert standing(5).mean() == (5, 0)


def test_waiting_times_are_half_the_chi_squared_numbers_of_the_tables() -> None:
    for degrees, low, high in ((2, 0.0506, 7.378), (10, 3.247, 20.483), (40, 24.433, 59.342)):
        assert 2 * waiting(degrees // 2, 0.025) == pytest.approx(low, rel=0.001)
        assert 2 * waiting(degrees // 2, 0.975) == pytest.approx(high, rel=0.001)


def test_survival_counts_games_that_were_cut_short() -> None:
    """Lives of mean 100, cut at 60: their mean is far too low, the estimate is not, and its interval is honest."""
    rng, inside = np.random.default_rng(1), 0
    for _ in range(400):
        lives = np.sort(rng.exponential(100, 30))
        found = standing(*np.minimum(lives, 60), cut=int((lives > 60).sum())).survival()
        assert found is not None
        inside += found[1] <= 100 <= found[2]
        assert found[1] < found[0] < found[2]
    assert 0.92 < inside / 400 < 0.98
    assert standing(7, 7, cut=2).survival() is None and standing(0, 0).survival() is None


def test_games_of_a_fixed_length_have_no_survival() -> None:
    found = standing(3, 8, 4)
    assert found.survival() is not None
    found.played = [replace(one, moves=12) for one in found.played]
    assert found.survival() is None and "survival" not in repr(ScoreReport(found))


def test_an_agent_is_made_ready_in_the_way_it_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole games have a kernel of their own: compiled in the first game, it would be in every process again."""
    calls: list[tuple[str, int]] = []

    def whole(agent: Any, game: Any, seed: int, moves: int) -> Any:
        calls.append(("whole", moves))
        return usual(agent, game, seed, moves)

    usual = Controller.play_alone
    monkeypatch.setattr(Controller, "play_alone", whole)
    monkeypatch.setattr(Agent, "ready", lambda agent, game: calls.append(("think", 1)))
    play_one(Player(Task(GAME, "bcts", moves=7, seed=11)), 0)
    assert calls == [("whole", 1), ("whole", 7)]
    play_one(Player(Task(GAME, "random", moves=7, seed=11)), 0)
    assert calls[2:] == [("think", 1)]


def test_games_depend_on_the_seed_and_their_number_alone() -> None:
    task = Task(GAME, "bcts", games=3, moves=40, seed=5)
    one, other = play_all(task, 1), play_all(task, 2)
    plain = [(p.number, p.score, p.moves, p.over) for p in one.played]
    assert plain == [(p.number, p.score, p.moves, p.over) for p in other.played]
    assert len({p.score for p in one.played} | {play_one(Player(task), n).score for n in range(3, 9)}) > 1
    assert all(p.moves == 40 and not p.over for p in one.played if not p.over) and one.cut


def test_whole_games_are_those_of_the_kernel_and_games_move_by_move_come_to_the_same_mean() -> None:
    game, bcts = games.make(GAME), agents.make("bcts")
    kernel = play_games(game, BCTS, 1, 10**9, seed=0)
    state, moves = play_alone(game, bcts, 0, 10**9)
    assert (state.lines, moves) == (kernel.states["lines"][0], kernel.moves[0]) and game.over(state)

    class Slow(Agent):
        begin, think = bcts.begin, bcts.think  # type: ignore[assignment]

    slow = [play_alone(game, Slow(), seed, 60) for seed in range(30)]
    fast = [play_alone(game, bcts, seed, 60) for seed in range(30)]
    means = [np.mean([moves for _, moves in one]) for one in (slow, fast)]
    assert abs(means[0] - means[1]) < 8 and all(moves == 60 or game.over(state) for state, moves in slow + fast)


def test_a_folder_goes_on_where_it_stopped(tmp_path: Path) -> None:
    whole = answer(*WORDS)
    out = ["--out", str(tmp_path)]
    answer(*WORDS[:4], "2", *WORDS[5:], *out)
    assert "holds games already: --resume" in refusal(run(*WORDS, *out))
    assert "its seed is 0, not 1" in refusal(run(*WORDS, *out, "--resume", "--seed", "1"))
    with open(tmp_path / "games.jsonl", "a") as file:
        file.write('{"number": 2, "sc')
    told = answer(*WORDS, *out, "--resume")

    def plain(answer: dict) -> list:
        return [{**record, "seconds": 0} for record in answer["records"]]

    assert plain(told) == plain(whole) and told["mean"] == whole["mean"] and told["cut"] == whole["cut"]


def test_what_another_command_keeps_in_a_folder_stays_there(tmp_path: Path) -> None:
    match = ["match", "tictactoe", "random", "random", "--games", "2", "--jobs", "1", "--out", str(tmp_path)]
    answer(*match)
    plan = (tmp_path / "plan.json").read_bytes()
    assert "something else" in refusal(run(*WORDS, "--out", str(tmp_path)))
    assert "something else" in refusal(run("train", "dqn", "tictactoe", "--out", str(tmp_path)))
    assert (tmp_path / "plan.json").read_bytes() == plan
    answer(*match, "--resume")


@pytest.mark.parametrize(
    "field, value",
    [("number", -1), ("score", float("nan")), ("score", "1"), ("moves", 1.5), ("seconds", -1.0), ("over", 1)],
)
def test_a_line_that_is_no_game_is_refused(field: str, value: Any, tmp_path: Path) -> None:
    answer(*WORDS, "--out", str(tmp_path))
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    lines[1][field] = value
    (tmp_path / "games.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "games.jsonl, line 2, is not a game" in refusal(run(*WORDS, "--out", str(tmp_path), "--resume"))


@pytest.mark.parametrize(
    "words, says",
    [
        (["tictactoe", "uct"], "two play this game"),
        ([GAME, "human"], "plyground play"),
        ([GAME, "bcts", "--games", "0"], "at least one game"),
        ([GAME, "bcts", "--moves", "0"], "one move"),
        ([GAME, "bcts", "--resume"], "--out FOLDER"),
        ([GAME, "nobody"], "nobody"),
    ],
)
def test_what_cannot_be_played_is_refused(words: list[str], says: str) -> None:
    assert says in refusal(run("score", *words))


def test_the_report_says_when_scores_are_too_low() -> None:
    text = run(*WORDS).stdout
    assert "cut short: these scores are too low" in text and "95 % interval" in text
    assert "cut short" not in run("score", GAME, "random", "--games", "2", "--jobs", "1").stdout


def test_survival_is_told_where_games_were_cut_short() -> None:
    assert "survival" not in repr(ScoreReport(standing(3, 5, 8)))
    assert "by survival" in repr(ScoreReport(standing(3, 5, 8, cut=1)))


def test_what_an_agent_draws_has_nothing_to_do_with_what_falls() -> None:
    """Who rolls or stops at random in one turn of Pig scores 2 x / (1 - x)^2 on average, with x = 5/12."""
    toys = Path(__file__).parent.parent / "learn" / "one_player_toys.py"
    game, random = games.make(f"{toys}:Pig"), agents.make("random")
    scores = [game.score(play_alone(game, random, seed, 1000)[0]) for seed in range(2000)]
    assert abs(np.mean(scores) - 2 * (5 / 12) / (7 / 12) ** 2) < 4 * np.std(scores) / len(scores) ** 0.5


class Drawing(Agent):
    """Plays at random; asked in many games at once, or in each."""

    def __init__(self, many: bool) -> None:
        self.many, self.calls = many, 0

    def think(self, game: Any, state: Any, limit: Any = None) -> Thought:
        return Thought(int(self.rng.choice(rules.legal(game, state))))

    def think_in_each(self, game: Any, states: Any, rngs: Any = None) -> list[int]:
        self.calls += 1
        return super().think_in_each(game, states, rngs)


@pytest.mark.parametrize("moves", [7, 10**6])
def test_an_agent_that_chooses_in_many_games_at_once_plays_the_same_games_side_by_side(moves: int) -> None:
    task = Task("2048(2)", "random", games=6, moves=moves, seed=3)
    found = []
    for many in (False, True):
        player = Player(task)
        player._agent = Drawing(many)
        assert player.at_once() is many
        played = play_at_once(player, range(6)) if many else (play_one(player, number) for number in range(6))
        found.append(sorted((one.number, one.score, one.moves, one.over) for one in played))
        assert player._agent.calls == (max(one[2] for one in found[-1]) if many else 0)
    assert found[0] == found[1] and len({one[1] for one in found[0]}) > 1
    assert all(one[2] <= moves for one in found[0])
