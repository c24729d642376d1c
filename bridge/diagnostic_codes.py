"""The registry of all diagnostic codes: those of the readers, of lowering, of the targets and of
the parity check.

The registry is documentation as data: nothing that loads or exports a model needs it.
`docs/diagnostics.md` is generated from it.
"""

from __future__ import annotations

from loaders import codes as loaders_codes
from loaders.diagnostics import CodeInfo
from loaders.drake import codes as drake_codes
from loaders.mjcf import codes as mjcf_codes
from loaders.sdf import codes as sdf_codes
from loaders.urdf import codes as urdf_codes

from . import codes as bridge_codes
from .targets.mjcf import codes as mjcf_target_codes
from .targets.pybullet import codes as pybullet_target_codes
from .targets.sdf import codes as sdf_target_codes
from .targets.urdf import codes as urdf_target_codes

CODES: dict[str, CodeInfo] = {
    **bridge_codes.CODES,
    **mjcf_target_codes.CODES,
    **pybullet_target_codes.CODES,
    **sdf_target_codes.CODES,
    **urdf_target_codes.CODES,
    **loaders_codes.CODES,
    **drake_codes.CODES,
    **mjcf_codes.CODES,
    **sdf_codes.CODES,
    **urdf_codes.CODES,
}
"""Every code, with its meaning and remedy."""
