"""The interface of agents: what is asked of them, what the defaults answer, and what is refused."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import plyground
from plyground import agents, games, rules
from plyground.agents.base import METHODS, REQUIRED, Agent, Forfeit, Limit, Thought, adopt, gives
from plyground.spec import InputError

TICTACTOE = games.make("tictactoe")


class First:
    """Plays the first legal action."""

    def __init__(self, skip: int = 0) -> None:
        self.skip = skip

    def think(self, game: Any, state: Any, limit: Any) -> Any:
        return Thought(rules.legal(game, state)[self.skip])


def test_every_method_says_what_holds_and_only_think_is_required() -> None:
    assert REQUIRED == ["think"]
    for name, method in METHODS.items():
        assert method.__doc__ and method.__doc__.rstrip().endswith("."), name
        assert name in REQUIRED or name == "close" or "Default:" in method.__doc__, name


def test_defaults_answer_what_an_agent_does_not() -> None:
    agent = adopt(First)(skip=-1)
    agent.begin(3)
    assert agent.rng.integers(100) == agents.make("random", 3).rng.integers(100)
    assert agent.think(TICTACTOE, rules.new(TICTACTOE), Limit()).action == 8
    assert agent.line(4) == [] and agent.seconds is None and agent.memory == 0
    for ask in (lambda: agent.choices(TICTACTOE, rules.new(TICTACTOE)), lambda: agent.children([])):
        with pytest.raises(InputError):
            ask()
    agent.must_play(TICTACTOE)
    agent.ready(TICTACTOE)
    agent.close()
    alone = games.make("against-random('tictactoe')")
    state, moves = agent.play_alone(alone, 5, 100)
    assert alone.over(state) and 3 <= moves <= 5
    assert agent.play_alone(alone, 5, 2)[1] == 2


def test_an_agent_that_forfeits_at_once_is_made_ready_in_peace() -> None:
    class Never(Agent):
        def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
            raise Forfeit("no")

    Never().ready(TICTACTOE)


def test_what_an_agent_answers_itself_is_known_before_it_is_made() -> None:
    assert gives(agents.maker("win-block"), "choices") and not gives(agents.maker("uct"), "choices")
    assert gives(agents.make("uct"), "line", "children") and not gives(agents.make("random"), "line")
    assert gives(adopt(First), "think") and not gives(adopt(First), "think", "begin")


def changed(**methods: Any) -> Any:
    return type("Mine", (First,), methods)


@pytest.mark.parametrize(
    "cls, says",
    [
        (3, "3 is not an agent: write `class Name:`"),
        (type("Empty", (), {}), "Empty lacks the method think"),
        (type("Heir", (Agent,), {}), "Heir lacks the method think"),
        (type("Mine", (), {"thnk": lambda self, game, state, limit: 0}), "Mine.thnk is not a .*did you mean think?"),
        (changed(plays_alone=lambda self, game, seed, moves: None), "did you mean play_alone?"),
        (changed(childern=lambda self, path: []), "did you mean children?"),
        (changed(begin=lambda self: None), r"Mine.begin takes \(\); an agent's takes \(seed\)"),
        (changed(think=lambda self, state: 0), r"takes \(state\); an agent's takes \(game, state, limit\)"),
    ],
)
def test_what_cannot_be_an_agent_is_refused_in_one_line(cls: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says) as refused:
        adopt(cls)
    assert "\n" not in str(refused.value)


def test_private_methods_and_classmethods_are_free() -> None:
    def must_play(cls: Any, game: Any) -> None:
        raise InputError("not me")

    mine = adopt(changed(_thinks=lambda self: 1, must_play=classmethod(must_play), helper=lambda self, x: x))
    with pytest.raises(InputError, match="not me"):
        mine.must_play(TICTACTOE)


def test_nobody_looks_for_methods_that_agents_may_lack() -> None:
    """No caller asks by `getattr` or `hasattr` whether an agent has a method: the interface has them all."""
    for path in Path(plyground.__file__).parent.rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text if "getattr" in text or "hasattr" in text else "")):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "hasattr"):
                name = node.args[1]
                assert not (isinstance(name, ast.Constant) and name.value in METHODS), f"{path.name}:{node.lineno}"
