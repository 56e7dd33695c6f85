"""What is said of rules that do not compile: which rule, where, and what the compiler has against it, in one line.

Numba writes the errors of the functions that a function calls into its own, as text.  So each rule that does not
compile leaves a note in that text, and so does each function that it calls: the first note is that of the innermost
function, the last one that of the rule.
"""

from __future__ import annotations

import builtins
import json
import linecache
import os
import re
from traceback import walk_tb
from types import FunctionType
from typing import TYPE_CHECKING

from .callables import PARTS

if TYPE_CHECKING:
    from numba.core.errors import NumbaError

NOTE = "compiling a rule: "
WITH = "write it with numbers, tuples, loops, arrays and the fields of the state"
FUNCTION = "put what rules share into a function or a method"
SAYINGS = [  # what Numba says, what it means, and what to do about it
    (r"^answers OptionalType\((.+)\)", "it may answer None instead of {0}", "let it always return a number"),
    (r"^answers .*generator", "it yields", "let it return a number"),
    (r"^answers (.+)", "it answers {0}, which is no number", ""),
    (r"UndefinedType", "{unknown}", ""),
    (r"Cannot infer the type .* imprecise type: (\w+)", "nothing tells what this empty {0} holds", WITH),
    (r"Cannot unify (.+) and (.+) for '\$", "this may be {0} or {1}", "let it have one type"),
    (r"Cannot unify (.+) and (.+) for '([^.']+)", "{2} may be {0} or {1}", "let it have one type"),
    (r"Numba type of <class 'type'>", "a rule can use no class, and no super()", FUNCTION),
    (r"Numba type of <class '(?:\w+\.)*(\w+)'>", "a rule can use no {0} of its module", "make it a tuple or an array"),
    (r"use of a (.+) type, assigned to variable '(\w+)'", "{1} is a {0}", "make it a tuple or an array"),
    (r"re-entrant", "a function that calls itself does not compile", "write a loop"),
    (r"^UnsupportedBytecodeError: (?:Use of )?(.+?)(?: found)?\.", "Numba says: {0}", ""),
    (r"exception_match", "`except` can name Exception alone", ""),
    (r"yield in a closure", "a generator expression does not compile", "write a loop"),
    (r"Function\(<\S+ (?:function )?(?:impl_|ol_)?(\w+).*\n\s*\n\s*>>> \w+(\(.*\))", "Numba cannot call {0}{1}", WITH),
    (r"Unknown attribute '(\w+)' of type (.+)", "compiled rules find no {0} in {1}", ""),
    (r"^KeyError: '([A-Za-z]\w*)'", "there is no field {0}", ""),
    (r"^AssertionError", "Numba cannot compile this", WITH),
    (r"(.+)", "Numba says: {0}", WITH),
]
TYPES = [  # Numba's words for types, and ours
    (r"Record\(.*?;\d+;(?:True|False)\)", "state"),
    (r"<iv=.*?>(?=[,)]|$| )", ""),
    (r"Literal\[(\w+)\]\(.*?\)", r"\1"),
    (r"type\(CPUDispatcher\(.*?\)\)", "function"),
    (r"(\w+)_[0-9a-f]{16}\([^)]*\)", r"\1"),
    (r"class\(<class '(?:\w+\.)*(\w+)'>\)", r"the class \1"),
    (r"Module\(<module '([\w.]+)'.*?>\)", r"\1"),
    (r"unicode_type", "str"),
    (r"DictType\[undefined,undefined\]|DictType\b", "dict"),
    (r"(?:reflected )?list\((\w+)\)", r"list[\1]"),
]


def noted(function: FunctionType, error: Exception) -> NumbaError:
    """The error with a note of the function that does not compile."""
    from numba.core.errors import NumbaError, TypingError

    code, file = function.__code__, function.__code__.co_filename
    line = line_of(error, file) or code.co_firstlineno
    if not isinstance(error, NumbaError):
        error = TypingError(f"{type(error).__name__}: {error}")
    note = {"function": code.co_name, "file": file, "line": line, "said": str(getattr(error, "msg", error))[:1000]}
    return error.add_context(NOTE + json.dumps(note | {"unknown": unknown(function, source(file, line))}))


def line_of(error: Exception, file: str) -> int:
    """The line of a file on which the compiler was; 0 if it does not tell."""
    if error_line := re.search(rf"{re.escape(file)} \((\d+)\)", f"{getattr(error, 'loc', '')} {error}"):
        return int(error_line[1])
    places = [getattr(frame.f_locals.get("self"), "loc", None) for frame, _ in walk_tb(error.__traceback__)]
    return next((int(place.line) for place in places if place and place.filename == file), 0)


def place(file: str, line: int) -> str:
    """`file.py:59`, from where we are if it lies below."""
    here = os.path.relpath(file)
    return f"{file if here.startswith('..') else here}:{line}"


def source(file: str, line: int) -> str:
    linecache.checkcache(file)
    return linecache.getline(file, line).strip()


def unknown(function: FunctionType, line: str) -> str:
    """The first name on a line that stands for nothing."""
    code = function.__code__
    known = {*function.__globals__, *vars(builtins), *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    names = [name for name in re.findall(r"(?<![\w.])[A-Za-z_]\w*", line) if name in {*code.co_names} - known]
    return f"there is no {names[0]}" if names else "a name stands for nothing"


def refusal(error: Exception) -> str:
    """What does not compile, the rules or a scoring, and why, in one line."""
    notes = _notes(error)
    part = PARTS.get(notes[-1]["function"], "rules") if notes else "rules"
    return f"the {part} {'do' if part.endswith('s') else 'does'} not compile: {reason(error)}"


def _notes(error: Exception) -> list[dict]:
    return [json.loads(note) for note in re.findall(rf"{NOTE}(\{{.*\}})", str(error))]


def reason(error: Exception) -> str:
    """Why rules do not compile, in one line."""
    notes = _notes(error)
    if not notes:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return (lines or [type(error).__name__])[-1][:200]
    inner, rule = notes[0], notes[-1]["function"]
    called = f" in {inner['function']}," if inner["function"] != rule else ""
    where, line = place(inner["file"], inner["line"]), source(inner["file"], inner["line"])
    return f"{rule}, {where},{called} `{line[:100]}`: {meaning(inner['said'], inner['unknown'])}"


def meaning(said: str, unknown: str) -> str:
    """What the compiler says, in the words of this project, with a hint where there is one."""
    for pattern, means, hint in SAYINGS:
        if found := re.search(pattern, said):
            words = [plain(word) for word in found.groups()]
            return means.format(*words, unknown=unknown)[:300] + (f"; {hint}" if hint else "")
    return said


def plain(types: str) -> str:
    for pattern, word in TYPES:
        types = re.sub(pattern, word, types)
    return " ".join(types.split())
