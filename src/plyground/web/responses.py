"""What the server answers, for its description in /openapi.json."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """Has these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Refusal(Answer):
    """What is wrong with a request."""

    error: str = Field(description="one clear line")


class Board(Answer):
    """Shape, size and labels of a board.  Cells are numbered row by row from the top."""

    shape: Literal["cells", "intersections", "hexagons", "well", "text"]
    rows: int
    cols: int
    columns: list[str]
    row_labels: list[str]
    block: int = 0  # cells between two thicker lines; 0: there are none
    checkered: bool = False  # light and dark squares in turn, the first one light
    lines: list[tuple[int, int]] = []  # between cells, instead of the lines through all intersections
    edges: list[list[str]] = []  # of a board of hexagons, each player's: top, bottom, left, right
    sides: list[str] = []  # what the players are called, if not by the look of their stones


class Legal(Answer):
    """A legal move, or an outcome of a chance event."""

    action: int
    name: str
    cells: list[int]
    probability: float | None = Field(None, description="of a chance event only")


class View(Answer):
    """Everything that the page shows of a position."""

    game: str
    start: str = Field(description="the diagram in which the moves begin; empty for the start of the game")
    moves: list[str]
    player: int = Field(description="who moves: 0, 1, or -1 for chance")
    over: bool
    alone: bool = Field(description="is it a game of one player?")
    decisive: bool = Field(description="does somebody always win?")
    score: float | None = Field(
        description="the first player's, once the game is over; in a game of one player the points so far"
    )
    board: Board
    cells: list[int] = Field(
        description="0 empty, 1 and 2 stones, 3 used up, -1 no cell; in a well 1 to 9 are the colours of pieces"
    )
    glyphs: list[str] = Field(description="text on each cell; an empty list if the game writes none")
    caption: str = Field(description="a line about what the board does not show, or an empty one")
    last: list[int] = Field(description="cells of the last move")
    row: list[int] = Field(description="cells that make the win")
    legal: list[Legal]
    threats: dict[str, list[str]] = Field(
        description="by player, the moves that win at once; empty if the game does not list them"
    )
    double_threats: dict[str, list[str]] = Field(
        description="by player, the moves after which it could win at once in several ways, as those of an open three"
    )
    diagram: str
    text: str
    editable: list[int] = Field(description="what can be put on a cell with /api/edit")
    left: int | None = Field(description="free cells")
    opponent: str = Field(description="the agent that a person meets unless another is chosen")


class Edited(Answer):
    """A position that was set up by hand."""

    start: str = Field(description="its diagram")
    problem: str = Field(description="why the rules refuse it; empty if they do not")
    view: View | None


class OpenedFile(Answer):
    """The game of a file."""

    game: str = Field(description="its spec")
    moves: list[str]
    players: list[str] = Field(description="their names, the first player's first")
    score: float | None = Field(description="the first player's, if the game was decided")


class Parameter(Answer):
    """A parameter of a game or an option of an agent."""

    name: str
    type: str = Field(description="int, float, bool or str; any, if it takes whatever is written")
    required: bool
    default: Any = Field(description="None if there is none")
    about: str
    choices: list[str]
    names: list[str] = Field(description="what people call the numbers from `low` to `high`; mostly empty")
    low: float | None
    high: float | None
    kind: str = Field(
        description="what a text names: run, one of `choices`; net, or one that was shipped; scoring; command; or empty"
    )


class Entry(Answer):
    """A game or an agent, with all that it can be told."""

    name: str
    about: str
    parameters: list[Parameter]


class Game(Entry):
    """A game there is."""

    view: str = Field(description="that its family brings for it; empty if it is shown on a board")


class Given(Entry):
    """A game that was given to `serve`: `name` is its file and class."""

    spec: str = Field(description="as it was given")


class FamilyView(Answer):
    """A view that a family of games brings along."""

    name: str = Field(description="the page shows it at #NAME")
    title: str
    script: str = Field(description="the address of its JavaScript module")
    styles: list[str] = Field(description="addresses of its style sheets")
    net_agent: str = Field(description="by which nets of runs are watched there; empty if they are not")


class Games(Answer):
    games: list[Game]
    given: list[Given]
    views: list[FamilyView]


class Level(Answer):
    """An opponent for a person."""

    name: str
    agent: str = Field(description="its spec")


class Agents(Answer):
    agents: list[Entry]
    levels: list[Level] = Field(description="of the game that was named, the weakest first; empty for one player")


class Picture(Answer):
    """A game with a position from early in it, and whom one may meet there."""

    game: str = Field(description="its spec")
    about: str
    view: View = Field(description="without its legal moves")
    levels: list[Level]


class Pictures(Answer):
    games: list[Picture]


class Study(Answer):
    """The report of a study, at /studies/NAME."""

    name: str
    title: str
    date: str = Field(description="when it was made, ISO 8601")


class StudyList(Answer):
    folder: str = Field(description="where reports are looked for")
    studies: list[Study]


class RunEntry(Answer):
    """A run: a folder with everything that one training wrote."""

    name: str = Field(description="its folder in the folder of runs, or two with a slash between")
    path: str = Field(description="what agents call it: net(run=PATH)")
    algorithm: str = Field(description="empty, like all that its config.json does not tell")
    game: str
    seed: int | None
    date: str = Field(description="when it began")
    changed: str = Field(description="when its figures last grew, ISO 8601")
    step: int | None = Field(description="of its last figures")
    steps: int | None = Field(description="how many it will have")
    unit: str = Field(description="what a step is")
    stoppable: bool = Field(description="may it be stopped with /api/runs/NAME/stop?")
    stopping: bool = Field(description="was it asked to, and keeps what is done?  Asked again, it ends at once")
    problem: str = Field(description="why it has failed, if it was started by this server; else empty")
    growing: bool = Field(
        description="is it being trained?  Where its folder does not tell: have its figures grown in 30 seconds?"
    )
    net: bool = Field(description="does it hold a net?")


class RunList(Answer):
    folder: str = Field(description="where runs are looked for")
    runs: list[RunEntry]


class Learner(Entry):
    """An algorithm that trains nets."""

    learns: str = Field(description="which games")
    presets: list[str]
    example: str = Field(description="a game to try it on")
    searched_by: str = Field(description='the agent that plays its nets by a search; "" if there is none')


class Learners(Answer):
    problem: str = Field(description="why no training can be started here; empty if it can")
    learners: list[Learner]
    asked: list[Parameter] = Field(description="what every training can be told")


class Begun(Answer):
    name: str = Field(description="of the run")


class TournamentEntry(Answer):
    """A tournament: a folder with its plan and the games that have ended."""

    name: str
    game: str
    agents: list[str]
    games: int = Field(description="that have ended")
    of: int = Field(description="all of them")
    seed: int
    changed: str = Field(description="when a game last ended, ISO 8601")
    stoppable: bool
    stopping: bool = Field(description="was it asked to stop?")
    problem: str = Field(description="why it has failed, if it was started by this server; else empty")


class TournamentList(Answer):
    options: list[Parameter] = Field(description="what a tournament can be told")
    tournaments: list[TournamentEntry]


class Pairing(Answer):
    agents: tuple[int, int] = Field(description="by their places in `labels`")
    wins: int = Field(description="of the first of the two")
    draws: int
    losses: int


class Tournament(TournamentEntry):
    labels: list[str]
    ratings: list[dict[str, Any]] = Field(description="as in plyground tournament --json, the strongest first")
    pairings: list[Pairing]


class Sample(Answer):
    """A game that was played in training."""

    step: int
    moves: list[str]
    score: float | None = Field(description="the first player's")
    seat: int | None = Field(description="where the learner sat: 0 or 1")


class Run(RunEntry):
    """A run with its figures."""

    config: dict[str, Any]
    metrics: list[dict[str, float]] = Field(
        description="figures by `step`, at most 500 lines: if there are more, each is the mean of some"
    )
    last: dict[str, float] = Field(description="the latest of each figure")
    meanings: dict[str, str] = Field(description="of figures, in a line each")
    cut: bool = Field(description="is the file so large that only its end was read?")
    board: str = Field(description="the spec by which the page shows the samples; empty if it cannot")
    players: int | None = Field(description="of that game; null if the page cannot make it")
    games: list[Sample] = Field(description="the last sample games, newest first")
