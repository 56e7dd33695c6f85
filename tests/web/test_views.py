"""The server's HTTP side: views of positions, listings, positions set up by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from asking import complaint, view
from fastapi.testclient import TestClient

from plyground import games, rules
from plyground.manifest import registered
from plyground.nets import trained

PLYGROUND = str(Path(sys.executable).parent / "plyground")


def test_a_position_is_shown_with_everything_about_it(client: TestClient) -> None:
    seen = view(client, "tictactoe", "b2 a1 c1")
    assert seen["cells"] == [0, 0, 0, 0, 1, 0, 2, 0, 1] and seen["last"] == [8] and seen["player"] == 1
    assert seen["board"] == {
        "shape": "cells",
        "rows": 3,
        "cols": 3,
        "columns": ["a", "b", "c"],
        "row_labels": ["3", "2", "1"],
    }
    assert {"action": 0, "name": "a3", "cells": [0]} in seen["legal"] and len(seen["legal"]) == 6
    assert seen["threats"] == {"0": ["a3"], "1": []} and seen["left"] == 6
    assert seen["diagram"] == ".../.X./O.X O" and seen["over"] is False and seen["score"] is None


def test_five_in_a_row_is_met_with_the_strongest_agent(client: TestClient) -> None:
    for game in ("gomoku", "gomoku(9)", "gomoku(19)", 'gomoku(15, "exactly-five")', "mnk(7,6,5)"):
        assert view(client, game)["opponent"] == "gomoku-master"
    for game in ("tictactoe", "mnk(4,4,4)", "mnk(6,6,4)", "mnk(8,8,6)", "connect-four(6,5)"):
        assert view(client, game)["opponent"] == "uct"
    assert view(client, "line-taking")["opponent"] == "line-taking-master"
    for game in ("gomoku(25)", "mnk(5,1,5)"):  # no net is made for them
        assert view(client, game)["opponent"] == "gomoku-classic"


def test_a_won_game_shows_its_row(client: TestClient) -> None:
    seen = view(client, "tictactoe", "a3 a1 b3 b1 c3")
    assert seen["over"] and seen["score"] == 1 and seen["row"] == [0, 1, 2] and seen["legal"] == []


def test_a_move_is_played_from_a_diagram(client: TestClient) -> None:
    seen = view(client, "tictactoe", start="X.O/.X./O.. X", move="C1")
    assert seen["over"] and seen["moves"] == ["c1"] and seen["start"] == "X.O/.X./O.. X" and seen["last"] == [8]
    assert view(client, "tictactoe", "c1", start="X.O/.X./O.. X")["cells"] == seen["cells"]


@pytest.mark.parametrize("game", ["gomoku(9)", "connect-four", "line-taking", "line-taking(cells=20, seed=3)"])
def test_the_view_of_every_position_is_that_of_the_rules(client: TestClient, game: str) -> None:
    made = games.make(game)
    state, names = rules.new(made), []
    for number in range(12):
        if made.over(state):
            break
        actions = rules.legal(made, state)
        action = actions[(7 * number) % len(actions)]
        cells = made.where(state, action)
        names.append(made.name(action))
        made.play(state, action)
        seen = view(client, game, " ".join(names[:-1]), move=names[-1])
        assert seen == view(client, game, " ".join(names))
        assert seen["cells"] == made.cells(state) and seen["last"] == cells and seen["text"] == made.text(state)
        assert [one["action"] for one in seen["legal"]] == ([] if made.over(state) else rules.legal(made, state))
        assert seen["left"] == (made.left(state) if rules.gives(made, "left") else None)
    assert seen["game"] == game and all(seen["board"]["columns"])


def test_a_users_game_is_shown_by_its_rules_by_its_planes_or_as_text(client: TestClient, own: dict[str, str]) -> None:
    seen = view(client, own["board"], "two")
    assert seen["board"]["shape"] == "well" and seen["cells"] == [0, 0, 3, 3] and seen["last"] == [3, 2]
    assert seen["left"] == 2
    seen = view(client, own["planes"], "1")
    assert seen["board"]["shape"] == "cells" and seen["cells"] == [0, 1] and seen["last"] == [1]
    assert view(client, own["planes"], "1 0")["cells"] == [2, 1]
    seen = view(client, own["heap"], "1")
    assert seen["board"]["shape"] == "text" and seen["cells"] == [] and "left = 2" in seen["text"]
    assert [one["name"] for one in seen["legal"]] == ["0", "1"] and seen["diagram"] == ""


def test_the_labels_of_a_users_board_are_what_its_moves_are_called_by(client: TestClient, own: dict[str, str]) -> None:
    board = view(client, own["pieces"])["board"]  # c1-b2 goes from c1 to b2
    assert board["columns"] == list("abcdefgh") and board["row_labels"] == list("87654321")
    board = view(client, own["planes"])["board"]  # its moves are called 0 and 1
    assert board["columns"] == ["", ""] and board["row_labels"] == ["0"]
    board = view(client, 'against-random("tictactoe", seat=0)')["board"]  # it begins with nature's move
    assert board["columns"] == list("abc") and board["row_labels"] == list("321")
    board = view(client, own["well"])["board"]  # u1 and l1 are no cells
    assert not any(board["columns"]) and not any(board["row_labels"])


def test_a_game_of_one_player_is_shown_with_its_points(client: TestClient, own: dict[str, str]) -> None:
    for moves, points, over in (("", 0, False), ("0 3", 4, False), ("0 3 0 5", 10, False), ("0 3 1", 4, True)):
        seen = view(client, own["alone"], moves)
        assert (seen["alone"], seen["score"], seen["over"]) == (True, points, over)
    given = {entry["spec"]: entry for entry in client.get("/api/games").json()["given"]}
    assert given[own["alone"]]["about"].startswith("Throw a die as often as you like")
    assert (
        given[own["pieces"]]["about"]
        == "The hounds, who begin, enclose the fox; it wants to come to the row from which they started."
    )
    seen = view(client, own["pieces"])
    assert seen["alone"] is False and seen["score"] is None


def test_a_chance_event_lists_its_outcomes_with_their_probabilities(client: TestClient, own: dict[str, str]) -> None:
    seen = view(client, own["dice"], "0")
    assert seen["player"] == -1 and [one["probability"] for one in seen["legal"]] == [0.5, 0.5]
    assert view(client, own["dice"], "0 2")["player"] == 1
    complaint(client.post("/api/play", json={"game": own["dice"], "moves": ["0"], "move": "0"}))


def test_the_listings_are_those_of_the_command_line(client: TestClient, own: dict[str, str]) -> None:
    ran = [subprocess.run([PLYGROUND, what, "--json"], capture_output=True, text=True) for what in ("games", "agents")]
    found = client.get("/api/games").json()
    views = {game["name"]: game.pop("view") for game in found["games"]}
    assert found["games"] == json.loads(ran[0].stdout)["games"]
    assert {name: view for name, view in views.items() if view} == {"tetris": "tetris"}
    assert [given["spec"] for given in found["given"]] == list(own.values())
    elsewhere = ("human", "external")
    listed = [agent for agent in json.loads(ran[1].stdout)["agents"] if agent["name"] not in elsewhere]
    offered = client.get("/api/agents").json()["agents"]
    nets = {kind: ["auto", *trained.names(told)] for kind, told in (("net", "policy-value"), ("policy", "policy"))}
    choices: dict[str, list[str]] = nets | {"run": [], "scoring": ["auto", "none", *registered("scorings")]}
    for option in [option for agent in offered for option in agent["parameters"] if option["kind"] in choices]:
        assert option["choices"] == choices[option["kind"]]  # and no runs
        option["choices"] = []
    assert offered == listed


def test_a_users_game_is_listed_with_its_parameters_and_played_with_others(
    client: TestClient, own: dict[str, str]
) -> None:
    given = {entry["spec"]: entry for entry in client.get("/api/games").json()["given"]}
    heap, well = given[own["heap"]], given[own["well"]]
    assert heap["name"] == own["heap"] and heap["about"] == ""
    (size,) = heap["parameters"]
    assert (size["name"], size["type"], size["default"]) == ("size", "int", 4)
    assert [parameter["name"] for parameter in well["parameters"]] == ["rows", "cols"]
    assert "left = 9" in view(client, f"{own['heap']}(9)")["text"]
    assert view(client, f"{own['well']}(rows=3, cols=2)")["board"]["rows"] == 3
    for values, says in (
        ("(9, 9)", "at most 1 value"),
        ("(length=3)", "no option length"),
        ("(size='x')", "whole number"),
    ):
        assert says in complaint(client.post("/api/position", json={"game": own["heap"] + values}))
    other = own["heap"].replace("heap.py", "other.py")
    assert "plyground serve" in complaint(client.post("/api/position", json={"game": other}))
    assert "plyground serve" in complaint(client.post("/api/position", json={"game": own["heap"] + "2(3)"}))


def test_a_well_has_cells_of_nine_colours(client: TestClient, own: dict[str, str]) -> None:
    seen = view(client, own["well"], "u1 l2 u1 l2 u5 l2 l2 l2 l2 l2")
    assert seen["board"]["shape"] == "well" and seen["legal"][-1]["cells"] == [28, 29]
    assert set(seen["cells"]) == {*range(10)} and seen["cells"][35] == seen["cells"][30] == 1


def edit(client: TestClient, game: str, cells: list[int], player: int | None = None) -> dict:
    answer = client.post("/api/edit", json={"game": game, "cells": cells, "player": player})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    "game", ["tictactoe", "mnk(4,5,3)", "connect-four", "gomoku(9)", "line-taking(cells=20, seed=3)"]
)
def test_the_cells_of_every_position_can_be_set_up_by_hand(client: TestClient, game: str) -> None:
    seen, names = view(client, game), list[str]()
    for number in range(7):
        player = seen["player"] if number % 2 else None
        if player is not None or not game.startswith("line"):  # there the stones do not tell who moves
            found = edit(client, game, seen["cells"], player)
            assert found["problem"] == "" and found["start"] == seen["diagram"]
            assert found["view"]["cells"] == seen["cells"] and found["view"]["player"] == seen["player"]
        assert len(seen["editable"]) == (2 if game.startswith("line") else 3)
        names.append(seen["legal"][(5 * number) % len(seen["legal"])]["name"])
        seen = view(client, game, " ".join(names))


def test_the_rules_say_what_is_wrong_with_cells_set_up_by_hand(client: TestClient, own: dict[str, str]) -> None:
    found = edit(client, "tictactoe", [1, 1, 0, 0, 0, 0, 0, 0, 0])
    assert "X moves first" in found["problem"] and found["view"] is None
    assert "turn" in edit(client, "tictactoe", [1, 0, 0, 0, 0, 0, 0, 0, 0], player=0)["problem"]
    assert "air" in edit(client, "connect-four", [1] + 41 * [0])["problem"]
    for cells in [0] * 8, [0] * 10, [3] + [0] * 8, [-1] + [0] * 8:
        assert "do not fit" in complaint(client.post("/api/edit", json={"game": "tictactoe", "cells": cells}))
    for cells in [10] + [0] * 8, ["X"] * 9, None, "." * 9:
        complaint(client.post("/api/edit", json={"game": "tictactoe", "cells": cells}))
    assert view(client, own["heap"])["editable"] == []
    assert "cannot be set up" in complaint(client.post("/api/edit", json={"game": own["heap"], "cells": []}))
