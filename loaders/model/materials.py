"""The look of a visual."""

from __future__ import annotations

from dataclasses import dataclass

from .common import Rgba


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """How a visual looks. Colours are linear red, green, blue, opacity in 0..1; None is not stated."""

    name: str | None = None
    diffuse: Rgba | None = None
    ambient: Rgba | None = None
    specular: Rgba | None = None
    emissive: Rgba | None = None
    shininess: float | None = None
    texture: str | None = None
    """File of the colour texture."""
    metalness: float | None = None
    roughness: float | None = None
    maps: tuple[tuple[str, str], ...] = ()
    """Further textures of physically based rendering: kind and file."""
