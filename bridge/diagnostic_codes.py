"""The registry of all diagnostic codes: those of the readers, of lowering, of the targets and of
the parity check, collected from the modules that declare them.
"""

from __future__ import annotations

from types import ModuleType

from loaders import codes as loaders_codes
from loaders.diagnostics import Code, declared_codes
from loaders.drake import codes as drake_codes
from loaders.mjcf import codes as mjcf_codes
from loaders.sdf import codes as sdf_codes
from loaders.urdf import codes as urdf_codes

from . import codes as bridge_codes
from .targets.mjcf import codes as mjcf_target_codes
from .targets.pybullet import codes as pybullet_target_codes
from .targets.sdf import codes as sdf_target_codes
from .targets.urdf import codes as urdf_target_codes

MODULES: tuple[ModuleType, ...] = (
    bridge_codes, mjcf_target_codes, pybullet_target_codes, sdf_target_codes, urdf_target_codes,
    loaders_codes, drake_codes, mjcf_codes, sdf_codes, urdf_codes,
)  # fmt: skip
"""The modules that declare codes."""
CODES: dict[str, Code] = {
    name: code for module in MODULES for name, code in declared_codes(vars(module)).items()
}
"""Every code, with its meaning and remedy."""


def all_codes() -> dict[str, Code]:
    """Return every code by name."""
    return CODES


def info_of(code: str) -> Code | None:
    """Return the declaration of a code; None if it is not registered."""
    return CODES.get(code)
