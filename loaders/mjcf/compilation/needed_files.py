"""The meshes and height fields on which a number of a compiled model depends: inertias and fitted shapes."""

from __future__ import annotations

import math
from typing import Any


def needed_files(spec: Any, mujoco: Any) -> tuple[set[str], set[str]]:
    """Return the names of the meshes, and of the height fields, that MuJoCo has to decode.

    The others are drawn and touched, which a scene says with the names of their files.

    Args:
        spec: The ``mujoco.MjSpec``.
        mujoco: The module.
    """
    infers, kinds = mujoco.mjtInertiaFromGeom, mujoco.mjtGeom
    stated = spec.compiler.inertiafromgeom
    always, never = stated == infers.mjINERTIAFROMGEOM_TRUE, stated == infers.mjINERTIAFROMGEOM_FALSE
    plain = {int(kinds.mjGEOM_MESH), int(kinds.mjGEOM_HFIELD)}
    meshes: set[str] = set()
    hfields: set[str] = set()
    has_hfields = bool(spec.hfields)
    for geom in spec.geoms:
        mesh, hfield = geom.meshname, geom.hfieldname if has_hfields else ""
        if not (mesh or hfield) or (mesh and mesh in meshes):
            continue
        has_mass = not never and (always or not geom.parent.explicitinertial) and _weighs(geom)
        if has_mass or int(geom.type) not in plain:
            meshes.add(mesh)
            hfields.add(hfield)
    return meshes - {""}, hfields - {""}


def _weighs(geom: Any) -> bool:
    """Return whether a geom may give its body mass; an unstated mass is NaN."""
    mass = geom.mass
    return bool(mass != 0.0 and (not math.isnan(mass) or geom.density != 0.0))
