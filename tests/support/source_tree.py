"""The modules of `loaders`, `bridge` and `sdfbridge`, and what they import, from their syntax
trees.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("loaders", "bridge", "sdfbridge")
PATHS = sorted(
    path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py")
)
NAMES = [str(path) for path in PATHS]
MODULES = {
    ".".join(path.with_suffix("").parts).removesuffix(".__init__"): str(path) for path in PATHS
}
"""Path of each module, by its dotted name; that of a package is its ``__init__``."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Edge = tuple[str, str]
"""A module, and a module that it imports."""


@cache
def source(name: str) -> str:
    """The text of a file, by its path."""
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def tree(name: str) -> ast.Module:
    """The syntax tree of a file, by its path."""
    return ast.parse(source(name))


def imported(name: str, nodes: Iterator[ast.AST]) -> set[str]:
    """Absolute names that these nodes of a file import: modules, or what is in them."""
    package = list(Path(name).parent.parts)
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *([node.module] if node.module else [])]
            names |= {".".join([*module, alias.name]) for alias in node.names}
    return names


def modules_of(names: set[str]) -> set[str]:
    """The modules of the project among imported names, or those that hold them."""
    found = {name if name in MODULES else name.rpartition(".")[0] for name in names}
    return found & MODULES.keys()


def deferred(name: str) -> set[str]:
    """Absolute names of the functions that a file imports by their first call:
    ``Deferred("module:name")``.
    """
    if "Deferred(" not in source(name):
        return set()
    calls = (node for node in ast.walk(tree(name)) if isinstance(node, ast.Call) and node.args)
    declared = (
        call.args[0]
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "Deferred"
    )
    return {str(ast.literal_eval(target)).replace(":", ".") for target in declared}


@cache
def edges() -> frozenset[Edge]:
    """Every import of one module by another: inside functions, for type checkers and on demand
    too.
    """
    return frozenset(
        (module, target)
        for module, name in MODULES.items()
        for target in modules_of(imported(name, ast.walk(tree(name))) | deferred(name))
        if target != module
    )


def import_time_nodes(name: str) -> Iterator[ast.AST]:
    """The nodes that run when a file is imported: outside functions and outside ``if
    TYPE_CHECKING``.
    """
    pending: list[ast.AST] = list(tree(name).body)
    while pending:
        node = pending.pop()
        if isinstance(node, Function | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        pending.extend(ast.iter_child_nodes(node))


def functions(name: str) -> Iterator[Function]:
    """The functions and methods of a file."""
    return (node for node in ast.walk(tree(name)) if isinstance(node, Function))
