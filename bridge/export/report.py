"""The findings of one export, and the fields of a scene that its format cannot represent."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loaders.diagnostics import NOWHERE, Diagnostics, Fate, Where
from loaders.model import Link, Sensor
from loaders.model.common import beyond_inertia
from loaders.scene import Scene
from loaders.spatial import Pose

SupportedFields = Mapping[type, Set[str]]
"""Fields that a writer can write, by type."""


_FIELD_WORDS = {"mujoco": "MuJoCo's settings"}
"""Fields whose names are not the words for them."""


def kind_words(kind: type) -> str:
    """Return the words for a type of the scene in messages: ``joint axis`` for `JointAxis`.

    Args:
        kind: The type.
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()


def field_words(name: str) -> str:
    """Return the words for a field of the scene in messages.

    Args:
        name: Name of the field.
    """
    return _FIELD_WORDS.get(name, name.replace("_", " "))


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of an export to one format."""

    target: str
    """Name of the format in the findings."""
    entries: Diagnostics = field(default_factory=Diagnostics)
    """The findings so far."""

    def add(
        self,
        fate: Fate,
        code: str,
        template: str,
        where: Where = NOWHERE,
        /,
        *,
        hint: str = "",
        subjects: Iterable[str] = (),
        **arguments: object,
    ) -> None:
        """Record a finding; see `loaders.diagnostics.Diagnostics.add` for the arguments.

        Args:
            fate: The consequence for the piece of the source.
            code: The registered code.
            template: The message, with ``{argument}`` for each of ``arguments``.
            where: The place in the source.
            hint: The advice to the user, an imperative.
            subjects: Scoped names of the items that the finding is about.
            arguments: The values of the template's arguments.
        """
        about: dict[str, Any] = {"hint": hint, "subjects": subjects, **arguments}
        self.entries.add(fate, code, template, where, target=self.target, **about)


def value_text(value: object) -> str:
    """Return the value of a field for a message, with numbers of six digits; of a matrix what is not zero.

    Args:
        value: The value.
    """
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Pose):
        return value_text(tuple(value.to_vector()))
    if isinstance(value, np.ndarray) and value.ndim > 1:
        entries = zip(np.argwhere(value).tolist(), value[value != 0.0].tolist(), strict=True)
        return ", ".join(f"{number:g} at {' '.join(map(str, index))}" for index, number in entries)
    if isinstance(value, tuple | np.ndarray):
        return " ".join(map(value_text, value))
    if dataclasses.is_dataclass(value):
        stated = [(entry.name, getattr(value, entry.name)) for entry in dataclasses.fields(value)]
        return ", ".join(f"{name} {value_text(item)}" for name, item in stated if item is not None)
    return " ".join(str(value).split())


_NAMES = ("name", "follower", "link_A", "link")
"""Fields that name a part of a scene: its own name, or the joint or link that it acts on."""


def unsupported_fields(scene: Scene, supported: SupportedFields) -> Iterator[tuple[Any, str, str]]:
    """Yield owner, name of the owner and field of each value that differs from its default and is left out.

    A type that is not a key of ``supported`` is left out as a whole.

    Args:
        scene: The scene.
        supported: The fields that the writer can write.
    """
    pending: list[tuple[Any, str]] = [(scene, scene.name)]
    while pending:
        item, owner = pending.pop(0)
        known = supported.get(type(item), frozenset())
        for entry in dataclasses.fields(item):
            value = getattr(item, entry.name)
            if entry.name not in known and not _is_default(value, entry) and not is_stated_elsewhere(item, entry.name):
                yield item, owner, entry.name
            elif entry.name in known and not isinstance(value, str):
                pending.extend(_parts(value, owner))


def without_unsupported_fields(item: Any, supported: SupportedFields) -> Any:
    """Return a part of a scene in which every field that is left out has its default, if it has one.

    Args:
        item: The scene, or a part of it.
        supported: The fields that the writer can write.
    """
    if isinstance(item, tuple):
        parts = tuple(without_unsupported_fields(part, supported) for part in item)
        return parts if any(a is not b for a, b in zip(parts, item, strict=True)) else item
    if type(item) not in supported:
        return item
    changed: dict[str, Any] = {}
    for entry in dataclasses.fields(item):
        value = getattr(item, entry.name)
        if entry.name in supported[type(item)]:
            new = value if isinstance(value, str) else without_unsupported_fields(value, supported)
        elif entry.default is not dataclasses.MISSING:
            new = entry.default
        else:
            new = value if entry.default_factory is dataclasses.MISSING else entry.default_factory()
        if new is not value:
            changed[entry.name] = new
    return dataclasses.replace(item, **changed) if changed else item


def is_stated_elsewhere(item: Any, field: str) -> bool:
    """Return whether a field has nothing but settings of MuJoCo that others state, or that mean nothing elsewhere.

    Args:
        item: A part of a scene.
        field: The name of one of its fields.
    """
    if field != "mujoco":
        return False
    if isinstance(item, Sensor):
        return dict(item.mujoco).keys() <= {"resolution"}  # that of a camera whose image has no stated size
    return isinstance(item, Link) and not beyond_inertia(item.mujoco)


def part_name(part: Any, owner: str) -> str:
    """Return the name of a part of a scene: its own, or that of the joint or link that it acts on.

    Args:
        part: The part.
        owner: Name of the item around it, for parts without a name.
    """
    return str(next(filter(None, (getattr(part, field, "") for field in _NAMES)), owner))


def _parts(value: Any, owner: str) -> Iterator[tuple[Any, str]]:
    values = value if isinstance(value, tuple) else (value,)
    for part in values:
        if dataclasses.is_dataclass(part) and _is_of_model(type(part)):
            yield part, part_name(part, owner)


def _is_of_model(cls: type) -> bool:
    return any(base.__module__.startswith("loaders.model") for base in cls.__mro__)


def _is_default(value: Any, entry: dataclasses.Field[Any]) -> bool:
    if entry.default is not dataclasses.MISSING:
        return bool(value is entry.default or value == entry.default)
    if entry.default_factory is not dataclasses.MISSING:
        default = entry.default_factory()
        return bool(value is default or (not hasattr(value, "shape") and value == default))
    return False
