"""Agents from files: each in a process of its own, under a time limit; whatever it does, the laboratory goes on."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import answer, refusal, run
from plyground import agents, games, rules
from plyground.agents import user_agent
from plyground.agents.base import Forfeit, Limit, Thought
from plyground.agents.messages import read_game, read_state, read_thought, written_game, written_state, written_thought
from plyground.agents.user_agent import UserAgent
from plyground.arena.match import Plan, play_match
from plyground.arena.tournament import Tournament, play_tournament
from plyground.spec import InputError
from toys import heap, heap_file

TICTACTOE = games.make("tictactoe")
START = rules.new(TICTACTOE)
HEAD = "import os, random, sys, time\nfrom plyground.rules import legal\n\n\nclass Mine:\n"
FIRST = "return legal(game, state)[0]"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Writes a file with an agent whose `think` does this; returns its path."""

    def made(think: str, name: str = "mine", more: str = "") -> str:
        body = "".join(f"        {line}\n" for line in think.splitlines())
        rest = "".join(f"    {line}\n" for line in more.splitlines())
        (tmp_path / f"{name}.py").write_text(f"{HEAD}{rest}    def think(self, game, state, limit):\n{body}")
        return str(tmp_path / f"{name}.py")

    return made


def lost(agent: Any, limit: Limit = Limit()) -> str:
    """Why an agent forfeits the first move."""
    with pytest.raises(Forfeit) as forfeit:
        agent.think(TICTACTOE, START, limit)
    assert "\n" not in str(forfeit.value)
    return str(forfeit.value)


def is_gone(pid: str) -> bool:
    """Has a process ended, or will it at once?"""
    until = time.monotonic() + 300
    with suppress(OSError):
        while (state := Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]) != "Z":
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return state == "Z"
    return True


def test_a_plain_class_with_think_plays_and_its_constructor_gives_it_options(write: Callable[..., str]) -> None:
    init = "def __init__(self, skip: int, often=1.5):\n    self.skip, self.often = skip, often"
    path = write("return legal(game, state)[self.skip]", more=init)
    for spec, action in ((f"{path}(4)", 4), (f"{path}:Mine(skip=2, often=3)", 2)):
        agent = agents.make(spec)
        assert agent.think(TICTACTOE, START).action == action
        agent.close()
    for spec, says in ((path, "needs skip"), (f"{path}(1, 2, 3)", "at most 2"), (f"{path}('x')", "whole number")):
        with pytest.raises(InputError, match=says):
            agents.make(spec)


def test_a_process_that_computes_nothing_does_not_wait_for_the_compiler(write: Callable[..., str]) -> None:
    agent = agents.make(write(f"if not {{'numba', 'torch', 'typer'}} & set(sys.modules): {FIRST}"))
    agent.ready(TICTACTOE)
    assert agent.think(TICTACTOE, START).action == 0
    agent.close()


def test_a_thought_comes_whole_and_so_do_those_on_the_way(write: Callable[..., str]) -> None:
    path = write(
        "from plyground.agents.base import Move, Thought\n"
        "said = Thought(4, 0.5, 7, 0.25, [Move(4, 6, 0.5, True, 0.75), Move(0, 1, -0.5)], [4, 0], 'a guess')\n"
        "limit.watch and limit.watch(said)\n"
        "return said"
    )
    agent, seen = agents.make(path), list[Thought]()
    thought = agent.think(TICTACTOE, START, Limit(watch=seen.append))
    assert seen == [thought] and thought == read_thought(written_thought(thought), 9)
    assert (thought.value, thought.simulations, thought.seconds, thought.line) == (0.5, 7, 0.25, [4, 0])
    assert thought.note == "a guess"
    assert thought.moves[0].proven and thought.moves[0].prior == 0.75 and thought.moves[1].prior is None
    agent.close()


FAILS = {  # what it does, and why it has lost
    "1 / 0": "it failed: ZeroDivisionError: division by zero (mine.py, line 7)",
    "raise ValueError('two\\nlines')": "it failed: ValueError: two lines (mine.py, line 8)",
    "sys.exit(3)": "it failed: SystemExit: 3 (mine.py, line 9)",
    "return 9": "it played 9, which is not a legal action here",
    "return -1": "it played -1, which is not a legal action here",
    "return None": "it failed: TypeError: think returned None, neither an action nor a Thought",
    "return True": "it failed: TypeError: think returned True, neither an action nor a Thought",
    "return 2**70": "it answered nonsense",
    "from plyground.agents.base import Forfeit; raise Forfeit('I am lost')": "I am lost",
    "bytearray(10**11)": "it failed: MemoryError:",
}


def test_whatever_goes_wrong_forfeits_with_the_reason(write: Callable[..., str]) -> None:
    lines = [f"if limit.simulations == {number}: {does}" for number, does in enumerate(FAILS, start=1)]
    agent = agents.make(write("\n".join(lines)))
    for number, says in enumerate(FAILS.values(), start=1):
        for _ in range(2):  # in the next game again
            assert lost(agent, Limit(simulations=number)).startswith(says)
    agent.close()


@pytest.mark.parametrize(
    "think, says",
    [
        ("os._exit(3)", "it ended with exit code 3"),
        ("os.kill(os.getpid(), 11)", "it ended with exit code 139 (SIGSEGV)"),
        ("sys.stderr.write('so it goes\\n')\nos._exit(4)", "it ended with exit code 4: so it goes"),
    ],
)
def test_one_that_ends_its_process_forfeits_with_the_reason(think: str, says: str, write: Callable[..., str]) -> None:
    agent = agents.make(write(think))
    assert lost(agent) == says
    assert lost(agent) == says  # in the next game again
    agent.close()


def test_an_endless_loop_is_ended_after_its_seconds_and_their_grace(
    write: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_agent, "GRACE", 0.3)
    child = "import subprocess\nself.child = subprocess.Popen(['sleep', '100'])\n"
    path = write(child + "open(__file__ + '.pids', 'w').write(f'{os.getpid()} {self.child.pid}')\nwhile True: pass")
    agent = agents.make(path, move_seconds=0.2)
    begun = time.monotonic()
    assert lost(agent) == "it did not answer within 0.2 s and 0.3 s of grace"
    assert time.monotonic() - begun < 60
    assert lost(agent, Limit(seconds=0.1)) == "it did not answer within 0.1 s and 0.3 s of grace"
    assert lost(agent, Limit(seconds=50)) == "it did not answer within 0.2 s and 0.3 s of grace"
    for pid in Path(path + ".pids").read_text().split():
        assert is_gone(pid)


def test_one_that_floods_is_ended_like_one_that_says_nothing(
    write: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_agent, "GRACE", 0.3)
    flood = "from plyground.agents.base import Thought\nwhile True: limit.watch(Thought(0))"
    agent = agents.make(write(flood), move_seconds=200)
    begun = time.monotonic()
    limit = Limit(seconds=0.5, watch=lambda thought: None)
    assert lost(agent, limit) == "it did not answer within 0.5 s and 0.3 s of grace"
    late = time.monotonic() + 0.5
    stopping = Limit(watch=lambda thought: None, stop=lambda: time.monotonic() > late)
    assert lost(agent, stopping) == "it was stopped before it had chosen"
    assert time.monotonic() - begun < 100
    agent.close()


def test_a_stop_reaches_the_agent_and_one_that_does_not_listen_forfeits(
    write: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = user_agent.GRACE
    monkeypatch.setattr(user_agent, "GRACE", 60)  # however busy the machine is
    polite = agents.make(write(f"while not limit.stop(): time.sleep(0.01)\n{FIRST}", "polite"))
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    assert polite.think(TICTACTOE, START, Limit(stop=stop)).action == 0
    monkeypatch.setattr(user_agent, "GRACE", usual)
    deaf = agents.make(write("time.sleep(600)", "deaf"))
    assert lost(deaf, Limit(stop=lambda: True)) == "it was stopped before it had chosen"
    polite.close()


def test_what_it_prints_reads_or_draws_disturbs_nobody(write: Callable[..., str], capfd: Any) -> None:
    path = write("print('{\"id\": 1, \"is\": 3}')\nos.system('echo loud')\nassert sys.stdin.read() == ''\n" + FIRST)
    agent = agents.make(path)
    assert agent.think(TICTACTOE, START).action == 0
    agent.close()
    assert capfd.readouterr() == ("", "")


def test_seeds_begin_every_game(write: Callable[..., str]) -> None:
    agent = agents.make(write("return int(self.rng.choice(legal(game, state)))"), seed=5)
    wanted = int(np.random.default_rng(5).choice(9))
    assert agent.think(TICTACTOE, START).action == wanted
    agent.begin(5)
    assert agent.think(TICTACTOE, START).action == wanted
    agent.close()  # started again, it is told the seed again
    assert agent.think(TICTACTOE, START).action == wanted
    agent.close()


def test_it_plays_games_of_files_and_games_in_games(write: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "heap.py").write_text(heap_file(4))
    for spec in (f"{tmp_path / 'heap.py'}:Heap(3)", "against-random('tictactoe')", "line-taking", "gomoku(9)"):
        game = games.make(spec)
        again = read_game(written_game(game))
        assert again == game and type(again) is type(game)
        state = rules.new(game)
        assert read_state(again, written_state(state)).tobytes() == state.tobytes()
    agent = agents.make(write(FIRST))
    own = games.make(f"{tmp_path / 'heap.py'}")
    assert agent.think(own, rules.new(own)).action == 0
    (tmp_path / "heap.py").write_text(heap_file(4).replace("1.0 if state.turn", "0.5 if state.turn"))
    agent.close()
    with pytest.raises(InputError, match="has changed meanwhile"):  # and no loss: the agent cannot help it
        agent.think(own, rules.new(own))
    (tmp_path / "heap.py").write_text("1 / 0\n")
    with pytest.raises(InputError, match="cannot be imported"):
        agent.think(own, rules.new(own))
    agent.close()


def test_a_game_that_no_file_holds_cannot_be_told() -> None:
    with pytest.raises(InputError, match="save the game in a file"):
        written_game(heap())


def test_other_questions_are_handed_on(write: Callable[..., str]) -> None:
    more = "def choices(self, game, state):\n    return legal(game, state)[:2]\n"
    more += "def line(self, action):\n    return [action, 1]\n"
    agent = agents.make(write(FIRST, more=more))
    assert agent.choices(TICTACTOE, START) == [0, 1] and agent.line(3) == []
    agent.think(TICTACTOE, START)
    assert agent.line(3) == [3, 1]
    with pytest.raises(InputError, match="grows no tree"):
        agent.children([])
    agent.close()
    plain = agents.make(write(FIRST, "plain"))
    with pytest.raises(InputError, match="does not tell its move probabilities"):
        plain.choices(TICTACTOE, START)
    plain.close()


def test_nonsense_in_answer_to_other_questions_is_told_in_one_line(write: Callable[..., str]) -> None:
    more = "def choices(self, game, state):\n    return [99]\n"
    more += "def line(self, action):\n    return [-1]\n"
    more += "def children(self, path):\n    from plyground.agents.base import Move\n    return [Move(99, 1, 0.0)]\n"
    agent = agents.make(write(FIRST, more=more))
    agent.think(TICTACTOE, START)
    for ask in (lambda: agent.choices(TICTACTOE, START), lambda: agent.line(0), lambda: agent.children([])):
        with pytest.raises(InputError, match="it answered nonsense"):
            ask()
    agent.close()


def test_an_agent_that_cannot_be_made_again_says_why_each_time(write: Callable[..., str]) -> None:
    agent = agents.make(write(FIRST))
    agent.close()
    write(FIRST, more="def __init__(self):\n    1 / 0")
    for _ in range(2):
        assert lost(agent).startswith("it failed: ZeroDivisionError")
        assert agent not in user_agent._open


def test_one_that_does_not_play_the_game_says_so_each_time(write: Callable[..., str]) -> None:
    refuse = "from plyground.spec import InputError\n    raise InputError('not this game')"
    agent = agents.make(write(FIRST, more=f"@classmethod\ndef must_play(cls, game):\n    {refuse}"))
    assert lost(agent) == lost(agent) == "not this game"
    agent.close()


def test_close_reaches_the_agent_but_has_not_for_ever(write: Callable[..., str]) -> None:
    for name, then in (("quick", "pass"), ("endless", "while True: pass"), ("failing", "1 / 0")):
        path = write(FIRST, name, f"def close(self):\n    open(__file__ + '.closed', 'w').close()\n    {then}")
        agent = agents.make(path)
        begun = time.monotonic()
        agent.close()
        assert Path(path + ".closed").exists() and time.monotonic() - begun < 60


def test_a_busy_agent_is_not_ended_to_make_room(write: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor while it is about to be asked: another thread may want room between any two steps."""
    monkeypatch.setattr(user_agent, "MOST_OPEN", 1)
    one, other = agents.make(write(FIRST, "one")), agents.make(write(FIRST, "other"))
    one.close()
    other.close()
    asked, rightly = UserAgent._request, list[bool]()

    def request(self: UserAgent, do: str, *told: Any) -> Any:
        if do == "think" and self is one:
            other.ready(TICTACTOE)
            rightly.append(one._program is not None)
        return asked(self, do, *told)

    monkeypatch.setattr(UserAgent, "_request", request)
    assert one.think(TICTACTOE, START).action == 0 and rightly == [True]
    one.close()
    other.close()


@pytest.mark.parametrize(
    "text, says",
    [
        ("def f(:\n", "cannot be imported: SyntaxError"),
        ("import os\nos._exit(7)\n", "makes no agent: it ended with exit code 7"),
        ("x = 1\n", "holds no agent"),
        (HEAD + "    def thnk(self, game, state, limit):\n        pass\n    think = thnk\n", "did you mean think?"),
        (HEAD + "    def think(self, state):\n        pass\n", "an agent's takes (game, state, limit)"),
        (
            HEAD + "    def __init__(self):\n        1 / 0\n    def think(self, game, state, limit): 1\n",
            "ZeroDivisionError",
        ),
        ("class A:\n    def think(s, game, state, limit): 1\nclass B(A): pass\n", "holds several agents, name one of"),
    ],
)
def test_a_file_that_makes_no_agent_is_refused_in_one_line(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    refused = refusal(run("think", "tictactoe", str(tmp_path / "mine.py")))
    assert says in refused


def test_a_file_that_is_not_there_is_refused() -> None:
    assert "there is no file" in refusal(run("think", "tictactoe", "nowhere/mine.py:Mine"))


def test_few_processes_are_open_at_once(write: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_agent, "MOST_OPEN", 2)
    made = [agents.make(write(FIRST, f"mine{number}")) for number in range(4)]
    assert user_agent._open == made[2:]
    assert made[0].think(TICTACTOE, START).action == 0
    assert user_agent._open == [made[3], made[0]]
    for agent in made:
        agent.close()
    assert user_agent._open == []


def test_a_process_does_not_outlive_whoever_began_it(write: Callable[..., str]) -> None:
    path = write("open(__file__ + '.pid', 'w').write(str(os.getpid()))\n" + FIRST)
    code = "import os, sys\nfrom plyground import agents, games, rules\ngame = games.make('tictactoe')\n"
    code += "agents.make(sys.argv[1]).think(game, rules.new(game))\nos.kill(os.getpid(), 9)\n"
    subprocess.run([sys.executable, "-c", code, path], check=False)
    pid = Path(path + ".pid").read_text()
    assert is_gone(pid)


def test_strangers_play_a_round_robin(write: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_agent, "GRACE", 0.2)
    thinks = {
        "fine": FIRST,
        "last": "return legal(game, state)[-1]",
        "endless": "while True: time.sleep(9)",  # costs nothing; one that computes is ended above
        "crash": "1 / 0",
        "gone": "os._exit(1)",
        "illegal": "return 4",
    }
    files = [write(think, name) for name, think in thinks.items()]
    standings = play_tournament(Tournament("tictactoe", tuple(files), 2, move_seconds=0.2))
    assert standings.complete
    forfeits = {name: standings.forfeits(agent) for agent, name in enumerate(thinks)}
    assert forfeits["fine"] == forfeits["last"] == []
    # a forfeit for each game, but where the other, to move first, forfeits before
    assert all(5 <= len(forfeits[name]) <= 10 for name in ("endless", "crash", "gone"))
    assert {reason[:12] for reason in forfeits["illegal"]} == {"it played 4,"}
    assert standings.tally(0, 2).wins == standings.tally(0, 5).wins == 2
    assert user_agent._open == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_that_make_no_agent_lose_a_tournament_but_are_refused_in_a_match(
    jobs: int, write: Callable[..., str], tmp_path: Path
) -> None:
    fine, broken = write(FIRST, "fine"), write(FIRST, "broken", "def __init__(self):\n    1 / 0")
    (tmp_path / "unread.py").write_text("def f(:\n")
    standings = play_tournament(Tournament("tictactoe", (fine, broken, str(tmp_path / "unread.py")), 2), jobs)
    assert standings.complete and standings.forfeits(0) == [] and standings.tally(0).wins == 4
    assert all("broken.py makes no agent: it failed: ZeroDivisionError" in why for why in standings.forfeits(1))
    assert all("cannot be imported: SyntaxError" in why for why in standings.forfeits(2))
    assert min(len(standings.forfeits(agent)) for agent in (1, 2)) >= 2
    with pytest.raises(InputError, match="makes no agent"):
        play_match(Plan("tictactoe", (fine, broken), 2))
    with pytest.raises(InputError, match="there is no file"):
        play_tournament(Tournament("tictactoe", (fine, "nowhere.py"), 2))


def test_a_second_match_reads_a_changed_file_again(write: Callable[..., str]) -> None:
    for action in (3, 5):
        path = write(f"return {action} if {action} in legal(game, state) else legal(game, state)[0]")
        assert play_match(Plan("tictactoe", (path, "random"), 1)).records[0].actions[0] == action


def test_a_match_whose_game_changes_under_an_agent_is_no_loss(write: Callable[..., str], tmp_path: Path) -> None:
    rules_file = tmp_path / "heap.py"
    rules_file.write_text(heap_file(4))
    (tmp_path / "other.py").write_text(heap_file(4).replace("1.0 if state.turn", "0.5 if state.turn"))
    path = write(f"os.replace({str(tmp_path / 'other.py')!r}, {str(rules_file)!r})\nos._exit(1)")
    with pytest.raises(InputError, match="has changed meanwhile"):
        play_match(Plan(str(rules_file), (path, "random"), 4))


def test_the_table_of_a_tournament_tells_why(write: Callable[..., str]) -> None:
    ran = run("tournament", "tictactoe", write(FIRST, "fine"), write("1 / 0", "crash"), "--games", "2", "--jobs", "1")
    assert ran.returncode == 0, ran.stderr
    assert "crash.py forfeited 2 games; the last: it failed: ZeroDivisionError" in ran.stdout


def test_commands_take_agents_of_files(write: Callable[..., str]) -> None:
    path = write(FIRST)
    assert answer("think", "tictactoe", path)["name"] == "a3"
    played = answer("play", "tictactoe", "--you", path, "--agent", path)
    assert played["moves"][:2] == ["a3", "b3"]
    told = answer("match", "tictactoe", f"{path}:Mine", "random", "--games", "2", "--jobs", "1")
    assert told["games"] == 2
    scored = answer("score", "tetris(6,12)", path, "--games", "2", "--moves", "3", "--jobs", "1")
    assert scored["games"] == 2
    slow = write("time.sleep(9)", "slow")
    assert "within 0.1 s" in refusal(run("think", "tictactoe", slow, "--move-seconds", "0.1"))


def test_a_changed_file_is_read_again_when_the_agent_is_made_again(write: Callable[..., str]) -> None:
    for action in (3, 5):
        agent = agents.make(write(f"return {action}"))
        assert isinstance(agent, UserAgent) and agent.think(TICTACTOE, START).action == action
        agent.close()


def test_an_interpreted_agent_grows_the_same_tree_without_a_compiler() -> None:
    game = games.make("tictactoe")
    state, text = rules.new(game), "uct(sims=60, seed=3)"
    agent = user_agent.Interpreted(text)
    try:
        told = agent.think(game, state, Limit(seconds=60))
    finally:
        agent.close()
    compiled = agents.make(text).think(game, state)
    assert told.simulations == 60 and told.moves == compiled.moves and told.action == compiled.action


def test_an_interpreted_agent_leaves_out_what_takes_long_unless_it_is_told() -> None:
    assert user_agent.Interpreted("alphazero").named == {"threats": -1}
    assert user_agent.Interpreted("alphazero(threats=2)").named == {"threats": 2}
    assert user_agent.Interpreted("gomoku-master").named == {"threats": -1}
    assert user_agent.Interpreted("uct").named == {}
