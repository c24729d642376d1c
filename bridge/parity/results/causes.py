"""Causes of differences, each with the largest error that it may explain, and gaps: what was not compared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from loaders.diagnostics import Diagnostic, Fate

CHAOS = "parity.chaos"
"""The motion amplifies rounding errors; the bound is the rounding error of a step times the measured sensitivity."""
STEP_ORDER = "parity.step-order"
"""The engines integrate different points of a free body; the bound is what the measured order predicts."""
SCREW = "parity.screw-constraint"
"""A solver connects rotation and translation of a screw; the bound follows from the stiffness of the constraint."""
CONTACT_MODEL = "parity.contact-model"
"""Engines model contact differently; the bound is the tolerance of the class of scenario."""

ITERATIONS = "parity.solver-iterations"
"""A solver stops before its forces have converged; the bound is what the running engine shows with more iterations."""

SOFT = "parity.soft-stops"
"""An MJCF source states soft stops, which PyBullet lacks; the bound is that of a spring and a damper."""

READ_OTHERWISE = frozenset({"mjcf-in.plugin", "mjcf-in.shape"})
"""Codes of shapes that the reader approximates, and that an engine has which reads the file itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A known reason why a quantity is not exact.

    Attributes:
        code: Code of the diagnostic, or one of the codes of this module.
        subjects: Scoped names of the links and joints that the cause is about.
        quantity: The name of the quantity that it explains.
        bound: The largest error that it may explain, computed for this model, in the unit of the quantity.
        is_loss: Whether an engine lacks what the model states; the engines then differ, however large the bound is.
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
            "code": self.code, "subjects": list(self.subjects), "quantity": self.quantity, "bound": bound,
            "is_loss": self.is_loss, "text": self.text,
        }  # fmt: skip


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
        level: The level that would compare it; ``not run`` if that was not run, empty if it belongs to no level.
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
            "quantity": self.quantity, "engines": list(self.engines), "subjects": list(self.subjects),
            "code": self.code, "reason": self.reason, "level": self.level,
        }  # fmt: skip
