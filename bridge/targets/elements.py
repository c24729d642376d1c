"""Elements that SDFormat and URDF share: sensors, lights, filter groups, rotor inertia."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations, product
from pathlib import Path
from typing import Protocol

from bridge.fluid import described
from bridge.mechanism.coordinates import finite_range
from loaders.collision_pairs import (
    default_policy,
    excluded_pairs,
    exerts_forces,
    masked_pairs,
    weld_groups,
)
from loaders.diagnostics import Code
from loaders.engine_settings import (
    FRICTION_RULES,
    FrictionRule,
    Grip,
    PairFriction,
    friction_rule,
    grip_of,
    worst_of,
)
from loaders.files.read_file import read_start
from loaders.inertia import SpatialInertia
from loaders.limits import FileError
from loaders.model import (
    Actuator,
    BallConstraint,
    Bushing,
    Constraint,
    Coupling,
    DistanceConstraint,
    FilterGroup,
    FilterRule,
    ForceElement,
    Frame,
    Joint,
    JointType,
    Light,
    Link,
    Material,
    Motion,
    Rgba,
    Sensor,
    SpringDamper,
    TendonConstraint,
    WeldConstraint,
    by_name,
)
from loaders.pose import IDENTITY, Array, Pose, frozen
from loaders.scene import Scene
from loaders.scoped_names import unused_name
from loaders.sdf.material import GAZEBO_SCRIPT
from loaders.text import counted, numbers

from .folder import Files
from .numbers import is_ill_conditioned, pose_text, position_values, quaternion_values
from .report import Report
from .xml import Element, Value, add, qualified

_MAX_LINKS = 400
"""Largest number of links with collisions for which groups are sought; their pairs are listed."""

_Neighbors = Mapping[str, Set[str]]
"""The links that each link may not touch."""


def has_writable_pairs(scene: Scene) -> bool:
    """Return whether the pairs that a scene excludes are MuJoCo's or SDFormat's, and few enough to
    be written as filter groups.
    """
    return default_policy(scene) in ("mujoco", "sdformat") and _has_few_links(scene)


def states_pairs(scene: Scene) -> bool:
    """Return whether a scene states the pairs that may touch, and they are few enough to be
    compared.
    """
    is_stated = default_policy(scene) != "neighbors" or bool(scene.filter_rules)
    return is_stated and _has_few_links(scene)


def _has_few_links(scene: Scene) -> bool:
    return sum(1 for link in scene.links if link.collisions) <= _MAX_LINKS


def touching_pairs(scene: Scene, policy: str | None = None) -> frozenset[frozenset[str]]:
    """Return the pairs of links with collisions that may touch; of two links that are fixed to
    each other a contact changes nothing, and they are left out.

    Args:
        scene: The scene.
        policy: See `loaders.collision_pairs.filtered_pairs`.

    Raises:
        LimitError: if there are more pairs than the call that is running may have.
    """
    excluded = excluded_pairs(scene, policy)
    group_of = {name: i for i, group in enumerate(weld_groups(scene)) for name in group}
    colliding = [link.name for link in scene.links if link.collisions]
    return frozenset(
        frozenset((a, b))
        for a, b in combinations(colliding, 2)
        if group_of[a] != group_of[b] and frozenset((a, b)) not in excluded
    )


_MAX_NAMED_PAIRS = 10
"""Largest number of pairs that a finding names."""


def report_pairs(
    differing: Iterable[frozenset[str]], policy: str, report: Report, code: Code
) -> None:
    """Report the pairs that may touch by one of two rules only, if there are any.

    Args:
        differing: The pairs.
        policy: The rule of the source.
        report: Receives the finding.
        code: The code of the finding.
    """
    pairs = sorted(map(sorted, differing))
    if not pairs:
        return
    named = [" and ".join(pair) for pair in pairs[:_MAX_NAMED_PAIRS]]
    if len(pairs) > len(named):
        named.append(f"and {counted(len(pairs) - len(named), 'more pair')}")
    subjects = dict.fromkeys(name for pair in pairs for name in pair)
    report.add(code, subjects=subjects, policy=policy, pairs=tuple(named))


def grips_of(link: Link) -> set[Grip]:
    """Return the different grips of the shapes of a link that exert forces.

    Args:
        link: The link.
    """
    return {grip_of(c.surface) for c in filter(exerts_forces, link.collisions)}


def frictions_of(
    pairs: Iterable[tuple[Link, Link]], rule: FrictionRule, found: Callable[[float, float], float]
) -> Iterator[PairFriction]:
    """Yield the friction of every two shapes of two links that exert forces.

    Args:
        pairs: The links that may touch.
        rule: The rule of the source.
        found: The rule of the target.
    """
    for A, B in pairs:
        for a, b in product(grips_of(A), grips_of(B)):
            yield PairFriction(
                link_A=A.name,
                link_B=B.name,
                coefficients=(a.mu, b.mu),
                wanted=rule.of_grips(a, b),
                found=found(a.mu, b.mu),
            )


def report_friction(
    scene: Scene,
    report: Report,
    code: Code,
    kept: Collection[str],
    *,
    target: str = "smaller",
    part_of: Mapping[str, int] | None = None,
) -> None:
    """Report the pair of links whose friction differs most between the rule of a scene and that of
    a target; of scenes with many links none.

    Args:
        scene: The scene.
        report: Receives the finding.
        code: The code of the finding.
        kept: The rules, of `loaders.engine_settings.FRICTION_RULES`, that readers of the document
            apply too.
        target: The rule of the target, one of these.
        part_of: Part of each link; pairs of one part are left out. None takes all pairs.
    """
    rule, found = friction_rule(scene), FRICTION_RULES[target]
    if any(rule is FRICTION_RULES[name] for name in kept) or not _has_few_links(scene):
        return
    links = {link.name: link for link in scene.links}
    pairs = [
        (links[a], links[b])
        for a, b in sorted(map(sorted, touching_pairs(scene)))
        if part_of is None or part_of.get(a) != part_of.get(b)
    ]
    worst = worst_of(frictions_of(pairs, rule, found.combined))
    if worst is not None:
        report.add(
            code,
            subjects=(worst.link_A, worst.link_B),
            link_a=worst.link_A,
            link_b=worst.link_B,
            found=worst.found,
            wanted=worst.wanted,
            rule_name=rule.words,
        )


def with_linear_couplings(scene: Scene, report: Report, code: Code) -> Scene:
    """Return the scene with linear laws in place of the polynomials of its couplings.

    Args:
        scene: The scene.
        report: Receives a finding for each, with the largest difference over the range of the
            leader.
        code: The code of the findings.
    """
    if not any(coupling.higher for coupling in scene.couplings):
        return scene
    joints = by_name(scene.joints)
    return dataclasses.replace(
        scene,
        couplings=tuple(
            _linear(coupling, joints[coupling.leader], report, code)
            if coupling.higher
            else coupling
            for coupling in scene.couplings
        ),
    )


def _linear(coupling: Coupling, leader: Joint, report: Report, code: Code) -> Coupling:
    motions = leader.type.traits.motions
    is_hinge = motions[min(coupling.leader_axis, len(motions) - 1)] is not Motion.SLIDE
    axis = leader.axes[coupling.leader_axis]
    low, high = finite_range(axis, is_hinge=is_hinge)
    line, error = coupling.closest_line(low, high)
    report.add(
        code,
        coupling.where,
        subjects=(coupling.follower, coupling.leader),
        follower=coupling.follower,
        leader=coupling.leader,
        error=error,
        low=low,
        high=high,
    )
    return dataclasses.replace(coupling, multiplier=line.multiplier, offset=line.offset, higher=())


def with_filter_groups(scene: Scene) -> Scene:
    """Return the scene with filter groups for the pairs that MuJoCo or SDFormat excludes and
    Drake's rules do not.

    A scene with other rules stays as it is. Links that may not touch the same links
    share a group.
    """
    if not has_writable_pairs(scene):
        return scene
    colliding = [link.name for link in scene.links if link.collisions]
    wanted = excluded_pairs(scene)
    missing = wanted - excluded_pairs(scene, "drake")
    pairs = [pair for pair in missing if pair <= set(colliding)]
    if not pairs:
        return scene
    masked = masked_pairs(scene)
    pairs += [
        pair
        for pair in map(frozenset, combinations(colliding, 2))
        if pair in masked and pair in wanted
    ]
    groups, rules = _grouped(
        _neighbors(pairs), colliding, {group.name for group in scene.filter_groups}
    )
    return dataclasses.replace(
        scene,
        filter_groups=(*scene.filter_groups, *groups),
        filter_rules=(*scene.filter_rules, *rules),
    )


def report_pairs_kept_apart(scene: Scene, report: Report, code: Code) -> None:
    """Report the pairs of links that may touch by the rules of a scene that are MuJoCo's or
    SDFormat's, but not by Drake's; of two links that are fixed to each other a contact changes
    nothing.

    Args:
        scene: The scene.
        report: Receives a finding for each pair.
        code: The code of the findings.
    """
    for a, b in _pairs_kept_apart(scene):
        report.add(code, subjects=(a, b), a=a, b=b, policy=default_policy(scene))


def _pairs_kept_apart(scene: Scene) -> list[list[str]]:
    if not has_writable_pairs(scene):
        return []
    return sorted(sorted(pair) for pair in touching_pairs(scene) - touching_pairs(scene, "drake"))


def stating_drakes_rule(scene: Scene) -> Scene:
    """Return the scene with a filter group that excludes nothing, if it has none and its pairs are
    not those of ``neighbors``, which readers assume of a URDF without groups.

    Args:
        scene: The scene, with Drake's rule and its groups.
    """
    if scene.filter_rules or not states_pairs(scene):
        return scene
    lost = touching_pairs(scene, "drake") - touching_pairs(scene, "neighbors")
    if not lost:
        return scene
    name = unused_name("filter_1", {group.name for group in scene.filter_groups}.__contains__)
    group = FilterGroup(name=name, links=(min(map(min, lost)),))
    return dataclasses.replace(
        scene,
        filter_groups=(*scene.filter_groups, group),
        filter_rules=(FilterRule(a=name, b=name),),
    )


def _neighbors(pairs: Iterable[frozenset[str]]) -> _Neighbors:
    found: dict[str, set[str]] = defaultdict(set)
    for a, b in map(sorted, pairs):
        found[a].add(b)
        found[b].add(a)
    return found


def _grouped(
    neighbors: _Neighbors, order: list[str], taken: Set[str]
) -> tuple[list[FilterGroup], list[FilterRule]]:
    """Return groups of links with the same neighbors, in the order of the links, and the rules
    between them.
    """
    classes = _classes(neighbors, [name for name in order if name in neighbors])
    names = [
        f"filter_{i}" for i in range(1, len(classes) + len(taken) + 1) if f"filter_{i}" not in taken
    ]
    groups = [
        FilterGroup(name=name, links=tuple(links))
        for name, links in zip(names, classes, strict=False)
    ]
    rules = []
    for i, a in enumerate(groups):
        if len(a.links) > 1 and a.links[1] in neighbors[a.links[0]]:
            rules.append(FilterRule(a=a.name, b=a.name))
        rules += [
            FilterRule(a=a.name, b=b.name)
            for b in groups[i + 1 :]
            if b.links[0] in neighbors[a.links[0]]
        ]
    return groups, rules


def _classes(neighbors: _Neighbors, order: list[str]) -> list[list[str]]:
    """Return the links in classes: those that exclude each other and the same others, and those
    that exclude the same.

    Args:
        neighbors: The links that each link may not touch.
        order: The links.
    """
    together: dict[frozenset[str], list[str]] = defaultdict(list)
    for name in order:
        together[frozenset(neighbors[name] | {name})].append(name)
    apart: dict[frozenset[str], list[str]] = defaultdict(list)
    for names in together.values():
        if len(names) == 1:
            apart[frozenset(neighbors[names[0]])] += names
    found = [names for names in together.values() if len(names) > 1] + list(apart.values())
    return sorted(found, key=lambda names: order.index(names[0]))


def without_fluid_forces(scene: Scene, report: Report, code: Code) -> Scene:
    """Return the scene without the forces of a fluid.

    Args:
        scene: The scene.
        report: Receives one finding for each force, with all its values.
        code: Code of the findings.
    """
    for force in scene.fluid_forces:
        report.add(
            code, force.where, subjects=(force.link,), link=force.link, force=described(force)
        )
    return dataclasses.replace(scene, fluid_forces=()) if scene.fluid_forces else scene


_PUBLISHED_TYPES = frozenset({"joint_state", "odometry"})


def without_published_sensors(scene: Scene, report: Report, code: Code) -> Scene:
    """Return the scene without joint states and odometry.

    Args:
        scene: The scene.
        report: Receives the findings.
        code: Code of the findings.
    """
    owners: tuple[Link | Joint, ...] = (*scene.links, *scene.joints)
    published = [(item, s) for item in owners for s in item.sensors if s.type in _PUBLISHED_TYPES]
    if not published:
        return scene
    for item, sensor in published:
        report.add(
            code,
            sensor.where,
            subjects=(item.name, sensor.name),
            sensor=sensor.name,
            type=sensor.type,
        )
    return dataclasses.replace(
        scene,
        links=tuple(
            dataclasses.replace(link, sensors=_stated(link.sensors)) for link in scene.links
        ),
        joints=tuple(
            dataclasses.replace(joint, sensors=_stated(joint.sensors)) for joint in scene.joints
        ),
    )


def _stated(sensors: tuple[Sensor, ...]) -> tuple[Sensor, ...]:
    return tuple(sensor for sensor in sensors if sensor.type not in _PUBLISHED_TYPES)


_SUFFIXES = (".ktx", ".ktx2")
_MAGIC = b"\xabKTX "
"""First bytes of a file in KTX, of either version."""


def without_undrawn_textures(material: Material) -> tuple[Material, list[str]]:
    """Return a material without its textures in KTX, and the words for what is left out.

    Neither Gazebo nor PyBullet reads KTX, and Drake's renderer does not draw a shape with such a
    texture at all.
    """
    lost = [f"{kind} {Path(file).name} in KTX" for kind, file in material.maps if _is_ktx(file)]
    maps = tuple((kind, file) for kind, file in material.maps if not _is_ktx(file))
    texture = material.texture
    if texture is not None and _is_ktx(texture):
        if texture != dict(material.maps).get("albedo_map"):
            lost.append(f"texture {Path(texture).name} in KTX")
        texture = None
    return (dataclasses.replace(material, texture=texture, maps=maps) if lost else material), lost


def _is_ktx(file: str) -> bool:
    if file.lower().endswith(_SUFFIXES):
        return True
    try:
        return read_start(file, len(_MAGIC), option="mesh_file_bytes") == _MAGIC
    except FileError:
        return False


_GEARED_TYPES = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC})


def with_rotor_inertia(scene: Scene, report: Report, code: Code) -> Scene:
    """Return the scene with actuators whose rotors have the reflected inertia of the axes of their
    joints.

    Args:
        scene: The scene.
        report: Receives the finding.
        code: Code of the finding.
    """
    driven = {
        actuator.joint: i for i, actuator in enumerate(scene.actuators)
    }  # of several, the last one counts
    actuators = list(scene.actuators)
    moved: dict[str, float] = {}
    joints: list[Joint] = []
    for joint in scene.joints:
        if (
            joint.type not in _GEARED_TYPES
            or joint.axes[0].inertia <= 0.0
            or joint.axes[0].effort == 0.0
        ):
            joints.append(joint)
            continue
        (axis,) = joint.axes
        if joint.name in driven:
            actuator = actuators[driven[joint.name]]
            inertia = actuator.rotor_inertia + axis.inertia / actuator.gear_ratio**2
            actuators[driven[joint.name]] = dataclasses.replace(actuator, rotor_inertia=inertia)
        else:
            actuators.append(
                Actuator(
                    name=joint.name,
                    joint=joint.name,
                    effort=axis.effort,
                    rotor_inertia=axis.inertia,
                )
            )
        joints.append(dataclasses.replace(joint, axes=(dataclasses.replace(axis, inertia=0.0),)))
        moved[joint.name] = axis.inertia
    if not moved:
        return scene
    report.add(
        code,
        subjects=tuple(moved),
        joints=tuple(f"{name} ({inertia:g} kg m^2 or kg)" for name, inertia in moved.items()),
    )
    return dataclasses.replace(scene, joints=tuple(joints), actuators=tuple(actuators))


def add_pose(parent: Element, X: Pose, scale: float = 0.0) -> None:
    """Add a ``<pose>``, unless it is the identity: with angles, or with a quaternion where angles
    are inaccurate.

    Args:
        parent: The element that has the pose.
        X: The pose.
        scale: Largest distance that a reader's computation of it takes in [m]; 0 if a reader takes
            it as it is.
    """
    if is_ill_conditioned(X.R):
        text = numbers([*position_values(X.p, scale), *quaternion_values(X.R)])
        add(parent, "pose", text, rotation_format="quat_xyzw")
    elif (text := pose_text(X, scale)) is not None:  # type: ignore[assignment]
        add(parent, "pose", text)


def scale_of(*poses: Pose) -> float:
    """Return the largest distance in some poses [m], at least 1."""
    return max(1.0, *(float(abs(X.p).max()) for X in poses))


def add_if(parent: Element, tag: str, value: Value | None, default: Value | None = None) -> None:
    """Add a child with a value, unless it is the default.

    Args:
        parent: The element that gets the child.
        tag: Tag of the child.
        value: The value.
        default: The value that a reader assumes.
    """
    if value is not None and value != default:
        add(parent, tag, value)


def vector(values: Array | Iterable[float]) -> tuple[float, ...]:
    """Return numbers as a tuple."""
    return tuple(float(value) for value in values)


def add_parameters(parent: Element, parameters: Iterable[tuple[str, str]]) -> None:
    """Add the elements whose paths and texts are listed, such as ``("camera/image/width", "64")``.

    An element is used again for the next path as long as this repeats nothing in it: a second
    ``camera@name`` or ``camera/image/width`` begins a new ``<camera>`` or ``<image>``.

    Args:
        parent: The element that has the parameters.
        parameters: The paths and texts, in document order.
    """
    for place, text in parameters:
        path, _, attribute = place.partition("@")
        tags = path.split("/")
        element = parent
        for i, tag in enumerate(tags):
            is_last = i == len(tags) - 1
            last = element[-1] if len(element) and element[-1].tag == qualified(tag) else None
            if last is None or (is_last and _is_used(last, attribute)):
                last = add(element, tag)
            element = last
        if attribute:
            element.set(qualified(attribute), text)
        else:
            element.text = text


def _is_used(element: Element, attribute: str) -> bool:
    """Return whether an element has content already that the next parameter would repeat."""
    if attribute:
        return (
            element.get(qualified(attribute)) is not None
            or element.text is not None
            or len(element) > 0
        )
    return element.text is not None or len(element) > 0


_NUMBERS = ("metalness", "roughness")


def add_material(parent: Element, material: Material, files: Files) -> None:
    """Add the ``<material>`` of a visual.

    Args:
        parent: The ``<visual>``.
        material: The material.
        files: The files of the export.
    """
    element = add(parent, "material")
    if material.name is not None:
        script = add(element, "script")
        add(script, "uri", GAZEBO_SCRIPT)
        add(script, "name", material.name)
    for key in ("ambient", "diffuse", "specular", "emissive", "shininess"):
        add_if(element, key, getattr(material, key))
    maps = dict(material.maps)
    if maps or any(getattr(material, key) is not None for key in _NUMBERS):
        metal = add(add(element, "pbr"), "metal")
        for kind, file in material.maps:
            add(metal, kind, files.uri(file, file))
        for key in _NUMBERS:
            add_if(metal, key, getattr(material, key))
    if material.texture is not None and material.texture != maps.get("albedo_map"):
        add(element, "drake:diffuse_map", files.uri(material.texture, material.texture))


def add_light(parent: Element, light: Light, name: str, X: Pose) -> None:
    """Add a ``<light>``.

    Args:
        parent: The link or world.
        light: The light.
        name: Its name in there.
        X: Its pose in there.
    """
    element = add(parent, "light", name=name, type=light.type)
    add_pose(element, X)
    add_if(element, "cast_shadows", light.cast_shadows, False)
    add_if(element, "intensity", light.intensity, 1.0)
    add_if(element, "light_on", light.on, True)
    add(element, "diffuse", _color(light.diffuse))
    add(element, "specular", _color(light.specular))
    if (light.range, light.attenuation) != (10.0, (1.0, 1.0, 0.0)):
        attenuation = add(element, "attenuation")
        add(attenuation, "range", light.range)
        for key, value in zip(("constant", "linear", "quadratic"), light.attenuation, strict=True):
            add(attenuation, key, value)
    add_if(element, "direction", light.direction, (0.0, 0.0, -1.0))
    if light.type == "spot" or any((light.inner_angle, light.outer_angle, light.falloff)):
        spot = add(element, "spot")
        for key in ("inner_angle", "outer_angle", "falloff"):
            add(spot, key, getattr(light, key))


def _color(rgba: Rgba) -> Rgba:
    return rgba


def add_sensor(parent: Element, sensor: Sensor, X: Pose) -> None:
    """Add a ``<sensor>``.

    Args:
        parent: The link or joint.
        sensor: The sensor.
        X: Its pose in there.
    """
    element = add(parent, "sensor", name=sensor.name, type=sensor.type)
    add_pose(element, X)
    add_if(element, "update_rate", sensor.update_rate, 0.0)
    add_parameters(element, sensor.parameters)


MASSLESS = SpatialInertia.of(0.0)
"""Inertia of a link that has none."""


# --- Drake's elements -----------------------------------------------------------------------------

_CONNECTIONS: dict[type, tuple[str, tuple[str, ...]]] = {
    BallConstraint: ("drake:ball_constraint", ()),
    DistanceConstraint: ("drake:distance_constraint", ("distance", "stiffness", "damping")),
    SpringDamper: ("drake:linear_spring_damper", ("free_length", "stiffness", "damping")),
}
_BUSHING = ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")
_TENDON = {
    "offset": "offset",
    "lower_limit": "lower",
    "upper_limit": "upper",
    "stiffness": "stiffness",
    "damping": "damping",
}


class DrakeDialect(Protocol):
    """The names of items in a document, and the place of values in Drake's elements."""

    def name(self, name: str) -> str:
        """Return the name of a joint or filter group."""

    def link(self, name: str) -> str:
        """Return the name of a link."""

    def frame(self, link: str, X_LF: Pose) -> str:
        """Return the name of the link itself, or of a frame, that is at a pose in a link."""

    def vector(self, values: Array) -> tuple[float, ...]:
        """Return the numbers to write for a vector."""

    def put(self, parent: Element, tag: str, value: Value, key: str = "value") -> None:
        """Add an element with a value.

        Args:
            parent: The element around it.
            tag: Its tag.
            value: The value, which is its text or an attribute.
            key: Name of the attribute.
        """


def add_drake_items(
    parent: Element, items: Iterable[Constraint | ForceElement], dialect: DrakeDialect
) -> None:
    """Add constraints and force elements; welds were reported, and left out of the normal form.

    Args:
        parent: The ``<model>`` or ``<robot>``.
        items: The constraints and force elements.
        dialect: The dialect of the document.
    """
    for item in items:
        if isinstance(item, TendonConstraint):
            _add_tendon(parent, item, dialect)
        elif isinstance(item, Bushing):
            _add_bushing(parent, item, dialect)
        elif not isinstance(item, WeldConstraint):
            _add_connection(parent, item, dialect)


def _add_tendon(parent: Element, item: TendonConstraint, dialect: DrakeDialect) -> None:
    tag = "drake:tendon_constraint"
    element = add(parent, tag)
    for joint, coefficient in zip(item.joints, item.coefficients, strict=True):
        add(element, f"{tag}_joint", name=dialect.name(joint), a=coefficient)
    for key, field in _TENDON.items():
        dialect.put(element, f"{tag}_{key}", getattr(item, field))


def _add_bushing(parent: Element, item: Bushing, dialect: DrakeDialect) -> None:
    element = add(parent, "drake:linear_bushing_rpy")
    for end, link, X in (("A", item.link_A, item.X_LA), ("C", item.link_C, item.X_LC)):
        dialect.put(element, f"drake:bushing_frame{end}", dialect.frame(link, X), "name")
    for key in _BUSHING:
        dialect.put(element, f"drake:bushing_{key}", dialect.vector(getattr(item, key)))


def _add_connection(
    parent: Element, item: BallConstraint | DistanceConstraint | SpringDamper, dialect: DrakeDialect
) -> None:
    tag, keys = _CONNECTIONS[type(item)]
    element = add(parent, tag)
    for end, link in (("A", item.link_A), ("B", item.link_B)):
        dialect.put(element, f"{tag}_body_{end}", dialect.link(link), "name")
    for end, point in (("AP", item.p_AP), ("BQ", item.p_BQ)):
        dialect.put(element, f"{tag}_p_{end}", dialect.vector(point))
    for key in keys:
        dialect.put(element, f"{tag}_{key}", getattr(item, key))


def add_filter_groups(
    parent: Element,
    groups: Sequence[FilterGroup],
    rules: Iterable[FilterRule],
    dialect: DrakeDialect,
) -> None:
    """Add the filter groups, each with the groups that it ignores.

    Args:
        parent: The ``<model>`` or ``<robot>``.
        groups: The groups whose names are in this model.
        rules: The rules about these groups.
        dialect: The dialect of the document.
    """
    ignored: dict[str, list[str]] = {group.name: [] for group in groups}
    for rule in rules:
        a, b = (rule.a, rule.b) if rule.a in ignored else (rule.b, rule.a)
        ignored[a].append(b)
    for group in groups:
        element = add(parent, "drake:collision_filter_group", name=dialect.name(group.name))
        for link in group.links:
            dialect.put(element, "drake:member", dialect.link(link), "link")
        for other in group.groups:
            dialect.put(element, "drake:member_group", dialect.name(other), "name")
        for other in ignored[group.name]:
            name = dialect.name(other)
            dialect.put(element, "drake:ignored_collision_filter_group", name, "name")


def with_exchanged_links(joint: Joint) -> Joint:
    """Return a joint with parent and child exchanged, and its axes reversed and in order."""
    axes = tuple(dataclasses.replace(axis, xyz=frozen(-axis.xyz)) for axis in reversed(joint.axes))
    return dataclasses.replace(
        joint, parent=joint.child, child=joint.parent, X_PJ=joint.X_CJ, X_CJ=joint.X_PJ, axes=axes
    )


# --- joints ---------------------------------------------------------------------------------------

ENDS = ("link_A", "link_B", "link_C")
"""Fields of constraints and forces that name the links which they connect."""


def child_frame(joint: Joint) -> Pose:
    """Return the pose, in the child link, of the frame that ``<drake:joint>`` names as child."""
    return joint.X_CJ if joint.curve is None else joint.X_CJ @ joint.curve.X_JS


def curve_range(joint: Joint) -> tuple[float, float]:
    """Return the limits of a curvilinear joint, which follow from its curve [m]."""
    if joint.curve is None or joint.curve.periodic:
        return -math.inf, math.inf
    return 0.0, sum(arc.length for arc in joint.curve.arcs)


_CLOSE = 1e-12
"""Largest difference of poses that are equal [m or rad]."""


def frame_at(frames: Iterable[Frame], link: str, X_LF: Pose) -> str | None:
    """Return the name of the link, or of the first frame on it, at a pose; None if there is none.

    Args:
        frames: The frames.
        link: The link.
        X_LF: The pose in the link.
    """
    if X_LF.is_close(IDENTITY, _CLOSE):
        return link
    on_link = (frame for frame in frames if frame.link == link)
    return next((frame.name for frame in on_link if frame.X_LF.is_close(X_LF, _CLOSE)), None)
