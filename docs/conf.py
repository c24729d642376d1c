"""Settings of the documentation site; ``make docs`` builds it in ``out/docs``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import sdfbridge  # noqa: E402

project = "sdfbridge"
author = "The authors of sdfbridge"
html_show_copyright = False
version = release = sdfbridge.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.autosummary"]
exclude_patterns = ["schema", "pictures"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
myst_disable_syntax = ["html_inline"]  # an element such as <script> in a table is text
suppress_warnings = [
    "myst.xref_missing"
]  # links to files outside of docs/; tests/test_docs.py checks every link

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": False}
autosummary_generate = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
default_role = "code"
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"sdfbridge {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["search.js", "tables.js"]
html_show_sourcelink = False
html_copy_source = False


def _lists(
    _app: object, _what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Write the lists of docstrings as reStructuredText: options in an argument as items, blank
    lines before lists.
    """
    text = "\n".join(lines)
    options = re.compile(r"(?m)^( {8,})(\w+): (.*(?:\n\1 {4}.*)*)")
    text = options.sub(
        lambda m: f"{m[1]}* **{m[2]}**: " + m[3].replace(f"\n{m[1]}    ", f"\n{m[1]}  "), text
    )
    lines[:] = re.sub(r"(?m)^((?!\s*[-*] ).*\S)\n(?=[-*] )", r"\1\n\n", text).split("\n")


def _index_entries(_app: object, _page: str, source: list[str]) -> None:
    """Make the words that people use for a section, which a comment below its heading lists,
    entries of the index: the search finds the section by them.
    """
    source[0] = re.sub(
        r"(?m)^<!-- words: (.*) -->$", lambda m: f"\n```{{index}} {m[1]}\n```\n", source[0]
    )


def setup(app: object) -> None:
    """Register the changes of docstrings and pages."""
    app.connect("autodoc-process-docstring", _lists)  # type: ignore[attr-defined]
    app.connect("source-read", _index_entries)  # type: ignore[attr-defined]
