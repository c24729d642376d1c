"""The pieces of a model that mujoco_ros2_control looks for: sites of links, names of sensors, and
the elements of ``<mujoco_inputs>`` of the URDF.

Source: the documentation of mujoco_ros2_control, ``hardware_interface.rst`` and ``tools.rst``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lxml import etree

from bridge.mechanism.bodies import ROOT
from bridge.targets.mjcf import codes
from bridge.targets.numbers import placement
from loaders.engine_settings import ROS2_CONTROL, XML_TEXT
from loaders.model import WORLD, EngineElement
from loaders.pose import IDENTITY, Pose, rotation_about

from .context import MjcfContext, MjcfElement

_NAMES = {"orientation": "_quat", "angular_velocity": "_gyro", "acceleration": "_accel"}
"""Ends of the names of sensors, by the names of what they measure."""
_READS_FILES = frozenset({"include", "model", "attach", "plugin", "extension", "hfield", "skin"})
_READS_FILES |= {"flexcomp", "composite", "mesh"}
"""Elements of MJCF that read files or load code."""
_CLASSES = frozenset({"class", "childclass"})
_OF_INPUTS = "_of_inputs"
"""End of the names of the classes of ``<mujoco_inputs>``, which may be those of ours."""
_OPTICAL = Pose.of(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)))
"""MuJoCo's camera, which looks along -z, in an optical frame of ROS, which looks along z."""


def is_for_ros2_control(context: MjcfContext) -> bool:
    """Return whether a document is for mujoco_ros2_control."""
    return context.options.program == ROS2_CONTROL


def sensor_name(name: str, tag: str, part: str, context: MjcfContext) -> str:
    """Return the name of a sensor of MuJoCo.

    Args:
        name: Name of the sensor of the source.
        tag: Element of MJCF.
        part: What it measures, or the number of its ray; empty for all of it.
        context: The export.
    """
    if not is_for_ros2_control(context):
        return f"{name}_{part}" if part else name
    if tag == "rangefinder":
        return f"{name}-{int(part or 0):02d}"
    return name + _NAMES.get(part, f"_{part}" if part else "")


def write_sites(context: MjcfContext) -> None:
    """Add a site at the origin of each link and of the world, with its name."""
    if not is_for_ros2_control(context):
        return
    for name, index in {WORLD: ROOT, **context.mechanism.body_index}.items():
        claimed = context.names.claim("site", name)
        context.document.body(index).add("site", name=claimed, **placement(IDENTITY))


def write_inputs(context: MjcfContext) -> None:
    """Add the elements of ``<mujoco_inputs>``; report those that cannot be added."""
    for element, root in _inputs(context):
        write = _WRITERS.get(element.tag)
        if write is None:
            _report(element, element.tag, "it is no part of <mujoco_inputs>", context)
        else:
            for child in root:
                write(child, element, context)


def stated_actuators(context: MjcfContext) -> frozenset[str]:
    """Return the names of the actuators that ``<mujoco_inputs>`` states."""
    actuators = (node for _, root in _inputs(context) for node in root.iterfind("actuator/*"))
    return frozenset(str(node.get("name", "")) for node in actuators)


def _inputs(context: MjcfContext) -> Iterator[tuple[EngineElement, etree._Element]]:
    """Yield the parts of ``<mujoco_inputs>``, if the document is for mujoco_ros2_control."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    for element in context.mechanism.scene.engine_elements if is_for_ros2_control(context) else ():
        if element.engine == ROS2_CONTROL:
            yield element, etree.fromstring(dict(element.settings)[XML_TEXT], parser)


def _report(element: EngineElement, tag: str, reason: str, context: MjcfContext) -> None:
    context.add(codes.MUJOCO_INPUTS, element.where, tag=tag, reason=reason)


# --- elements as they are -------------------------------------------------------------------------


def _raw(node: etree._Element, element: EngineElement, context: MjcfContext) -> None:
    """Add an element of MJCF to the section of its name; a coupling of ours that it states is
    removed.
    """
    if any(_reads_files(part) for part in node.iter()):
        _report(element, node.tag, "it reads files or loads code", context)
        return
    try:
        section = context.document[node.tag]
    except KeyError:
        _report(element, node.tag, "it is no section of MJCF that can be added", context)
        return
    section.attributes |= _texts(node)
    for child in node:
        added = _element(child)
        section.children = [
            other for other in section.children if not _is_replaced(node.tag, other, added)
        ]
        section.children.append(added)


def _reads_files(node: etree._Element) -> bool:
    return node.tag in _READS_FILES or any(
        key.startswith("file") or (key.endswith("dir") and key != "dir") for key in _texts(node)
    )


def _texts(node: etree._Element) -> dict[str, str]:
    """Return the attributes of an element."""
    return {str(key): str(value) for key, value in node.attrib.items()}


def _element(node: etree._Element) -> MjcfElement:
    """Return an element of a document, with its children; `loaders.xml` limits their depth."""
    made = MjcfElement(node.tag)
    made.attributes = {
        str(key): f"{value}{_OF_INPUTS}" if key in _CLASSES else value
        for key, value in _texts(node).items()
    }
    made.children = [_element(child) for child in node]
    made.is_stated = True
    return made


def _is_replaced(section: str, ours: MjcfElement, added: MjcfElement) -> bool:
    """Return whether an element of ours couples the same joints as one that is added."""
    is_ours = section == "equality" and not ours.is_stated
    return is_ours and ours.tag == added.tag == "joint" and _ends(ours) == _ends(added)


def _ends(coupling: MjcfElement) -> set[str | None]:
    return {coupling.attributes.get("joint1"), coupling.attributes.get("joint2")}


# --- elements that are made -----------------------------------------------------------------------


def _processed(node: etree._Element, element: EngineElement, context: MjcfContext) -> None:
    make = _MAKERS.get(node.tag)
    attributes = _texts(node)
    reason = "it has no counterpart here" if make is None else make(attributes, context)
    if reason:
        _report(element, node.tag, reason, context)


def _place(link: str, context: MjcfContext) -> int | None:
    """Return the index of the body of a link; None if there is none."""
    return ROOT if link == WORLD else context.mechanism.body_index.get(link)


def _camera(attributes: dict[str, str], context: MjcfContext) -> str:
    """Add a camera in the optical frame of a link; return why it cannot be added."""
    link = attributes.pop("site", "")
    body = _place(link, context)
    if body is None:
        return f"there is no link {link!r}"
    name = context.names.claim("camera", attributes.pop("name", "camera"))
    camera = context.document.body(body).add("camera", name=name, **placement(_OPTICAL))
    camera.attributes |= attributes
    return ""


def _lidar(attributes: dict[str, str], context: MjcfContext) -> str:
    """Add the sites of the rays of a lidar, about the z axis of a link; return why they cannot be
    added.
    """
    link = attributes.get("ref_site", "")
    body = _place(link, context)
    try:
        first, last, step = (
            float(attributes[key]) for key in ("min_angle", "max_angle", "angle_increment")
        )
    except (KeyError, ValueError):
        return "it needs the numbers min_angle, max_angle and angle_increment"
    if body is None:
        return f"there is no link {link!r}"
    if not step > 0.0 or not 0.0 <= (last - first) / step < _MAX_RAYS:
        return f"its angles make no number of rays below {_MAX_RAYS}"
    count = int((last - first) / step) + 1
    turned = rotation_about((0.0, 0.0, 1.0), first)  # the rays begin here, z along the first one
    rotation = turned @ Pose.of(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))).R
    name = attributes.get("sensor_name", "lidar")
    carrier = context.document.body(body).add(
        "body",
        name=context.names.claim("body", f"{link}_lidar_body"),
        **placement(Pose.of(rotation)),
    )
    replicate = carrier.add(
        "replicate", count=float(count), sep="-", euler=(0.0, step, 0.0), site=link
    )
    del replicate.attributes["site"]
    replicate.add("site", name=name)
    return ""


_MAX_RAYS = 10_000


def _modify(attributes: dict[str, str], context: MjcfContext) -> str:
    """Set attributes of an element of the document; return why they cannot be set."""
    kind, mesh = attributes.pop("type", ""), attributes.pop("mesh", None)
    name = attributes.pop("name", None)
    if kind == "geom":
        attributes.pop("class", None)
    if any(key.startswith("file") for key in attributes):
        return "it names a file"
    key, value = ("mesh", mesh) if kind == "geom" and mesh is not None else ("name", name)
    found = [
        item for item in _all(context) if item.tag == kind and item.attributes.get(key) == value
    ]
    for item in found:
        item.attributes |= attributes
    return "" if found else f"there is no {kind} {value!r}"


def _all(context: MjcfContext) -> Iterator[MjcfElement]:
    sections = (context.document[tag] for tag in ("worldbody", "tendon", "actuator", "equality"))
    for root in (*context.document.bodies, *sections):
        yield from root.walk()


_MAKERS: Mapping[str, Callable[[dict[str, str], MjcfContext], str]] = {
    "camera": _camera,
    "lidar": _lidar,
    "modify_element": _modify,
}
"""Functions that add what an element of ``<processed_inputs>`` asks for; they return why they
cannot, or an empty text."""
_WRITERS: Mapping[str, Callable[[etree._Element, EngineElement, MjcfContext], None]] = {
    "raw_inputs": _raw,
    "processed_inputs": _processed,
    "scene": _raw,
}
"""Function that adds each child of a part of ``<mujoco_inputs>``."""
