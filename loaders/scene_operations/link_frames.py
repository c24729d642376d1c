"""Other frames of links, with everything on the links at the same place."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from loaders.model import Joint, Link
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Array, Pose, frozen

_ENDS: tuple[tuple[str, str], ...] = (
    ("link_A", "p_AP"),
    ("link_B", "p_BQ"),
    ("link_A", "X_LA"),
    ("link_C", "X_LC"),
    ("link_A", "X_AP"),
    ("link_B", "X_BQ"),
    ("link", "X_LF"),
    ("link", "p_LV"),
    ("link", "X_LLight"),
    ("link", "X_LP"),
    ("link_S", "p_LS"),
)
"""Fields of frames, lights, constraints, force elements and parts of tendons: a link, and a point or a pose in it."""


def moved_frames(scene: Scene, frames: Mapping[str, Pose]) -> Scene:
    """Return the scene with other frames of links.

    Args:
        scene: The scene.
        frames: The pose ``X_LN`` of the new frame N in the frame of each link L that changes.
    """
    if not frames:
        return scene
    inverse = {name: X_LN.inverse() for name, X_LN in frames.items()}
    return dataclasses.replace(
        scene,
        links=tuple(_link(link, inverse[link.name]) if link.name in frames else link for link in scene.links),
        joints=tuple(_joint(joint, inverse) for joint in scene.joints),
        frames=tuple(_ends(frame, inverse) for frame in scene.frames),
        lights=tuple(_ends(light, inverse) for light in scene.lights),
        constraints=tuple(_ends(item, inverse) for item in scene.constraints),
        forces=tuple(_ends(item, inverse) for item in scene.forces),
        fluid_forces=tuple(_ends(item, inverse) for item in scene.fluid_forces),
        tendons=tuple(
            dataclasses.replace(tendon, parts=tuple(_ends(part, inverse) for part in tendon.parts))
            for tendon in scene.tendons
        ),
    )


def _link(link: Link, X_NL: Pose) -> Link:
    axis = link.surface_velocity_axis
    if axis is not None:
        x, y, z = (X_NL.R @ frozen(axis)).tolist()
        axis = (x, y, z)
    return dataclasses.replace(
        link,
        X_WL=link.X_WL @ X_NL.inverse(),
        inertia=None if link.inertia is None else link.inertia.moved(X_NL),
        collisions=tuple(dataclasses.replace(c, X_LG=X_NL @ c.X_LG) for c in link.collisions),
        visuals=tuple(dataclasses.replace(v, X_LG=X_NL @ v.X_LG) for v in link.visuals),
        sensors=tuple(dataclasses.replace(s, X_LS=X_NL @ s.X_LS) for s in link.sensors),
        surface_velocity_axis=axis,
    )


def _joint(joint: Joint, inverse: Mapping[str, Pose]) -> Joint:
    X_NP, X_NC = inverse.get(joint.parent, IDENTITY), inverse.get(joint.child, IDENTITY)
    X_CJ = X_NC @ joint.X_CJ
    return dataclasses.replace(
        joint,
        X_PJ=X_NP @ joint.X_PJ,
        X_CJ=IDENTITY if X_CJ.is_close(IDENTITY) else X_CJ,
        sensors=tuple(dataclasses.replace(s, X_LS=X_NC @ s.X_LS) for s in joint.sensors),
    )


def _ends(item: Any, inverse: Mapping[str, Pose]) -> Any:
    changed: dict[str, Array | Pose] = {}
    for end, field in _ENDS:
        X_NL = inverse.get(getattr(item, end, ""))
        if X_NL is None or not hasattr(item, field):
            continue
        value = getattr(item, field)
        if value is None:
            continue
        changed[field] = X_NL @ value if isinstance(value, Pose) else frozen(X_NL.p + X_NL.R @ value)
    return dataclasses.replace(item, **changed) if changed else item
