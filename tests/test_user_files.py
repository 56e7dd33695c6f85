"""Files of users' own: found by path, with or without a name, executed once and again when they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import answer, refusal, run
from plyground import agents, games, rules, scorings, user_files
from plyground.learn import learner
from plyground.spec import InputError
from toys import heap_file

COUNTING = """
from pathlib import Path
with open(__file__ + ".count", "a") as file:
    file.write("x")
"""
SCORING = """

class Level(NamedTuple):
    weight: float = 1.0

    def judge(scoring, game, state):
        return scoring.weight * state.left
"""
LEARNER = "from toy import Toy\n\n\nclass MyLearner(Toy):\n    '''Walks like the toy.'''\n"


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def executions(path: str) -> int:
    return len(Path(f"{path}.count").read_text())


def test_a_file_that_holds_one_game_needs_no_name(tmp_path: Path) -> None:
    path = write(tmp_path / "heap.py", heap_file(4) + SCORING)
    assert type(games.make(path)) is type(games.make(f"{path}:Heap"))
    assert games.make(f" {path}(7) ").size == games.make(f"{path}:Heap(size=7)").size == 7
    assert answer("think", f"{path}(3)", "random")["action"] in (0, 1)


def test_a_file_that_holds_several_lists_them_in_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "heap.py", heap_file(4) + "\n\nclass Other(Heap):\n    pass\n")
    assert refusal(run("check", path)) == (
        f"plyground: {path} holds several games, name one of them: {path}:Heap, {path}:Other"
    )


@pytest.mark.parametrize("kind", ["game", "learner"])
def test_a_file_without_one_says_so(kind: str, tmp_path: Path) -> None:
    path = write(tmp_path / "empty.py", "x = 1\n")
    words = ["check", path] if kind == "game" else ["train", path, "tictactoe", "--out", str(tmp_path / "run")]
    assert refusal(run(*words)) == f"plyground: {path} holds no {kind}"


def test_a_folder_or_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        games.make(str(tmp_path / "folder.py"))
    for path in (tmp_path / "no.py", tmp_path / "a\0b.py"):
        with pytest.raises(InputError, match="there is no file"):
            games.make(f"{path}:Heap")


def test_a_match_executes_a_file_once_however_many_games_it_has(tmp_path: Path) -> None:
    path = write(tmp_path / "heap.py", COUNTING + heap_file(4))
    assert answer("match", path, "random", "random", "--games", "40", "--jobs", "1")["games"] == 40
    assert executions(path) == 1
    assert answer("match", f"{path}:Heap", "random", "random", "--games", "2", "--jobs", "1")["games"] == 2
    assert executions(path) == 1
    write(tmp_path / "heap.py", COUNTING + heap_file(6))
    assert answer("match", path, "random", "random", "--games", "2", "--jobs", "1")["games"] == 2
    assert executions(path) == 2 and games.make(path).size == 6


def test_an_agents_file_is_executed_once_a_match_and_never_here(tmp_path: Path) -> None:
    agent = COUNTING + "def pid(): import os; return os.getpid()\nclass A:\n    def think(self, game, state, limit):\n"
    path = write(tmp_path / "a.py", agent + "        from plyground.rules import legal; return legal(game, state)[0]\n")
    told = answer("match", "tictactoe", path, "random", "--games", "20", "--jobs", "1")
    assert told["games"] == 20 and told["forfeits"] == [0, 0] and executions(path) == 1
    assert (tmp_path / "a.py").resolve() not in user_files._executed


def test_a_scoring_of_a_file_may_have_values(tmp_path: Path) -> None:
    path = write(tmp_path / "heap.py", heap_file(4) + SCORING)
    game = games.make(path)
    for name, weight in ((path, 1.0), (f"{path}:Level(weight=3)", 3.0), (f"{path}(2)", 2.0)):
        scoring = scorings.make(name, game)
        assert scoring.weight == weight and scoring.judge(game, rules.new(game)) == 4 * weight
    assert type(scorings.make(path, game)) is type(scorings.make(f"{path}:Level", game))
    thought = agents.make(f"minimax(depth=1, scoring='{path}:Level(2)')").think(game, rules.new(game))
    assert thought.action in (0, 1)
    with pytest.raises(InputError, match="has no option wait; did you mean weight"):
        scorings.make(f"{path}(wait=3)", game)


@pytest.mark.parametrize("right, wrong", [("judge", "jugde"), ("promise", "promsie")])
def test_a_misspelt_method_of_a_scoring_is_refused_with_the_nearest_name(
    right: str, wrong: str, tmp_path: Path
) -> None:
    text = f"{SCORING}\n    def promise(scoring, game, state, action):\n        return 0.0\n".replace(right, wrong)
    path = write(tmp_path / "level.py", f"from typing import NamedTuple\n{text}")
    for name in (path, f"{path}:Level"):
        with pytest.raises(InputError, match=f"Level.{wrong} is not a method of scorings; did you mean {right}?"):
            scorings.make(name, games.make("tictactoe"))


def test_a_learner_of_a_file_trains_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    write(tmp_path / "toy.py", (Path(__file__).parent / "learn" / "toy.py").read_text())
    path = write(tmp_path / "mine.py", LEARNER)
    words = ["train", f"{path}:MyLearner", "tictactoe", "--out", str(tmp_path / "run")]
    assert answer(*words, "--games", "10")["games"] == 10
    assert refusal(run(*words)).endswith("choose another folder") or (tmp_path / "run" / "config.json").is_file()
    assert answer(*words, "--resume")["algorithm"] == f"{path}:MyLearner"
    assert "Walks like the toy" in run("train", path, "--help").stdout


@pytest.mark.parametrize(
    "text, says",
    [
        ("class Mine:\n    def advance(self): pass\n", "write `class Name(Learner):`"),
        (
            "from plyground.learn.base import Learner\nclass Mine(Learner): pass\n",
            "lacks the methods advance, ar",
        ),
        ("from plyground.learn.base import Learner\nclass Mine(Learner):\n    def advanse(self): 1\n", "mean advance?"),
        (
            "from plyground.learn.base import Learner\nclass _Own(Learner):\n    stpes = property(lambda self: 1)\n"
            "class Mine(_Own): pass\n",
            "_Own.stpes is not a method of learners; did you mean steps?",
        ),
        (
            "from plyground.learn.base import Learner\nclass Mine(Learner):\n"
            "    def advance(self): 1\n    def arrays(self): 1\n    def net(self): 1\n",
            "does not tell how long it trains: give it an option `games`, or `steps`",
        ),
    ],
)
def test_what_cannot_be_a_learner_is_refused_in_one_line(text: str, says: str, tmp_path: Path) -> None:
    path = write(tmp_path / "mine.py", text)
    with pytest.raises(InputError) as refused:
        learner(path)
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_digests_are_of_all_files_that_specs_name(tmp_path: Path) -> None:
    for name in ("a b.py", "c.py", "d.py"):
        (tmp_path / name).write_text(f"# {name}\n")
    specs = [
        f"{tmp_path}/a b.py:Name(3)",
        f'hybrid("{tmp_path}/c.py", then="uct")',
        f"{tmp_path}/d.py",
        "nowhere.py",
        "uct",
    ]
    found = user_files.digests(*specs)
    assert list(found) == [f"{tmp_path}/{name}" for name in ("a b.py", "c.py", "d.py")]
    assert len(set(found.values())) == 3
