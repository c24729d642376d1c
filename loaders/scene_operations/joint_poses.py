"""Poses of links against the joints between them, in a scene that was made or changed in Python.

Readers compute the frames of joints from the poses of links, or the reverse, so that both agree in what they return.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import WORLD, Joint, JointType, SceneData
from loaders.scene_queries.connectivity import connected_components
from loaders.spatial import IDENTITY, Array, Pose, matrix_to_quaternion

_TOLERANCE = 1e-9
"""Largest difference that counts as rounding [m or rad]; for distances over 1 m relative to them."""


def report_contradictions(scene: SceneData, diagnostics: Diagnostics) -> None:
    """Report joints that, at zero, put their child link elsewhere than the poses of the links say.

    A joint that only closes a kinematic loop may be open at zero, and is not reported.

    Args:
        scene: The scene; its joints have the links of the scene.
        diagnostics: Record for the findings.
    """
    joints = [joint for joint in scene.joints if joint.type is not JointType.FLOATING]
    if not joints:
        return
    X_WL = {link.name: link.X_WL for link in scene.links}
    X_WL[WORLD] = IDENTITY
    off = [joints[i] for i in np.flatnonzero(_are_apart(joints, X_WL))]
    if off:
        _report(scene, off, X_WL, diagnostics)


def _are_apart(joints: Sequence[Joint], X_WL: dict[str, Pose]) -> Array:
    """Return for each joint whether its frames on parent and child differ, shape (n,)."""
    parents, children = [X_WL[joint.parent] for joint in joints], [X_WL[joint.child] for joint in joints]
    R_P, p_P = _frames(parents, [joint.X_PJ for joint in joints])
    R_C, p_C = _frames(children, [joint.X_CJ for joint in joints])
    sizes = np.maximum(1.0, np.abs(p_P).max(axis=1))
    apart = np.maximum(np.abs(p_P - p_C).max(axis=1) / sizes, np.abs(R_P - R_C).max(axis=(1, 2)))
    found: Array = apart > _TOLERANCE
    return found


def _frames(links: Sequence[Pose], frames: Sequence[Pose]) -> tuple[Array, Array]:
    """Return the orientations, shape (n, 3, 3), and positions, shape (n, 3), in the world of frames on links."""
    R = np.array([X.R for X in links])
    p = np.array([X.p for X in links]) + (R @ np.array([X.p for X in frames])[:, :, None])[:, :, 0]
    return R @ np.array([X.R for X in frames]), p


def _report(scene: SceneData, off: Sequence[Joint], X_WL: dict[str, Pose], diagnostics: Diagnostics) -> None:
    """Report joints between parts of the scene that no other joints put where they are."""
    names = {joint.name for joint in off}
    parts = connected_components(scene, lambda joint: joint.name not in names and joint.type is not JointType.FLOATING)
    part = {name: i for i, members in enumerate(parts) for name in members}
    for joint in (joint for joint in off if part[joint.parent] != part[joint.child]):
        X_WC = X_WL[joint.parent] @ joint.X_PJ @ joint.X_CJ.inverse()
        distance, angle = _difference(X_WL[joint.child], X_WC)
        moved = (name for i in (part[joint.child], part[joint.parent]) if i for name in parts[i])
        diagnostics.add(
            Fate.ASSUMED,
            "model.pose-against-joint",
            "joint {joint} puts link {link} {distance:.3g} m and {angle:.3g} rad from its pose X_WL at zero; engines "
            "place it by the joint",
            joint.where,
            hint="set X_WL of the link to X_WL of the parent @ X_PJ @ X_CJ.inverse(), or correct X_PJ or X_CJ",
            subjects=dict.fromkeys((joint.child, joint.name, *moved)),
            joint=joint.name,
            link=joint.child,
            distance=distance,
            angle=angle,
        )


def _difference(a: Pose, b: Pose) -> tuple[float, float]:
    """Return the distance [m] and the angle [rad] between two poses."""
    w, *xyz = matrix_to_quaternion(a.R.T @ b.R)
    return float(np.linalg.norm(a.p - b.p)), 2.0 * math.atan2(math.hypot(*xyz), abs(w))
