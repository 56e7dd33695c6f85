"""Distillation: a net learns from the games and judgements of another, its teacher (Hinton and others, 2015)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...nets import files, trained
from ...nets.card import must_fit
from ...nets.later import models, torch
from ...spec import InputError

COMPARED = 8192  # new positions, at most, that are looked at in a round


def teacher_for(game: Any, name: str) -> Any:
    """The net of this name or folder, to teach another; InputError if it is not for this game."""
    folder = trained.find(name)
    card = files.read_card(folder)
    if card.output != "policy-value":
        raise InputError(f"a teacher has policy and value; {name} tells {card.output}")
    must_fit(card, game)
    return files.load(folder).eval()


def agreement(net: Any, samples: np.ndarray, device: str) -> dict[str, float]:
    """How far a net says what its teacher does, on positions of a round that it has not learnt from yet.

    The policies are compared on the moves that the teacher considers.
    """
    samples = samples[samples["weight"] > 0]
    samples = samples[:: max(1, len(samples) // COMPARED)]
    if not len(samples):
        return {}
    policy, value = (torch.from_numpy(samples[name].copy()).to(device) for name in ("policy", "value"))
    judge = models.InferenceNet(net).to(device)
    with torch.inference_mode():
        parts = torch.from_numpy(samples["planes"].copy()).to(device).split(1024)
        answers = torch.cat([judge(part.contiguous(memory_format=torch.channels_last)) for part in parts])
        logits = answers[:, :-1].masked_fill(policy == 0, -torch.inf).log_softmax(1).masked_fill(policy == 0, 0)
        same = (logits.masked_fill(policy == 0, -torch.inf).argmax(1) == policy.argmax(1)).float().mean()
        divergence = (torch.xlogy(policy, policy) - policy * logits).sum(1).mean()
        left = ((answers[:, -1] - value) ** 2).mean() / value.var(correction=0).clamp(min=1e-9)
    return {"explained": float(1 - left), "same_move": float(same), "divergence": float(divergence)}
