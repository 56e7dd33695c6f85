"""Of the study gomoku-tetris: a game between two of our agents, shown, and how to watch one."""

from __future__ import annotations

import shlex
from typing import Any
from urllib.parse import quote

from .. import games
from .diagram import game_record
from .gomoku_runs import one_game
from .lab import Part
from .report import Plot, Section

ABOUT = "It also asks for a program that shows two of our players at a game."

GAME, BOARD = "gomoku(9)", "9×9"
PLAYERS = {True: ("rave(sims=1000)", 'alphazero("gomoku-9", sims=16)')}
PLAYERS[False] = ("rave(sims=20000)", 'alphazero("gomoku-9", sims=200)')
PANELS = 4
SHOWN = "a game"


def parts(quick: bool) -> dict[str, Part]:
    arguments = {"game": GAME, "one": PLAYERS[quick][0], "other": PLAYERS[quick][1], "seed": 1}
    return {SHOWN: Part(one_game, arguments, _command(quick))}


def _command(quick: bool) -> str:
    return f"plyground match {shlex.join([GAME, *PLAYERS[quick]])} --games 1 --seed 1 --show"


def _result(score: float, quick: bool) -> str:
    one, other = PLAYERS[quick]
    return f"`{one}` wins" if score > 0 else f"`{other}` wins" if score < 0 else "the game is drawn"


def sections(found: dict[str, Any], quick: bool) -> list[Section]:
    played = found[SHOWN]
    one, other = PLAYERS[quick]
    moves = played["moves"]
    pairs = [f"{i // 2 + 1}. {' '.join(moves[i : i + 2])}" for i in range(0, len(moves), 2)]
    caption = f"Black, `{one}`, begins; white is `{other}`. After {len(moves)} moves {_result(played['score'], quick)}."
    view = {"game": GAME, "moves": " ".join(moves), "first": "human", "second": "human"}
    live = {"game": GAME, "first": one, "second": other}
    texts = [
        f"In the terminal, move by move: `{_command(quick)}`. On the page (`plyground serve`): [look at this "
        f"game]({_address(view)}), or [let the two play another one]({_address(live)}). Take a seat yourself, and you "
        "play with the mouse against the other.",
    ]
    record = Plot(game_record(games.make(GAME), played["actions"], PANELS), caption)
    return [Section("A game between two of our players", [record, f"Moves: {' '.join(pairs)}", *texts], [SHOWN])]


def _address(words: dict[str, str]) -> str:
    return "/#play?" + "&".join(f"{name}={quote(text, safe='')}" for name, text in words.items())


def findings(found: dict[str, Any], quick: bool) -> list[str]:
    played = found[SHOWN]
    return [
        f"**A game of self-play on {BOARD}:** {_result(played['score'], quick)} after {len(played['moves'])} moves."
    ]
