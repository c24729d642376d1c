"""Options and lost fields."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from bridge.choices import Fit, Shapes
from bridge.lowering.sources import SourceOptions
from bridge.targets.elements import has_writable_pairs
from bridge.targets.fields import (
    SOLVED_SETTINGS,
    Losses,
    LostSettings,
    LostValue,
    field_words,
    kind_words,
    losses,
    report_lost_settings,
    without_lost_fields,
)
from bridge.targets.options import Extension, FrameLinks, Joints, Meshes, Repair, UrdfExportOptions
from bridge.targets.report import Report
from bridge.targets.urdf import codes
from loaders import model as m
from loaders.diagnostics import Code
from loaders.scene import Scene

from .normal_link import all_know


class UrdfOptions(SourceOptions, total=False):
    """Keywords of `bridge.to_urdf`, which documents them; each may be omitted."""

    extensions: Sequence[Extension]
    inertia: Repair
    shapes: Shapes
    fit: Fit
    joints: Joints
    frame_links: FrameLinks
    couplings: bool
    transmissions: bool
    ros2_control: bool
    meshes: Meshes
    write_srdf: bool


LOSSES: Mapping[str, Losses] = {
    "": losses(
        (Scene, "gravity physics wind magnetic_field spherical_coordinates keyframes lights "
            "contact_pairs tendons fluid_forces engine_elements", codes.FIELD),
        (m.Link, "added_mass deformable engine_settings", codes.FIELD),
        (m.Collision, "density", codes.FIELD),
        (m.Visual, "transparency cast_shadows", codes.FIELD_NOTED),
        (m.Sensor, "target engine_settings", codes.FIELD_NOTED),
        (m.Joint, "default_position engine_settings", codes.FIELD),
        (m.JointAxis, "inertia", codes.FIELD),
        (m.Coupling, "engine_settings", codes.FIELD),
        (m.Actuator, "control target min_effort feedforward imposes_velocity engine_settings",
            codes.FIELD),
        (m.BallConstraint, "active engine_settings", codes.FIELD),
        (m.Material, "ambient emissive shininess metalness roughness maps engine_settings",
            codes.FIELD_NOTED),
        (m.Surface,
            "restitution_threshold collide_bitmask category_bitmask collide_without_contact "
            "engine_settings", codes.FIELD),
        (m.Friction, "slip1 slip2 surface_radius use_patch_radius torsional_slip", codes.FIELD),
        (m.Mesh, "data submesh center decomposition max_convex_hulls voxel_resolution",
            codes.FIELD),
    ),
    "drake": losses(
        (Scene, "frames constraints forces filter_groups filter_rules", codes.FIELD),
        (m.Link, "surface_velocity_axis", codes.FIELD),
        (m.Visual, "roles renderers", codes.FIELD_NOTED),
        (m.JointAxis, "acceleration", codes.FIELD),
        (m.Actuator, "rotor_inertia p_gain d_gain", codes.FIELD),
        (m.Surface, "dissipation relaxation_time hydroelastic", codes.FIELD),
        (m.Friction, "mu_static", codes.FIELD),
        (m.Mesh, "convex", codes.FIELD),
    ),
    "gazebo": losses(
        (m.Model, "self_collide allow_auto_disable enable_wind", codes.FIELD),
        (m.Link, "gravity kinematic self_collide enable_wind velocity_decay sensors", codes.FIELD),
        (m.Joint, "sensors provide_feedback", codes.FIELD),
        (m.JointAxis, "spring_stiffness spring_reference limit_stiffness limit_dissipation",
            codes.FIELD),
        (m.Surface, "damping max_velocity min_depth", codes.FIELD),
        (m.Friction, "fdir1", codes.FIELD),
    ),
    "pybullet": losses(
        (m.Surface, "restitution soft_cfm soft_erp", codes.FIELD),
        (m.Friction, "rolling torsional patch_radius", codes.FIELD),
    ),
}  # fmt: skip
"""Fields that URDF lacks, by the extension that has them; an empty text for those that none has.
Others need values that `bridge.targets.urdf` checks."""
LOST_SETTINGS = LostSettings(codes.FIELD_OF_MOTION, codes.FIELD_OF_CONTACT, codes.FIELD_OF_SOLVER)
"""Findings about settings of MuJoCo."""
_NOT_NEGATIVE = ("damping", "friction")
"""Fields of a joint axis whose negative values Drake refuses in URDF."""
_OPEN_MASKS = (1, 1)
"""Category and collision bitmask that MuJoCo gives each geom; collisions with these all touch each
other."""


def with_representable_fields(scene: Scene, options: UrdfExportOptions, report: Report) -> Scene:
    """Return the scene with defaults for the fields that the document may not hold.

    Args:
        scene: The scene.
        options: The options of the export.
        report: Receives one finding for each value that is left out.
    """
    table = _losses(options)

    def lost_of(item: Any) -> Mapping[str, Code]:
        lost = table.get(type(item), {})
        if isinstance(item, m.JointAxis):
            negative = [name for name in _NOT_NEGATIVE if getattr(item, name) < 0.0]
            return {**lost, **dict.fromkeys(negative, codes.FIELD)} if negative else lost
        return lost

    report_lost_settings(scene, SOLVED_SETTINGS, LOST_SETTINGS, report.add)
    has_pairs = "drake" in options.extensions and has_writable_pairs(scene)
    scene, found = without_lost_fields(scene, lost_of)
    for lost in found:
        if has_pairs and _is_open_mask(lost):
            continue
        sign = "negative " if lost.field in _NOT_NEGATIVE and type(lost.item) is m.JointAxis else ""
        report.add(
            lost.code,
            lost.where,
            subjects=(lost.owner,),
            field=sign + field_words(lost.field),
            kind=kind_words(type(lost.item)),
            owner=lost.owner,
        )
    return scene


def _losses(options: UrdfExportOptions) -> Losses:
    """Return the fields that a document with these options lacks."""
    table: dict[type, dict[str, Code]] = defaultdict(dict)
    for extension, lost in LOSSES.items():
        if extension not in options.extensions:
            for cls, fields in lost.items():
                table[cls] |= fields
    if options.frame_links == "all":
        table[Scene].pop("frames", None)
    if all_know(m.Plane, options.extensions):  # elsewhere a box stands for it
        table[m.Plane]["size"] = codes.FIELD_NOTED
    if not options.couplings:
        table[Scene]["couplings"] = codes.FIELD
    if not (options.transmissions or options.ros2_control):
        table[Scene]["actuators"] = codes.FIELD
    return table


def _is_open_mask(lost: LostValue) -> bool:
    """Return whether a bitmask is MuJoCo's default, and keeps no pairs of links apart but those
    that are written as filter groups.
    """
    item = lost.item
    return (
        isinstance(item, m.Surface)
        and lost.field in ("category_bitmask", "collide_bitmask")
        and (item.category_bitmask, item.collide_bitmask) == _OPEN_MASKS
    )
