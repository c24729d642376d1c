"""Looks that mesh files state, in the terms of `MeshPart`: what all readers share."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loaders import codes
from loaders.model import Rgba
from loaders.pose import Array, frozen

from .mesh_data import MeshPart, Remark

BLACK: Rgba = (0.0, 0.0, 0.0, 1.0)
WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)
COLORS_BESIDE = "colors of vertices beside the color or texture of a material"
_ROUNDING = 1e-3
"""Distance from a texture within which coordinates count as inside."""
_MOST_COLORS = 4096
"""Largest number of colors of faces that are kept apart; of more, each channel has 16 levels."""
_TEXELS = 4
"""Width of the square of one color in a picture of colors [pixels]."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Count of what a mesh file states about looks and no part carries."""

    counts: Counter[str] = field(default_factory=Counter)
    """Number of materials or parts, by what they state."""

    def add(self, what: str, count: int = 1) -> None:
        """Count materials or parts."""
        self.counts[what] += count

    def add_ambient(self, look: StatedLook, ambient: Sequence[float] | None) -> None:
        """Count a material that is black but for its hue in ambient light; gray is what exporters
        write into every material.
        """
        is_black = look.color is not None and not any(look.color[:3]) and look.emissive is None
        if is_black and ambient is not None and len(set(ambient[:3])) > 1:
            self.add("ambient light of a black material")

    def remarks(self) -> list[Remark]:
        """Return one remark for each kind of loss."""
        return [
            Remark(codes.MESH_LOOKS, {"what": what, "count": str(count)})
            for what, count in self.counts.items()
            if count
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedLook:
    """The look that one material of a mesh file states, with its textures as files or bytes."""

    color: Rgba | None = None
    texture: str | None = None
    picture: bytes | None = None
    emissive: Rgba | None = None
    double_sided: bool = False
    uv_set: int = 0
    """Number of the set of texture coordinates that the texture uses."""
    uv_transform: Array | None = None
    """Transform of the texture coordinates, v upward, shape (2, 3); None for none."""
    repeats: bool = True
    """Whether the texture repeats outside its own range of coordinates."""

    @property
    def has_texture(self) -> bool:
        """Return whether the look has a picture, as a file or as bytes."""
        return self.texture is not None or self.picture is not None

    def on(self, part: MeshPart, losses: Losses) -> MeshPart:
        """Return a part with this look; the transform of its texture coordinates is applied.

        Args:
            part: The part, without look.
            losses: Count of what is not carried.
        """
        uv = part.uv
        if uv is not None and self.uv_transform is not None and self.has_texture:
            uv = frozen(uv @ self.uv_transform[:, :2].T + self.uv_transform[:, 2])
        if uv is not None and self.has_texture and not self.repeats and _is_outside(uv):
            losses.add("a texture that does not repeat")
        return replace(
            part,
            uv=uv,
            color=self.color,
            texture=self.texture,
            picture=self.picture,
            emissive=self.emissive,
            double_sided=self.double_sided,
        )


def _is_outside(uv: Array) -> bool:
    """Return whether coordinates lie outside the texture, where it may repeat."""
    return bool(uv.min(initial=0.0) < -_ROUNDING or uv.max(initial=1.0) > 1.0 + _ROUNDING)


def glowing(look: StatedLook, glow: StatedLook, losses: Losses) -> StatedLook:
    """Return a look with the texture by which it emits light, if it shows nothing else.

    Args:
        look: The look without this texture.
        glow: The texture of the emitted light, and its factor as the color.
        losses: Count of the textures that cannot be shown beside another.
    """
    if not glow.has_texture:
        return look
    if look.has_texture or (look.color is not None and any(look.color[:3])):
        losses.add("a texture of emitted light beside another color")
        return look
    color = glow.color or WHITE
    return replace(
        glow,
        color=(*color[:3], look.color[3] if look.color else 1.0),
        emissive=color,
        double_sided=look.double_sided,
    )


def opacity(alpha: float) -> float:
    """Return the opacity that an alpha means: many exporters write 0 for what is opaque."""
    alpha = min(max(alpha, 0.0), 1.0)
    return alpha if alpha > 0.0 else 1.0


def emitted(color: Sequence[float] | None) -> Rgba | None:
    """Return the color of emitted light; None if there is none, or it is black."""
    if color is None or len(color) < 3:
        return None
    red, green, blue = (min(max(float(value), 0.0), 1.0) for value in color[:3])
    return (red, green, blue, 1.0) if max(red, green, blue) > 0.0 else None


def srgb(linear: Any) -> Array:
    """Return numbers from 0 to 1 of light as those of colors on a screen (IEC 61966-2-1)."""
    light = np.clip(np.asarray(linear, dtype=np.float64), 0.0, 1.0)
    curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    return np.asarray(np.round(curve, 9), dtype=np.float64)


def colored(part: MeshPart, colors: Array | None, losses: Losses) -> MeshPart:
    """Return a part with the colors of its faces, unless its material states another look.

    Args:
        part: The part, with the look of its material.
        colors: Red, green, blue and alpha of each face from 0 to 1, shape (n, 4), or None.
        losses: Count of what is not carried.
    """
    if colors is None:
        return part
    is_white = part.color is None or part.color[:3] == WHITE[:3]
    if is_white and not part.texture and part.picture is None:
        return _with_colors(part, colors * (1.0, 1.0, 1.0, part.color[3] if part.color else 1.0))
    if colors[:, :3].min() < 1.0:
        losses.add(COLORS_BESIDE)
    return part


def _with_colors(part: MeshPart, colors: Array) -> MeshPart:
    """Return a part in the colors of its faces.

    Colors that are not all equal become a picture with a square for each.

    Args:
        part: The part, without texture; its own color is ignored.
        colors: Red, green, blue and alpha of each face from 0 to 1, shape (n, 4).
    """
    of_faces = np.rint(255.0 * colors).astype(np.int64)
    alpha = opacity(float(of_faces[:, 3].mean()) / 255.0)
    kept = of_faces[:, :3]
    unique, index = _unique_colors(kept)
    if len(unique) > _MOST_COLORS:
        unique, index = _unique_colors(kept // 16 * 17)
    if len(unique) == 1:
        red, green, blue = (float(value) / 255.0 for value in unique[0])
        return replace(part, color=(red, green, blue, alpha), uv=None)
    picture, centers = _palette(unique)
    corners = np.column_stack((part.faces.reshape(-1), np.repeat(index, 3)))
    used, faces = np.unique(corners, axis=0, return_inverse=True)
    return replace(
        part,
        vertices=frozen(part.vertices[used[:, 0]]),
        faces=faces.reshape(-1, 3),
        uv=frozen(centers[used[:, 1]]),
        color=(1.0, 1.0, 1.0, alpha),
        picture=picture,
    )


def _unique_colors(colors: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    keys, index = np.unique(colors @ (1 << 16, 1 << 8, 1), return_inverse=True)
    return np.column_stack((keys >> 16, keys >> 8 & 255, keys & 255)), index.reshape(-1)


def _palette(colors: NDArray[np.int64]) -> tuple[bytes, Array]:
    """Return a picture of colors as PNG, and the texture coordinates of the middle of each."""
    from PIL import Image

    side = math.ceil(math.sqrt(len(colors)))
    squares = np.zeros((side * side, 3), dtype=np.uint8)
    squares[: len(colors)] = colors
    pixels = squares.reshape(side, side, 3).repeat(_TEXELS, axis=0).repeat(_TEXELS, axis=1)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    row, column = np.divmod(np.arange(len(colors)), side)
    return stream.getvalue(), np.column_stack(((column + 0.5) / side, 1.0 - (row + 0.5) / side))
