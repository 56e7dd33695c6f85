"""Benchmark of self-play: positions judged a second, as a share of what the net does alone with the same batches."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from statistics import median
from typing import Any

from .. import games
from ..machine import cores

ON_CPU = [
    ("mnk(6,6,4)", 4, 48, 128),
    ("connect-four", 4, 64, 128),
    ("gomoku(9)", 6, 64, 128),
]  # blocks, channels, batch
ON_GPU = [("gomoku(9)", 6, 64, 1024), ("gomoku(9)", 6, 64, 4096), ("gomoku(15)", 6, 64, 1024)]
TURNS = 3
PLAY: dict[str, Any] = {
    "sims": 64,
    "quick_sims": 16,
    "full_share": 0.25,
    "considered": 16,
    "improve": True,
    "temperature_moves": 20,
}
PLAY |= {"temperature": 1.0, "noise": 0.25, "concentration": 10.0, "opening": 4, "balance": 1.0, "discount": 1.0}
PLAY |= {"resign": -1.0, "check": 0.0, "trace_decay": 1.0}


class Enough(Exception):
    """The time is up."""


def selfplay(seconds: float) -> list[dict[str, Any]] | str:
    """Both in turns: the net alone, and self-play with it, in as many groups as training has."""
    try:
        import torch
    except ModuleNotFoundError:
        return "self-play needs PyTorch: pip install 'plyground[train]'"
    gpu = torch.cuda.is_available()
    return [row(*case, "cuda" if gpu else "cpu", seconds) for case in (ON_GPU if gpu else ON_CPU)]


def row(name: str, blocks: int, channels: int, batch: int, device: str, seconds: float) -> dict[str, Any]:
    """One game and net."""
    import torch

    from ..learn.selfplay.workers import Group, groups_on
    from ..nets.card import cells_are_actions
    from ..nets.inference import Inference
    from ..nets.models import ResNet
    from ..search.mcts.settings import Settings

    game = games.make(name)
    net = ResNet([*game.planes(), game.actions(), blocks, channels], cells_are_actions(game)).to(device).eval()
    number = groups_on(device, cores())
    groups = [Group(game, Settings(considered=16), PLAY, batch, i) for i in range(number)]
    judges = [Inference(net, device) for _ in groups]
    for judge, group in zip(judges, groups, strict=True):
        judge.prepare(group.planes)
        judge(group.planes)

    def alone(i: int) -> float:
        torch.set_num_threads(1)
        if device == "cuda":
            return judges[i].replay(seconds)
        count, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            judges[i](groups[i].planes)
            count += len(groups[i].planes)
        return count / (time.perf_counter() - begun)

    def playing(i: int) -> float:
        torch.set_num_threads(1)
        count, begun = 0, time.perf_counter()

        def counted(planes: Any) -> Any:
            nonlocal count
            if time.perf_counter() - begun > seconds:
                raise Enough
            count += len(planes)
            return judges[i](planes)

        with suppress(Enough):
            groups[i].play(counted, 1 << 40)
        return count / (time.perf_counter() - begun)

    rates: dict[str, list[float]] = {"alone": [], "playing": []}
    with ThreadPoolExecutor(number) as pool:
        list(pool.map(playing, range(number)))  # games under way, memory touched
        for _ in range(TURNS):
            for word, work in (("alone", alone), ("playing", playing)):
                rates[word].append(sum(pool.map(work, range(number))))
    shares = [b / a for a, b in zip(rates["alone"], rates["playing"], strict=True)]
    return {
        "game": name,
        "net": f"{blocks} x {channels}",
        "device": device,
        "batch": batch,
        "net_alone_per_s": median(rates["alone"]),
        "self_play_per_s": median(rates["playing"]),
        "share": median(shares),
        "at_least": 0.6 if device == "cuda" else 0.85,
    }
