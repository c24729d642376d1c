"""Masses and inertias that PyBullet would freeze to the world or turn into NaN, and what it is given for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from bridge.mechanism.bodies import PrimitiveKind
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.spatial import IDENTITY, Pose, SpatialInertia, frozen

from .segments import BASE, TARGET, Segment

TINY = 1e-9
"""Inertia [kg m^2] given to what would otherwise turn into NaN."""
MINUTE = 1e-12
"""Inertia [kg m^2] that does so for a base, which others hang from."""


def guarded(segments: tuple[Segment, ...], is_free: bool, diagnostics: Diagnostics) -> tuple[Segment, ...]:
    """The segments as PyBullet can hold them, at the same physics where that can be, else with as little as helps."""
    if is_free and segments[0].inertia.mass == 0.0:
        segments = _lent(segments, diagnostics)
    base, *others = segments
    if is_free and others and _is_singular(base.inertia):
        base = _thickened(base, MINUTE)
        problem = f"link {base.name} moves freely but has no inertia, which PyBullet can turn into NaN"
        _assume("base-without-inertia", f"{problem}; it has {MINUTE:g} kg m^2", base, diagnostics)
    return (base, *(_turnable(segment, diagnostics) for segment in others))


def welded_pose(segments: Sequence[Segment], index: int) -> Pose | None:
    """``X_BS`` of a segment that nothing but welds holds to the base, by PyBullet's index; None if a joint does."""
    X_BS = IDENTITY
    while index != BASE:
        segment = segments[index + 1]
        if segment.primitive is not None:
            return None
        X_BS, index = segment.X_PJ @ X_BS, segment.parent
    return X_BS


def _lent(segments: tuple[Segment, ...], diagnostics: Diagnostics) -> tuple[Segment, ...]:
    """A base without mass takes over the inertia of the first link with mass that is welded to it."""
    for index, lender in enumerate(segments[1:]):
        X_BS = None if lender.inertia.mass == 0.0 else welded_pose(segments, index)
        if X_BS is None:
            continue
        base = dataclasses.replace(segments[0], inertia=lender.inertia.moved(X_BS), lender=index)
        bare = dataclasses.replace(lender, inertia=SpatialInertia.of(0.0))
        message = (
            f"link {base.name} moves freely but has no mass; as PyBullet's base it has that of {lender.name}, "
            "which is welded to it and has none there"
        )
        hint = f"the physics is the same; change the mass of {lender.name} by PyBullet's index -1"
        diagnostics.add(Fate.NOTED, "pybullet.lent-inertia", message, _where(base), target=TARGET, hint=hint)
        return (base, *segments[1 : index + 1], bare, *segments[index + 2 :])
    return segments


def _turnable(segment: Segment, diagnostics: Diagnostics) -> Segment:
    is_ball = segment.primitive is not None and segment.primitive.kind is PrimitiveKind.BALL
    if not is_ball or not _is_singular(segment.inertia):
        return segment
    problem = f"joint {segment.joint} turns a link without inertia, which PyBullet turns into NaN"
    _assume("ball-without-inertia", f"{problem}; it has {TINY:g} kg m^2", segment, diagnostics)
    return _thickened(segment, TINY)


def _thickened(segment: Segment, moment: float) -> Segment:
    I_Lcm = frozen(segment.inertia.I_Lcm + moment * np.eye(3))
    return dataclasses.replace(segment, inertia=dataclasses.replace(segment.inertia, I_Lcm=I_Lcm))


def _assume(code: str, message: str, segment: Segment, diagnostics: Diagnostics) -> None:
    hint = "give the link its mass and inertia"
    diagnostics.add(Fate.ASSUMED, f"pybullet.{code}", message, _where(segment), target=TARGET, hint=hint)


def _where(segment: Segment) -> Where:
    return segment.parts[0].link.where


def _is_singular(inertia: SpatialInertia) -> bool:
    return bool(np.linalg.eigvalsh(inertia.about(np.zeros(3)))[0] <= 1e-14)
