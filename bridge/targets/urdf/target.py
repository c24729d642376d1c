"""Options and supported fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bridge.targets.elements import has_writable_pairs
from bridge.targets.options import Extension, FrameLinks, Joints, Meshes, Repair, UrdfExportOptions
from bridge.targets.report import Report, field_words, is_stated_elsewhere, kind_words, part_name
from bridge.targets.urdf import codes
from loaders import LoadOptions
from loaders import model as m
from loaders.diagnostics import NOWHERE, Where
from loaders.scene import Scene

from .normal_link import all_know


class UrdfOptions(LoadOptions, total=False):
    """Keywords of `bridge.to_urdf`, which documents them; each may be omitted."""

    extensions: Sequence[Extension]
    inertia: Repair
    joints: Joints
    frame_links: FrameLinks
    couplings: bool
    transmissions: bool
    ros2_control: bool
    meshes: Meshes
    write_srdf: bool


_ITEM = {"name", "where"}
_PAIR = {"where", "link_A", "link_B", "p_AP", "p_BQ"}
_PLAIN: Mapping[type, set[str]] = {
    Scene: {"name", "source", "diagnostics", "models", "links", "joints", "couplings", "actuators"},
    m.Model: _ITEM | {"X_WM", "canonical_link", "static", "placement_frame"},
    m.Link: _ITEM | {"model", "X_WL", "inertia", "collisions", "visuals", "virtual"},
    m.Collision: _ITEM | {"X_LG", "geometry", "surface"},
    m.Visual: _ITEM | {"X_LG", "geometry", "material"},
    m.Sensor: _ITEM | {"type", "X_LS", "joint", "update_rate", "parameters"},
    m.Frame: _ITEM | {"link", "X_LF"},
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
        "virtual",
    },
    m.JointAxis: {"xyz", "lower", "upper", "effort", "velocity", "damping", "friction"},
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
    m.Actuator: _ITEM | {"joint", "tendon", "effort", "gear_ratio", "interfaces"},
    m.BallConstraint: _PAIR,
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
    m.FilterRule: {"a", "b", "where"},
    m.Material: {"name", "diffuse", "specular", "texture"},
    m.Surface: {"friction", "stiffness"},
    m.Friction: {"mu", "mu2"},
    m.Box: {"size"},
    m.Sphere: {"radius"},
    m.Cylinder: {"radius", "length"},
    m.Capsule: {"radius", "length"},
    m.Ellipsoid: {"radii"},
    m.Plane: {"normal"},
    m.Mesh: {"uri", "path", "scale", "reference"},
    m.Hydroelastic: {"compliance", "resolution_hint", "modulus", "margin"},
}
"""Fields of URDF itself; some need values that `bridge.targets.urdf` checks."""
_EXTENDED: Mapping[str, Mapping[type, set[str]]] = {
    "drake": {
        Scene: {"frames", "constraints", "forces", "filter_groups", "filter_rules"},
        m.Link: {"surface_velocity_axis"},
        m.Visual: {"roles", "renderers"},
        m.JointAxis: {"acceleration"},
        m.Actuator: {"rotor_inertia", "p_gain", "d_gain"},
        m.Surface: {"dissipation", "relaxation_time", "hydroelastic"},
        m.Friction: {"mu_static"},
        m.Mesh: {"convex"},
    },
    "gazebo": {
        m.Model: {"self_collide", "allow_auto_disable", "enable_wind"},
        m.Link: {
            "gravity",
            "kinematic",
            "self_collide",
            "enable_wind",
            "velocity_decay",
            "sensors",
        },
        m.Joint: {"sensors", "provide_feedback"},
        m.JointAxis: {
            "spring_stiffness",
            "spring_reference",
            "limit_stiffness",
            "limit_dissipation",
        },
        m.Surface: {"damping", "max_velocity", "min_depth"},
        m.Friction: {"fdir1"},
    },
    "pybullet": {
        m.Surface: {"restitution", "soft_cfm", "soft_erp"},
        m.Friction: {"rolling", "torsional", "patch_radius"},
    },
}
_APPEARANCE = frozenset({m.Visual, m.Material, m.Plane, m.Sensor})
"""Types whose other fields have no effect on motion or contact."""
_WHOLE = (m.Cone, m.Heightmap, m.Polyline, m.Empty, m.WeldConstraint)
"""Types that are left out as a whole, elsewhere."""
_NOT_NEGATIVE = frozenset({"damping", "friction"})
"""Fields of a joint axis whose negative values Drake and our reader refuse in URDF."""
_OPEN_MASKS = (1, 1)
"""Category and collision bitmask that MuJoCo gives each geom; collisions with these all touch each
other.
"""


def with_representable_fields(scene: Scene, options: UrdfExportOptions, report: Report) -> Scene:
    """Return the scene with defaults for the fields that the document may not hold.

    Args:
        scene: The scene.
        options: The options of the export.
        report: Receives one finding for each value that is left out.
    """
    kept = {cls: set(fields) for cls, fields in _PLAIN.items()}
    for name in options.extensions:
        for cls, fields in _EXTENDED[name].items():
            kept[cls] |= fields
    if options.frame_links == "all":
        kept[Scene].add("frames")
    if not all_know(m.Plane, options.extensions):  # a box stands for it
        kept[m.Plane].add("size")
    for field, allowed in (
        ("couplings", options.couplings),
        ("actuators", options.transmissions or options.ros2_control),
    ):
        if not allowed:
            kept[Scene].remove(field)
    has_pairs = "drake" in options.extensions and has_writable_pairs(scene)
    result: Scene = _Pruning(kept, report, has_pairs).pruned(scene, scene.name)
    return result


@dataclasses.dataclass(frozen=True, slots=True)
class _Pruning:
    kept: Mapping[type, set[str]]
    """Names of the fields that the document holds, by class."""
    report: Report
    has_pairs: bool
    """Whether bitmasks are MuJoCo's, and the pairs of links that they keep apart are written as
    filter groups.
    """

    def pruned(self, item: Any, owner: str, around: Where = NOWHERE) -> Any:
        """Return an item, or each of a tuple, with defaults in the fields that the document does
        not hold.

        Args:
            item: The item or items; a value of another kind is returned as it is.
            owner: Name of the item around it, for findings about items without a name.
            around: Place of the item around it, for findings about items without a place.
        """
        if isinstance(item, tuple):
            parts = tuple(self.pruned(part, owner, around) for part in item)
            return parts if any(a is not b for a, b in zip(parts, item, strict=True)) else item
        known = next((cls for cls in type(item).__mro__ if cls in self.kept), None)
        if known is None or isinstance(item, _WHOLE):
            return item
        where = getattr(item, "where", NOWHERE)
        place = around if where == NOWHERE else where
        changed = self._changes(item, known, part_name(item, owner), place)
        return dataclasses.replace(item, **changed) if changed else item

    def _changes(self, item: Any, known: type, own: str, where: Where) -> dict[str, Any]:
        """Return the new values of the fields that change; report those that are left out."""
        changed: dict[str, Any] = {}
        for field in dataclasses.fields(item):
            value = getattr(item, field.name)
            negative = field.name in _NOT_NEGATIVE and known is m.JointAxis and value < 0.0
            if negative or field.name not in self.kept[known]:
                default = _default(field)
                if not _equal(value, default):
                    if not is_stated_elsewhere(item, field.name) and not self._is_open_mask(
                        item, field.name
                    ):
                        self._add(
                            where, known, own, f"negative {field.name}" if negative else field.name
                        )
                    changed[field.name] = default
            elif (
                field.name != "diagnostics" and (new := self.pruned(value, own, where)) is not value
            ):
                changed[field.name] = new
        return changed

    def _is_open_mask(self, item: Any, field: str) -> bool:
        """Return whether a field is a bitmask of MuJoCo's default, which keeps no further
        collisions apart.
        """
        is_mask = isinstance(item, m.Surface) and field in {"category_bitmask", "collide_bitmask"}
        return (
            is_mask
            and self.has_pairs
            and (item.category_bitmask, item.collide_bitmask) == _OPEN_MASKS
        )

    def _add(self, where: Where, cls: type, owner: str, field: str) -> None:
        self.report.add(
            codes.FIELD_NOTED if cls in _APPEARANCE else codes.FIELD,
            where,
            subjects=(owner,),
            field=field_words(field),
            kind=kind_words(cls),
            owner=owner,
        )


def _default(field: dataclasses.Field[Any]) -> Any:
    return (
        field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    )


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    return bool(a == b)
