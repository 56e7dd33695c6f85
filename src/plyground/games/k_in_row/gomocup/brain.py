"""What thinks for an engine: an agent in a thread of its own, where everything slow is imported and compiled.

Nothing heavy is imported before that thread runs, so that an engine answers at once.
"""

from __future__ import annotations

import gc
import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import platformdirs

from ....cache_folder import PACKED
from ....child import Child
from ....jit.progress import compilations, described
from ....machine import cores, give_back_memory
from ....spec import InputError, bind, parameters, parse
from ....user_files import is_file
from .instant import BLOCKED, OTHER, OWN, Board, Cell

NET, NO_NET = "gomoku-master(seconds=None)", "gomoku-classic(seconds=None)"  # agents without a time of their own
NETS_AGENT = parse(NET)[0]
AGENT = NET if find_spec("onnxruntime") else NO_NET  # the engine's, unless another is named
BESIDES = 270  # megabytes of the process besides the agent's own: Python, NumPy, the compiler at work
LEAST, MOST = 16, 512  # megabytes for an agent that asks for a bound
LONGEST = 86400.0  # seconds a move: the driver's time is what counts
SOON = 5.0  # seconds in which an agent is ready whose kernels are compiled already, on a machine that is not very busy
TABLE = "import sys; sys.path.append({!r}); from plyground.games.k_in_row.pattern_net.kept import main; main()"
KERNELS = ("run_to_end", "run_to_leaves", "deepen")  # those that take longest to compile, of the engine's agents
HEAD_START = 8.0  # seconds, at most, that the compiler waits for who stands in: one, unless the machine is busy
SETTLED = 2.2  # seconds after START in which a driver may still name the rule: it does after OK, for which it waits two
GIVING_WAY, PAUSE = (
    20.0,
    0.005,
)  # seconds, at most, that it waits for moves of who stands in on a single core; at a time
LATE = 0.02  # seconds after its time in which a search may still tell its choice


@dataclass(frozen=True)
class Choice:
    """A move and what the agent thinks of it.  The value is for us, 1 won and -1 lost; None if it does not judge."""

    cell: Cell
    value: float | None = None
    simulations: int = 0
    seconds: float = 0.0
    line: list[Cell] = field(default_factory=list)
    note: str = ""  # why the agent was not asked
    interpreted: bool = False  # by the agent in plain Python, since it was still being compiled


@dataclass
class Task:
    """A position to think about until some time; what is found is told on the way."""

    board: Board
    until: float  # by time.monotonic
    megabytes: int
    fresh: bool  # does a new game begin?
    stop: Callable[[], bool]
    prepare: bool = False  # only import and compile
    choice: Choice | None = None
    problem: str = ""
    done: threading.Event = field(default_factory=threading.Event)
    given: float = field(default_factory=time.monotonic)

    def over(self) -> bool:
        return self.stop() or time.monotonic() >= self.until


class Brain:
    """An agent that thinks in a thread of its own."""

    def __init__(
        self, spec: str = AGENT, seed: int = 0, refuse: Callable[[Exception], None] = lambda error: None
    ) -> None:
        self.spec, self.seed = spec, seed
        self.refuse = refuse  # told if the spec makes no agent
        self.fresh = True  # is the next position one of a new game?
        self.ready = False  # is everything compiled for the board?
        self.thinking = False  # about a move
        self.stand_in: StandIn | None = None  # who plays while it is not, once that takes long
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._hiring = threading.Lock()
        self._agent: Any = None
        self._megabytes = 0
        self._awake_for = (0, 0, False)  # columns and rows, and are exactly five wanted?
        self._waking: Task | None = None
        self._waited = 0.0  # seconds that the compiler has given way
        self._helper: Child | None = None  # makes what is kept on disk, once

    def wake(self, board: Board, memory: int) -> None:
        """Begin to import and to compile what this board needs; `memory` is the limit of all, in bytes."""
        if not self._is_for(board):
            self._awake_for = (board.cols, board.rows, board.exact)
            self.ready = False
            self._dismiss()
            task = self._waking = self._ask(board, time.monotonic(), memory, lambda: True, prepare=True)
            late = threading.Timer(SOON, self._hire, (task,))  # a busy machine may take long to find out
            late.daemon = True
            late.start()

    @property
    def awake(self) -> bool:
        """Can it be asked, since it is ready, or since what keeps it from that is known?"""
        return self.ready or (self._waking is not None and self._waking.done.is_set())

    @property
    def compiling(self) -> str:
        """What is being compiled for it, and how far that is; nothing if nothing is."""
        found = compilations.under_way[-1:]
        return "".join(described(one.kernel, one.share, one.seconds_left) for one in found)

    def think(self, board: Board, until: float, memory: int, stop: Callable[[], bool]) -> Task:
        """Think until some time; what comes back has no choice if the agent is not ready by then."""
        self.thinking = True
        task = self._ask(board, until, memory, stop)
        while not task.done.wait(0.005):
            now = time.monotonic()
            if stop():
                until = min(until, now)
            if now > until + LATE:
                break
        self.thinking = False
        return task

    def _ask(self, board: Board, until: float, memory: int, stop: Callable[[], bool], prepare: bool = False) -> Task:
        megabytes = min(max((memory >> 20) - BESIDES, LEAST), MOST)
        task = Task(board.copy(), until, megabytes, self.fresh, stop, prepare)
        self.fresh = False
        self._tasks.put(task)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True, name="brain")
            self._thread.start()
        return task

    def _work(self) -> None:
        while task := self._tasks.get():
            try:
                self._do(task)
            except Exception as error:  # whatever an agent does, the engine goes on
                task.problem = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            task.done.set()

    def _do(self, task: Task) -> None:
        """Think about a position, unless that is too late."""
        if task.prepare and not self._is_for(task.board):
            return  # another board, or rule, came before it was begun
        if task.prepare and compiled_before():
            self._make_table(task.board)
        elif task.prepare:
            self._hire(task)  # who gets ready while this process imports what compiles
        from ....agents.base import Limit, Thought

        self._make_agent(task)
        if task.prepare:
            self._get_ready(task)
        if task.over() or task.board.full():
            return
        game, state = position(task.board)

        def told(thought: Thought) -> None:
            cells = [(int(a) % game.m, int(a) // game.m) for a in (thought.action, *thought.line)]
            if task.board.free(cells[0]):
                said = thought.value, thought.simulations, thought.seconds, cells[1:]
                task.choice = Choice(cells[0], *said, interpreted=isinstance(self, StandIn))

        seconds = max(task.until - time.monotonic(), 0.0)
        told(self._agent.think(game, state, Limit(seconds=seconds, stop=task.over, watch=told)))

    def _make_table(self, board: Board) -> None:
        """Have the table of the net made beside this process, which imports meanwhile; it is kept for later ones."""
        if parse(self.spec)[0] == NETS_AGENT and cores() > 1 and not any(own_folder("tables").glob("*")):
            code = TABLE.format(str(Path(__file__).parents[4]))
            told = board.cols, board.rows, int(board.exact)
            self._helper = Child([sys.executable, "-P", "-c", code, *map(str, told)])

    def _make_agent(self, task: Task) -> None:
        """Have an agent with this much memory, ready for this game."""
        if self._agent is None or self._megabytes != task.megabytes:
            try:
                self._agent, self._megabytes = engine_agent(self.spec, task.megabytes), task.megabytes
            except InputError as error:
                self.refuse(error)
                raise
        elif not task.fresh:
            return
        self._agent.begin(self.seed)

    def _get_ready(self, task: Task) -> None:
        """Load or compile what the board needs; while that compiles, the agent can be asked interpreted."""
        from ....jit.progress import NotCompiled, without_compiling

        try:
            with without_compiling():
                self._warm_up(task.board)
        except NotCompiled:
            self._hire(task)
            self._give_head_start()
            self._agent.read(position(task.board)[0])  # the table of a net takes a second where it is made
            while self._is_for(task.board) and time.monotonic() < task.given + SETTLED:
                time.sleep(0.01)  # a rule that comes now spares the compiler its work for another
            if self._is_for(task.board):
                self._compile(task.board)
        if self.ready:
            self._dismiss(at_once=False)

    def _compile(self, board: Board) -> None:
        """Have all compiled that the board needs, and only then let the agent have what takes its memory.

        The compiler, and who stands in, need nearly all that a driver allows.
        """
        compilations.watch = lambda compilation, ended: self._give_way()
        try:
            self._make_kernels(board)
        finally:
            compilations.watch = None
        self.ready = self._is_for(board)  # else another board, or rule, came meanwhile
        if self.ready and (leaving := self._dismiss(at_once=False)):
            leaving.join()
        give_back_memory()
        self._warm_up(board)

    def _make_kernels(self, board: Board) -> None:
        agent = engine_agent(self.spec, LEAST)
        agent.begin(self.seed)
        agent.ready(position(board)[0])

    def _give_head_start(self) -> None:
        """Let who stands in get ready first, for a moment: a compiler takes all that a busy machine has."""
        end = time.monotonic() + HEAD_START
        while (stand_in := self.stand_in) and not stand_in.awake and time.monotonic() < end:
            time.sleep(0.01)

    def _give_way(self) -> None:
        """On a single core, let who stands in think first: the compiler has the time of the opponent's moves."""
        while cores() == 1 and self._waited < GIVING_WAY and (stand_in := self.stand_in) and stand_in.thinking:
            time.sleep(PAUSE)
            self._waited += PAUSE

    def _hire(self, task: Task) -> None:
        """Have somebody who stands in, unless the agent is ready for the board by now."""
        board = task.board
        with self._hiring:
            if self.ready or self.stand_in or is_file(parse(self.spec)[0]) or not self._is_for(board):
                return
            self.stand_in = StandIn(self.spec, self.seed)
            self.stand_in.wake(board, (task.megabytes + BESIDES) << 20)

    def _is_for(self, board: Board) -> bool:
        return self._awake_for == (board.cols, board.rows, board.exact)

    def _dismiss(self, at_once: bool = True) -> threading.Thread | None:
        """Nobody stands in any more; who does may be in the midst of a move, which it ends unless that is unwanted.

        The thread that waits for that, if one does.
        """
        with self._hiring:
            stand_in, self.stand_in = self.stand_in, None
        if stand_in and at_once:
            stand_in.close()
        elif stand_in:
            leaving = threading.Thread(target=stand_in.finish, daemon=True, name="dismissal")
            leaving.start()
            return leaving
        return None

    def _warm_up(self, board: Board) -> None:
        """Think for a moment, and again two moves later, so that everything is compiled that a game needs."""
        from ....agents.base import Limit

        board = Board(board.cols, board.rows, board.exact)
        for _ in range(2):
            game, state = position(board)
            thought = self._agent.think(game, state, Limit(simulations=500, seconds=0.05))
            line = [thought.action, *thought.line[1:2]]
            for who, action in zip((OWN, OTHER), line, strict=False):
                board.stones[int(action) % game.m, int(action) // game.m] = who
        self._agent.begin(self.seed)
        self.ready = self._is_for(board)  # else another board, or rule, came meanwhile
        if not gc.isenabled():  # see `pipes.play`
            gc.freeze()
            gc.enable()


class StandIn(Brain):
    """The same agent in plain Python, in a process of its own: it plays at once, with fewer simulations."""

    def __init__(self, spec: str = AGENT, seed: int = 0) -> None:
        super().__init__(spec, seed)
        self._closed = False
        self._lock = threading.Lock()

    def close(self) -> None:
        """End the process, whatever it does, and the thread, for good: what is asked later is answered by no choice."""
        self.ready = False
        with self._lock:
            self._closed = True
        self._tasks.put(None)
        if self._agent:
            self._agent.dismiss()

    def finish(self) -> None:
        """End likewise, but not in the midst of a move."""
        with self._lock:
            self._closed = True
        self._tasks.put(None)
        if self.ready and self._thread:
            self._thread.join()
        self.close()

    def _ask(self, board: Board, until: float, memory: int, stop: Callable[[], bool], prepare: bool = False) -> Task:
        task = super()._ask(board, until, memory, stop, prepare)
        if self._closed:  # nobody may come to it any more
            task.done.set()
        return task

    def _make_agent(self, task: Task) -> None:
        from ....agents.base import Forfeit
        from ....agents.user_agent import Interpreted

        if self._agent is None:
            made = Interpreted(self.spec, LONGEST)
            # the compiler takes one core, and the net most of the time of an interpreted search
            if cores() > 2 and made.file == NETS_AGENT:
                made.named.setdefault("threads", 2)
            with self._lock:
                if self._closed:
                    raise Forfeit("it is not needed any more")
                self._agent = made
            made.start()
        if task.fresh:
            self._agent.begin(self.seed)

    def _get_ready(self, task: Task) -> None:
        self._warm_up(task.board)

    def _hire(self, task: Task) -> None:
        """Nobody stands in for a stand-in."""

    def _make_table(self, board: Board) -> None:
        """Who stands in has another net."""


def own_folder(name: str) -> Path:
    """A folder that the user's processes keep things in for one another, if there is one."""
    return platformdirs.user_cache_path("plyground", appauthor=False) / name


def compiled_before() -> bool:
    """Were kernels of the engine's agents ever compiled here, or for us?  Those of this board may lack nevertheless."""
    return any(
        found for folder in (own_folder("kernels"), PACKED) for name in KERNELS for found in folder.glob(f"*/{name}-*")
    )


def engine_agent(spec: str, megabytes: int) -> Any:
    """The agent of a spec, with this much memory unless the spec itself says how much."""
    from .... import agents

    name, args, named = parse(spec)
    if is_file(name):
        return agents.make(spec)
    maker: Any = agents.maker(name)
    values = bind(maker, name, args, named)
    if any(option.name == "memory" for option in parameters(maker)):
        values.setdefault("memory", megabytes)
    return maker(**values)


def position(board: Board) -> tuple[Any, Any]:
    """The game of a board that nobody has won, and the state in which we are to move.

    Who moves is told by the parity of the stones: so we are the second player if their number is odd, however many of
    them are ours.  Stones that count no more are given to either side such that they make no row.
    """
    from ....rules import adopt, blank
    from ..rows import put
    from ..rules import MNK

    game: Any = adopt(MNK)(board.cols, board.rows, 5, board.exact)
    state = blank(game)
    mover = len(board.stones) & 1
    for (x, y), who in board.stones.items():
        ours = (x + 2 * y) % 4 < 2 if who == BLOCKED else who == OWN
        player = mover if ours else 1 - mover
        state.cells[y * game.m + x] = player + 1
        put(game, state, y * game.m + x, player)
        state.stones += 1
    return game, state
