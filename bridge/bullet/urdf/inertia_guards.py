"""Inertia guards: replace masses and inertias that PyBullet would freeze to the world or turn into NaN."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from bridge.bullet.target import BASE, TARGET
from bridge.mechanism.bodies import PrimitiveKind
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.spatial import IDENTITY, Pose, SpatialInertia, exceeds, frozen

from .segments import LARGE_TURN, Segment

MIN_JOINT_INERTIA = 1e-9
"""Moment of inertia [kg m^2] added to a link without inertia on a ball joint, to avoid NaN."""
MIN_BASE_INERTIA = 1e-12
"""Moment of inertia [kg m^2] added to a free base without inertia that carries other links, to avoid NaN."""
_ZERO_MOMENT = 1e-14
"""Moment of inertia that counts as zero [kg m^2]."""
_SMALL_PRODUCTS = 1e-3
"""Largest products of inertia of a base that another link holds, relative to the smallest moment of that link."""

_GIVE_INERTIA = "give the link its mass and inertia"


def with_valid_inertia(segments: tuple[Segment, ...], is_free: bool, diagnostics: Diagnostics) -> tuple[Segment, ...]:
    """Return the segments with inertias that PyBullet can simulate.

    The physics stays the same where possible: a base without mass takes the inertia of a link welded to it, and a tiny
    base gives its products of inertia to such a link. Otherwise the smallest inertia is added that avoids NaN.

    Args:
        segments: Segments of one body; the first is the base.
        is_free: Whether the base moves freely.
        diagnostics: Record of the changes.
    """
    if is_free and segments[0].inertia.mass == 0.0:
        segments = _borrow_inertia(segments, diagnostics)
    elif is_free:
        segments = _move_products(segments, diagnostics)
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


def _move_products(segments: tuple[Segment, ...], diagnostics: Diagnostics) -> tuple[Segment, ...]:
    """Move the products of inertia of a turned base into the heaviest link that is welded to it, if they are small.

    The motion depends on the sum of both inertias only, and PyBullet's frame of the base is then that of the link.
    """
    base, others = segments[0], segments[1:]
    welded = [i for i, segment in enumerate(others) if segment.inertia.mass and welded_pose(segments, i) is not None]
    if not welded or not np.isfinite(base.inertia.I_Lcm).all() or base.turn <= LARGE_TURN:
        return segments
    index = max(welded, key=lambda i: others[i].inertia.mass)
    holder, X_BS = others[index], welded_pose(segments, index) or IDENTITY
    moments = np.diag(np.diag(base.inertia.I_Lcm))
    products = base.inertia.I_Lcm - moments
    if not exceeds(holder.inertia.I_Lcm, float(np.linalg.norm(products)) / _SMALL_PRODUCTS):
        return segments
    total = frozen(holder.inertia.I_Lcm + X_BS.R.T @ products @ X_BS.R)
    held = dataclasses.replace(holder, inertia=dataclasses.replace(holder.inertia, I_Lcm=total))
    left = dataclasses.replace(base.inertia, I_Lcm=frozen(moments))
    if held.inertia.defects():
        return segments
    diagnostics.add(
        Fate.NOTED,
        "pybullet.moved-products",
        "PyBullet's base {base} would be turned by {angle:.1f} degrees; {holder}, which is welded to it, holds its "
        "products of inertia",
        _where(base),
        target=TARGET,
        hint="the physics is unchanged; read the inertias of both links by mechanism_from_pybullet() of the handle",
        subjects=(*_link_names(base), *_link_names(holder)),
        base=base.name,
        holder=holder.name,
        angle=base.turn,
    )
    base = dataclasses.replace(base, inertia=left, moved_products=frozen(products), products_holder=index)
    return (base, *others[:index], held, *others[index + 1 :])


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
