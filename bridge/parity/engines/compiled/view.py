"""A compiled MuJoCo model with the names that a scene has for its elements, be it an original or an export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loaders.model import WORLD
from loaders.spatial import Array, quaternion_to_matrix

_OF_CONTROLS = frozenset({"ctrllimited", "ctrlrange"})
_OF_OUTPUTS = frozenset({"gear", "lengthrange"})
"""Arrays with a row for each control, or each output, of an actuator, without their prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A compiled model, of which only the elements count that a scene has or should have.

    Attributes:
        model: The ``mujoco.MjModel``.
        kinds: Names of the members of MuJoCo's enumerations of objects, equalities and sensors, by number.
        links: Name of the link of each body that has one.
        joints: Name of each joint, by its index.
        solid: Whether each geom collides.
        drawn: Whether each geom is drawn.
        name_of: Returns the name of an element of a kind, such as ``tendon``; None if a scene does not have it.
        options: Options of the model in place of those that an engine has changed, by name.
    """

    model: Any
    kinds: Mapping[str, Mapping[int, str]]
    links: Mapping[int, str]
    joints: Mapping[int, str]
    solid: tuple[bool, ...]
    drawn: tuple[bool, ...]
    name_of: Callable[[str, int], str | None]
    options: Mapping[str, int]

    def link(self, body: int) -> str:
        """Return the name of the link of a body; that of the next one towards the world if it has none."""
        while body and body not in self.links:
            body = int(self.model.body_parentid[body])
        return self.links[body] if body else WORLD

    def item(self, kind: int, index: int) -> tuple[str, Array]:
        """Return the name of an element that another one refers to, and its pose in its link if its name may change.

        Args:
            kind: MuJoCo's number of the kind of objects.
            index: Its index; negative for none.
        """
        word = self.kinds["mjtObj"].get(kind, "")
        if index < 0 or word == "unknown":
            return "", np.empty(0)
        if word in {"body", "xbody"}:
            return f"{word} {self.link(index)}", np.empty(0)
        if word in {"geom", "site"}:
            label = f"{word} of {self.link(int(getattr(self.model, f'{word}_bodyid')[index]))}"
            is_mesh = word == "geom" and int(self.model.geom_dataid[index]) >= 0  # whose frame MuJoCo chooses
            return label, np.empty(0) if is_mesh else self.pose(word, index)
        if word == "joint":
            return f"joint {self.joints.get(index, '')}", np.empty(0)
        return f"{word} {self.name_of(word, index) or ''}", np.empty(0)

    def pose(self, kind: str, index: int) -> Array:
        """Return position and rotation matrix of an element in its body, shape (12,)."""
        model = self.model
        quaternion = getattr(model, f"{kind}_quat")[index]
        return np.concatenate([getattr(model, f"{kind}_pos")[index], quaternion_to_matrix(quaternion).ravel()])


def numbers(model: Any, index: int, *names: str) -> Array:
    """Return the rows of some arrays, one after another; an array that the version of MuJoCo lacks is left out.

    Args:
        model: The ``mujoco.MjModel``.
        index: The row.
        names: Names of the arrays.
    """
    rows = [np.ravel(getattr(model, name)[index]) for name in names if hasattr(model, name)]
    return np.concatenate(rows).astype(np.float64) if rows else np.empty(0)


def actuator_numbers(model: Any, i: int, *fields: str) -> Array:
    """Return all numbers of an actuator in some arrays, with those of each of its controls and outputs.

    Args:
        model: The ``mujoco.MjModel``.
        i: The actuator.
        fields: Names of the arrays without their prefix; one that the version of MuJoCo lacks is left out.
    """
    found = [numbers(model, k, f"actuator_{field}") for field in fields for k in actuator_rows(model, i, field)]
    return np.concatenate(found) if found else np.empty(0)


def actuator_rows(model: Any, i: int, field: str) -> range:
    """Return the rows of an actuator in an array; one in versions of MuJoCo in which each has one control.

    Args:
        model: The ``mujoco.MjModel``.
        i: The actuator.
        field: Name of the array without its prefix.
    """
    counted = "ctrl" if field in _OF_CONTROLS else "out" if field in _OF_OUTPUTS else ""
    if not counted or not hasattr(model, f"actuator_{counted}adr"):
        return range(i, i + 1)
    start = int(getattr(model, f"actuator_{counted}adr")[i])
    return range(start, start + int(getattr(model, f"actuator_{counted}num")[i]))


def numbered(labels: list[str]) -> list[str]:
    """Return labels in which each one that was there before has its number.

    Args:
        labels: The labels.
    """
    seen, result = Counter[str](), []
    for label in labels:
        seen[label] += 1
        result.append(f"{label} ({seen[label]})" if seen[label] > 1 else label)
    return result
