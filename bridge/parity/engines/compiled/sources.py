"""The views of both compiled models of an MJCF file: the original, and the export of the scene read from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any

from bridge.mechanism import Mechanism
from bridge.parity.engines.mujoco_indices import BodyIndices
from loaders.diagnostics import Fate
from loaders.spatial import Array

from .bodies import Stated, contacts, frames, joints, links, views
from .forces import actuators, equalities, keyframes, options, sensors, soft_bodies, tendons
from .geom_forms import height_fields, meshes, shapes
from .view import View

NAMED = ("site", "tendon", "actuator", "sensor", "camera", "light", "key", "flex", "texture")
"""Kinds of elements that are compared by name."""
_DROPPED = frozenset({"actuator", "sensor"})
"""Kinds of elements that a scene may lack."""
_ENUMERATIONS = {"mjtObj": "mjOBJ_", "mjtEq": "mjEQ_", "mjtSensor": "mjSENS_"}
_PARTS = (
    links, joints, shapes, contacts, frames, views, tendons, equalities, actuators, sensors, soft_bodies, keyframes,
    options,
)  # fmt: skip

Statements = dict[tuple[str, tuple[str, ...]], Array]
"""The numbers of each element, by its label and the names that it is about."""


def statements(view: View) -> Statements:
    """Return what a compiled model states beside its mechanics.

    Args:
        view: The compiled model.
    """
    return _by_label(_PARTS, view)


def forms(view: View) -> Statements:
    """Return the meshes and the height fields of a compiled model, whose numbers are rounded in an export.

    Args:
        view: The compiled model.
    """
    return _by_label((meshes, height_fields), view)


def _by_label(parts: Sequence[Callable[[View], Stated]], view: View) -> Statements:
    return {(label, names): found for label, names, found in chain.from_iterable(part(view) for part in parts)}


def exported_names(mujoco: Any, model: Any, mechanism: Mechanism, changed: Mapping[str, str]) -> _NameOf:
    """Return the function that names the elements of an export as the scene does.

    Args:
        mujoco: The module.
        model: The compiled export.
        mechanism: The mechanism.
        changed: MJCF names by canonical name, where they differ.
    """
    canonical, scene = {new: old for old, new in changed.items()}, mechanism.scene
    held = {"site": {f.name for f in scene.frames}, "key": {keyframe.name for keyframe in scene.keyframes}}

    def name_of(kind: str, index: int) -> str | None:
        found = mujoco.mj_id2name(model, int(getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")), index)
        name = canonical.get(found, found) if found else f"{kind}_{index}"
        return name if kind not in held or name in held[kind] else None

    return name_of


def original_names(mechanism: Mechanism, names: Mapping[str, Sequence[str]], pictures: Collection[str] = ()) -> _NameOf:
    """Return the function that names the elements of an original; what the reader says it drops has no name.

    Args:
        mechanism: The mechanism.
        names: The names of the elements, by kind.
        pictures: Names of the textures of files; a scene has no others.
    """
    entries = (entry for entry in mechanism.scene.diagnostics if entry.fate is Fate.DROPPED)
    dropped = frozenset(str(entry.arguments["name"]) for entry in entries if "name" in entry.arguments)

    def name_of(kind: str, index: int) -> str | None:
        name = names[kind][index]
        is_lost = name not in pictures if kind == "texture" else kind in _DROPPED and name in dropped
        return None if is_lost else name

    return name_of


def view_of(
    mujoco: Any,
    model: Any,
    mechanism: Mechanism,
    indices: Sequence[BodyIndices],
    roles: Sequence[tuple[bool, bool]],
    name_of: _NameOf,
    options_of: Mapping[str, int],
) -> View:
    """Return the view of a compiled model.

    Args:
        mujoco: The module.
        model: The compiled model.
        mechanism: The mechanism.
        indices: The places of its bodies in the model.
        roles: Whether each geom collides, and whether it is drawn.
        name_of: The names of elements, see `View`.
        options_of: Options in place of those of the model.
    """
    pairs = list(zip(mechanism.bodies, indices, strict=True))
    kinds = {
        enumeration: {int(m.value): name.removeprefix(prefix).lower() for name, m in members.items()}
        for enumeration, prefix in _ENUMERATIONS.items()
        for members in (getattr(mujoco, enumeration).__members__,)
    }
    return View(
        model=model,
        kinds=kinds,
        links={i.body: body.name for body, i in pairs},
        joints={j: str(body.joint) for body, i in pairs for j in i.joints},
        solid=tuple(collides for collides, _ in roles),
        drawn=tuple(is_drawn for _, is_drawn in roles),
        name_of=name_of,
        options=options_of,
    )


_NameOf = Callable[[str, int], str | None]
