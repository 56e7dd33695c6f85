"""SGF, format 4: https://www.red-bean.com/sgf/.  What files of any game have in common.

Of variations the main line is read.  A file may hold several games, one after the other (`split`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .. import __version__
from ..spec import InputError

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:\\.|[^\\\]])*)\])", re.DOTALL)
BRACKET = re.compile(r"\[(?:\\.|[^\\\]])*(?:\]|\Z)|[()]", re.DOTALL)  # a value, or an end of a variation
COLOURS = "BW"
ENDED = "forfeited: "  # before the reason, in the comment on the whole game
ENDS = {"T": "out of time", "F": "forfeited", "R": "resigned"}

MARKS = {"": "", "doubtful": "DO[]", "bad": "BM[1]"}

Node = dict[str, list[str]]


def written(about: str, saved: Any, point: Callable[[int], str]) -> str:
    """The file of a game: what its first node says of it, and every move by the point of its action.

    Notes on moves are written as comments (C), marks (DO doubtful, BM bad), and variations that hold the better moves.
    """
    result = "?" if saved.score is None else {1: "B+", 0: "0", -1: "W+"}[int(saved.score)]
    forfeited = bool(saved.reason)
    root = [
        f"(;FF[4]{about}CA[UTF-8]AP[Plyground:{__version__}]",
        f"PB[{escaped(saved.players[0])}]PW[{escaped(saved.players[1])}]RE[{result}{'F' * forfeited}]",
        *([f"GC[{ENDED}{escaped(saved.reason)}]"] if forfeited else []),
    ]

    def node(number: int, action: int) -> str:
        return f";{COLOURS[number % 2]}[{point(action)}]"

    nodes, aside = [], []  # the main line; variations, which close the brackets that they open, the last one first
    for number, action in enumerate(saved.actions):
        note = saved.notes[number] if saved.notes else None
        remark, mark, line = (note.text, note.mark, note.line) if note else ("", "", [])
        seconds = f"{saved.seconds[number]:.3f} s" if saved.seconds else ""
        said = "\n".join(part for part in (seconds, escaped(remark)) if part)
        told = node(number, action) + (f"C[{said}]" if said else "") + MARKS[mark]
        nodes.append(("(" if line else "") + told)
        if line:
            aside.append("\n(" + "".join(node(number + i, one) for i, one in enumerate(line)) + ")")
    return "\n".join([*root, *nodes]) + "".join(f"){one}" for one in reversed(aside)) + ")\n"


def moves_of(nodes: list[Node]) -> tuple[str, list[str], list[float]]:
    """The colour that begins, the points of all moves, and their thinking times if they are all told."""
    moves = [(colour, node[colour][0], node) for node in nodes for colour in COLOURS if colour in node]
    if any(name in node for node in nodes for name in ("AB", "AW", "AE")):
        raise InputError("stones that are set up (AB, AW, AE) are not read: a game begins with an empty board")
    begins = moves[0][0] if moves else "B"
    for number, (colour, _, _) in enumerate(moves):
        if colour != COLOURS[(number + COLOURS.index(begins)) % 2]:
            raise InputError(f"move {number + 1}: black and white do not move by turns")
    times = [re.match(r"(\d{1,9}(?:\.\d{1,3})?) s\b", first(node, "C")) for _, _, node in moves]
    return begins, [where for _, where, _ in moves], [float(found[1]) for found in times if found] if all(times) else []


def escaped(words: str) -> str:
    return re.sub(r"([\\\]])", r"\\\1", " ".join(words.split()))


def split(text: str) -> list[str]:
    """The games of a file, each as a file of its own; what stands between them is left out."""
    found, depth, begin = [], 0, 0
    for mark in BRACKET.finditer(text):
        if mark[0] == "(":
            begin = mark.start() if depth == 0 else begin
            depth += 1
        elif mark[0] == ")" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[begin : mark.end()])
    return [*found, text[begin:]] if depth or not found else found  # what does not end is told by who reads it


def main_line(text: str) -> list[Node]:
    """The nodes of the main line, each its properties with their values.

    The first variation is always the main one: so the line ends where the first bracket closes.
    """
    begin = text.find("(")
    nodes: list[Node] = []
    values: list[str] | None = None
    at = begin
    while begin >= 0:
        token = TOKEN.match(text, at)
        if not token:
            raise InputError(f"at character {at + 1} of the file something else than SGF stands, or it ends too soon")
        at = token.end()
        mark, name, value = token.groups()
        if mark == ")":
            break
        if mark == ";":
            nodes.append({})
        if mark:
            values = None
        elif not nodes or (value is not None and values is None):
            raise InputError(f"at character {at} of the file a value or a name stands without its node")
        elif name:
            values = nodes[-1].setdefault("".join(c for c in name if c.isupper()), [])
        elif values is not None:
            values.append(plain(value))
    if not nodes:
        raise InputError("there is no game in the file: SGF begins with `(;`")
    return [{name: found or [""] for name, found in node.items()} for node in nodes]


def plain(value: str) -> str:
    """A value without its escapes."""
    return re.sub(
        r"\\(\r\n|\n\r|.)", lambda found: "" if found[1].isspace() and found[1] != " " else found[1], value, flags=re.S
    )


def first(node: Node, name: str) -> str:
    return " ".join(node.get(name, [""])[0].split())


def size_of(value: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,3})\s*(?::\s*(\d{1,3}))?", value)
    if not found:
        raise InputError(f"the size of the board, SZ[{value[:10]}], is no number")
    return int(found[1]), int(found[2] or found[1])


def result_of(root: Node) -> tuple[float | None, str]:
    """Black's score by RE, and why the game ended."""
    result = first(root, "RE").upper()
    if result in ("0", "DRAW"):
        return 0.0, ""
    if result[:2] not in ("B+", "W+"):
        return None, ""
    comment = first(root, "GC")
    reason = comment.removeprefix(ENDED) if comment.startswith(ENDED) else ENDS.get(result[2:3], "")
    return (1.0 if result[0] == "B" else -1.0), reason
