"""Self-play against a replay by the rules: games, samples, perspectives, giving up, and going on."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
import pytest

import toys
import turns
from commands import interpreted
from naive_puct import nothing, seen, something
from plyground import rules
from plyground.games.k_in_row.rules import MNK
from plyground.learn.selfplay import workers
from plyground.learn.selfplay.kernel import (
    CHECKED,
    DRAWS,
    FULL,
    GAMES,
    LOST,
    NONE,
    PLIES,
    RESIGNED,
    SIMULATIONS,
    TALLY,
    WRONG,
)
from plyground.learn.selfplay.workers import Group, groups_on
from plyground.nets.evaluate import together
from plyground.search.mcts.settings import Settings
from plyground.spec import InputError

USUAL: dict[str, Any] = {
    "sims": 12,
    "quick_sims": 4,
    "full_share": 0.5,
    "considered": 4,
    "improve": True,
    "temperature_moves": 4,
    "temperature": 1.0,
    "noise": 0.25,
    "concentration": 10.0,
    "opening": 2,
    "balance": 1.0,
    "discount": 1.0,
    "trace_decay": 0.9,
    "resign": -2.0,
    "check": 0.0,
}
KINDS = [{}, {"considered": 0, "improve": False}, {"considered": 0, "opening": 0, "temperature_moves": 30}]
NAMES = ["tictactoe", "chance", "twice"]


def group(name: str, slots: int = 4, seed: int = 1, **given: Any) -> Group:
    setting = USUAL | given
    return Group(turns.make(name), Settings(considered=setting["considered"]), setting, slots, seed)


def replayed(game: Any, actions: list[int]) -> list[Any]:
    """All states of a game, each action checked."""
    states = [rules.new(game)]
    for action in actions:
        state = states[-1]
        assert not game.over(state)
        known = [a for a, _ in rules.outcomes(game, state)] if game.player(state) == -1 else rules.legal(game, state)
        assert action in known
        states.append(rules.after(game, state, action))
    return states


def test_games_begin_with_each_of_the_starts() -> None:
    game = turns.make("tictactoe")
    starts = together([rules.after(game, rules.new(game), action) for action in (0, 4)])
    made = Group(game, Settings(considered=4), USUAL | {"opening": 0}, 8, 1, starts)
    made.play(something(game), 40)
    begun = {tuple(state) for state in together(list(made.slots["first"]))["cells"].tolist()}
    assert begun == {tuple(state) for state in starts["cells"].tolist()}


@pytest.mark.parametrize("given", KINDS, ids=["gumbel", "puct", "puct-improved"])
@pytest.mark.parametrize("name", NAMES)
def test_games_and_samples_are_those_of_a_replay(name: str, given: dict[str, Any]) -> None:
    made = group(name, slots=1, **given)
    game = made.game
    weights, openings, scores = set(), set(), set()
    for _ in range(25):
        samples, tally, ended = made.play(something(game), 1)  # one slot, so the samples are those of one game
        assert tally[GAMES] == 1 and tally[LOST] == 0
        assert ended is not None
        actions, score = ended
        states = replayed(game, actions)
        assert game.over(states[-1]) and game.score(states[-1]) == score
        assert tally[DRAWS] == (score == 0) and tally[PLIES] == len(actions)
        moves = [(state, a) for state, a in zip(states, actions, strict=False) if game.player(state) != -1]
        opening = len(moves) - len(samples)
        assert 0 <= opening <= (USUAL | given)["opening"]
        for sample, (state, action) in zip(samples, moves[opening:], strict=True):
            mover = 1 - 2 * int(game.player(state))
            assert (sample.planes == seen(game, state)).all()
            assert sample.score == score * mover and sample.action == action
            assert sample.policy.sum() == pytest.approx(1, abs=1e-5) and sample.policy.min() >= 0
            assert set(np.flatnonzero(sample.policy)).issubset(rules.legal(game, state))
            assert -1 <= sample.value <= 1
            weights.add(float(sample.weight))
        openings.add(opening)
        scores.add(score)
    most = (USUAL | given)["opening"] if name != "chance" else min(1, (USUAL | given)["opening"])  # nature ends it
    assert weights == {0.0, 1.0} and openings == set(range(most + 1))
    assert len(scores) > 1 and min(scores) < 0


def test_only_full_searches_teach_the_policy() -> None:
    for full, share in ((1.0, 1.0), (0.25, 0.25)):
        samples, tally, _ = group("tictactoe", slots=16, full_share=full).play(nothing(turns.make("tictactoe")), 600)
        assert samples["weight"].mean() == pytest.approx(share, abs=0.07)
        wanted = 12 * share + 4 * (1 - share)  # simulations of a search; what is proven takes fewer
        assert 0.5 * wanted < tally[SIMULATIONS] / len(samples) <= 1.15 * wanted


def test_drawn_games_are_counted_and_teach_nothing_but_a_draw() -> None:
    none_wins = MNK(3, 3, 4)
    drawn = Group(none_wins, Settings(considered=4), USUAL | {"opening": 0}, 4, 1)
    samples, tally, _ = drawn.play(something(drawn.game), 60)
    assert tally[DRAWS] == tally[GAMES] > 5 and not samples["score"].any()


def test_the_last_mover_of_a_won_game_has_won_whoever_it_is() -> None:
    made = group("tictactoe", slots=1)
    winners = set()
    for _ in range(25):
        samples, _, ended = made.play(something(made.game), 1)
        actions, score = ended or ([], 0.0)
        if score:
            assert samples[-1].score == 1 and samples[-2].score == -1
            winners.add((score, len(actions) % 2))
    assert winners == {(1.0, 1), (-1.0, 0)}


def test_a_discounted_result_is_worth_less_the_later_it_comes() -> None:
    made = group("tictactoe", slots=1, discount=0.9, opening=0)
    for _ in range(6):
        samples, _, ended = made.play(something(made.game), 1)
        actions, score = ended or ([], 0.0)
        wanted = [score * (-1) ** ply * 0.9 ** (len(actions) - 1 - ply) for ply in range(len(actions))]
        assert samples["score"].tolist() == pytest.approx(wanted)


def test_every_core_has_a_group_and_a_gpu_not_too_many() -> None:
    assert [groups_on("cpu", cores) for cores in (1, 2, 64)] == [1, 2, 64]
    assert [groups_on("cuda", cores) for cores in (1, 2, 64)] == [1, 2, 16]


def test_the_seed_decides_everything() -> None:
    one, same, other = (
        group("tictactoe", seed=seed).play(nothing(turns.make("tictactoe")), 80)[0] for seed in (1, 1, 2)
    )
    assert one.tobytes() == same.tobytes() != other.tobytes()


@pytest.mark.parametrize("given", KINDS, ids=["gumbel", "puct", "puct-improved"])
@pytest.mark.parametrize("name", ["tictactoe", "chance"])
def test_a_restored_group_goes_on_with_the_same_games(name: str, given: dict[str, Any]) -> None:
    first = group(name, slots=5, **given)
    judge = something(first.game)
    first.play(judge, 23)
    assert first.slots["plies"].max() > 0  # in the middle of games
    second = group(name, slots=5, seed=9, **given)
    second.play(judge, 11)
    second.restore(first.arrays())
    for _ in range(2):
        one, other = first.play(judge, 40), second.play(judge, 40)
        assert one[0].tobytes() == other[0].tobytes() and one[1].tolist() == other[1].tolist()
        assert one.game == other.game


# --- balance ------------------------------------------------------------------------------------------


def fair_with_a_corner(game: Any) -> Any:
    """A net that thinks whoever moves has won, but for positions in which the first cell is taken."""

    def judge(planes: np.ndarray) -> np.ndarray:
        answers = np.zeros((len(planes), game.actions() + 1), np.float32)
        answers[:, -1] = np.where(planes[:, :, 0, 0].any(1), 0.1, 0.9)
        return answers

    return judge


def openings(made: Group, judge: Any, number: int) -> list[list[int]]:
    """The random moves that so many games began with."""
    found = []
    for _ in range(number):
        samples, _, ended = made.play(judge, 1)
        actions, _ = ended or ([], 0.0)
        found.append(actions[: len(actions) - len(samples)])
    return found


def test_openings_that_the_net_calls_decided_are_drawn_again_but_for_some() -> None:
    fair = {}
    for balance in (1.0, 0.5):
        made = group("tictactoe", slots=1, balance=balance)
        fair[balance] = sum(0 in opening for opening in openings(made, fair_with_a_corner(made.game), 80)) / 80
    assert fair[1.0] < 0.25 < 0.7 < fair[0.5] < 1


def test_where_no_opening_is_balanced_games_go_on() -> None:
    made = group("tictactoe", slots=2, balance=0.05)
    samples, tally, _ = made.play(fair_with_a_corner(made.game), 40)
    assert len(samples) >= 40 and tally[GAMES] >= 4


class Centre(NamedTuple):
    """A prover by which who moves has won as long as the middle is free."""

    empty: np.ndarray

    def prove(prover, state, player, room, moves):
        moves[0] = 4
        return int(state.cells[4] == 0)

    def narrow(prover, player, room, moves, count):
        return count


def proven(balance: float) -> float:
    """The share of openings that such a prover decides; the net calls everything even."""
    game = turns.make("tictactoe")
    settings = Settings(considered=4, prover=Centre(np.zeros(1, [("nothing", np.int8)])))
    made = Group(game, settings, USUAL | {"opening": 4, "balance": balance}, 1, 1)
    return sum(4 not in opening for opening in openings(made, nothing(game), 40)) / 40


def test_an_opening_that_a_proof_decides_is_not_balanced() -> None:
    always, balanced = interpreted(__file__)
    assert always > 0.6 and balanced < 0.2


# --- giving up ----------------------------------------------------------------------------------------


def hopeless(game: Any, loser: int) -> Any:
    """A net that thinks this player is lost."""

    def judge(planes: np.ndarray) -> np.ndarray:
        answers = np.zeros((len(planes), game.actions() + 1), np.float32)
        for answer, board in zip(answers, planes, strict=True):
            mover = int(board[0].sum() != board[1].sum())  # as many stones as the other has: the first player moves
            answer[-1] = -0.95 if mover == loser else 0.95
        return answers

    return judge


@pytest.mark.parametrize("loser", [0, 1])
def test_a_player_gives_up_after_two_hopeless_searches(loser: int) -> None:
    made = group("tictactoe", slots=1, opening=0, resign=-0.8, full_share=1.0)
    for _ in range(5):
        samples, tally, ended = made.play(hopeless(made.game, loser), 1)
        actions, score = ended or ([], 0.0)
        assert score == -1 + 2 * loser and tally[RESIGNED] == tally[GAMES] == 1
        assert len(actions) == len(samples) == 3 + loser  # its second move was the last
        assert samples["score"].tolist() == [(-1.0 if i % 2 == loser else 1.0) for i in range(len(samples))]
        assert not made.game.over(replayed(made.game, actions)[-1])


@pytest.mark.parametrize("loser", [0, 1])
def test_in_checked_games_nobody_gives_up_and_who_would_have_been_wrong_is_counted(loser: int) -> None:
    made = group("tictactoe", slots=1, opening=0, resign=-0.8, full_share=1.0, check=1.0)
    wrong = checked = 0
    for _ in range(12):
        _, tally, ended = made.play(hopeless(made.game, loser), 1)
        actions, score = ended or ([], 0.0)
        assert made.game.over(replayed(made.game, actions)[-1]) and tally[RESIGNED] == 0
        assert tally[CHECKED] == 1
        assert tally[WRONG] == (score * (1 - 2 * loser) >= 0)
        wrong, checked = wrong + tally[WRONG], checked + 1
    assert 0 < wrong <= checked


def test_nobody_gives_up_unless_told_to() -> None:
    made = group("tictactoe", slots=3)
    _, tally, _ = made.play(hopeless(made.game, 0), 100)
    assert tally[RESIGNED] == tally[CHECKED] == tally[WRONG] == 0


# --- the rest -----------------------------------------------------------------------------------------


def test_warm_moves_are_drawn_and_later_ones_are_the_best() -> None:
    for considered in (0, 4):
        cold = group(
            "tictactoe", slots=1, opening=0, temperature_moves=0, full_share=1.0, noise=0.0, considered=considered
        )
        games = [cold.play(something(cold.game), 1).game for _ in range(4)]
        assert all(game == games[0] for game in games)
        warm = group(
            "tictactoe", slots=1, opening=0, temperature_moves=9, full_share=1.0, noise=0.0, considered=considered
        )
        seen_ = {str(warm.play(something(warm.game), 1).game) for _ in range(8)}
        assert len(seen_) > 3


def test_what_the_desks_note_is_what_the_samples_tell() -> None:
    made = group("tictactoe", slots=2, full_share=1.0, opening=1)
    samples, tally, _ = made.play(nothing(made.game), 50)
    assert tally[TALLY] == len(samples) >= 50 and (samples["weight"] == 1).all()
    for slot in made.slots:
        kinds = slot["kinds"][: slot["plies"]].tolist()
        assert set(kinds) <= {NONE, FULL} and kinds.count(NONE) <= 1


def test_a_game_that_has_ended_is_told_once() -> None:
    made = group("tictactoe", slots=2)
    assert made.play(nothing(made.game), 1).game is not None
    assert made.play(nothing(made.game), 0).game is None


def test_positions_for_which_there_is_no_room_are_counted_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "MOST", 20)
    monkeypatch.setattr(workers, "SLACK", 1)
    made = group("tictactoe", slots=2)
    samples, tally, _ = made.play(nothing(made.game), 100)  # and it ends
    room = 20 + 2 * 1  # and a slack for each slot
    assert len(samples) == room and tally[LOST] >= 100 - room


def test_a_game_that_no_net_can_see_is_refused() -> None:
    with pytest.raises(InputError, match="encodes"):
        group(f"{toys.__file__}:Nim")


if __name__ == "__main__":
    print(json.dumps([proven(1.0), proven(0.5)]))
