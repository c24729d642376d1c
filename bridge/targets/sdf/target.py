"""Options, versions and lost fields.

Source: the descriptions ``sdf/1.7`` to ``sdf/1.12`` of libsdformat. Positions of frames, to which
all documents refer, begin with 1.7.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from bridge.choices import Fit, Shapes
from bridge.lowering.sources import SourceOptions
from bridge.targets.fields import LostSettings, losses
from bridge.targets.options import LOWEST, VERSIONS, Repair, World
from bridge.targets.report import Report
from bridge.targets.sdf import codes
from bridge.targets.xml import Element
from loaders import model as m
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR
from loaders.text import number

LOSSES = losses(
    (Scene, "contact_pairs fluid_forces engine_elements tendons", codes.FIELD_DROPPED),
    (m.Link, "virtual engine_settings", codes.FIELD_DROPPED),
    (m.Sensor, "target engine_settings", codes.FIELD),
    (m.Light, "target engine_settings", codes.FIELD),
    (m.Material, "engine_settings", codes.FIELD),
    (m.Joint, "engine_settings", codes.FIELD_DROPPED),
    (m.JointAxis, "inertia", codes.FIELD_DROPPED),
    (m.Coupling, "engine_settings", codes.FIELD_DROPPED),
    (m.Actuator, "tendon control target min_effort feedforward imposes_velocity engine_settings",
        codes.FIELD_DROPPED),
    (m.BallConstraint, "active engine_settings", codes.FIELD_DROPPED),
    (m.Surface, "engine_settings", codes.FIELD_DROPPED),
    (m.Mesh, "data", codes.FIELD_DROPPED),
    (m.Heightmap, "data", codes.FIELD_DROPPED),
)  # fmt: skip
"""Fields that SDFormat lacks."""
LOST_SETTINGS = LostSettings(codes.FIELD_OF_MOTION, codes.FIELD_OF_CONTACT, codes.FIELD_OF_SOLVER)
"""Findings about settings of MuJoCo."""


TARGET = "sdf"


_SINCE: Mapping[str, str] = {
    "geometry/capsule": "1.8",
    "geometry/ellipsoid": "1.8",
    "light/intensity": "1.8",
    "light/light_on": "1.8",
    "lidar/visibility_mask": "1.9",
    "ray/visibility_mask": "1.9",
    "pose@rotation_format": "1.9",
    "inertial/fluid_added_mass": "1.10",
    "joint/screw_thread_pitch": "1.10",
    "sensor/air_speed": "1.10",
    "world/joint": "1.10",
    "axis/mimic": "1.11",
    "axis2/mimic": "1.11",
    "collision/density": "1.11",
    "geometry/cone": "1.11",
    "mesh/convex_decomposition": "1.11",
    "mesh@optimization": "1.11",
    "sensor/frame_id": "1.12",
}
"""Version that introduced an element or an attribute, for what `bridge.targets.sdf` writes."""
_REFERENCES = frozenset({"parent", "child", "joint"})


def with_version(root: Element, version: str, report: Report) -> None:
    """State the version of a document, and report what its readers ignore.

    Args:
        root: The ``<sdf>``, which is changed.
        version: One of `VERSIONS`, or `LOWEST`.
        report: Receives the finding.
    """
    if version == LOWEST or _order(version) < _order("1.10"):
        _use_thread_pitch(root)
    needs = dict(_needs(root))
    chosen = max(needs.values(), key=_order, default=VERSIONS[-1]) if version == LOWEST else version
    newer = tuple(what for what, since in needs.items() if _order(since) > _order(chosen))
    if newer:
        report.add(codes.VERSION, version=chosen, elements=newer)
    root.set("version", chosen)


def _order(version: str) -> int:
    return int(version.partition(".")[2])


def _needs(root: Element) -> Iterator[tuple[str, str]]:
    """Yield what a document has that version 1.7 lacks, with the version that introduced it."""
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        parent = element.getparent()
        path = element.tag if parent is None else "/".join((str(parent.tag), element.tag))
        attributes = (f"{element.tag}@{name}" for name in map(str, element.attrib))
        for what in (path, *attributes):
            if what in _SINCE:
                yield what, _SINCE[what]
        if _refers_into_a_model(element):
            yield f"reference into a nested model by {element.tag}", "1.8"


def _refers_into_a_model(element: Element) -> bool:
    texts = [element.text or ""] if element.tag in _REFERENCES else []
    return any(SEPARATOR in text for text in (*texts, *element.attrib.values()))


def _use_thread_pitch(root: Element) -> None:
    """State the pitch of screw joints as versions before 1.10 do, in radians per meter with the
    opposite sign.
    """
    for element in root.iter("screw_thread_pitch"):
        pitch = float(element.text or "1")
        element.tag = "thread_pitch"
        element.text = number(-2.0 * math.pi / pitch)


class SdfOptions(SourceOptions, total=False):
    """Keywords of `bridge.to_sdf`, which documents them; each may be omitted."""

    world: World
    inertia: Repair
    shapes: Shapes
    fit: Fit
    version: str
    model_config: bool
