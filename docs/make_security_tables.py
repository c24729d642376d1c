"""Write the tables of limits of the security page from the limits of the code.

python docs/make_security_tables.py
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
from pathlib import Path

from loaders import context, diagnostics, limits, text, xml
from loaders.files import folders, fuel, read_file
from loaders.mjcf import compiler
from loaders.mjcf import limits as mjcf

PAGE = Path(__file__).parent / "security.md"
OPTIONS, FIXED = "options", "fixed limits"
_MARKS = "<!-- {0}: begin -->", "<!-- {0}: end -->"
"""Markers around a table in the page."""


def options() -> list[str]:
    """Return the rows of the options: name, default, and what the code says that it counts."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(limits.Limits)))
    texts = [
        " ".join(str(node.value.value).split()).rstrip(".")
        for node in next(n for n in tree.body if isinstance(n, ast.ClassDef)).body[1:]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    defaults = dataclasses.asdict(limits.DEFAULTS)
    rows = ["| option | limit | what counts |", "|---|---|---|"]
    for (name, value), words in zip(defaults.items(), texts, strict=True):
        counted = f"{words[0].lower()}{words[1:]}".replace("``", "`")
        rows.append(f"| `{name}` | {value:,} | {counted} |")
    return rows


def fixed() -> list[str]:
    """Return the rows of the limits that have no option."""
    rows = (
        (
            "nesting",
            f"{xml.MAX_DEPTH} levels of elements in a file of XML or YAML, {mjcf.MAX_DEPTH} in MJCF with "
            f"all that it includes, {context.MAX_INCLUDE_DEPTH} levels of includes; {mjcf.MAX_CHAIN:,} "
            "bodies of MJCF in one another",
            "MuJoCo, PyBullet and xacro call themselves for each level, and a higher number ends the "
            "process; an error that names the number",
        ),
        (
            "names",
            f"{xml.MAX_NAMES:,} different names of elements, attributes and namespaces in a file of "
            "XML; one of more than 100 characters counts several times",
            "libxml2 keeps them in memory until the thread ends; robots have some hundred",
        ),
        (
            "one file of XML",
            f"{xml.MAX_ELEMENTS:,} elements; {mjcf.MAX_ATTRIBUTES} attributes of an element of MJCF",
            "the option `elements` may be higher for all files of a load together",
        ),
        (
            "data of MJCF",
            f"{mjcf.MAX_SIZE:,} numbers in height fields, sensors, states, histories and data of the "
            f"user; {mjcf.MAX_TAXELS:,} cells of a sensor of a plugin; {mjcf.MAX_VERTICES:,} vertices of "
            f"a mesh that MuJoCo makes; {mjcf.MAX_STEPS:,} steps in which it looks for the range of an "
            f"actuator; {mjcf.MAX_MEMORY >> 30} GiB of memory that `<size>` states",
            "a small text asks for them, and the convex hull of so many vertices takes some seconds",
        ),
        (
            "refusals of MJCF",
            f"{compiler.MAX_REFUSALS} errors of MuJoCo in {compiler.MAX_SECONDS:g} s, for texts of "
            f"{compiler.MAX_CHARACTERS:,} characters",
            "MuJoCo states one error at a time; correct these, and load again",
        ),
        (
            "archives",
            f"16 MiB and {read_file.MAX_RATIO} times the size of the archive, unpacked",
            "unpack the archive",
        ),
        (
            "downloads",
            f"{fuel.MAX_BYTES >> 20} MiB, packed and unpacked, {fuel.MAX_SECONDS:g} s, and "
            f"{fuel.MAX_REDIRECTIONS - 1} redirections of a request",
            "download the model by hand, and name its folder in `paths`",
        ),
        (
            "URI",
            f"{context.MAX_URI:,} characters",
            "no operating system opens a longer path",
        ),
        (
            "printed message",
            f"{text.MAX_MESSAGE:,} characters, and as many of its hint",
            "nothing is lost: `message` and `hint` of the diagnostic have the whole text",
        ),
        (
            "text of an error",
            f"{diagnostics.MAX_PROBLEMS} diagnostics",
            "nothing is lost: its attribute `diagnostics` has all",
        ),
        (
            "suggestion for a name",
            f"names of {text.MAX_LENGTH} characters, the first {text.MAX_NAMES} of them; "
            f"{limits.MAX_COMPARISONS:,} pairs of characters compared in a load, then no more suggestions",
            "it changes no result",
        ),
        (
            "search for packages",
            f"{folders.MAX_FOLDERS:,} folders, {folders.MAX_DEPTH} levels",
            "name the folder of the package in `package_map`",
        ),
    )
    head = ["| what | limit | why it has no option |", "|---|---|---|"]
    return head + [f"| {' | '.join(row)} |" for row in rows]


def with_tables(page: str) -> str:
    """Return the page with the tables of the code.

    Args:
        page: The text of the page.
    """
    for name, rows in ((OPTIONS, options()), (FIXED, fixed())):
        begin, end = (mark.format(name) for mark in _MARKS)
        pattern = re.compile(f"{begin}.*?{end}", re.DOTALL)
        table = "\n".join((begin, "", *rows, "", end))
        page, count = pattern.subn(lambda _, table=table: table, page)  # type: ignore[misc]
        if count != 1:
            raise ValueError(f"the page has the marks of the table {name!r} {count} times")
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
