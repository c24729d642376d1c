"""Every public name is documented, by clear statements, with arguments and errors; the examples
run.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import bridge
import loaders
from tests.support.source_tree import MODULES, NAMES, Function, functions, source, tree

FRAGMENT = re.compile(
    r"(What|Of|Where|As|By|Who|That|Whom|Whose|In|On|At|For|From|To|With|Which|How|Whether|Why|When)\b(?!.*\?)"
)
"""A first word with which a docstring is an answer to a question instead of a statement."""
ATTRIBUTE_FRAGMENT = re.compile(r"(Of|By|In|On|At|For|From|To|With|As|That|Who|Where|What)\b")
MANY = 3
"""Parameters from which on a function lists its arguments."""

Documented = ast.Module | ast.ClassDef | Function


def documented(name: str) -> Iterator[tuple[str, Documented]]:
    """The module, its classes, functions and methods, with their names, nested functions left
    out.
    """
    yield name, tree(name)
    pending: list[tuple[str, Documented]] = [("", tree(name))]
    while pending:
        scope, owner = pending.pop()
        for node in owner.body:
            if isinstance(node, ast.ClassDef | Function):
                yield f"{scope}{node.name}", node
                if isinstance(node, ast.ClassDef):
                    pending.append((f"{scope}{node.name}.", node))


def is_public(name: str) -> bool:
    return not any(part.startswith("_") for part in name.split("."))


def parameters(function: Function) -> list[str]:
    a = function.args
    names = [argument.arg for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    return [name for name in names if name not in {"self", "cls"}] + [
        x.arg for x in (a.vararg, a.kwarg) if x
    ]


def raises(function: Function) -> bool:
    """Whether a function itself raises an error, apart from nested functions and classes."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Raise) and node.exc is not None:
            return True
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            pending.extend(ast.iter_child_nodes(node))
    return False


def attributes(name: str) -> Iterator[tuple[int, str]]:
    """Lines and docstrings of attributes and constants."""
    owners = [node for node in ast.walk(tree(name)) if isinstance(node, ast.ClassDef | ast.Module)]
    for owner in owners:
        for statement, text in zip(owner.body, owner.body[1:], strict=False):
            if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(text, ast.Expr):
                value = text.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield text.lineno, value.value


@cache
def public() -> list[tuple[str, Function]]:
    """The public functions and methods, with their names."""
    return [
        (f"{name}:{label}", function)
        for name in NAMES
        for label, function in documented(name)
        if isinstance(function, Function) and is_public(label)
    ]


def inherits_docstring(name: str, label: str) -> bool:
    """Whether a name is a method that overrides a documented one."""
    module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    owner: Any = importlib.import_module(module)
    for part in label.split("."):
        owner = getattr(owner, part)
    return bool(inspect.getdoc(owner))


def test_every_public_name_has_a_docstring() -> None:
    bare = [
        f"{name}:{label}"
        for name in NAMES
        for label, node in documented(name)
        if (label == name or is_public(label)) and ast.get_docstring(node) is None
        if label == name or not inherits_docstring(name, label)
    ]
    assert bare == []


REFERENCE = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")
"""A name in single backticks, perhaps dotted."""
FOREIGN = {"loadSoftBody", "os.waitpid", "transforms3d.euler.euler2mat"}
FOREIGN |= {"transforms3d.quaternions.mat2quat"}
FOREIGN |= {"CUSTOM_SURFACE", "_angular_velocity", "_torque", "_world_velocity"}
"""Names in texts that are not of this project; the last ones are of SDFormat and of exports."""


def referred_to(reference: str, words: set[str]) -> bool:
    """Whether a name that a text refers to exists: in its module if the text states that."""
    parts = reference.split(".")
    for count in range(len(parts), 0, -1):
        module = MODULES.get(".".join(parts[:count]))
        if module is not None:
            return count == len(parts) or bool(re.search(rf"\b{parts[count]}\b", source(module)))
    return words.issuperset(parts)


def test_every_name_that_a_text_refers_to_exists() -> None:
    code = "\n".join(REFERENCE.sub("", source(name)) for name in NAMES)
    words = set(re.findall(r"\w+", code)) | {part for name in MODULES for part in name.split(".")}
    unknown = {
        (name, reference)
        for name in NAMES
        for reference in REFERENCE.findall(source(name))
        if reference not in FOREIGN and not referred_to(reference, words)
    }
    assert unknown == set()


def test_every_function_of_three_parameters_lists_its_arguments() -> None:
    assert [
        label
        for label, f in public()
        if len(parameters(f)) >= MANY and doc(f) and "Args:" not in doc(f)
    ] == []


def test_every_function_that_raises_lists_its_errors() -> None:
    assert [
        label for label, f in public() if raises(f) and doc(f) and "Raises:" not in doc(f)
    ] == []


def test_every_argument_that_is_listed_exists_and_none_is_left_out() -> None:
    wrong = {}
    for label, function in public():
        section = re.search(r"Args:\n((?:    .*\n|\n)+)", doc(function) + "\n")
        if section:
            listed = re.findall(r"^    \**(\w+)(?: \(.*?\))?:", section[1], re.MULTILINE)
            if set(listed) != set(parameters(function)):
                wrong[label] = set(listed) ^ set(parameters(function))
    assert wrong == {}


def test_docstrings_are_statements() -> None:
    texts = {f"{name}:{label}": doc(node) for name in NAMES for label, node in documented(name)}
    assert {
        label: text.splitlines()[0] for label, text in texts.items() if FRAGMENT.match(text)
    } == {}
    notes = {f"{name}:{line}": text for name in NAMES for line, text in attributes(name)}
    assert {place: text for place, text in notes.items() if ATTRIBUTE_FRAGMENT.match(text)} == {}


def doc(node: Documented) -> str:
    return ast.get_docstring(node) or ""


EXAMPLES = sorted(module for module, name in MODULES.items() if ">>> " in source(name))
MAIN = {
    "loaders.formats",
    "bridge.lowering.lower",
    "bridge.targets.mjcf.folder",
    "bridge.targets.pybullet.load",
    "bridge.parity.comparison",
}
"""Modules whose main functions show an example."""


def test_the_main_functions_have_examples() -> None:
    assert MAIN - set(EXAMPLES) == set()


@pytest.mark.parametrize("module", EXAMPLES)
def test_the_examples_run(
    module: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(request.config.rootpath)
    names = {"bridge": bridge, "loaders": loaders}
    result = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.ELLIPSIS, extraglobs=names
    )
    assert result.attempted > 0
    assert result.failed == 0


def test_functions_are_found() -> None:
    assert {f.name for f in functions("loaders/pose.py")} >= {"frozen"}
