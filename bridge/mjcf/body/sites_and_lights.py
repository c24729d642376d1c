"""Lights, and named frames as sites."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bridge.mjcf.constraint.equality import site
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.number_format import color, position, snapped
from loaders.diagnostics import Fate
from loaders.model import WORLD, Frame, Light, Model
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import IDENTITY, Pose

_TYPES = frozenset({"point", "directional", "spot"})


def frames(context: Context) -> None:
    """A site for each frame, and for each model whose frame is not that of its canonical link."""
    for frame in (*context.mechanism.scene.frames, *_model_frames(context)):
        name = site(frame.name, context.index[frame.link], frame.X_LF, context)
        if name != frame.name:
            context.names.changed[frame.name] = name


def _model_frames(context: Context) -> list[Frame]:
    X_WL = {WORLD: IDENTITY} | {link.name: link.X_WL for link in context.mechanism.scene.links}
    found = []
    for model in context.mechanism.scene.models:
        link = model.canonical_link or WORLD
        X_LM = X_WL[link].inverse() @ model.X_WM
        if not X_LM.is_close(IDENTITY, 1e-15):
            found.append(_frame_of(model, link, X_LM))
    return found


def _frame_of(model: Model, link: str, X_LM: Pose) -> Frame:
    return Frame(name=f"{model.name}{SEPARATOR}__model__", link=link, X_LF=X_LM, where=model.where)


def lights(context: Context) -> None:
    """A ``<light>`` for each lamp."""
    for light in context.mechanism.scene.lights:
        if light.type not in _TYPES:
            context.report(
                Fate.DROPPED,
                "light",
                "light {light} is of type {light_type}, which MuJoCo does not have",
                light.where,
                light=light.name,
                light_type=light.type,
            )
            continue
        _light(light, context)


def _light(light: Light, context: Context) -> None:
    X_BL = light.X_LLight
    direction = [snapped(float(x)) for x in X_BL.R @ _unit(light.direction)]
    is_spot = light.type == "spot"
    context.document.body(context.index[light.link]).add(
        "light",
        name=context.names.claim("light", light.name),
        type=None if is_spot else light.type,
        pos=position(X_BL.p),
        dir=None if direction == [0.0, 0.0, -1.0] else direction,
        diffuse=_scaled(light.diffuse, light.intensity),
        specular=_scaled(light.specular, light.intensity),
        attenuation=light.attenuation if light.attenuation != (1.0, 0.0, 0.0) else None,
        range=light.range,
        cutoff=math.degrees(light.outer_angle) / 2.0 if is_spot and light.outer_angle else None,
        exponent=light.falloff if is_spot and light.falloff else None,
        castshadow=None if light.cast_shadows else False,
        active=None if light.on else False,
    )
    lost = [
        f"{name}={value:g}"
        for name, value in (
            ("inner_angle", light.inner_angle),
            ("outer_angle", 0.0 if is_spot else light.outer_angle),
            ("falloff", 0.0 if is_spot else light.falloff),
            ("opacity", 0.0 if light.diffuse[3] == light.specular[3] == 1.0 else light.diffuse[3]),
        )
        if value
    ]
    if lost:
        context.report(
            Fate.NOTED,
            "light-parameters",
            "of light {light} these are not carried: {names}",
            light.where,
            light=light.name,
            names=", ".join(lost),
        )


def _unit(v: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(x * x for x in v))
    return [x / length for x in v] if length > 0.0 else [0.0, 0.0, -1.0]


def _scaled(rgba: Sequence[float], intensity: float) -> list[float]:
    return color(c * intensity for c in rgba[:3])
