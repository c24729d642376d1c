"""Materials of visuals."""

from __future__ import annotations

from dataclasses import dataclass

from .common import Rgba


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The appearance of a visual, with linear colors; None is not stated by the source."""

    name: str | None = None
    """Name in the source."""
    diffuse: Rgba | None = None
    """Diffuse color."""
    ambient: Rgba | None = None
    """Ambient color."""
    specular: Rgba | None = None
    """Specular color."""
    emissive: Rgba | None = None
    """Emitted color."""
    shininess: float | None = None
    """Specular exponent."""
    texture: str | None = None
    """File of the color texture; None also if it was not found."""
    metalness: float | None = None
    """Metalness of physically based rendering, from 0 to 1."""
    roughness: float | None = None
    """Roughness of physically based rendering, from 0 to 1."""
    maps: tuple[tuple[str, str], ...] = ()
    """Kind and file of each further texture of physically based rendering that was found."""
