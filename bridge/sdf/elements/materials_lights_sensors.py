"""``<material>``, ``<light>`` and ``<sensor>``."""

from __future__ import annotations

from bridge.export.documents.files import Files
from bridge.export.xml_text import Element, add
from loaders.model import Light, Material, Rgba, Sensor
from loaders.spatial import Pose

from .basics import add_if, add_parameters, add_pose

_SCRIPT = "file://media/materials/scripts/gazebo.material"
_NUMBERS = ("metalness", "roughness")


def add_material(parent: Element, material: Material, files: Files) -> None:
    """Add the ``<material>`` of a visual.

    Args:
        parent: The ``<visual>``.
        material: The material.
        files: The files of the export.
    """
    element = add(parent, "material")
    if material.name is not None:
        script = add(element, "script")
        add(script, "uri", _SCRIPT)
        add(script, "name", material.name)
    for key in ("ambient", "diffuse", "specular", "emissive", "shininess"):
        add_if(element, key, getattr(material, key))
    maps = dict(material.maps)
    if maps or any(getattr(material, key) is not None for key in _NUMBERS):
        metal = add(add(element, "pbr"), "metal")
        for kind, file in material.maps:
            add(metal, kind, files.uri(file, file))
        for key in _NUMBERS:
            add_if(metal, key, getattr(material, key))
    if material.texture is not None and material.texture != maps.get("albedo_map"):
        add(element, "drake:diffuse_map", files.uri(material.texture, material.texture))


def add_light(parent: Element, light: Light, name: str, X: Pose) -> None:
    """Add a ``<light>``.

    Args:
        parent: The link or world.
        light: The light.
        name: Its name in there.
        X: Its pose in there.
    """
    element = add(parent, "light", name=name, type=light.type)
    add_pose(element, X)
    add_if(element, "cast_shadows", light.cast_shadows, False)
    add_if(element, "intensity", light.intensity, 1.0)
    add_if(element, "light_on", light.on, True)
    add(element, "diffuse", _color(light.diffuse))
    add(element, "specular", _color(light.specular))
    if (light.range, light.attenuation) != (10.0, (1.0, 1.0, 0.0)):
        attenuation = add(element, "attenuation")
        add(attenuation, "range", light.range)
        for key, value in zip(("constant", "linear", "quadratic"), light.attenuation, strict=True):
            add(attenuation, key, value)
    add_if(element, "direction", light.direction, (0.0, 0.0, -1.0))
    if light.type == "spot" or any((light.inner_angle, light.outer_angle, light.falloff)):
        spot = add(element, "spot")
        for key in ("inner_angle", "outer_angle", "falloff"):
            add(spot, key, getattr(light, key))


def _color(rgba: Rgba) -> Rgba:
    return rgba


def add_sensor(parent: Element, sensor: Sensor, X: Pose) -> None:
    """Add a ``<sensor>``.

    Args:
        parent: The link or joint.
        sensor: The sensor.
        X: Its pose in there.
    """
    element = add(parent, "sensor", name=sensor.name, type=sensor.type)
    add_pose(element, X)
    add_if(element, "update_rate", sensor.update_rate, 0.0)
    add_parameters(element, sensor.parameters)
