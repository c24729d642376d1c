"""The normal form of a scene: what a URDF document represents exactly."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from bridge.export.documents.filter_groups import report_pairs_kept_apart, with_filter_groups
from bridge.export.documents.fluid_forces import without_fluid_forces
from bridge.export.documents.published_sensors import without_published_sensors
from bridge.export.report import Report
from bridge.export.rotor_inertia import with_rotor_inertia
from bridge.urdf.options import Options
from loaders.scene import Scene
from loaders.spatial import Pose

from .chains import with_chains
from .couplings_and_actuators import with_command_interfaces, with_representable_drives, without_couplings
from .forces import with_anchor, with_bushing_frames, with_ground, without_unknown_items
from .frame_links import with_frame_links
from .gearboxes import without_gearboxes
from .parts import with_representable_parts
from .representable_joints import with_representable_joints
from .supported_fields import with_representable_fields
from .surfaces import with_torsional_lengths
from .tree import merged, rooted, with_static_links_welded
from .unique_names import named


class NormalForm(NamedTuple):
    """The scene that a document says."""

    scene: Scene
    names: dict[str, str]
    """Names in the document by name in the source, where they differ."""
    frames: dict[str, Pose]
    """Pose of the frame of each link that moved, in its frame in the source, by name in the source."""


def normal_form(scene: Scene, options: Options, report: Report) -> NormalForm:
    """Return the normal form of a scene.

    Args:
        scene: The scene.
        options: The options of the export.
        report: Receives what is changed or left out.

    Raises:
        ExportError: if the scene has several roots, or a joint that URDF does not have.
    """
    if "drake" in options.extensions:
        report_pairs_kept_apart(scene, report, "urdfout.joined-links")
        scene = with_filter_groups(scene)
    scene = without_gearboxes(with_static_links_welded(scene, report), report)
    if "drake" in options.extensions and options.transmissions:
        scene = with_rotor_inertia(scene, report, "urdfout.rotor-inertia")
    scene = without_published_sensors(scene, report, "urdfout.published-sensor")
    scene = without_fluid_forces(scene, report, "urdfout.fluid-force")
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
    return NormalForm(dataclasses.replace(scene, name=name), names, frames)
