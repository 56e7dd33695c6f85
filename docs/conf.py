"""The site: `make docs` builds it from these pages and from the docstrings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import plyground

sys.path.append(str(Path(__file__).parent / "_ext"))

project = "Plyground"
copyright = "the authors of Plyground"
version = release = plyground.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "command_help"]
exclude_patterns = ["_build"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!plyground\b).*")]  # types of other libraries, and of modules that have no page
nitpick_ignore_regex += [("py:.*", r"plyground\.(?!rules\b|agents\.base\b).*")]

myst_enable_extensions = ["colon_fence", "attrs_block"]
myst_heading_anchors = 3
smartquotes = False  # "" is an empty text
default_role = "code"  # as docstrings write names
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
copybutton_prompt_text = r"^\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"Plyground {version}"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}


def show_code(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """What stands indented in a docstring, after an empty line, is code or a formula."""
    for number in reversed(range(2, len(lines))):
        before, empty, line = lines[number - 2 : number + 1]
        if line.startswith("    ") and not empty and before and not before.startswith((" ", "-", "*")):
            lines[number:number] = ["::", ""]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", show_code)
