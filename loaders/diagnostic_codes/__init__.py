"""The registry of the diagnostic codes of the readers: what each code means and what to do about it.

The registry is documentation as data: no reader needs it. `bridge.diagnostic_codes` adds the codes of the targets.
"""

from __future__ import annotations

from loaders.diagnostics import CodeInfo

from . import directives, drake, gazebo, input_files, meshes, mjcf, model, sdf, urdf, xml_reader

CODES: dict[str, CodeInfo] = {
    **directives.CODES,
    **drake.CODES,
    **gazebo.CODES,
    **input_files.CODES,
    **meshes.CODES,
    **mjcf.CODES,
    **model.CODES,
    **sdf.CODES,
    **urdf.CODES,
    **xml_reader.CODES,
}
"""Every code, with its meaning and remedy."""
