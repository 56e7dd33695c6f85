"""The functions of `import plyground as pg`."""

from __future__ import annotations

import copy
import doctest
import json
import pickle
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from threading import Barrier
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import plyground as pg
from commands import answer
from plyground.agents import user_agent
from plyground.api import given
from plyground.spec import Named
from plyground.tables import Table

HERE = Path(__file__).parent


def without_seconds(told: Any) -> Any:
    """What was told, without what differs from one time to the next."""
    if isinstance(told, list):
        return [without_seconds(one) for one in told]
    if not isinstance(told, dict):
        return told
    return {word: without_seconds(v) for word, v in told.items() if "second" not in word and word != "longest_move"}


def the_first(game: Any, state: Any) -> int:
    return pg.legal(game, state)[0]


class Race(NamedTuple):
    """Whoever moves first wins, by the only action."""

    length: int = 1

    def fields(game):
        return [("left", np.int8), ("turn", np.int8)]

    def start(game, state):
        state.left = game.length

    def limits(game):
        if game.length < 1:
            raise ValueError("a race has at least one step")

    def actions(game):
        return 1

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        out[0] = 0
        return 1

    def play(game, state, action):
        state.left -= 1
        state.turn = 1 - state.turn

    def over(game, state):
        return state.left == 0

    def score(game, state):
        return 1.0 if state.turn == 1 else -1.0


# --- the package ---


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; import plyground; print(sorted(name for name in sys.modules if name.startswith('plyground')))\n"
    code += "print([name for name in ('numpy', 'numba', 'torch', 'matplotlib', 'typer') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["['plyground']", "[]"]


def test_every_name_can_be_had_and_is_explained() -> None:
    for name in pg.__all__:
        assert name in dir(pg)
        assert getattr(pg, name) is Any or getattr(pg, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'mach'"):
        pg.mach  # noqa: B018


@pytest.mark.parametrize("name", [name for name in pg.__all__ if name[0].islower() or name == "Position"])
def test_the_example_of_every_function_runs(name: str) -> None:
    function = getattr(pg, name)
    known = {other: getattr(pg, other) for other in pg.__all__}
    found = doctest.DocTestFinder(recurse=False).find(function, name, globs=known)
    failed, tried = doctest.DocTestRunner(verbose=False).run(found[0])
    assert not failed
    assert tried or name in ("train", "sweep", "legal", "after"), "it shows no example"


def test_a_users_script_runs_in_as_many_processes_as_it_likes() -> None:
    """It has no `if __name__ == "__main__"`: no other process runs it, too."""
    ran = subprocess.run([sys.executable, HERE / "script.py"], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "uct has no option simz; did you mean sims?"
    assert "Traceback" not in ran.stderr


def test_a_users_script_is_checked_with_the_package_and_by_strict_rules() -> None:
    """mypy reads both at once: to read the package for the script alone takes as long again."""
    settings = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text())["tool"]["mypy"]
    assert "tests/api/script.py" in settings["files"]
    ours = [one for one in settings["overrides"] if "script" in one["module"]]
    assert sum(value is True for one in ours for value in one.values()) == 10
    assert [one["implicit_reexport"] for one in ours if "plyground" in one["module"]] == [False]
    assert Path(next(iter(pg.__path__)), "py.typed").is_file()


# --- the same as the commands ---


def test_reports_say_what_the_commands_print_as_json() -> None:
    reports = {
        ("think", "tictactoe", "uct(sims=50)", "--position", "b2"): pg.think("tictactoe", "uct(sims=50)", "b2"),
        ("match", "tictactoe", "win-block", "random", "--games", "6", "--openings", "1", "--jobs", "1"): pg.match(
            "tictactoe", "win-block", "random", games=6, openings=1, jobs=1
        ),
        ("tournament", "tictactoe", "win-block", "random", "--games", "4", "--jobs", "1"): pg.tournament(
            "tictactoe", ["win-block", "random"], games=4, jobs=1
        ),
        ("steps", "tictactoe", "uct", "--position", "b2", "--sims", "2", "--skip", "9"): pg.steps(
            "tictactoe", "uct", "b2"
        ).first(2, skip=9),
        ("steps", "tictactoe", "minimax(depth=1)"): pg.steps("tictactoe", "minimax(depth=1)"),
        ("review", "tictactoe", "--position", "b2 a2 a1"): pg.review("tictactoe", "b2 a2 a1"),
        ("solve", "tictactoe", "--position", "b2 a1 c3 a3"): pg.solve("tictactoe", "b2 a1 c3 a3"),
        ("solve", "tictactoe", "--first", "random", "--position", "b2 a1 c3 a3"): pg.odds(
            "tictactoe", "random", position="b2 a1 c3 a3"
        ),
    }
    for words, report in reports.items():
        assert without_seconds(report.to_json()) == without_seconds(answer(*words)), words


def test_a_match_has_openings_of_its_own_and_a_test_that_ends_it() -> None:
    found = pg.match("tictactoe", "random", "random", games=4, openings=["b2", "a1 c3"], jobs=1)
    assert [record.names[: record.opening] for record in found.records] == [["b2"], ["b2"], ["a1", "c3"], ["a1", "c3"]]
    with pytest.raises(pg.InputError, match="opening 2: move 1: there is no move 'z9'"):
        pg.match("tictactoe", "random", "random", openings=["b2", "z9"])
    decided = pg.match("tictactoe", "win-block", "random", sprt=(0, 50), jobs=1)
    assert decided.to_json()["sprt"]["accepted"] == "H1" and decided.games < 200


def test_a_match_goes_on_with_what_its_folder_keeps_in_the_command_too(tmp_path: Path) -> None:
    given: Any = {"games": 6, "jobs": 1, "openings": 1}
    whole = pg.match("tictactoe", "random", "win-block", **given)
    folder = tmp_path / "kept"
    kept = pg.match("tictactoe", "random", "win-block", out=folder, **given)
    assert without_seconds(kept.to_json()) == without_seconds(whole.to_json())
    with pytest.raises(pg.InputError, match="holds games already: resume=True goes on with them"):
        pg.match("tictactoe", "random", "win-block", out=folder, **given)
    lines = (folder / "pairs.jsonl").read_text().splitlines(keepends=True)
    (folder / "pairs.jsonl").write_text(lines[0])
    again = pg.match("tictactoe", "random", "win-block", out=folder, resume=True, **given)
    assert without_seconds(again.to_json()) == without_seconds(whole.to_json())
    assert again.records[0] == kept.records[0]
    words = ["match", "tictactoe", "random", "win-block", "--games", "6", "--openings", "1", "--out", str(folder)]
    assert without_seconds(answer(*words, "--resume")) == without_seconds(whole.to_json())
    with pytest.raises(pg.InputError, match="has another plan: its games is 6, not 8; choose another out"):
        pg.match("tictactoe", "random", "win-block", out=folder, resume=True, **given | {"games": 8})


def test_a_tournament_is_kept_too_with_openings_that_are_named(tmp_path: Path) -> None:
    given: Any = {"games": 2, "jobs": 1, "out": tmp_path / "kept"}
    agents = ["random", "win-block", "win-block-middle"]
    whole = pg.tournament("tictactoe", agents, openings=["b2", "a1 b2"], **given)
    again = pg.tournament("tictactoe", agents, openings=["b2", "a1 b2"], resume=True, **given)
    assert without_seconds(again.to_json()) == without_seconds(whole.to_json())
    with pytest.raises(pg.InputError, match="its openings are not those of the list"):
        pg.tournament("tictactoe", agents, openings=["c3"], resume=True, **given)
    with pytest.raises(pg.InputError, match="resume needs the folder: out='FOLDER'"):
        pg.tournament("tictactoe", agents, resume=True)
    with pytest.raises(pg.InputError, match="save the_first in a file"):
        pg.match("tictactoe", the_first, "random", games=2, out=tmp_path / "other")


def test_games_are_saved_as_files(tmp_path: Path) -> None:
    pg.match("gomoku(5)", "random", "random", games=2, jobs=1, out=tmp_path / "kept", save=True)
    assert len([*(tmp_path / "kept" / "games").iterdir()]) == 4


def test_whoever_watches_is_told_after_every_pair() -> None:
    seen: list[int] = []
    pg.match("tictactoe", "random", "random", games=6, jobs=1, watch=lambda report: seen.append(report.games))
    assert seen == [2, 4, 6]
    thoughts: list[Any] = []
    pg.think("tictactoe", "uct(sims=100000, solve=False)", watch=thoughts.append)
    assert all(isinstance(thought, pg.Thought) for thought in thoughts)


# --- objects ---


def test_a_function_is_an_agent_and_its_illegal_action_loses() -> None:
    won = pg.match("tictactoe", "uct(sims=50)", the_first, games=4, jobs=1)
    assert won.to_json()["agents"] == ["uct(sims=50)", "the_first"] and won.score > 0.5
    lost = pg.match("tictactoe", lambda game, state: 0, "random", games=4)
    assert lost.losses > 0 and "it played 0, which is not a legal action here" in repr(lost)
    with pytest.raises(pg.InputError, match="forfeits: it played 99"):
        pg.think("tictactoe", lambda game, state: 99)
    with pytest.raises(pg.InputError, match="returned 'b2', neither an action nor a Thought"):
        pg.match("tictactoe", lambda game, state: "b2", "random", games=2)


def test_what_a_function_gets_wrong_itself_is_raised_where_it_happens() -> None:
    with pytest.raises(ZeroDivisionError):
        pg.match("tictactoe", lambda game, state: 1 // 0, "random", games=2)


def test_a_function_changes_a_copy_of_the_state() -> None:
    def careless(game: Any, state: Any) -> int:
        action = pg.legal(game, state)[-1]
        game.play(state, action)
        return action

    assert pg.match("tictactoe", careless, the_first, games=2).games == 2


def test_functions_play_here_even_where_processes_are_asked_for() -> None:
    with pytest.warns(UserWarning, match="play in this process"):
        found = pg.match("tictactoe", the_first, lambda game, state: pg.legal(game, state)[-1], games=4, jobs=2)
    assert found.games == 4


def test_agents_of_the_same_name_are_told_apart() -> None:
    two = [lambda game, state: pg.legal(game, state)[0], lambda game, state: pg.legal(game, state)[-1]]
    found = pg.tournament("tictactoe", [*two, the_first, "random"], games=2, jobs=1)
    assert set(found.ranking) == {"lambda", "lambda (2)", "the_first", "random"}
    assert found.elo["lambda"] == pytest.approx(found.elo["the_first"], abs=150)


def test_a_function_that_has_the_name_of_an_agent_does_not_take_its_place() -> None:
    def random(game: Any, state: Any) -> int:
        asked.append(1)
        return pg.legal(game, state)[0]

    asked: list[int] = []
    found = pg.tournament("tictactoe", [random, "random"], games=4, jobs=1)
    assert set(found.ranking) == {"random", "random (2)"}
    assert len(asked) == sum(record.moves[0] for record in found.standings.results[0].records)
    twice = pg.match("tictactoe", random, random, games=2)
    assert twice.names == ["random #1", "random #2"]


def test_a_name_is_that_of_its_object() -> None:
    one, same, other = Named("one", the_first), Named("one", the_first), Named("one", len)
    assert one == same and hash(one) == hash(same)
    assert one != other and one != "one" and one != "one" and "one" not in {one: 1}
    assert Named("Race", Race(2)) == Named("Race", Race(2)) != Named("Race", Race(3))


def test_every_score_is_that_of_its_own_function() -> None:
    asked: list[str] = []
    for name in ("one", "other"):

        def chosen(game: Any, state: Any, name: str = name) -> int:
            asked.append(name)
            return pg.legal(game, state)[0]

        pg.score("tetris(6,12)", chosen, games=1, moves=2)
    assert asked == ["one", "one", "other", "other"]


def test_a_score_reads_an_agents_file_again_and_leaves_no_process(tmp_path: Path) -> None:
    file, log = tmp_path / "mine.py", tmp_path / "log"
    others = list(user_agent._open)
    for which in ("one", "other"):
        note = f"open({str(log)!r}, 'a').write('{which} ')"
        body = f"        {note}\n        return legal(game, state)[0]\n"
        head = "from plyground.rules import legal\n\n\nclass Mine:\n    def think(self, game, state, limit):\n"
        file.write_text(head + body)
        pg.score("tetris(6,12)", f"{file}:Mine", games=1, moves=2, jobs=1)
        assert user_agent._open == others
    said = log.read_text().split()
    assert set(said[: len(said) // 2]) == {"one"} and set(said[len(said) // 2 :]) == {"other"}


def test_matches_in_two_threads_have_their_own_agents() -> None:
    """Each waits in its first move until the other plays, too."""
    meet = Barrier(2, timeout=300)

    class Waiting:
        def __init__(self) -> None:
            self.waited, self.closed = False, False

        def think(self, game: Any, state: Any, limit: Any) -> int:
            if not self.waited:
                self.waited = True
                meet.wait()
            assert not self.closed
            return pg.legal(game, state)[0]

        def close(self) -> None:
            self.closed = True

    def play(agent: Any) -> Any:
        return pg.match("tictactoe", agent, "random", games=4, seed=1)

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(play, [Waiting(), Waiting()]))
    alone = pg.match("tictactoe", the_first, "random", games=4, seed=1)
    for report in found:
        assert [record.actions for record in report.records] == [record.actions for record in alone.records]


def test_an_agent_made_from_a_spec_plays_by_its_spec_as_it_is_now() -> None:
    agent: Any = pg.agent("uct(sims=10)")
    agent.c = 2.0
    found = pg.match("tictactoe", agent, pg.agent("random"), games=2, jobs=1)
    assert found.to_json()["agents"] == ["uct(sims=10, c=2.0)", "random"]


def test_an_object_keeps_what_it_has_learnt() -> None:
    class Counting:
        asked = 0

        def think(self, game: Any, state: Any, limit: Any) -> int:
            self.asked += 1
            return int(self.rng.choice(pg.legal(game, state)))  # type: ignore[attr-defined]

    agent = Counting()
    found = pg.match("tictactoe", agent, "random", games=4, seed=3)
    assert agent.asked == sum(record.moves[0] for record in found.records) + 1  # once to be ready
    again = pg.match("tictactoe", Counting, "random", games=4, seed=3)
    assert [record.actions for record in found.records] == [record.actions for record in again.records]


def test_a_game_of_ones_own_is_an_instance_or_a_class() -> None:
    assert pg.match(Race(3), the_first, "random", games=2).to_json()["game"] == "Race(3)"
    assert pg.match(Race, the_first, "random", games=2).score == 0.5
    assert isinstance(pg.make(Race(2)), Race)


def test_a_cell_that_is_run_again_makes_the_game_anew() -> None:
    """As in a notebook, where a class has no file and its cell is run again, the same or changed."""
    source = "class Race" + Path(__file__).read_text().split("\nclass Race")[1].split("# --- the package")[0]
    values = []
    for text in (source, source, source.replace("1.0 if state.turn == 1", "1.0 if state.turn == 0")):
        cell: dict[str, Any] = {"__name__": "__main__", "NamedTuple": NamedTuple, "np": np}
        exec(text, cell)
        values.append(pg.think(cell["Race"](3), "minimax").value)
    assert values == [1, 1, -1]


def test_a_position_keeps_its_state_whatever_becomes_of_the_callers() -> None:
    game, state = pg.make("tictactoe"), pg.state("tictactoe")
    here = pg.Position(game, state)
    thought = pg.think(game, "random", state)
    game.play(state, 4)
    assert len(here.moves) == 9 and pg.legal(game, thought.state) == list(range(9))


def test_numbers_may_be_those_of_numpy() -> None:
    two, three = np.int64(2), np.int64(3)
    plain = pg.match("tictactoe", "random", "random", games=2, openings=2, seed=3, jobs=1)
    found = pg.match("tictactoe", "random", "random", games=two, openings=two, seed=three, jobs=np.int8(1))
    assert json.dumps(without_seconds(found.to_json())) == json.dumps(without_seconds(plain.to_json()))
    assert [record.actions for record in found.records] == [record.actions for record in plain.records]
    entered = pg.tournament("tictactoe", ["random", "win-block"], games=two, openings=two, seed=three, jobs=1)
    assert json.dumps(entered.to_json()) and {record.opening for record in entered.matches[0].records} == {2}
    assert pg.think("tictactoe", "uct", sims=np.int32(20), seed=three).thought.simulations == 20
    assert json.dumps(pg.score("tetris(6,12)", the_first, games=two, moves=three, seed=three).to_json())


def test_a_game_is_called_what_it_was_first_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "_specs", {})
    made = pg.make("tictactoe")
    pg.make("mnk(3,3,3)")
    assert pg.match(made, "random", "random", games=2, jobs=1).to_json()["game"] == "tictactoe"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: pg.make("gomokuu"), "there is no game 'gomokuu'; did you mean gomoku"),
        (lambda: pg.make(Race(0)), r"Race\(0\): a race has at least one step"),
        (lambda: pg.make(3), "3 is no game"),
        (lambda: pg.make(int), "is no game"),
        (lambda: pg.agent(3), "3 is no agent"),
        (lambda: pg.agent("utc"), "did you mean uct"),
        (lambda: pg.agent(type("Mute", (), {"thinks": lambda self, game, state, limit: 0})()), "did you mean think"),
        (lambda: pg.think("tictactoe", "uct", "b2 b2"), "move 2, b2, is not legal there"),
        (lambda: pg.think("tictactoe", "uct", 7), "7 is no position of this game"),
        (lambda: pg.think("tictactoe", "uct", pg.state("connect-four")), "is no position of this game"),
        (lambda: pg.match("tictactoe", "uct", "human"), "a human cannot play a match"),
        (lambda: pg.match("tictactoe", "uct", "random", games=0), "at least one game"),
        (lambda: pg.match("tictactoe", "uct", "random", jobs=-1), "jobs is a number"),
        (lambda: pg.match("tictactoe", "uct", "random", seed=1.5), "seed is a whole number, not 1.5"),
        (lambda: pg.match("tictactoe", "uct", "random", openings="b2"), "a list of openings"),
        (lambda: pg.tournament("tictactoe", ["uct"]), "at least two agents"),
        (lambda: pg.score("tictactoe", "uct"), "two play this game"),
        (lambda: pg.odds("tictactoe", "uct"), "does not tell its move probabilities"),
        (lambda: pg.serve("nowhere.py:Game"), "there is no file nowhere.py"),
        (lambda: pg.train("dqn", Race(2), out="nowhere"), "save Race"),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(call: Any, said: str) -> None:
    with pytest.raises(pg.InputError, match=said) as refused:
        call()
    assert "\n" not in str(refused.value) and isinstance(refused.value, ValueError)


# --- tables, frames, plots ---


@pytest.fixture(scope="module")
def reports() -> dict[str, Any]:
    return {
        "thought": pg.think("tictactoe", "uct(sims=50)"),
        "match": pg.match("tictactoe", "win-block", "random", games=4, jobs=1),
        "tournament": pg.tournament("tictactoe", ["win-block", "random"], games=4, jobs=1),
        "solution": pg.solve("tictactoe", "b2 a1 c3 a3"),
        "odds": pg.odds("tictactoe", "random", "random", "b2 a1 c3 a3"),
        "score": pg.score("tetris(6,12)", the_first, games=3, moves=3),
    }


def test_every_report_has_a_table_and_a_text(reports: dict[str, Any]) -> None:
    for report in reports.values():
        assert isinstance(report.table(), Table) and report.table().rows
        assert str(report.table()) in repr(report)
        assert "<table>" in report._repr_html_()


def test_reports_of_functions_can_be_kept_and_copied() -> None:
    made: list[Any] = [
        pg.match(Race(3), lambda game, state: 0, the_first, games=2),
        pg.tournament(Race(3), [lambda game, state: 0, the_first], games=2),
        pg.score("tetris(6,12)", lambda game, state: pg.legal(game, state)[0], games=1, moves=2),
    ]
    for report in made:
        told = report.to_json()
        assert pickle.loads(pickle.dumps(report)).to_json() == copy.deepcopy(report).to_json() == told
    assert made[0].to_json()["game"] == "Race(3)" and type(made[0].to_json()["game"]) is str


def test_reports_of_what_was_interrupted_say_so() -> None:
    """Ctrl-c comes while an agent chooses a move."""

    def tired(after: int) -> Any:
        moves: list[int] = []

        def think(game: Any, state: Any) -> int:
            moves.append(1)
            if len(moves) > after:
                raise KeyboardInterrupt
            return pg.legal(game, state)[0]

        return think

    whole = pg.match(Race(1), tired(99), tired(99), games=8)
    assert not whole.interrupted and not whole.to_json()["interrupted"] and "interrupted" not in repr(whole)
    found: list[Any] = [
        pg.match(Race(1), tired(2), the_first, games=8),
        pg.tournament(Race(1), [tired(2), the_first], games=8),
        pg.score("tetris(6,12)", tired(9), games=8, moves=4),
    ]
    for report in found:
        assert report.interrupted and report.to_json()["interrupted"]
        assert re.search("interrupted after [24] of 8 games", repr(report))


def test_every_report_draws_itself(reports: dict[str, Any]) -> None:
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    pyplot.switch_backend("agg")
    for report in reports.values():
        axes = report.plot()
        assert axes.has_data()
        pyplot.close(axes.figure)
        own = Figure().subplots()
        assert report.plot(own) is own and own.has_data()


def test_without_matplotlib_or_pandas_it_is_said_what_to_install(
    reports: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(pg.InputError, match=r"pip install 'plyground\[plot\]'"):
        reports["match"].plot()
    with pytest.raises(pg.InputError, match="pip install pandas"):
        reports["match"].to_frame()


def test_a_frame_has_the_rows_of_a_report(reports: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    if not find_spec("pandas"):  # its one call, then
        pandas: Any = ModuleType("pandas")
        pandas.DataFrame = list
        monkeypatch.setitem(sys.modules, "pandas", pandas)
    search = pg.steps("tictactoe", "uct")
    search.skip(20)
    others = [pg.review("tictactoe", "b2 a2 a1"), next(search), pg.strength("tictactoe")]
    for report in (*reports.values(), *others):
        assert len(report.to_frame()) == len(report.rows()) > 0
        values = [value for row in report.rows() for value in row.values()]
        assert all(value is None or isinstance(value, str | int | float | np.number) for value in values)
    assert {"number", "first", "moves", "result", "plies"} <= reports["match"].rows()[0].keys()
    exact, number = (found[0]["win"] for found in (reports["odds"].to_json()["moves"], reports["odds"].rows()))
    assert isinstance(number, float) and number == pytest.approx(float(Fraction(exact)))


@pytest.mark.parametrize(
    "call, why",
    [
        (lambda: pg.match("tictactoe", "random", "random", sprt="0,50"), "sprt is two Elo differences"),
        (lambda: pg.match("tictactoe", "random", "random", sprt=("a", 3)), "sprt is a number"),
        (lambda: pg.match("tictactoe", "random", "random", move_seconds="a"), "move_seconds is a number"),
        (lambda: pg.solve("tictactoe", seconds="1"), "seconds is a number"),
        (lambda: pg.solve("tictactoe", seconds=-1), "seconds are 0 or more"),
        (lambda: pg.think("tictactoe", "uct", seconds=float("nan")), "seconds is a number"),
        (lambda: pg.tournament("tictactoe", "random"), "agents are a list"),
    ],
)
def test_what_is_no_number_or_no_list_is_told(call: Any, why: str) -> None:
    with pytest.raises(pg.InputError, match=why):
        call()


def test_a_sweep_is_that_of_the_command_and_strength_is_told_as_it_was_measured(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    swept = pg.sweep("dqn", "tictactoe", {"lr": [0.001, 0.003]}, seeds=1, out=tmp_path / "sweep", games=20)
    assert [row[0] for row in swept.table().rows] == ["lr=0.001", "lr=0.003"]
    again = pg.sweep("dqn", "tictactoe", {"lr": [0.001, 0.003]}, seeds=1, out=tmp_path / "sweep", games=20, resume=True)
    assert [(row["lr"], row["seed"], row["failed"]) for row in swept.rows()] == [(0.001, 0, ""), (0.003, 0, "")]
    assert str(again) == str(swept) and (tmp_path / "sweep" / "sweep.svg").exists()
    with pytest.raises(pg.InputError, match="holds runs already: resume=True goes on with them, or choose another out"):
        pg.sweep("dqn", "tictactoe", {"lr": [0.001, 0.003]}, seeds=1, out=tmp_path / "sweep", games=20)
    with pytest.raises(pg.InputError, match="did you mean lr"):
        pg.sweep("dqn", "tictactoe", {"lrr": [1]}, out=tmp_path / "other")
    for vary, why in (
        ({"lr": 0.1}, "dictionary of lists"),
        ("lr=0.1", "dictionary of lists"),
        ({"lr": []}, "no values"),
    ):
        with pytest.raises(pg.InputError, match=why):
            pg.sweep("dqn", "tictactoe", vary, out=tmp_path / "other")  # type: ignore[arg-type]
    with pytest.raises(pg.InputError, match="at least one seed"):
        pg.sweep("dqn", "tictactoe", {"lr": [0.1]}, seeds=0, out=tmp_path / "other")
    assert "connect-four" in str(pg.strength("connect-four"))
    with pytest.raises(pg.InputError, match="no agent 'nobody'"):
        pg.strength("connect-four", measure=True, against="nobody")
    with pytest.raises(pg.InputError, match="needs nets"):
        pg.strength(measure=True)
