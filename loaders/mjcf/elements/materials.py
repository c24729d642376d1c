"""Looks: the materials and colors of a compiled model."""

from __future__ import annotations

from typing import Any

from loaders.mjcf.compilation.source import Source
from loaders.model import Material
from loaders.reading.makers import maker

from .settings import single

_Material = maker(Material)
_DEFAULT_COLOR = [0.5, 0.5, 0.5, 1.0]
_MAX_EXPONENT = 128.0
"""Specular exponent of a shininess of 1."""


class Looks:
    """The material of each geom; equal ones are one object."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._materials: dict[tuple[int, tuple[float, ...]], Material] = {}
        self._looks: dict[tuple[float, ...], tuple[Material, float]] = {}

    def of_geom(self, g: int) -> tuple[Material, float]:
        """Return the material and the transparency of a geom."""
        model = self._source.model
        material, rgba = model.geom_matid[g], model.geom_rgba[g]
        stated = (material, *rgba)
        if stated not in self._looks:
            if material >= 0 and rgba == _DEFAULT_COLOR:
                rgba = model.mat_rgba[material]
            key = (material, tuple(map(single, rgba)))
            if key not in self._materials:
                self._materials[key] = self._material(material, *key[1])
            self._looks[stated] = self._materials[key], 1.0 - key[1][3]
        return self._looks[stated]

    def _material(self, material: int, red: float, green: float, blue: float, _alpha: float) -> Material:
        diffuse = (red, green, blue, 1.0)
        if material < 0:
            return _Material(diffuse=diffuse)
        model = self._source.model
        specular, emission = single(model.mat_specular[material]), single(model.mat_emission[material])
        return _Material(
            name=self._source.names("material")[material],
            diffuse=diffuse,
            specular=(specular, specular, specular, 1.0),
            emissive=(emission * red, emission * green, emission * blue, 1.0) if emission else None,
            shininess=single(model.mat_shininess[material]) * _MAX_EXPONENT,
            texture=self._texture(row_of_textures(model.mat_texid[material])),
        )

    def _texture(self, textures: list[int]) -> str | None:
        """Return the file of the color texture, or None if there is none."""
        names = [self._source.names("texture")[t] for t in textures if t >= 0]
        files = [self._source.assets.textures[name].path for name in names if name in self._source.assets.textures]
        return files[0] if files else None


def row_of_textures(values: Any) -> list[int]:
    """Return the textures of a material, of which older versions of MuJoCo have one.

    Args:
        values: Its element of ``mat_texid``.
    """
    return values if isinstance(values, list) else [values]
