"""Deferred imports of functions, and fast makers of frozen dataclasses.

A load imports only the readers of the formats that it meets, and a notebook what it draws. Each use
is a declaration at the top of a module, so that the order of the packages is checked as for
imports.

The generated ``__init__`` of a frozen dataclass sets each field by a call, which takes four to five
times as long.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, fields
from importlib import import_module
from typing import Any, TypeVar, cast


@dataclass(frozen=True, slots=True)
class Deferred:
    """A function that calls another one, and imports its module for that.

    Attributes:
        target: The module and the name of the other one: ``loaders.urdf:read``.
    """

    target: str

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Return the result of the other function."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)(*arguments, **options)


T = TypeVar("T")

_MADE: dict[type, Any] = {}
"""The function that makes objects of each frozen class, which all readers share."""


def maker(kind: type[T]) -> type[T]:
    """Return a function with the parameters of a frozen class, which makes its objects in less
    time.

    An object is made with plain attributes; then it takes the frozen class, which has the same
    slots. The text of the function is composed, as dataclasses compose that of ``__init__``: a
    function of any fields would take longer.

    Args:
        kind: A frozen dataclass with slots.
    """
    if kind not in _MADE:
        _MADE[kind] = _making(kind)
    return cast(type[T], _MADE[kind])


def _making(kind: type) -> Any:
    entries = fields(kind)
    names: dict[str, Any] = {
        "_plain": type(kind.__name__, (), {"__slots__": [entry.name for entry in entries]}),
        "_frozen": kind,
        "_new": object.__new__,
        "_missing": MISSING,
        **{f"_default_{entry.name}": _default(entry) for entry in entries},
    }
    first = [_parameter(entry) for entry in entries if not entry.kw_only]
    named = [_parameter(entry) for entry in entries if entry.kw_only]
    lines = [
        f"def make({', '.join([*first, *(['*'] if named else []), *named])}):",
        "made = _new(_plain)",
        *(f"made.{entry.name} = {_value(entry)}" for entry in entries),
        "made.__class__ = _frozen",
        *(["made.__post_init__()"] if hasattr(kind, "__post_init__") else []),
        "return made",
    ]
    exec("\n    ".join(lines), names)  # noqa: S102 - of names of fields only
    return names["make"]


def _default(entry: Field[Any]) -> Any:
    return entry.default if entry.default_factory is MISSING else entry.default_factory


def _parameter(entry: Field[Any]) -> str:
    """Return a parameter, with its default if there is one."""
    if entry.default_factory is not MISSING:
        return f"{entry.name}=_missing"
    return entry.name if entry.default is MISSING else f"{entry.name}=_default_{entry.name}"


def _value(entry: Field[Any]) -> str:
    """Return the value of a field, that of its factory if none is given."""
    if entry.default_factory is MISSING:
        return entry.name
    return f"_default_{entry.name}() if {entry.name} is _missing else {entry.name}"
