"""The kinds of rules that bring an older file to a newer form; `loaders.sdf.upgrade` carries them out.

``at`` tells which elements a rule is for: ``world/model`` is a path down from the root, ``//joint/axis`` starts at
every ``<joint>``, but for what stands in plugins and in elements of other namespaces. A place within such an element
is a path too, whose last step may be an attribute: ``xyz/@expressed_in``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Move:
    """What stands at ``source`` goes to ``target``, if nothing stands there."""

    at: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Copy:
    """The text at ``source`` is set at each target."""

    at: str
    source: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Become:
    """An element with ``attribute`` becomes a ``<tag>`` with that attribute as its text."""

    at: str
    attribute: str
    tag: str


@dataclass(frozen=True, slots=True)
class Add:
    """A child ``<tag>`` with this text is added, if there is none."""

    at: str
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """The children with this tag go."""

    at: str
    tag: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the child ``flag`` says true, ``value`` is set at ``target``."""

    at: str
    flag: str
    target: str
    value: str


@dataclass(frozen=True, slots=True)
class Unflatten:
    """Parts of a model called ``a::b`` become parts called ``b`` of a nested model ``a``."""

    at: str


Rule = Move | Copy | Become | Add | Remove | Mark | Unflatten


def attributes(at: str, names: str) -> tuple[Rule, ...]:
    """Rules that turn attributes into child elements of the same names."""
    return tuple(Move(at, "@" + name, name) for name in names.split())
