"""The board of a notebook in a browser: its module with a model as notebooks have one, and Python at the other end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from browsing import needs_chromium

import plyground as pg
from plyground.api.widget import FILE, Sitting

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = needs_chromium

MODEL = """
const values = { view: FIRST, asked: {} };
const listeners = [];
const model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; },
  on: (event, listener) => listeners.push(listener),
  off: () => {},
  save_changes: async () => {
    values.view = JSON.parse(await window.python(JSON.stringify(values.asked)));
    listeners.forEach((listener) => listener());
  },
};
board.render({ model, el: document.body });
"""


def test_a_person_plays_by_clicks_takes_back_and_begins_anew(browser: Browser) -> None:
    sitting = Sitting(pg.Position("tictactoe"), lambda game, state: pg.legal(game, state)[0], 0)
    asked = []

    def python(text: str) -> str:
        told = json.loads(text)
        asked.append(told)
        if "move" in told:
            sitting.play(told["move"])
        else:
            (sitting.undo if told["do"] == "undo" else sitting.begin_anew)()
        sitting.reply()
        return json.dumps(sitting.view())

    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.expose_function("python", python)
    page.set_content("<body></body>")
    source = FILE.read_text().replace("export default { render };", "const board = { render };")
    page.add_script_tag(content=source + MODEL.replace("FIRST", json.dumps(sitting.view())), type="module")
    page.locator("[data-cell='4']").click()
    page.wait_for_function("document.querySelectorAll('[data-cell] path').length === 1")
    assert page.locator("[data-cell='0'] circle").count() == 1  # the agent's answer
    page.locator("[data-cell='4']").click()  # it is taken: nothing happens
    page.get_by_text("take back").click()
    page.wait_for_function("document.querySelectorAll('[data-cell] path').length === 0")
    page.locator("[data-cell='8']").click()
    page.wait_for_function("document.querySelectorAll('[data-cell] path').length === 1")
    page.get_by_text("new game").click()
    page.wait_for_function("document.querySelectorAll('[data-cell] circle').length === 0")
    page.close()
    assert [one.get("move", one.get("do")) for one in asked] == ["b2", "undo", "c1", "new"] and errors == []


def test_moves_that_clicks_cannot_tell_apart_have_buttons(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content("<body></body>")
    source = FILE.read_text().replace("export default { render };", "const board = { render };")
    cells = "".join(f"<rect data-cell='{cell}' x='{40 * cell}' width='30' height='30'/>" for cell in range(3))
    moves = {"forward": [0, 1], "back": [1, 0], "stay": [2, 2], "out": [2], "pass": []}
    view = {
        "svg": f"<svg width='200' height='40'>{cells}</svg>",
        "text": "",
        "moves": [{"name": name, "cells": where} for name, where in moves.items()],
        "status": "your move",
    }
    page.expose_function("python", lambda text: json.dumps(view | {"status": text}))
    page.add_script_tag(content=source + MODEL.replace("FIRST", json.dumps(view)), type="module")
    page.locator("[data-cell='0']").click()
    assert not page.get_by_role("button", name="back", exact=True).count()
    page.locator("[data-cell='1']").click()
    page.get_by_role("button", name="back", exact=True).click()
    page.get_by_text('{"move":"back","number":1}').wait_for()
    assert page.locator("button").all_text_contents() == ["pass", "take back", "new game"]
    page.locator("[data-cell='2']").click()
    page.get_by_role("button", name="stay").click()
    page.get_by_text('{"move":"stay","number":2}').wait_for()
    page.close()


def test_a_game_without_a_board_has_buttons(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content("<body></body>")
    source = FILE.read_text().replace("export default { render };", "const board = { render };")
    view = {"svg": "", "text": "heap = 3", "moves": [{"name": "two", "cells": []}], "status": "your move"}
    page.expose_function("python", lambda text: json.dumps(view | {"status": text, "moves": []}))
    page.add_script_tag(content=source + MODEL.replace("FIRST", json.dumps(view)), type="module")
    page.get_by_role("button", name="two").click()
    page.get_by_text('{"move":"two","number":1}').wait_for()
    assert page.locator("pre").text_content() == "heap = 3"
    page.close()
