"""Vector environments on a GPU: states stay there, and what a learner sees are tensors of PyTorch's."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from .. import rules
from ..agents.base import Agent
from ..jit import cuda as gpu
from ..jit.records import odd
from ..search.rng import streams
from ..spec import InputError
from . import cuda_kernel
from .kernel import DRAWN, Batch, Setting, clear, environment_type, row_type, workspace_type
from .many import ManyGames
from .observations import fields
from .opponents import middle_of, setting_of

TILES = (128, 64, 32, 16, 8)  # environments of a block: as many as its shared memory has room for
SHARED = 48 * 1024  # bytes
WORD = 8  # bytes
MANY = 2**15  # actions, whose numbers take four bytes rather than two
RECORDING = Lock()  # held while a launch is recorded: PyTorch records one at a time
FLAGS = ("terminated", "truncated", "ended", "waits", "fits")


class CudaVectorEnv(ManyGames):
    """What `vector.GameVectorEnv` is, on a GPU: the same games for the same seed and actions.

    Actions are tensors there, and so is all that is returned; in numba-cuda's simulator they are arrays.
    """

    def __init__(
        self,
        game: Any,
        num_envs: int,
        opponent: Agent | None = None,
        seat: int | None = 0,
        *,
        max_steps: int = rules.LONGEST,
        dtype: Any = np.float32,
        copy: bool = True,
        seed: int = 0,
    ) -> None:
        """max_steps: actions of the learner after which a game is truncated.  copy: return copies; otherwise the next
        step writes over what this one returned."""
        if game.actions() * TILES[-1] > SHARED > 0:
            raise InputError(f"device cuda: a game has at most {SHARED // TILES[-1]} actions there")
        if not game.compiles():
            raise InputError("device cuda: the rules of this game cannot be compiled")
        setting = setting_of(game, opponent)._replace(shrinks=None)  # the mask of before is not at hand
        if setting.asked:
            raise InputError("device cuda: the opponent is random, win-block or win-block-middle, or there is none")
        super().__init__(game, num_envs, opponent, dtype, copy, seed)
        self._gpu, self._kind = Gpu(), odd(environment_type(game))
        self._everywhere = self._gpu.tensor(np.ones(num_envs, np.bool_))
        self._make_arrays(np.dtype(dtype))
        self._make_kernels(setting, DRAWN if seat is None else seat, max_steps, np.dtype(dtype))

    def _make_arrays(self, kind: np.dtype) -> None:
        """All that lies on the GPU.  There are rows for whole tiles; those after the last environment are nobody's."""
        game, zeros = self.game, self._gpu.zeros
        shape: Any = self.single_observation_space.shape
        row = game.actions() + (math.prod(shape) * kind.itemsize if self._planes else 0) + self._kind.itemsize
        self._tile = next((tile for tile in TILES if tile * row <= SHARED), TILES[-1])
        self._blocks = -(-self.num_envs // self._tile)
        number = self._blocks * self._tile
        self._tensors = {
            "observations": zeros((number, *shape), kind),
            "masks": zeros((number, game.actions()), np.int8),
            "rewards": zeros(number, np.float32),
            "players": zeros(number, np.int8),
            "final_observations": zeros((number, *shape), kind),
            "final_masks": zeros((number, game.actions()), np.int8),
            "final_players": zeros(number, np.int8),
            **{name: zeros(number, np.bool_) for name in FLAGS},
            "envs": zeros((number, self._kind.itemsize // WORD), np.int64),
            "chosen": zeros(number, np.bool_),
            "played": zeros(number, np.int64),
            "drawn": zeros(number, np.int64),
            "finals": zeros((0 if self._planes else number, rules.dtype(game).itemsize), np.uint8),
        }

    def _make_kernels(self, setting: Setting, seat: int, max_steps: int, kind: np.dtype) -> None:
        game, tile = self.game, self._tile
        listed = np.int16 if game.actions() < MANY else np.int32
        workspace, size = workspace_type(game, setting, False, listed), rules.dtype(game).itemsize
        mask, planes = row_type(np.int8, (game.actions(),)), row_type(kind, self.single_observation_space.shape)
        staged = self._planes and tile * (mask.itemsize + planes.itemsize) <= SHARED
        whole = tile * (mask.itemsize + planes.itemsize * staged + self._kind.itemsize) <= SHARED
        constants = {
            "cuda": self._gpu.cuda,
            "game": game,
            "setting": setting,
            "encode": True if self._planes else None,
            "ACTIONS": game.actions(),
            "LISTED": listed,
            "WORKSPACE": workspace,
            "WORKSPACE_WORDS": workspace.itemsize // WORD,
            "STATE": rules.dtype(game),
            "AHEAD": -(-2 * size // WORD) if setting.blocks and not setting.lists else 0,
            "AHEAD_BYTES": 2 * size,
            "TILE": tile,
            "ENVIRONMENT": self._kind,
            "ENVIRONMENT_WORDS": tile * self._kind.itemsize // WORD if whole else 0,
            "MASK": mask,
            "MASK_WORDS": tile * mask.itemsize // WORD,
            "PLANES": planes,
            "PLANE_WORDS": tile * planes.itemsize // WORD if staged else 0,
            "MOVES": moves_type(game, planes.itemsize, listed) if staged else None,
        }
        array = {name: self._gpu.array(tensor) for name, tensor in self._tensors.items()}
        records = {"envs": self._kind, "finals": rules.dtype(game), "observations": planes, "masks": mask}
        for name, kind_of in (records | {"final_observations": planes, "final_masks": mask}).items():
            array[name] = array[name].reshape(array[name].size).view(kind_of)
        batch = Batch(*(array[name] for name in Batch._fields))
        arrays = cuda_kernel.Arrays(
            envs=self._gpu.array(self._tensors["envs"].reshape(-1)),
            masks=self._gpu.array(self._gpu.cast(self._tensors["masks"].reshape(-1), np.int64)),
            planes=self._gpu.array(self._gpu.cast(self._tensors["observations"].reshape(-1), np.int64)),
            blank=gpu.put(self._gpu.cuda, np.zeros(1, rules.dtype(game))),
            middle=gpu.put(self._gpu.cuda, np.array(middle_of(self.opponent, game), np.int32)),
            **{name: array[name] for name in ("chosen", "played", "drawn")},
        )

        def made(function: Any) -> Any:
            return gpu.Kernels(self._gpu.cuda, cuda_kernel, constants, {clear: cuda_kernel.clear}).kernel(function)

        self._begin, self._step, self._draw = (
            Launch(self._gpu, partial(made, function), self._blocks, tile, (arrays, batch, max_steps, seat))
            for function in (cuda_kernel.begin_chosen, cuda_kernel.step, cuda_kernel.draw)
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict]:
        """Begin a game everywhere, or where `options["reset_mask"]` says; a seed fixes all that chance decides."""
        chosen = self._gpu.tensor(self._chosen_by(options, seed))
        self._tensors["chosen"][: self.num_envs] = chosen
        if seed is not None or not self._begun:
            self._seed = self._seed if seed is None else seed
            kind: Any = self._kind
            words = streams(self._seed, self._blocks * self._tile).view(np.int64)
            self._tensors["envs"][:, kind.fields["rng"][1] // WORD] = self._gpu.tensor(words)
        if not self._begun:  # there is no game to go on with
            self._tensors["chosen"][:] = True
        self._begun = True
        self._begin()
        self._observe()
        return self._array("observations"), self._told()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action everywhere: `observations, rewards, terminations, truncations, infos`."""
        chosen = self._gpu.tensor(actions)
        self._must_be_actions(chosen)
        self._tensors["played"][: self.num_envs] = chosen
        self._step()
        self._observe()
        infos = self._told(ended=True)
        array = self._array
        return array("observations"), array("rewards"), array("terminated"), array("truncated"), infos

    def random_actions(self) -> Any:
        """A legal action for every environment, each as likely as any other, by its own random numbers."""
        self._must_have_begun()
        self._draw()
        return self._array("drawn")

    def _observe(self) -> None:
        """Where the rules do not encode, a learner sees the fields of a state: find them among its bytes."""
        if self._planes:
            return
        kind: Any = rules.dtype(self.game)
        words = self._tensors["envs"][:, : -(-kind.itemsize // WORD)]
        for states, name in ((self._gpu.cast(words, np.uint8), ""), (self._tensors["finals"], "final_")):
            seen, first = self._tensors[f"{name}observations"], 0
            for field, width in fields(self.game):
                one, begin = kind.fields[field][:2]
                seen[:, first : first + width] = self._gpu.cast(states[:, begin : begin + one.itemsize], one.base)
                first += width

    def _array(self, name: str) -> Any:
        tensor = self._tensors[name][: self.num_envs]
        return self._gpu.copy(tensor) if self._copy else tensor


def moves_type(game: Any, size: int, listed: Any) -> np.dtype | None:
    """A record of so many bytes with a list of all actions; None if that does not fit."""
    width = np.dtype(listed).itemsize
    if width * game.actions() > size or size % width:
        return None
    kind = np.dtype({"names": ["moves"], "formats": [(listed, (game.actions(),))], "itemsize": size})
    return rules.with_attributes(kind)


class Gpu:
    """Memory of the GPU, as tensors and as arrays of numba-cuda's; in its simulator both are arrays of NumPy's."""

    def __init__(self) -> None:
        self.cuda, self.torch = gpu.load(), None
        if not gpu.is_simulated(self.cuda):
            try:
                import torch
            except ImportError:
                raise InputError("tensors on a GPU are PyTorch's: pip install 'plyground[cuda]'") from None
            if not torch.cuda.is_available():
                raise InputError("device cuda: this PyTorch cannot use the GPU; install one that is made for CUDA")
            self.torch = torch

    def zeros(self, shape: Any, kind: Any) -> Any:
        """A new tensor."""
        return self.tensor(np.zeros(shape, kind))

    def tensor(self, values: Any) -> Any:
        """These values as a tensor on the GPU: the same one, if they are."""
        return self.torch.as_tensor(values, device="cuda") if self.torch else np.asarray(values)

    def cast(self, tensor: Any, kind: Any) -> Any:
        """The bytes of a tensor as numbers of another type, in rows as long as they make them."""
        if not self.torch:
            return np.ascontiguousarray(tensor).view(kind)
        return tensor.contiguous().view(self.torch.as_tensor(np.zeros(0, kind)).dtype)

    def copy(self, tensor: Any) -> Any:
        return tensor.clone() if self.torch else tensor.copy()

    def array(self, tensor: Any) -> Any:
        """The memory of a tensor, for kernels."""
        return self.cuda.as_cuda_array(tensor) if self.torch else tensor


class Launch:
    """A kernel with its arguments, which stay the same arrays.

    A launch from Python takes longer than many a step: the second one is recorded, and what was recorded is what runs
    from then on.
    """

    def __init__(self, gpu: Gpu, make: Callable[[], Any], blocks: int, threads: int, arguments: tuple) -> None:
        self._gpu, self._make, self._arguments = gpu, make, arguments
        self._shape, self._graph = (blocks, threads), None
        self._kernel: Any = None

    def __call__(self) -> None:
        torch = self._gpu.torch
        if self._kernel is None:
            self._kernel = gpu.launched(self._gpu.cuda, self._make, self._launch)
            return
        if torch and self._graph is None:
            graph = torch.cuda.CUDAGraph()
            with RECORDING, torch.cuda.graph(graph, capture_error_mode="thread_local"):
                self._launch(self._kernel)
            self._graph = graph
        if self._graph:
            self._graph.replay()
        else:
            self._launch(self._kernel)

    def _launch(self, kernel: Any) -> None:
        """Run the kernel, after what PyTorch was asked for before."""
        torch, stream = self._gpu.torch, 0
        if torch:
            stream = self._gpu.cuda.external_stream(torch.cuda.current_stream().cuda_stream)
        kernel[(*self._shape, stream)](*self._arguments)
