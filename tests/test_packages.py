"""Installed packages and families of games: what they announce is found, and what is broken in them stops nobody."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest

import plyground.games
from commands import answer, refusal, run
from plyground import agents, bench, game_files, games, learn, manifest, rules, scorings
from plyground.agents.base import Agent
from plyground.learn.base import proven
from plyground.spec import InputError
from plyground.web.views import family_views
from toys import heap_file

GAME = heap_file(4)
AGENT = """
from plyground.rules import legal


class Last:
    '''Plays the last legal action.'''

    def __init__(self, skip: int = 1):
        self.skip = skip

    def think(self, game, state, limit):
        return legal(game, state)[-self.skip]
"""
SCORING = """
from typing import NamedTuple


class Level(NamedTuple):
    weight: float = 1.0

    def judge(scoring, game, state):
        return scoring.weight * state.left
"""
LEARNER = (Path(__file__).parent / "learn" / "toy.py").read_text()
FAMILY = """
from plyground.manifest import Manifest

MANIFEST = Manifest(
    __name__,
    games={"heap": "rules:Heap"},
    agents={"last": "players:Last"},
    learners={"toy": "learners:Toy"},
    scorings={"level": "scorings:Level"},
    view="view:VIEW",
    opponent="players:opponent",
)
"""
PLAYERS = AGENT + "\n\ndef opponent(game):\n    return 'last(skip=1)'\n"
VIEW = """
from pathlib import Path

from plyground.manifest import View

VIEW = View("heap", "Heaps", Path(__file__).parent, "heap.js")
"""
FILES = {"__init__.py": FAMILY, "rules.py": GAME, "players.py": PLAYERS, "learners.py": LEARNER}
FILES |= {"scorings.py": SCORING, "view.py": VIEW, "heap.js": "export function mount() {}\n"}

Announce = Callable[[str, dict[str, str], str], None]


def forget() -> None:
    """What was announced and what our families are is asked anew.

    What a thread of an earlier test still asks for must not be kept as the answer to what is asked now: so answers are
    kept elsewhere from now on.
    """
    for name in ("ours", "theirs", "all_announced", "announced"):
        setattr(manifest, name, lru_cache(None)(getattr(manifest, name).__wrapped__))
    manifest.warn.cache_clear()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Announce]:
    """Installs packages, in a folder that is on the path until the end of the test."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(name: str, files: dict[str, str], points: str) -> None:
        (tmp_path / name).mkdir()
        for file, text in {"__init__.py": "", **files}.items():
            (tmp_path / name / file).write_text(text)
        if points:
            info = tmp_path / f"{name}-1.0.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            (info / "entry_points.txt").write_text(points)
        forget()

    yield install
    for module in [name for name in sys.modules if name.startswith("pack_")]:
        del sys.modules[module]
    forget()


def test_single_things_of_an_installed_package_are_found(installed: Announce) -> None:
    points = "[plyground.games]\npile = pack_a.rules:Heap\n[plyground.agents]\nlast = pack_a.players:Last\n"
    points += "[plyground.learners]\ntoy = pack_a.learners:Toy\n[plyground.scorings]\nlevel = pack_a.scorings:Level\n"
    installed("pack_a", FILES, points)
    game = games.make("pile(7)")
    assert game.size == 7 and answer("think", "pile", "last(skip=2)")["action"] == 0
    assert issubclass(agents.maker("last"), Agent) and agents.maker("last") is agents.maker("last")
    assert agents.make("last").think(game, rules.new(game)).action == 1
    assert "last" in agents.able(game)
    scoring = scorings.make("level(weight=2)", game)
    assert scoring.judge(game, rules.new(game)) == 14
    assert agents.make("minimax(depth=1, scoring='level')").think(game, rules.new(game)).action in (0, 1)
    assert learn.learner("toy").__name__ == "Toy" and learn.about("toy") == "Walks its bias at random."
    assert {"pile"} <= {one["name"] for one in answer("games")["games"]}
    assert "plays the last" in run("agents").stdout.lower()
    assert answer("match", "pile", "last", "random", "--games", "4", "--jobs", "1")["games"] == 4


def test_a_name_that_is_ours_stays_ours_with_one_warning(installed: Announce, capsys: pytest.CaptureFixture) -> None:
    installed("pack_b", FILES, "[plyground.agents]\nuct = pack_b.players:Last\n")
    assert run("think", "tictactoe", "random").stderr == ""  # nobody asks for that name
    for _ in range(3):
        assert agents.maker("uct").__name__ == "UCT"
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and "agents: 'uct' is plyground.agents.tree_search:UCT" in lines[0]
    assert "of pack_b (pack_b.players:Last)" in lines[0]


def test_a_broken_package_is_named_in_one_line_and_stops_nobody(
    installed: Announce, capsys: pytest.CaptureFixture
) -> None:
    points = "[plyground.families]\nbroken = pack_c:MANIFEST\nwrong = pack_c.other:MANIFEST\n"
    points += "[plyground.agents]\nlost = pack_c.nowhere:Lost\nodd = pack_c.other:Odd\n"
    points += "[plyground.learners]\nlost = pack_c.nowhere:Lost\n"
    other = "MANIFEST = 3\nclass Odd:\n    def thnk(self, game, state, limit): 1\n"
    installed("pack_c", {"__init__.py": "", "other.py": other}, points)
    assert "tictactoe" in games.registry()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and all(line.startswith("plyground: families ") for line in lines)
    assert "'broken' of pack_c (pack_c:MANIFEST) cannot be loaded: AttributeError" in lines[0]
    assert "is not a Manifest but 3" in lines[1]
    assert "uct" in agents.able(games.make("tictactoe"))
    ran = run("agents")
    assert ran.returncode == 0 and "win-block:" in ran.stdout
    said = ran.stderr.splitlines()
    assert len(said) == 2 and "'lost': pack_c.nowhere:Lost cannot be loaded: ModuleNotFoundError" in said[0]
    assert "did you mean think?" in said[1]
    assert "cannot be loaded" in refusal(run("think", "tictactoe", "lost"))
    assert "cannot be loaded" in run("train", "--help").stdout


def test_train_tells_what_learners_of_packages_are(installed: Announce) -> None:
    points = "[plyground.learners]\ntoy = pack_h.learners:Toy\nmute = pack_h.mute:Mute\n"
    mute = "from pack_h.learners import Toy\n\n\nclass Mute(Toy):\n    pass\n"
    installed("pack_h", FILES | {"mute.py": mute}, points)
    told = " ".join(run("train", "--help").stdout.split())
    assert "toy Walks its bias at random." in told and "mute says nothing of itself" in told


BROKEN = """
from plyground.manifest import Manifest

MANIFEST = Manifest(
    __name__,
    agents={"gone": "nowhere:X"},
    scorings={"gone": "nowhere:Y"},
    benchmarks={"gone": "nowhere:z"},
    engines={"gone": "nowhere:z"},
    formats={".gone": "nowhere"},
    presets={"alphazero": "nowhere:PRESETS"},
    view="nowhere:VIEW",
    nets="nets",
)
"""


def test_a_family_whose_modules_are_missing_is_named_in_one_line_and_stops_nobody(
    installed: Announce, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed("pack_g", {"__init__.py": BROKEN}, "[plyground.families]\ngone = pack_g:MANIFEST\n")
    missing = "cannot be loaded: ModuleNotFoundError: No module named 'pack_g.nowhere'"
    helped = run("engine", "--help")
    assert helped.returncode == 0 and "gomocup" in helped.stdout and "gone" not in helped.stdout
    (line,) = helped.stderr.splitlines()
    assert "protocol 'gone'" in line and missing in line
    assert missing in refusal(run("engine", "gone"))
    assert missing in refusal(run("bench", "gone"))
    monkeypatch.setattr(bench, "PARTS", {})
    monkeypatch.setattr(bench, "parts", lambda: {"gone": "pack_g.nowhere:z", "none": "builtins:float"})
    assert bench.measure([], 1.0, "") == {"none": 1.0}
    with pytest.raises(InputError, match=missing):
        game_files.read(tmp_path / "x.gone")
    with pytest.raises(InputError, match="the scoring gone is for games of pack_g, not for this game"):
        scorings.make("gone", games.make("tictactoe"))
    assert "connect-four" in proven("alphazero")
    capsys.readouterr()
    assert [one.view.name for one in family_views()] == ["tetris"]
    (line,) = capsys.readouterr().err.splitlines()
    assert missing in line


def test_an_agent_without_a_word_about_itself_is_listed(installed: Announce) -> None:
    text = AGENT.replace("    '''Plays the last legal action.'''\n", "")
    installed("pack_h", {"players.py": text}, "[plyground.agents]\nmute = pack_h.players:Last\n")
    assert "\nmute: \n" in run("agents").stdout


def use(name: str) -> None:
    """Everything of the family, through Python and the command line."""
    game = games.make("heap(6)")
    assert manifest.family_of(game).package == name
    assert agents.usual(game) == "last(skip=1)" and "last" in agents.able(game)
    assert agents.make("last").think(game, rules.new(game)).action == 1
    assert type(scorings.make("auto", game)).__name__.startswith("Level")
    with pytest.raises(InputError, match="the scoring level is for heap"):
        scorings.make("level", games.make("tictactoe"))
    assert [one.view.title for one in family_views() if one.family.package == name] == ["Heaps"]
    assert answer("match", "heap", "last", "minimax(depth=2)", "--games", "2", "--jobs", "1")["games"] == 2
    assert answer("play", "heap(3)", "--you", "random")["second"] == "last(skip=1)"
    assert "heap" in run("games").stdout


def test_an_installed_package_announces_a_family(installed: Announce) -> None:
    installed("pack_d", FILES, "[plyground.families]\nheaps = pack_d:MANIFEST\n")
    use("pack_d")


def test_a_family_is_added_by_one_line_in_the_registry(
    installed: Announce, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(plyground.games, "FAMILIES", [*plyground.games.FAMILIES, "pack_e"])
    installed("pack_e", FILES, "")
    use("pack_e")
    pytest.importorskip("torch")
    trained = answer("train", "toy", "tictactoe", "--out", str(tmp_path / "run"), "--games", "4")
    assert trained["algorithm"] == "toy" and trained["games"] == 4


def test_an_agent_of_a_file_plays_the_game_of_a_package(installed: Announce, tmp_path: Path) -> None:
    installed("pack_f", FILES, "[plyground.games]\npile = pack_f.rules:Heap\n")
    (tmp_path / "mine.py").write_text(AGENT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
        game = games.make("pile")
        agent = agents.make(str(tmp_path / "mine.py"))
        assert agent.think(game, rules.new(game)).action == 1
        agent.close()
