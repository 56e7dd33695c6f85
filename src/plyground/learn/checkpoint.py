"""The state of a PyTorch net and its optimizer, Adam, as a checkpoint holds it."""

from __future__ import annotations

import numpy as np

from ..nets.later import torch

MOMENTS = ("exp_avg", "exp_avg_sq")


def arrays_of(net: torch.nn.Module, adam: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """Weights, running statistics, and Adam's two moments of every weight."""
    found = weights_of(net, "net")
    for name, value in net.named_parameters():
        for moment in MOMENTS:
            held = adam.state[value].get(moment)
            found[f"adam.{moment}.{name}"] = np.zeros(value.shape, np.float32) if held is None else held.cpu().numpy()
    return {name: array.copy() for name, array in found.items()}


def weights_of(net: torch.nn.Module, prefix: str) -> dict[str, np.ndarray]:
    """Weights and running statistics."""
    return {f"{prefix}.{name}": value.detach().cpu().numpy().copy() for name, value in net.state_dict().items()}


def restore_weights(net: torch.nn.Module, arrays: dict[str, np.ndarray], prefix: str) -> None:
    """The same again; ValueError if they are of another net."""
    with torch.no_grad():
        for name, value in net.state_dict().items():
            value.copy_(_like(value, arrays[f"{prefix}.{name}"]))


def steps(net: torch.nn.Module, adam: torch.optim.Optimizer) -> float:
    """How many steps Adam has taken."""
    return float(adam.state[next(net.parameters())].get("step", 0.0))


def restore(net: torch.nn.Module, adam: torch.optim.Optimizer, arrays: dict[str, np.ndarray], taken: float) -> None:
    """Make a net and its Adam what they were after so many steps; ValueError if they are others."""
    restore_weights(net, arrays, "net")
    for name, parameter in net.named_parameters():
        moments = {moment: _like(parameter, arrays[f"adam.{moment}.{name}"]) for moment in MOMENTS}
        adam.state[parameter] = {"step": torch.tensor(float(taken)), **moments}


def _like(tensor: torch.Tensor, array: np.ndarray) -> torch.Tensor:
    if tensor.numel() != array.size:
        raise ValueError(f"{array.shape} is not {tuple(tensor.shape)}")
    return torch.from_numpy(array.copy()).reshape(tensor.shape).to(tensor.device)
