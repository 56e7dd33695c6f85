"""The studies' quick runs: exact rows are exact, and what was found is seen even with few games."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commands import answer, refusal, run
from plyground import studies
from plyground.nets import evaluate
from plyground.nets.sessions import Session
from plyground.studies import alphago_recipe, alphago_runs, deep_runs
from plyground.studies.deep_runs import dqn, guided
from plyground.studies.lab import Part

# The parts that something is claimed of below; of the others the least is computed that makes a whole page, on small
# boards.
CLAIMED = {
    "tictactoe-mcts": r"ceilings|time|ours v|best v|(study|faulty) v win-block",
    "uct-minimax": r"exact|minimax|uct|sampled",
    "line-taking": r"A: random v (UCT, inverted|alpha-beta)|A: UCT v alpha-beta, right|[CD]:|advantage|finding, (6|14)|"
    r"(random|study's UCT|study's alpha-beta) v master",
    "deep-tictactoe": r"ceilings|plain UCT|best guided, 3|faulty guided|dqn, the study's|best dqn",
}
LEAST = {"games": 2, "count": 2, "positions": 2, "runs": 1}
TRAINED = {guided: {"games": 2, "sims": 20}, dqn: {"games": 50}}
TRAINED[alphago_runs.recipe] = {"blocks": 1, "channels": 4, "epochs": 1, "updates": 2}
TRAINED[alphago_runs.recipe] |= {"update_games": 8, "value_games": 64}
SMALLER = {"game": "tictactoe"}
SHORTER = {"best dqn": {"options": {"games": 1000}, "count": 2}, "dqn, the study's, seed 0": {"count": 2}}
SHORTER |= {f"A: {who} v alpha-beta{kind}": {"games": 20} for who, kind in (("random", ""), ("UCT", ", right"))}
SHORTER["D: alpha-beta, terminal scores only, v full scoring"] = {"games": 20}
SHORTER["faulty guided, 4×4, lr 0.01, 300 games, 64 wide, seed 0"] = SMALLER


def cut(study: str, name: str, part: Part) -> Part:
    """The part as it is if something is claimed of it, or a little shorter; else with few games, shortly trained."""
    if re.match(CLAIMED[study], name):
        return replace(part, arguments=part.arguments | SHORTER.get(name, {}))
    arguments = {key: min(value, LEAST[key]) if key in LEAST else value for key, value in part.arguments.items()}
    if part.work in TRAINED:
        arguments["options"] = arguments["options"] | TRAINED[part.work]
    if study == "deep-tictactoe" and "game" in arguments:
        arguments |= SMALLER
    return replace(part, arguments=arguments)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A study's figures and its page, run once."""
    done: dict[str, tuple[dict[str, Any], str]] = {}

    def get(name: str) -> tuple[dict[str, Any], str]:
        if name not in done:
            folder, parts = tmp_path_factory.mktemp(name), studies.study(name).parts(True)
            parts = {key: part for key, part in parts.items() if not key.startswith("net")}  # test_line_taking_nets.py
            few = {key: cut(name, key, part) for key, part in parts.items()}
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(studies.study(name), "parts", lambda quick: few)
                patch.setattr(deep_runs, "EXACT", "minimax")  # as exact, and knows its best moves sooner
                patch.setattr("plyground.learn.train.draw", lambda *_: None)  # in folders that are gone afterwards
                patch.setattr(evaluate, "GuardedSession", lambda net, threads, name: Session(net, threads))
                told = answer("reproduce", name, "--quick", "--out", str(folder), "--jobs", "1")
            assert json.loads((folder / "figures.json").read_text())["figures"] == told["figures"]
            page = Path(told["page"])
            assert page == folder / "index.html" and set(told["figures"]) == set(parts)
            done[name] = {key: one["value"] for key, one in told["figures"].items()}, page.read_text()
        return done[name]

    return get


def won(run: dict[str, int]) -> float:
    return run["wins"] / run["games"]


def test_tictactoe_mcts(ran: Any) -> None:
    found, page = ran("tictactoe-mcts")
    assert found["ceilings"] == {
        "random": {"first": "191/192", "second": "887/945", "safe": "866/945"},
        "win-block": {"first": "89/96", "second": "7/15", "safe": "82/315"},
        "win-block-middle": {"first": "5/6", "second": "3/35", "safe": "2/35"},
    }
    for opponent in ("random", "win-block", "win-block-middle"):
        assert found[f"ours v {opponent}"]["losses"] == 0
        assert won(found[f"best v {opponent}"]) > won(found[f"ours v {opponent}"]) - 0.1
    for opponent in ("win-block", "win-block-middle"):  # what the study reports is the faulty variant's, not the right
        right, faulty = won(found[f"study v {opponent}"]["second"]), won(found[f"faulty v {opponent}"]["second"])
        assert faulty > 0.5 > right
    assert found["ours v itself"]["draws"] == found["ours v itself"]["games"]
    assert found["time 3x3"] < found["time 9x9"] < 31937 / 10
    assert "4 of its six win rates lie above what is possible" in page
    recipe = found["alphago, tictactoe"]
    assert set(recipe["pairs"]) == {"0.0 v 0.5", "0.0 v 1.0", "0.5 v 1.0"} and 0 <= recipe["accuracy"] <= 1
    assert sum(row["positions"] for row in recipe["errors"][1:]) == recipe["errors"][0]["positions"]
    assert "AlphaGo&#x27;s recipe" in page and "roll-outs at random" in page


def test_scores_of_mixes_are_those_of_both_sides() -> None:
    counts = {"0.0 v 0.5": (1, 2, 7), "0.0 v 1.0": (5, 0, 5), "0.5 v 1.0": (3, 4, 3)}  # wins, draws, losses
    names = ("wins", "draws", "losses")
    pairs = {name: {"games": 10, **dict(zip(names, one, strict=True))} for name, one in counts.items()}
    found = alphago_recipe.scores({"pairs": pairs})
    assert [tuple(one[name] for name in names) for one in found.values()] == [(6, 2, 12), (10, 6, 4), (8, 4, 8)]


def test_uct_minimax(ran: Any) -> None:
    found, page = ran("uct-minimax")
    assert found["exact"] == {
        "optimal": ["win", "draw", "win", "loss", "draw"],
        "random wins": ["3/4", "2/3", "3/4", "1/3", "2/3"],
        "random draws": ["1/6", "1/3", "0", "1/3", "1/6"],
        "best wins": ["1", "7/8", "1", "1/2", "7/8"],
        "leaves": ["12/18", "13/21", "12/18", "8/24", "13/21"],
        "positions": found["exact"]["positions"],
    }
    assert found["minimax"]["values"] == found["exact"]["optimal"]
    few, many = found["uct 100"]["mean"], found["uct 100000"]["mean"]
    exact = [1, 7 / 8, 1, 1 / 2, 7 / 8]
    assert sum(abs(m - e) for m, e in zip(many, exact, strict=True)) < sum(
        abs(f - e) for f, e in zip(few, exact, strict=True)
    )
    assert min(many[0], many[2]) > 0.98 > 0.9 > max(many[1], many[4]) > many[3]
    assert found["sampled once 102"]["values"][-1] == [1, 0, 1, -1, 0]  # t = T, each drawn once: the whole tree
    assert found["sampled 25"]["values"][-1][0] < 0.5 < found["sampled 1000"]["values"][-1][0]
    assert "/#play?game=tictactoe&amp;start=.O./XXO/...%20X" in page


def test_line_taking(ran: Any) -> None:
    found, page = ran("line-taking")
    assert won(found["A: random v UCT, inverted"]) < 0.35 and won(found["A: random v alpha-beta"]) < 0.15
    assert won(found["A: UCT v alpha-beta, right"]) < 0.35
    assert (
        found["C: UCT c = 0.14 v UCT c = 1.4, right"]["wins"] > found["C: UCT c = 0.14 v UCT c = 1.4, inverted"]["wins"]
    )
    assert won(found["D: alpha-beta, terminal scores only, v full scoring"]) < 0.4
    solved = [run for name, run in found.items() if name.startswith("advantage")]
    assert sum(run["wins"] for run in solved) / sum(run["games"] for run in solved) > 0.85
    easy, hard = found["finding, 6 cells"], found["finding, 14 cells"]
    assert easy["found"][-1] > 0.7 > hard["found"][-1] and easy["found"][-1] > easy["chance"]
    assert sum(found[f"{name} v master"]["wins"] for name in ("random", "study's UCT", "study's alpha-beta")) <= 1
    assert max(run["longest_move"][1] for name, run in found.items() if name.endswith(" v master")) < 6
    assert "E does not show what it says" in page


def test_deep_tictactoe(ran: Any) -> None:
    found, page = ran("deep-tictactoe")
    assert found["ceilings"]["3×3"][:2] == pytest.approx([191 / 192, 887 / 945])
    assert found["plain UCT, 3×3"]["losses"] <= 1 and won(found["plain UCT, 4×4"]["first"]) > 0.8
    assert found["best guided, 3×3"]["search"]["losses"] == 0
    faulty = [run for name, run in found.items() if name.startswith("faulty guided")]
    assert len(faulty) == 5 and sum(run["losses"] for run in faulty) >= 1  # of 20 games
    run = found["dqn, the study's, seed 0"]
    assert run["total"]["games"] == 500 == sum(run["total"][key] for key in ("wins", "losses", "draws"))
    assert run["curve"][-1][0] == 500 and 0 < run["mistakes"] < 1
    assert found["best dqn"]["mistakes"] < run["mistakes"]  # both seats and masking, even with few games
    assert "The same mistake in the guided search" in page and "Our best DQN" in page


@pytest.mark.parametrize("name", studies.REGISTRY)
def test_the_full_run_has_the_games_that_were_asked_for(name: str) -> None:
    parts = studies.study(name).parts(False)
    games = {key: part.arguments["games"] for key, part in parts.items() if "games" in part.arguments}
    if name == "tictactoe-mcts":
        assert all(games[f"study v {opponent}"] == 2000 for opponent in ("random", "win-block", "win-block-middle"))
    if name == "line-taking":
        assert all(count == 400 for key, count in games.items() if key[1:2] == ":")
    assert all(part.command or part.arguments is not None for part in parts.values())


def test_a_figure_can_be_computed_alone() -> None:
    told = answer("reproduce", "uct-minimax", "--part", "minimax")
    assert told["value"]["values"] == ["win", "draw", "win", "loss", "draw"]


def test_studies_are_listed_and_others_refused() -> None:
    assert [one["name"] for one in answer("reproduce", "--list")["studies"]] == list(studies.REGISTRY)
    assert all(name in run("reproduce", "--list").stdout for name in studies.REGISTRY)
    assert "uct-minimax" in refusal(run("reproduce", "uct-minmax"))
    assert "name a study" in refusal(run("reproduce"))
    assert "did you mean minimax" in refusal(run("reproduce", "uct-minimax", "--part", "minmax"))
