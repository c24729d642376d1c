"""Known differences between Drake's reading of a file and this project's, as diagnostics about
links and joints.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bridge.codes import (
    DRAKE_CONTINUOUS_LIMITS,
    DRAKE_COUPLING,
    DRAKE_FRICTION,
    DRAKE_FRICTION_UNSTATED,
    DRAKE_LINK_WITHOUT_GRAVITY,
    DRAKE_REPLACED_INERTIA,
    DRAKE_SCREW_LIMITS,
    DRAKE_SHARED_DAMPING,
    DRAKE_UNIVERSAL_LIMITS,
)
from bridge.mechanism import Mechanism
from loaders.diagnostics import Code, Diagnostic, finding_of
from loaders.model import Joint, Link
from loaders.pose import Array
from loaders.scene import Scene

_TARGET = "drake"
_WATER = 1000.0
"""Density of the ball whose inertia replaces an invalid one [kg/m^3]."""


def known_differences(
    mechanism: Mechanism, links: Mapping[str, Any], joints: Mapping[str, Any], constraints: int
) -> tuple[Diagnostic, ...]:
    """Return all known differences of one model.

    Args:
        mechanism: The model as this project reads it.
        links: Drake's bodies by scoped link name.
        joints: Drake's joints by scoped joint name.
        constraints: Number of constraints in Drake's plant.
    """
    return (
        *_couplings(mechanism.scene, constraints),
        *_replaced_inertias(links, mechanism.scene),
        *_limits_of_continuous_joints(joints, mechanism.scene),
        *_limits_of_screws(joints, mechanism.scene),
        *_second_axes(joints, mechanism.scene),
        *_gravity(mechanism.scene.links),
    )


def friction_differences(
    scene: Scene, friction: Mapping[str, Sequence[float]]
) -> Iterator[Diagnostic]:
    """Yield one diagnostic for each link whose dynamic friction Drake takes from another element,
    or from none.

    Drake takes ``mu2`` of SDFormat for it, and 1 where URDF states the friction in elements of
    Gazebo or PyBullet only.

    Args:
        scene: The scene.
        friction: Drake's coefficients of the shapes of each link, by scoped name.
    """
    for link in scene.links:
        stated = [shape.surface.friction for shape in link.collisions]
        wanted, found = sorted(each.mu for each in stated), sorted(friction.get(link.name, ()))
        if len(found) != len(wanted) or found == wanted:
            continue
        readings = (
            (DRAKE_FRICTION, sorted(each.mu2 for each in stated)),
            (DRAKE_FRICTION_UNSTATED, [1.0] * len(stated)),
        )
        for code, expected in readings:
            if found == expected:
                difference = max(abs(x - y) for x, y in zip(expected, wanted, strict=True))
                yield _about_link(code, link, difference=difference)
                break


def _couplings(scene: Scene, constraints: int) -> Iterator[Diagnostic]:
    """Yield the couplings of a model of which Drake reads fewer constraints than it has
    couplings.
    """
    if constraints >= len(scene.couplings):
        return
    for coupling in scene.couplings:
        yield finding_of(
            DRAKE_COUPLING,
            coupling.where,
            target=_TARGET,
            subjects=(coupling.follower, coupling.leader),
            follower=coupling.follower,
            leader=coupling.leader,
            count=constraints,
        )


def _replaced_inertias(links: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """Yield the links to which Drake gives the inertia of a ball of water, because it finds their
    own invalid.
    """
    for link in scene.links:
        body = links.get(link.name)
        if body is not None and _is_ball_of_water(body) and not _has_inertia_of(link, body):
            yield _about_link(DRAKE_REPLACED_INERTIA, link)


def _is_ball_of_water(body: Any) -> bool:
    mass = float(body.default_mass())
    return math.isfinite(mass) and mass > 0.0 and _is_close(_moments(body), _ball_of_water(mass))


def _has_inertia_of(link: Link, body: Any) -> bool:
    """Return whether a link states the inertia that Drake has."""
    if (
        link.inertia is None
        or abs(link.inertia.mass - body.default_mass()) > 1e-9 * link.inertia.mass
    ):
        return False
    return _is_close(link.inertia.I_Lcm, _moments(body))


def _ball_of_water(mass: float) -> Array:
    radius = math.cbrt(3.0 * mass / (4.0 * math.pi * _WATER))
    moments: Array = 0.4 * mass * radius**2 * np.eye(3)
    return moments


def _moments(body: Any) -> Array:
    """Return the inertia of Drake's body about its center of mass, shape (3, 3)."""
    inertia = body.default_spatial_inertia()
    about_center = inertia.Shift(inertia.get_com()).CalcRotationalInertia()
    moments: Array = np.asarray(about_center.CopyToFullMatrix3(), dtype=np.float64)
    return moments


def _is_close(one: Array, two: Array) -> bool:
    return bool(np.abs(one - two).max() <= 1e-9 * np.abs(two).max())


def _gravity(links: Iterable[Link]) -> Iterator[Diagnostic]:
    """Yield the links without gravity."""
    for link in links:
        if not link.gravity:
            yield _about_link(DRAKE_LINK_WITHOUT_GRAVITY, link)


def _limits_of_continuous_joints(joints: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """Yield the continuous joints to which Drake gives limits."""
    for joint in scene.joints:
        if joint.type == "continuous" and joint.name in joints and _has_limits(joints[joint.name]):
            yield _about_joint(DRAKE_CONTINUOUS_LIMITS, joint)


def _limits_of_screws(joints: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """Yield the screw joints whose limits Drake drops."""
    for joint in scene.joints:
        limited = (
            joint.type == "screw" and np.isfinite([joint.axes[0].lower, joint.axes[0].upper]).any()
        )
        if limited and joint.name in joints and not _has_limits(joints[joint.name]):
            yield _about_joint(DRAKE_SCREW_LIMITS, joint)


def _second_axes(joints: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """Yield the universal joints whose limits Drake drops, or whose second axis gets the damping of
    the first one.
    """
    for joint in scene.joints:
        if joint.type != "universal" or joint.name not in joints:
            continue
        if np.isfinite([(axis.lower, axis.upper) for axis in joint.axes]).any() and not _has_limits(
            joints[joint.name]
        ):
            yield _about_joint(DRAKE_UNIVERSAL_LIMITS, joint)
        damping = joints[joint.name].default_damping_vector()
        if len(joint.axes) == 2 and joint.axes[1].damping != damping[1]:
            yield _about_joint(DRAKE_SHARED_DAMPING, joint)


def _has_limits(joint: Any) -> bool:
    return bool(np.isfinite(joint.position_lower_limits()).any())


def _about_link(code: Code, link: Link, **arguments: Any) -> Diagnostic:
    return finding_of(
        code, link.where, target=_TARGET, subjects=(link.name,), link=link.name, **arguments
    )


def _about_joint(code: Code, joint: Joint) -> Diagnostic:
    return finding_of(code, joint.where, target=_TARGET, subjects=(joint.name,), joint=joint.name)
