"""Diagnostics as the mechanism that an engine holds.

Links without inertia leave a mass matrix nearly singular, so that even 1e-14 kg m^2 may show in a
motion. What remains of the difference, once both engines have that inertia, is judged as any other
difference.

The difference between that mechanism and the model, computed by the reference in the compared
states, is the largest error that the diagnostic may explain.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from bridge import codes
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body
from bridge.parity.causes import ROTOR_INERTIA, Cause
from bridge.parity.verdict import Outcome, Row
from bridge.targets.mjcf import codes as mjcf_codes
from bridge.targets.pybullet import codes as pybullet_codes
from loaders.diagnostics import Diagnostic
from loaders.inertia import SpatialInertia
from loaders.pose import Pose

NEGLIGIBLE_MASS = 1e-6
"""Largest mass that an engine may add to a link [kg]."""
_Change = Callable[[Body, Diagnostic], Body]


def counterfactual(entry: Diagnostic, mechanism: Mechanism) -> Mechanism | None:
    """Return the mechanism with the change that a diagnostic reports; None if its code reports no
    such change.

    Args:
        entry: The diagnostic of an engine.
        mechanism: The mechanism of the model.
    """
    if entry.code == pybullet_codes.FOLDED_LINKS.name:
        return _folded(entry, mechanism)
    if entry.code == codes.DRAKE_FRAME_ON_FRAME.name:
        return _frame_on_link(entry, mechanism)
    change = _CHANGES.get(entry.code)
    if change is None:
        return None
    bodies = tuple(
        change(body, entry) if _concerns(entry, body) else body for body in mechanism.bodies
    )
    return dataclasses.replace(mechanism, bodies=bodies)


def _concerns(entry: Diagnostic, body: Body) -> bool:
    return body.name in entry.subjects or body.joint in entry.subjects


def _least_inertia(body: Body, entry: Diagnostic) -> Body:
    """Return the moments that the diagnostic states, and its mass if that is negligible; a mass of
    the model stays.
    """
    R, _ = body.inertia.principal_axes()
    X_LI = Pose.of(R, body.inertia.p_LLcm)
    stated = entry.number("mass")
    mass = max(stated, body.inertia.mass) if stated <= NEGLIGIBLE_MASS else body.inertia.mass
    moments = cast(tuple[float, ...], entry.arguments["moments"])
    inertia = SpatialInertia.in_frame(mass, X_LI, np.diag(moments))
    return dataclasses.replace(body, inertia=inertia)


def _more_inertia(body: Body, entry: Diagnostic) -> Body:
    """Return the moment about every axis that the diagnostic states, in addition."""
    I_Lcm = body.inertia.I_Lcm + entry.number("inertia") * np.eye(3)
    return dataclasses.replace(
        body, inertia=SpatialInertia.of(body.inertia.mass, body.inertia.p_LLcm, I_Lcm)
    )


def _as_stated(body: Body, _entry: Diagnostic) -> Body:
    """Return the inertia of the file, which the mechanism completes."""
    return dataclasses.replace(body, inertia=body.link.inertia or SpatialInertia.of(0.0))


def _without_rotor(body: Body, _entry: Diagnostic) -> Body:
    return dataclasses.replace(body, reflected_inertia=(0.0,) * len(body.reflected_inertia))


def _with_gravity(body: Body, _entry: Diagnostic) -> Body:
    return dataclasses.replace(body, link=dataclasses.replace(body.link, gravity=True))


_CHANGES: Mapping[str, _Change] = {
    codes.LOWER_MASSLESS_FREE_LINK.name: _as_stated,
    codes.LOWER_THIN_LINK.name: _as_stated,
    mjcf_codes.MASSLESS_LINK.name: _least_inertia,
    pybullet_codes.BASE_WITHOUT_INERTIA.name: _more_inertia,
    pybullet_codes.BALL_WITHOUT_INERTIA.name: _more_inertia,
    pybullet_codes.ROTOR_INERTIA.name: _without_rotor,
    codes.DART_ROTOR_INERTIA.name: _without_rotor,
    pybullet_codes.LINK_WITHOUT_GRAVITY.name: _with_gravity,
    codes.DRAKE_LINK_WITHOUT_GRAVITY.name: _with_gravity,
}
"""Changes by code, in the bodies that its diagnostics are about."""


def _frame_on_link(entry: Diagnostic, mechanism: Mechanism) -> Mechanism:
    """Return a frame has the pose in its link that the model states in another frame."""
    frames = {frame.name: frame for frame in mechanism.scene.frames}
    frame, base = (frames[str(entry.arguments[key])] for key in ("frame", "base"))
    frames[frame.name] = dataclasses.replace(frame, X_LF=base.X_LF.inverse() @ frame.X_LF)
    scene = dataclasses.replace(mechanism.scene, frames=tuple(frames.values()))
    return dataclasses.replace(mechanism, scene=scene)


def _folded(entry: Diagnostic, mechanism: Mechanism) -> Mechanism:
    """Return the inertia of the merged links is in the link that carries them, the nearest link
    that is not merged.
    """
    links_with_carriers = cast(tuple[tuple[str, str], ...], entry.arguments["links"])
    merged = {link for link, _ in links_with_carriers}
    bodies = list(mechanism.bodies)
    for i in reversed(range(len(bodies))):
        body = bodies[i]
        if body.name in merged and body.parent >= 0 and not body.primitives:
            carrier = bodies[body.parent]
            moved = body.inertia.moved(body.X_PF @ body.X_BM.inverse())
            bodies[body.parent] = dataclasses.replace(carrier, inertia=carrier.inertia + moved)
            bodies[i] = dataclasses.replace(body, inertia=SpatialInertia.of(0.0))
    return dataclasses.replace(mechanism, bodies=tuple(bodies))


_CODES = frozenset(
    {
        mjcf_codes.MASSLESS_LINK,
        pybullet_codes.BASE_WITHOUT_INERTIA,
        pybullet_codes.BALL_WITHOUT_INERTIA,
    }
)
"""Codes of inertia that an engine adds, because it accepts no link without."""

_LOADED = " with the inertia that "
"""Part of the name of an engine that is given the inertia that another engine adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedInertia:
    """The inertia that an engine adds.

    Attributes:
        code: Code of the diagnostics that report it.
        subjects: Scoped names of the links that get it.
        mechanism: The mechanism with that inertia.
    """

    code: str
    subjects: tuple[str, ...]
    mechanism: Mechanism

    def cause(self, row: Row, change: float, remaining: Row) -> Cause | None:
        """Return the cause of a difference, whose bound is the sum of two measured differences.

        Args:
            row: The row of the difference.
            change: The difference that this inertia makes to the other engine, in the unit of the
                row.
            remaining: The row of what remains when both engines have this inertia.

        Returns:
            The cause; None if what remains is not explained.
        """
        if remaining.outcome not in {Outcome.PASSED, Outcome.EXPLAINED}:
            return None
        known = remaining.known_cause
        allowed = remaining.tolerance if known is None else known.bound
        text = (
            f"the inertia that {', '.join(self.subjects)} get makes a difference of {change:.1e}; "
            f"{remaining.error:.1e} remains when both engines have it [{self.code}]"
        )
        return Cause(
            code=self.code,
            subjects=self.subjects,
            quantity=row.quantity,
            bound=change + allowed,
            text=text,
        )


def added_inertia(mechanism: Mechanism, diagnostics: Iterable[Diagnostic]) -> AddedInertia | None:
    """Return the inertia that an engine adds to a mechanism; None if it adds none.

    Args:
        mechanism: The mechanism that the engine was given.
        diagnostics: The diagnostics of the engine.
    """
    entries = [entry for entry in diagnostics if entry.is_one_of(_CODES)]
    changed = _with_all(entries, mechanism)
    if changed is mechanism:
        return None
    subjects = tuple(dict.fromkeys(name for entry in entries for name in entry.subjects))
    return AddedInertia(code=entries[0].code, subjects=subjects, mechanism=changed)


def without_lost_rotors(mechanism: Mechanism, diagnostics: Iterable[Diagnostic]) -> Mechanism:
    """Return the mechanism without the inertia of rotors that an engine does not have.

    Args:
        mechanism: The mechanism that the engine was given.
        diagnostics: The diagnostics of the engine.
    """
    return _with_all((e for e in diagnostics if e.is_one_of(ROTOR_INERTIA)), mechanism)


def _with_all(entries: Iterable[Diagnostic], mechanism: Mechanism) -> Mechanism:
    for entry in entries:
        mechanism = counterfactual(entry, mechanism) or mechanism
    return mechanism


def loaded_name(engine: str, owner: str) -> str:
    """Return the name of an engine that is given the inertia that another engine, the owner,
    adds.
    """
    return f"{engine}{_LOADED}{owner} adds"


def is_loaded(engine: str) -> bool:
    """Return whether `loaded_name` made a name."""
    return _LOADED in engine
