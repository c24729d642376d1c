"""Torsional friction as a length: the ratio of the largest torque about the normal to the normal force.

SDFormat states a coefficient and the radius of a round patch of contact; PyBullet, URDF's ``<spinning_friction>`` and
MuJoCo state the length itself.
"""

from __future__ import annotations

import math

from loaders.model import Friction

_SHARE = 3.0 * math.pi / 16.0
"""Length over coefficient and radius, for the pressure of a sphere on a plane (Hertz); SDFormat, ``torsional``."""
UNIT_PATCH_RADIUS = 1.0 / _SHARE
"""Radius of a patch at which coefficient and length are the same number [m]."""


def torsional_length(friction: Friction) -> float:
    """Return the length of torsional friction [m], zero if the source states none.

    The radius is that of the patch, or of the surface if the source chooses that.
    """
    radius = friction.patch_radius if friction.use_patch_radius else friction.surface_radius
    return _SHARE * radius * (friction.torsional or 0.0)
