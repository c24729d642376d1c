"""sensor, camera and light."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from loaders.engine_settings import MUJOCO
from loaders.mjcf import codes
from loaders.model import WORLD, EngineElement, Light, Link, Rgba, Sensor, Settings, of_engine
from loaders.node import Node
from loaders.pose import CAMERA_AXES, IDENTITY, Pose, frozen

from .compiled_model import Source
from .settings import single, text_of, unless
from .unsupported import OF_REGIONS

_OBJECTS = (
    "site", "joint", "tendon", "actuator", "body", "objname", "camera", "geom1", "body1",
    "subtree1", "geom",
)  # fmt: skip
"""Attributes with the name of what a sensor measures."""
_REFERENCES = ("site", "refname", "geom2", "body2", "subtree2", "camera")
"""Attributes with the name of a second item."""
_KINDS = {"xbody": "body", "unknown": ""}
_FOREIGN = frozenset({"mesh", "plugin", "instance"})
"""Attributes that a scene cannot follow."""
_SHAPES = {
    2: ("sphere", 1),
    3: ("capsule", 2),
    4: ("ellipsoid", 3),
    5: ("cylinder", 2),
    6: ("box", 3),
}
"""Name, and number of sizes, of each of MuJoCo's types of the shape of a site."""


def read_sensors(source: Source) -> tuple[EngineElement, ...]:
    """Return each sensor as an element of MuJoCo; report those of plugins."""
    found = (_sensor(i, source) for i in range(source.model.nsensor))
    return tuple(sensor for sensor in found if sensor is not None)


def _sensor(i: int, source: Source) -> EngineElement | None:
    node, name = source.node("sensor", i), source.names("sensor")[i]
    where = source.where("sensor", i)
    first, second = _item(i, "obj", source), _item(i, "ref", source)
    references = {} if node is None else _references(node, first, second)
    if (
        node is None
        or node.tag == "plugin"
        or _FOREIGN & node.attributes.keys()
        or _is_mesh(node, references, source)
    ):
        source.diagnostics.add(codes.PLUGIN, where, subjects=(name,), name=name)
        return None
    kept = {k: v for k, v in node.attributes.items() if k not in references and k != "name"}
    return EngineElement(
        engine=MUJOCO,
        name=name,
        section="sensor",
        tag=node.tag,
        settings=(*kept.items(), *_region(node.tag, references, source)),
        references=tuple(references.items()),
        where=where,
    )


def _references(node: Node, first: str, second: str) -> dict[str, str]:
    """Return the attributes that name the items of a sensor, with their names in the compiled
    model.

    Args:
        node: The element of the sensor.
        first: Name of what it measures.
        second: Name of its second item.
    """
    objects = ("objname",) if node.tag == "insidesite" else _OBJECTS
    found = dict(_named(node.attributes, objects, first)[:1])
    return found | dict(
        _named({k: v for k, v in node.attributes.items() if k not in found}, _REFERENCES, second)
    )


def _site_of_region(tag: str, references: Mapping[str, str], source: Source) -> int | None:
    """Return the index of the site in which a sensor measures; None if it measures in none."""
    if tag not in OF_REGIONS or "site" not in references:
        return None
    return source.names("site").index(references["site"])


def _is_mesh(node: Node, references: Mapping[str, str], source: Source) -> bool:
    """Return whether a sensor measures in a site whose shape is a mesh, or one that a scene does
    not know.
    """
    site = _site_of_region(node.tag, references, source)
    return site is not None and int(source.model.site_type[site]) not in _SHAPES


def _region(tag: str, references: Mapping[str, str], source: Source) -> Settings:
    """Return the shape of the site in which a sensor measures, as settings of that site."""
    site = _site_of_region(tag, references, source)
    if site is None:
        return ()
    kind, count = _SHAPES[int(source.model.site_type[site])]
    return ("site/type", kind), ("site/size", text_of(source.model.site_size[site][:count]))


def _named(
    attributes: Mapping[str, str], keys: tuple[str, ...], name: str
) -> list[tuple[str, str]]:
    """Return the attributes that name an item, with the name in the compiled model, where replicas
    have their own.
    """
    return [(key, name or attributes[key]) for key in keys if key in attributes]


def _item(i: int, role: str, source: Source) -> str:
    """Return the name of an item of a sensor; empty if it has none."""
    model = source.model
    kind = source.compiled.names["mjtObj"][int(getattr(model, f"sensor_{role}type")[i])]
    kind = kind.removeprefix("mjOBJ_").lower()
    kind, index = _KINDS.get(kind, kind), int(getattr(model, f"sensor_{role}id")[i])
    return source.names(kind)[index] if kind and index >= 0 else ""


_MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
"""Modes by number."""
_ARRAYS = {"camera": "cam", "light": "light"}


def mode_of(kind: str, index: int, source: Source) -> Settings:
    """Return the mode of a light or a camera that does not turn with its body.

    Args:
        kind: ``camera`` or ``light``.
        index: Its index in the compiled model.
        source: The compiled model.
    """
    mode = int(getattr(source.model, f"{_ARRAYS[kind]}_mode")[index])
    return (("mode", _MODES[mode]),) if mode else ()


def target_of(kind: str, index: int, source: Source) -> str | None:
    """Return the name of the link to which a light or a camera turns, or None.

    Args:
        kind: ``camera`` or ``light``.
        index: Its index in the compiled model.
        source: The compiled model.
    """
    body = int(getattr(source.model, f"{_ARRAYS[kind]}_targetbodyid")[index])
    return source.link(body) if body >= 0 else None


_IMAGE = (320.0, 240.0)
"""Size of SDFormat's image if the source states none."""
_AXES = CAMERA_AXES.inverse()
_OUTPUTS = {1: "rgb", 2: "depth", 4: "dist", 8: "normal", 16: "seg"}
_ORTHOGRAPHIC = 1


def with_cameras(links: Sequence[Link], name: str, source: Source) -> tuple[Link, ...]:
    """Return the links of a model with its cameras; cameras of the world belong to a link named
    ``world``.

    Args:
        links: The links.
        name: Name of the model.
        source: The compiled model.
    """
    if not source.model.ncam:
        return tuple(links)
    cameras: dict[str, list[Sensor]] = {}
    for i, body in enumerate(source.model.cam_bodyid):
        cameras.setdefault(source.link(int(body)), []).append(_camera(i, source))
    if WORLD in cameras and all(link.name != WORLD for link in links):
        links = [Link(name=WORLD, model=name, X_WL=IDENTITY), *links]
    return tuple(
        replace(link, sensors=tuple(cameras[link.name])) if link.name in cameras else link
        for link in links
    )


def _camera(i: int, source: Source) -> Sensor:
    return Sensor(
        name=source.names("camera")[i],
        type="camera",
        X_LS=source.pose("cam", i) @ _AXES,
        parameters=_parameters(i, source),
        target=target_of("camera", i, source),
        engine_settings=of_engine(
            MUJOCO, (*mode_of("camera", i, source), *_camera_settings(i, source))
        ),
        where=source.where("camera", i),
    )


def _is_orthographic(i: int, source: Source) -> bool:
    return int(getattr(source.model, "cam_projection", {i: 0})[i]) == _ORTHOGRAPHIC


def _has_size(i: int, source: Source) -> bool:
    return list(source.model.cam_resolution[i]) != [1, 1]


def _parameters(i: int, source: Source) -> Settings:
    """Return the field of view and the size of the image, as SDFormat has them."""
    found = []
    half_width = _half_width(i, source)
    if half_width > 0.0:
        found.append(("camera/horizontal_fov", text_of([2.0 * math.atan(half_width)])))
    if _has_size(i, source):
        width, height = source.model.cam_resolution[i]
        found += [
            ("camera/image/width", str(int(width))),
            ("camera/image/height", str(int(height))),
        ]
    return tuple(found)


def _half_width(i: int, source: Source) -> float:
    """Return half of the width of the image at a distance of one; zero if no angle states the field
    of view.
    """
    model = source.model
    width, height = model.cam_resolution[i] if _has_size(i, source) else _IMAGE
    if _is_orthographic(i, source):
        return 0.0
    if any(model.cam_sensorsize[i]):
        focal = float(model.cam_intrinsic[i][0])
        return float(model.cam_sensorsize[i][0]) / (2.0 * focal) if focal > 0.0 else 0.0
    return math.tan(math.radians(model.cam_fovy[i]) / 2.0) * float(width) / float(height)


def _camera_settings(i: int, source: Source) -> Iterator[tuple[str, str]]:
    model = source.model
    if not _has_size(i, source):
        yield "resolution", "1 1"
    if _is_orthographic(i, source):
        yield "projection", "orthographic"
        yield "fovy", text_of([model.cam_fovy[i]])
    elif any(model.cam_sensorsize[i]):
        numbers = [single(x) for x in model.cam_intrinsic[i]]
        yield "sensorsize", text_of([single(x) for x in model.cam_sensorsize[i]])
        if any(numbers[:2]):
            yield "focal", text_of(numbers[:2])
        if any(numbers[2:]):
            yield "principal", text_of(numbers[2:])
    yield from unless("ipd", model.cam_ipd[i], 0.068)
    outputs = int(getattr(model, "cam_output", {i: 1})[i])
    if outputs != 1:
        yield "output", " ".join(word for bit, word in _OUTPUTS.items() if outputs & bit)


_TYPES = ("spot", "directional", "point", "image")
"""Types by number."""
_IMAGE_LIGHT = 3
_NUMBERS = (
    ("bulbradius", "light_bulbradius", 0.02),
    ("intensity", "light_intensity", 0.0),
    ("softness", "light_softness", 0.2),
    ("cutoff", "light_cutoff", 45.0),
    ("exponent", "light_exponent", 10.0),
)
"""Attribute, array and MuJoCo's default of each further number; older versions of MuJoCo lack some
arrays."""
_OF_CONES = frozenset({"cutoff", "exponent"})
"""Numbers that a spot light of a scene has."""


def read_lights(source: Source) -> tuple[Light, ...]:
    """Return the lights of a model; report those that are pictures around the scene."""
    if not source.model.nlight:
        return ()
    names, kinds = source.names("light"), source.model.light_type
    images = tuple(names[i] for i, kind in enumerate(kinds) if int(kind) == _IMAGE_LIGHT)
    if images:
        where = source.where("light", list(names).index(images[0]))
        source.diagnostics.add(
            codes.NOT_CARRIED_LIGHT, where, subjects=images, count=len(images), names=images
        )
    return tuple(_light(i, source) for i, kind in enumerate(kinds) if int(kind) != _IMAGE_LIGHT)


def _light(i: int, source: Source) -> Light:
    model, kind = source.model, _TYPES[int(source.model.light_type[i])]
    p, is_spot = model.light_pos[i], kind == "spot"
    x, y, z = model.light_dir[i]
    constant, linear, quadratic = map(single, model.light_attenuation[i])
    return Light(
        name=source.names("light")[i],
        type=kind,
        link=source.link(int(model.light_bodyid[i])),
        X_LLight=Pose(IDENTITY.R, frozen(p)) if any(p) else IDENTITY,
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
        engine_settings=of_engine(MUJOCO, tuple(_light_settings(i, is_spot, source))),
        where=source.where("light", i),
    )


def _color(rgb: list[float]) -> Rgba:
    red, green, blue = map(single, rgb)
    return red, green, blue, 1.0


def _light_settings(i: int, is_spot: bool, source: Source) -> Iterator[tuple[str, str]]:
    """Yield what a light of a scene does not have: a cone without falloff, and one around a light
    that has none.
    """
    model = source.model
    yield from mode_of("light", i, source)
    if any(model.light_ambient[i]):
        yield "ambient", text_of([single(c) for c in model.light_ambient[i]])
    for name, array, default in _NUMBERS:
        value = single(getattr(model, array, {i: default})[i])
        if value != default and (name not in _OF_CONES or value == 0.0 or not is_spot):
            yield name, text_of(value)
