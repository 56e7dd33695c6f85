"""The engine for Go and others: what a controller says, and what it hears."""

from __future__ import annotations

import pytest

from commands import run
from plyground import agents
from plyground.agents.base import Agent, Forfeit, Limit, Thought
from plyground.games.engines.gtp import Engine
from plyground.spec import InputError


class Chatty(Agent):
    """Prints what it thinks."""

    def think(self, game, state, limit=Limit()):  # type: ignore[no-untyped-def]
        print("= A1")
        return Thought(2)


class Resigns(Agent):
    def think(self, game, state, limit=Limit()):  # type: ignore[no-untyped-def]
        raise Forfeit("no more")


def engine(game: str = "go(5)", agent: Agent | None = None) -> tuple[Engine, list[str]]:
    heard: list[str] = []
    return Engine(game, agent or agents.make("random"), 1, 2.0, heard.append), heard


def answers(game: str, *lines: str) -> list[str]:
    made, heard = engine(game)
    for line in lines:
        assert made.hear(line)
    return [answer.rstrip("\n") for answer in heard]


def test_an_engine_says_what_it_is_and_knows() -> None:
    made, heard = engine()
    for line in (
        "1 protocol_version",
        "2 name",
        "known_command play",
        "known_command fly",
        "3 list_commands",
        "# nothing",
    ):
        assert made.hear(line)
    assert heard[:4] == ["=1 2\n", "=2 Plyground\n", "= true\n", "= false\n"] and "genmove\n" in heard[4]
    assert not made.hear("quit") and heard[5:] == ["=\n"]


def test_stones_are_put_and_taken_back() -> None:
    made, heard = engine()
    for line in ("play b c3", "play W D3", "play black PASS", "genmove w"):
        made.hear(line)
    assert heard[:3] == ["=\n"] * 3 and heard[3].startswith("= ") and len(made.states) == 5
    made.hear("undo")
    made.hear("undo")
    assert made.game.cells(made.state)[12:14] == [1, 2] and len(made.states) == 3
    made.hear("showboard")
    assert " 3 . . X O .\n" in heard[-1]
    made.hear("clear_board")
    made.hear("undo")
    assert heard[-1] == "? cannot undo\n"


def test_either_colour_may_put_stones_at_go_and_nowhere_else() -> None:
    made, heard = engine()
    for line in ("play b a1", "play b b2", "play b c3", "play w c4"):
        made.hear(line)
    assert heard == ["=\n"] * 4 and made.game.cells(made.state).count(1) == 3
    assert answers("othello(6)", "play w c3")[-1] == "? it is not w's turn"


def test_sizes_and_komi_are_those_of_the_game() -> None:
    made, heard = engine()
    for line in (
        "boardsize 7",
        "komi 0.5",
        "play b d4",
        "final_score",
        "komi 70",
        "final_score",
        "komi -49",
        "final_score",
    ):
        made.hear(line)
    assert heard[3::2] == ["= B+48.5\n", "= W+21\n", "= B+98\n"]
    assert answers("go(5)", "boardsize 25", "boardsize x", "komi", "komi x", "komi nan") == [
        "? unacceptable size",
        "? boardsize needs a number",
        "? komi needs a number",
        "? komi needs a number",
        "? komi needs a number",
    ]
    assert answers("breakthrough(5,4)", "boardsize 5", "boardsize 4") == ["=", "? unacceptable size"]
    assert answers("hex(5)", "boardsize 4", "komi 5", "play b a1", "play w b1")[-1] == "="


def test_handicap_stones_lie_where_they_usually_do() -> None:
    told = answers("go(9)", "fixed_handicap 2", "fixed_handicap 3", "undo", "undo", "place_free_handicap 6")
    assert told == ["= C3 G7", "? board not empty", "=", "=", "= C3 G7 C7 G3 C5 G5"]
    assert answers("go(19)", "fixed_handicap 9") == ["= D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"]
    assert answers("go(7)", "fixed_handicap 5", "fixed_handicap x") == ["? invalid number of stones"] * 2
    assert answers("go(7)", "set_free_handicap a1 a1", "set_free_handicap a1 b2") == ["? bad vertex list", "="]
    assert answers("hex(5)", "fixed_handicap 2") == ["? unknown command"]


@pytest.mark.parametrize("game", ["2048", "pig", "backgammon"])
def test_games_of_one_player_or_of_chance_are_refused(game: str) -> None:
    with pytest.raises(InputError, match=f"and {game} is not one of them"):
        engine(game)


def test_what_makes_no_sense_is_refused() -> None:
    told = answers(
        "go(5)", "fly", "play b z9", "play b", "play x a1", "genmove", "play b a1", "play w a1", "time_left b 1"
    )
    assert told == [
        "? unknown command",
        "? illegal move",
        "? play needs a color and a vertex",
        "? invalid color x",
        "? genmove needs a color",
        "=",
        "? illegal move",
        "? time_left needs a color and two numbers",
    ]


def test_a_game_that_is_over_has_a_score_and_only_passes() -> None:
    told = answers("go(5)", "play b c3", "play w pass", "play b pass", "genmove w", "final_score")
    assert told[3:] == ["= PASS", "= B+17.5"]
    assert answers("hex(3)", "final_score") == ["? the game is not over"]
    passes = ["play b pass", "play w pass", "play b pass"]
    assert answers("go(5)", *passes, "play w c3", *passes, "final_score")[-3:] == ["=", "=", "= W+32.5"]
    made, heard = engine(agent=Resigns())
    made.hear("genmove b")
    assert heard == ["= resign\n"]


def test_the_command_serves_until_the_input_ends() -> None:
    ran = run("engine", "gtp", "--game", "hex(4)", "--agent", "random", stdin="genmove b\n7 play w d4\n")
    assert ran.returncode in (0, None) and ran.stdout.startswith("= ") and "\n\n=7\n" in ran.stdout


def test_what_an_agent_prints_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "make", lambda spec: Chatty())
    ran = run("engine", "gtp", "--game", "hex(4)", stdin="genmove b\n")
    assert ran.stdout.startswith("= C1\n") and ran.stderr == "= A1\n"


@pytest.mark.parametrize(
    "lines, low, high",
    [
        ([], 2.0, 2.0),
        (["time_settings 30 0 0"], 0.9, 1.0),
        (["time_settings 0 10 10"], 0.9, 1.0),
        (["time_settings 600 10 0"], 2.0, 2.0),
        (["time_settings 600 0 0", "time_left b 3 0"], 0.04, 0.06),
        (["time_settings 0 100 1", "time_left b 1 2"], 0.44, 0.46),
        (["time_settings 1", "time_left b 0 0"], 0.001, 0.001),
    ],
)
def test_a_move_has_its_part_of_the_time(lines: list[str], low: float, high: float) -> None:
    made, _ = engine()
    for line in lines:
        made.hear(line)
    assert low <= made.time_for(0) <= high
