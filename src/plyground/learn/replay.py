"""Experience replay: transitions in arrays that are allocated once, filled by compiled code, oldest overwritten first.

A transition is what the learner saw, what it did, its n-step return, and what it saw then:

    (s, a, r + g r' + ... + g^(n-1) r^(n-1), what is seen n steps later, g^n)

A game that ends sooner gives all its rewards and the factor 0.
"""

from __future__ import annotations

import numpy as np

from ..rules import kernel, record


def transition_type(features: int, actions: int) -> np.dtype:
    return record(
        [
            ("inputs", np.float32, (features,)),
            ("then", np.float32, (features,)),  # what is seen n steps later
            ("gain", np.float32),  # discounted rewards up to there
            ("factor", np.float32),  # by which the value of what is seen then counts; 0 if the game ended
            ("action", np.int32),
            ("legal", np.int8, (actions,)),  # 1 for what may be played then
        ]
    )


@kernel
def remember(memory, counts, recent, lengths, seen, actions, rewards, ended, then, legal, gamma, n):
    """Note a step of every environment; write the transitions that are complete into the memory.

    memory [capacity]; counts int64[1]: transitions written so far; recent [environments, n]: steps that still wait for
    later rewards, oldest first, lengths int64[environments] of them; seen, then float32[environments, features];
    actions int64, rewards float32, ended bool [environments]; legal bool[environments, actions]; gamma: the discount
    """
    for i in range(lengths.size):
        step = recent[i, lengths[i]]
        for j in range(seen.shape[1]):
            step.inputs[j] = seen[i, j]
        step.action = actions[i]
        step.gain = 0
        lengths[i] += 1
        weight = 1.0
        for k in range(lengths[i] - 1, -1, -1):
            recent[i, k].gain += weight * rewards[i]
            weight *= gamma
        complete = lengths[i] if ended[i] else 1 if lengths[i] == n else 0
        for k in range(complete):
            step = recent[i, k]
            step.factor = 0 if ended[i] else weight
            for j in range(then.shape[1]):
                step.then[j] = then[i, j]
            for j in range(legal.shape[1]):
                step.legal[j] = legal[i, j]
            memory[counts[0] % memory.size] = recent[i, k]
            counts[0] += 1
        for k in range(complete, lengths[i]):
            recent[i, k - complete] = recent[i, k]
        lengths[i] -= complete


class Replay:
    """The memory of a learner that plays in several environments."""

    def __init__(self, capacity: int, environments: int, features: int, actions: int, gamma: float, n: int) -> None:
        kind = transition_type(features, actions)
        self.memory = np.zeros(capacity, kind)
        self._counts = np.zeros(1, np.int64)
        self._recent = np.zeros((environments, n), kind)
        self._lengths = np.zeros(environments, np.int64)
        self._gamma, self._n = gamma, n

    def __len__(self) -> int:
        return min(self.written, len(self.memory))

    @property
    def written(self) -> int:
        """Transitions so far, those that were overwritten as well."""
        return int(self._counts[0])

    def add(
        self,
        seen: np.ndarray,
        actions: np.ndarray,
        rewards: np.ndarray,
        ended: np.ndarray,
        then: np.ndarray,
        legal: np.ndarray,
    ) -> np.ndarray:
        """Note a step of every environment; return where the transitions that it completed stand."""
        before = self.written
        self._remember(self._lengths, seen, actions, rewards, ended, then, legal)
        return np.arange(before, self.written) % len(self.memory)

    def compile(self, *step: np.ndarray) -> None:
        """Compile the kernel for steps like this one, of which nothing is noted."""
        self._remember(self._lengths[:0], *step)

    def _remember(self, lengths: np.ndarray, *step: np.ndarray) -> None:
        whole = map(np.ascontiguousarray, step)  # one kernel, wherever they stand
        remember(self.memory, self._counts, self._recent, lengths, *whole, self._gamma, self._n)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything, for a checkpoint; what was never written is left out."""
        parts = {"memory": self.memory[: len(self)], "recent": self._recent}
        raw = {f"replay.{name}": part.view(np.uint8).reshape(*part.shape, -1) for name, part in parts.items()}
        return raw | {"replay.counts": self._counts, "replay.lengths": self._lengths}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        kept = arrays["replay.memory"]
        self.memory.view(np.uint8).reshape(len(self.memory), -1)[: len(kept)] = kept
        self._recent.view(np.uint8).reshape(*self._recent.shape, -1)[:] = arrays["replay.recent"]
        self._counts[:], self._lengths[:] = arrays["replay.counts"], arrays["replay.lengths"]
