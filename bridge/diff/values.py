"""Compare values of the model: numbers, names, poses, inertias, shapes and items that contain them."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from loaders.files import FileError, read
from loaders.model import Link, Material
from loaders.model.common import beyond_inertia
from loaders.spatial import Pose, SpatialInertia

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
    uris = [getattr(item, "uri", None) for item in (a, b) if getattr(item, "path", None) is None]
    if len(uris) == 2 and uris[0] != uris[1]:  # of files that were not found
        yield f"{path}.uri" if path else "uri", *map(plain, uris)  # type: ignore[misc]
    for field in fields_of(a):
        inner = f"{path}.{field}" if path else field
        x, y = getattr(a, field), getattr(b, field)
        if field in _NAMED:
            yield from _compare_parts(x, y, tolerance, inner)
        elif isinstance(a, SpatialInertia):
            yield from compare_values(x, y, tolerance * _scale(a, field), inner)
        elif isinstance(a, Link) and field == "mujoco":
            yield from compare_values(beyond_inertia(x), beyond_inertia(y), tolerance, inner)
        else:
            yield from compare_values(x, y, tolerance, inner)


def _scale(inertia: SpatialInertia, field: str) -> float:
    """Return the number to which the tolerance of a mass property relates, at most 1.

    Small links have small masses and moments, which one bound would hide; those of a point are those of its size.
    """
    moment = max(float(np.abs(inertia.I_Lcm).max()), inertia.mass * _POINT**2)
    return min(1.0, {"mass": inertia.mass, "I_Lcm": moment}.get(field, 1.0)) or 1.0


def _compare_parts(a: tuple[Any, ...], b: tuple[Any, ...], tolerance: float, path: str) -> Iterator[Found]:
    parts_a, parts_b = ({part.name: part for part in parts} for parts in (a, b))
    for name in dict.fromkeys((*parts_a, *parts_b)):
        if name in parts_a and name in parts_b:
            yield from compare_values(parts_a[name], parts_b[name], tolerance, f"{path}[{name}]")
        else:
            yield f"{path}[{name}]", *("present" if name in parts else None for parts in (parts_a, parts_b))  # type: ignore[misc]


def _compare_tuples(a: tuple[Any, ...], b: tuple[Any, ...], tolerance: float, path: str) -> Iterator[Found]:
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
    return all(isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) for value in values)


def _compare_settings(a: tuple[Any, ...], b: tuple[Any, ...], tolerance: float, path: str) -> Iterator[Found]:
    """Yield each difference between pairs of a name and a value; a name may have several values, in order."""
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
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        largest = max(1.0, float(np.abs(a).max(initial=0.0)))
        return a.shape == b.shape and bool(np.allclose(a, b, rtol=0.0, atol=tolerance * largest))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, float | int) and isinstance(b, float | int):
        return _close(a, b, tolerance)
    if field in _FILES and isinstance(a, str) and isinstance(b, str):
        return a == b or (digest(a) is not None and digest(a) == digest(b))
    return bool(a == b)


def _close(a: float, b: float, tolerance: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance * max(1.0, min(abs(a), abs(b)))


def digest(path: str) -> str | None:
    """Return the SHA-256 of a file's content, or None if it cannot be read."""
    try:
        return hashlib.sha256(read(path, option="mesh_file_bytes")).hexdigest()
    except FileError:
        return None


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
    """Return what an item is in a few words: the mass of an inertia, the color of a material, the kind of others."""
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
