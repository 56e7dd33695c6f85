"""The strength of nets: what is measured agrees with other ways to measure it, and is kept with the net it is of."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from commands import answer, refusal, run
from plyground import games
from plyground.learn import measure, strength
from plyground.nets import files, trained
from plyground.nets.evaluate import Greedy, onnx_evaluator
from plyground.nets.files import read_card, seal_as_it_is

pytestmark = pytest.mark.usefixtures("nets_in_this_process")
MEASURE = ["--measure", "--sims", "3", "--games", "4", "--jobs", "1", "--against", "random"]


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the net of tic-tac-toe, of which 40 positions are looked at."""
    few = measure.positions(games.make("tictactoe"))
    assert few is not None
    few = few._replace(states=few.states[::113].copy(), best=few.best[::113], complete=False)
    monkeypatch.setattr(measure, "positions", lambda game, name="", seconds=0.0: few)
    for path in trained.find("tictactoe").iterdir():
        if path.name != strength.STRENGTH:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_what_is_measured_is_what_others_count_and_is_kept(net: Path) -> None:
    (first,) = answer("strength", str(net), *MEASURE, "--games", "0")["nets"]
    (told,) = answer("strength", str(net), *MEASURE)["nets"]
    assert not first["matches"] and [one["share"] for one in first["mistakes"]] == [
        one["share"] for one in told["mistakes"]
    ]
    assert told["digest"] == read_card(net).digest == trained_digest()
    known, game = measure.positions(games.make("tictactoe")), games.make("tictactoe")
    assert known is not None
    alone, searched = told["mistakes"]
    by_net = known.mistakes(Greedy(game, "board", onnx_evaluator(net)))
    assert (alone["sims"], searched["sims"], alone["positions"]) == (0, 3, len(known.states))
    assert alone["share"] == by_net and alone["interval"][0] <= by_net <= alone["interval"][1]
    (match,) = told["matches"]
    spec = f"alphazero({json.dumps(str(net))}, sims=3)"
    same = answer("match", "tictactoe", spec, "random", "--games", "4", "--openings", "2", "--balanced", "--jobs", "1")
    assert [match[word] for word in ("wins", "draws", "losses")] == [same[word] for word in ("wins", "draws", "losses")]
    assert [match["low"], match["high"]] == same["interval"] and match["elo_interval"] == same["elo_interval"]
    assert match["balanced"] and match["command"].startswith("plyground strength") and match["date"]
    assert answer("strength", str(net))["nets"] == [told]
    again = answer("strength", str(net), *MEASURE[:-1], "win-block")["nets"][0]
    assert [one["opponent"] for one in again["matches"]] == ["random", "win-block"]
    shown = run("strength", str(net)).stdout
    assert "3 simulations" in shown and "win-block" in shown and "a sample" in shown


def trained_digest() -> str:
    return read_card(trained.find("tictactoe")).digest


def test_games_alone_leave_what_is_known_of_mistakes(net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = answer("strength", str(net), *MEASURE, "--games", "0")["nets"][0]["mistakes"]
    monkeypatch.setattr(measure, "positions", lambda *args, **named: pytest.fail("positions are solved"))
    (told,) = answer("strength", str(net), *MEASURE, "--no-mistakes")["nets"]
    assert told["mistakes"] == before and len(before) == 2
    assert [one["opponent"] for one in told["matches"]] == ["random"]
    assert "neither games nor mistakes" in refusal(run("strength", str(net), *MEASURE, "--no-mistakes", "--games", "0"))


def test_a_match_that_time_cut_short_leaves_one_with_more_games() -> None:
    four, two, six = (strength.Contest(3, "random", wins, 0, 0, 0.5, 1.0, 2, True) for wins in (4, 2, 6))
    known = strength.Strength("net").with_contest(four)
    assert known.with_contest(two, 40).contests == (four,)
    assert known.with_contest(two, 2).contests == (two,)  # as many games as were asked for
    assert known.with_contest(six, 40).contests == (six,)
    assert len(known.with_contest(replace(two, opponent="win-block"), 40).contests) == 2


def test_a_record_is_of_one_net_and_damage_is_told(net: Path) -> None:
    one = strength.Contest(3, "random", 4, 0, 0, 0.6, 1.0, 2, True)
    strength.write(net, strength.read(net).with_contest(one))
    assert strength.read(net).contests == (one,)
    assert "above +70, 4-0-0" in run("strength", str(net)).stdout
    path = net / strength.STRENGTH
    kept = path.read_text()
    path.write_text(kept.replace('"wins": 4', '"wins": 5'))
    assert "cannot be trusted" in refusal(run("strength", str(net)))
    path.write_text(kept)
    whole = (net / "norm.safetensors").read_bytes()
    (net / "norm.safetensors").write_bytes(whole[:-1])
    assert "norm.safetensors is damaged" in refusal(run("strength", str(net)))
    (net / "norm.safetensors").write_bytes(whole)
    assert strength.read(net).contests == (one,)
    (net / "net.onnx").write_bytes((trained.find("mnk-4-4-4") / "net.onnx").read_bytes())
    seal_as_it_is(net)
    assert strength.read(net).stale and not strength.read(net).contests
    assert "was another net" in run("strength", str(net)).stdout


def test_a_record_outlives_new_words_about_the_net_and_no_other_game(net: Path) -> None:
    one = strength.Contest(3, "random", 4, 0, 0, 0.6, 1.0, 2, True)
    strength.write(net, strength.read(net).with_contest(one))
    card = read_card(net)
    files.write(net, replace(card, strength="it wins", command="as before", version="0.0.1"), {})
    assert read_card(net).digest != card.digest and read_card(net).strength == "it wins"
    assert strength.read(net).contests == (one,) and not strength.read(net).stale
    assert seal_as_it_is(net).strength == "" and strength.read(net).contests == (one,)  # the weights are the same
    files.write(net, replace(card, game="mnk(3,3,3)"), {})
    assert strength.read(net).stale and not strength.read(net).contests


def test_a_record_of_an_older_version_is_of_the_net_with_all_its_words(net: Path) -> None:
    one = strength.Contest(3, "random", 4, 0, 0, 0.6, 1.0, 2, True)
    card = read_card(net)
    strength.write(net, strength.Strength(card.digest).with_contest(one))
    assert strength.read(net).contests == (one,) and strength.read(net).net == strength.net_digest(card)
    files.write(net, replace(card, strength="it wins"), {})  # that it is the same net cannot be told any more
    assert strength.read(net).stale and not strength.read(net).contests


def test_a_record_that_makes_no_sense_is_none(net: Path) -> None:
    from plyground import sealed

    digest = strength.net_digest(read_card(net))
    for contest in ({"wins": -1}, {"low": 0.9}, {"wins": 0.5}, {"other": 1}):
        good = {"sims": 3, "opponent": "random", "wins": 1, "draws": 0, "losses": 1, "low": 0.1, "high": 0.9}
        told = {"net": digest, "mistakes": [], "contests": [good | {"opening": 2, "balanced": True} | contest]}
        (net / strength.STRENGTH).write_text(sealed.text(told))
        assert "does not describe the strength" in refusal(run("strength", str(net)))


def test_what_makes_no_sense_is_refused_in_one_line(tmp_path: Path) -> None:
    assert "--measure needs nets" in refusal(run("strength", "--measure"))
    assert "add --measure" in refusal(run("strength", "tictactoe", "--against", "random"))
    assert "there is no net" in refusal(run("strength", "tictacto"))
