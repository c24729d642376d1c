"""Fields of the scene that a target lacks: one table for each target, and the walk that applies it.

A table has the fields that are left out, with the finding about a value that differs from the
default, which a field has when the source states nothing. All other fields the target represents.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from loaders import model
from loaders.diagnostics import NOWHERE, Code, Where
from loaders.engine_settings import (
    MUJOCO,
    OVERRIDE,
    Effect,
    SettingGroup,
    acting_physics_settings,
    acting_settings,
    grouped,
    physics_settings,
    stated_settings,
)
from loaders.model import Actuator, Light, Material, Physics, SceneData, Sensor, settings_of
from loaders.scene import Scene
from loaders.text import shortened

Losses = Mapping[type, Mapping[str, Code]]
"""The finding about each field that a target lacks, by class and name of the field."""
_CLASSES = frozenset(
    {Scene, *(entry for entry in vars(model).values() if dataclasses.is_dataclass(entry))}
)
_NAMES = ("name", "follower", "link_A", "link")
"""Fields that name a part of a scene: its own name, or the joint or link that it acts on."""
_FIELD_WORDS = dict.fromkeys(("engine_settings", "engine_elements"), "MuJoCo's settings")
"""Fields whose names are not the words for them."""


def losses(*rows: tuple[type, str, Code]) -> dict[type, dict[str, Code]]:
    """Return a table of losses.

    Args:
        rows: A class, names of its fields, separated by spaces, and the finding about them.
    """
    table: dict[type, dict[str, Code]] = {}
    for cls, names, code in rows:
        table.setdefault(cls, {}).update(dict.fromkeys(names.split(), code))
    return table


def lost_values(item: Any, lost: Mapping[str, Code]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, the value and the default of each field that is lost and does not have its
    default.

    Args:
        item: The item.
        lost: The fields of its class that the target lacks.
    """
    if not lost:
        return
    for entry in dataclasses.fields(item):
        if entry.name in lost:
            default = (
                entry.default
                if entry.default_factory is dataclasses.MISSING
                else entry.default_factory()
            )
            value = getattr(item, entry.name)
            if not _is_equal(value, default):
                yield entry.name, value, default


def _is_equal(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value is default or np.array_equal(value, default)
    return value is default or bool(value == default)


class LostValue(NamedTuple):
    """A value that the target lacks."""

    item: Any
    field: str
    code: Code
    owner: str
    """Name of the item, or of what it acts on, or of the item around it."""
    where: Where
    """Place of the item, or of the item around it."""
    depth: int
    """Number of items around the item."""


class _Walk(NamedTuple):
    lost_of: Callable[[Any], Mapping[str, Code]]
    found: list[LostValue]

    def without(self, item: Any, around: str, place: Where, depth: int = 0) -> Any:
        """Return an item without losses.

        Args:
            item: The item.
            around: Name of the item around it.
            place: Place of the item around it.
            depth: Number of items around it.
        """
        owner = part_name(item, around)
        own_place = getattr(item, "where", NOWHERE)
        where = place if own_place == NOWHERE else own_place
        lost = self.lost_of(item)
        changed: dict[str, Any] = {}
        defaults = {name: default for name, _, default in lost_values(item, lost)}
        for entry in dataclasses.fields(item):
            name = entry.name
            if name in defaults:
                changed[name] = defaults[name]
                if not is_stated_elsewhere(item, name):
                    self.found.append(LostValue(item, name, lost[name], owner, where, depth))
            elif name not in lost:
                value = getattr(item, name)
                new = self._without_in(value, owner, where, depth + 1)
                if new is not value:
                    changed[name] = new
        return dataclasses.replace(item, **changed) if changed else item

    def _without_in(self, value: Any, owner: str, where: Where, depth: int) -> Any:
        """Return the value of a field without losses in the items that it has."""
        if type(value) in _CLASSES:
            return self.without(value, owner, where, depth)
        if not isinstance(value, tuple) or not value or type(value[0]) not in _CLASSES:
            return value
        items = tuple(self.without(item, owner, where, depth) for item in value)
        is_changed = any(new is not old for new, old in zip(items, value, strict=True))
        return items if is_changed else value


def without_lost_fields(
    scene: Scene, lost_of: Callable[[Any], Mapping[str, Code]]
) -> tuple[Scene, list[LostValue]]:
    """Return a scene with defaults in the fields that a target lacks, and the values that are lost.

    Args:
        scene: The scene.
        lost_of: Returns the fields of an item that the target lacks, each with its finding.
    """
    walk = _Walk(lost_of, [])
    return walk.without(scene, scene.name, NOWHERE), walk.found


SOLVED_SETTINGS = frozenset({"flag/filterparent", OVERRIDE})
"""Settings of MuJoCo that documents obey: by the pairs that they state, and the coefficients that
`loaders.engine_settings` gives surfaces."""


class LostSettings(NamedTuple):
    """The findings of a target about settings of MuJoCo that it lacks."""

    of_motion: Code
    """The finding about a setting of the motion, with ``{setting}``, and ``{of}`` for its items."""
    of_contact: Code
    """The same about a setting of contacts."""
    of_accuracy: Code
    """The finding about all settings of the accuracy, with ``{names}``."""


def report_lost_settings(
    scene: SceneData, kept: Set[str], codes: LostSettings, add: Callable[..., None]
) -> None:
    """Report the settings of MuJoCo that a target lacks: each that acts on motion or contact by its
    full name, and the others, if they are options or act on the accuracy, together. The laws of
    actuators are findings of their own.

    Args:
        scene: The scene.
        kept: Settings that the target obeys: element and attribute, such as ``body/gravcomp``, or
            with a value, ``geom/condim=1``.
        codes: The findings.
        add: Records a finding, as `loaders.Diagnostics.add` does.
    """
    acting = {setting.path for setting in acting_settings(scene)}
    groups = [g for g in grouped(stated_settings(scene)) if not g.path.startswith("actuator/")]
    lost = [left for group in groups if (left := group.without(kept)) is not None]
    others = [group for group in lost if group.path not in acting and group.is_of_solver]
    _report([group for group in lost if group.path in acting], others, codes, add)


def report_lost_physics(physics: Physics, codes: LostSettings, add: Callable[..., None]) -> None:
    """Report the settings of an engine of Gazebo, as `report_lost_settings` does.

    Args:
        physics: The physics of the scene.
        codes: The findings.
        add: Records a finding, as `loaders.Diagnostics.add` does.
    """
    acting = {setting.path for setting in acting_physics_settings(physics)}
    groups = grouped(physics_settings(physics))
    others = [group for group in groups if group.path not in acting]
    _report([group for group in groups if group.path in acting], others, codes, add)


def _report(
    acting: Iterable[SettingGroup],
    others: Sequence[SettingGroup],
    codes: LostSettings,
    add: Callable[..., None],
) -> None:
    for group in acting:
        code = codes.of_contact if group.effect is Effect.CONTACT else codes.of_motion
        of = f" of {shortened(', '.join(group.subjects))}" if group.subjects else ""
        add(code, group.where, subjects=group.subjects, setting=str(group), of=of)
    if others:
        subjects = dict.fromkeys(name for group in others for name in group.subjects)
        names = tuple(map(str, others))
        add(codes.of_accuracy, others[0].where, subjects=subjects, names=names)


def is_stated_elsewhere(item: Any, field: str) -> bool:
    """Return whether a field has nothing but settings of MuJoCo that `report_lost_settings`
    reports, or that mean nothing elsewhere.

    Args:
        item: A part of a scene.
        field: The name of one of its fields.
    """
    if field != "engine_settings":
        return False
    if isinstance(item, Sensor):  # a camera whose image has no stated size
        return dict(settings_of(item, MUJOCO)).keys() <= {"resolution"}
    return not isinstance(item, Actuator | Light | Material)


def part_name(part: Any, owner: str) -> str:
    """Return the name of a part of a scene: its own, or that of the joint or link that it acts on.

    Args:
        part: The part.
        owner: Name of the item around it, for parts without a name.
    """
    return str(next(filter(None, (getattr(part, field, "") for field in _NAMES)), owner))


def kind_words(kind: type) -> str:
    """Return the words for a type of the scene in messages: ``joint axis`` for `JointAxis`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()


def field_words(name: str) -> str:
    """Return the words for a field of the scene in messages.

    Args:
        name: Name of the field.
    """
    return _FIELD_WORDS.get(name, name.replace("_", " "))
