"""The pattern net: its kernel beside the model in PyTorch, and a board that is kept up beside one that is set up."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from filelock import FileLock

from plyground import games, rules
from plyground.agents import make
from plyground.games.grid import symmetries
from plyground.games.k_in_row.pattern_net import kept, kernel, kind
from plyground.games.k_in_row.pattern_net.lines import DIRECTIONS, WALL, all_patterns, lines_of, stars, starts
from plyground.games.k_in_row.pattern_net.weights import expanded, names, weights_of
from plyground.jit.first_use import compiling
from plyground.nets import files, kinds
from plyground.nets.card import Card
from plyground.nets.evaluate import onnx_evaluator
from plyground.search.budget import Budget
from plyground.search.mcts.batched import BatchedPUCT, NetSearch
from plyground.search.mcts.settings import Settings
from plyground.search.tree import ROOT
from plyground.spec import InputError

REACH, SMALL = 3, 8  # 4,800 patterns; features and channels


@pytest.fixture(scope="module", autouse=True)
def compiled_as_for_a_search():
    """By the level of LLVM that `kind.evaluator` takes, whoever calls a kernel first."""
    with compiling():
        yield


def arrays_of(reach: int = REACH, seed: int = 0) -> dict[str, np.ndarray]:
    """A net of random weights: large enough that features are clipped at both ends now and then."""
    rng = np.random.default_rng(seed)
    early = ("mapping", "bias", "point", "star")
    return {
        name: rng.normal(0, 0.25 if name.startswith(early) else 0.06, shape).astype(np.float32)
        for name, shape in names(reach, SMALL, SMALL).items()
    }


def positions(rows: int, columns: int, number: int = 12, seed: int = 1) -> np.ndarray:
    """Planes of random positions, of either player's turn."""
    rng = np.random.default_rng(seed)
    planes = np.zeros((number, 2, rows * columns), np.float32)
    for seen in planes:
        stones = rng.permutation(rows * columns)[: rng.integers(rows * columns)]
        seen[(np.arange(len(stones)) + len(stones)) % 2, stones] = 1
    return planes.reshape(number, 2, rows, columns)


def test_patterns_are_counted_and_mirrored():
    cells, mirrored = all_patterns(2)
    assert len(cells) == starts(2)[1] == 3 * (1 + 3 + 9) ** 2
    assert len(np.unique(cells, axis=0)) == len(cells)
    assert (cells[mirrored] == cells[:, ::-1]).all()


def test_a_pattern_is_what_is_seen_along_a_line():
    rows, columns, reach = 4, 5, 2
    stones = np.random.default_rng(0).permutation([1] * 6 + [2] * 6 + [0] * 8).reshape(rows, columns)
    net = weights_of(arrays_of(reach), reach)
    board = kernel.new(net, rows, columns, reach)
    planes = np.stack([stones == 1, stones == 2])[None].astype(np.float32)  # as many of both: the first player's turn
    kernel.judge_all(net, board, planes, np.zeros((1, rows * columns + 1), np.float32))
    cells, _ = all_patterns(reach)
    padded = np.pad(stones, reach, constant_values=WALL)
    for (y, x), (line, (down, right)) in product(np.ndindex(rows, columns), enumerate(DIRECTIONS)):
        seen = [padded[reach + y + i * down, reach + x + i * right] for i in range(-reach, reach + 1)]
        assert cells[board.patterns[0, y * columns + x, line]].tolist() == seen
        turned = [{1: 2, 2: 1}.get(one, one) for one in seen]
        assert cells[board.patterns[1, y * columns + x, line]].tolist() == turned


def test_stars_are_the_cells_on_four_lines():
    reached, weights = stars(5, 5, 2)
    assert sorted(reached[12][reached[12] >= 0]) == sorted(
        {0, 2, 4, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 18, 20, 22, 24}
    )
    assert dict(zip(reached[0].tolist(), weights[0].tolist(), strict=False))[12] == 4
    assert lines_of(5, 5, 2).before[0].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (6, 7), (9, 9)])
def test_a_board_kept_up_is_one_set_up_at_once(rows, columns):
    net = weights_of(arrays_of(), REACH)
    planes, kept = positions(rows, columns), kernel.new(net, rows, columns, REACH)
    answers = np.zeros((len(planes), rows * columns + 1), np.float32)
    kernel.judge_all(net, kept, planes, answers)
    for seen, answer in zip(planes, answers, strict=True):
        alone, fresh = np.zeros_like(answer)[None], kernel.new(net, rows, columns, REACH)
        kernel.judge_all(net, fresh, seen[None], alone)
        assert (alone[0] == answer).all()
    assert np.ptp(answers[:, -1]) > 0.001


def test_stones_taken_back_leave_no_trace():
    net = weights_of(arrays_of(), REACH)
    kept, empty = kernel.new(net, 6, 7, REACH), kernel.new(net, 6, 7, REACH)
    both = np.concatenate([np.zeros((2, 2, 6, 7)), positions(6, 7), np.zeros((2, 2, 6, 7))]).astype(np.float32)
    both[[1, -1], 1, 2, 3] = 1  # a stone of who moved before: the second player is to move
    answers = np.zeros((len(both), 43), np.float32)
    kernel.judge_all(net, empty, both[:2], answers[:2])
    kernel.judge_all(net, kept, both, answers)
    assert (answers[:2] == answers[-2:]).all()
    for field in ("cells", "patterns", "seen", "final"):
        assert (getattr(kept, field) == getattr(empty, field)).all(), field


def test_mirror_images_get_the_same_judgement():
    net, side = weights_of(arrays_of(), REACH), 7
    planes = positions(side, side, 3)
    answers = np.zeros((len(planes), side * side + 1), np.float32)
    kernel.judge_all(net, kernel.new(net, side, side, REACH), planes, answers)
    for cells in symmetries(side, side):
        image = np.ascontiguousarray(planes.reshape(3, 2, -1)[:, :, np.argsort(cells)]).reshape(planes.shape)
        told = np.zeros_like(answers)
        kernel.judge_all(net, kernel.new(net, side, side, REACH), image, told)
        assert np.allclose(told[:, :-1][:, cells], answers[:, :-1], atol=1e-4)
        assert np.allclose(told[:, -1], answers[:, -1], atol=1e-5)


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (6, 7), (9, 9)])
def test_integers_say_what_the_model_says(rows, columns):
    torch = pytest.importorskip("torch")
    made, arrays = kind.model([2, 9, 9, 81, REACH, SMALL, SMALL], 0), arrays_of()
    made.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    planes = positions(rows, columns)
    with torch.no_grad():
        logits, outcome = made(torch.from_numpy(planes))
        chances = outcome.softmax(1)
    told = kind.evaluator(made.sizes, arrays)(planes)
    assert np.abs(told[:, :-1] - logits.numpy()).max() < 0.02 * np.abs(logits.numpy()).max()
    assert np.abs(told[:, -1] - (chances[:, 0] - chances[:, 2]).numpy()).max() < 0.02
    assert np.ptp(told[:, -1]) > 0.001


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Where tables are kept, small ones too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(kept.THREADS, "1")  # they are made here
    monkeypatch.setattr(kept, "WORTH", 0)
    return tmp_path / "plyground" / "tables"


def test_a_table_is_made_once_and_read_from_disk_afterwards(tables, monkeypatch):
    arrays = arrays_of(2)
    wanted = expanded(arrays, 2)
    assert (kept.table(arrays, 2) == wanted).all()
    with monkeypatch.context() as once:
        once.setattr(kept.weights, "expanded", None)
        found = kept.table(arrays, 2)
        assert type(found) is np.ndarray and found.flags.c_contiguous and found.flags.writeable  # kernels' own type
        assert (found == wanted).all()
    assert (kept.table(arrays_of(2, seed=1), 2) == expanded(arrays_of(2, seed=1), 2)).all()
    assert len(list(tables.iterdir())) == 2


def test_a_damaged_table_is_made_anew_and_only_the_last_are_kept(tables):
    wanted = expanded(arrays_of(2), 2)
    kept.table(arrays_of(2), 2)
    (path,) = tables.iterdir()
    for damaged in (b"", path.read_bytes()[:-1] + b"?"):
        path.unlink()
        path.write_bytes(damaged)
        assert (kept.table(arrays_of(2), 2) == wanted).all() and kept.is_whole(path)
    for seed in range(kept.MOST + 2):
        kept.table(arrays_of(2, seed), 2)
    assert len(list(tables.iterdir())) == kept.MOST


def test_a_table_is_named_by_the_shapes_and_types_of_its_arrays_too(tables):
    arrays = arrays_of(2)
    name = "mapping.layers.0.weight"
    others = [arrays | {name: arrays[name].reshape(-1)}, arrays | {name: arrays[name].view(np.int32)}]
    assert len({kept.source(one, 2) for one in (arrays, *others)}) == 3


def test_a_table_that_another_process_has_forgotten_is_none(tables, monkeypatch):
    kept.table(arrays_of(2), 2)
    (path,) = tables.iterdir()
    monkeypatch.setattr(kept.Path, "iterdir", lambda folder: iter([path, folder / "gone"]))
    assert kept.keep(expanded(arrays_of(2, seed=1), 2), tables, "another").is_file()
    assert not kept.is_whole(tables / "gone")


def test_where_numpy_has_several_threads_a_process_makes_a_table_by_one(tables, monkeypatch):
    wanted = expanded(arrays_of(2), 2)
    monkeypatch.setenv(kept.THREADS, "2")
    monkeypatch.setattr(kept.weights, "expanded", None)  # none is made here
    assert (kept.table(arrays_of(2), 2) == wanted).all() and len([*tables.iterdir()]) == 1


def test_where_no_process_can_make_a_table_it_is_made_here(tables, monkeypatch):
    monkeypatch.setenv(kept.THREADS, "2")
    for cannot in ("false", "/nowhere/python"):
        monkeypatch.setattr(kept.sys, "executable", cannot)
        assert (kept.table(arrays_of(2), 2) == expanded(arrays_of(2), 2)).all()
        next(tables.iterdir()).unlink()


def test_a_table_that_another_is_making_is_waited_for(tables, monkeypatch):
    arrays, seen, is_whole = arrays_of(2), threading.Event(), kept.whole
    wanted = expanded(arrays, 2)
    tables.mkdir(parents=True)

    def whole(folder, name):
        found = is_whole(folder, name)
        seen.set()
        return found

    monkeypatch.setattr(kept, "whole", whole)
    monkeypatch.setattr(kept.weights, "expanded", None)  # it makes none itself
    with ThreadPoolExecutor(1) as pool:
        with FileLock(tables.with_suffix(".lock")):
            waiting = pool.submit(kept.table, arrays, 2)
            assert seen.wait(300)  # there is none yet
            kept.keep(wanted, tables, kept.source(arrays, 2))
        assert (waiting.result() == wanted).all()


def test_where_nothing_can_be_kept_a_table_is_made_every_time(tables):
    tables.parent.mkdir()
    tables.write_text("a file, and no folder")
    assert (kept.table(arrays_of(2), 2) == expanded(arrays_of(2), 2)).all()


def test_a_net_in_training_answers_as_it_does_from_its_file():
    pytest.importorskip("torch")
    model = kind.model([2, 3, 3, 9, REACH, SMALL, SMALL], 5)
    arrays = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    ours, theirs = kind.in_training(model), kind.evaluator(model.sizes, arrays)
    assert (np.abs(ours.net.table - theirs.net.table) <= 1).all() and (ours.net.star == theirs.net.star).all()
    planes = positions(3, 3)
    np.testing.assert_allclose(ours(planes), theirs(planes), atol=0.02)


def test_an_expanded_table_answers_as_the_model_does():
    torch = pytest.importorskip("torch")
    from plyground.nets.models import InferenceNet

    made = kind.model([2, 5, 5, 25, REACH, SMALL, SMALL], 0)
    made.load_state_dict({name: torch.from_numpy(array) for name, array in arrays_of().items()})
    planes = torch.from_numpy(positions(5, 5))
    with torch.no_grad():
        logits, _ = made(planes)
    assert torch.allclose(InferenceNet(made)(planes)[:, :-1], logits, atol=1e-4)


def test_a_net_on_disk_plays_as_it_was(tmp_path):
    pytest.importorskip("torch")
    sizes = kind.sizes(games.make("tictactoe"))
    made = kind.model(sizes, 3)
    card = Card(sizes, "board", "policy-value", "tictactoe", kind="patterns", cells=True)
    files.save(tmp_path, made, card)
    assert set(files.read_card(tmp_path).files) == {files.WEIGHTS}
    again, planes = files.load(tmp_path), positions(3, 3)
    assert all((value == again.state_dict()[name]).all() for name, value in made.state_dict().items())
    arrays = {name: value.numpy() for name, value in made.state_dict().items()}
    assert (onnx_evaluator(tmp_path)(planes) == kind.evaluator(sizes, arrays)(planes)).all()


def test_a_search_that_runs_the_net_in_its_kernel_grows_the_tree_of_one_that_asks_for_every_leaf():
    game = games.make("tictactoe")
    within = kind.evaluator([2, 3, 3, 9, REACH, SMALL, SMALL], arrays_of())
    searches = [NetSearch(game, ask, Settings(), 1, 5000, 1) for ask in (within, lambda planes: within(planes))]
    for search in searches:
        search.begin(rules.new(game))
        assert search.run(Budget(steps=200)) == 200
    assert (searches[0].nodes == searches[1].nodes).all()
    forests = [BatchedPUCT(game, ask, Settings(), 2, 200, 1) for ask in (within, lambda planes: within(planes))]
    states = np.array([rules.new(game), rules.after(game, rules.new(game), 4)])
    for forest in forests:
        forest.search(states)
    assert (forests[0].nodes == forests[1].nodes).all() and (forests[0].nodes["visits"][:, ROOT] == 200).all()


@pytest.mark.parametrize("transpositions", [False, True])
def test_threads_share_a_tree_and_lose_no_simulation(transpositions):
    game = games.make("tictactoe")
    within = kind.evaluator([2, 3, 3, 9, REACH, SMALL, SMALL], arrays_of())
    settings = Settings(solve=False, transpositions=transpositions)
    search = NetSearch(game, within, settings, 1, 50_000, 1, threads=3)
    search.begin(rules.new(game))
    assert search.run(Budget(steps=3000)) == 3000
    nodes = search.nodes[: search.nodes["first"][0]]
    assert nodes["visits"][1] == 3000 and not nodes["virtual_loss"].any()
    assert nodes["shared"].any() == transpositions
    apart, seen = nodes["width"] == 0, 0  # nodes below which no child has several parents
    for at in range(len(nodes) - 1, 0, -1):
        node = nodes[at]
        below = slice(node["first"], node["first"] + node["width"])
        children = nodes[below]
        if len(children) == 0 or children["shared"][0]:  # visits of several parents add up in children that they share
            continue
        own = node["visits"] - children["visits"].sum()  # when it was a leaf, for each of those who came there at once
        assert 1 <= own <= 3
        if apart[below].all():
            apart[at], seen = True, seen + 1
            sums = (children["visits"] * children["value"]).sum()
            assert abs(node["visits"] * node["value"] - sums) <= own + 1e-9  # no result is beyond 1
    assert seen > 100


def test_a_search_in_threads_is_not_shown_step_by_step():
    with pytest.raises(InputError, match="threads=1"):
        game = games.make("gomoku(15)")
        make("alphazero('gomoku-15-patterns', threads=2, threats=-1)").step_by_step(game, rules.new(game))


def test_what_is_no_such_net_is_refused(tmp_path):
    with pytest.raises(InputError, match="k in a row"):
        kind.sizes(SimpleNamespace(planes=lambda: (2, 6, 7)))
    with pytest.raises(InputError, match="there is no kind of net 'lines'"):
        kinds.of("lines")
    for sizes in ([2, 3, 3, 9, 6, 8, 8], [2, 3, 3, 9, 3, 8, 6], [3, 3, 3, 9, 3, 8, 8], [2, 3, 3, 9, 3, 8]):
        with pytest.raises(ValueError):
            kind.must_make_sense(sizes)
