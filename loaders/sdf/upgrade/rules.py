"""The kinds of conversion rules between versions of SDFormat; `upgrade` applies them.

The names are those of libsdformat's ``.convert`` files. ``at`` selects the elements that a rule applies to:
``world/model`` is a path from the root, ``//joint/axis`` starts at every ``<joint>`` except inside plugins and
elements of other namespaces. Source and target are paths from the selected element; their last step may be an
attribute, as in ``xyz/@expressed_in``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Move:
    """Move the element or attribute at ``source`` to ``target``, unless the target exists."""

    at: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy the text at ``source`` to each target."""

    at: str
    source: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename an element that has ``attribute`` to ``<tag>``, and make the attribute's value its text."""

    at: str
    attribute: str
    tag: str


@dataclass(frozen=True, slots=True)
class Add:
    """Add a child ``<tag>`` with this text, unless there is one."""

    at: str
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove the children with this tag."""

    at: str
    tag: str


@dataclass(frozen=True, slots=True)
class Map:
    """Set ``target`` to ``value`` if the child ``flag`` is true."""

    at: str
    flag: str
    target: str
    value: str


@dataclass(frozen=True, slots=True)
class Unflatten:
    """Move the elements of a model that are named ``a::b`` into a nested model ``a``, under the name ``b``."""

    at: str


Rule = Move | Copy | Rename | Add | Remove | Map | Unflatten


def attributes_to_elements(at: str, names: str) -> tuple[Rule, ...]:
    """Return rules that turn attributes into child elements of the same names.

    Args:
        at: The elements that have the attributes.
        names: The attributes, separated by spaces.
    """
    return tuple(Move(at, "@" + name, name) for name in names.split())
