"""The same functions on a GPU: rules, and what kernels are made of, compiled by numba-cuda as they are written.

numba-cuda has a compiler of its own and a register of its own of what code may call; here it is told of the methods of
games as Numba is in `decorators`.  A function that kernels call is met on the GPU as a twin: the same bytecode, which
finds twins wherever it names other functions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..spec import InputError
from . import callables
from .watching import PACKAGE, names_in, plain

DOES_NOT_COMPILE = (
    "device cuda: the rules do not compile for a GPU, where there are no lists and sets: "
    "write loops over the fields of the state in their place"
)
HEAP = 1 << 29  # bytes of the GPU's memory for arrays that rules make
SMALL = 1 << 10  # bytes of a table that lies in the GPU's memory for constants, which has room for 64 KB in all


def load() -> Any:
    """`numba.cuda`, which knows the rules of games; InputError where it is not installed or finds no GPU."""
    if not find_spec("numba_cuda"):
        raise InputError("a GPU is used by numba-cuda: pip install 'plyground[cuda]'")
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # type: ignore[attr-defined]  # numba-cuda 0.30 names it, NumPy 2.5 does not
    from numba import cuda

    if not cuda.is_available():
        raise InputError("device cuda: there is no GPU that numba-cuda can use")
    cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # a few games on a GPU are no mistake
    if not is_simulated(cuda):
        _tell_rules(cuda)
    return cuda


def is_simulated(cuda: Any) -> bool:
    """Do kernels run in numba-cuda's simulator, interpreted and without a GPU (NUMBA_ENABLE_CUDASIM=1)?"""
    return bool(cuda.config.ENABLE_CUDASIM)


@contextmanager
def letting_make_arrays(cuda: Any) -> Iterator[None]:
    """Code that is compiled meanwhile may make arrays; it is slower, since it counts who still needs them."""
    from cuda.bindings import driver

    driver.cuCtxSetLimit(driver.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE, HEAP)
    cuda.config.CUDA_ENABLE_NRT = True
    try:
        yield
    finally:
        cuda.config.CUDA_ENABLE_NRT = False


def launched(cuda: Any, make: Callable[[], Any], launch: Callable[[Any], None]) -> Any:
    """The kernel that is made, after it was launched once; if it does not compile or link it is made once more, such
    that rules may make arrays."""
    try:
        kernel = make()
        launch(kernel)
        return kernel
    except Exception:
        if is_simulated(cuda):  # nothing is compiled: the rules themselves have failed
            raise
        kernel = make()
    try:
        with letting_make_arrays(cuda):
            launch(kernel)
    except Exception as error:
        if not any(kind.__name__ == "NumbaError" for kind in type(error).__mro__):
            raise
        raise InputError(DOES_NOT_COMPILE) from error
    return kernel


def put(cuda: Any, values: np.ndarray) -> Any:
    """An array on the GPU; in the simulator the array itself, which kernels take as it is within a tuple."""
    if is_simulated(cuda):
        return values
    if values.dtype.names and values.ndim == 1:  # fields may lie one above the other, which no buffer can tell
        return cuda.to_device(values.view(np.uint8)).view(values.dtype)
    return cuda.to_device(values)


def write(array: Any, values: np.ndarray) -> None:
    """Write over the first rows of an array on the GPU."""
    if isinstance(array, np.ndarray):
        array[: len(values)] = values
    else:
        array[: len(values)].copy_to_device(values)


def read(array: Any, rows: int) -> np.ndarray:
    """The first rows of an array on the GPU."""
    return array[:rows].copy() if isinstance(array, np.ndarray) else array[:rows].copy_to_host()


def _copy(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    """The same function, which looks up these names."""
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)


class Twins:
    """Twins of functions, each made once.

    instead: by function, another one that stands in its place on a GPU.
    """

    def __init__(self, cuda: Any, instead: dict[Any, Any] | None = None) -> None:
        self._cuda = cuda
        self._instead = {plain(function): plain(other) for function, other in (instead or {}).items()}
        self._twins: dict[FunctionType, Any] = {}

    def __getitem__(self, function: Any) -> Any:
        """The twin of a function that kernels call."""
        original = self._instead.get(plain(function), plain(function))
        if original not in self._twins:
            twin = _copy(original, {})
            self._twins[original] = self._cuda.jit(device=True)(twin)  # before what it names: that may name it, too
            twin.__globals__.update(self.names(original))
        return self._twins[original]

    def names(self, function: FunctionType) -> dict[str, Any]:
        """What a function looks up outside of itself."""
        names, named = dict(function.__globals__), names_in(function.__code__)
        for name in named & names.keys():
            names[name] = self._twin(names[name], named)
        return names

    def _twin(self, value: Any, named: set[str]) -> Any:
        """What stands in the place of something that code names; of a module, whatever of it the code may name."""
        if isinstance(plain(value), FunctionType):
            return self[value]
        if isinstance(value, ModuleType) and value.__name__.startswith(PACKAGE):
            module = ModuleType(value.__name__)
            vars(module).update({name: self._twin(vars(value)[name], named) for name in named & vars(value).keys()})
            return module
        return value


class Kernels(Twins):
    """The kernels of a module, with constants in the place of names that are said there to stand for something."""

    def __init__(self, cuda: Any, module: ModuleType, constants: dict[str, Any], instead: dict[Any, Any]) -> None:
        super().__init__(cuda, instead)
        self._module, self._constants = module.__name__, constants

    def kernel(self, function: Any) -> Any:
        """What Python launches."""
        return self._cuda.jit(_copy(function, self.names(function)))

    def names(self, function: FunctionType) -> dict[str, Any]:
        names = super().names(function)
        return names | self._constants if names["__name__"] == self._module else names


def _tell_ufuncs() -> None:
    """Functions of NumPy that numba-cuda lists no code for (0.30: `np.sign`, `np.abs`, ...) though it has that code."""
    from numba.cuda import ufuncs
    from numba.np import ufunc_db

    there = ufuncs.ufunc_db()
    for ufunc in set(ufunc_db.get_ufuncs()) - set(there):
        loops = ufunc_db.get_ufunc_info(ufunc)
        there[ufunc] = {loop: _of_cuda(code) for loop, code in loops.items()}


def _of_cuda(function: FunctionType) -> Any:
    """numba-cuda's own copy of a function of Numba's."""
    return getattr(import_module(function.__module__.replace("numba.", "numba.cuda.", 1)), function.__name__)


def _keep_large_tables_elsewhere() -> None:
    """Arrays that code names lie in the memory for constants, once for each place that names them: that has no room for
    large ones, and is slow where threads read different numbers of one table."""
    from numba.cuda.cudadrv import nvvm
    from numba.cuda.target import CUDATargetContext

    constant, make = nvvm.ADDRSPACE_CONSTANT, CUDATargetContext.make_constant_array

    def made(context: Any, builder: Any, kind: Any, values: np.ndarray) -> Any:
        nvvm.ADDRSPACE_CONSTANT = constant if values.nbytes <= SMALL else nvvm.ADDRSPACE_GLOBAL
        try:
            return make(context, builder, kind, values)
        finally:
            nvvm.ADDRSPACE_CONSTANT = constant

    CUDATargetContext.make_constant_array = made


@cache
def _tell_rules(cuda: Any) -> None:
    """Tell numba-cuda which methods code for the GPU may call, of any NamedTuple."""
    from numba.cuda import types
    from numba.cuda.cudadrv import nvvm
    from numba.cuda.extending import infer_getattr, overload, overload_method
    from numba.cuda.typing.templates import _OverloadMethodTemplate, make_overload_attribute_template

    class Method(_OverloadMethodTemplate):
        """As `templates.MethodTemplate`: of the games that have it; in other tuples its name may be that of a field."""

        def _resolve(self, typ, attr):
            has = isinstance(getattr(typ.instance_class, attr, None), FunctionType)
            return super()._resolve(typ, attr) if has else None

    _tell_ufuncs()
    _keep_large_tables_elsewhere()
    twins = Twins(cuda)
    nvvm.compile_ir = partial(nvvm.compile_ir, fma=0)  # a product and a sum are rounded each, as on a CPU
    tuples = types.NamedTuple, types.NamedUniTuple
    types.BaseNamedTuple.__bool__ = lambda kind: True  # as in `decorators`: a game may have no parameters

    def let_kernels_call(name: str, rule: Any) -> None:
        def choose(game, *args):
            found = plain(getattr(game.instance_class, name))
            return _copy(found, twins.names(found))

        choose.__signature__ = inspect.signature(rule)  # type: ignore[attr-defined]
        choose.__name__ = choose.__qualname__ = name
        for kind in tuples:
            overload_method(kind, name)(choose)

    def let_rules_call_method(name: str) -> None:
        def choose(game, *args):
            method = twins[getattr(game.instance_class, name)]
            return lambda game, *args: method(game, *args)

        choose.__name__ = choose.__qualname__ = name
        for kind in tuples:
            infer_getattr(make_overload_attribute_template(kind, name, choose, base=Method))
        overload(choose)(choose)

    callables.told_to(let_kernels_call, let_rules_call_method)
