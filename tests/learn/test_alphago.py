"""The learner alphago: games to learn from, each stage, both seats, a run that was stopped, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import turns
from commands import answer, refusal, run
from plyground import games, rules
from plyground.learn.alphago import errors, records
from plyground.learn.alphago import learner as alphago
from plyground.learn.alphago.learner import AlphaGo
from plyground.learn.alphago.playing import Policy, drawn, first_states, movers, play_out
from plyground.learn.base import chosen
from plyground.nets.evaluate import together
from plyground.spec import InputError

pytestmark = pytest.mark.usefixtures("nets_in_this_process")
SMALL = {
    "teacher": "win-block",
    "teacher_games": 70,
    "blocks": 1,
    "channels": 4,
    "batch": 64,
    "epochs": 1,
    "fast_epochs": 1,
    "updates": 3,
    "update_games": 8,
    "pool_every": 1,
    "value_games": 40,
    "value_epochs": 1,
    "threads": 1,
}
WORDS = [word for name, value in SMALL.items() for word in (f"--{name.replace('_', '-')}", str(value))]
PICK = '''
from typing import NamedTuple

import numpy as np


class Pick(NamedTuple):
    """The first player picks a number, then the second, twice: who has the higher sum wins."""

    numbers: int = 3

    def fields(game):
        return [("sums", np.int8, (2,)), ("plies", np.int8)]

    def actions(game):
        return game.numbers

    def player(game, state):
        return state.plies // 2

    def legal(game, state, out):
        for i in range(game.numbers):
            out[i] = i
        return game.numbers

    def play(game, state, action):
        state.sums[state.plies // 2] += action
        state.plies += 1

    def over(game, state):
        return state.plies == 4

    def score(game, state):
        return float(np.sign(state.sums[0] - state.sums[1]))

    def planes(game):
        return (2, 1, 2)

    def encode(game, state, planes):
        planes[0, 0, 0] = state.plies / 4
        planes[1, 0, 1] = (state.sums[0] - state.sums[1]) / 4
'''


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few games to measure with."""
    torch.set_num_threads(1)
    for name in ("MATCHED", "SPAN_GAMES", "MEASURED", "ROLLED"):
        monkeypatch.setattr(alphago, name, 8)


def learner(game: Any, name: str = "a game", seed: int = 0, **given: Any) -> AlphaGo:
    return AlphaGo(game, name, chosen(AlphaGo, SMALL | given), seed)


def trained(made: AlphaGo) -> dict[str, float]:
    """All figures of a training."""
    figures: dict[str, float] = {}
    while made.done < made.steps:
        figures |= made.advance()
    made.close()
    return figures


def test_a_run_has_four_stages_whose_nets_play(tmp_path: Path) -> None:
    out = tmp_path / "run"
    told = answer("train", "alphago", "tictactoe", "--out", str(out), *WORDS)
    assert told["rounds"] == 2 + 1 + 1 + 3 + 1 + 1
    for stage in ("sl", "rl", "value", "rollout"):
        assert json.loads((out / stage / "net.json").read_text())["digest"]
    for agent in (f'alphago("{out}", sims=10)', f'net("{out / "rl"}")', f'alphazero("{out / "value"}", sims=5)'):
        assert len(answer("think", "tictactoe", agent)["moves"]) == 9
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    names = {name for line in lines for name in line}
    assert {"accuracy", "fast_accuracy", "rl_score", "rl_score_interval", "value_error", "rollout_error"} <= names
    # a stage of its own goes on from there, with the games of the run itself
    again = ["--stages", "value", "--start", str(out), "--value-games", "30", "--value-epochs", "1", "--threads", "1"]
    answer("train", "alphago", "tictactoe", "--out", str(tmp_path / "more"), *again)
    assert (tmp_path / "more/sl/net.onnx").read_bytes() == (out / "sl/net.onnx").read_bytes()
    assert (tmp_path / "more/value/net.onnx").read_bytes() != (out / "value/net.onnx").read_bytes()
    files = ["--stages", "rollout", "--games", f"{out / 'games.jsonl'};{out / 'games.jsonl'}", "--fast-epochs", "1"]
    answer("train", "alphago", "tictactoe", "--out", str(tmp_path / "fast"), *files)
    assert (tmp_path / "fast/rollout/net.json").exists() and not (tmp_path / "fast/sl").exists()


@pytest.mark.parametrize("at", [1, 5, 8])
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(at: int) -> None:
    game = games.make("tictactoe")
    whole, half, again = (learner(game, seed=1) for _ in range(3))
    for _ in range(at):
        half.advance()
    again.restore(half.arrays(), json.loads(json.dumps(half.notes())))
    assert trained(whole)["rl_score"] >= 0
    trained(again)
    one, other = whole.arrays(), again.arrays()
    assert one.keys() == other.keys() and whole.notes() == again.notes()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], name)


def test_games_of_a_teacher_depend_on_their_number_alone() -> None:
    game = games.make("tictactoe")
    teachers = [records.Teacher(game, "random", 2, 5, threads) for threads in (1, 3)]
    one, other = (teacher.play(4, 7) for teacher in teachers)
    for part, same in zip(one, other, strict=True):
        np.testing.assert_array_equal(part, same)
    later = teachers[0].play(6, 2)
    assert later.lengths.tolist() == one.lengths[2:4].tolist()


def test_positions_are_those_of_the_games(tmp_path: Path) -> None:
    """Random moves at the start are left out; the last action, the ply and the result stand beside each position."""
    game = games.make("tictactoe")
    won, drawn_ = [0, 3, 1, 4, 2], [0, 1, 2, 4, 3, 5, 7, 6, 8]
    found = records.positions(game, records.record([(won, 1), (drawn_, 0), ([4, 0], 0)]))
    assert found.actions.tolist() == [3, 1, 4, 2, *drawn_, 4, 0]
    assert found.lasts.tolist() == [0, 3, 1, 4, -1, *drawn_[:-1], -1, 4]
    assert found.plies.tolist() == [1, 2, 3, 4, *range(9), 0, 1]
    assert found.scores[:13].tolist() == [1] * 4 + [0] * 9 and np.isnan(found.scores[13:]).all()
    state = rules.new(game)
    for action in won[:3]:
        game.play(state, action)
    assert found.states[2] == state


def test_games_are_read_from_files(tmp_path: Path) -> None:
    """Files of games, folders of them, and lines of Plyground's own."""
    from plyground.game_files import Saved, write

    write(tmp_path / "a.sgf", Saved("gomoku(9)", [40, 41, 30]))
    write(tmp_path / "b.psq", Saved("gomoku(9)", [0, 1]))
    lines = tmp_path / "c.jsonl"
    lines.write_text('{"step": 1, "moves": "e5 e6"}\n{"records": [{"names": ["a1"], "moves": [1, 0], "opening": 1}]}\n')
    game = games.make("gomoku(9)")
    found = records.read(game, f"{tmp_path}; {lines}")
    assert found.openings.tolist() == [0, 0, 0, 1]
    assert found.lengths.tolist() == [3, 2, 2, 1] and found.actions[:5].tolist() == [40, 41, 30, 0, 1]
    assert game.name(int(found.actions[5])) == "e5"
    single = (tmp_path / "a.sgf").read_text()
    (tmp_path / "many.sgf").write_text(2 * single)
    assert records.read(game, str(tmp_path / "many.sgf")).lengths.tolist() == [3, 3]
    for text, said in (("nowhere", "files that end with"), ("x.sgf", "cannot be read")):
        with pytest.raises(records.InputError, match=said):
            records.read(game, text)
    with pytest.raises(records.InputError, match=r"holds a game of gomoku\(9\)"):
        records.read(games.make("gomoku(11)"), str(tmp_path / "a.sgf"))
    for line, said in (('{"moves": "e5 e5"}', "line 1: move 2, 'e5', is not legal"), ("[]", "lacks its moves")):
        lines.write_text(line)
        with pytest.raises(records.InputError, match=said):
            records.read(game, str(lines))


def test_games_are_read_as_openspiel_writes_them(tmp_path: Path) -> None:
    """By the numbers of this game: OpenSpiel counts Go's rows from below."""
    pyspiel = pytest.importorskip("pyspiel")

    def written(spec: str, *actions: int) -> str:
        theirs = pyspiel.load_game(spec)
        state = theirs.new_initial_state()
        for action in actions:
            state.apply_action(action)
        return str(pyspiel.serialize_game_and_state(theirs, state))

    file = tmp_path / "three.spiel"
    file.write_text(written("tic_tac_toe", 4, 0, 8) + written("tic_tac_toe", 1) + written("tic_tac_toe", 0, 3, 1, 4, 2))
    found = records.read(games.make("tictactoe"), str(tmp_path))
    assert found.lengths.tolist() == [3, 1, 5] and found.actions.tolist() == [4, 0, 8, 1, 0, 3, 1, 4, 2]
    file.write_text(written("go(board_size=5)", 0, 25))
    assert records.read(games.make("go(5)"), str(file)).actions.tolist() == [20, 25]
    for spec, text, said in (
        ("connect-four", written("tic_tac_toe", 4), "game 1: it is one of tic_tac_toe.*not of this game"),
        ("tictactoe", written("tic_tac_toe", 4).replace("\n4", "\n4\n4"), "game 1: move 2, 4, is not legal"),
        ("tictactoe", written("tic_tac_toe", 4).replace("tic_tac", "no"), "game 1: .*OpenSpiel has no game"),
        ("tictactoe", "[Meta]\nVersion: 1\n", "game 1 lacks"),
    ):
        file.write_text(text)
        with pytest.raises(records.InputError, match=f"three.spiel: {said}"):
            records.read(games.make(spec), str(file))


def test_the_games_of_a_match_are_learnt_but_for_their_openings(tmp_path: Path) -> None:
    answer("match", "tictactoe", "win-block", "random", "--games", "4", "--openings", "2", "--out", str(tmp_path))
    found = records.read(games.make("tictactoe"), str(tmp_path))
    assert len(found.lengths) == 4 and found.openings.tolist() == [2] * 4 and (found.lengths > 4).all()


def test_policies_play_games_to_their_end_whoever_moves_twice() -> None:
    """Played one after the other, by the same choices, games of players who move twice end with the same results."""
    game = turns.make("twice")
    states = first_states(game, 50)

    def pick(number: int, state: Any) -> int:
        some = rules.legal(game, state)
        return some[(number + int(state.plies)) % len(some)]

    def choose(here: np.ndarray, players: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        assert players.tolist() == [game.player(state) for state in here]
        return np.array([pick(int(number), state) for number, state in zip(numbers, here, strict=True)])

    scores = play_out(game, states, choose)
    for number, score in enumerate(scores):
        state = rules.new(game)
        while not game.over(state):
            game.play(state, pick(number, state))
        assert score == game.score(state)
    assert len(set(scores.tolist())) > 2


def test_actions_are_drawn_by_their_probabilities() -> None:
    chances = np.tile([0.0, 0.25, 0.0, 0.75, 0.0], (40_000, 1))
    found = np.bincount(drawn(chances, np.random.default_rng(0)), minlength=5) / 40_000
    assert found == pytest.approx([0, 0.25, 0, 0.75, 0], abs=0.01) and (found[[0, 2, 4]] == 0).all()


def test_values_are_for_who_moves_and_one_position_a_game_is_learnt() -> None:
    """Every position is followed to its end by a policy that picks the last legal action, in a game of which some
    players move twice: its result, turned to who moves there, is what the learner has noted."""
    game = turns.make("twice")
    made = learner(game, teacher="random", stages="sl,value", value_games=300)

    def last(states: np.ndarray, rng: Any) -> np.ndarray:
        return np.array([rules.legal(game, state)[-1] for state in states], np.int64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Policy, "draw", lambda policy, states, rng: last(states, rng))
        while made.plan[made.done] != "value":
            made.advance()
    assert 100 < len(made.value_states) <= 300
    assert len(set(made.value_plies.tolist())) > 2
    seats = movers(game, made.value_states)[1]
    assert set(seats.tolist()) == {0, 1}
    for state, ply, score in zip(made.value_states, made.value_plies, made.value_scores, strict=True):
        state = state.copy()
        assert state.plies == ply
        sign = 1 - 2 * int(game.player(state))
        while not game.over(state):
            game.play(state, rules.legal(game, state)[-1])
        assert score == np.float32(sign * game.score(state))


def test_rollouts_of_policies_without_opinions_foretell_what_random_play_brings() -> None:
    """Nothing is learnt: all three kinds of roll-outs are random, and near the exact mean for either player to move."""
    game = games.make("tictactoe")
    made = learner(game, teacher="random", lr=0.0, rl_lr=0.0, fast_lr=0.0, updates=1, value_games=100)
    trained(made)

    def exact(state: Any) -> float:
        """The mean score of random play, for player 0."""
        if game.over(state):
            return float(game.score(state))
        actions = rules.legal(game, state)
        return sum(exact(rules.after(game, state, action)) for action in actions) / len(actions)

    late = made.value_plies >= 3
    states = made.value_states[late][:20]
    wanted = [exact(state) * (1 - 2 * int(game.player(state))) for state in states]
    assert len({int(game.player(state)) for state in states}) == 2 and np.std(wanted) > 0.1
    found = errors.foretold(made, states, 300, 0)
    for way in errors.WAYS[1:]:
        assert found[way] == pytest.approx(wanted, abs=0.25), way
    rows = errors.errors_by_moves(made, 3, 100, 4)
    some = errors.held_out(made, 100)
    values = Policy(game, made.nets["value"]).values(made.value_states[some])
    whole, parts = rows[0], rows[1:]
    assert whole["errors"]["value net"] == pytest.approx(np.square(values - made.value_scores[some]).mean())
    assert sum(row["positions"] for row in parts) == whole["positions"] == len(values)
    assert sum(row["positions"] * row["errors"][errors.WAYS[3]] for row in parts) == pytest.approx(
        whole["positions"] * whole["errors"][errors.WAYS[3]]
    )


def test_what_wins_becomes_likelier_in_both_seats_of_a_users_game(tmp_path: Path) -> None:
    """Who picks 2 twice does not lose; the policy begins without opinions, and each player moves twice in a row."""
    path = tmp_path / "pick.py"
    path.write_text(PICK)
    game = games.make(f"{path}:Pick")
    made = learner(game, str(path), teacher="random", updates=60, update_games=64, rl_lr=0.02, stages="sl,rl")
    figures = trained(made)
    policy = Policy(game, made.nets["rl"])
    for before in ([], [1], [1, 1], [1, 1, 1]):  # the first player's moves, and the second's
        state = rules.new(game)
        for action in before:
            game.play(state, action)
        assert policy.probabilities(together([state]))[0].argmax() == 2
    assert figures["rl_score"] > 0.5
    assert answer("train", "alphago", f"{path}:Pick", "--out", str(tmp_path / "run"), *WORDS)["rounds"] == 9
    assert answer("think", f"{path}:Pick", f'alphago("{tmp_path / "run"}", sims=8)')["simulations"] == 8


def test_all_stages_and_a_search_by_them_in_a_users_game_that_does_not_compile(tmp_path: Path) -> None:
    path = tmp_path / "pick.py"
    path.write_text(PICK + "\n    def compiles(game):\n        return False\n")
    assert answer("train", "alphago", str(path), "--out", str(tmp_path / "run"), *WORDS)["rounds"] == 9
    assert answer("think", str(path), f'alphago("{tmp_path / "run"}", sims=8)')["simulations"] == 8


def test_a_dry_run_tells_the_rounds(tmp_path: Path) -> None:
    told = run("train", "alphago", "tictactoe", "--dry-run", "--out", str(tmp_path / "x"), *WORDS).stdout
    assert "rounds: 2 of games, 1 of sl, 1 of rollout, 3 of rl, 1 of value games, 1 of value" in told


def test_what_it_cannot_do_is_refused_in_one_line(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "x")]
    cases = {
        ("tictactoe", "--stages", "rl"): "needs a policy",
        ("tictactoe", "--stages", "sl,search"): "stages are some of",
        ("tictactoe", "--start", str(tmp_path)): "is not a run of alphago",
        ("tictactoe", "--teacher", "uctt"): "did you mean",
        ("tictactoe", "--games", str(tmp_path)): "no files of games",
        ("pig",): "alphago learns games of two players without chance",
        ('against-random("tictactoe")',): "alphago learns games of two players without chance",
    }
    for words, said in cases.items():
        assert said in refusal(run("train", "alphago", *words, *out)), words


def test_games_that_are_openings_alone_teach_nothing() -> None:
    with pytest.raises(InputError, match="a lower --opening"):
        trained(learner(games.make("tictactoe"), teacher="random", opening=1000))
