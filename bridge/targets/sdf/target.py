"""Options, versions and supported fields.

Source: the descriptions ``sdf/1.7`` to ``sdf/1.12`` of libsdformat. Positions of frames, to which
all documents refer, begin with 1.7.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from bridge.targets.options import LOWEST, VERSIONS, Repair, World
from bridge.targets.report import Report, SupportedFields
from bridge.targets.sdf import codes
from bridge.targets.xml import Element
from loaders import LoadOptions
from loaders import model as m
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR
from loaders.text import number

_ITEM = {"name", "where"}
_PAIR = {"where", "link_A", "link_B", "p_AP", "p_BQ"}

SUPPORTED_FIELDS: SupportedFields = {
    Scene: {
        "name",
        "source",
        "gravity",
        "physics",
        "wind",
        "magnetic_field",
        "models",
        "links",
        "joints",
        "frames",
        "keyframes",
        "lights",
        "couplings",
        "actuators",
        "constraints",
        "forces",
        "filter_groups",
        "filter_rules",
        "diagnostics",
    },
    m.Physics: {
        "time_step",
        "real_time_factor",
        "real_time_update_rate",
        "max_contacts",
        "engine",
        "parameters",
    },
    m.Model: _ITEM
    | {
        "X_WM",
        "canonical_link",
        "static",
        "self_collide",
        "allow_auto_disable",
        "enable_wind",
        "placement_frame",
    },
    m.Link: _ITEM
    | {
        "model",
        "X_WL",
        "inertia",
        "collisions",
        "visuals",
        "sensors",
        "gravity",
        "kinematic",
        "self_collide",
        "enable_wind",
        "velocity_decay",
        "added_mass",
        "surface_velocity_axis",
        "deformable",
    },
    m.Collision: _ITEM | {"X_LG", "geometry", "surface", "density"},
    m.Visual: _ITEM
    | {"X_LG", "geometry", "material", "transparency", "cast_shadows", "roles", "renderers"},
    m.Sensor: _ITEM | {"type", "X_LS", "joint", "update_rate", "parameters"},
    m.Frame: _ITEM | {"link", "X_LF"},
    m.Light: _ITEM
    | {
        "type",
        "link",
        "X_LLight",
        "diffuse",
        "specular",
        "direction",
        "range",
        "attenuation",
        "inner_angle",
        "outer_angle",
        "falloff",
        "intensity",
        "cast_shadows",
        "on",
    },
    m.Joint: _ITEM
    | {
        "type",
        "parent",
        "child",
        "X_PJ",
        "X_CJ",
        "axes",
        "pitch",
        "gear_ratio",
        "gear_reference",
        "curve",
        "default_position",
        "sensors",
        "provide_feedback",
        "virtual",
    },
    m.JointAxis: {
        "xyz",
        "lower",
        "upper",
        "effort",
        "velocity",
        "acceleration",
        "damping",
        "friction",
        "spring_stiffness",
        "spring_reference",
        "limit_stiffness",
        "limit_dissipation",
    },
    m.Curve: {"initial_tangent", "plane_normal", "arcs", "periodic"},
    m.Arc: {"length", "curvature"},
    m.Coupling: {
        "follower",
        "leader",
        "multiplier",
        "offset",
        "follower_axis",
        "leader_axis",
        "where",
    },
    m.Actuator: _ITEM
    | {"joint", "effort", "gear_ratio", "rotor_inertia", "p_gain", "d_gain", "interfaces"},
    m.BallConstraint: _PAIR,
    m.WeldConstraint: {"link_A", "link_B", "X_AP", "X_BQ", "active", "engine_settings", "where"},
    m.DistanceConstraint: _PAIR | {"distance", "stiffness", "damping"},
    m.TendonConstraint: {
        "joints",
        "coefficients",
        "offset",
        "lower",
        "upper",
        "stiffness",
        "damping",
        "where",
    },
    m.SpringDamper: _PAIR | {"free_length", "stiffness", "damping"},
    m.Bushing: {
        "link_A",
        "X_LA",
        "link_C",
        "X_LC",
        "torque_stiffness",
        "torque_damping",
        "force_stiffness",
        "force_damping",
        "where",
    },
    m.FilterGroup: _ITEM | {"links", "groups"},
    m.Keyframe: _ITEM
    | {
        "joints",
        "positions",
        "velocities",
        "actuators",
        "controls",
        "activations",
        "links",
        "poses",
    },
    m.FilterRule: {"a", "b", "where"},
    m.Material: {
        "name",
        "diffuse",
        "ambient",
        "specular",
        "emissive",
        "shininess",
        "texture",
        "metalness",
        "roughness",
        "maps",
    },
    m.Surface: {
        "friction",
        "restitution",
        "restitution_threshold",
        "stiffness",
        "damping",
        "dissipation",
        "relaxation_time",
        "max_velocity",
        "min_depth",
        "soft_cfm",
        "soft_erp",
        "collide_bitmask",
        "category_bitmask",
        "collide_without_contact",
        "hydroelastic",
    },
    m.Friction: {
        "mu",
        "mu2",
        "mu_static",
        "fdir1",
        "slip1",
        "slip2",
        "rolling",
        "torsional",
        "patch_radius",
        "surface_radius",
        "use_patch_radius",
        "torsional_slip",
    },
    m.Hydroelastic: {"compliance", "resolution_hint", "modulus", "margin"},
    m.Box: {"size"},
    m.Sphere: {"radius"},
    m.Cylinder: {"radius", "length"},
    m.Capsule: {"radius", "length"},
    m.Cone: {"radius", "length"},
    m.Ellipsoid: {"radii"},
    m.Plane: {"normal", "size"},
    m.Mesh: {
        "uri",
        "path",
        "scale",
        "reference",
        "submesh",
        "center",
        "convex",
        "decomposition",
        "max_convex_hulls",
        "voxel_resolution",
    },
    m.Heightmap: {"uri", "path", "size", "position", "sampling"},
    m.Polyline: {"outlines", "height"},
    m.Empty: set(),
}
"""Fields by type. `placement_frame` is applied when a file is read."""


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


class SdfOptions(LoadOptions, total=False):
    """Keywords of `bridge.to_sdf`, which documents them; each may be omitted."""

    world: World
    inertia: Repair
    version: str
    model_config: bool
