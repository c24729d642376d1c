"""Looks that a glTF file states, and its textures inside the file."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from loaders.model import Rgba
from loaders.pose import Array

from .mesh_data import Textures, local_file
from .precheck import read_checked
from .stated_looks import WHITE, Losses, StatedLook, emitted, glowing, opacity, srgb

_REPEAT = 10497
"""Number of the wrapping in which a texture repeats, which is the default."""
_OTHER_SOURCES = ("EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds")
"""Extensions that name another image of a texture."""
_UNLIT = "KHR_materials_unlit"
_GLOSSINESS = "KHR_materials_pbrSpecularGlossiness"
_CHUNK = struct.Struct("<II")


class GltfLooks:
    """The looks of the materials of one file.

    Attributes:
        looks: Look of each material.
    """

    def __init__(
        self, data: bytes, header: dict[str, Any], textures: Textures, losses: Losses
    ) -> None:
        self._data, self._header, self._textures, self._losses = data, header, textures, losses
        self.looks = [self._look(material) for material in header.get("materials", [])]

    def _look(self, material: dict[str, Any]) -> StatedLook:
        extensions = material.get("extensions", {})
        pbr, gloss = material.get("pbrMetallicRoughness", {}), extensions.get(_GLOSSINESS)
        factor = (gloss.get("diffuseFactor") if gloss else pbr.get("baseColorFactor")) or WHITE
        image = gloss.get("diffuseTexture") if gloss else pbr.get("baseColorTexture")
        strength = extensions.get("KHR_materials_emissive_strength", {}).get("emissiveStrength", 1)
        light = strength * np.asarray(material.get("emissiveFactor", (0.0, 0.0, 0.0)), float)
        color = _color(factor, self._alpha(material, float(factor[3])))
        emissive = color if _UNLIT in extensions else emitted(srgb(light).tolist())
        look = StatedLook(
            color=color,
            emissive=emissive,
            double_sided=bool(material.get("doubleSided")),
            **self._texture(image),
        )
        glow = self._texture(material.get("emissiveTexture")) if emissive else {}
        return glowing(look, StatedLook(color=emissive, **glow), self._losses)

    def _alpha(self, material: dict[str, Any], alpha: float) -> float:
        """Return the opacity of a material; that of a mask is all or nothing."""
        mode = material.get("alphaMode", "OPAQUE")
        return opacity(alpha) if mode == "BLEND" else 1.0

    def _texture(self, reference: dict[str, Any] | None) -> dict[str, Any]:
        """Return the fields of a look that a reference to a texture states."""
        if not reference:
            return {}
        texture = self._header["textures"][reference["index"]]
        others = texture.get("extensions", {})
        sources = [others[name].get("source") for name in _OTHER_SOURCES if name in others]
        source = texture.get("source", next(iter(sources), None))
        if source is None:
            return {}
        sampler = self._header["samplers"][texture["sampler"]] if "sampler" in texture else {}
        moved = reference.get("extensions", {}).get("KHR_texture_transform", {})
        found: dict[str, Any] = {
            "uv_set": int(moved.get("texCoord", reference.get("texCoord", 0))),
            "uv_transform": _uv_transform(moved),
            "repeats": all(sampler.get(wrap, _REPEAT) == _REPEAT for wrap in ("wrapS", "wrapT")),
        }
        image = self._header["images"][source]
        picture = self._picture(image)
        if picture == b"":
            self._losses.add("a texture inside the file that is damaged")
            return {}
        return found | (
            {"texture": self._textures.find(image.get("uri"))}
            if picture is None
            else {"picture": picture}
        )

    def _picture(self, image: dict[str, Any]) -> bytes | None:
        """Return the content of an image inside the file; None if it is a file of its own."""
        uri = str(image.get("uri", ""))
        if uri.startswith("data:"):
            return _decoded(uri)
        if "bufferView" not in image:
            return None
        view = self._header["bufferViews"][image["bufferView"]]
        start = view.get("byteOffset", 0)
        return self._buffer(view["buffer"])[start : start + view["byteLength"]]

    def _buffer(self, index: int) -> bytes:
        uri = self._header["buffers"][index].get("uri")
        if uri is None:
            length = _CHUNK.unpack_from(self._data, 12)[0]
            return self._data[20 + length + _CHUNK.size :]
        if uri.startswith("data:"):
            return _decoded(uri)
        file = local_file(uri, self._textures.path)
        return read_checked(Path(file)) if file is not None else b""


def _decoded(uri: str) -> bytes:
    try:
        return base64.b64decode(uri.partition(",")[2], validate=True)
    except binascii.Error:
        return b""


def _color(linear: Any, alpha: float) -> Rgba:
    red, green, blue = srgb(linear[:3]).tolist()
    return red, green, blue, alpha


def _uv_transform(moved: dict[str, Any]) -> Array | None:
    """Return the transform of texture coordinates with v upward, shape (2, 3), from one with v
    downward, which scales, turns counterclockwise as the picture is seen, and moves.
    """
    if not moved:
        return None
    sx, sy = moved.get("scale", (1.0, 1.0))
    ox, oy = moved.get("offset", (0.0, 0.0))
    c, s = np.cos(moved.get("rotation", 0.0)), np.sin(moved.get("rotation", 0.0))
    down = np.array(((c * sx, s * sy, ox), (-s * sx, c * sy, oy), (0.0, 0.0, 1.0)))
    flip = np.array(((1.0, 0.0, 0.0), (0.0, -1.0, 1.0), (0.0, 0.0, 1.0)))
    transform: Array = (flip @ down @ flip)[:2]
    return transform


def plain(data: bytes, header: dict[str, Any], looks: list[StatedLook]) -> bytes:
    """Return a file of the same shapes, whose materials have only their number as a name, and whose
    first texture coordinates are those that the texture of the material uses.

    Args:
        data: Contents of the file.
        header: Its header.
        looks: Look of each material.
    """
    kept = {key: value for key, value in header.items() if key not in ("images", "textures")}
    kept["materials"] = [{"name": f"#{number}"} for number in range(len(looks) + 1)]
    kept["meshes"] = [
        {**mesh, "primitives": [_plain_primitive(entry, looks) for entry in mesh["primitives"]]}
        for mesh in header.get("meshes", [])
    ]
    text = json.dumps(kept).encode()
    if not data.startswith(b"glTF"):
        return text
    text += b" " * (-len(text) % 4)
    length, kind = _CHUNK.unpack_from(data, 12)
    rest = data[20 + length :]
    start = data[:8] + struct.pack("<I", 20 + len(text) + len(rest))
    return start + _CHUNK.pack(len(text), kind) + text + rest


def _plain_primitive(primitive: dict[str, Any], looks: list[StatedLook]) -> dict[str, Any]:
    number = primitive.get("material", len(looks))
    attributes = dict(primitive["attributes"])
    used = looks[number].uv_set if number < len(looks) else 0
    first = attributes.pop("TEXCOORD_0", None)
    coordinates = first if used == 0 else attributes.get(f"TEXCOORD_{used}")
    if coordinates is not None:
        attributes["TEXCOORD_0"] = coordinates
    return {**primitive, "attributes": attributes, "material": number}


def vertex_colors(colors: Any) -> Array:
    """Return colors of vertices as they are on a screen, shape (n, 4).

    Args:
        colors: Light as numbers from 0 to 1, or as integers of their whole range, shape (n, 3 or
            4).
    """
    values = np.asarray(colors)
    most = np.iinfo(values.dtype).max if np.issubdtype(values.dtype, np.integer) else 1
    light = values.astype(np.float64) / most
    alpha = light[:, 3:4] if light.shape[1] > 3 else np.ones((len(light), 1))
    return np.concatenate((srgb(light[:, :3]), alpha), axis=1)
