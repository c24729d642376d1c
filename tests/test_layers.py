"""The lines that the design draws between the parts, and how long a part may grow."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for package in ("loaders", "bridge") for path in (ROOT / package).rglob("*.py"))
NAMES = [str(path.relative_to(ROOT)) for path in SOURCES]
MODULES = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name for name in NAMES}

ON_DEMAND = {
    "coacd", "collada", "fast_simplification", "jinja2", "matplotlib", "mujoco", "pybullet", "pydrake", "rich",
    "trimesh", "viser", "xacro", "yaml",
}  # fmt: skip
"""Imported by the function that uses them, never with a module."""

MODEL_MAY_IMPORT = {"diagnostics", "model", "spatial"}

MAX_FUNCTION_LINES = 40
MAX_FILE_LINES = 400

LONG_FUNCTIONS = {"loaders/xml.py:_parse": "the handlers of one parse share its state, as closures"}
"""Functions past the limit, each with why it reads better whole."""

LONG_FILES: dict[str, str] = {}


@cache
def tree(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text(encoding="utf-8"))


def imports(name: str, nodes: Iterator[ast.AST]) -> set[str]:
    """Absolute names that these nodes import: of modules, or of what is in them."""
    package = list(Path(name).parent.parts)
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *([node.module] if node.module else [])]
            found |= {".".join([*module, alias.name]) for alias in node.names}
    return found


def every_node(name: str) -> Iterator[ast.AST]:
    return ast.walk(tree(name))


def nodes_run_on_import(name: str) -> Iterator[ast.AST]:
    """What runs when the module is imported: all outside functions and outside ``if TYPE_CHECKING``."""
    pending: list[ast.AST] = list(tree(name).body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        pending.extend(ast.iter_child_nodes(node))


def neighbours(name: str) -> set[str]:
    """The other files of the house that a file imports, late and for type checkers too."""
    found = {MODULES.get(what) or MODULES.get(what.rpartition(".")[0]) for what in imports(name, every_node(name))}
    return {file for file in found if file is not None} - {name}


def functions(name: str) -> Iterator[tuple[str, int]]:
    """Name and length of each function, its docstring left out."""
    for node in every_node(name):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            first = node.body[0]
            if ast.get_docstring(node) is not None:
                lines -= (first.end_lineno or 0) - first.lineno + 1
            yield f"{name}:{node.name}", lines


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("loaders/")])
def test_loaders_never_import_bridge(name: str) -> None:
    assert not {module for module in imports(name, every_node(name)) if module.split(".")[0] == "bridge"}


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("loaders/model/")])
def test_the_model_knows_only_diagnostics_and_spatial_algebra(name: str) -> None:
    known = {module.split(".")[1] for module in imports(name, every_node(name)) if module.startswith("loaders.")}
    assert known <= MODEL_MAY_IMPORT


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"bridge/cli.py", "bridge/__main__.py"}])
def test_nothing_knows_the_command_line(name: str) -> None:
    inside = name.startswith("bridge/cli")
    assert inside or not {module for module in imports(name, every_node(name)) if module.startswith("bridge.cli")}


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith(("bridge/mjcf", "bridge/bullet"))])
def test_targets_do_not_know_each_other_nor_the_proof(name: str) -> None:
    other = "bridge.bullet" if name.startswith("bridge/mjcf") else "bridge.mjcf"
    assert not {m for m in imports(name, every_node(name)) if m.startswith((other, "bridge.parity"))}


@pytest.mark.parametrize("package", ["bridge", "loaders"])
def test_no_modules_import_each_other_in_a_circle(package: str) -> None:
    names = [name for name in NAMES if name.startswith(f"{package}/")]
    house = TopologicalSorter({name: neighbours(name) for name in names})
    house.prepare()  # raises CycleError, which tells the circle


@pytest.mark.parametrize("name", NAMES)
def test_engines_and_heavy_libraries_are_imported_where_they_are_used(name: str) -> None:
    assert not {m for m in imports(name, nodes_run_on_import(name)) if m.split(".")[0] in ON_DEMAND}


@pytest.mark.parametrize("name", NAMES)
def test_functions_fit_on_a_screen(name: str) -> None:
    too_long = {which: lines for which, lines in functions(name) if lines > MAX_FUNCTION_LINES}
    assert too_long.keys() <= LONG_FUNCTIONS.keys(), too_long


@pytest.mark.parametrize("name", NAMES)
def test_files_can_be_read_in_one_sitting(name: str) -> None:
    lines = len((ROOT / name).read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_FILE_LINES or name in LONG_FILES, lines


def test_every_exception_to_the_lengths_is_still_one() -> None:
    lengths = {which: lines for name in NAMES for which, lines in functions(name)}
    assert {which for which in LONG_FUNCTIONS if lengths.get(which, 0) <= MAX_FUNCTION_LINES} == set()
    sizes = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in NAMES}
    assert {name for name in LONG_FILES if sizes.get(name, 0) <= MAX_FILE_LINES} == set()


def test_importing_both_packages_imports_no_engine_and_nothing_heavy() -> None:
    code = "import sys, loaders, bridge; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not set(run.stdout.split()) & ON_DEMAND
