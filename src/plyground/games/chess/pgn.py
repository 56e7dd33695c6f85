"""PGN, the files of chess: moves in short algebraic notation (SAN), with comments and variations.

Variations are not read; of a file with several games the first one is, unless they are `split`.  Notes on moves are
written as comments, marks (?! and ?) and variations that hold the better moves; they are not read.
"""

from __future__ import annotations

import re
from typing import Any

from ...game_files import Note, Saved, checked
from ...games import make
from ...rules import after, legal, new
from ...spec import InputError
from .fen import FIRST
from .moves import attacked, ends
from .rules import Chess
from .squares import KING, LETTERS, PAWN

RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1", None: "*"}
MARKS = {"": "", "doubtful": "?!", "bad": "?"}
WIDTH = 79  # of a line
TAG = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s+"((?:\\.|[^"\\])*)"\s*\]')
TIME = re.compile(r"\[%emt\s+(\d{1,3}):(\d\d):(\d\d(?:\.\d{1,3})?)\]")
ASIDE = re.compile(r"^%.*$|e\.p\.", re.MULTILINE)  # lines for other programs; what a capture shows by itself
TOKEN = re.compile(r"\{([^}]*)\}|;([^\n]*)|([()])|\$\d+|\d+\.+|([^\s{};()$.]+)|\.+")
RESULT = re.compile("|".join(map(re.escape, ("1-0", "0-1", "1/2-1/2", "*"))))
COMMENT, ONE_TAG = r"\{[^}]*(?:\}|\Z)|;[^\n]*|^%[^\n]*", TAG.pattern.removeprefix(r"\s*")
PART = re.compile(rf"{COMMENT}|(?P<tag>{ONE_TAG})|(?P<word>[()]|[^\s{{}};()]+)", re.MULTILINE)
MOVE = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x:-]?([a-h][1-8])(?:=?\(?([QRBN])\)?)?")


def holds(game: Any) -> bool:
    """Can a file keep this game?"""
    return isinstance(game, Chess)


# --- moves -------------------------------------------------------------------------------------------


def san(game: Any, state: Any, action: int) -> str:
    """A legal move as people write it: Nf3, exd5, O-O, e8=Q+."""
    start, to, promoted = (int(part) for part in ends(action))
    kind = abs(int(state.pieces[start]))
    takes = bool(state.pieces[to]) or (kind == PAWN and start % 8 != to % 8)
    name = game.name(action)[2:4]
    if kind == KING and abs(start - to) == 2:
        text = "O-O" if to > start else "O-O-O"
    elif kind == PAWN:
        text = (f"{game.name(action)[0]}x" if takes else "") + name + (f"={LETTERS[promoted]}" if promoted else "")
    else:
        text = LETTERS[kind] + told_apart(game, state, start, to) + "x" * takes + name
    then = after(game, state, action)
    check = attacked(then, int(then.kings[then.turn]), 1 - 2 * int(state.turn))
    return text + ("#" if then.winner in (1, 2) else "+" if check else "")


def told_apart(game: Any, state: Any, start: int, to: int) -> str:
    """The file, the rank or both of a piece, as far as others of its kind may go there, too."""
    others = [one for one, there, _ in map(ends, legal(game, state)) if there == to and one != start]
    others = [one for one in others if state.pieces[one] == state.pieces[start]]
    column, row = "abcdefgh"[start % 8], str(8 - start // 8)
    if not others:
        return ""
    if all(one % 8 != start % 8 for one in others):
        return column
    return row if all(one // 8 != start // 8 for one in others) else column + row


def read_san(game: Any, state: Any, text: str) -> int:
    """The legal move of such a text, or of one as UCI writes it; InputError if there is none, or several."""
    word = text.rstrip("+#!?")
    if re.fullmatch(r"[O0]-[O0](-[O0])?", word):
        start, far = int(state.kings[state.turn]), 2 if len(word) == 3 else -2
        found = [one for one in legal(game, state) if one == 64 * start + start + far]
        found = [one for one in found if abs(state.pieces[start]) == KING]
    elif move := MOVE.fullmatch(word):
        kind, column, row, to, promoted = move.groups()
        found = []
        for one in legal(game, state):
            name, piece = game.name(one), LETTERS[abs(int(state.pieces[int(ends(one)[0])]))]
            wanted = piece == (kind or "P") and name[2:4] == to and name[4:].upper() == (promoted or "")
            if wanted and column in ("", name[0]) and row in ("", name[1]):
                found.append(one)
    else:
        found = []
    found = found or [one for one in legal(game, state) if game.name(one) == word.lower()]
    if len(found) != 1:
        raise InputError(f"{text[:20]} is {'not legal there' if not found else 'more than one move there'}")
    return found[0]


# --- files -------------------------------------------------------------------------------------------


def text(saved: Saved) -> str:
    """The file of a game."""
    if not holds(make(saved.game)):
        raise InputError(f"{saved.game} cannot be kept in a PGN file: chess can")
    saved = checked(saved)
    result = RESULTS[None if saved.score is None else int(saved.score)]
    tags = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?"}
    tags |= {"White": saved.players[0] or "?", "Black": saved.players[1] or "?", "Result": result}
    if saved.reason:
        tags["Termination"] = saved.reason
    head = [f'[{name} "{escaped(value)}"]' for name, value in tags.items()]
    words = " ".join([*moves_of(saved), result]).split(" ")
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join([*head, "", *lines]) + "\n\n"


def escaped(words: str) -> str:
    return re.sub(r'([\\"])', r"\\\1", " ".join(words.split()))


def moves_of(saved: Saved) -> list[str]:
    """The moves with their numbers, comments and variations."""
    game, state, found = make(saved.game), new(make(saved.game)), list[str]()
    again = True  # does the number stand before a move of black's, too?
    for ply, action in enumerate(saved.actions):
        note = saved.notes[ply] if saved.notes else Note()
        found += [numbered(ply, again), san(game, state, action) + MARKS[note.mark]]
        clock = [timed(saved.seconds[ply])] if saved.seconds else []
        comment = " ".join(clock + note.text.replace("}", ")").split())
        found += [f"{{{comment}}}"] * bool(comment)
        if note.line:
            found.append(variation(game, state, ply, note.line))
        again = bool(comment or note.line)
        state = after(game, state, action)
    return [word for word in found if word]


def numbered(ply: int, again: bool) -> str:
    return f"{ply // 2 + 1}." if ply % 2 == 0 else f"{ply // 2 + 1}..." if again else ""


def variation(game: Any, state: Any, ply: int, line: list[int]) -> str:
    """Moves in brackets, in the place of the one that was played."""
    found = []
    for i, action in enumerate(line):
        if game.over(state) or action not in legal(game, state):
            break
        found += [numbered(ply + i, i == 0), san(game, state, action)]
        state = after(game, state, action)
    return f"({' '.join(word for word in found if word)})" if found else ""


def timed(seconds: float) -> str:
    minutes, rest = divmod(round(seconds, 3), 60)
    return f"[%emt {int(minutes // 60)}:{int(minutes % 60):02}:{rest:06.3f}]"


def split(text: str) -> list[str]:
    """The games of a file, each as a file of its own: one begins with tags, or after the result of another."""
    begins, moves, ended, depth = [0], False, False, 0
    for part in PART.finditer(text):
        if part["tag"] or part["word"]:
            if ended or (part["tag"] and moves):
                begins.append(part.start())
                moves, ended, depth = False, False, 0
        if word := part["word"]:
            moves, depth = True, depth + (word == "(") - (word == ")")
            ended = depth == 0 and bool(RESULT.fullmatch(word))
    return [text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)], strict=True)]


def parse(text: str) -> Saved:
    """The first game of a file."""
    tags, end = dict[str, str](), 0
    while found := TAG.match(text, end):
        tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        end = found.end()
    if tags.get("FEN", FIRST) != FIRST or tags.get("Variant", "Standard").lower() not in (
        "standard",
        "chess",
        "normal",
    ):
        raise InputError("a game that begins from another position, or has other rules, is not read")
    game = make("chess")
    state, actions, seconds, depth, result = new(game), list[int](), list[float](), 0, ""
    for token in TOKEN.finditer(ASIDE.sub("", text[end:])):
        comment, _, bracket, word = token.groups()
        if bracket:
            depth += 1 if bracket == "(" else -1
            if depth < 0:
                raise InputError(f"after move {len(actions)} a bracket closes that was never opened")
        elif comment and depth == 0 and (clock := TIME.search(comment)) and len(seconds) < len(actions):
            seconds.append(round(3600 * int(clock[1]) + 60 * int(clock[2]) + float(clock[3]), 3))
        elif word in ("1-0", "0-1", "1/2-1/2", "*") and depth == 0:
            result = word
            break
        elif word and depth == 0 and re.search(r"[A-Za-z]|0-0|^--", word):  # nor numbers and marks
            if game.over(state):
                drawn = "" if game.score(state) else ", which was a draw: here nobody has to claim it"
                raise InputError(f"move {len(actions) + 1}, {word[:20]}, comes after the end of the game{drawn}")
            try:
                actions.append(read_san(game, state, word))
            except InputError as error:
                raise InputError(f"move {len(actions) + 1}, {error}") from None
            game.play(state, actions[-1])
    if depth > 0:
        raise InputError(f"after move {len(actions)} a variation begins that does not end")
    if not tags and not actions:
        raise InputError('there is no game in the file: PGN begins with tags like [White "Anna"]')
    score = next((score for score, word in RESULTS.items() if word == (result or tags.get("Result", "*"))), None)
    players = tuple("" if tags.get(side, "?") == "?" else tags[side] for side in ("White", "Black"))
    kept = seconds if len(seconds) == len(actions) else []
    reason = tags.get("Termination", "") if tags.get("Termination", "").lower() != "normal" else "resigned"
    return checked(Saved("chess", actions, (players[0], players[1]), score, kept, reason))
