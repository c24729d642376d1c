"""Measure the compiled model of an export against the source."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from loaders.model import WORLD
from loaders.scene import Scene

MIN_OVERLAP = 1e-3
"""Smallest overlap that is reported [m]; smaller ones result from the tessellation of meshes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledModel:
    """The size of a compiled model, the error of its link poses, and the links that overlap initially.

    Attributes:
        bodies: Number of bodies, without the world.
        joints: Number of MuJoCo's joints.
        geoms: Number of geoms.
        pose_error: The largest error of a link's position [m] or orientation [rad] at the zero configuration.
        overlaps: Overlap [m] of each pair of links that collide initially, the deepest first.
    """

    bodies: int
    joints: int
    geoms: int
    pose_error: float
    overlaps: dict[tuple[str, str], float]


def measure(model: Any, scene: Scene, initial_key: int | None) -> CompiledModel:
    """Measure the compiled model of an export.

    Args:
        model: The ``mujoco.MjModel`` that `bridge.export_mjcf` has compiled.
        scene: The scene that was exported.
        initial_key: The index of the key of the initial position; None if that is ``qpos0``.

    Returns:
        The measurements.
    """
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return CompiledModel(
        bodies=model.nbody - 1,
        joints=model.njnt,
        geoms=model.ngeom,
        pose_error=_pose_error(data, scene),
        overlaps=_overlaps(model, data, initial_key),
    )


def _pose_error(data: Any, scene: Scene) -> float:
    """Return the largest error of the links' positions [m] and orientations [rad].

    A virtual link that is written as a joint of the body that it carries has no pose in MuJoCo.
    """
    worst, bodies = 0.0, {data.model.body(i).name for i in range(data.model.nbody)}
    for link in (link for link in scene.links if link.name != WORLD):
        if link.virtual and link.name not in bodies:
            continue
        body = data.body(link.name)
        rotation_error = link.X_WL.R.T @ body.xmat.reshape(3, 3) - np.eye(3)
        angle = math.sqrt(0.5) * float(np.linalg.norm(rotation_error))
        worst = max(worst, float(np.linalg.norm(body.xpos - link.X_WL.p)), angle)
    return worst


def _overlaps(model: Any, data: Any, initial_key: int | None) -> dict[tuple[str, str], float]:
    """Return the depth [m] of pairs of links that overlap at the initial position."""
    import mujoco

    if initial_key is not None:
        mujoco.mj_resetDataKeyframe(model, data, initial_key)
    mujoco.mj_fwdPosition(model, data)
    depths: dict[tuple[str, str], float] = {}
    for contact in data.contact:
        a, b = sorted(int(model.geom_bodyid[geom]) for geom in contact.geom)
        if a > 0 and contact.dist < -MIN_OVERLAP:
            pair = (model.body(a).name, model.body(b).name)
            depths[pair] = max(depths.get(pair, 0.0), -float(contact.dist))
    return dict(sorted(depths.items(), key=lambda item: -item[1]))
