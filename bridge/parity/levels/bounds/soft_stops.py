"""The bound of how far a joint passes a stop of MuJoCo that is as soft as an MJCF source states.

Beyond a stop by r, MuJoCo accelerates a joint by ``(1 - d) a - d (b v + k r)``, where a is the acceleration without the
stop, towards it; see `stated_softness` for k, and ``b = 2 / (dmax T)`` or ``B / dmax``. These are a spring and a damper
of the frequency ``w = sqrt(d k)`` and the damping ratio ``z = b sqrt(d / k) / 2``. A joint that arrives with a speed
passes the stop by at most ``p(z) v / w + 2 (1 - d) a / w^2``: the first peak of the free motion, and twice the
deflection at rest. An impedance that grows with r makes both smaller.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from loaders.model import Settings

from .stated_softness import Softness, stated_numbers


class SoftStop(NamedTuple):
    """A stop of MuJoCo as a spring and a damper.

    Attributes:
        softness: The spring.
        damping: Factor b of the speed [1/s].
    """

    softness: Softness
    damping: float

    @classmethod
    def of(cls, settings: Settings, step: float) -> SoftStop:
        """Return the stop that the settings of a joint state.

        Args:
            settings: Attributes of the joint by name; ``solreflimit`` and ``solimplimit`` count.
            step: Time step [s].
        """
        stated = {
            name.removesuffix("limit"): value for name, value in settings if name in ("solreflimit", "solimplimit")
        }
        softness = Softness.of(tuple(stated.items()), step)
        first, second, d_max = stated_numbers(stated)
        return cls(softness, -second / d_max if first < 0.0 else 2.0 / (d_max * max(first, 2.0 * step)))

    def overshoot(self, speed: float, acceleration: float, taken_for: float) -> float:
        """Return the largest distance by which a joint passes the stop [rad or m].

        Args:
            speed: Speed at which it arrives [rad/s or m/s].
            acceleration: Acceleration towards the stop that the joint would have without it.
            taken_for: The mobility that MuJoCo takes for the joint, relative to the true one.
        """
        d, k = 1.0 / (1.0 + self.softness.admitted * taken_for), 1.0 / self.softness.stretch
        w = math.sqrt(d * k)
        ratio = 0.5 * self.damping * math.sqrt(d / k)
        return first_peak(ratio) * speed / w + 2.0 * (1.0 - d) * acceleration / w**2


def first_peak(ratio: float) -> float:
    """Return the first peak of a spring and damper that starts with a speed, in units of speed over frequency.

    Args:
        ratio: The damping ratio; zero for no damping.
    """
    if abs(ratio - 1.0) < 1e-6:
        return math.exp(-1.0)
    root = math.sqrt(abs(1.0 - ratio**2))
    angle = math.acos(ratio) if ratio < 1.0 else math.acosh(ratio)
    return math.exp(-ratio / root * angle)
