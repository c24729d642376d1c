"""The diagnostic codes in the source of `loaders` and `bridge`, found in the syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bridge.diagnostic_codes import CODES

ROOT = Path(__file__).parents[2]
PREFIXES = sorted({code.partition(".")[0] for code in CODES})
FILES = {"mesh.npz", "model.config", "model.mjb", "model.sdf"}
"""Names of files that look like codes."""

_CODE = re.compile(rf"(?:{'|'.join(PREFIXES)})\.[a-z][a-z0-9-]*")
_BARE = re.compile(r"[a-z]+(?:-[a-z]+)*")
_TARGETS = {"bridge/targets/mjcf/": "mjcf", "bridge/targets/pybullet/": "pybullet"}
"""Folders whose modules may write codes without the prefix."""
_REPORTING = {"report", "_assume"}
"""Functions that take a code without the prefix first, or second after the fate."""


@cache
def sources() -> dict[str, ast.Module]:
    """The syntax tree of each module, by path, without those of the registry."""
    paths = sorted(
        path for package in ("loaders", "bridge") for path in (ROOT / package).rglob("*.py")
    )
    names = {str(path.relative_to(ROOT)): path for path in paths}
    return {
        name: ast.parse(path.read_text()) for name, path in names.items() if "codes" not in name
    }


def literals() -> dict[str, list[str]]:
    """Every string that has the form of a full code, with the places where it is written."""
    places: dict[str, list[str]] = {}
    for name, tree in sources().items():
        for node in ast.walk(tree):
            text = _text(node)
            if text is not None and _CODE.fullmatch(text) and text not in FILES:
                places.setdefault(text, []).append(f"{name}:{node.lineno}")  # type: ignore[attr-defined]
    return places


def bare_codes() -> dict[str, list[str]]:
    """The codes that a target writes without its prefix, with the prefix, and the places where they
    are written.
    """
    places: dict[str, list[str]] = {}
    for name, tree in sources().items():
        prefix = next(
            (prefix for folder, prefix in _TARGETS.items() if name.startswith(folder)), None
        )
        for node in ast.walk(tree) if prefix else ():
            for code in _bare_codes_of(node):
                places.setdefault(f"{prefix}.{code}", []).append(f"{name}:{node.lineno}")  # type: ignore[attr-defined]
    return places


def _text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _values(node: ast.AST) -> list[ast.expr]:
    """The positional arguments of a call, or the items of a tuple."""
    if isinstance(node, ast.Call):
        return node.args
    return node.elts if isinstance(node, ast.Tuple) else []


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _fate(node: ast.expr) -> str | None:
    """The value of ``Fate.X``."""
    is_fate = (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Fate"
    )
    return node.attr.lower() if is_fate and isinstance(node, ast.Attribute) else None


def _beside(values: list[ast.expr], i: int) -> list[str]:
    """The code after a fate, or else the one before it."""
    texts = [_text(value) or "" for value in (*values[i + 1 : i + 2], *values[max(i - 1, 0) : i])]
    return [text for text in texts if _CODE.fullmatch(text) or _BARE.fullmatch(text)][:1]


def _bare_codes_of(node: ast.AST) -> Iterator[str]:
    values = _values(node)
    if isinstance(node, ast.JoinedStr):  # f"{TARGET}.code"
        end = _text(node.values[-1]) or ""
        if ast.unparse(node).startswith("f'{TARGET}.") and _BARE.fullmatch(end[1:]):
            yield end[1:]
    for i, value in enumerate(values):
        yield from (code for code in _beside(values, i) if _fate(value) and _BARE.fullmatch(code))
    if _called(node) in _REPORTING:
        texts = [_text(value) for value in values[:2]]
        yield from (text for text in texts if text and _BARE.fullmatch(text))
