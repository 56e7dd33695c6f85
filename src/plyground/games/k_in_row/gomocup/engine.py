"""The Gomocup protocol: an engine that a driver such as Piskvork starts and talks to, line by line.

This file imports nothing heavy, and answers START at once; the agent wakes up in another thread meanwhile.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from .... import __version__
from . import swap2
from .brain import Brain, Choice
from .clock import Clock
from .instant import OTHER, OWN, Board, Cell, quick

SMALLEST, LARGEST = 5, 20  # sides of the boards
MEMORY = 350 << 20  # bytes, if the driver sets no limit
ABOUT = f'name="Plyground", version="{__version__}", author="the Plyground project", country="-"'
START = 2.0  # seconds, at most, that OK waits for the agent unless told: some drivers give an engine up after three
HASTE = 0.05  # seconds that nobody waits for an agent that is not ready
PATIENCE = 0.8  # share of its time that a move waits for an agent: the rest is enough to be better than a quick one
NO_GAME = "ERROR there is no board yet: START 15"
CELL = re.compile(r"(-?\d{1,6})\s*,\s*(-?\d{1,6})", re.ASCII)
STONE = re.compile(r"(-?\d{1,6})\s*,\s*(-?\d{1,6})\s*,\s*([123])", re.ASCII)


class Engine:
    """Answers the lines of a driver.  `say` prints a line; `stopped` tells that the driver wants no more."""

    def __init__(
        self,
        brain: Brain,
        say: Callable[[str], None],
        stopped: Callable[[], bool] = lambda: False,
        asked: Callable[[], bool] = lambda: True,
        start: float = START,
    ) -> None:
        self.brain, self.say, self.stopped, self.start_seconds = brain, say, stopped, start
        self.asked = asked  # does the driver say more, without waiting for our answer?
        self.board: Board | None = None
        self.clock = Clock()
        self.memory = MEMORY
        self.rule = 0
        self.warned = False  # of a rule that we do not play
        self.block: tuple[str, list[str]] | None = None  # BOARD or SWAP2BOARD, with its lines so far
        self.commands: dict[str, Callable[[str], str]] = {
            "START": self.start,
            "RECTSTART": self.rect_start,
            "RESTART": self.restart,
            "BEGIN": self.begin,
            "TURN": self.turn,
            "BOARD": lambda words: self.open_block("BOARD"),
            "SWAP2BOARD": lambda words: self.open_block("SWAP2BOARD"),
            "TAKEBACK": self.take_back,
            "INFO": self.info,
            "ABOUT": lambda words: ABOUT,
        }

    def hear(self, line: str, received: float | None = None) -> bool:
        """Answer a line that came at this time (by time.monotonic); False if it is END."""
        self.clock.begin(time.monotonic() if received is None else received)
        word, _, words = line.strip().partition(" ")
        word, words = word.upper(), words.strip()
        if word == "END":
            return False
        if self.block and word not in self.commands:
            answer = self.close_block() if word == "DONE" else self.add_to_block(line.strip())
        elif word in self.commands:
            if word != "INFO":
                self.block = None  # another command ends a block that was left open
            answer = self.commands[word](words)
        else:
            answer = f"UNKNOWN command {printable(word)}" if word else ""
        if answer:
            self.say(answer)
        return True

    # --- the board ---------------------------------------------------------------------------------------

    def start(self, words: str) -> str:
        size = re.fullmatch(r"\d{1,6}", words, re.ASCII)
        return self.set_up(int(words), int(words)) if size else "ERROR START needs the size of the board: START 15"

    def rect_start(self, words: str) -> str:
        cell = CELL.fullmatch(words)
        return self.set_up(int(cell[1]), int(cell[2])) if cell else "ERROR RECTSTART needs two sides: RECTSTART 20,15"

    def set_up(self, cols: int, rows: int) -> str:
        if not (SMALLEST <= cols <= LARGEST and SMALLEST <= rows <= LARGEST):
            return f"ERROR boards have sides of {SMALLEST} to {LARGEST}, not {cols} x {rows}"
        self.board = Board(cols, rows, self.exact)
        self.clock.new_game()
        self.brain.fresh = True
        self.warned = False
        if not self.stopped():
            self.brain.wake(self.board, self.memory)
            # before the game, whose moves are timed, as this is not; but nobody waits for long
            self.wait(time.monotonic() + self.start_seconds, lambda: self.brain.awake or self.asked())
        return "OK"

    def wait(self, end: float, enough: Callable[[], bool]) -> None:
        """Wait for the agent until this time, or until that is enough, or the driver wants no more."""
        while not (enough() or self.stopped()) and time.monotonic() < end:
            time.sleep(0.01)

    def restart(self, words: str) -> str:
        return self.set_up(self.board.cols, self.board.rows) if self.board else NO_GAME

    @property
    def exact(self) -> bool:
        return bool(self.rule & 1)

    def take_back(self, words: str) -> str:
        cell = CELL.fullmatch(words)
        if not self.board:
            return NO_GAME
        if not cell:
            return "ERROR TAKEBACK needs a cell: TAKEBACK 7,7"
        if self.board.stones.pop((int(cell[1]), int(cell[2])), None) is None:
            return f"ERROR there is no stone on {printable(words)}"
        return "OK"

    # --- what the driver tells ---------------------------------------------------------------------------

    def info(self, words: str) -> str:
        """Remember what matters; drivers expect silence, whatever it is."""
        key, _, value = words.partition(" ")
        if not re.fullmatch(r"-?\d{1,18}", value.strip(), re.ASCII):
            return ""
        number = int(value)
        if key.lower() == "rule":
            self.rule = number
            if self.board:
                self.board.exact = self.exact
                self.brain.wake(self.board, self.memory)  # other rules have other kernels
        elif key.lower() == "max_memory":
            self.memory = number if number > 0 else MEMORY
        else:
            self.clock.set_info(key.lower(), number)
        return ""

    # --- moves -------------------------------------------------------------------------------------------

    def begin(self, words: str) -> str:
        return self.move() if self.board else NO_GAME

    def turn(self, words: str) -> str:
        cell = CELL.fullmatch(words)
        if not self.board:
            return NO_GAME
        if not cell or not self.board.free((int(cell[1]), int(cell[2]))):
            return f"ERROR TURN needs a free cell of the board, not {printable(words)!r}"
        self.board.stones[int(cell[1]), int(cell[2])] = OTHER
        return self.move()

    def open_block(self, kind: str) -> str:
        if not self.board:
            return NO_GAME
        self.block = kind, []
        return ""

    def add_to_block(self, line: str) -> str:
        if self.block and line and len(self.block[1]) <= LARGEST * LARGEST:
            self.block[1].append(line)
        return ""

    def close_block(self) -> str:
        assert self.block and self.board
        (kind, lines), self.block = self.block, None
        return self.set_stones(lines) if kind == "BOARD" else self.choose_side(lines)

    def set_stones(self, lines: list[str]) -> str:
        """The stones of BOARD.  They may come in any order and be of any number; the move is ours."""
        assert self.board
        board = Board(self.board.cols, self.board.rows, self.exact)
        for line in lines:
            stone = STONE.fullmatch(line)
            if not stone or not board.free((int(stone[1]), int(stone[2]))):
                return f"ERROR BOARD needs lines like 7,7,1, each a free cell of the board, not {printable(line)!r}"
            board.stones[int(stone[1]), int(stone[2])] = int(stone[3])
        self.board = board
        ours, theirs = (sum(who == one for who in board.stones.values()) for one in (OWN, OTHER))
        if theirs - ours not in (0, 1):
            self.say(f"MESSAGE {ours} stones of mine and {theirs} of yours: I move nevertheless")
        return self.move()

    def choose_side(self, lines: list[str]) -> str:
        assert self.board
        cells: list[Cell] = []
        for line in lines:
            found = CELL.match(line)
            cell = (int(found[1]), int(found[2])) if found else (-1, -1)
            if not self.board.on(cell) or cell in cells:
                return f"ERROR SWAP2BOARD needs lines like 7,7, each a free cell of the board, not {printable(line)!r}"
            cells.append(cell)
        if len(cells) not in (0, 3, 5):
            return f"ERROR SWAP2BOARD has no, three or five stones, not {len(cells)}"
        until, seconds = self.clock.now, self.clock.plan()

        def judge(board: Board, share: float) -> Choice:
            nonlocal until
            until += share * seconds
            return self.choose(board, until)

        answer = swap2.answered(self.board, cells, judge)
        self.clock.end()
        return answer

    def move(self) -> str:
        """Think, tell what we think, and play."""
        assert self.board
        if self.board.full():
            return "ERROR the board is full"
        if self.rule & ~1 and not self.warned:
            self.warned = True
            self.say(
                f"MESSAGE rule {self.rule} is not known here: I play {'exactly' if self.exact else 'at least'} five"
            )
        if not self.brain.ready and (told := self.brain.compiling):
            self.say(f"MESSAGE {told}")
        choice = self.choose(self.board, self.clock.now + self.clock.plan())
        self.say(f"MESSAGE {message(choice)}")
        self.board.stones[choice.cell] = OWN
        self.clock.end()
        return f"{choice.cell[0]},{choice.cell[1]}"

    @property
    def playing(self) -> Brain:
        """The brain, or who stands in for it while it is being compiled."""
        stand_in = None if self.brain.ready else self.brain.stand_in
        return stand_in if stand_in and stand_in.ready else self.brain

    def choose(self, board: Board, until: float) -> Choice:
        """The agent's choice, if it is ready in time; else a quick one."""
        if not board.stones:
            return Choice(quick(board), note="the middle of an empty board")
        over = board.won()
        problem = "the game is over" if over else "the agent is not ready yet"
        instead = None
        if not self.brain.ready:
            instead = quick(board)  # now, since a compiler at work makes everything late
            now, until = time.monotonic(), until - HASTE
            self.wait(now + PATIENCE * max(until - now, 0.0), lambda: self.playing.awake)
        while self.playing.awake and not (over or self.stopped()):
            asked = self.playing
            task = asked.think(board, until, self.memory, self.stopped)
            if task.choice:
                return task.choice
            problem = task.problem or "there was no time"
            if self.playing is asked or time.monotonic() >= until:
                break  # else all was compiled, and who stood in dismissed, before it could begin
        return Choice(instead or quick(board), note=f"quick move: {problem}")


def message(choice: Choice) -> str:
    """What the agent thinks, on one line."""
    if choice.note:
        return printable(choice.note, 200)
    value = "" if choice.value is None else f"value {choice.value:+z.3f}, "
    line = f", line {swap2.written(choice.line[:12])}" if choice.line else ""
    how = "interpreted while it is being compiled: " if choice.interpreted else ""
    return f"{how}{value}{choice.simulations} simulations in {choice.seconds:.3f} s{line}"


def printable(words: str, most: int = 40) -> str:
    """What a driver said, such that it can be said back on one line."""
    return "".join(c if " " <= c <= "~" else "?" for c in words[:most])
