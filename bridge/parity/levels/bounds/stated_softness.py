"""Softness of constraints that an MJCF source states, or leaves at MuJoCo's defaults.

MuJoCo accelerates a constraint with a violation r by ``(1 - d) a0 - d (b v + k r)``, where a0 is the acceleration
without the constraint and d the impedance. At rest ``r = (1 - d) / (d k) a0``. With ``solref="T Z"``, a time constant
and a damping ratio, ``k = d / (dmax T Z)^2``; with ``solref="-K -B"``, ``k = K d / dmax^2`` (MuJoCo documentation,
"Solver parameters"). The impedance d is at least ``solimp[0]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bridge.mechanism import Mechanism
from loaders.model import BallConstraint, Settings, WeldConstraint

_SOLREF = (0.02, 1.0)
_SOLIMP = (0.9, 0.95)
"""MuJoCo's defaults."""


class Softness(NamedTuple):
    """The softness of a constraint of MuJoCo.

    Attributes:
        stretch: ``1 / k`` [s^2]: violation for each unit of acceleration that only the constraint's spring takes up.
        admitted: Part ``(1 - d) / d`` of an acceleration that the spring takes up.
    """

    stretch: float
    admitted: float

    @classmethod
    def of(cls, settings: Settings, step: float) -> Softness:
        """Return the softness that settings state.

        Args:
            settings: Attributes of the constraint by name; ``solref`` and ``solimp`` count.
            step: Time step [s]; a time constant is at least two of them.
        """
        stated = dict(settings)
        first, second, d_max = stated_numbers(stated)
        d_min, _ = _numbers(stated.get("solimp", ""), _SOLIMP)
        d_min = min(max(d_min, 0.0001), 0.9999)
        inverse = 1.0 / -first if first < 0.0 else (max(first, 2.0 * step) * second) ** 2
        return cls(d_max**2 / d_min * inverse, (1.0 - d_min) / d_min)


def stated_numbers(settings: Mapping[str, str]) -> tuple[float, float, float]:
    """Return both numbers of ``solref``, and the largest impedance.

    Args:
        settings: Attributes of the constraint by name; what they do not state is MuJoCo's default.
    """
    d_max = min(max(_numbers(settings.get("solimp", ""), _SOLIMP)), 0.9999)
    return (*_numbers(settings.get("solref", ""), _SOLREF), d_max)


def _numbers(text: str, default: tuple[float, float]) -> tuple[float, float]:
    """The first two numbers of an attribute; what it does not state is the default."""
    words = [float(word) for word in text.split()[:2]]
    return (*words, *default[len(words) :])[0], (*words, *default[len(words) :])[1]


def stated_softness(mechanism: Mechanism, step: float) -> dict[str, Softness]:
    """Return the softness of each coupling and constraint of an MJCF source by its name; empty for other sources.

    Args:
        mechanism: The mechanism.
        step: Time step [s].
    """
    if mechanism.physics.engine != "mujoco":
        return {}
    found = {coupling.name: Softness.of(coupling.mujoco, step) for coupling in mechanism.couplings}
    for constraint in mechanism.scene.constraints:
        if isinstance(constraint, BallConstraint | WeldConstraint):
            found[f"{constraint.link_A}, {constraint.link_B}"] = Softness.of(constraint.mujoco, step)
    return found
