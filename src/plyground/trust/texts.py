"""Words that people might type, as Hypothesis draws them: sense, near misses and nonsense.

Whatever makes sense is small, so that thousands of inputs are a matter of minutes; nothing names a file outside the
folder that it is tried in, and no program is started that is not one of these.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

NUMBERS = ["0", "1", "-1", "2", "3", "7", "1e9", "1e308", "1e400", "-0.0", "nan", "inf", "-inf", "0x10", "1_000", "٣"]
NUMBERS += ["2147483648", "9223372036854775808", "1" * 400, "1" * 5000, "True", "None", "", " ", "1,2", "½"]
ODD = [
    "",
    " ",
    "-",
    "--",
    "---",
    "\n",
    "\t",
    "'",
    '"',
    "(",
    ")",
    "()",
    "((",
    "[]",
    "{}",
    "%s",
    "{0}",
    "$HOME",
    "`id`",
    "é",
]
ODD += [
    "\udcff",
    "\ud800",
    "\u202e",
    "\ufeff",
    "🂡",
    "a" * 300,
    "a" * 5000,
    "..",
    "../..",
    ".",
    "~",
    "-h",
    "--help",
    "\x1b[2J",
]
PATHS = ["a", "b", "a/b", "é", "\udcff", "x" * 300, "file", "file/below", "/dev/null", "/dev/full", "/proc/none", "."]
SAFE = {"/dev/null", "/dev/full", "/proc/none"}


def harmless(word: str) -> str:
    """The word as one that names no file outside the folder that it is tried in; NUL is in no word."""
    if word in SAFE:
        return word
    word = word.replace("\0", "").encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    word = word.replace("..", ".").replace("~", "-")
    return re.sub(r"(^|[=\s'\"(:,])/+", r"\1", word)


def texts(most: int = 30) -> st.SearchStrategy[str]:
    """Any text."""
    return st.one_of(st.sampled_from(ODD), st.sampled_from(NUMBERS), st.text(max_size=most)).map(harmless)


def near(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The text with a piece of it lost, doubled, or something put in."""

    def changed(drawn: tuple[str, int, int, str, int]) -> str:
        word, begin, end, put, how = drawn
        begin, end = sorted((begin % (len(word) + 1), end % (len(word) + 1)))
        ways = word[:begin] + word[end:], word[:end] + word[begin:], word[:begin] + put + word[begin:]
        return ways[how]

    places = st.integers(0, 60)
    return st.tuples(text, places, places, texts(4), st.integers(0, 2)).map(changed)


def numbers(small: st.SearchStrategy[int]) -> st.SearchStrategy[str]:
    """A small number, or something else that stands where a number should."""
    return st.one_of(small.map(str), small.map(str), small.map(str), st.sampled_from(NUMBERS), st.integers().map(str))
