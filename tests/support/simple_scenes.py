"""Scenes of links with the inertia of a unit ball and of joints at the origins of their links."""

from __future__ import annotations

from typing import Any

import numpy as np

from loaders.inertia import SpatialInertia
from loaders.model import Z_AXIS, Joint, JointAxis, JointType, Link
from loaders.pose import IDENTITY, Array, Pose
from loaders.scene import Scene


def link(
    name: str, *, model: str = "m", p: tuple[float, float, float] = (0, 0, 0), mass: float = 1.0
) -> Link:
    """Return a link at a point, with moments of inertia as large as its mass."""
    return Link(
        name=name,
        model=model,
        X_WL=Pose.of(p=p),
        inertia=SpatialInertia.of(mass, I_Lcm=mass * np.eye(3)),
    )


def joint(
    name: str,
    parent: str,
    child: str,
    kind: JointType = JointType.REVOLUTE,
    axes: tuple[Array, ...] = (Z_AXIS,),
    **rest: Any,
) -> Joint:
    """Return a joint; ``rest`` are further fields of it."""
    joint_axes = tuple(JointAxis(xyz=xyz) for xyz in axes) if kind is not JointType.FIXED else ()
    fields = {"X_PJ": IDENTITY, "X_CJ": IDENTITY} | rest
    return Joint(name=name, type=kind, parent=parent, child=child, axes=joint_axes, **fields)


def scene(links: list[Link], joints: list[Joint], **rest: Any) -> Scene:
    """Return a scene; ``rest`` are further fields of it."""
    return Scene(name="test", links=tuple(links), joints=tuple(joints), **rest)
