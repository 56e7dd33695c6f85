"""Proximal policy optimisation (Schulman et al., 2017) in one file, read from top to bottom.

    python ppo.py                        learns connect-four on a laptop
    python ppo.py --device cuda          with boards and net on a GPU; not one observation leaves it
    python ppo.py --help                 tells every option

A game of two players differs from what PPO was made for in one thing: who moves next is often somebody else, and what
is good for them is bad for me.  So returns and advantages change their sign wherever the player changes (`gae`).

Half of the boards are played by the net alone, for both players; in the other half `win-block`, which wins at once or
blocks where it can, sits in one of the seats: against it a careless move is punished from the first game on.

What it writes: `net.pt`; `curve.json` and `curve.svg`, its score against a search as it learns.  The net plays wherever
agents do, without any search: `plyground match connect-four 'ppo.py("runs/ppo/net.pt")' "uct(sims=200)" --games 400`.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from torch import Tensor, nn
from torch.nn.functional import log_softmax, mse_loss

import plyground as pg
from plyground import machine, rules

WINDOW = 4  # cells: a convolution sees as many in a row, or all that a small board has
PARTS = 4  # of the boards against an opponent: one that searches does so on several cores, an agent for each part


class Net(nn.Module):
    """Planes of a board to the logits of its actions, and the value for the player to move, between -1 and 1."""

    def __init__(self, planes: tuple[int, ...], actions: int, channels: int = 64, width: int = 128) -> None:
        super().__init__()
        count, height, broad = planes
        window = min(WINDOW, height), min(WINDOW, broad)
        places = (height - window[0] + 1) * (broad - window[1] + 1)
        self.shape = {"planes": planes, "actions": actions, "channels": channels, "width": width}
        self.body = nn.Sequential(
            nn.Conv2d(count, channels, window),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(channels * places, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
        )
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        for layer in self.modules():
            if isinstance(layer, nn.Linear | nn.Conv2d):
                gain = 0.01 if layer is self.policy else 0.1 if layer is self.value else 2**0.5
                nn.init.orthogonal_(layer.weight, gain)
                nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Of observations [n, planes, height, width] and masks [n, actions]: log-probabilities of the actions, those
        that are not legal next to never; values [n]."""
        seen = self.body(observations)
        logits = self.policy(seen).masked_fill(masks == 0, -1e9)
        return log_softmax(logits, 1), torch.tanh(self.value(seen)).squeeze(1)


class Boards:
    """Vector environments as one: self-play, and games against an opponent.  All that they tell are tensors."""

    def __init__(self, game: str, number: int, opponent: str, device: str, seed: int) -> None:
        opponents = [None, *[opponent] * (PARTS if device == "cpu" else 1)]
        ends = [number - number // 2 + number // 2 * i // (len(opponents) - 1) for i in range(len(opponents))]
        self.rows = [slice(first, end) for first, end in zip([0, *ends], ends, strict=False)]
        self.envs = [
            pg.vector_env(game, rows.stop - rows.start, other, None, device=device, copy=False, seed=seed + i)
            for i, (rows, other) in enumerate(zip(self.rows, opponents, strict=True))
        ]
        self.pool = ThreadPoolExecutor(machine.cores())
        told = [env.reset() for env in self.envs]
        self.observations = self._joined([observations for observations, _ in told])
        self._keep([infos for _, infos in told])

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Play an action on every board; the rewards, for whoever played it, and where games have ended."""
        on_host = actions.device.type == "cpu"
        played = [actions[rows].numpy() if on_host else actions[rows] for rows in self.rows]
        side_by_side = self.pool.map if on_host else map  # a GPU does one thing after another
        told = list(side_by_side(lambda env, chosen: env.step(chosen), self.envs, played))
        self.observations = self._joined([part[0] for part in told])
        self._keep([part[4] for part in told])
        return self._joined([part[1] for part in told]), self._joined([part[2] | part[3] for part in told])

    def _keep(self, infos: list[dict[str, Any]]) -> None:
        self.masks, self.players = (self._joined([one[name] for one in infos]) for name in ("action_mask", "player"))

    @staticmethod
    def _joined(parts: list[Any]) -> Tensor:
        return torch.cat([torch.as_tensor(part) for part in parts])


def gae(rewards: Tensor, values: Tensor, players: Tensor, ended: Tensor, discount: float, trace: float) -> Tensor:
    """Generalised advantage estimates [steps, n] of the actions, each for the player whose action it was.

    rewards, ended: [steps, n].  values, players: [steps + 1, n], the value for the player to move and who that is, with
    one more row, of the positions that the last actions led to.  With s = 1 where the same player moves again, -1 where
    the other does and 0 where the game has ended:
    delta(t) = r(t) + discount s V(t + 1) - V(t),  A(t) = delta(t) + discount trace s A(t + 1).
    """
    advantages = torch.zeros_like(rewards)
    later = torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        sign = torch.where(players[t + 1] == players[t], 1.0, -1.0) * ~ended[t]
        delta = rewards[t] + discount * sign * values[t + 1] - values[t]
        later = advantages[t] = delta + discount * trace * sign * later
    return advantages


def train(
    game: Annotated[str, typer.Option(help="two players, planes for nets; a name or a file")] = "connect-four",
    steps: Annotated[int, typer.Option(help="moves that are learnt from")] = 4_000_000,
    out: Annotated[Path, typer.Option(help="folder of the net and its curve")] = Path("runs/ppo"),
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    boards: Annotated[int, typer.Option(help="games at once; on a GPU take 16384")] = 1024,
    length: Annotated[int, typer.Option(help="moves on every board between two updates")] = 32,
    epochs: Annotated[int, typer.Option(help="times that an update goes through what was played")] = 1,
    batch: Annotated[int, typer.Option(help="moves in a step of the optimizer; on a GPU take 16384")] = 1024,
    rate: Annotated[float, typer.Option(help="learning rate of Adam, which falls to a tenth")] = 1e-3,
    discount: Annotated[float, typer.Option(help="of a reward a move later; below 1 quick wins are better")] = 1.0,
    trace: Annotated[float, typer.Option(help="lambda: 1 trusts results of games, 0 the net's own values")] = 0.9,
    clip: Annotated[float, typer.Option(help="how far a probability may move before its gradient is cut")] = 0.2,
    entropy: Annotated[float, typer.Option(help="what variety is worth: a bonus on the policy's entropy")] = 0.02,
    opponent: Annotated[str, typer.Option(help="on half of the boards; random, win-block on a GPU")] = "win-block",
    rival: Annotated[str, typer.Option(help="the agent that it is measured against")] = "uct(sims=200)",
    measures: Annotated[int, typer.Option(help="how often it is measured")] = 12,
    games: Annotated[int, typer.Option(help="of a measurement; the last one has four times as many")] = 100,
    start: Annotated[str, typer.Option(help="the folder of a run to go on from, of the same channels and width")] = "",
    channels: Annotated[int, typer.Option(help="of the convolution")] = 64,
    width: Annotated[int, typer.Option(help="of the layers after it")] = 128,
    seed: Annotated[int, typer.Option(help="of all that is random")] = 0,
) -> list[dict[str, float]]:
    """Learn a game by PPO, and measure what was learnt."""
    torch.manual_seed(seed)
    table = Boards(game, boards, opponent, device, seed)
    actions = int(table.envs[0].single_action_space.n)
    net = Net(tuple(table.observations.shape[1:]), actions, channels, width).to(device)
    optimizer = torch.optim.Adam(net.parameters(), rate, eps=1e-5)
    updates = max(1, steps // (boards * length))
    curve: list[dict[str, float]] = []
    if start:
        kept = torch.load(Path(start) / "net.pt", weights_only=True, map_location=device)
        net.load_state_dict(kept["weights"])
        curve = json.loads((Path(start) / "curve.json").read_text())
    earlier = curve[-1] if curve else {"steps": 0, "minutes": 0.0, "core_minutes": 0.0}
    out.mkdir(parents=True, exist_ok=True)
    measuring = np.zeros(2)  # minutes by the clock, and of all cores, that were not spent on learning
    begun = minutes()
    for update in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = rate * (1 - 0.9 * update / updates)

        # play: rollout[name] is [length, boards, ...], values and players have one row more
        rollout: dict[str, list[Tensor]] = {}
        with torch.no_grad():
            for _ in range(length):
                chances, value = net(table.observations, table.masks)
                action = torch.multinomial(chances.exp(), 1).squeeze(1)
                moment = {
                    "observations": table.observations,
                    "masks": table.masks,
                    "players": table.players,
                    "values": value,
                    "actions": action,
                    "chances": chances.gather(1, action[:, None]).squeeze(1),
                }
                moment["rewards"], moment["ended"] = table.step(action)
                for name, tensor in moment.items():
                    rollout.setdefault(name, []).append(tensor)
            rollout["values"].append(net(table.observations, table.masks)[1])
            rollout["players"].append(table.players)
        played = {name: torch.stack(rows) for name, rows in rollout.items()}
        advantages = gae(*(played[name] for name in ("rewards", "values", "players", "ended")), discount, trace)
        returns = advantages + played["values"][:-1]

        # learn
        names = ("observations", "masks", "actions", "chances")
        flat = [part.flatten(0, 1) for part in (*(played[name] for name in names), advantages, returns)]
        for _ in range(epochs):
            for rows in torch.randperm(boards * length, device=device).split(batch):
                seen, mask, action, before, advantage, wanted = (part[rows] for part in flat)
                chances, value = net(seen, mask)
                ratio = (chances.gather(1, action[:, None]).squeeze(1) - before).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
                variety = -(chances.exp() * chances).sum(1).mean()
                value_loss = mse_loss(value, wanted)
                loss = value_loss - gain - entropy * variety
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimizer.step()

        # measure
        if update == updates or update * measures // updates > (update - 1) * measures // updates:
            learning = minutes() - begun - measuring
            report = pg.match(game, Policy(net), rival, games=games * (4 if update == updates else 1), seed=update)
            low, high = report.interval
            so_far = update * boards * length, *learning
            told = {name: earlier[name] + more for name, more in zip(earlier, so_far, strict=False)}
            told |= {"score": report.score, "low": low, "high": high}
            curve.append(told | {"loss": loss.item(), "value_loss": value_loss.item(), "entropy": variety.item()})
            print("  ".join(f"{name} {number:.4g}" for name, number in curve[-1].items()), flush=True)
            torch.save({"shape": net.shape, "weights": net.state_dict()}, out / "net.pt")
            (out / "curve.json").write_text(json.dumps(curve, indent=1))
            draw(curve, rival, out / "curve.svg")
            measuring = minutes() - begun - learning
    return curve


def minutes() -> np.ndarray:
    """By the clock, and of all cores that this process has had."""
    return np.array([time.perf_counter(), time.process_time()]) / 60


def draw(curve: list[dict[str, float]], rival: str, file: Path) -> None:
    """The score against the rival as it learns, with its 95 % interval, where matplotlib is installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure((7, 4), layout="constrained")
    axes = figure.subplots()
    x, score, low, high = ([one[name] for one in curve] for name in ("core_minutes", "score", "low", "high"))
    axes.fill_between(x, low, high, alpha=0.2)
    axes.plot(x, score, marker="o")
    axes.axhline(0.5, color="grey", linewidth=0.8)
    axes.set(xlabel="minutes of one core", ylabel=f"score of the policy alone against {rival}", ylim=(0, 1))
    figure.savefig(file)


class Policy:
    """Plays the legal action that a net says most for; it does not search."""

    many = True

    def __init__(self, net: str = "runs/ppo/net.pt") -> None:
        if isinstance(net, Net):
            self.net = net
        else:
            kept = torch.load(net, weights_only=True, map_location="cpu")
            self.net = Net(**kept["shape"])
            self.net.load_state_dict(kept["weights"])

    def think(self, game: Any, state: Any, limit: Any) -> int:
        return self.think_in_each(game, [state])[0]

    def think_in_each(self, game: Any, states: Any, rngs: Any = None) -> list[int]:
        planes = np.zeros((len(states), *game.planes()), np.float32)
        masks = np.zeros((len(states), game.actions()), np.int8)
        for state, seen, mask in zip(states, planes, masks, strict=True):
            game.encode(state, seen)
            mask[rules.legal(game, state)] = 1
        device = next(self.net.parameters()).device
        with torch.no_grad():
            chances, _ = self.net(torch.from_numpy(planes).to(device), torch.from_numpy(masks).to(device))
        return chances.argmax(1).tolist()


if __name__ == "__main__":
    typer.run(train)
