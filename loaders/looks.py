"""Looks of visuals: the one rule for every simulator, viewer and picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loaders.model import Material, Rgba, Visual

DEFAULT_COLOR: Rgba = (0.7, 0.7, 0.7, 1.0)
"""Color of a visual where neither the source nor the mesh file states one: Gazebo's light gray."""
_WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)
"""Color that leaves a texture as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLook:
    """Look of a part of a mesh, as its file states it."""

    color: Rgba | None = None
    """Color, and factor of the texture."""
    texture: str | None = None
    """File of the color texture."""
    emissive: Rgba | None = None
    """Color of the light that it emits."""


UNSTATED = PartLook()
"""Look of a shape that is no mesh, or of a mesh file that states none."""


def tints(visual: Visual) -> bool:
    """Return whether the color of a visual tints the texture of the mesh file, as in URDF, rather
    than replaces it, as in SDFormat and MJCF.
    """
    return visual.where.path.startswith("/robot")


def look_of(visual: Visual, own: PartLook = UNSTATED) -> Material:
    """Return the look of a part of a visual; its color is always stated, with the transparency.

    The source has precedence over the mesh file: its texture replaces the whole look of the part,
    its color replaces the color of the part, and in SDFormat and MJCF also the texture. A material
    that only emits light has the color of its light. An ambient color without a diffuse one counts
    where the mesh file states no look, and tints a texture if it has a hue.

    Args:
        visual: The visual.
        own: What the mesh file states about the part.
    """
    stated = visual.material or Material()
    if stated.texture is not None or (stated.diffuse is not None and not tints(visual)):
        own = UNSTATED
    texture = stated.texture or own.texture
    color = stated.diffuse or own.color or (None if own.texture else _ambient(stated))
    red, green, blue, alpha = color or (_WHITE if texture else DEFAULT_COLOR)
    emissive = stated.emissive or (None if stated.diffuse else own.emissive)
    if emissive is not None and max(red, green, blue) == 0.0:
        red, green, blue = emissive[:3]
    diffuse = (red, green, blue, alpha * (1.0 - visual.transparency))
    return replace(stated, diffuse=diffuse, texture=texture, emissive=emissive)


def _ambient(stated: Material) -> Rgba | None:
    """Return the ambient color of a material, unless it is a gray that would darken its texture."""
    ambient = stated.ambient
    return ambient if ambient and (stated.texture is None or len(set(ambient[:3])) > 1) else None
