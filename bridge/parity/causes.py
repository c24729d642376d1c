"""Causes of differences, gaps, and the meaning of losses.

A piece that moves, touches or pushes leaves the comparison incomplete. A limit of speed or
acceleration, which no engine enforces, restricts the motions for which the verdict holds.
Everything else does not act on the motion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bridge import codes
from bridge.diagnostic_codes import info_of
from bridge.targets.pybullet import codes as pybullet_codes
from loaders.code import Chosen, Condition, Effect, Lost
from loaders.diagnostics import Diagnostic, Fate
from loaders.mjcf import codes as mjcf_in_codes

CHAOS = "parity.chaos"
"""The motion amplifies rounding errors; the bound is the rounding error of a step times the
measured sensitivity."""
STEP_ORDER = "parity.step-order"
"""The engines integrate different points of a free body; the bound is what the measured order
predicts."""
POINTS_OF_FREE_BODIES = (
    "the engines integrate different points of a free body (PyBullet its center of mass, MuJoCo "
    "its origin): fix the base (--base fixed) or shorten the step"
)
SCREW = "parity.screw-constraint"
"""A solver connects rotation and translation of a screw; the bound follows from the stiffness of
the constraint."""
CONTACT_MODEL = "parity.contact-model"
"""Engines model contact differently; the bound is the tolerance of the class of scenario."""

ITERATIONS = "parity.solver-iterations"
"""A solver stops before its forces have converged; the bound is what the running engine shows with
more iterations."""

STOP_FORCE = "parity.stop-force"
"""A stop of an engine has a largest force; the bound is what the running engine shows without."""

UNRESOLVED = "parity.unresolved-dampers"
"""Dampers or springs are faster than the time step; the bound is what the engine shows with rotors
that slow them down."""

SINGLE_PRECISION = "parity.single-precision"
"""An engine computes in single precision; the bound is what rounding does to this model."""

SOFT = "parity.soft-stops"
"""An MJCF source states soft stops, which PyBullet lacks; the bound is that of a spring and a
damper."""

SOFT_CONSTRAINTS = "parity.soft-constraints"
"""An MJCF source states dry friction that acts as a damper at low speed, or couplings and loops
that are springs; the bound is the difference that this makes to MuJoCo."""

ROTOR_INERTIA = frozenset({pybullet_codes.ROTOR_INERTIA, codes.DART_ROTOR_INERTIA})
"""Codes of rotors that an engine does not have."""

READ_OTHERWISE = frozenset({mjcf_in_codes.PLUGIN, mjcf_in_codes.SHAPE})
"""Codes of shapes that the reader approximates, and that an engine has which reads the file
itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A known reason why a quantity is not exact.

    Attributes:
        code: Code of the diagnostic, or one of the codes of this module.
        subjects: Scoped names of the links and joints that the cause is about.
        quantity: The name of the quantity that it explains.
        bound: The largest error that it may explain, computed for this model, in the unit of the
            quantity.
        is_loss: Whether an engine lacks what the model states; the engines then differ, however
            large the bound is.
        text: The cause for people.
    """

    code: str
    subjects: tuple[str, ...]
    quantity: str
    bound: float
    is_loss: bool = False
    text: str = ""

    def explains(self, error: float) -> bool:
        """Return whether an error is within the bound, and nothing of the model is lost."""
        return not self.is_loss and error <= self.bound

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; an infinite bound is a string."""
        bound = self.bound if math.isfinite(self.bound) else str(self.bound)
        return {
            "code": self.code,
            "subjects": list(self.subjects),
            "quantity": self.quantity,
            "bound": bound,
            "is_loss": self.is_loss,
            "text": self.text,
        }


def cause_of(diagnostic: Diagnostic, quantity: str, bound: float, remark: str = "") -> Cause:
    """Return the cause that a diagnostic of an engine states.

    Args:
        diagnostic: The diagnostic.
        quantity: The quantity that it explains.
        bound: The largest error that it may explain.
        remark: Text to add to the message.
    """
    return Cause(
        code=diagnostic.code,
        subjects=diagnostic.subjects,
        quantity=quantity,
        bound=bound,
        is_loss=diagnostic.fate is Fate.DROPPED and bool(diagnostic.target),
        text=f"{diagnostic.message} [{diagnostic.code}]{remark}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that the model states and that was not compared.

    Attributes:
        quantity: What was not compared.
        engines: The engines concerned; empty for all.
        subjects: Scoped names of the links, joints and shapes concerned; empty for the whole model.
        code: Code of the diagnostic that reports the loss; empty if there is none.
        reason: Why it was not compared, for people.
        level: The level that would compare it; ``not run`` if that was not run, empty if it belongs
            to no level.
    """

    quantity: str
    engines: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    code: str = ""
    reason: str = ""
    level: str = ""

    def __str__(self) -> str:
        engines = f" in {' and '.join(self.engines)}" if self.engines else ""
        code = f" [{self.code}]" if self.code else ""
        return f"{self.quantity}{engines}: {self.reason}{code}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "quantity": self.quantity,
            "engines": list(self.engines),
            "subjects": list(self.subjects),
            "code": self.code,
            "reason": self.reason,
            "level": self.level,
        }


def gaps_of_losses(diagnostics: Iterable[Diagnostic], engines: Mapping[str, str]) -> list[Gap]:
    """Return a gap for each loss and each assumption that acts on the motion, in the order of the
    diagnostics.

    Args:
        diagnostics: The fidelity reports of the engines.
        engines: The target of the diagnostics of each engine that is compared, by its name.
    """
    gaps: list[Gap] = []
    for entry in diagnostics:
        is_loss = is_lost(entry) or entry.fate is Fate.SKIPPED
        if is_loss or isinstance(effect_of(entry), Chosen):
            gaps.append(
                Gap(
                    quantity=_lost_quantity(entry),
                    engines=tuple(n for n, target in engines.items() if target == entry.target),
                    subjects=entry.subjects,
                    code=entry.code,
                    reason=entry.message,
                )
            )
    return gaps


def effect_of(entry: Diagnostic) -> Effect | None:
    """Return the effect that the code of a diagnostic declares; None if it declares none."""
    code = info_of(entry.code)
    return None if code is None else code.effect


def is_lost(entry: Diagnostic) -> bool:
    """Return whether a diagnostic reports that something which moves, touches or pushes is left
    out.
    """
    return entry.fate is Fate.DROPPED and isinstance(effect_of(entry), Lost)


def _lost_quantity(entry: Diagnostic) -> str:
    effect = effect_of(entry)
    if isinstance(effect, Lost | Chosen):
        return effect.quantity
    return "pieces that lenient loading skipped"


def conditions(diagnostics: Iterable[Diagnostic]) -> tuple[str, ...]:
    """Return what must hold for the verdict, each condition once."""
    effects = (effect_of(entry) for entry in diagnostics)
    met = (effect.text for effect in effects if isinstance(effect, Condition))
    return tuple(dict.fromkeys(met))
