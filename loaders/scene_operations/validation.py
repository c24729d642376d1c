"""What must hold of any scene, whatever it was read from."""

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
    """Report what no simulator could use: impossible inertias, and pairs of axes that make no joint."""
    _check_inertias(scene, diagnostics)
    _check_axes(scene, diagnostics)


def _check_inertias(scene: Scene, diagnostics: Diagnostics) -> None:
    for link in scene.links:
        if link.inertia is None:
            continue
        for defect in link.inertia.defects():
            message = f"the inertia of link {link.name} belongs to no real body: {defect}"
            hint = "correct it, or let the export repair it"
            diagnostics.add(Fate.ASSUMED, "model.impossible-inertia", message, link.where, hint=hint)


def _check_axes(scene: Scene, diagnostics: Diagnostics) -> None:
    for joint in scene.joints:
        if joint.type not in _CROSSED or len(joint.axes) != 2:
            continue
        first, second = (axis.xyz for axis in joint.axes)
        if float(np.linalg.norm(np.cross(first, second))) < _PARALLEL:
            message = f"the two axes of the {joint.type} joint {joint.name} are parallel; its mass matrix is singular"
            hint = "let axis and axis2 differ in direction"
            diagnostics.add(Fate.ASSUMED, "model.parallel-axes", message, joint.where, hint=hint)
        elif joint.type is JointType.UNIVERSAL and abs(float(first @ second)) > _SKEW:
            message = f"the axes of the universal joint {joint.name} are not perpendicular; they are kept as they are"
            hint = "make them perpendicular, or the joint revolute2"
            diagnostics.add(Fate.ASSUMED, "model.skew-axes", message, joint.where, hint=hint)
