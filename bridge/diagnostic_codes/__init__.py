"""The registry of all diagnostic codes: those of the readers, of lowering, of the targets and of the parity check.

The registry is documentation as data: nothing that loads or exports a model needs it. `docs/diagnostics.md` is
generated from it.
"""

from __future__ import annotations

import loaders.diagnostic_codes
from loaders.diagnostics import CodeInfo

from . import (
    directives_writer,
    geometry,
    lowering,
    mjcf_bodies,
    mjcf_constraints,
    mjcf_contact,
    mjcf_document,
    parity,
    pybullet,
    sdf_writer,
    urdf_writer,
)

CODES: dict[str, CodeInfo] = {
    **loaders.diagnostic_codes.CODES,
    **directives_writer.CODES,
    **geometry.CODES,
    **lowering.CODES,
    **mjcf_bodies.CODES,
    **mjcf_constraints.CODES,
    **mjcf_contact.CODES,
    **mjcf_document.CODES,
    **parity.CODES,
    **pybullet.CODES,
    **sdf_writer.CODES,
    **urdf_writer.CODES,
}
"""Every code, with its meaning and remedy."""
