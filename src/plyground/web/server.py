"""The server of the page: its HTTP routes and static files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from inspect import cleandoc
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

from .. import agents, games
from ..agents.levels import levels
from ..arena import TournamentOptions
from ..manifest import loaded
from ..spec import InputError, described
from . import responses
from .catalogue import Catalogue
from .commands import OFF, UNKNOWN, Commands
from .commands import offered as commands_offered
from .edit import edited
from .files import Files
from .middleware import Json, SameOrigin, failed
from .pictures import Pictures
from .requests import Edit, Enter, GameFile, Play, Position, Resume, Spec, Train, complaint
from .review import opened
from .runs import Runs
from .sessions import TRY_AGAIN
from .socket import Session, guarded, refused
from .state import ServerState
from .studies import POLICY, Studies
from .tournaments import Tournaments
from .views import FamilyView, family_views
from .visitors import LOCAL, Access

STATIC = Path(__file__).parent / "static"
REFUSED: dict[int | str, dict[str, Any]] = {
    422: {"model": responses.Refusal, "description": "it makes no sense"},
    413: {"model": responses.Refusal, "description": "more than 64 KiB"},
}
FORBIDDEN: dict[int | str, dict[str, Any]] = {
    403: {"model": responses.Refusal, "description": "asked by a page or a name that is not the server's own"},
    429: {"model": responses.Refusal, "description": "a visitor asks for too much at once; never on 127.0.0.1"},
}
ABSENT: dict[int | str, dict[str, Any]] = {
    404: {"model": responses.Refusal, "description": "there is none of this name"},
    422: {"model": responses.Refusal, "description": "never: a name is a text"},
}
STRANGE: dict[int | str, dict[str, Any]] = {
    404: ABSENT[404],
    422: {"model": responses.Refusal, "description": "it does not tell what it is a run of"},
}
ABOUT = "Everything that the page asks, except for its socket: that is described in docs/api.md."


def make_app(
    given: list[str],
    runs: str = "runs",
    programs: dict[str, str] | None = None,
    access: Access | None = None,
    starts: bool = False,
) -> FastAPI:
    """The server's application; `given` are users' own games, agents and scorings, `runs` is the folder of runs,
    `programs` are the commands of external programs by their names.  With `access` it is for others, too; without,
    for this machine only.  `starts`: may the page start trainings?

    InputError if a spec makes no sense.
    """
    app = FastAPI(
        title="Plyground",
        description=ABOUT,
        docs_url=None,  # FastAPI's own page loads scripts from elsewhere
        redoc_url=None,
        default_response_class=Json,
        responses=FORBIDDEN,
        lifespan=until_the_end,
    )
    limits = access.limits if access else LOCAL
    app.state.server = ServerState(Catalogue(given, Runs(Path(runs)), programs, limits), limits)
    app.add_middleware(SameOrigin, access=access)
    views = family_views()
    add_listings(app, app.state.server.catalogue, views)
    add_positions(app, app.state.server.catalogue)
    add_socket(app, app.state.server)
    add_studies(app, Studies(Path(runs)))
    commands = Commands(app.state.server.catalogue) if starts else None
    app.state.commands = commands
    add_runs(app, app.state.server.catalogue, commands)
    add_commands(app, commands)
    add_tournaments(app, Tournaments(app.state.server.catalogue.runs), commands)
    for one in views:
        add_view(app, app.state.server.catalogue, one)
    add_pages(app, {one.view.name: one.view.static for one in views})
    app.exception_handler(RequestValidationError)(invalid)
    app.exception_handler(StarletteHTTPException)(not_there)
    return app


@asynccontextmanager
async def until_the_end(app: FastAPI) -> AsyncIterator[None]:
    """When the server ends, no thread goes on with what was asked for a page: its end would wait for that."""
    yield
    await asyncio.to_thread(app.state.pictures.close)


async def answer(work: Callable, *args: Any) -> Json:
    """Run in a thread; what is wrong with a request is one line."""
    try:
        return Json(await asyncio.to_thread(guarded, work, *args))
    except InputError as error:
        return failed(422, refused(error, ""))
    except Exception as error:
        return failed(422, refused(error, "a position"))


def add_listings(app: FastAPI, catalogue: Catalogue, views: list[FamilyView]) -> None:
    """What there is, but for runs, does not change while the server runs; to find it out is to import everything."""
    shown = {game: one.view.name for one in views for game in one.games}
    listed = described(loaded(games.registry(), games.maker))
    listed = [game | {"view": shown.get(game["name"], "")} for game in listed]
    described_views = [one.described() for one in views]
    thinking = described(loaded([name for name in agents.registry() if name != "human"], agents.maker))
    if not catalogue.programs:
        thinking = [agent for agent in thinking if all(option["kind"] != "command" for option in agent["parameters"])]

    @app.get("/api/games", response_model=responses.Games)
    async def list_games() -> Json:
        """The games there are, those that were given to `serve`, and the views that families bring for theirs."""
        given = await asyncio.to_thread(catalogue.user_games.described)
        return Json({"games": listed, "given": given, "views": described_views})

    def offered_agents(game: str | None) -> dict[str, Any]:
        choices = catalogue.choices()
        users = described(catalogue.users_own())
        able = [*agents.registry(), *catalogue.user_agents] if game is None else catalogue.able(game)
        ladder = [] if game is None else [level._asdict() for level in levels(catalogue.game(game).game)]
        found = [offered(agent, choices) for agent in [*thinking, *users] if agent["name"] in able]
        return {"agents": found, "levels": ladder}

    @app.get("/api/agents", response_model=responses.Agents, responses=REFUSED)
    async def list_agents(game: Spec | None = None) -> Json:
        """The agents there are, or those that can play this game, with their options; those that play a run's net may
        choose among the runs."""
        return await answer(offered_agents, game)

    pictures = app.state.pictures = Pictures(catalogue)

    @app.get("/api/pictures", response_model=responses.Pictures)
    async def list_pictures() -> Json:
        """A picture of every game, and whom one may meet there."""
        return await answer(lambda: {"games": pictures.all()})


def add_positions(app: FastAPI, catalogue: Catalogue) -> None:
    @app.post("/api/position", response_model=responses.View, responses=REFUSED)
    async def position(request: Position) -> Json:
        """The view after these moves."""
        return await answer(position_view, catalogue, request)

    @app.post("/api/play", response_model=responses.View, responses=REFUSED)
    async def play(request: Play) -> Json:
        """The view after one move more."""
        return await answer(position_view, catalogue, request, request.move)

    @app.post("/api/edit", response_model=responses.Edited, responses=REFUSED)
    async def edit(request: Edit) -> Json:
        """A position set up cell by cell: its diagram and view, or what the rules find wrong with it."""
        return await answer(edited, catalogue, request)

    @app.post("/api/file", response_model=responses.OpenedFile, responses=REFUSED)
    async def file(request: GameFile) -> Json:
        """The game that a file holds."""
        return await answer(opened, catalogue, request)


def add_socket(app: FastAPI, server: ServerState) -> None:
    @app.websocket("/api/socket")
    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        session = Session(websocket, server, websocket.scope["visitor"])
        try:
            server.sessions.admit(session)
        except InputError as full:
            await websocket.close(TRY_AGAIN, str(full))
            return
        try:
            await session.run()
        finally:
            server.sessions.dismiss(session)


def add_studies(app: FastAPI, studies: Studies) -> None:
    @app.get("/api/studies", response_model=responses.StudyList)
    async def list_studies() -> Json:
        """The reports of studies that were run here, the newest first."""
        return Json({"folder": str(studies.folder), "studies": await asyncio.to_thread(studies.listed)})

    @app.get("/studies/{name}", response_class=FileResponse, responses=ABSENT)
    async def study(name: str) -> Response:
        """The report of a study: one HTML page, in which no script runs."""
        file = studies.page(name)
        if file is None:
            return failed(404, f"there is no study {name[:100]!r} in {studies.folder}")
        return FileResponse(file, media_type="text/html", headers={"Content-Security-Policy": POLICY})


def add_runs(app: FastAPI, catalogue: Catalogue, commands: Commands | None) -> None:
    """The runs there are; with `commands`, new ones can be begun, stopped and gone on with."""
    runs = catalogue.runs

    def known(entry: dict[str, Any]) -> dict[str, Any]:
        told = commands.status(entry["name"]) if commands else UNKNOWN
        return entry | told | {"growing": entry["growing"] or told["stoppable"]}

    def board(game: str, seed: int) -> tuple[str, int | None]:
        """The spec and the number of players of the game that a run has played, if the page can show it."""
        try:
            shown = catalogue.drawn(game, seed)
            return shown.spec, 1 if shown.game.alone() else 2
        except Exception:  # a game from a file that was not given, or one of another version
            return "", None

    @app.get("/api/runs", response_model=responses.RunList)
    async def list_runs() -> Json:
        """The runs in the folder of runs, the one that has changed last first."""
        return Json({"folder": str(runs.folder), "runs": list(map(known, await asyncio.to_thread(runs.listed)))})

    @app.get("/api/runs/{name:path}", response_model=responses.Run, responses=STRANGE)
    async def run(name: str) -> Json:
        """A run with its figures and its last sample games."""
        try:
            found = await asyncio.to_thread(guarded, runs.details, name, board)
        except Exception as error:
            return failed(422, refused(error, "a run"))
        return failed(404, f"there is no run {name[:100]!r} in {runs.folder}") if found is None else Json(known(found))


async def started(commands: Commands | None, work: Callable, *args: Any) -> Json:
    """Start or stop a process, where that is allowed."""
    if commands is None:
        return failed(403, OFF)
    return await answer(lambda: {"name": work(commands, *args)})


def add_commands(app: FastAPI, commands: Commands | None) -> None:
    """What starts and stops processes; refused where that is not allowed."""

    @app.get("/api/learners", response_model=responses.Learners)
    async def list_learners() -> Json:
        """The learners with their options, and whether a training may be started here."""
        return await answer(commands_offered, commands is not None)

    @app.post("/api/runs", response_model=responses.Begun, responses=REFUSED)
    async def train(request: Train) -> Json:
        """Begin a training: answered once it has begun, or refused in the command's own words."""
        return await started(commands, Commands.train, request)

    @app.post("/api/runs/{name:path}/resume", response_model=responses.Begun, responses=REFUSED)
    async def resume(name: str, request: Resume) -> Json:
        """Go on with a training."""
        return await started(commands, Commands.resume, name, request)

    @app.post("/api/runs/{name:path}/stop", response_model=responses.Begun, responses=REFUSED)
    async def stop(name: str) -> Json:
        """Let a training that was begun here keep what is done and end; asked again, end at once."""
        return await started(commands, Commands.stop, name)


def add_tournaments(app: FastAPI, tournaments: Tournaments, commands: Commands | None) -> None:
    options = described({"tournament": TournamentOptions})[0]["parameters"]

    def known(entry: dict[str, Any]) -> dict[str, Any]:
        return entry | (commands.status(entry["name"]) if commands else UNKNOWN)

    @app.get("/api/tournaments", response_model=responses.TournamentList)
    async def list_tournaments() -> Json:
        """The tournaments in the folder of runs, the one that has changed last first."""
        found = await asyncio.to_thread(tournaments.listed)
        return Json({"options": options, "tournaments": list(map(known, found))})

    @app.get("/api/tournaments/{name:path}", response_model=responses.Tournament, responses=STRANGE)
    async def tournament(name: str) -> Json:
        """A tournament with its ratings so far."""
        try:
            found = await asyncio.to_thread(guarded, tournaments.details, name)
        except Exception as error:
            return failed(422, refused(error, "a tournament"))
        return failed(404, f"there is no tournament {name[:100]!r}") if found is None else Json(known(found))

    @app.post("/api/tournaments", response_model=responses.Begun, responses=REFUSED)
    async def enter(request: Enter) -> Json:
        """Begin a tournament."""
        return await started(commands, Commands.enter, request)

    @app.post("/api/tournaments/{name:path}/resume", response_model=responses.Begun, responses=REFUSED)
    async def play_on(name: str) -> Json:
        """Go on with a tournament."""
        return await started(commands, Commands.play_on, name)

    @app.post("/api/tournaments/{name:path}/stop", response_model=responses.Begun, responses=REFUSED)
    async def stop_tournament(name: str) -> Json:
        """Stop a tournament that was begun here; the games that have ended are kept."""
        return await started(commands, Commands.stop, name)


def add_view(app: FastAPI, catalogue: Catalogue, one: FamilyView) -> None:
    """The requests and files of a view that a family brings along."""

    def add(request: str) -> None:
        about = cleandoc(one.view.requests[request].__doc__ or "").split("\n\n")[0]

        @app.get(
            f"/api/views/{one.view.name}/{request}",
            name=f"{one.view.name}_{request}",
            description=about or f"Asked by the view {one.view.title}.",
            response_model=one.model(request),
            responses=REFUSED,
        )
        async def asked(game: Spec) -> Json:
            return await answer(lambda: one.answer(request, catalogue.game(game).game))

    for request in one.view.requests:
        add(request)
    app.mount(f"/views/{one.view.name}", Files(one.view.static))


def add_pages(app: FastAPI, views: dict[str, Path]) -> None:
    """The page, and what keeps it: the files of all its parts, those of views by their folders."""
    files = Files(STATIC)
    parts = {"static": files} | {f"views/{name}": Files(folder) for name, folder in views.items()}

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return files.answer("index.html", request.headers.get("if-none-match"))

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        return files.answer("docs.html", request.headers.get("if-none-match"))

    @app.get("/service-worker.js", include_in_schema=False)
    async def service_worker() -> Response:
        """What keeps the page's files for a browser; another one when they change, so that they are kept anew."""
        names = ["./", *(f"{part}/{name}" for part, held in parts.items() for name in sorted(held.paths))]
        version = " ".join(held.version() for held in parts.values())
        script = (STATIC / "service_worker.js").read_text(encoding="utf-8")
        return Response(f"// {version}\nconst FILES = {json.dumps(names)};\n{script}", media_type="text/javascript")

    app.mount("/static", files)


def offered(agent: dict[str, Any], choices: dict[str, list[str]]) -> dict[str, Any]:
    """An agent as it is listed; an option that names a run, a net or a program offers those there are."""
    options = [option | {"choices": choices.get(option["kind"], option["choices"])} for option in agent["parameters"]]
    return agent | {"parameters": options}


async def invalid(_: Request, error: RequestValidationError) -> Json:
    return failed(422, complaint(error.errors()))


async def not_there(_: Request, error: HTTPException) -> Json:
    return failed(error.status_code, str(error.detail))


def position_view(catalogue: Catalogue, request: Position, move: str | None = None) -> dict[str, Any]:
    """The view of a position, after one more move if there is one."""
    shown = catalogue.game(request.game)
    state, last = shown.state(request.start, request.moves)
    moves = [shown.names[shown.action(name)] for name in request.moves]
    if move is not None:
        if shown.game.over(state):
            raise InputError("the game is over")
        action = shown.action(move)
        last = shown.play(state, action)
        moves.append(shown.names[action])
    return shown.view(request.start, moves, state, last)
