"""The page's Tetris against the rules: the same pieces and keys in JavaScript and in Python, compared key by key."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from asking import complaint
from fastapi.testclient import TestClient

from plyground import games, rules
from plyground.games.tetris.keys import KEYS, Keys
from plyground.games.tetris.rules import level
from plyground.games.tetris.view import VIEW, Figures

MODULE, ASKED = VIEW.static / "rules.js", "/api/views/tetris/figures"
NODE = shutil.which("node")
WEIGHTS = (5, 5, 4, 2, 2, 3)  # of KEYS, such that some thousand of them end games and clear rows
TOLD = ("score", "lines", "combo", "level", "interval", "over", "piece", "next", "turn", "row", "col", "matrix")

# games of [first pieces, keys]; every key is answered by what is known after it
REPLAY = """({ Tetris }, { figures, games, told }) => games.map(({ pieces, keys }) => {
    let drawn = 0;
    const game = new Tetris(figures, { draw: () => pieces[drawn++] });
    return keys.map((key) => {
        const changed = game.press(key);
        return [changed, game.over ? "" : game.diagram(), ...told.map((name) => structuredClone(game[name]))];
    });
})"""
# placements by their cells, reached by keys
PLACE = """({ Tetris }, { figures, games }) => games.map(({ pieces, placements }) => {
    let drawn = 0;
    const game = new Tetris(figures, { draw: () => pieces[drawn++] });
    return placements.map((cells) => {
        const keys = game.keysTo(cells);
        if (!keys) return "not reached";
        for (const key of [...keys, "hard"]) game.press(key);
        return [game.over, game.over ? "" : game.diagram()];
    });
})"""
DRAW = """({ Pieces }, { seeds, count, bag }) => seeds.map((seed) => {
    const pieces = new Pieces(seed, bag);
    return Array.from({ length: count }, () => pieces.draw());
})"""
BAG = """({ Pieces, Tetris }, { figures }) => {
    const game = new Tetris(figures, new Pieces(5, true));
    return [1, 2, 3, 4, 5].map(() => game.press("hard") && game.diagram());
}"""

Run = Callable[[str, dict[str, Any]], Any]


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Calls a function with the page's module and some JSON: in node, or else in Chromium."""
    if NODE:
        module = shutil.copy(MODULE, tmp_path_factory.mktemp("js") / "rules.mjs")
        return lambda function, given: in_node(module, function, given)
    browsing = pytest.importorskip("browsing", reason="without node the page's rules are run in Chromium")
    if browsing.CHROMIUM is None:
        pytest.skip("the page's rules are run in node or in Chromium, and there is neither")
    page = request.getfixturevalue("browser").new_page()
    page.goto(request.getfixturevalue("site").address + "docs")
    call = "async (given) => JSON.stringify(({})(await import('/views/tetris/rules.js'), JSON.parse(given)))"
    return lambda function, given: json.loads(page.evaluate(call.replace("{}", function, 1), json.dumps(given)))


def in_node(module: Path, function: str, given: dict[str, Any]) -> Any:
    """All in one process: its answer is what it prints."""
    code = f"import * as it from {json.dumps(Path(module).as_uri())}; import {{ readFileSync }} from 'node:fs';"
    code += f"process.stdout.write(JSON.stringify(({function})(it, JSON.parse(readFileSync(0)))));"
    command = [str(NODE), "--input-type=module", "-e", code]
    ran = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def figures(client: TestClient, spec: str) -> dict[str, Any]:
    answer = client.get(ASKED, params={"game": spec})
    assert answer.status_code == 200, answer.text
    return Figures.model_validate(answer.json()).model_dump(mode="json")


def told(keys: Keys, changed: bool) -> list[Any]:
    values = {name: getattr(keys, name) for name in TOLD}
    values["next"] = None if keys.next < 0 else keys.next
    return [changed, "" if keys.over else keys.game.diagram(keys.state()), *values.values()]


@pytest.mark.parametrize(
    ("spec", "often", "length"),
    [("tetris", 1, 500), ("tetris(4,5)", 1, 150), ("tetris(4,26)", 200, 500)],  # the last is full of long pieces
)
def test_every_key_does_what_the_rules_say(client: TestClient, run: Run, spec: str, often: int, length: int) -> None:
    rng = random.Random(spec)
    played = [
        {
            "pieces": rng.choices(range(7), (often, *[1] * 6), k=length + 2),
            "keys": rng.choices(KEYS, WEIGHTS, k=length),
        }
        for _ in range(4)
    ]
    found = run(REPLAY, {"figures": figures(client, spec), "games": played, "told": TOLD})
    levels, combos, ended = set(), set(), 0
    for one, told_by_page in zip(played, found, strict=True):
        keys = Keys(games.make(spec), iter(one["pieces"]))
        for number, (key, answer) in enumerate(zip(one["keys"], told_by_page, strict=True)):
            expected = told(keys, keys.press(key))
            assert answer == expected, (number, key)
            levels.add(keys.level)
            combos.add(keys.combo)
        ended += keys.over
    assert (max(levels) > 1 and max(combos) > 2) if often > 1 else ended


@pytest.mark.parametrize(
    "spec",
    ["tetris(6,8)", "tetris(5,6,bag='seven')", "tetris(6,8,'simplified')", "tetris(4,4,'simplified',bag='seven')"],
)
def test_keys_bring_a_piece_to_every_placement(client: TestClient, run: Run, spec: str) -> None:
    """Random placements, their cells given to the page: it finds keys, and both come to the same position."""
    game, rng = games.make(spec), random.Random(spec)
    played, expected = [], []
    for _ in range(25):
        state, pieces, placements, after = rules.new(game), [], [], []
        while not game.over(state):
            if game.player(state) < 0:
                pieces.append(rng.choice(rules.outcomes(game, state))[0])
                game.play(state, pieces[-1])
                continue
            if placements:
                after.append([False, without_bag(game.diagram(state))])
            action = rng.choice(rules.legal(game, state))
            placements.append(game.where(state, action))
            game.play(state, action)
        after.append([True, ""])
        played.append({"pieces": [*pieces, 0, 0], "placements": placements})
        expected.append(after)
    found = run(PLACE, {"figures": figures(client, spec), "games": played})
    assert found == expected
    assert sum(map(len, expected)) > 60


def without_bag(diagram: str) -> str:
    """The pieces are given here, so that the page's own bag is not asked."""
    return " ".join(word for word in diagram.split() if not word.startswith("drawn="))


def chi_square(drawn: list[int]) -> float:
    share = len(drawn) / 7
    return sum((drawn.count(piece) - share) ** 2 / share for piece in range(7))


def test_pieces_come_from_the_seed(run: Run) -> None:
    first, again, other = run(DRAW, {"seeds": [1, 1, 2**40 + 1], "count": 7000, "bag": False})
    assert first == again != other
    for drawn in first, other:
        assert chi_square(drawn) < 22.5  # one in a thousand
        assert chi_square([then for piece, then in pairwise(drawn) if piece == 0]) < 22.5


def test_a_bag_holds_every_piece_once(client: TestClient, run: Run) -> None:
    (drawn,) = run(DRAW, {"seeds": [3], "count": 700, "bag": True})
    bags = [tuple(drawn[at : at + 7]) for at in range(0, 700, 7)]
    assert all(sorted(bag) == list(range(7)) for bag in bags)
    assert len(set(bags)) > 90
    told = run(BAG, {"figures": figures(client, "tetris(bag='seven')")})
    for number, diagram in enumerate(told, 3):
        state = games.make("tetris(bag='seven')").read(diagram)
        assert number % 7 == bin(state.drawn).count("1")


def test_what_the_page_is_told(client: TestClient) -> None:
    told = figures(client, "tetris(8,12,'simplified',bag='seven')")
    assert (told["cols"], told["rows"], told["reference"], told["bag"]) == (8, 12, False, True)
    assert told["intervals"][4] == 0.4**1.5 and level(40) == 5
    assert "shows only tetris" in complaint(client.get(ASKED, params={"game": "tictactoe"}))
    assert "4 to 15" in complaint(client.get(ASKED, params={"game": "tetris(99)"}))
    complaint(client.get(ASKED, params={"game": "x" * 3000}))
