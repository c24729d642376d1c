"""Compare two scenes field by field; items are matched by name.

The fields are those of the dataclasses of the model, so that a new field takes part without a change here. Numbers are
equal within a tolerance, meshes and pictures if their files have the same content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loaders.diagnostics import NOWHERE, Where
from loaders.model import (
    BallConstraint,
    Bushing,
    Coupling,
    DistanceConstraint,
    FilterRule,
    SpringDamper,
    TendonConstraint,
)
from loaders.scene import Scene

from .values import Value, compare_values, fields_of

TOLERANCE = 1e-9
"""Largest difference of equal numbers, absolute below 1 and relative above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference between scenes A and B."""

    kind: str
    """Kind of item: ``link``, ``joint``, ``scene`` and so on."""
    name: str
    """Scoped name of the item; empty for the scene itself."""
    field: str
    """Path of the field in the item, such as ``axes[0].lower``; empty if the item is only in one scene."""
    a: Value
    """Value in A; None if the item is missing."""
    b: Value
    """Value in B; None if the item is missing."""
    where_a: Where = NOWHERE
    """Place of the item, or of the part of a link, in the source of A."""
    where_b: Where = NOWHERE
    """The same in that of B."""

    def __str__(self) -> str:
        if not self.field:
            return f"{self.kind} {self.name} is only in {'A' if self.b is None else 'B'}"
        owner = f"{self.kind} {self.name}: " if self.name else ""
        return f"{owner}{self.field} is {self.a} in A and {self.b} in B"


_SINGULAR = {
    "models": "model",
    "links": "link",
    "joints": "joint",
    "frames": "frame",
    "lights": "light",
    "couplings": "coupling",
    "actuators": "actuator",
    "constraints": "constraint",
    "forces": "force element",
    "fluid_forces": "force of a fluid",
    "filter_groups": "filter group",
    "filter_rules": "filter rule",
}
"""Word for one item of a collection, where it is not the name of the field."""
_PART = re.compile(r"(?P<parts>collisions|visuals|sensors)\[(?P<name>.*?)\](\.|$)")
_SKIPPED = frozenset({"name", "source", "diagnostics"})
"""Fields of a scene that are no part of its content."""


def differences(
    a: Scene, b: Scene, *, tolerance: float = TOLERANCE, skip: Iterable[tuple[str, str]] = ()
) -> tuple[Difference, ...]:
    """Return the differences between two scenes, in the order of the fields and items of the first.

    Args:
        a: Scene A.
        b: Scene B.
        tolerance: Largest difference of equal numbers, absolute below 1 and relative above.
        skip: Pairs of a kind of item and a field that do not count, such as ``("joint", "where")``.
    """
    skipped = frozenset(skip)
    return tuple(_scene_differences(a, b, tolerance, skipped))


def _scene_differences(a: Scene, b: Scene, tolerance: float, skip: frozenset[tuple[str, str]]) -> Iterator[Difference]:
    for field in fields_of(a):
        if field in _SKIPPED:
            continue
        value_a, value_b = getattr(a, field), getattr(b, field, ())
        if isinstance(value_a, tuple):
            yield from _item_differences(_SINGULAR.get(field, field), value_a, value_b, tolerance, skip)
        else:
            for path, x, y in compare_values(value_a, value_b, tolerance, field):
                if ("scene", path.partition(".")[0]) not in skip:
                    yield Difference(kind="scene", name="", field=path, a=x, b=y)


def _item_differences(
    kind: str, a: Iterable[Any], b: Iterable[Any], tolerance: float, skip: frozenset[tuple[str, str]]
) -> Iterator[Difference]:
    by_name_a, by_name_b = _keyed(a), _keyed(b)
    for name in dict.fromkeys((*by_name_a, *by_name_b)):
        x, y = by_name_a.get(name), by_name_b.get(name)
        if x is None or y is None:
            places = {"where_a": place_of(x), "where_b": place_of(y)}
            yield Difference(kind=kind, name=name, field="", a=_presence(x), b=_presence(y), **places)
            continue
        for path, value_a, value_b in compare_values(x, y, tolerance):
            top = path.partition(".")[0].partition("[")[0]
            if (kind, top) not in skip:
                places = {"where_a": place_of(x, path), "where_b": place_of(y, path)}
                yield Difference(kind=kind, name=name, field=path, a=value_a, b=value_b, **places)


def place_of(item: Any, path: str = "") -> Where:
    """Return the place of an item in its source; of a shape or a sensor of a link that of the part.

    Args:
        item: The item; None if there is none.
        path: Path of a field.
    """
    match = _PART.match(path)
    parts = getattr(item, match["parts"], ()) if match else ()
    part = next((each for each in parts if match and each.name == match["name"]), None)
    places = (getattr(each, "where", NOWHERE) for each in (part, item))
    return next((where for where in places if where.file), NOWHERE)


def _presence(item: Any) -> str | None:
    return None if item is None else "present"


def _keyed(items: Iterable[Any]) -> Mapping[str, Any]:
    """Return the items by name; those without a name by what they connect, numbered if that is not unique."""
    keyed: dict[str, Any] = {}
    for item in items:
        key = _key(item)
        number = 2
        unique = key
        while unique in keyed:
            unique, number = f"{key} ({number})", number + 1
        keyed[unique] = item
    return keyed


_KEYS: dict[type, Callable[[Any], str]] = {
    Coupling: lambda item: f"{item.follower}[{item.follower_axis}]",
    FilterRule: lambda item: " and ".join(sorted((item.a, item.b))),
    TendonConstraint: lambda item: f"tendon of {', '.join(item.joints)}",
    Bushing: lambda item: f"bushing of {item.link_A} and {item.link_C}",
    **{
        kind: (lambda item, word=word: f"{word} of {item.link_A} and {item.link_B}")  # type: ignore[misc]
        for kind, word in (
            (BallConstraint, "ball constraint"),
            (DistanceConstraint, "distance constraint"),
            (SpringDamper, "spring"),
        )
    },
}


def _key(item: Any) -> str:
    if type(item) in _KEYS:
        return _KEYS[type(item)](item)
    return str(getattr(item, "name", "")) or type(item).__name__
