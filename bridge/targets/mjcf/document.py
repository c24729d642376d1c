"""The MJCF document of a mechanism: its sections, what they pass to one another, the passes over
the result, and the fields that MJCF or MJX cannot hold.

The rules of MJX hold for MJX 3.17 with its own backend (JAX); ``docs/make_accelerators_table.py``
asks MJX itself.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.lowering.lower import report_overlaps
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.targets.mjcf import codes
from bridge.targets.mjcf.actuator import write_actuator_laws, write_actuators
from bridge.targets.mjcf.asset import AssetLibrary, name_colors, sort_assets
from bridge.targets.mjcf.contact_parameters import (
    ContactData,
    report_ignored_filters,
    report_pivoted_contacts,
    write_contact_pairs,
    write_excludes,
    write_stated_pairs,
)
from bridge.targets.mjcf.context import MjcfContext, MjcfDocument, MjcfElement, own_settings
from bridge.targets.mjcf.default import write_defaults
from bridge.targets.mjcf.equality import write_equalities, write_path_tendons, write_tendons
from bridge.targets.mjcf.geom import (
    GeomWriter,
    PlacedShape,
    WrittenShapes,
    join_planes,
    shape_name_counts,
    write_frames,
    write_lights,
)
from bridge.targets.mjcf.inertial import inertials
from bridge.targets.mjcf.joint import ScalarJoint, carried_bodies, joint_elements, joint_of_velocity
from bridge.targets.mjcf.keyframe import write_keyframes
from bridge.targets.mjcf.ros2_control import is_for_ros2_control, write_inputs, write_sites
from bridge.targets.mjcf.sensor import write_sensors
from bridge.targets.mjcf.sensor_reader import SensorReader
from bridge.targets.mjcf.submodel import assign_files, move_to_reference
from bridge.targets.numbers import composed_position, placement
from bridge.targets.options import MjcfExportOptions
from bridge.targets.report import LostSettings, losses, lost_values, report_lost_physics, value_text
from loaders.collision_pairs import FILTER_PARENT_OFF
from loaders.diagnostics import NOWHERE, Diagnostic, Diagnostics, ExportError, Where
from loaders.engine_settings import (
    INERTIA_SETTINGS,
    LOOKS_SECTIONS,
    MUJOCO,
    ROS2_CONTROL,
    SKIN,
    SKY,
    conventions_of,
    elements_in,
    named_kind,
)
from loaders.model import (
    WORLD,
    Collision,
    EngineElement,
    Friction,
    Joint,
    JointAxis,
    Link,
    Model,
    Physics,
    Surface,
    Visual,
)
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR

_CONE = "elliptic"
"""Coulomb's cone. MuJoCo's default, a pyramid inside it, holds 0.71 of the friction along its
diagonals, mixes sliding, spinning and rolling, and yields more the larger its friction is: above 1,
boxes sink into the ground."""


_FIRST_OPTIONS = frozenset({"option/integrator"})
"""Options that come before the others, as in the document of a source that states no settings of
MuJoCo."""
_PARTS = {
    tag: i
    for i, tag in enumerate(("inertial", "freejoint", "joint", "geom", "site", "camera", "light"))
}
"""The place of each kind of part in a body; other parts come last."""
_EQUALITIES = ("joint", "connect", "weld", "tendon", "flex", "flexvert", "flexstrain")
"""The kinds of equalities in order."""
_MAGNETIC_FIELD = [0.0, -0.5, 0.0]
"""MuJoCo's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltMjcf:
    """A finished document.

    Attributes:
        root: The tree of elements.
        assets: Contents of each asset file, by its name in the folder ``assets``.
        diagnostics: The findings of lowering and export.
        names: MJCF names by canonical name, where they differ.
        shapes: The shapes of all geoms of finite size.
        initial_key: The index of the key of the initial position; None if that is ``qpos0``.
        reader: Reads the sensors in a running MuJoCo.
    """

    root: MjcfElement
    assets: dict[str, bytes]
    digests: dict[str, str]
    """SHA-256 of the contents of assets, as far as known."""
    diagnostics: tuple[Diagnostic, ...]
    names: dict[str, str]
    shapes: tuple[PlacedShape, ...]
    initial_key: int | None
    reader: SensorReader


def build(mechanism: Mechanism, options: MjcfExportOptions) -> BuiltMjcf:
    """Return the document of a mechanism.

    Raises:
        ExportError: if MuJoCo cannot represent the model, with every reason; with the option
            ``strict`` also for anything lost or approximated, in reading the scene or in the
            export.
    """
    scene = mechanism.scene
    context = MjcfContext(
        mechanism=mechanism,
        options=options,
        entries=Diagnostics(mechanism.diagnostics),
        document=MjcfDocument(scene.name),
    )
    report_overlaps(mechanism, options.policy, context.entries)

    # Settings and bodies, with their joints and geoms.
    contact = ContactData.of(mechanism, options.policy)
    library = AssetLibrary(context)
    scalar_joints = joint_of_velocity(mechanism)
    _write_settings(context)
    library.add_sky()
    shapes = _write_bodies(scalar_joints, GeomWriter(library, contact, context), context)
    context.document["compiler"].set(assetdir="assets" if library.files else None)

    # Sections that refer to bodies, joints and geoms, in the order in which they claim the names of
    # sites. None needs another, except for the names of tendons that actuators have.
    geom_names = shapes.geom_names
    write_sites(context)
    write_frames(context)
    write_excludes(contact.filters, context)
    write_contact_pairs(geom_names, contact.inverse_masses, context)
    report_ignored_filters(context)
    report_pivoted_contacts(context)
    write_stated_pairs(geom_names, context)
    write_tendons(scalar_joints, context)
    tendons = write_path_tendons(scalar_joints, context)
    write_equalities(scalar_joints, context)
    actuators = write_actuators(scalar_joints, context)
    write_actuator_laws(scalar_joints, tendons, context)
    sensors = write_sensors(geom_names, context)
    write_lights(context)
    write_mujoco_elements(geom_names, context)
    _write_skins(library, context)
    join_planes(context)
    collisions = {
        geom: f"{link}{SEPARATOR}{collision}"
        for (link, collision), geoms in geom_names.items()
        for geom in geoms
    }
    reader = SensorReader(sensors=sensors, collisions=collisions)

    # Passes over the sections; each needs the one before.
    name_colors(context)
    assign_files(context)
    write_inputs(context)
    initial_key = write_keyframes(
        context.document["actuator"].children, shapes.placed, context, targets=actuators.targets
    )
    report_unsupported_fields(actuators.speed_limited, context)
    report_mjx_support(context)
    move_to_reference(context)
    _sort_by_kind(context)
    _nest_bodies(context)
    _sort_excludes(context)
    write_defaults(context)
    sort_assets(context)
    _report_slashes(context)

    findings = Diagnostics((*scene.diagnostics, *context.entries))
    findings.raise_for(ExportError, strict=options.strict)
    return BuiltMjcf(
        root=context.document.root(),
        assets=library.files,
        digests=library.digests,
        diagnostics=tuple(context.entries),
        names=dict(context.names.changed),
        shapes=tuple(shapes.placed),
        initial_key=initial_key,
        reader=reader,
    )


def _report_slashes(context: MjcfContext) -> None:
    """Report names that dm_control takes for scopes."""
    elements = context.document.root().walk()
    names = [e.attributes["name"] for e in elements if "/" in e.attributes.get("name", "")]
    if names:
        context.add(codes.DM_CONTROL, subjects=dict.fromkeys(names), names=tuple(names))


# --- settings -------------------------------------------------------------------------------------


def _write_settings(context: MjcfContext) -> None:
    """Write the compiler's and the simulator's options: angles in radians, and the scene's gravity
    in any case.
    """
    mechanism = context.mechanism
    scene, physics = mechanism.scene, mechanism.physics
    context.document["compiler"].set(angle="radian")
    has_settings = conventions_of(physics).has_solver_settings
    context.document["option"].set(
        timestep=context.time_step,
        gravity=mechanism.gravity.tolist(),
        wind=scene.wind.tolist() if scene.wind.any() else None,
        magnetic=_magnetic_field(scene),
        integrator=None if has_settings else "implicitfast",
        cone=None if has_settings else _CONE,
    )
    _write_engine_settings(own_settings(physics), context)


def _write_engine_settings(settings: Mapping[str, str], context: MjcfContext) -> None:
    """Write MuJoCo's own settings of the source; `write_excludes` writes the flag of the parent
    filter.
    """
    flags = MjcfElement("flag")
    options = [path for path in settings if not path.startswith(SKY)]  # `AssetLibrary.add_sky`
    for path in sorted(options, key=lambda path: path not in _FIRST_OPTIONS):
        section, _, name = path.partition("/")
        if section in {"option", "size", *LOOKS_SECTIONS}:
            group, _, key = name.rpartition("/")
            _child(context.document[section], group).set(**{key: settings[path]})
        elif (path, settings[path]) != FILTER_PARENT_OFF:
            flags.set(**{name: settings[path]})
    if flags.attributes:
        context.document["option"].children.append(flags)


def _magnetic_field(scene: Scene) -> list[float] | None:
    """Return the magnetic field, if the source states one or a sensor measures it, unless it is
    MuJoCo's default.
    """
    field = scene.magnetic_field.tolist()
    sensors = (sensor for link in scene.links for sensor in link.sensors)
    is_measured = any(sensor.type == "magnetometer" for sensor in sensors)
    is_stated = field != Scene(name="").magnetic_field.tolist()
    return field if field != _MAGNETIC_FIELD and (is_measured or is_stated) else None


# --- bodies ---------------------------------------------------------------------------------------


def _write_bodies(
    scalar_joints: dict[int, ScalarJoint], geoms: GeomWriter, context: MjcfContext
) -> WrittenShapes:
    """Make the element of each body with its contents; the bodies are nested after the other
    sections are written.
    """
    mechanism = context.mechanism
    inertial_elements = inertials(context)
    particles = _particles(mechanism.scene)
    elements = [_body(body, body.name in particles, context) for body in mechanism.bodies]
    carried = carried_bodies(mechanism)
    for i, carrier in carried.items():
        is_particle = mechanism.bodies[carrier].name in particles
        elements[i] = elements[carrier]
        elements[i].set(**_placement(mechanism.bodies[i], is_particle))
    context.document.bodies = elements
    for i, body in enumerate(mechanism.bodies):
        element, inertial = elements[i], inertial_elements[i]
        if inertial is not None and element.tag == "body" and i not in carried:
            element.children.insert(0, inertial)
        element.children.extend(joint_elements(i, scalar_joints, context))
        is_moving = mechanism.moving_ancestor(i) != ROOT
        element.children.extend(geoms.geoms(body.link, is_moving=is_moving))
    return geoms.shapes


def _particles(scene: Scene) -> frozenset[str]:
    """Return the names of the links that are particles of soft bodies."""
    soft_bodies = elements_in("deformable", scene)
    return frozenset(name for element in soft_bodies for _, name in element.references)


def _body(body: Body, is_particle: bool, context: MjcfContext) -> MjcfElement:
    """Return the element of a body in its pose at the zero configuration; a link named ``world`` is
    the world.
    """
    if body.name == WORLD:
        return context.document["worldbody"]
    element = MjcfElement(
        "body",
        name=body.name,
        **_placement(body, is_particle),
        mocap=body.is_kinematic or None,
        gravcomp=None if body.link.gravity else 1.0,
    )
    settings = own_settings(body.link)  # which may state what the model says otherwise
    element.set(**{key: text for key, text in settings.items() if key not in INERTIA_SETTINGS})
    return element


def _placement(body: Body, is_particle: bool) -> dict[str, Sequence[float] | None]:
    """Return the pose of a body in its parent at the zero configuration.

    A particle keeps every digit: MuJoCo solves the many edges of a soft body only to a tolerance,
    so that the last digit of one position changes a step by much more.
    """
    is_free = kind_of(body) is PrimitiveKind.FREE
    X_PB = body.link.X_WL if is_free else body.X_PF @ body.X_BM.inverse()
    attributes = placement(X_PB)
    if is_particle:
        attributes["pos"] = X_PB.p.tolist()
    elif body.X_BM.p.any():
        attributes["pos"] = composed_position(X_PB.p)
    return attributes


# --- order ----------------------------------------------------------------------------------------


def _sort_by_kind(context: MjcfContext) -> None:
    """Sort equalities, and the parts of bodies, by kind, as MuJoCo does: the reader finds each kind
    in this order.
    """
    document = context.document
    for body in (*document.bodies, document["worldbody"]):
        body.children.sort(key=lambda part: _PARTS.get(part.tag, len(_PARTS)))
    document["equality"].children.sort(key=_kind_of_equality)


def _kind_of_equality(equality: MjcfElement) -> tuple[str, int, bool]:
    is_of_two = bool({"joint2", "tendon2"} & equality.attributes.keys())
    return equality.owner, _EQUALITIES.index(equality.tag), not is_of_two


def _nest_bodies(context: MjcfContext) -> None:
    document = context.document
    for element, body in zip(document.bodies, context.mechanism.bodies, strict=True):
        parent = document.body(body.parent)
        if element.tag == "body" and element is not parent:
            parent.children.append(element)


def _sort_excludes(context: MjcfContext) -> None:
    """Sort the excluded pairs by the places of their bodies in the finished document, before the
    contact pairs.
    """
    elements = context.document["worldbody"].walk()
    bodies = [element.attributes["name"] for element in elements if element.tag == "body"]
    place = {name: i for i, name in enumerate(bodies)}

    def key(contact: MjcfElement) -> tuple[str, bool, list[int]]:
        names = [contact.attributes.get(side) for side in ("body1", "body2")]
        places = [place.get(name, -1) for name in names if name is not None]
        return contact.owner, contact.tag == "pair", places

    context.document["contact"].children.sort(key=key)


# --- elements that only MuJoCo has, as the source states them -------------------------------------


def write_mujoco_elements(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]], context: MjcfContext
) -> None:
    """Write each element, unless what it names is not in the document.

    Args:
        geom_names: Names of the geoms of each collision, by link and collision.
        context: The export.
    """
    elements = [
        element
        for element in context.mechanism.scene.engine_elements
        if element.section != SKIN
        and (element.engine != ROS2_CONTROL or not is_for_ros2_control(context))
    ]
    if not elements:
        return
    counts = Counter(collision for _, collision in geom_names)
    parts = {
        collision: names[0]
        for (_, collision), names in geom_names.items()
        if names and counts[collision] == 1
    }
    written = _named(context)
    cameras = [name for tag, name in written if tag == "camera"]
    alone = Counter(name.rpartition(SEPARATOR)[2] for name in cameras)
    parts |= {
        name.rpartition(SEPARATOR)[2]: name
        for name in cameras
        if alone[name.rpartition(SEPARATOR)[2]] == 1
    }
    known = {
        WORLD,
        *(name for _, name in written),
        *(e.name for e in elements if e.section == "deformable"),
    }
    for element in elements:
        stated = [
            (key, _name(named_kind(key, element.settings), name, parts, context))
            for key, name in element.references
        ]
        missing = tuple(dict.fromkeys(name for _, name in stated if name not in known))
        is_known = element.engine == MUJOCO and element.section in _SECTIONS
        if missing or not is_known:
            reason = f"MJCF has no {', '.join(missing)}" if missing else "MJCF has no such section"
            if element.engine == ROS2_CONTROL:
                reason = 'it is for mujoco_ros2_control, and written with program="ros2_control"'
            _report(element, missing, reason, context)
        elif _measures_a_limit(element) and not any(
            _is_limited(written, name) for _, name in stated
        ):
            subjects = tuple(name for _, name in stated)
            _report(element, subjects, f"{', '.join(subjects)} has no limits", context)
        else:
            _write(element, stated, written, context)


def _write_skins(library: AssetLibrary, context: MjcfContext) -> None:
    """Write the skins of a source in MJCF, with a material of their own."""
    known = {body.name for body in context.mechanism.bodies} | {WORLD}
    for skin in elements_in(SKIN, context.mechanism.scene):
        links = [context.names.changed.get(name, name) for _, name in skin.references]
        missing = tuple(name for name in links if name not in known)
        if missing:
            _report(skin, missing, f"MJCF has no {', '.join(missing)}", context)
            continue
        parts: dict[str, dict[str, str]] = defaultdict(dict)
        for path, text in skin.settings:
            part, _, key = path.rpartition("/")
            parts[part][key] = text
        name = context.names.claim("skin", skin.name)
        written = context.document["deformable"].add("skin", name=name, **parts[""])
        written.is_stated = True
        written.set(material=library.material_of_skin(parts["material"], parts["texture"], skin))
        for number, link in enumerate(links):
            written.add("bone", body=link, **parts[str(number)])


_NUMBERED = re.compile(r"_*(equality|sensor)_\d+")
"""Names that the reader of MJCF gives to elements without a name."""
_SECTIONS = ("deformable", "equality", "sensor")


def _name(kind: str, name: str, parts: Mapping[str, str], context: MjcfContext) -> str:
    """Return the name in the document of what an element names."""
    if kind == "part":
        return parts.get(name, name)
    return context.names.changed.get(name, name)


def _named(context: MjcfContext) -> dict[tuple[str, str], MjcfElement]:
    """Return all elements of the document that a name may mean, by tag and name."""
    sections = (context.document[tag] for tag in ("worldbody", "tendon", "actuator"))
    elements = [
        element for root in (*context.document.bodies, *sections) for element in root.walk()
    ]
    return {(element.tag, element.attributes.get("name", "")): element for element in elements}


def _measures_a_limit(element: EngineElement) -> bool:
    return element.section == "sensor" and element.tag.startswith(("jointlimit", "tendonlimit"))


def _is_limited(elements: Mapping[tuple[str, str], MjcfElement], name: str) -> bool:
    """Return whether a joint or a tendon of the document has limits."""
    found = (elements.get((tag, name)) for tag in ("joint", "fixed", "spatial"))
    return any(
        e is not None and "range" in e.attributes and e.attributes.get("limited") != "false"
        for e in found
    )


def _write(
    element: EngineElement,
    references: list[tuple[str, str]],
    known: Mapping[tuple[str, str], MjcfElement],
    context: MjcfContext,
) -> None:
    name = context.names.claim(
        element.tag if element.section == "deformable" else element.section, element.name
    )
    if name != element.name:
        context.names.changed.setdefault(element.name, name)
    is_named = element.section == "deformable" or _NUMBERED.fullmatch(element.name) is None
    written = context.document[element.section].add(element.tag, name=name if is_named else None)
    written.is_stated = True
    by_key: dict[str, list[str]] = defaultdict(list)
    for key, item in references:
        by_key[key].append(item)
    settings = dict(element.settings)
    written.set(objtype=settings.pop("objtype", None))
    written.set(**{key: " ".join(items) for key, items in by_key.items()})
    for path, text in settings.items():
        tag, _, attribute = path.rpartition("/")
        target = known[tag, by_key[tag][0]] if tag in by_key else _child(written, tag)
        target.set(**{attribute: text})


def _child(element: MjcfElement, tag: str) -> MjcfElement:
    """Return the first element in another one with a tag, new if there is none; the other one
    itself for no tag.
    """
    if not tag:
        return element
    found = [child for child in element.children if child.tag == tag]
    return found[0] if found else element.add(tag)


def _report(
    element: EngineElement, subjects: tuple[str, ...], reason: str, context: MjcfContext
) -> None:
    context.add(
        codes.MUJOCO_ELEMENT,
        element.where,
        subjects=(element.name, *subjects),
        section=element.section,
        element=element.name,
        tag=element.tag,
        reason=reason,
    )


_ROUND = frozenset({"cylinder", "ellipsoid"})
_FLAT = frozenset({"box", "mesh", "hfield"})
"""MJX has no collision function for a round shape and a flat one."""


def report_mjx_support(context: MjcfContext) -> None:
    """Report the features of the model that MJX refuses, in one entry."""
    links, features = _unsupported_collision(context)
    contacts = [
        element for element in context.document["sensor"].children if element.tag == "contact"
    ]
    sensors = [element.attributes["name"] for element in contacts if "name" in element.attributes]
    if contacts:
        features.append(
            "contact sensors that sum forces" + (f" ({' '.join(sensors)})" if sensors else "")
        )
    finders = [e for e in context.document["sensor"].children if e.tag == "rangefinder"]
    materials = [e for e in context.document["asset"].children if e.tag == "material"]
    if finders and not materials:  # it asks for the opacity of materials
        features.append("range finders in a model without a material")
    if context.mechanism.scene.wind.any():
        features.append("wind with implicitfast")
    if features:
        context.add(codes.MJX, subjects=(*links, *sensors), features=tuple(features))


def _unsupported_collision(context: MjcfContext) -> tuple[tuple[str, ...], list[str]]:
    """Return the first two links that may collide with shapes that MJX cannot collide, and the
    feature.
    """
    types = {
        body.name: _collision_types(i, context) for i, body in enumerate(context.mechanism.bodies)
    }
    pair = _first_unsupported_pair(types, context)
    if pair is None:
        return (), []
    a, b = pair
    return pair, [
        "collisions of cylinders and ellipsoids with boxes and meshes and height fields "
        f"(a {min(types[a] & _ROUND)} of {a} with a {min(types[b] & _FLAT)} of {b})"
    ]


def _first_unsupported_pair(
    types: Mapping[str, set[str]], context: MjcfContext
) -> tuple[str, str] | None:
    mechanism = context.mechanism
    excluded, index = mechanism.excluded_pairs(context.options.policy), mechanism.body_index
    round_links = [name for name, shapes in types.items() if shapes & _ROUND]
    flat_links = [name for name, shapes in types.items() if shapes & _FLAT]
    groups = [mechanism.weld_group_of(name) for name in flat_links]
    ends = _ends_of_runs(groups)
    for a in round_links:
        group, i = mechanism.weld_group_of(a), 0
        while i < len(flat_links):
            if groups[i] == group:
                i = ends[i]
                continue
            if frozenset((index[a], index[flat_links[i]])) not in excluded:
                return a, flat_links[i]
            i += 1
    return None


def _ends_of_runs(values: Sequence[object]) -> list[int]:
    """Return for each place the first one after it with another value."""
    ends = [len(values)] * len(values)
    for i in range(len(values) - 2, -1, -1):
        ends[i] = ends[i + 1] if values[i] == values[i + 1] else i + 1
    return ends


def _collision_types(index: int, context: MjcfContext) -> set[str]:
    """Return the types of the colliding geoms of one body."""
    return {
        _type(e)
        for e in context.document.bodies[index].children
        if e.attributes.get("class") == "collision"
    }


def _type(geom: MjcfElement) -> str:
    return geom.attributes.get("type", "sphere")


LOSSES = losses(
    (Model, "allow_auto_disable", codes.SLEEP),
    (Model, "enable_wind", codes.WIND_OF_MODEL),
    (Link, "enable_wind", codes.WIND_OF_LINK),
    (Link, "velocity_decay", codes.VELOCITY_DECAY),
    (Link, "added_mass", codes.ADDED_MASS),
    (Link, "surface_velocity_axis", codes.SURFACE_VELOCITY),
    (Link, "deformable", codes.DEFORMABLE),
    (Visual, "cast_shadows", codes.VISUAL),
    (Visual, "roles renderers", codes.VISUAL_IN_CAMERAS),
    (Collision, "density", codes.DENSITY),
    (Surface, "restitution_threshold", codes.RESTITUTION_THRESHOLD),
    (Surface, "max_velocity min_depth", codes.CONTACT_SOLVER_FIELD),
    (Surface, "collide_without_contact", codes.COLLIDE_WITHOUT_CONTACT),
    (Surface, "hydroelastic", codes.HYDROELASTIC),
    (Friction, "mu_static", codes.STATIC_FRICTION),
    (Friction, "fdir1", codes.FRICTION_DIRECTION_FIELD),
    (Friction, "slip1 slip2 torsional_slip", codes.SLIP),
    (JointAxis, "velocity", codes.VELOCITY_LIMIT_DROPPED),
    (JointAxis, "acceleration", codes.ACCELERATION_LIMIT),
    (Physics, "real_time_factor real_time_update_rate", codes.PHYSICS_PACE),
    (Physics, "max_contacts", codes.PHYSICS_MAX_CONTACTS),
    (Physics, "engine", codes.PHYSICS_ENGINE),
    (Physics, "parameters", codes.PHYSICS),
)
"""Fields that MJCF lacks; the messages name the owner of the field, the field and its value."""
_LOST_PHYSICS = LostSettings(
    codes.PHYSICS_OF_MOTION, codes.PHYSICS_OF_CONTACT, codes.PHYSICS_OF_SOLVER
)
"""Findings about the settings of an engine of Gazebo."""


def report_unsupported_fields(speed_limited: frozenset[str], context: MjcfContext) -> None:
    """Report every field that the source states and MJCF cannot hold.

    Args:
        speed_limited: Joints whose actuators have no effort beyond the joint's speed limit.
        context: The export.
    """
    scene = context.mechanism.scene
    _report_physics(scene, context)
    _report_filter_groups(scene, context)
    _report_names(scene, context)
    for model in scene.models:
        owner = _Owner(model.name, (model.name,), model.where)
        _report_lost(model, owner, context, _without_wind(scene))
    for link in scene.links:
        _report_link(link, context)
    for joint in scene.joints:
        _report_joint(joint, joint.name in speed_limited, context)
    for actuator in (driven.actuator for driven in context.mechanism.actuators):
        if actuator.interfaces:
            context.add(
                codes.ACTUATOR_INTERFACES,
                actuator,
                actuator=actuator.name,
                interfaces=actuator.interfaces,
            )


# --- the scene ------------------------------------------------------------------------------------


def _report_physics(scene: Scene, context: MjcfContext) -> None:
    where = Where(scene.source)
    conventions = conventions_of(scene.physics)
    carried = ("engine", "parameters") if conventions.has_solver_settings else ("parameters",)
    _report_lost(scene.physics, _Owner("", (), where), context, carried)
    report_lost_physics(scene.physics, _LOST_PHYSICS, context.add)
    if scene.physics.time_step != context.time_step:
        context.add(
            codes.TIME_STEP, where, time_step=scene.physics.time_step, default=context.time_step
        )
    if _has_wind(scene) and not conventions.wind_moves_medium:
        context.add(codes.WIND, where)
    if scene.spherical_coordinates:
        settings = tuple(f"{tag} = {text}" for tag, text in scene.spherical_coordinates)
        context.add(codes.SPHERICAL_COORDINATES, where, settings=settings)


def _has_wind(scene: Scene) -> bool:
    """Return whether there is a wind and something on which it acts."""
    is_felt = any(m.enable_wind for m in scene.models) or any(k.enable_wind for k in scene.links)
    return bool(scene.wind.any()) and is_felt


def _without_wind(scene: Scene) -> tuple[str, ...]:
    """Return the fields without effect if there is no wind."""
    return () if scene.wind.any() else ("enable_wind",)


def _report_filter_groups(scene: Scene, context: MjcfContext) -> None:
    if scene.filter_groups:
        names = tuple(group.name for group in scene.filter_groups)
        members = (" with ".join((group.name, *group.groups)) for group in scene.filter_groups)
        context.add(
            codes.FILTER_GROUPS,
            scene.filter_groups[0].where,
            subjects=names,
            groups=", ".join(members),
        )


def _report_names(scene: Scene, context: MjcfContext) -> None:
    counts = shape_name_counts(scene)
    visuals = [(link.name, visual.name) for link in scene.links for visual in link.visuals]
    unnamed = [f"{link}{SEPARATOR}{name}" for link, name in visuals if counts[name] > 1]
    if unnamed:
        context.add(codes.VISUAL_NAMES, subjects=unnamed, count=len(unnamed))
    if len(scene.models) > 1:
        models = ", ".join(f"{model.name} ({model.canonical_link})" for model in scene.models)
        context.add(
            codes.MODEL_SCOPES,
            scene.models[0].where,
            subjects=[model.name for model in scene.models],
            models=models,
        )


# --- links ----------------------------------------------------------------------------------------


def _report_link(link: Link, context: MjcfContext) -> None:
    owner = _Owner(link.name, (link.name,), link.where)
    _report_lost(link, owner, context, _without_wind(context.mechanism.scene))
    for visual in link.visuals:
        _report_lost(visual, _shape_owner(visual, link), context)
    for collision in link.collisions:
        owner, friction = _shape_owner(collision, link), collision.surface.friction
        for item in (collision, collision.surface, friction):
            _report_lost(item, owner, context)
        if friction.mu2 != friction.mu:
            context.add(
                codes.FRICTION_DIRECTION,
                collision.where,
                subjects=owner.subjects,
                name=owner.name,
                mu2=friction.mu2,
                mu=friction.mu,
            )


def _shape_owner(shape: Visual | Collision, link: Link) -> _Owner:
    return _Owner(
        f"{link.name}/{shape.name}", (link.name, f"{link.name}{SEPARATOR}{shape.name}"), shape.where
    )


# --- joints ---------------------------------------------------------------------------------------


def _report_joint(joint: Joint, ends_at_speed_limit: bool, context: MjcfContext) -> None:
    owner = _Owner(joint.name, (joint.name,), joint.where)
    for axis in joint.axes:
        _report_lost(axis, owner, context, ("velocity",) if ends_at_speed_limit else ())
    if joint.curve is not None:
        context.add(
            codes.CURVE,
            joint,
            joint=joint.name,
            length=sum(arc.length for arc in joint.curve.arcs),
            kind="closed" if joint.curve.periodic else "open",
        )
    if joint.provide_feedback:
        context.add(codes.JOINT_FEEDBACK, joint, joint=joint.name)


# --- values that are lost -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Owner:
    """The owner of a field in diagnostics.

    Attributes:
        name: The name.
        subjects: Scoped names of the link, joint or shape.
        where: The place in the source.
    """

    name: str
    subjects: tuple[str, ...] = ()
    where: Where = NOWHERE


def _report_lost(
    item: Model | Link | Visual | Collision | Surface | Friction | JointAxis | Physics,
    owner: _Owner,
    context: MjcfContext,
    carried: Sequence[str] = (),
) -> None:
    """Report the values of an item that MJCF lacks, without the fields that it has in this case."""
    lost = LOSSES[type(item)]
    for field, value, _ in lost_values(item, lost):
        if field not in carried:
            context.add(
                lost[field],
                owner.where,
                subjects=owner.subjects,
                name=owner.name,
                field=field,
                value=_short_text(value),
            )


def _short_text(value: Any) -> str:
    text = value_text(value)
    return text if len(text) <= 80 else text[:77] + "..."
