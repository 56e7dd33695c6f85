"""The page of a study: one file that needs nothing and runs nothing."""

from __future__ import annotations

from html.parser import HTMLParser

from plyground.studies.plot import drawing
from plyground.studies.report import Plot, Report, Section, Table, by_seat, rendered, with_interval

MADE = {"study": "s", "quick": True, "version": "1", "date": "d", "python": "3", "machine": "m"}


class Tags(HTMLParser):
    """Collects the tags, and sees that those which open also close."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


def page() -> str:
    with drawing() as made:
        made.axes.plot([1, 2], [3, 4], label="<b>")
        made.legend()
    table = Table(["a", "b"], [["x < y", "1\n2 & 3"]], "caption `code`")
    section = Section("One <two>", ["**text** with `<script>` and [a link](/#play?game=x)", table, Plot(made.svg, "p")])
    section.parts = ["f"]
    return rendered("A & B", Report("about", ["<i>found</i>"], [section]), {"f": "plyground x '<y>'"}, MADE)


def test_the_page_is_whole_and_runs_nothing() -> None:
    tags = Tags()
    tags.feed(page())
    assert tags.open == [] and {"table", "svg", "details", "title", "figure"} <= set(tags.seen)
    assert not {"script", "i", "b", "link", "img", "iframe"} & set(tags.seen)
    assert all(link.startswith(("#", "/#play?")) for link in tags.links) and "/#play?game=x" in tags.links


def test_marks_and_figures_are_shown() -> None:
    text = page()
    assert "<strong>text</strong>" in text and "<code>&lt;script&gt;</code>" in text
    assert "<td>1<small>2 &amp; 3</small></td>" in text and "plyground x &#x27;&lt;y&gt;&#x27;" in text
    assert "plyground reproduce s --quick" in text and "A &amp; B" in text


def test_the_first_players_results_are_taken_from_both_seats() -> None:
    first = {"games": 10, "wins": 6, "draws": 3, "losses": 1}
    second = {"games": 10, "wins": 2, "draws": 4, "losses": 4}
    run = {"games": 20, "wins": 8, "draws": 7, "losses": 5, "first": first, "second": second}
    assert by_seat(run) == {"games": 20, "wins": 10, "draws": 7, "losses": 3}


def test_a_score_stands_with_its_interval() -> None:
    assert with_interval({"games": 100, "wins": 50, "draws": 0, "losses": 50}) == "50.0 %\n40.4 % to 59.6 %"
