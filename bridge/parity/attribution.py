"""Attribution: which diagnostic of an engine explains a difference, and which engine a difference
is likely due to.

A diagnostic explains a difference only if its code is a known cause of the quantity, one of its
subjects is at the place of the difference, and the difference is not larger than what the
diagnostic means for this model. Messages are never read.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence

from bridge import codes
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.targets.mjcf import codes as mjcf_codes
from bridge.targets.pybullet import codes as pybullet_codes
from loaders import codes as loaders_codes
from loaders.diagnostics import Diagnostic

from .bounds.contact import surface_bound
from .bounds.counterfactual import counterfactual
from .causes import READ_OTHERWISE, Cause, cause_of
from .quantity import (
    FRICTION_OF_PAIRS,
    Quantity,
    WorstErrors,
    compare_readings,
    matrix,
    names_at,
    pose_distance,
)
from .reference import ReferenceEngine
from .states import State
from .verdict import COMPUTED_FROM_MODEL, Outcome, Row

MARGIN = 1.01
"""Factor of a computed bound, for the rounding of the numbers that an engine is given."""
WITHOUT_TRUTH = frozenset(
    {
        mjcf_codes.EMPTY_RANGE,
        pybullet_codes.EMPTY_RANGE,
        codes.DRAKE_REPLACED_INERTIA,
        loaders_codes.RESOURCE_NOT_FOUND,
        loaders_codes.MESH_MISSING,
        loaders_codes.MESH_UNREADABLE,
        mjcf_codes.EMPTY_SHAPE,
        mjcf_codes.HEIGHTMAP,
        mjcf_codes.NO_SHAPE,
        mjcf_codes.ZERO_EFFORT,
    }
)
"""Codes about places where the file states nothing that can be simulated, so that no error can be
computed.

Each of them is a gap of the comparison or, as an empty geometry, states nothing."""
_ONE_PAIR = frozenset(
    {mjcf_codes.COLLIDE_WITHOUT_CONTACT, mjcf_codes.MOVING_PLANE, pybullet_codes.MERGED_FILTERS}
)
"""Codes about single pairs of links, whose error is one pair."""
_ADDS_CONTACTS = frozenset({pybullet_codes.MERGED_FILTERS})
"""Codes that report contacts which the model excludes: the engines then differ."""
_IMPOSSIBLE = mjcf_codes.NEVER_CLOSES
"""The code about a constraint that no position within the limits of the joints obeys."""
_DISTURBED = frozenset({"constraints in motion", "exported motion", "witnessed motion"})
"""The motions in which constraints act."""


class CauseIndex:
    """The diagnostics of two engines that hold the same mechanism, searched by quantity and
    place.
    """

    def __init__(
        self, diagnostics: Iterable[Diagnostic], mechanism: Mechanism, states: Sequence[State] = ()
    ) -> None:
        self._mechanism = mechanism
        self._diagnostics = tuple(diagnostics)
        self._states = states or (({}, {}),)
        self._measured: dict[tuple[str, int], WorstErrors] = {}

    def cause(self, quantity: Quantity, place: str, error: float = math.inf) -> Cause | None:
        """Return the cause of an error, with its bound; None if no diagnostic is about it.

        A difference of a quantity with ``propagates_to_ancestors`` is also explained by a
        diagnostic about anything that the joint carries: a link without mass changes the forces of
        all joints that carry it, and of no other. The bounds of several diagnostics add up. What an
        engine lacks is the cause only if nothing else explains it.

        Args:
            quantity: The quantity.
            place: The place of the error.
            error: The error.
        """
        found = [self._cause(entry, quantity, place) for entry in self._about(quantity, place)]
        changed = [cause for cause in found if not cause.is_loss]
        lost = [cause for cause in found if cause.is_loss]
        if changed:
            together = sum(cause.bound for cause in changed)
            cause = dataclasses.replace(changed[0], bound=together)
            if cause.explains(error) or not lost:
                return cause
        return max(lost, key=lambda cause: cause.bound, default=None)

    def _about(self, quantity: Quantity, place: str) -> list[Diagnostic]:
        """Return the diagnostics that are known causes of the quantity and about the place."""
        names = set(names_at(place))
        carried = names | self._carried(names) if quantity.propagates_to_ancestors else names
        required = names if quantity.causes_name_whole_place else set()
        causes = {code.name for code in quantity.causes}
        return [
            entry
            for entry in self._diagnostics
            if entry.code in causes
            and (carried.intersection(entry.subjects) or entry.is_one_of(FRICTION_OF_PAIRS))
            and required.issubset(entry.subjects)
        ]

    def _cause(self, entry: Diagnostic, quantity: Quantity, place: str) -> Cause:
        cause = cause_of(entry, quantity.name, self._bound(entry, quantity, place))
        if entry.is_one_of(WITHOUT_TRUTH):
            return dataclasses.replace(cause, is_loss=False)
        return dataclasses.replace(
            cause, is_loss=cause.is_loss or entry.is_one_of(_ADDS_CONTACTS | READ_OTHERWISE)
        )

    def _bound(self, entry: Diagnostic, quantity: Quantity, place: str) -> float:
        if entry.is_one_of(WITHOUT_TRUTH):
            return math.inf
        if entry.code == pybullet_codes.COUPLING_ACROSS_BODIES.name:
            return self._offset(place)
        if entry.code == loaders_codes.MODEL_POSE_AGAINST_JOINT.name:
            return MARGIN * self._displacement(place) + quantity.tolerance
        if entry.is_one_of(_ONE_PAIR):
            return 1.0
        of_surface = surface_bound(entry, names_at(place), self._mechanism)
        change = (
            self._changes(entry, quantity).errors.get(place, 0.0)
            if of_surface is None
            else of_surface
        )
        return MARGIN * change + quantity.tolerance

    def _changes(self, entry: Diagnostic, quantity: Quantity) -> WorstErrors:
        """Return the largest difference at each place between the model and what the diagnostic
        says of the engine.
        """
        key = quantity.name, id(entry)
        if key not in self._measured:
            worst = self._measured[key] = WorstErrors()
            changed = counterfactual(entry, self._mechanism)
            if changed is not None:
                model, other = ReferenceEngine(self._mechanism), ReferenceEngine(changed)
                for state in self._states if quantity.depends_on_state else self._states[:1]:
                    model.set_state(*state)
                    other.set_state(*state)
                    one, two = (quantity.read(engine, self._mechanism) for engine in (model, other))
                    if one is not None and two is not None:
                        compare_readings(one, two, quantity.error, worst)
        return self._measured[key]

    def _offset(self, place: str) -> float:
        """Return the offset of the coupling between the joints of a place: PyBullet couples
        velocities, not positions.
        """
        order, names = self._mechanism.v_order, set(names_at(place))
        offsets = [
            abs(c.offset)
            for c in self._mechanism.couplings
            if {order[c.follower][0], order[c.leader][0]} <= names
        ]
        return max(offsets, default=0.0)

    def _displacement(self, link: str) -> float:
        """Return the distance [m] or angle [rad] between the stated pose of a link and the one that
        the joints give it.
        """
        X_WL = self._mechanism.link_poses({})
        stated = {body.name: body.link.X_WL for body in self._mechanism.bodies}
        return (
            pose_distance(matrix(stated[link]), matrix(X_WL[link]), 1.0) if link in stated else 0.0
        )

    def _carried(self, joints: set[str]) -> set[str]:
        """Return the links that these joints carry, and the joints between them."""
        names: set[str] = set()
        carried: list[bool] = []
        for body in self._mechanism.bodies:
            carried.append(body.joint in joints or (body.parent != ROOT and carried[body.parent]))
            if carried[-1]:
                names |= {body.name, str(body.joint)}
        return names


def _without_impossible(rows: Sequence[Row], diagnostics: Iterable[Diagnostic]) -> list[Row]:
    """Return the rows; those of a motion that a constraint which can never be closed disturbs are
    unknown.

    There is no motion that obeys such a constraint, and every solver pulls in its own way.
    """
    entry = next((entry for entry in diagnostics if entry.code == _IMPOSSIBLE.name), None)
    if entry is None:
        return list(rows)
    cause = f"{entry.message} [{entry.code}]"
    return [
        dataclasses.replace(row, outcome=Outcome.UNKNOWN, cause=cause, known_cause=None)
        if row.quantity in _DISTURBED and row.outcome is not Outcome.PASSED
        else row
        for row in rows
    ]


def attribute_differences(
    rows: Sequence[Row], diagnostics: Iterable[Diagnostic] = ()
) -> tuple[Row, ...]:
    """Add to each unexplained row the engine that is likely at fault and the difference it may
    follow from.

    Args:
        rows: The rows.
        diagnostics: The findings of all engines; a constraint that can never be closed leaves its
            motion unknown.
    """
    rows = _without_impossible(rows, diagnostics)
    failed = [row for row in rows if row.outcome is Outcome.FAILED]
    causes = {row: _likely_cause(row, failed) for row in failed if not row.cause}
    return tuple(
        dataclasses.replace(row, cause=causes[row]) if causes.get(row) else row for row in rows
    )


def _likely_cause(row: Row, failed: Sequence[Row]) -> str:
    """Return the likely cause in words; empty if more than one engine may be at fault."""
    pairs = [other.engines for other in failed if other.quantity == row.quantity]
    suspects = set.intersection(*map(set, pairs)) - COMPUTED_FROM_MODEL
    if len(suspects) != 1:
        return ""
    (engine,) = suspects
    cause = f"likely {engine}: the only engine that differs from the model in {row.quantity}"
    first = next(other for other in failed if engine in other.engines)
    if first.quantity == row.quantity:
        return cause
    return f"{cause}, which may follow from the {first.quantity} of {first.where}"
