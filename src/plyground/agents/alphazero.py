"""The agent `alphazero`: tree search by a net with policy and value, run by onnxruntime; PyTorch is not needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from ..nets import trained
from ..nets.evaluate import onnx_evaluator, symmetric
from ..nets.files import must_fit, read_card
from ..search import puct, tree
from ..search.forest import NetSearch, Settings
from ..spec import About, InputError
from .tree_search import MOST, TreeAgent


@dataclass
class AlphaZero(TreeAgent):
    """Tree search by a net that knows which moves to look at and what a position is worth (PUCT)."""

    net: Annotated[str, About("a net that came with the program, or the folder of a run or net", kind="run")]
    sims: Annotated[int | None, About("simulations a move; 400 unless `seconds` is given", low=1, high=MOST)] = None
    seconds: Annotated[float | None, About("seconds a move; with sims, whichever ends first", low=0, high=86400)] = None
    c: Annotated[float, About("weight of exploration", low=0, high=1e6)] = 1.5
    fpu: Annotated[float, About("what was never tried is worth so much less than its parent", low=0, high=10)] = 0.2
    contempt: Annotated[float, About("what a draw is worth less than 0 to it: it takes risks", low=-1, high=1)] = 0.0
    root: Annotated[str, About("how the root chooses", choices=("puct", "gumbel"))] = "puct"
    symmetry: Annotated[bool, About("judge every position in all its mirror images")] = False
    leaves: Annotated[int, About("positions judged at once", low=1, high=1024)] = 1
    choose: Annotated[str, About("final choice: most visits or highest value", choices=("visits", "value"))] = "visits"
    solve: Annotated[bool, About("back up proven wins and losses")] = True
    keep: Annotated[bool, About("keep the tree between the moves of a game")] = True
    memory: Annotated[int, About("most megabytes for the trees; a full tree grows no more", low=1, high=65536)] = 256
    threads: Annotated[int, About("threads of the net", low=1, high=64)] = 1
    seed: Annotated[int | None, About("fixes the random numbers", low=0)] = None

    usual = 400  # simulations

    def __post_init__(self) -> None:
        super().__post_init__()
        self._folder: Path = trained.find(self.net)
        self.card = read_card(self._folder)
        if self.card.output != "policy-value":
            raise InputError(f"alphazero needs a net with policy and value; {self.net} tells {self.card.output}")
        self._evaluate = onnx_evaluator(self._folder, self.threads)

    def searches(self, game: Any) -> list[Any]:
        must_fit(self.card, game)
        evaluate = symmetric(game, self._evaluate) if self.symmetry else self._evaluate
        considered = 16 if self.root == "gumbel" else 0
        settings = Settings(c=self.c, fpu=self.fpu, solve=self.solve, considered=considered, contempt=self.contempt)
        nodes = self.nodes_of_each(tree.node_type(puct.NODE).itemsize)
        return [NetSearch(game, evaluate, settings, self.leaves, nodes, self._seeds[0])]
