"""The page of a study: what was found, tables, plots, and how to get each figure again.  One file, no scripts."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..arena.statistics import Tally

STYLE = """
:root { color-scheme: light dark; --ink: #1c1f23; --soft: #5c646e; --line: #d9dde2; --back: #fff; --panel: #f5f7f9;
  --accent: #1f5fa8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #9aa4af; --line: #353b42; --back: #16191d;
  --panel: #1f2429; --accent: #7fb2ea; } }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 72rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { line-height: 1.2; margin-bottom: .2rem; } h2 { margin-top: 2.4rem; border-top: 1px solid var(--line);
  padding-top: 1.2rem; }
.made, figcaption, caption { color: var(--soft); font-size: .9rem; text-align: left; }
.found { background: var(--panel); border-left: 4px solid var(--accent); padding: .6rem 1.2rem; border-radius: 4px; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; margin: .8rem 0; }
caption { padding-bottom: .4rem; } th, td { padding: .3rem .7rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; vertical-align: top; }
th { border-bottom: 2px solid var(--line); white-space: normal; } th:first-child, td:first-child { text-align: left; }
td small { color: var(--soft); display: block; }
figure { margin: 1rem 0; } figure svg { background: #fff; max-width: 100%; height: auto; border-radius: 4px; }
pre { background: var(--panel); padding: .7rem 1rem; overflow-x: auto; font-size: .82rem; border-radius: 4px; }
code { background: var(--panel); padding: 0 .25em; border-radius: 3px; } pre code { padding: 0; }
summary { cursor: pointer; color: var(--accent); } a { color: var(--accent); }
"""


@dataclass
class Table:
    """Rows of texts; a cell of two lines shows the second one small."""

    columns: list[str]
    rows: list[list[str]]
    caption: str = ""


@dataclass
class Plot:
    svg: str
    caption: str


@dataclass
class Section:
    """Texts, tables and plots in their order, and the parts whose figures stand there."""

    title: str
    blocks: list[str | Table | Plot]
    parts: list[str] = field(default_factory=list)


@dataclass
class Report:
    """A study's page before it is written."""

    about: str  # what the study did, in a sentence or two
    found: list[str]  # what holds, what does not, and why
    sections: list[Section]


def rendered(title: str, report: Report, commands: dict[str, str], made: dict[str, Any]) -> str:
    """The page as HTML; `commands` tells for every part how to get it again, `made` by what it was made."""
    again = f"plyground reproduce {made['study']}{' --quick' if made['quick'] else ''}"
    how = "A quick run: few games and simulations, wide intervals." if made["quick"] else "The full run."
    body = [
        f"<h1>{html.escape(title)}</h1>",
        f'<p class="made">Plyground {made["version"]}, {made["date"]}, Python {made["python"]}, {made["machine"]}. '
        f"{how} All of it again: <code>{again}</code></p>",
        f"<p>{_text(report.about)}</p>",
        '<section class="found"><h2 style="border:0;margin:0;padding:0">What was found</h2><ul>',
        *(f"<li>{_text(one)}</li>" for one in report.found),
        "</ul></section>",
    ]
    for section in report.sections:
        body.append(f"<h2>{html.escape(section.title)}</h2>")
        body.extend(map(_block, section.blocks))
        if section.parts:
            lines = "\n".join(html.escape(line) for line in dict.fromkeys(commands[name] for name in section.parts))
            body.append(f"<details><summary>Get these figures again</summary><pre><code>{lines}</code></pre></details>")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head += f"<title>{html.escape(title)}</title><style>{STYLE}</style>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(body) + "\n</body></html>\n"


def _text(text: str) -> str:
    """Escaped, with `code`, **strong** and [links](/#address of the page)."""
    text = html.escape(text)
    text = re.sub(r"\[([^\]]+)\]\((/[^)\s]*)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


def _block(block: str | Table | Plot) -> str:
    if isinstance(block, str):
        return f"<p>{_text(block)}</p>"
    if isinstance(block, Plot):
        return f"<figure>{block.svg}<figcaption>{_text(block.caption)}</figcaption></figure>"
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in block.columns)
    rows = "\n".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in block.rows)
    caption = f"<caption>{_text(block.caption)}</caption>" if block.caption else ""
    return f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'


def _cell(text: str) -> str:
    first, _, second = text.partition("\n")
    return _text(first) + (f"<small>{_text(second)}</small>" if second else "")


# --- figures as texts ---------------------------------------------------------------------------------


def percent(share: float, digits: int = 1) -> str:
    return f"{share:.{digits}%}".replace("%", " %")


def three(counts: dict[str, int], order: Iterable[str] = ("wins", "losses", "draws")) -> str:
    """`958 / 7 / 35`: a match's results, in the order of the study's tables."""
    return " / ".join(str(counts[name]) for name in order)


def tally(counts: dict[str, int]) -> Tally:
    return Tally(counts["wins"], counts["draws"], counts["losses"])


def with_interval(counts: dict[str, int]) -> str:
    """A score and, on a line of its own, the interval that holds the true one with 95 %."""
    low, high = tally(counts).interval()
    return f"{percent(tally(counts).score)}\n{percent(low)} to {percent(high)}"


def pooled(runs: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Several matches as one."""
    runs = list(runs)
    return {name: sum(run[name] for run in runs) for name in ("games", "wins", "draws", "losses")}


def verdict(counts: dict[str, int], opponent: str) -> str:
    """Who is stronger, as far as the interval tells."""
    low, high = tally(counts).interval()
    word = "beats" if low > 0.5 else "loses to" if high < 0.5 else "cannot be told from"
    return f"{word} {opponent}"


def by_seat(run: dict[str, Any]) -> dict[str, int]:
    """A match of an agent with itself, for the player who moves first."""
    first, second = run["first"], run["second"]
    wins, losses = first["wins"] + second["losses"], first["losses"] + second["wins"]
    return {"games": run["games"], "wins": wins, "draws": run["draws"], "losses": losses}
