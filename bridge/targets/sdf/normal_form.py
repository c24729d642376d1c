"""The scene as SDFormat represents it exactly: models, link parts, joints, actuators and world
settings; the options and versions of the target, and the fields that it loses.

Source: the descriptions ``sdf/1.7`` to ``sdf/1.12`` of libsdformat. Positions of frames, to which
all documents refer, begin with 1.7.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeVar, assert_never

import numpy as np

from bridge.choices import Fit, Shapes
from bridge.lowering.transform import SourceOptions
from bridge.targets.elements import (
    MASSLESS,
    curve_range,
    has_writable_pairs,
    report_friction,
    report_pairs,
    touching_pairs,
    with_exchanged_links,
    with_linear_couplings,
    with_rotor_inertia,
    without_fluid_forces,
    without_published_sensors,
    without_undrawn_textures,
)
from bridge.targets.looks import with_stated_looks
from bridge.targets.numbers import BEYOND_COLORS, with_colors_in_range
from bridge.targets.options import LOWEST, VERSIONS, Repair, SdfExportOptions, World
from bridge.targets.report import (
    LostSettings,
    Report,
    field_words,
    kind_words,
    losses,
    report_lost_settings,
    value_text,
    without_lost_fields,
)
from bridge.targets.sdf import codes
from bridge.targets.sdf.scope import (
    DocumentScope,
    SdfForm,
    by_prefix,
    innermost,
    placed,
    scopes_of,
    with_anchors,
    with_drake_frames,
    with_short_poses,
    with_world_link,
)
from bridge.targets.xml import Element
from loaders import model as m
from loaders.collision_pairs import default_policy, renamed_pairs
from loaders.diagnostics import NOWHERE, Diagnostic, ExportError, finding_of
from loaders.drake.joint import ACTUATED
from loaders.engine_settings import MUJOCO
from loaders.model import (
    WORLD,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    Actuator,
    Collision,
    Friction,
    Hydroelastic,
    Joint,
    JointAxis,
    JointType,
    Light,
    Link,
    Material,
    Model,
    Sensor,
    Surface,
    Visual,
    WeldConstraint,
    by_name,
    settings_of,
)
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, UnusedNames, root_model, scopes_around
from loaders.sdf.material import SCRIPTED, gazebo_material
from loaders.text import number


def with_representable_models(scene: Scene, report: Report) -> Scene:
    """Return the scene with the models that a document needs, and with joint frames that coincide.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    known = {model.name for model in scene.models}
    missing = dict.fromkeys(link.model for link in scene.links if link.model not in known)
    models = [*scene.models]
    for name in missing:
        link = next(link for link in scene.links if link.model == name)
        models.append(Model(name=name or "model", X_WM=IDENTITY, canonical_link=link.name))
    links = tuple(
        dataclasses.replace(link, model="model") if not link.model else link for link in scene.links
    )
    scene = dataclasses.replace(scene, models=tuple(models), links=links)
    return _with_coinciding_frames(_without_empty(scene, report), report)


def _without_empty(scene: Scene, report: Report) -> Scene:
    """Return the scene without models that have no link, in themselves or nested, and are not
    static.
    """
    used = {link.model for link in scene.links}
    used |= {model.name for model in scene.models if model.static}
    kept = {scope for name in used for scope in scopes_around(name)}
    root = root_model(scene)
    if root is not None and used:
        kept.add(root.name)
    empty = [model for model in scene.models if model.name not in kept]
    for model in empty:
        report.add(codes.EMPTY_MODEL, model, model=model.name)
    gone = {model.name for model in empty}
    return dataclasses.replace(
        scene, models=tuple(model for model in scene.models if model.name not in gone)
    )


def _with_coinciding_frames(scene: Scene, report: Report) -> Scene:
    """Return the scene with joints whose frames on parent and child coincide at the zero
    configuration.
    """
    poses = {link.name: link.X_WL for link in scene.links}
    joints = []
    for joint in scene.joints:
        X_WP, X_WC = poses.get(joint.parent, IDENTITY), poses.get(joint.child, IDENTITY)
        X_PJ = X_WP.inverse() @ X_WC @ joint.X_CJ
        scale = max(1.0, float(abs(X_WC.p).max()), float(abs(X_WP.p).max()))
        if (joint.parent != WORLD and joint.parent not in poses) or X_PJ.is_close(
            joint.X_PJ, 1e-9 * scale
        ):
            joints.append(joint)
        else:
            report.add(
                codes.JOINT_FRAME, joint, joint=joint.name, distance=_distance(X_PJ, joint.X_PJ)
            )
            joints.append(dataclasses.replace(joint, X_PJ=X_PJ))
    return dataclasses.replace(scene, joints=tuple(joints))


def _distance(a: Pose, b: Pose) -> float:
    return float(sum((a.p - b.p) ** 2) ** 0.5)


MAPS = frozenset({
    "albedo_map", "normal_map", "environment_map", "ambient_occlusion_map", "emissive_map",
    "light_map", "roughness_map", "metalness_map", "glossiness_map", "specular_map",
})  # fmt: skip
"""Kinds of maps of physically based rendering."""
_Part = TypeVar("_Part", Collision, Visual, Sensor)


def with_representable_parts(scene: Scene, report: Report) -> Scene:
    """Return the scene with the parts that SDFormat can represent.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    massless = [link.name for link in scene.links if link.inertia is None]
    if massless:
        report.add(codes.NO_INERTIA, subjects=massless, links=tuple(massless))
    return dataclasses.replace(
        scene,
        links=tuple(_with_parts(link, report) for link in scene.links),
        joints=tuple(_with_sensors(joint) for joint in scene.joints),
        lights=tuple(_light(light, report) for light in scene.lights),
    )


def _with_parts(link: Link, report: Report) -> Link:
    collisions = tuple(
        dataclasses.replace(part, surface=_surface(part, link, report))
        for part in _uniquely_named(link.collisions)
    )
    visuals = tuple(
        dataclasses.replace(part, material=_material(part, link, report))
        for part in _uniquely_named(link.visuals)
    )
    sensors = _uniquely_named(link.sensors)
    return dataclasses.replace(
        link,
        inertia=link.inertia or MASSLESS,
        collisions=collisions,
        visuals=visuals,
        sensors=sensors,
    )


def _with_sensors(joint: Joint) -> Joint:
    return (
        dataclasses.replace(joint, sensors=_uniquely_named(joint.sensors))
        if joint.sensors
        else joint
    )


def _uniquely_named(parts: tuple[_Part, ...]) -> tuple[_Part, ...]:
    """Return parts of one kind with names that are legal and unique among them."""
    unused = UnusedNames()
    named: list[Any] = []
    for part in parts:
        plain = part.name.strip().replace("::", "__") or type(part).__name__.lower()
        if plain == "world" or (plain.startswith("__") and plain.endswith("__")):
            plain = f"{plain.strip('_') or 'part'}_part"
        name = unused.claim(plain)
        named.append(part if name == part.name else dataclasses.replace(part, name=name))
    return tuple(named)


# --- surfaces -------------------------------------------------------------------------------------


def _surface(collision: Collision, link: Link, report: Report) -> Surface:
    surface = collision.surface
    if surface.hydroelastic == Hydroelastic():
        surface = dataclasses.replace(surface, hydroelastic=None)
    friction = _friction(surface.friction)
    if friction != surface.friction:
        lost = [
            f.name
            for f in dataclasses.fields(Friction)
            if _value(friction, f) != _value(surface.friction, f)
        ]
        report.add(
            codes.FRICTION,
            collision.where,
            subjects=(link.name, f"{link.name}::{collision.name}"),
            properties=tuple(lost),
            collision=collision.name,
        )
        surface = dataclasses.replace(surface, friction=friction)
    return surface


def _value(friction: Friction, entry: Any) -> Any:
    return getattr(friction, entry.name)


def _friction(friction: Friction) -> Friction:
    """Return what one ``<friction>`` says: Drake's has two coefficients only, and a torsional one
    needs its own.
    """
    if friction.mu_static is not None:
        return Friction(mu=friction.mu, mu2=friction.mu, mu_static=friction.mu_static)
    if friction.torsional is None:
        torsion = ("patch_radius", "surface_radius", "use_patch_radius", "torsional_slip")
        defaults = {f.name: f.default for f in dataclasses.fields(Friction) if f.name in torsion}
        return dataclasses.replace(friction, **defaults)  # type: ignore[arg-type]
    return friction


# --- materials ------------------------------------------------------------------------------------


def _material(visual: Visual, link: Link, report: Report) -> Material | None:
    material = visual.material
    if material is None:
        return None
    material, lost = without_undrawn_textures(material)
    maps = tuple((kind, file) for kind, file in material.maps if kind in MAPS)
    name = material.name if (material.name or "").startswith(SCRIPTED) else None
    lost += [kind for kind, _ in material.maps if kind not in MAPS]
    if name != material.name:
        lost.append("name")
    colored = with_colors_in_range(material)
    if colored is not material:
        lost.append(BEYOND_COLORS)
    if lost:
        report.add(
            codes.MATERIAL,
            visual.where,
            subjects=(link.name,),
            properties=tuple(lost),
            material=material.name or "without a name",
        )
    if material.texture is not None and "albedo_map" not in dict(maps):
        maps = (("albedo_map", material.texture), *maps)
    return _colored(dataclasses.replace(colored, name=name, maps=maps))


def _colored(material: Material) -> Material:
    """Return a material with the colors that a reader takes from Gazebo's script where the material
    states none.
    """
    scripted = gazebo_material(material.name or "")
    if scripted is None:
        return material
    diffuse, emissive = material.diffuse or scripted.diffuse, material.emissive or scripted.emissive
    return dataclasses.replace(material, diffuse=diffuse, emissive=emissive)


def _light(light: Light, report: Report) -> Light:
    """Return a light with colors that SDFormat can state."""
    said = with_colors_in_range(light)
    if said is not light:
        report.add(codes.FIELD, light, field=BEYOND_COLORS, kind="light", owner=light.name)
    return said


_DEFAULT = Scene(name="")
_ARRAYS = ("gravity", "wind", "magnetic_field")
_SETTINGS = ("physics", "spherical_coordinates")


def settings_of_world(scene: Scene) -> tuple[str, ...]:
    """Return the names of the settings that a document without a world cannot represent."""
    found = [
        key for key in _ARRAYS if not np.array_equal(getattr(scene, key), getattr(_DEFAULT, key))
    ]
    found += [key for key in _SETTINGS if getattr(scene, key) != getattr(_DEFAULT, key)]
    if any(light.link == WORLD for light in scene.lights):
        found.append("lights")
    if any(frame.link == WORLD for frame in scene.frames):
        found.append("frames")
    return tuple(found)


def without_settings(scene: Scene, settings: Sequence[str], report: Report) -> Scene:
    """Return the scene without settings of the world.

    Args:
        scene: The scene.
        settings: Their names.
        report: Receives the finding.
    """
    report.add(
        codes.WORLD_SETTINGS,
        subjects=(scene.name,),
        settings=tuple(name.replace("_", " ") for name in settings),
    )
    defaults = {key: getattr(_DEFAULT, key) for key in (*_ARRAYS, *_SETTINGS)}
    return dataclasses.replace(
        scene,
        **defaults,
        lights=tuple(light for light in scene.lights if light.link != WORLD),
        frames=tuple(frame for frame in scene.frames if frame.link != WORLD),
    )


def normal_form(scene: Scene, options: SdfExportOptions, report: Report) -> SdfForm:
    """Return the normal form of a scene.

    Args:
        scene: The scene.
        options: The options of the export.
        report: Receives what is changed or left out.
    """
    scene = with_stated_looks(scene, report, in_urdf=False)
    policy, touching = default_policy(scene), _pairs_of_source(scene)
    report_friction(scene, report, codes.FRICTION_RULE, kept=("smaller", "harmonic"))
    report_lost_settings(scene, LOST_SETTINGS, report.add)
    scene = with_linear_couplings(scene, report, codes.COUPLING_LINE)
    scene = with_rotor_inertia(scene, report, codes.ROTOR_INERTIA)
    scene = without_fluid_forces(scene, report, codes.FLUID_FORCE)
    scene = _without_lost_fields(scene, report)
    scene = without_published_sensors(scene, report, codes.PUBLISHED_SENSOR)
    scene = _without_mujoco_items(_without_keyframes(scene, report), report)
    scene = with_representable_models(scene, report)
    scene, world_link = with_world_link(scene, report)
    scene = with_representable_joints(scene, report)
    scene = with_anchors(scene, report)
    scene = with_drake_frames(with_short_poses(scene))
    scene = with_representable_parts(scene, report)
    if policy == MUJOCO:
        new = {WORLD: world_link} if world_link else {}
        known = None if touching is None else renamed_pairs(touching, new)
        scene = with_self_collision(scene, known)
    scene, as_world = _with_settings(scene, options, report)
    scopes = scopes_of(scene, as_world=as_world)
    if scopes.added:
        report.add(codes.ADDED_SCOPE, subjects=scopes.added, models=scopes.added)
    form = placed(scene, scopes, report)
    _report_names(form.names, report)
    scene = with_representable_actuators(form.scene, form.root, report)
    names = dict(form.names)
    if world_link:
        names[WORLD] = form.names.get(world_link, world_link)
    if touching is not None:
        in_gazebo = renamed_pairs(_in_gazebo(scene), {new: old for old, new in names.items()})
        report_pairs(touching - in_gazebo, policy, report, codes.PAIRS_APART)
        report_pairs(in_gazebo - touching, policy, report, codes.PAIRS_TOGETHER)
    return SdfForm(dataclasses.replace(scene, name=form.root.local), form.root, names)


_Pairs = frozenset[frozenset[str]]


def _pairs_of_source(scene: Scene) -> _Pairs | None:
    """Return the pairs that may touch by the rule of the source; None if it states none, or has too
    many links.
    """
    return touching_pairs(scene) if has_writable_pairs(scene) else None


def _in_gazebo(scene: Scene) -> _Pairs:
    """Return the pairs that may touch by SDFormat's rule; Gazebo reads no filter groups."""
    plain = dataclasses.replace(scene, filter_groups=(), filter_rules=(), contact_pairs=())
    return touching_pairs(plain, "sdformat")


def with_self_collision(scene: Scene, touching: Set[frozenset[str]] | None) -> Scene:
    """Return the scene with models that collide with themselves where links of them may touch.

    Two links of a model touch if either self-collides. Of pairs that may not touch, as many as
    possible are links that do not.

    Args:
        scene: The scene.
        touching: The pairs that may touch; None if they are not known, and all links collide.
    """
    everywhere = _with_flags(scene, {model.name for model in scene.models}, set())
    if touching is None:
        return everywhere
    model_of = {link.name: link.model for link in scene.links}
    possible = [
        pair for pair in _in_gazebo(everywhere) if len({model_of[name] for name in pair}) == 1
    ]
    needed = [pair for pair in possible if pair in touching]
    apart = _apart([pair for pair in possible if pair not in touching], _neighbors(needed))
    return _with_flags(scene, {model_of[name] for pair in needed for name in pair}, apart)


_MAX_STARTS = 50
"""Largest number of pairs with which the search for links that do not self-collide begins."""


def _apart(pairs: Iterable[frozenset[str]], touched: Mapping[str, Set[str]]) -> Set[str]:
    """Return links of which no two may touch and that contain many of some pairs.

    Args:
        pairs: The pairs.
        touched: The links that each link may touch.
    """
    listed = sorted(pairs, key=sorted)
    found = [
        _grown([*listed[i:], *listed[:i]], touched) for i in range(min(len(listed), _MAX_STARTS))
    ]
    return max(found, key=lambda links: sum(pair <= links for pair in listed), default=set())


def _grown(pairs: Iterable[frozenset[str]], touched: Mapping[str, Set[str]]) -> Set[str]:
    """Return the links of the first pair, and of each further one of which no link may touch those
    before.
    """
    links: set[str] = set()
    for pair in pairs:
        if not any(touched.get(name, frozenset()) & links for name in pair):
            links |= pair
    return links


def _neighbors(pairs: Iterable[frozenset[str]]) -> Mapping[str, Set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for a, b in map(sorted, pairs):
        found[a].add(b)
        found[b].add(a)
    return found


def _with_flags(scene: Scene, models: Set[str], apart: Set[str]) -> Scene:
    """Return the scene in which some models, without some of their links, self-collide."""
    changed_models = tuple(
        dataclasses.replace(model, self_collide=model.name in models) for model in scene.models
    )
    links = []
    for link in scene.links:
        is_apart = link.name in apart and link.model in models
        links.append(dataclasses.replace(link, self_collide=False if is_apart else None))
    return dataclasses.replace(scene, models=changed_models, links=tuple(links))


def _with_settings(scene: Scene, options: SdfExportOptions, report: Report) -> tuple[Scene, bool]:
    """Return the scene, and whether its document is a world."""
    if root_model(scene) is None or options.world == "always":
        if options.model_config:
            raise ExportError((_no_model(scene),))
        return scene, True
    settings = settings_of_world(scene)
    if settings and (options.world == "never" or options.model_config):
        return without_settings(scene, settings, report), False
    return scene, bool(settings)


def _no_model(scene: Scene) -> Diagnostic:
    return finding_of(
        codes.MODEL_CONFIG,
        target=TARGET,
        subjects=[model.name for model in scene.models],
        name=scene.name,
        count=len(scene.models),
    )


def _report_names(names: dict[str, str], report: Report) -> None:
    if names:
        report.add(
            codes.NAME,
            subjects=tuple(re.sub("^(joint|frame|light) ", "", name) for name in names),
            names=tuple(names.items()),
        )


def _without_keyframes(scene: Scene, report: Report) -> Scene:
    for keyframe in scene.keyframes:
        # velocities, controls and activations are empty where the source states none
        positions = zip(keyframe.joints, keyframe.positions, strict=False)
        velocities = zip(keyframe.joints, keyframe.velocities, strict=False)
        controls = zip(keyframe.actuators, keyframe.controls, strict=False)
        activations = zip(keyframe.actuators, keyframe.activations, strict=False)
        poses = zip(keyframe.links, keyframe.poses, strict=False)
        stated = [f"{joint} at {value_text(q)}" for joint, q in positions]
        stated += [f"{joint} moving at {value_text(v)}" for joint, v in velocities]
        stated += [f"{name} controlled by {u}" for name, u in controls]
        stated += [f"{name} in state {x}" for name, x in activations]
        stated += [f"{link} at {value_text(X)}" for link, X in poses]
        report.add(
            codes.KEYFRAME,
            keyframe.where,
            subjects=(keyframe.name, *keyframe.joints),
            keyframe=keyframe.name,
            positions=tuple(stated),
        )
    return dataclasses.replace(scene, keyframes=())


def _without_mujoco_items(scene: Scene, report: Report) -> Scene:
    """Return the scene without welds, which are reported, and MuJoCo's own settings; Drake refuses
    unknown settings.
    """
    physics = dataclasses.replace(scene.physics, parameters=())
    if settings_of(scene.physics, MUJOCO):
        scene = dataclasses.replace(scene, physics=physics)
    welds = tuple(c for c in scene.constraints if isinstance(c, WeldConstraint))
    for weld in welds:
        report.add(
            codes.FIELD_DROPPED,
            weld.where,
            subjects=(weld.link_A, weld.link_B),
            field="the weld",
            kind="link",
            owner=weld.link_A,
        )
    constraints = tuple(c for c in scene.constraints if not isinstance(c, WeldConstraint))
    return dataclasses.replace(scene, constraints=constraints)


def _without_lost_fields(scene: Scene, report: Report) -> Scene:
    """Return the scene without the fields that SDFormat lacks; those of the outer items are
    reported first.
    """
    scene, found = without_lost_fields(scene, lambda item: LOSSES.get(type(item), {}))
    for lost in sorted(found, key=lambda lost: lost.depth):
        report.add(
            lost.code,
            getattr(lost.item, "where", NOWHERE),
            subjects=(lost.owner,),
            field=field_words(lost.field),
            kind=kind_words(type(lost.item)),
            owner=lost.owner,
        )
    return scene


def with_representable_actuators(scene: Scene, root: DocumentScope, report: Report) -> Scene:
    """Return the scene with the actuators that a reader of SDFormat gives its joints.

    Args:
        scene: The scene, with its names in the document.
        root: The outermost scope of the document.
        report: Receives the findings.
    """
    scopes = by_prefix(root)
    driven = {joint.name for joint in scene.joints if _is_driven(joint, scopes)}
    joints = by_name(scene.joints)
    drives: dict[str, Actuator] = {}
    for actuator in scene.actuators:
        joint = joints.get(actuator.joint)
        if joint is None or joint.name not in driven:
            _report_dropped(actuator, report)
        else:
            if joint.name in drives:
                _report_dropped(drives[joint.name], report)
            drives[joint.name] = actuator  # as in Drake, the inertia of the last rotor counts
    added = tuple(joint.name for joint in scene.joints if joint.name in driven - drives.keys())
    if added:
        report.add(codes.ADDED_ACTUATOR, subjects=added, joints=added)
    limited = tuple(_limited(joint, drives.get(joint.name)) for joint in scene.joints)
    actuators = tuple(
        _actuator(joint, drives.get(joint.name), report)
        for joint in limited
        if joint.name in driven
    )
    return dataclasses.replace(scene, joints=limited, actuators=actuators)


def _is_driven(joint: Joint, scopes: Mapping[str, DocumentScope]) -> bool:
    """Return whether a reader gives a joint an actuator: joints of static models have none."""
    if joint.type not in ACTUATED or not joint.axes or joint.axes[0].effort == 0.0:
        return False
    scope = innermost(scopes, joint.name)
    return scope.model is None or not scope.model.static


def _limited(joint: Joint, actuator: Actuator | None) -> Joint:
    """Return a joint with the effort limit of its actuator, if it states none itself."""
    if actuator is None or joint.axes[0].effort < math.inf:
        return joint
    axis = dataclasses.replace(joint.axes[0], effort=actuator.effort)
    return dataclasses.replace(joint, axes=(axis, *joint.axes[1:]))


def _actuator(joint: Joint, actuator: Actuator | None, report: Report) -> Actuator:
    effort = joint.axes[0].effort
    if actuator is None:
        return Actuator(name=joint.name, joint=joint.name, effort=effort)
    said = dataclasses.replace(actuator, name=joint.name, effort=effort, interfaces=())
    if actuator.p_gain is None or actuator.d_gain is None:
        said = dataclasses.replace(said, p_gain=None, d_gain=None)
    keys = ("name", "effort", "interfaces", "p_gain", "d_gain")
    lost = [key for key in keys if getattr(said, key) != getattr(actuator, key)]
    if lost:
        is_name = set(lost) <= {"name", "interfaces"}
        report.add(
            codes.ACTUATOR_PROPERTY_NAME if is_name else codes.ACTUATOR_PROPERTY,
            actuator.where,
            subjects=(actuator.name, joint.name),
            properties=tuple(name.replace("_", " ") for name in lost),
            actuator=actuator.name,
            joint=joint.name,
        )
    return said


def _report_dropped(actuator: Actuator, report: Report) -> None:
    report.add(
        codes.ACTUATOR,
        actuator.where,
        subjects=(actuator.name, actuator.joint),
        actuator=actuator.name,
        joint=actuator.joint,
    )


_UNSAID = {
    "lower", "upper", "effort", "velocity", "acceleration", "friction", "spring_stiffness",
    "spring_reference",
}  # fmt: skip
_STOPS = {"limit_stiffness", "limit_dissipation"}


def with_representable_joints(scene: Scene, report: Report) -> Scene:
    """Return the scene with the joints that SDFormat can represent; positions keep their meaning.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    joints = []
    for joint in scene.joints:
        if joint.type is JointType.FLOATING:
            report.add(
                codes.FLOATING_JOINT,
                joint.where,
                subjects=(joint.name, joint.child),
                link=joint.child,
            )
            if joint.default_position:
                _report_default(joint, report)
            continue
        new = _away_from_world(joint, report)
        new = _without_unused(_in_form(new, report))
        if new.default_position and any(new.default_position):
            _report_default(new, report)
        joints.append(dataclasses.replace(new, default_position=()))
    return dataclasses.replace(scene, joints=tuple(joints))


def _report_default(joint: Joint, report: Report) -> None:
    report.add(codes.DEFAULT_POSITION, joint, joint=joint.name, position=joint.default_position)


def _lost(joint: Joint, properties: Iterable[str], report: Report) -> None:
    names = tuple(properties)
    if names:
        report.add(
            codes.JOINT_PROPERTY,
            joint,
            type=joint.type.value,
            properties=tuple(name.replace("_", " ") for name in names),
            joint=joint.name,
        )


# --- joints whose child is the world --------------------------------------------------------------


def _away_from_world(joint: Joint, report: Report) -> Joint:
    """Return a joint whose child is the world with parent and child exchanged, and its axes
    reversed and in order.
    """
    if joint.child != WORLD:
        return joint
    exact = len(joint.axes) <= 1 and joint.type is not JointType.BALL
    report.add(
        codes.REVERSED_JOINT if exact else codes.REVERSED_JOINT_MOTION, joint, joint=joint.name
    )
    return with_exchanged_links(joint)


def _without_unused(joint: Joint) -> Joint:
    """Return a joint with defaults for what its type does not use."""
    unused: dict[str, Any] = {}
    if joint.type is not JointType.SCREW:
        unused["pitch"] = 1.0
    if joint.type is not JointType.GEARBOX:
        unused |= {"gear_ratio": 1.0, "gear_reference": None}
    return dataclasses.replace(joint, **unused)


# --- joint types ----------------------------------------------------------------------------------


def _in_form(joint: Joint, report: Report) -> Joint:
    """Return a joint in the form that SDFormat has for its type."""
    match joint.type:
        case JointType.FIXED:
            joint = _with_axes(joint, 0, report)
        case JointType.BALL:
            joint = _with_axes(joint, 1, report)
        case JointType.CONTINUOUS:
            if any(axis.lower > -math.inf or axis.upper < math.inf for axis in joint.axes):
                _lost(joint, ("lower", "upper"), report)
            axes = tuple(
                dataclasses.replace(axis, lower=-math.inf, upper=math.inf) for axis in joint.axes
            )
            joint = dataclasses.replace(joint, axes=axes)
        case JointType.GEARBOX:
            joint = _gearbox(joint)
        case JointType.PLANAR:
            joint = _planar(joint, report)
        case JointType.CURVILINEAR:
            joint = _curvilinear(joint, report)
        case (
            JointType.REVOLUTE
            | JointType.PRISMATIC
            | JointType.SCREW
            | JointType.UNIVERSAL
            | JointType.REVOLUTE2
        ):
            pass
        case JointType.FLOATING:
            raise ValueError("SDFormat has no floating joint")
        case _:
            assert_never(joint.type)
    return joint


def _with_axes(joint: Joint, count: int, report: Report) -> Joint:
    """Return a joint with so many axes at most."""
    if len(joint.axes) <= count:
        return joint
    _lost(joint, ("further axes",), report)
    return dataclasses.replace(joint, axes=joint.axes[:count])


def _gearbox(joint: Joint) -> Joint:
    if joint.gear_reference is None and joint.parent != WORLD:
        return dataclasses.replace(joint, gear_reference=joint.parent)
    return joint


def _planar(joint: Joint, report: Report) -> Joint:
    """Return a planar joint in a frame along its axes, which ``<drake:joint>`` requires."""
    R = np.column_stack([axis.xyz for axis in joint.axes])
    turn = Pose.of(R)
    if np.linalg.norm(R - np.eye(3)) > 0.0:
        joint = dataclasses.replace(joint, X_PJ=joint.X_PJ @ turn, X_CJ=joint.X_CJ @ turn)
    lost = [
        name
        for name in sorted(_UNSAID | _STOPS)
        if any(_differs(axis, name) for axis in joint.axes)
    ]
    _drake_joint(joint, lost, report)
    axes = zip((X_AXIS, Y_AXIS, Z_AXIS), joint.axes, strict=True)
    return _without_parts(
        joint, tuple(JointAxis(xyz=xyz, damping=axis.damping) for xyz, axis in axes)
    )


def _curvilinear(joint: Joint, report: Report) -> Joint:
    (axis,) = joint.axes
    lost = [
        name for name in sorted((_UNSAID | _STOPS) - {"lower", "upper"}) if _differs(axis, name)
    ]
    if joint.curve is not None and (axis.lower, axis.upper) != curve_range(joint):
        lost += ["lower", "upper"]
    _drake_joint(joint, lost, report)
    lower, upper = curve_range(joint)
    return _without_parts(
        joint, (JointAxis(xyz=axis.xyz, lower=lower, upper=upper, damping=axis.damping),)
    )


def _drake_joint(joint: Joint, lost: list[str], report: Report) -> None:
    parts = [field for field in ("sensors", "provide_feedback") if getattr(joint, field)]
    _lost(joint, (*lost, *parts), report)


def _without_parts(joint: Joint, axes: tuple[JointAxis, ...]) -> Joint:
    return dataclasses.replace(joint, axes=axes, sensors=(), provide_feedback=False)


def _differs(axis: JointAxis, name: str) -> bool:
    return bool(
        getattr(axis, name) != next(f.default for f in dataclasses.fields(axis) if f.name == name)
    )


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
