"""Optimizers without PyTorch's compiler: it is not imported, and the numbers are the same."""

from __future__ import annotations

import sys

import pytest
import torch

from plyground.learn.optimizer import uncompiled


def trained(kind: type[torch.optim.Optimizer]) -> torch.Tensor:
    """Weights after some steps."""
    rng = torch.Generator().manual_seed(3)
    weights = torch.randn(4, 3, generator=rng).requires_grad_()
    optimizer = kind([weights], lr=0.01, weight_decay=0.1)  # type: ignore[call-arg]
    for _ in range(20):
        optimizer.zero_grad()
        (torch.randn(8, 4, generator=rng) @ weights).square().mean().backward()
        optimizer.step()
    return weights


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW])
def test_the_numbers_are_the_same_and_the_compiler_is_left_alone(
    kind: type[torch.optim.Optimizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = trained(kind)
    monkeypatch.setitem(sys.modules, "torch._dynamo", None)  # to import it is an error now
    assert torch.equal(usual, trained(uncompiled(kind)))
