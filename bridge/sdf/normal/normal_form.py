"""The normal form of a scene: what an SDFormat document represents exactly."""

from __future__ import annotations

import dataclasses
import re
from typing import NamedTuple

from bridge.export.documents.fluid_forces import without_fluid_forces
from bridge.export.documents.published_sensors import without_published_sensors
from bridge.export.report import (
    Report,
    field_words,
    kind_words,
    unsupported_fields,
    value_text,
    without_unsupported_fields,
)
from bridge.export.rotor_inertia import with_rotor_inertia
from bridge.sdf.options import Options
from bridge.sdf.target import TARGET
from loaders.diagnostics import NOWHERE, Diagnostic, ExportError, Fate
from loaders.model import WORLD, Light, Sensor, WeldConstraint
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import root_model

from .actuators import with_representable_actuators
from .drake_frames import with_drake_frames, with_short_poses
from .models import with_representable_models
from .parts import with_representable_parts
from .placement import placed
from .representable_joints import with_representable_joints
from .scopes import Scope, scopes_of
from .supported_fields import SUPPORTED_FIELDS
from .world_ends import with_anchors, with_world_link
from .world_settings import settings_of, without_settings


class NormalForm(NamedTuple):
    """The scene that a document says, and its scopes."""

    scene: Scene
    root: Scope
    names: dict[str, str]
    """Names in the document by name in the source, where they differ."""


def normal_form(scene: Scene, options: Options, report: Report) -> NormalForm:
    """Return the normal form of a scene.

    Args:
        scene: The scene.
        options: The options of the export.
        report: Receives what is changed or left out.
    """
    scene = with_rotor_inertia(scene, report, "sdfout.rotor-inertia")
    scene = without_fluid_forces(scene, report, "sdfout.fluid-force")
    _report_fields(scene, report)
    scene = without_unsupported_fields(scene, SUPPORTED_FIELDS)
    scene = without_published_sensors(scene, report, "sdfout.published-sensor")
    scene = _without_mujoco_items(_without_keyframes(scene, report), report)
    scene = with_representable_models(scene, report)
    scene, world_link = with_world_link(scene, report)
    scene = with_representable_joints(scene, report)
    scene = with_anchors(scene, report)
    scene = with_drake_frames(with_short_poses(scene))
    scene = with_representable_parts(scene, report)
    scene, as_world = _with_settings(scene, options, report)
    scopes = scopes_of(scene, as_world=as_world)
    if scopes.added:
        report.add(
            Fate.NOTED,
            "sdfout.added-scope",
            "names imply models that the source does not have: {models}",
            subjects=scopes.added,
            models=scopes.added,
        )
    form = placed(scene, scopes, report)
    _report_names(form.names, report)
    scene = with_representable_actuators(form.scene, form.root, report)
    names = form.names | ({WORLD: form.names.get(world_link, world_link)} if world_link else {})
    return NormalForm(dataclasses.replace(scene, name=form.root.local), form.root, names)


def _with_settings(scene: Scene, options: Options, report: Report) -> tuple[Scene, bool]:
    """Return the scene, and whether its document is a world."""
    if root_model(scene) is None or options.world == "always":
        if options.model_config:
            raise ExportError((_no_model(scene),))
        return scene, True
    settings = settings_of(scene)
    if settings and (options.world == "never" or options.model_config):
        return without_settings(scene, settings, report), False
    return scene, bool(settings)


def _no_model(scene: Scene) -> Diagnostic:
    return Diagnostic(
        "sdfout.model-config",
        Fate.INVALID,
        "model.config describes one model, and {name} has {count}",
        hint="leave model.config out, or write directives, with a file for each model",
        arguments={"name": scene.name, "count": len(scene.models)},
        subjects=tuple(model.name for model in scene.models),
        target=TARGET,
    )


def _report_names(names: dict[str, str], report: Report) -> None:
    if names:
        report.add(
            Fate.NOTED,
            "sdfout.name",
            "names in SDFormat are unique in a model, without :: and never reserved, and start with the model in a "
            "world; renamed {names}",
            subjects=tuple(re.sub("^(joint|frame|light) ", "", name) for name in names),
            names=tuple(f"{old} to {new}" for old, new in names.items()),
        )


def _without_keyframes(scene: Scene, report: Report) -> Scene:
    for keyframe in scene.keyframes:
        stated = [
            *(f"{joint} at {value_text(q)}" for joint, q in zip(keyframe.joints, keyframe.positions, strict=False)),
            *(
                f"{joint} moving at {value_text(v)}"
                for joint, v in zip(keyframe.joints, keyframe.velocities, strict=False)
            ),
            *(f"{name} controlled by {u}" for name, u in zip(keyframe.actuators, keyframe.controls, strict=False)),
            *(f"{name} in state {x}" for name, x in zip(keyframe.actuators, keyframe.activations, strict=False)),
            *(f"{link} at {value_text(X)}" for link, X in zip(keyframe.links, keyframe.poses, strict=False)),
        ]
        report.add(
            Fate.DROPPED,
            "sdfout.keyframe",
            "SDFormat has no keyframes; left out {keyframe} with {positions}",
            keyframe.where,
            subjects=(keyframe.name, *keyframe.joints),
            keyframe=keyframe.name,
            positions=tuple(stated),
        )
    return dataclasses.replace(scene, keyframes=())


def _without_mujoco_items(scene: Scene, report: Report) -> Scene:
    """Return the scene without welds and MuJoCo's own settings, which are reported; Drake refuses unknown settings."""
    names = [name for name, _ in scene.physics.parameters if name != "size/memory"]
    if scene.physics.engine == "mujoco" and names:
        report.add(
            Fate.DROPPED,
            "sdfout.field",
            "SDFormat has no place for {field} of {kind} {owner}",
            subjects=(scene.name,),
            field="the settings " + ", ".join(names),
            kind="physics",
            owner=scene.name,
        )
    if scene.physics.engine == "mujoco":
        scene = dataclasses.replace(scene, physics=dataclasses.replace(scene.physics, parameters=()))
    welds = tuple(c for c in scene.constraints if isinstance(c, WeldConstraint))
    for weld in welds:
        report.add(
            Fate.DROPPED,
            "sdfout.field",
            "SDFormat has no place for {field} of {kind} {owner}",
            weld.where,
            subjects=(weld.link_A, weld.link_B),
            field="the weld",
            kind="link",
            owner=weld.link_A,
        )
    constraints = tuple(c for c in scene.constraints if not isinstance(c, WeldConstraint))
    return dataclasses.replace(scene, constraints=constraints)


def _report_fields(scene: Scene, report: Report) -> None:
    """Report the fields that no element of SDFormat holds."""
    for item, owner, field in unsupported_fields(scene, SUPPORTED_FIELDS):
        report.add(
            Fate.NOTED if isinstance(item, Light | Sensor) else Fate.DROPPED,
            "sdfout.field",
            "SDFormat has no place for {field} of {kind} {owner}",
            getattr(item, "where", NOWHERE),
            subjects=(owner,),
            field=field_words(field),
            kind=kind_words(type(item)),
            owner=owner,
        )
