"""Looks that a material library (MTL) of an OBJ file states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from loaders.model import Rgba
from loaders.pose import Array

from .mesh_data import Textures
from .stated_looks import WHITE, Losses, StatedLook, emitted, glowing, opacity

_OPTIONS = {"-mm": 2, "-o": 3, "-s": 3, "-t": 3}
"""Largest number of arguments of the options of a texture in MTL; all others have one."""
_VARIABLE = ("-o", "-s", "-t")
"""Options that may have fewer arguments."""


def mtl_looks(library: str, textures: Textures, losses: Losses) -> dict[str, StatedLook]:
    """Return the looks that a material library states, by the names of the materials.

    Args:
        library: Text of the library.
        textures: Search for the textures.
        losses: Count of what is not carried.
    """
    return {
        name: _look(statements, textures, losses)
        for name, statements in _materials(library).items()
    }


def _look(statements: dict[str, list[str]], textures: Textures, losses: Losses) -> StatedLook:
    image = _texture(statements.get("map_kd"))
    color = _color(statements.get("kd"))
    alpha = _opacity(statements)
    if color is None and alpha < 1.0:
        color = WHITE
    mask = _texture(statements.get("map_d"))
    if mask is not None and (image is None or mask.name != image.name):
        losses.add("opacity by a texture")
    look = StatedLook(
        color=color and (*color[:3], alpha),
        texture=textures.find(image.name) if image else None,
        emissive=emitted(list(_numbers(statements.get("ke")))),
        uv_transform=image.uv_transform if image else None,
        repeats=image is None or image.options.get("-clamp") not in (["on"], ["1"]),
    )
    glow = _texture(statements.get("map_ke"))
    file = textures.find(glow.name) if glow else None
    return glowing(look, StatedLook(texture=file, color=look.emissive), losses)


def _color(words: Sequence[str] | None) -> Rgba | None:
    """Return the color of a statement; one number is a shade of gray."""
    values = [min(max(value, 0.0), 1.0) for value in _numbers(words)][:3]
    if not values:
        return None
    red, green, blue = values if len(values) == 3 else 3 * values[:1]
    return red, green, blue, 1.0


def _opacity(statements: dict[str, list[str]]) -> float:
    """Return the opacity; where ``d`` is stated too, ``Tr`` is the same the other way around."""
    opaque = list(_numbers((statements.get("d") or [])[-1:]))
    clear = list(_numbers((statements.get("tr") or [])[-1:]))
    return opacity(opaque[0] if opaque else 1.0 - clear[0] if clear else 1.0)


def _materials(library: str) -> dict[str, dict[str, list[str]]]:
    """Return the words of each statement of each material of a library, by their names.

    Args:
        library: Text of the library.
    """
    materials: dict[str, dict[str, list[str]]] = {}
    statements: dict[str, list[str]] = {}
    for line in library.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0].lower() == "newmtl":
            statements = materials[" ".join(words[1:])] = {}
        else:
            statements[words[0].lower()] = words[1:]
    return materials


@dataclass(frozen=True, slots=True)
class _Texture:
    """A texture of MTL: the name of its file, and its options."""

    name: str
    options: dict[str, list[str]]

    @property
    def uv_transform(self) -> Array | None:
        """The transform that ``-s`` and ``-o`` state, shape (2, 3); None if they state none."""
        scale, offset = (
            [*map(_number, self.options.get(key, ())), *default][:2]
            for key, default in (("-s", (1.0, 1.0)), ("-o", (0.0, 0.0)))
        )
        if (scale, offset) == ([1.0, 1.0], [0.0, 0.0]):
            return None
        return np.array(((scale[0], 0.0, offset[0]), (0.0, scale[1], offset[1])))


def _texture(words: Sequence[str] | None) -> _Texture | None:
    """Return the texture that a statement such as ``map_Kd`` names; None if it names none."""
    pending = list(words or ())
    options: dict[str, list[str]] = {}
    while pending and pending[0].startswith("-"):
        option = pending.pop(0)
        most = _OPTIONS.get(option, 1)
        least = 1 if option in _VARIABLE else most
        count = 0
        while count < most and len(pending) > 1 and (count < least or _is_number(pending[0])):
            options.setdefault(option, []).append(pending.pop(0))
            count += 1
    return _Texture(" ".join(pending), options) if pending else None


def _numbers(words: Sequence[str] | None) -> Iterator[float]:
    """Yield the finite numbers at the beginning of a statement."""
    for word in words or ():
        if not _is_number(word):
            return
        yield float(word)


def _is_number(word: str) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def _number(word: str) -> float:
    return float(word) if _is_number(word) else 0.0
