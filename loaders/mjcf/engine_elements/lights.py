"""Lights: those of MuJoCo on bodies, with the settings that only MuJoCo has."""

from __future__ import annotations

import math
from collections.abc import Iterator

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.mjcf.elements.settings import single, text_of
from loaders.model import Light, Rgba
from loaders.reading.makers import maker
from loaders.spatial import IDENTITY, Pose, frozen_vector

from .views import mode_of, target_of

_Light, _Pose = maker(Light), maker(Pose)
_TYPES = ("spot", "directional", "point", "image")
"""Types by number."""
_IMAGE = 3
_NUMBERS = (
    ("bulbradius", "light_bulbradius", 0.02),
    ("intensity", "light_intensity", 0.0),
    ("softness", "light_softness", 0.2),
    ("cutoff", "light_cutoff", 45.0),
    ("exponent", "light_exponent", 10.0),
)
"""Attribute, array and MuJoCo's default of each further number; older versions of MuJoCo lack some arrays."""
_OF_CONES = frozenset({"cutoff", "exponent"})
"""Numbers that a spot light of a scene has."""


def read_lights(source: Source) -> tuple[Light, ...]:
    """Return the lights of a model; report those that are pictures around the scene."""
    if not source.model.nlight:
        return ()
    names, kinds = source.names("light"), source.model.light_type
    images = tuple(names[i] for i, kind in enumerate(kinds) if int(kind) == _IMAGE)
    if images:
        where = source.where("light", list(names).index(images[0]))
        message = "{count} elements are left out: light {names}, of the type image"
        source.diagnostics.add(
            Fate.NOTED, "mjcf-in.not-carried", message, where, subjects=images, count=len(images), names=images
        )
    return tuple(_light(i, source) for i, kind in enumerate(kinds) if int(kind) != _IMAGE)


def _light(i: int, source: Source) -> Light:
    model, kind = source.model, _TYPES[int(source.model.light_type[i])]
    p, is_spot = model.light_pos[i], kind == "spot"
    x, y, z = model.light_dir[i]
    constant, linear, quadratic = map(single, model.light_attenuation[i])
    return _Light(
        name=source.names("light")[i],
        type=kind,
        link=source.link(int(model.light_bodyid[i])),
        X_LLight=_Pose(IDENTITY.R, frozen_vector(*p)) if any(p) else IDENTITY,
        diffuse=_color(model.light_diffuse[i]),
        specular=_color(model.light_specular[i]),
        direction=(x, y, z),
        range=single(model.light_range[i]),
        attenuation=(constant, linear, quadratic),
        outer_angle=math.radians(2.0 * single(model.light_cutoff[i])) if is_spot else 0.0,
        falloff=single(model.light_exponent[i]) if is_spot else 0.0,
        cast_shadows=bool(model.light_castshadow[i]),
        on=bool(model.light_active[i]),
        target=target_of("light", i, source),
        mujoco=tuple(_settings(i, is_spot, source)),
        where=source.where("light", i),
    )


def _color(rgb: list[float]) -> Rgba:
    red, green, blue = map(single, rgb)
    return red, green, blue, 1.0


def _settings(i: int, is_spot: bool, source: Source) -> Iterator[tuple[str, str]]:
    """Yield what a light of a scene does not have: a cone without falloff, and one around a light that has none."""
    model = source.model
    yield from mode_of("light", i, source)
    if any(model.light_ambient[i]):
        yield "ambient", text_of([single(c) for c in model.light_ambient[i]])
    for name, array, default in _NUMBERS:
        value = single(getattr(model, array, {i: default})[i])
        if value != default and (name not in _OF_CONES or value == 0.0 or not is_spot):
            yield name, text_of(value)
