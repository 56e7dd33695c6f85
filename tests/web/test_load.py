"""Many games at once, as `bench load` plays them, for a moment."""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.asyncio.client import connect
from wire import Server

from commands import run
from plyground.bench import load, misbehaviour

QUICK = (misbehaviour.talks_nonsense, misbehaviour.says_too_much, misbehaviour.asks_and_goes)


def test_two_hundred_clients_at_once_are_served_in_turn(server: Server) -> None:
    server.until(4)

    async def ask() -> str:
        async with connect(server.url, open_timeout=120, ping_timeout=None) as page:
            think = {"type": "think", "id": 1, "game": "tictactoe", "agent": "uct(sims=1000, solve=False)"}
            await page.send(json.dumps(think))
            while True:  # whoever asks first may wait for kernels, too
                answer = json.loads(await asyncio.wait_for(page.recv(), 120))
                if answer["type"] not in ("waiting", "compiling", "thinking"):
                    return answer["type"]

    async def all_of_them() -> list[str]:
        return await asyncio.gather(*(ask() for _ in range(200)))

    with ThreadPoolExecutor(1) as pool:  # in this thread the loop of a browser's driver may run
        assert pool.submit(asyncio.run, all_of_them()).result() == 200 * ["thought"]
    server.until(4)


def test_whole_games_are_played_beside_clients_who_misbehave(server: Server) -> None:
    target, found = misbehaviour.Target(f"http://127.0.0.1:{server.port}/"), load.Load(1.0, 10)
    games = [("tictactoe", ("uct(sims=100)", "win-block")), ("tetris", ("random", "random"))]

    async def play(number: int) -> None:
        rng = random.Random(number)
        await load.play(target, found, [games[number % 2]], rng)

    async def misbehave(kind: misbehaviour.Misbehaviour, number: int) -> str:
        return f"{kind.__name__} {await kind(target, random.Random(number))}"

    async def all_at_once() -> list[str]:
        wrong = [misbehave(kind, number) for kind in QUICK for number in range(4)]
        told, *_ = await asyncio.gather(asyncio.gather(*wrong), *(play(number) for number in range(10)))
        return told

    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(asyncio.run, all_at_once()).result()
    assert found.games == 10 and found.moves >= 5 * 5 and len(found.answers) == found.moves
    assert set(told) == {"talks_nonsense answered", "says_too_much dropped", "asks_and_goes gone"}
    server.until(4)


def test_a_load_ends_when_its_time_is_up_and_tells_of_errors_and_memory(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "PLAYED", [("tictactoe", ("random", "random"))])
    monkeypatch.setattr(load, "MISBEHAVING", 1)
    work = load.under_load(f"http://127.0.0.1:{server.port}/", os.getpid(), 1.0, 5, [misbehaviour.says_nothing])
    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(asyncio.run, work).result().report()
    assert told["errors"] == 0 and told["kinds_of_errors"] == [] and (told["clients"], told["seconds"]) == (5, 1.0)
    assert told["memory_start"] > 1 and told["memory_end"] > 1
    server.until(4)


def test_what_disturbs_a_game_is_counted(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    async def play() -> load.Load:
        found = load.Load(1.0, 1)
        target = misbehaviour.Target(f"http://127.0.0.1:{server.port}/")
        monkeypatch.setattr(load, "PLAYED", [("tictactoe", ("nobody", "random"))])
        playing = asyncio.create_task(load.player(target, found, 0, math.inf))
        async with asyncio.timeout(120):
            while not found.errors:
                await asyncio.sleep(0.01)
        playing.cancel()
        return found

    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(asyncio.run, play()).result()
    assert found.errors.total() >= 1 and "there is no agent" in next(iter(found.errors)) and not found.games


def test_the_benchmark_prints_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = load.Load(10.0, 3, games=4, moves=30, answers=[0.1, 0.2], memory=[(2.5, 100.0), (9.5, 104.0)])
    found.errors["status 500"] += 2
    monkeypatch.setattr(load, "run", lambda seconds: found.report())
    printed = run("bench", "load", "--seconds", "10").stdout
    assert "games played in 10 s, 3 at once" in printed and "error: 2 x status 500" in printed and "104" in printed
    assert found.report()["memory_growth"] == pytest.approx(0.04)
