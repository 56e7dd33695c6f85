"""SGF, format 4, game 4 (Gomoku): https://www.red-bean.com/sgf/.

Of a file with variations or several games the main line of the first game is read.  Notes on moves are written as
comments (C), marks (DO doubtful, BM bad), and variations that hold the better moves; they are not read.
"""

from __future__ import annotations

import re

from .... import __version__
from ....game_files import Note, Saved
from ....spec import InputError
from .played import checked, rule_name, spec_of, stones_in_a_row

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:\\.|[^\\\]])*)\])", re.DOTALL)
ENDED = "forfeited: "  # before the reason, in the comment on the whole game
ENDS = {"T": "out of time", "F": "forfeited", "R": "resigned"}
COLOURS = "BW"
MARKS = {"": "", "doubtful": "DO[]", "bad": "BM[1]"}

Node = dict[str, list[str]]


def text(saved: Saved) -> str:
    """The file of a game."""
    saved = checked(saved)
    game = stones_in_a_row(saved)
    size = f"{game.m}" if game.m == game.n else f"{game.m}:{game.n}"
    result = "?" if saved.score is None else {1: "B+", 0: "0", -1: "W+"}[int(saved.score)]
    forfeited = bool(saved.reason)
    root = [
        f"(;FF[4]GM[4]CA[UTF-8]AP[Plyground:{__version__}]SZ[{size}]RU[{rule_name(game)}]",
        f"PB[{_escaped(saved.players[0])}]PW[{_escaped(saved.players[1])}]RE[{result}{'F' * forfeited}]",
        *([f"GC[{ENDED}{_escaped(saved.reason)}]"] if forfeited else []),
    ]
    times = [f"{seconds:.3f} s" for seconds in saved.seconds] or [""] * len(saved.actions)
    notes = saved.notes or [Note()] * len(saved.actions)

    def node(number: int, action: int) -> str:
        return f";{COLOURS[number % 2]}[{LETTERS[action % game.m]}{LETTERS[action // game.m]}]"

    nodes, aside = [], []  # the main line; variations, which close the brackets that they open, the last one first
    for number, (action, seconds, note) in enumerate(zip(saved.actions, times, notes, strict=True)):
        said = "\n".join(part for part in (seconds, _escaped(note.text)) if part)
        told = f"{node(number, action)}{f'C[{said}]' if said else ''}{MARKS[note.mark]}"
        nodes.append(("(" if note.line else "") + told)
        if note.line:
            better = "".join(node(number + i, one) for i, one in enumerate(note.line))
            aside.append(f"\n({better})")
    return "\n".join([*root, *nodes]) + "".join(f"){one}" for one in reversed(aside)) + ")\n"


def _escaped(words: str) -> str:
    return re.sub(r"([\\\]])", r"\\\1", " ".join(words.split()))


def parse(text: str) -> Saved:
    """The game of a file."""
    nodes = main_line(text)
    root = nodes[0]
    if (kind := _first(root, "GM")) not in ("", "4"):
        raise InputError(f"GM[{kind[:10]}] is another game: five in a row is GM[4]")
    cols, rows = _size(_first(root, "SZ"))
    spec = spec_of(cols, rows, _first(root, "RU"))
    moves = [(colour, node[colour][0], node) for node in nodes for colour in COLOURS if colour in node]
    if any(name in node for node in nodes for name in ("AB", "AW", "AE")):
        raise InputError("stones that are set up (AB, AW, AE) are not read: a game begins with an empty board")
    first = moves[0][0] if moves else "B"
    for number, (colour, _, _) in enumerate(moves):
        if colour != COLOURS[(number + COLOURS.index(first)) % 2]:
            raise InputError(f"move {number + 1}: black and white do not move by turns")
    actions = [_cell(where, number, cols, rows) for number, (_, where, _) in enumerate(moves, 1)]
    times = [re.match(r"([\d.]{1,12}) s\b", _first(node, "C")) for _, _, node in moves]
    seconds = [_number(found[1]) for found in times if found] if all(times) else []
    score, reason = _result(root)
    players = _first(root, "PB"), _first(root, "PW")
    if first == "W":
        players, score = players[::-1], None if score is None else -score
    return checked(Saved(spec, actions, players, score, seconds, reason))


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
            values.append(_plain(value))
    if not nodes:
        raise InputError("there is no game in the file: SGF begins with `(;`")
    return [{name: found or [""] for name, found in node.items()} for node in nodes]


def _plain(value: str) -> str:
    """A value without its escapes."""
    return re.sub(
        r"\\(\r\n|\n\r|.)", lambda found: "" if found[1].isspace() and found[1] != " " else found[1], value, flags=re.S
    )


def _first(node: Node, name: str) -> str:
    return " ".join(node.get(name, [""])[0].split())


def _size(value: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,3})\s*(?::\s*(\d{1,3}))?", value)
    if not found:
        raise InputError(f"the size of the board, SZ[{value[:10]}], is no number")
    return int(found[1]), int(found[2] or found[1])


def _cell(where: str, number: int, cols: int, rows: int) -> int:
    """The cell of `hh`, column and row from the top left, or of `h8`, with the row from below."""
    where = where.strip()
    col, row = -1, -1
    if re.fullmatch(r"[A-Za-z]{2}", where):
        col, row = LETTERS.index(where[0]), LETTERS.index(where[1])
    elif re.fullmatch(r"[A-Za-z]\d{1,2}", where):
        col, row = LETTERS.index(where[0].lower()), rows - int(where[1:])
    if not (0 <= col < cols and 0 <= row < rows):
        raise InputError(f"move {number}, {where[:10]!r}, is no cell of a board of {cols} x {rows}")
    return row * cols + col


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _result(root: Node) -> tuple[float | None, str]:
    """Black's score by RE, and why the game ended."""
    result = _first(root, "RE").upper()
    if result in ("0", "DRAW"):
        return 0.0, ""
    if result[:2] not in ("B+", "W+"):
        return None, ""
    comment = _first(root, "GC")
    reason = comment.removeprefix(ENDED) if comment.startswith(ENDED) else ENDS.get(result[2:3], "")
    return (1.0 if result[0] == "B" else -1.0), reason
