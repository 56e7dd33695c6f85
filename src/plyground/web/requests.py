"""What the page may send: every message with its bounds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..drawing import MOST_CELLS

LARGEST_BODY = 64 * 1024  # bytes of a request or of a message
LONGEST_THINK = 60.0  # seconds
MOST_SIMULATIONS = 10_000_000
MOST_GAMES = 1_000  # of a match
MOST_MOVES = 10_000
MOST_REVIEWED = 1_000  # moves
MOST_SKIPPED = 100_000  # simulations before those that are shown step by step
MOST_STEPS = 20  # simulations that are shown at once

Id = Annotated[int, Field(ge=0, le=2**53)]
Spec = Annotated[str, Field(min_length=1, max_length=2_000)]
Name = Annotated[str, Field(max_length=100)]
Names = Annotated[list[Name], Field(max_length=MOST_MOVES)]
Seconds = Annotated[float, Field(ge=0, le=LONGEST_THINK)]
Option = bool | int | float | Annotated[str, Field(max_length=2_000)] | None
Seed = Annotated[int, Field(ge=0, lt=2**53)]


class Message(BaseModel):
    """Takes no text for a number and no number that is none."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class Position(Message):
    """The moves that were played from the start of a game, or from a diagram."""

    game: Spec
    moves: Names = []
    start: Annotated[str, Field(max_length=10_000)] = ""


class Play(Position):
    """One move more."""

    move: Name


class Edit(Message):
    """What a reader has put on the cells of a board, and who shall move: 0, 1, or null if the stones tell."""

    game: Spec
    cells: Annotated[list[Annotated[int, Field(ge=-1, le=9)]], Field(max_length=MOST_CELLS)]
    player: Annotated[int, Field(ge=0, le=1)] | None = None


class Train(Message):
    """Begin a training in the folder of runs."""

    name: Name
    algorithm: Name
    game: Spec
    options: Annotated[dict[Name, Option], Field(max_length=100)] = {}
    preset: Name = ""
    seed: Seed = 0
    seconds: Annotated[float, Field(ge=0, le=1e9)] | None = None


class Enter(Message):
    """Begin a tournament in the folder of runs."""

    name: Name
    game: Spec
    agents: Annotated[list[Spec], Field(min_length=2, max_length=20)]
    options: Annotated[dict[Name, Option], Field(max_length=100)] = {}


class Resume(Message):
    """Go on with a training."""

    seconds: Annotated[float, Field(ge=0, le=1e9)] | None = None


class Think(Position):
    """Let an agent choose a move."""

    type: Literal["think"]
    id: Id
    agent: Spec
    seconds: Seconds | None = None
    simulations: Annotated[int, Field(ge=1, le=MOST_SIMULATIONS)] | None = None
    seed: Seed | None = None  # a fresh one, unless it is given here or in the agent's spec
    seat: Annotated[int, Field(ge=0, le=1)] | None = None  # that the agent plays; null: it advises
    meanwhile: bool = False  # may it play interpreted while it is being compiled?


class Solve(Position):
    """Find the exact value of a position and of its moves."""

    type: Literal["solve"]
    id: Id
    seconds: Seconds = 5.0


class Match(Message):
    """Let two agents play; `seconds` bounds each move."""

    type: Literal["match"]
    id: Id
    game: Spec
    agents: Annotated[list[Spec], Field(min_length=2, max_length=2)]
    games: Annotated[int, Field(ge=1, le=MOST_GAMES)]
    seed: Seed = 0
    seconds: Seconds | None = None


class Review(Position):
    """Say of each move what it has cost; those before `since` are not looked at.  `seconds` bounds the whole."""

    type: Literal["review"]
    id: Id
    moves: Annotated[list[Name], Field(min_length=1, max_length=MOST_REVIEWED)]
    agent: Spec
    seconds: Seconds = 60.0
    since: Annotated[int, Field(ge=0, le=MOST_REVIEWED)] = 0
    seed: Seed = 0


class GameFile(Message):
    """The text of a file of a game, by its name; without a name, in whatever format it is."""

    name: Annotated[str, Field(max_length=300)] = ""
    text: str


class Change(Message):
    """Other options of a search, after so many simulations."""

    after: Annotated[int, Field(ge=0, le=MOST_SKIPPED)]
    agent: Spec


class Steps(Position):
    """Let an agent search step by step: `count` simulations after the first `skip`; or minimax from its start."""

    type: Literal["steps"]
    id: Id
    agent: Spec
    seed: Seed = 0
    skip: Annotated[int, Field(ge=0, le=MOST_SKIPPED)] = 0
    count: Annotated[int, Field(ge=1, le=MOST_STEPS)] = 10
    changes: Annotated[list[Change], Field(max_length=100)] = []


class Stop(Message):
    """End the work that was asked for under this id."""

    type: Literal["stop"]
    id: Id


class Open(Message):
    """Look into the tree of a think that has ended."""

    type: Literal["open"]
    id: Id
    of: Id
    path: Names = []


Request = Annotated[Think | Solve | Match | Steps | Review | Stop | Open, Field(discriminator="type")]
REQUESTS: TypeAdapter[Think | Solve | Match | Steps | Review | Stop | Open] = TypeAdapter(Request)
TYPES = ("think", "stop", "open", "solve", "match", "steps", "review")


def complaint(errors: Any) -> str:
    """One line about the first thing that is wrong with a message."""
    if isinstance(errors, ValidationError):
        errors = errors.errors(include_url=False, include_input=False)
    first = errors[0]
    if first["type"] == "json_invalid":
        return "the message is not JSON"
    if first["type"].startswith("union_tag"):
        return f"a message has one of the types {', '.join(TYPES)}"
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", *TYPES))
    said = first["msg"][:1].lower() + first["msg"][1:]
    return " ".join(f"{where + ': ' if where else ''}{said}".split())[:300]
