"""Requests of a client, and what a refusal has to look like."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient


def view(client: TestClient, game: str, moves: str = "", **more: Any) -> dict:
    path = "/api/play" if "move" in more else "/api/position"
    answer = client.post(path, json={"game": game, "moves": moves.split(), **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def complaint(answer: Any, *status: int) -> str:
    assert answer.status_code in (status or (422,)), answer.text
    assert set(answer.json()) == {"error"} and "\n" not in answer.json()["error"]
    assert "Traceback" not in answer.text
    return answer.json()["error"]
