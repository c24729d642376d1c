"""Differences of two scenes, field by field.

The fields are those of the dataclasses of the model, so that a new field takes part without a
change here. Numbers are equal within a tolerance, meshes and pictures if their files have the same
content.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from bridge.geometry.cache import digest_of
from loaders.diagnostics import NOWHERE, Where
from loaders.engine_settings import beyond_inertia
from loaders.inertia import SpatialInertia
from loaders.model import (
    BallConstraint,
    Bushing,
    ContactPair,
    Coupling,
    DistanceConstraint,
    FilterRule,
    Material,
    SpringDamper,
    TendonConstraint,
    by_name,
    settings_of,
)
from loaders.pose import Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, UnusedNames

Value = str | float | bool | tuple[float, ...] | None
"""A value in a report."""
Found = tuple[str, Value, Value]
"""Path of a field and its two values."""

_NO_CONTENT = frozenset({"where", "uri", "placement_frame"})
"""Fields that tell where an item came from, not what it is."""
_FILES = frozenset({"path", "texture", "maps"})
"""Fields that name files, which are compared by content."""
_POINT = 1e-3
"""Extent below which a body is a point [m]."""
_NAMED = ("collisions", "visuals", "sensors")
"""Fields with parts that are matched by name."""


def fields_of(item: Any) -> tuple[str, ...]:
    """Return the names of the fields of an item that are part of its content."""
    return tuple(field.name for field in dataclasses.fields(item) if field.name not in _NO_CONTENT)


def compare_values(a: Any, b: Any, tolerance: float, path: str = "") -> Iterator[Found]:
    """Yield each difference between two values.

    Args:
        a: Value in A.
        b: Value in B.
        tolerance: Largest difference of equal numbers, absolute below 1 and relative above.
        path: Path of the values.
    """
    if isinstance(a, Pose) and isinstance(b, Pose):
        if not a.is_close(b, tolerance * max(1.0, float(np.abs(a.p).max()))):
            yield path, tuple(a.to_vector()), tuple(b.to_vector())
    elif dataclasses.is_dataclass(a) and type(a) is type(b):
        yield from _compare_fields(a, b, tolerance, path)
    elif isinstance(a, tuple) and isinstance(b, tuple):
        yield from _compare_tuples(a, b, tolerance, path)
    elif not _equal(a, b, tolerance, path.rpartition(".")[2].partition("[")[0]):
        yield path, plain(a), plain(b)


def _compare_fields(a: Any, b: Any, tolerance: float, path: str) -> Iterator[Found]:
    are_missing = getattr(a, "path", None) is None and getattr(b, "path", None) is None
    uri_a, uri_b = getattr(a, "uri", None), getattr(b, "uri", None)
    if are_missing and uri_a != uri_b:  # of files that were not found
        yield _inside(path, "uri"), plain(uri_a), plain(uri_b)
    for field in fields_of(a):
        inner = _inside(path, field)
        x, y = getattr(a, field), getattr(b, field)
        if field in _NAMED:
            yield from _compare_parts(x, y, tolerance, inner)
        elif isinstance(a, SpatialInertia):
            yield from compare_values(x, y, tolerance * _scale(a, field), inner)
        elif field == "engine_settings":
            engines = dict.fromkeys(name for name, _ in (*x, *y))
            for engine in engines:
                in_a = beyond_inertia(settings_of(a, engine))
                in_b = beyond_inertia(settings_of(b, engine))
                yield from _compare_settings(in_a, in_b, tolerance, _inside(path, engine))
        else:
            yield from compare_values(x, y, tolerance, inner)


def _inside(path: str, name: str) -> str:
    """Return the path of a member of the value at a path."""
    return f"{path}.{name}" if path else name


def _scale(inertia: SpatialInertia, field: str) -> float:
    """Return the number to which the tolerance of a mass property relates, at most 1.

    Small links have small masses and moments, which one bound would hide; those of a point are
    those of its size.
    """
    moment = max(float(np.abs(inertia.I_Lcm).max()), inertia.mass * _POINT**2)
    return min(1.0, {"mass": inertia.mass, "I_Lcm": moment}.get(field, 1.0)) or 1.0


def _compare_parts(
    a: tuple[Any, ...], b: tuple[Any, ...], tolerance: float, path: str
) -> Iterator[Found]:
    parts_a, parts_b = by_name(a), by_name(b)
    for name in dict.fromkeys((*parts_a, *parts_b)):
        if name in parts_a and name in parts_b:
            yield from compare_values(parts_a[name], parts_b[name], tolerance, f"{path}[{name}]")
        else:
            in_a = "present" if name in parts_a else None
            in_b = "present" if name in parts_b else None
            yield f"{path}[{name}]", in_a, in_b


def _compare_tuples(
    a: tuple[Any, ...], b: tuple[Any, ...], tolerance: float, path: str
) -> Iterator[Found]:
    if _are_settings(a) and _are_settings(b):
        yield from _compare_settings(a, b, tolerance, path)
    elif len(a) != len(b):
        yield path, plain(a), plain(b)
    elif all(isinstance(x, float | int) for x in (*a, *b)):
        if not all(_close(x, y, tolerance) for x, y in zip(a, b, strict=True)):
            yield path, plain(a), plain(b)
    else:
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from compare_values(x, y, tolerance, f"{path}[{i}]")


def _are_settings(values: tuple[Any, ...]) -> bool:
    return all(
        isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)
        for value in values
    )


def _compare_settings(
    a: tuple[Any, ...], b: tuple[Any, ...], tolerance: float, path: str
) -> Iterator[Found]:
    """Yield each difference between pairs of a name and a value; a name may have several values, in
    order.
    """
    named_a, named_b = _by_name(a), _by_name(b)
    for name in dict.fromkeys((*named_a, *named_b)):
        for x, y in zip_longest(named_a.get(name, []), named_b.get(name, [])):
            yield from compare_values(x, y, tolerance, f"{path}[{name}]")


def _by_name(pairs: tuple[Any, ...]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    for name, value in pairs:
        found[name].append(value)
    return found


def _equal(a: Any, b: Any, tolerance: float, field: str) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if a is None or b is None:
            return False
        largest = max(1.0, float(np.abs(a).max(initial=0.0)))
        return a.shape == b.shape and bool(np.allclose(a, b, rtol=0.0, atol=tolerance * largest))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, float | int) and isinstance(b, float | int):
        return _close(a, b, tolerance)
    if field in _FILES and isinstance(a, str) and isinstance(b, str):
        content = digest_of(a)
        return a == b or (content is not None and content == digest_of(b))
    return bool(a == b)


def _close(a: float, b: float, tolerance: float) -> bool:
    return (
        a == b
        or (math.isnan(a) and math.isnan(b))
        or abs(a - b) <= tolerance * max(1.0, min(abs(a), abs(b)))
    )


def plain(value: Any) -> Value:
    """Return a value in the form in which reports show it."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, float | int):
        return float(value)
    if isinstance(value, np.ndarray):
        return tuple(value.ravel().tolist())
    if isinstance(value, tuple) and all(isinstance(x, float | int) for x in value):
        return tuple(map(float, value))
    if isinstance(value, Pose):
        return tuple(value.to_vector())
    return _in_short(value)


def _in_short(item: Any) -> str:
    """Return what an item is in a few words: the mass of an inertia, the color of a material, the
    kind of others.
    """
    if isinstance(item, tuple):
        return ", ".join(str(plain(x)) for x in item)
    if isinstance(item, SpatialInertia):
        return f"{item.mass:.9g} kg"
    if isinstance(item, Material):
        color = item.diffuse or item.ambient
        words = ["color " + " ".join(f"{x:.6g}" for x in color)] if color else []
        words += [Path(item.texture).name] if item.texture else []
        return ", ".join(words) or item.name or "material"
    return type(item).__name__.lower() if dataclasses.is_dataclass(item) else str(item)


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
    """Path of the field in the item, such as ``axes[0].lower``; empty if the item is only in one
    scene."""
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
    "contact_pairs": "contact pair",
    "forces": "force element",
    "fluid_forces": "force of a fluid",
    "filter_groups": "filter group",
    "filter_rules": "filter rule",
    "engine_elements": "engine element",
}
"""Word for one item of a collection, where it is not the name of the field."""
_PART = re.compile(r"(?P<parts>collisions|visuals|sensors)\[(?P<name>.*?)\](\.|$)")
_SKIPPED = frozenset({"name", "source", "diagnostics", "collision_policy", "friction_rule"})
"""Fields of a scene that are no part of its content."""


def differences(a: Scene, b: Scene, *, tolerance: float = TOLERANCE) -> tuple[Difference, ...]:
    """Return the differences between two scenes, in the order of the fields and items of the first.

    Args:
        a: Scene A.
        b: Scene B.
        tolerance: Largest difference of equal numbers, absolute below 1 and relative above.
    """
    return tuple(_scene_differences(a, b, tolerance))


def _scene_differences(a: Scene, b: Scene, tolerance: float) -> Iterator[Difference]:
    for field in fields_of(a):
        if field in _SKIPPED:
            continue
        value_a, value_b = getattr(a, field), getattr(b, field, ())
        if isinstance(value_a, tuple):
            yield from _item_differences(_SINGULAR.get(field, field), value_a, value_b, tolerance)
        else:
            for path, x, y in compare_values(value_a, value_b, tolerance, field):
                yield Difference(kind="scene", name="", field=path, a=x, b=y)


def _item_differences(
    kind: str, a: Iterable[Any], b: Iterable[Any], tolerance: float
) -> Iterator[Difference]:
    by_name_a, by_name_b = _keyed(a), _keyed(b)
    for name in dict.fromkeys((*by_name_a, *by_name_b)):
        x, y = by_name_a.get(name), by_name_b.get(name)
        if x is None or y is None:
            places = {"where_a": place_of(x), "where_b": place_of(y)}
            yield Difference(
                kind=kind, name=name, field="", a=_presence(x), b=_presence(y), **places
            )
            continue
        for path, value_a, value_b in compare_values(x, y, tolerance):
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
    """Return the items by name; those without a name by what they connect, numbered if that is not
    unique.
    """
    unused = UnusedNames(form=lambda key, attempt: f"{key} ({attempt + 1})")
    return {unused.claim(_key(item)): item for item in items}


def _key_of_pair(pair: ContactPair) -> str:
    first = f"{pair.link_A}{SEPARATOR}{pair.collision_A}"
    second = f"{pair.link_B}{SEPARATOR}{pair.collision_B}"
    return " and ".join(sorted((first, second)))


_KEYS: dict[type, Callable[[Any], str]] = {
    Coupling: lambda item: f"{item.follower}[{item.follower_axis}]",
    FilterRule: lambda item: " and ".join(sorted((item.a, item.b))),
    ContactPair: _key_of_pair,
    TendonConstraint: lambda item: f"tendon of {', '.join(item.joints)}",
    Bushing: lambda item: f"bushing of {item.link_A} and {item.link_C}",
    BallConstraint: lambda item: f"ball constraint of {item.link_A} and {item.link_B}",
    DistanceConstraint: lambda item: f"distance constraint of {item.link_A} and {item.link_B}",
    SpringDamper: lambda item: f"spring of {item.link_A} and {item.link_B}",
}


def _key(item: Any) -> str:
    if type(item) in _KEYS:
        return _KEYS[type(item)](item)
    return str(getattr(item, "name", "")) or type(item).__name__
