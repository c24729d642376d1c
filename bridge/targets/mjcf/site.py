"""site and light."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bridge.targets.mjcf import codes
from bridge.targets.numbers import (
    color,
    composed,
    placement,
    position,
    round_to_short,
    stable_direction,
)
from loaders.model import WORLD, Frame, Light, Model, Sensor
from loaders.pose import IDENTITY, Pose
from loaders.scoped_names import MODEL_FRAME

from .context import MjcfContext, MjcfElement, own_settings


def add_site(name: str, body: int, X_BS: Pose, context: MjcfContext) -> str:
    """Add a site to a body and return its name, which has a number appended if another site has the
    name.

    Args:
        name: The preferred name.
        body: Index of the body, or `bridge.mechanism.bodies.ROOT`.
        X_BS: Pose of the site in the body.
        context: The export.
    """
    name = context.names.claim("site", name)
    context.document.body(body).add("site", name=name, class_="frame", **placement(X_BS))
    return name


def site_at(
    name: str, body: int, X_BS: Pose, context: MjcfContext, *, is_point: bool = False
) -> str:
    """Return the name of the site that a body has at a pose; without one, add it.

    Args:
        name: The preferred name of a new site.
        body: Index of the body, or `bridge.mechanism.bodies.ROOT`.
        X_BS: Pose of the site in the body.
        context: The export.
        is_point: Whether the orientation is of no effect.
    """
    wanted = MjcfElement("site", **placement(X_BS)).attributes
    keys = ("pos",) if is_point else ("pos", "quat")
    for element in context.document.body(body).children:
        if element.tag == "site" and all(
            element.attributes.get(key) == wanted.get(key) for key in keys
        ):
            return element.attributes["name"]
    return add_site(name, body, X_BS, context)


def target_name(item: Light | Sensor, context: MjcfContext) -> str | None:
    """Return the name of the body to which a light or a camera turns; report one that does not
    exist.

    Args:
        item: The light or the camera.
        context: The export.
    """
    if item.target is None:
        return None
    index = context.mechanism.body_index.get(item.target)
    if index is None:
        context.add(
            codes.VIEW_TARGET,
            item.where,
            subjects=(item.name, item.target),
            name=item.name,
            link=item.target,
        )
        return None
    return str(context.document.body(index).attributes.get("name", WORLD))


_TYPES = frozenset({"point", "directional", "spot"})
_MAX_SINGLE = 1e38
_ROUNDING = 1e-15
"""Largest difference of two frames that coincide."""


def write_frames(context: MjcfContext) -> None:
    """Write a site for each frame, and for the frame of each model, unless readers find it
    without.
    """
    for frame in (*_model_frames(context), *context.mechanism.scene.frames):
        name = add_site(frame.name, context.mechanism.body_index[frame.link], frame.X_LF, context)
        if name != frame.name:
            context.names.changed[frame.name] = name


def _model_frames(context: MjcfContext) -> list[Frame]:
    scene = context.mechanism.scene
    X_WL = {WORLD: IDENTITY} | {link.name: link.X_WL for link in scene.links}
    frames = []
    for model in scene.models:
        link = model.canonical_link or WORLD
        X_LM = X_WL[link].inverse() @ model.X_WM
        is_found = (
            _is_world_frame(model, context)
            if model.name == scene.name
            else X_LM.is_close(IDENTITY, _ROUNDING)
        )
        if not is_found:
            frames.append(
                Frame(
                    name=f"{model.name}{MODEL_FRAME}",
                    link=link,
                    X_LF=composed(X_LM),
                    where=model.where,
                )
            )
    return frames


def _is_world_frame(model: Model, context: MjcfContext) -> bool:
    """Return whether the frame of a model is on its first body and at the world's, as the reader of
    MJCF takes it.
    """
    bodies = [body.name for body in context.mechanism.bodies if body.name != WORLD]
    return model.canonical_link in {None, *bodies[:1]} and model.X_WM.is_close(IDENTITY, _ROUNDING)


def write_lights(context: MjcfContext) -> None:
    """Write a ``<light>`` for each light of the scene."""
    for light in context.mechanism.scene.lights:
        if light.type not in _TYPES:
            context.add(codes.LIGHT, light, light=light.name, light_type=light.type)
            continue
        _write_light(light, context)
        parameters = {"inner_angle": light.inner_angle}
        if light.type != "spot":
            parameters |= {"outer_angle": light.outer_angle, "falloff": light.falloff}
        if not light.diffuse[3] == light.specular[3] == 1.0:
            parameters["opacity"] = light.diffuse[3]
        lost = tuple(f"{name}={value:g}" for name, value in parameters.items() if value)
        if lost:
            context.add(codes.LIGHT_PARAMETERS, light, light=light.name, parameters=lost)


def _write_light(light: Light, context: MjcfContext) -> None:
    X_BL = light.X_LLight
    direction = [round_to_short(x) for x in stable_direction(X_BL.R @ _unit(light.direction))]
    is_spot = light.type == "spot"
    element = context.document.body(context.mechanism.body_index[light.link]).add(
        "light",
        name=context.names.claim("light", light.name),
        type=None if is_spot else light.type,
        pos=position(X_BL.p),
        dir=None if direction == [0.0, 0.0, -1.0] else direction,
        diffuse=_scaled(light.diffuse, light.intensity),
        specular=_scaled(light.specular, light.intensity),
        attenuation=_single(light.attenuation) if light.attenuation != (1.0, 0.0, 0.0) else None,
        range=_single((light.range,))[0],
    )
    if is_spot:
        cutoff = math.degrees(light.outer_angle) / 2.0 if light.outer_angle else None
        element.set(cutoff=cutoff, exponent=_single((light.falloff,))[0] or None)
    element.set(
        castshadow=None if light.cast_shadows else False, active=None if light.on else False
    )
    element.set(**(own_settings(light) | {"target": target_name(light, context)}))


def _unit(v: Sequence[float]) -> list[float]:
    length = math.hypot(*v)
    return [x / length for x in v] if length > 0.0 else [0.0, 0.0, -1.0]


def _single(values: Sequence[float]) -> list[float]:
    """Return finite values within the range of single precision, in which MuJoCo keeps them;
    infinity stays.
    """
    return [x if math.isinf(x) else max(-_MAX_SINGLE, min(x, _MAX_SINGLE)) for x in values]


def _scaled(rgba: Sequence[float], intensity: float) -> list[float]:
    return color(c * intensity for c in rgba[:3])
