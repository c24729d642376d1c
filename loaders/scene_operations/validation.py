"""Checks that apply to every scene, whatever its source format."""

from __future__ import annotations

import numpy as np

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import JointType
from loaders.scene import Scene

_CROSSED = frozenset({JointType.UNIVERSAL, JointType.REVOLUTE2})
_PARALLEL = 1e-9
"""Sine of an angle below which two axes are parallel."""
_SKEW = 1e-9
"""Cosine of an angle above which two axes are not perpendicular."""


def check_scene(scene: Scene, diagnostics: Diagnostics) -> None:
    """Report non-physical inertias, and pairs of joint axes that are parallel or skew.

    Args:
        scene: The scene to check.
        diagnostics: Record for the findings.
    """
    _check_inertias(scene, diagnostics)
    _check_axes(scene, diagnostics)


def _check_inertias(scene: Scene, diagnostics: Diagnostics) -> None:
    for link in scene.links:
        if link.inertia is None:
            continue
        for defect in link.inertia.defects():
            diagnostics.add(
                Fate.ASSUMED,
                "model.impossible-inertia",
                "the inertia of link {link} is not physically valid: {defect}",
                link.where,
                hint="correct the inertia, or let the export repair it",
                subjects=(link.name,),
                link=link.name,
                defect=defect,
            )


def _check_axes(scene: Scene, diagnostics: Diagnostics) -> None:
    for joint in scene.joints:
        if joint.type not in _CROSSED or len(joint.axes) != 2:
            continue
        first, second = (axis.xyz for axis in joint.axes)
        if float(np.linalg.norm(np.cross(first, second))) < _PARALLEL:
            diagnostics.add(
                Fate.ASSUMED,
                "model.parallel-axes",
                "the two axes of {type} joint {joint} are parallel; the mass matrix is singular",
                joint.where,
                hint="choose different directions for axis and axis2",
                subjects=(joint.name,),
                type=joint.type.value,
                joint=joint.name,
            )
        elif joint.type is JointType.UNIVERSAL and abs(float(first @ second)) > _SKEW:
            diagnostics.add(
                Fate.ASSUMED,
                "model.skew-axes",
                "the axes of universal joint {joint} are not perpendicular; used as given",
                joint.where,
                hint="make the axes perpendicular, or use a revolute2 joint",
                subjects=(joint.name,),
                joint=joint.name,
            )
