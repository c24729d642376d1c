"""Textures that no reader of SDFormat or URDF draws."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from loaders.files import FileError, read_start
from loaders.model import Material

_SUFFIXES = (".ktx", ".ktx2")
_MAGIC = b"\xabKTX "
"""First bytes of a file in KTX, of either version."""


def without_undrawn_textures(material: Material) -> tuple[Material, list[str]]:
    """Return a material without its textures in KTX, and the words for what is left out.

    Neither Gazebo nor PyBullet reads KTX, and Drake's renderer does not draw a shape with such a texture at all.

    Args:
        material: The material.
    """
    lost = [f"{kind} {Path(file).name} in KTX" for kind, file in material.maps if _is_ktx(file)]
    maps = tuple((kind, file) for kind, file in material.maps if not _is_ktx(file))
    texture = material.texture
    if texture is not None and _is_ktx(texture):
        if texture != dict(material.maps).get("albedo_map"):
            lost.append(f"texture {Path(texture).name} in KTX")
        texture = None
    return (dataclasses.replace(material, texture=texture, maps=maps) if lost else material), lost


def _is_ktx(file: str) -> bool:
    if file.lower().endswith(_SUFFIXES):
        return True
    try:
        return read_start(file, len(_MAGIC), option="mesh_file_bytes") == _MAGIC
    except FileError:
        return False
