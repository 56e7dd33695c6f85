"""Lines of the Gomocup protocol."""

from __future__ import annotations

from hypothesis import strategies as st

from .texts import NUMBERS, texts

WORDS = [
    "START",
    "RECTSTART",
    "RESTART",
    "BEGIN",
    "TURN",
    "BOARD",
    "DONE",
    "SWAP2BOARD",
    "TAKEBACK",
    "INFO",
    "ABOUT",
    "END",
]
KEYS = [
    "timeout_turn",
    "timeout_match",
    "time_left",
    "max_memory",
    "game_type",
    "rule",
    "folder",
    "evaluate",
    "time_match",
]


def protocol_lines() -> st.SearchStrategy[str]:
    """Lines of the Gomocup protocol; nobody waits for a move."""
    cells = st.builds("{},{}".format, st.integers(-1, 9), st.integers(-1, 9))
    parts = st.one_of(
        st.sampled_from(WORDS[:-1]),
        st.sampled_from(KEYS),
        st.sampled_from(list(", \t\r-")),
        st.integers(-3, 25).map(str),
        st.sampled_from(NUMBERS),
        st.text(max_size=4),
    )
    return st.one_of(
        st.lists(parts, max_size=5).map(" ".join),
        st.builds("{},{}".format, cells, st.integers(0, 4)),
        cells.map("TURN {}".format),
        cells.map("TAKEBACK {}".format),
        st.builds("INFO {} {}".format, st.sampled_from(KEYS), st.one_of(st.integers(-1, 50).map(str), texts(8))),
        st.sampled_from(["BOARD", "DONE", "SWAP2BOARD", "BEGIN", "RESTART", "START 9", "INFO timeout_turn 0"]),
    ).map(lambda line: line.replace("\n", " "))
