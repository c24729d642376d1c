"""Inertia guards: replace masses and inertias that PyBullet would freeze to the world or turn into NaN."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from bridge.bullet.target import BASE, TARGET
from bridge.mechanism.bodies import PrimitiveKind
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.spatial import IDENTITY, Pose, SpatialInertia, exceeds, frozen

from .segments import Segment

MIN_JOINT_INERTIA = 1e-9
"""Moment of inertia [kg m^2] added to a link without inertia on a ball joint, to avoid NaN."""
MIN_BASE_INERTIA = 1e-12
"""Moment of inertia [kg m^2] added to a free base without inertia that carries other links, to avoid NaN."""
_ZERO_MOMENT = 1e-14
"""Moment of inertia that counts as zero [kg m^2]."""

_GIVE_INERTIA = "give the link its mass and inertia"


def with_valid_inertia(segments: tuple[Segment, ...], is_free: bool, diagnostics: Diagnostics) -> tuple[Segment, ...]:
    """Return the segments with inertias that PyBullet can simulate.

    The physics stays the same where possible: a base without mass takes the inertia of a link welded to it. Otherwise
    the smallest inertia is added that avoids NaN.

    Args:
        segments: Segments of one body; the first is the base.
        is_free: Whether the base moves freely.
        diagnostics: Record of the changes.
    """
    if is_free and segments[0].inertia.mass == 0.0:
        segments = _borrow_inertia(segments, diagnostics)
    base, *others = segments
    if is_free and others and _is_singular(base.inertia):
        diagnostics.add(
            Fate.ASSUMED,
            "pybullet.base-without-inertia",
            "link {link} moves freely but has no inertia, which can become NaN in PyBullet; using {inertia:g} kg m^2",
            _where(base),
            target=TARGET,
            hint=_GIVE_INERTIA,
            subjects=_link_names(base),
            link=base.name,
            inertia=MIN_BASE_INERTIA,
        )
        base = _add_inertia(base, MIN_BASE_INERTIA)
    return (base, *(_with_rotatable_ball(segment, diagnostics) for segment in others))


def welded_pose(segments: Sequence[Segment], index: int) -> Pose | None:
    """Return the pose ``X_BS`` of a segment on the base if only welds connect them, otherwise None.

    Args:
        segments: Segments of one body; the first is the base.
        index: PyBullet's index of the segment.
    """
    X_BS = IDENTITY
    while index != BASE:
        segment = segments[index + 1]
        if segment.primitive is not None:
            return None
        X_BS, index = segment.X_PJ @ X_BS, segment.parent
    return X_BS


def _borrow_inertia(segments: tuple[Segment, ...], diagnostics: Diagnostics) -> tuple[Segment, ...]:
    """Move the inertia of the first link with mass that is welded to the base into the base, which has no mass."""
    for index, lender in enumerate(segments[1:]):
        X_BS = None if lender.inertia.mass == 0.0 else welded_pose(segments, index)
        if X_BS is None:
            continue
        inertia = segments[0].inertia + lender.inertia.moved(X_BS)
        own = segments[0].inertia.I_Lcm
        base = dataclasses.replace(segments[0], inertia=inertia, inertia_lender=index, own_moments=own)
        massless = dataclasses.replace(lender, inertia=SpatialInertia.of(0.0))
        diagnostics.add(
            Fate.NOTED,
            "pybullet.lent-inertia",
            "base link {base} has no mass; PyBullet's base takes the inertia of {lender}, which is welded to it",
            _where(base),
            target=TARGET,
            hint=f"the physics is unchanged; to change the mass of {lender.name}, use PyBullet's link index -1",
            subjects=(*_link_names(base), *_link_names(lender)),
            base=base.name,
            lender=lender.name,
        )
        return (base, *segments[1 : index + 1], massless, *segments[index + 2 :])
    return segments


def _with_rotatable_ball(segment: Segment, diagnostics: Diagnostics) -> Segment:
    """Return the segment, with inertia added if it has a ball joint and no inertia."""
    is_ball = segment.primitive is not None and segment.primitive.kind is PrimitiveKind.BALL
    if not is_ball or not _is_singular(segment.inertia):
        return segment
    diagnostics.add(
        Fate.ASSUMED,
        "pybullet.ball-without-inertia",
        "ball joint {joint} rotates a link without inertia, which becomes NaN in PyBullet; using {inertia:g} kg m^2",
        _where(segment),
        target=TARGET,
        hint=_GIVE_INERTIA,
        subjects=(segment.joint, *_link_names(segment)),
        joint=segment.joint,
        inertia=MIN_JOINT_INERTIA,
    )
    return _add_inertia(segment, MIN_JOINT_INERTIA)


def _add_inertia(segment: Segment, moment: float) -> Segment:
    I_Lcm = frozen(segment.inertia.I_Lcm + moment * np.eye(3))
    return dataclasses.replace(segment, inertia=dataclasses.replace(segment.inertia, I_Lcm=I_Lcm))


def _where(segment: Segment) -> Where:
    return segment.links[0].link.where


def _link_names(segment: Segment) -> tuple[str, ...]:
    return tuple(carried.link.name for carried in segment.links)


def _is_singular(inertia: SpatialInertia) -> bool:
    if inertia.mass >= 0.0 and exceeds(inertia.I_Lcm, _ZERO_MOMENT):  # then those about the origin exceed it too
        return False
    return inertia.smallest_moment_about_origin() <= _ZERO_MOMENT
