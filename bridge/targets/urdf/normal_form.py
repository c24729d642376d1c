"""The scene as URDF represents it exactly: forces, frames as links; the options of the target, and
the fields that it loses.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bridge.choices import Fit, Shapes
from bridge.lowering.transform import SourceOptions
from bridge.targets.elements import (
    ENDS,
    frame_at,
    has_writable_pairs,
    report_friction,
    report_pairs,
    report_pairs_kept_apart,
    states_pairs,
    stating_drakes_rule,
    touching_pairs,
    with_filter_groups,
    with_linear_couplings,
    with_rotor_inertia,
    without_fluid_forces,
    without_published_sensors,
)
from bridge.targets.looks import with_stated_looks
from bridge.targets.options import Extension, FrameLinks, Joints, Meshes, Repair, UrdfExportOptions
from bridge.targets.report import (
    Losses,
    LostSettings,
    LostValue,
    Report,
    field_words,
    kind_words,
    losses,
    report_lost_settings,
    without_lost_fields,
)
from bridge.targets.urdf import codes
from bridge.targets.urdf.normal_joint import (
    with_chains,
    with_command_interfaces,
    with_representable_drives,
    with_representable_joints,
    without_couplings,
    without_gearboxes,
)
from bridge.targets.urdf.normal_link import (
    all_know,
    with_representable_parts,
    with_torsional_lengths,
)
from bridge.targets.urdf.tree import free_item_name, merged, named, rooted, with_static_links_welded
from loaders import model as m
from loaders.collision_pairs import default_policy
from loaders.diagnostics import Code
from loaders.model import (
    WORLD,
    Bushing,
    FilterGroup,
    Frame,
    Joint,
    JointType,
    Link,
    TendonConstraint,
    WeldConstraint,
)
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene


def without_unknown_items(scene: Scene, report: Report) -> Scene:
    """Return the scene without welds of links, and without constraints of joints that were left
    out.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    joints = {joint.name for joint in scene.joints if len(joint.axes) == 1}
    kept = []
    for item in scene.constraints:
        if isinstance(item, WeldConstraint) or not set(getattr(item, "joints", ())) <= joints:
            subjects = (
                item.joints if isinstance(item, TendonConstraint) else (item.link_A, item.link_B)
            )
            report.add(
                codes.CONSTRAINT,
                item.where,
                subjects=subjects,
                kind=kind_words(type(item)),
                items=subjects,
            )
        else:
            kept.append(item)
    groups = tuple(group for group in scene.filter_groups if group.links)
    names = {group.name for group in groups}
    rules = tuple(rule for rule in scene.filter_rules if {rule.a, rule.b} <= names)
    return dataclasses.replace(
        scene, constraints=tuple(kept), filter_groups=groups, filter_rules=rules
    )


def with_anchor(scene: Scene, report: Report) -> Scene:
    """Return the scene with a massless link, fixed to the world, where a constraint or group refers
    to the world.

    Args:
        scene: The scene.
        report: Receives the finding.
    """
    items = (*scene.constraints, *scene.forces)
    ends = {getattr(item, key, "") for item in items for key in ENDS}
    ends |= {name for group in scene.filter_groups for name in group.links}
    if WORLD not in ends or any(link.name == WORLD for link in scene.links):
        return scene
    name = free_item_name(scene, "world_anchor")
    link = Link(name=name, model=scene.models[0].name if scene.models else "", X_WL=IDENTITY)
    return dataclasses.replace(
        scene,
        links=(*scene.links, link),
        joints=(*scene.joints, _weld(scene, name, report)),
        constraints=tuple(_replaced(item, name) for item in scene.constraints),
        forces=tuple(_replaced(item, name) for item in scene.forces),
        filter_groups=tuple(_group(group, name) for group in scene.filter_groups),
    )


def with_ground(scene: Scene, report: Report) -> tuple[Scene, dict[str, str]]:
    """Return the scene with the shapes of the world on a link that filter groups can name, and the
    name of this.

    Args:
        scene: The scene.
        report: Receives the finding.
    """
    is_member = any(WORLD in group.links for group in scene.filter_groups)
    if not is_member or not any(link.name == WORLD for link in scene.links):
        return scene, {}
    name = free_item_name(scene, "ground")
    scene = dataclasses.replace(
        scene,
        links=tuple(
            dataclasses.replace(k, name=name) if k.name == WORLD else k for k in scene.links
        ),
        joints=(*scene.joints, _weld(scene, name, report)),
        filter_groups=tuple(_group(group, name) for group in scene.filter_groups),
    )
    return scene, {WORLD: name}


def _weld(scene: Scene, name: str, report: Report) -> Joint:
    """Return the fixed joint of a link that stands for the world, which is reported."""
    report.add(codes.ANCHOR, subjects=(name,), link=name)
    return Joint(
        name=free_item_name(scene, f"{name}_joint"),
        type=JointType.FIXED,
        parent=WORLD,
        child=name,
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
    )


def _replaced(item: Any, name: str) -> Any:
    changed = {key: name for key in ENDS if getattr(item, key, "") == WORLD}
    return dataclasses.replace(item, **changed) if changed else item


def _group(group: FilterGroup, name: str) -> FilterGroup:
    return dataclasses.replace(
        group, links=tuple(name if link == WORLD else link for link in group.links)
    )


def with_bushing_frames(scene: Scene) -> Scene:
    """Return the scene with a named frame at each end of a bushing, unless the link itself or a
    frame is there.
    """
    for number, bushing in enumerate(item for item in scene.forces if isinstance(item, Bushing)):
        for link, X_LF, end in (
            (bushing.link_A, bushing.X_LA, "A"),
            (bushing.link_C, bushing.X_LC, "C"),
        ):
            if frame_at(scene.frames, link, X_LF) is None:
                frame = Frame(
                    name=free_item_name(scene, f"bushing_{number}_{end}"), link=link, X_LF=X_LF
                )
                scene = dataclasses.replace(scene, frames=(*scene.frames, frame))
    return scene


def with_frame_links(
    scene: Scene, moved: Mapping[str, Pose], report: Report, *, all_frames: bool
) -> Scene:
    """Return the scene with a link at the old frame of each link that moved, and at each frame if
    that is wanted.

    Args:
        scene: The scene.
        moved: Pose of the frame of each link that moved, in its old frame.
        report: Receives the finding.
        all_frames: Whether the frames of the source become links too, which readers without
            ``<frame>`` know.
    """
    old = [
        Frame(name=free_item_name(scene, f"{name}_origin"), link=name, X_LF=X.inverse())
        for name, X in moved.items()
    ]
    named = [frame for frame in scene.frames if all_frames and frame.link != WORLD]
    frames = [*old, *named]
    if not frames:
        return scene
    report.add(
        codes.FRAME_LINK,
        subjects=tuple(frame.name for frame in frames),
        links=tuple(frame.name for frame in frames),
    )
    return _with_links(
        dataclasses.replace(scene, frames=tuple(f for f in scene.frames if f not in named)), frames
    )


def _with_links(scene: Scene, frames: Sequence[Frame]) -> Scene:
    by_name = {link.name: link for link in scene.links}
    links, joints = [], []
    for frame in frames:
        holder = by_name[frame.link]
        links.append(
            Link(
                name=frame.name,
                model=holder.model,
                X_WL=holder.X_WL @ frame.X_LF,
                where=frame.where,
            )
        )
        joints.append(
            Joint(
                name=free_item_name(scene, f"{frame.name}_joint"),
                type=JointType.FIXED,
                parent=frame.link,
                child=frame.name,
                X_PJ=frame.X_LF,
                X_CJ=IDENTITY,
                where=frame.where,
            )
        )
    return dataclasses.replace(scene, links=(*scene.links, *links), joints=(*scene.joints, *joints))


class UrdfForm(NamedTuple):
    """The scene that a document says."""

    scene: Scene
    names: dict[str, str]
    """Names in the document by name in the source, where they differ."""
    frames: dict[str, Pose]
    """Pose of the frame of each link that moved, in its frame in the source, by name in the
    source."""


def _report_pairs_without_groups(scene: Scene, report: Report) -> None:
    """Report the pairs that may touch by one of two rules only: that of the source, and that of
    readers of a URDF without filter groups, who leave out neighbors.
    """
    plain = dataclasses.replace(scene, filter_groups=(), filter_rules=(), contact_pairs=())
    wanted, found = touching_pairs(scene), touching_pairs(plain, "neighbors")
    policy = default_policy(scene)
    report_pairs(wanted - found, policy, report, codes.PAIRS_APART)
    report_pairs(found - wanted, policy, report, codes.PAIRS_TOGETHER)


def normal_form(scene: Scene, options: UrdfExportOptions, report: Report) -> UrdfForm:
    """Return the normal form of a scene.

    Args:
        scene: The scene.
        options: The options of the export.
        report: Receives what is changed or left out.

    Raises:
        ExportError: if the scene has several roots, or a joint that URDF does not have.
    """
    scene = with_stated_looks(scene, report, in_urdf=True)
    kept = ("smaller", "harmonic", "product")
    report_friction(scene, report, codes.FRICTION_RULE, kept)
    if "drake" in options.extensions:
        report_pairs_kept_apart(scene, report, codes.JOINED_LINKS)
        scene = stating_drakes_rule(with_filter_groups(scene))
    elif states_pairs(scene):
        _report_pairs_without_groups(scene, report)
    if options.couplings:
        scene = with_linear_couplings(scene, report, codes.COUPLING_LINE)
    scene = without_gearboxes(with_static_links_welded(scene, report), report)
    if "drake" in options.extensions and options.transmissions:
        scene = with_rotor_inertia(scene, report, codes.ROTOR_INERTIA)
    scene = without_published_sensors(scene, report, codes.PUBLISHED_SENSOR)
    scene = without_fluid_forces(scene, report, codes.FLUID_FORCE)
    if "pybullet" in options.extensions:
        scene = with_torsional_lengths(scene)
    scene = with_representable_fields(scene, options, report)
    scene, ground = with_ground(with_anchor(scene, report), report)
    drake = "drake" in options.extensions
    tree = rooted(scene, report, ball_constraints=drake)
    chained = with_chains(tree.scene, report, plain=options.joints == "plain")
    chained = chained if options.couplings else without_couplings(chained, report)
    scene = merged(tree._replace(scene=chained), report)
    scene, frames = with_representable_joints(scene, report, drake=drake)
    old = {} if options.frame_links == "none" else frames
    scene = with_frame_links(scene, old, report, all_frames=options.frame_links == "all")
    scene = without_unknown_items(scene, report)
    scene = with_bushing_frames(scene)
    scene = with_representable_parts(scene, options.extensions, report)
    scene = with_representable_drives(scene, report)
    scene, names = named(scene, report)
    scene = with_command_interfaces(scene, options)
    name = scene.models[0].name
    names |= {old: names.get(new, new) for old, new in ground.items()}
    return UrdfForm(dataclasses.replace(scene, name=name), names, frames)


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

    report_lost_settings(scene, LOST_SETTINGS, report.add)
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
