"""Cameras: as sensors of links, with the settings that only MuJoCo has."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from loaders.mjcf.compilation.source import Source
from loaders.mjcf.elements.settings import single, text_of, unless
from loaders.model import WORLD, Link, Sensor, Settings
from loaders.reading.makers import maker
from loaders.spatial import CAMERA_AXES, IDENTITY

from .views import mode_of, target_of

_Sensor = maker(Sensor)
_IMAGE = (320.0, 240.0)
"""Size of SDFormat's image if the source states none."""
_AXES = CAMERA_AXES.inverse()
_OUTPUTS = {1: "rgb", 2: "depth", 4: "dist", 8: "normal", 16: "seg"}
_ORTHOGRAPHIC = 1


def with_cameras(links: Sequence[Link], name: str, source: Source) -> tuple[Link, ...]:
    """Return the links of a model with its cameras; cameras of the world belong to a link named ``world``.

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
    return tuple(replace(link, sensors=tuple(cameras[link.name])) if link.name in cameras else link for link in links)


def _camera(i: int, source: Source) -> Sensor:
    return _Sensor(
        name=source.names("camera")[i],
        type="camera",
        X_LS=source.pose("cam", i) @ _AXES,
        parameters=_parameters(i, source),
        target=target_of("camera", i, source),
        mujoco=(*mode_of("camera", i, source), *_settings(i, source)),
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
        found += [("camera/image/width", str(int(width))), ("camera/image/height", str(int(height)))]
    return tuple(found)


def _half_width(i: int, source: Source) -> float:
    """Return half of the width of the image at a distance of one; zero if no angle states the field of view."""
    model = source.model
    width, height = model.cam_resolution[i] if _has_size(i, source) else _IMAGE
    if _is_orthographic(i, source):
        return 0.0
    if any(model.cam_sensorsize[i]):
        focal = float(model.cam_intrinsic[i][0])
        return float(model.cam_sensorsize[i][0]) / (2.0 * focal) if focal > 0.0 else 0.0
    return math.tan(math.radians(model.cam_fovy[i]) / 2.0) * float(width) / float(height)


def _settings(i: int, source: Source) -> Iterator[tuple[str, str]]:
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
