"""Features that PyBullet does not support.

PyBullet's articulated-body algorithm divides by the inertia that a joint moves while all joints
beyond it are free. Two hinges about one line, with a massless link between them, have none at the
first hinge: the second one gives way. Where that inertia is zero PyBullet gives the joint no
acceleration, whatever acts on it; measured on PyBullet 3.2.7.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from bridge.codes import MESH_SKIN
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, BodyConnection, PrimitiveKind, TendonConnection
from bridge.mechanism.coordinates import initial_positions
from bridge.mechanism.dynamics import mass_matrix
from bridge.mechanism.force_laws import is_tendon_representable
from bridge.mechanism.kinematics import clamped
from bridge.targets.pybullet import codes
from bridge.targets.report import LostSettings, Report, report_lost_physics, report_lost_settings
from loaders.deferred import Deferred
from loaders.diagnostics import NOWHERE, Code, Where
from loaders.engine_settings import MUJOCO, SKIN, elements_in, gravity_share
from loaders.model import (
    Actuator,
    BallConstraint,
    Bushing,
    DistanceConstraint,
    JointAxis,
    JointType,
    Link,
    Material,
    Physics,
    Settings,
    SpringDamper,
    TendonConstraint,
    Visual,
    WeldConstraint,
    settings_of,
)
from loaders.pose import Array
from loaders.scoped_names import SEPARATOR

from .articulation import has_sensors

if TYPE_CHECKING:
    from bridge.sensors import PlacedSensor

_SensorText = Callable[["PlacedSensor", Mechanism], str | None]
# robots without sensors and fluids load without their modules, which take 13 ms
_without_reading: _SensorText = Deferred("bridge.targets.pybullet.sensor:without_reading")
_other_reading: _SensorText = Deferred("bridge.targets.pybullet.sensor:other_reading")
_without_effect: _SensorText = Deferred("bridge.targets.pybullet.sensor:without_effect")
_described: Callable[..., str] = Deferred("bridge.fluid:described")
_placed_sensors: Callable[..., tuple[PlacedSensor, ...]] = Deferred("bridge.sensors:placed_sensors")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the scene with an unsupported feature."""

    name: str
    """Name of the item in the message."""
    where: Where
    subjects: tuple[str, ...]
    """Scoped names of the links, joints and so on that it is about."""


@dataclass(frozen=True, slots=True)
class UnsupportedFeature:
    """One feature that PyBullet does not support."""

    code: Code
    """Finding, with ``{names}`` for the names of the items and ``{count}`` for their number."""
    find: Callable[[Mechanism], Iterable[Item]]
    """Function that returns the items with the feature."""


MAX_DOFS = 1000
"""Largest number of velocities that are examined, which takes cubic time."""
_ZERO = 1e-14
"""Part of the inertia of a joint with all joints beyond it locked, below which what it moves is
zero."""


def locked_joints(mechanism: Mechanism) -> Iterator[Item]:
    """Yield the hinges and slides that have an inertia with the rotors of the mechanism, and none
    without them.
    """
    nv = len(mechanism.v_order)
    if nv > MAX_DOFS or not any(any(body.reflected_inertia) for body in mechanism.bodies):
        return
    positions = mechanism.positions_by_body({})
    without, complete = (
        articulated_inertias(mass_matrix(mechanism.bodies, positions, with_rotors=rotors))
        for rotors in (False, True)
    )
    for body in mechanism.bodies:
        numbers = {
            body.v_start + primitive.dof_index
            for primitive in body.primitives
            if primitive.kind in (PrimitiveKind.HINGE, PrimitiveKind.SLIDE)
        }
        if any(complete[k] > 0.0 and not without[k] > 0.0 for k in numbers):
            where = body.source.where if body.source is not None else NOWHERE
            yield Item(str(body.joint), where, (str(body.joint),))


def articulated_inertias(M: Array) -> Array:
    """Return the inertia that each velocity moves while all velocities after it are free, shape
    (nv,).

    The velocities of the joints that a joint carries come after its own. One whose inertia is zero
    but for rounding has zero, and is not free for those before it.

    Args:
        M: Mass matrix.
    """
    A = np.array(M)
    inertias = np.zeros(len(A))
    for k in range(len(A) - 1, -1, -1):
        if A[k, k] > _ZERO * M[k, k]:
            inertias[k] = A[k, k]
            A[:k, :k] -= np.outer(A[:k, k], A[:k, k]) / A[k, k]
    return inertias


LOST_SETTINGS = LostSettings(
    codes.MUJOCO_SETTINGS, codes.MUJOCO_SETTINGS_OF_CONTACT, codes.MUJOCO_SOLVER
)
_LOST_PHYSICS = LostSettings(codes.PHYSICS_OF_MOTION, codes.PHYSICS_OF_CONTACT, codes.PHYSICS)
OBEYED = frozenset({"body/gravcomp"})
"""Settings of MuJoCo that act in PyBullet by forces of a step, beside those that
`loaders.engine_settings` solves or resolves before."""


def _floating_dynamics(mechanism: Mechanism) -> Iterator[Item]:
    for joint in mechanism.scene.joints:
        axes = joint.axes if joint.type is JointType.FLOATING else ()
        if any(axis.damping or axis.friction or axis.spring_stiffness for axis in axes):
            yield Item(joint.name, joint.where, (joint.name,))


def _laws(mechanism: Mechanism) -> Iterator[Item]:
    for actuator in mechanism.scene.actuators:
        settings = settings_of(actuator, MUJOCO)
        if settings:
            name = f"{actuator.name} ({_written(settings)})"
            yield Item(name, actuator.where, (actuator.name,))


def _written(settings: Settings) -> str:
    return ", ".join(f"{key} {text}" for key, text in settings)


def _stated_tendons(mechanism: Mechanism) -> Iterator[Item]:
    for tendon in mechanism.tendons:
        yield Item(tendon.name, tendon.where, (tendon.name, *tendon.carriers))


def _contact_pairs(mechanism: Mechanism) -> Iterator[Item]:
    for pair in mechanism.contact_pairs:
        name = (
            f"{pair.link_A}{SEPARATOR}{pair.collision_A} and "
            f"{pair.link_B}{SEPARATOR}{pair.collision_B}"
        )
        settings = _written(settings_of(pair, MUJOCO))
        yield Item(f"{name} ({settings})", pair.where, (pair.link_A, pair.link_B))


def _switched_off(mechanism: Mechanism) -> Iterator[Item]:
    for connection in mechanism.constraints:
        element = connection.element
        if isinstance(connection, BodyConnection) and isinstance(
            element, BallConstraint | WeldConstraint
        ):
            links = (element.link_A, element.link_B)
            between = Item(" to ".join(links), element.where, links)
            if not element.active:
                yield between


def _elements(mechanism: Mechanism) -> Iterator[Item]:
    for element in mechanism.scene.engine_elements:
        if element.section not in {"sensor", SKIN}:
            text = _written((*element.references, *element.settings))
            yield Item(
                f"{element.section}/{element.tag} {element.name} ({text})",
                element.where,
                (element.name,),
            )


def _skins(mechanism: Mechanism) -> Iterator[Item]:
    for skin in elements_in(SKIN, mechanism.scene):
        yield Item(skin.name, skin.where, (skin.name,))


def _mujoco_sensors(mechanism: Mechanism) -> Iterator[Item]:
    for element in elements_in("sensor", mechanism.scene):
        text = _written((*element.references, *element.settings))
        yield Item(f"{element.tag} {element.name} ({text})", element.where, (element.name,))


def _controls(mechanism: Mechanism) -> Iterator[Item]:
    for actuator in mechanism.scene.actuators:
        if any(map(math.isfinite, actuator.control)) or actuator.tendon:
            lower, upper = actuator.control
            target = f" of {actuator.tendon}" if actuator.tendon else ""
            yield Item(
                f"{actuator.name}{target} ({lower:g} to {upper:g})",
                actuator.where,
                (actuator.name,),
            )


MUJOCO_FEATURES = (
    UnsupportedFeature(codes.FLOATING_DYNAMICS, _floating_dynamics),
    UnsupportedFeature(codes.MUJOCO_SETTINGS_OF_ACTUATORS, _laws),
    UnsupportedFeature(codes.STATED_TENDON, _stated_tendons),
    UnsupportedFeature(codes.CONTACT_PAIR, _contact_pairs),
    UnsupportedFeature(codes.INACTIVE_CONSTRAINT, _switched_off),
    UnsupportedFeature(codes.MUJOCO_ELEMENT, _elements),
    UnsupportedFeature(codes.MUJOCO_SENSOR, _mujoco_sensors),
    UnsupportedFeature(MESH_SKIN, _skins),
    UnsupportedFeature(codes.CONTROL_RANGE, _controls),
)
"""The features, in the order in which they are reported."""


_undrawn_properties = attrgetter(
    "specular", "emissive", "shininess", "metalness", "roughness", "engine_settings"
)
"""Function that returns the properties of a material that PyBullet does not draw."""
_DEFAULTS = _undrawn_properties(Material())


def report_unsupported_features(
    mechanism: Mechanism, report: Report, obeyed: frozenset[str]
) -> None:
    """Report the features of a mechanism and its scene that PyBullet does not support.

    Args:
        mechanism: The mechanism.
        report: Record of the findings.
        obeyed: Settings of MuJoCo that coefficients of pairs obey.
    """
    report_lost_settings(mechanism.scene, LOST_SETTINGS, report.add, OBEYED | obeyed)
    report_lost_physics(mechanism.physics, _LOST_PHYSICS, report.add)
    for feature in UNSUPPORTED_FEATURES:
        items = list(feature.find(mechanism))
        if items:
            report.add(
                feature.code,
                items[0].where,
                subjects=dict.fromkeys(name for item in items for name in item.subjects),
                count=len(items),
                names=tuple(dict.fromkeys(item.name for item in items)),
            )


# --- joints and actuators -------------------------------------------------------------------------


def _joint(body: Body) -> Item:
    where = body.source.where if body.source is not None else NOWHERE
    return Item(str(body.joint), where, (str(body.joint),))


def _outside_limits(mechanism: Mechanism) -> Iterator[Item]:
    """Yield the joints that start outside their limits."""
    start = mechanism.positions_by_body(initial_positions(mechanism))
    for body, position in zip(mechanism.bodies, start, strict=True):
        if body.joint is not None and clamped(body, position) is not None:
            yield _joint(body)


def _axes(has_feature: Callable[[JointAxis], object]) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the joints with an axis that has a feature."""

    def find(mechanism: Mechanism) -> Iterator[Item]:
        for body in mechanism.bodies:
            for primitive in body.primitives:
                if primitive.limits is not None and has_feature(primitive.limits):
                    yield _joint(body)
                    break

    return find


def _rotors(mechanism: Mechanism) -> Iterator[Item]:
    """Yield joints with rotor inertia, and its share of the effective inertia at the zero
    configuration.
    """
    driven = [
        driven
        for driven in mechanism.actuators
        if driven.actuator.rotor_inertia and driven.dof is not None
    ]
    own = [
        body
        for body in mechanism.bodies
        if body.source is not None and any(a.inertia for a in body.source.axes)
    ]
    if not driven and not own:
        return
    effective = np.diag(mechanism.mass_matrix())
    for body in own:
        inertia, total = max(body.reflected_inertia, default=0.0), effective[body.v_start]
        name = f"{body.joint} ({inertia:.3g} of {total:.3g} kg m^2 or kg)"
        yield Item(name, _joint(body).where, (str(body.joint),))
    for item in driven:
        actuator, total = item.actuator, effective[item.dof]
        rotor = actuator.gear_ratio**2 * actuator.rotor_inertia
        name = f"{actuator.joint} ({rotor:.3g} of {total:.3g} kg m^2 or kg)"
        yield Item(name, actuator.where, (actuator.joint, actuator.name))


def _efforts(mechanism: Mechanism) -> Iterator[Item]:
    yield from _axes(lambda axis: math.isfinite(axis.effort))(mechanism)
    for actuator in (driven.actuator for driven in mechanism.actuators):
        if math.isfinite(actuator.effort):
            yield Item(actuator.joint, actuator.where, (actuator.joint, actuator.name))


def _gains(mechanism: Mechanism) -> Iterator[Item]:
    for actuator in (driven.actuator for driven in mechanism.actuators):
        if _has_controller(actuator):
            yield Item(actuator.joint, actuator.where, (actuator.joint, actuator.name))


def _has_controller(actuator: Actuator) -> bool:
    """Return whether a source says how an actuator is controlled."""
    gains = (actuator.p_gain, actuator.d_gain, actuator.target, actuator.min_effort)
    has_law = any(x is not None for x in gains) or actuator.imposes_velocity
    return has_law or actuator.feedforward != 0.0 or any(map(math.isfinite, actuator.control))


def _ball_limits(mechanism: Mechanism) -> Iterator[Item]:
    for body in mechanism.bodies:
        axes = (p.limits for p in body.primitives if p.kind is PrimitiveKind.BALL)
        if any(axis is not None and (axis.friction or math.isfinite(axis.upper)) for axis in axes):
            yield _joint(body)


# --- links ----------------------------------------------------------------------------------------


def _link(link: Link) -> Item:
    return Item(link.name, link.where, (link.name,))


def _links(has_feature: Callable[[Link], object]) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the links with a feature."""
    return lambda mechanism: (_link(link) for link in mechanism.scene.links if has_feature(link))


def _links_in_wind(mechanism: Mechanism) -> Iterator[Item]:
    scene = mechanism.scene
    if not np.any(scene.wind):
        return
    models = {model.name for model in scene.models if model.enable_wind}
    yield from (_link(link) for link in scene.links if link.enable_wind or link.model in models)


def _visuals(has_feature: Callable[[Visual], object]) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the visuals with a feature."""

    def find(mechanism: Mechanism) -> Iterator[Item]:
        for link in mechanism.scene.links:
            for visual in link.visuals:
                if has_feature(visual):
                    name = f"{link.name}{SEPARATOR}{visual.name}"
                    yield Item(name, visual.where, (link.name, name))

    return find


def _has_unsupported_material(visual: Visual) -> bool:
    material = visual.material
    if material is None:
        return False
    has_other_maps = any(item != ("albedo_map", material.texture) for item in material.maps)
    return has_other_maps or _undrawn_properties(material) != _DEFAULTS


def _has_unsupported_visibility(visual: Visual) -> bool:
    return (
        visual.roles != ("illustration", "perception")
        or bool(visual.renderers)
        or not visual.cast_shadows
    )


def _sensors(
    describe: Callable[..., str | None],
) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the sensors that a function describes with more than None."""

    def find(mechanism: Mechanism) -> Iterator[Item]:
        for placed in _placed_sensors(mechanism) if has_sensors(mechanism) else ():
            text = describe(placed, mechanism)
            if text is not None:
                owner = placed.link if placed.joint is None else placed.joint.name
                where = placed.sensor.where
                name = placed.name + (f" ({text})" if text else "")
                yield Item(name, where, (owner, f"{owner}{SEPARATOR}{placed.sensor.name}"))

    return find


# --- constraints and force elements ---------------------------------------------------------------


def _between(mechanism: Mechanism, connection: BodyConnection) -> Item:
    a, b = mechanism.link_name(connection.body_a), mechanism.link_name(connection.body_b)
    return Item(f"{a} to {b}", connection.element.where, (a, b))


def _connections(has_feature: Callable[[object], object]) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the constraints and force elements between two links with a
    feature.
    """

    def find(mechanism: Mechanism) -> Iterator[Item]:
        for connection in (*mechanism.constraints, *mechanism.force_elements):
            if isinstance(connection, BodyConnection) and has_feature(connection.element):
                yield _between(mechanism, connection)

    return find


def _is_rigid_distance(element: object) -> bool:
    return isinstance(element, DistanceConstraint) and math.isinf(element.stiffness)


def _is_spring(element: object) -> bool:
    return isinstance(element, SpringDamper) or (
        isinstance(element, DistanceConstraint) and math.isfinite(element.stiffness)
    )


def _fluid_forces(mechanism: Mechanism) -> Iterator[Item]:
    for force in mechanism.fluid_forces:
        yield Item(f"{force.link} ({_described(force)})", force.where, (force.link,))


def _tendons(
    has_feature: Callable[[TendonConstraint, bool], bool],
) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the tendons with a feature, given whether each can be
    represented.
    """

    def find(mechanism: Mechanism) -> Iterator[Item]:
        tendons = (c.element for c in mechanism.constraints if isinstance(c, TendonConnection))
        for tendon in tendons:
            if has_feature(tendon, is_tendon_representable(tendon, mechanism.v_order)):
                yield Item(f"over {', '.join(tendon.joints)}", tendon.where, tendon.joints)

    return find


# --- the rest of the scene ------------------------------------------------------------------------


def _lights(mechanism: Mechanism) -> Iterator[Item]:
    return (Item(light.name, light.where, (light.name,)) for light in mechanism.scene.lights)


def _solver_parameters(mechanism: Mechanism) -> Iterator[Item]:
    physics, default = mechanism.physics, Physics()
    for name in ("real_time_factor", "real_time_update_rate", "max_contacts"):
        if getattr(physics, name) != getattr(default, name):
            yield Item(f"{name} = {getattr(physics, name):g}", NOWHERE, ())


def _keyframes(mechanism: Mechanism) -> Iterator[Item]:
    return (Item(key.name, key.where, (key.name, *key.joints)) for key in mechanism.keyframes)


UNSUPPORTED_FEATURES = (
    *MUJOCO_FEATURES,
    UnsupportedFeature(codes.KEYFRAMES, _keyframes),
    UnsupportedFeature(codes.ROTOR_INERTIA, _rotors),
    UnsupportedFeature(codes.LOCKED_JOINT, locked_joints),
    UnsupportedFeature(codes.CONTROLLER_GAINS, _gains),
    UnsupportedFeature(codes.EMPTY_RANGE, _axes(lambda axis: axis.lower > axis.upper)),
    UnsupportedFeature(codes.START_OUTSIDE_LIMITS, _outside_limits),
    UnsupportedFeature(codes.VELOCITY_LIMIT, _axes(lambda axis: math.isfinite(axis.velocity))),
    UnsupportedFeature(codes.ACCELERATION_LIMIT,
        _axes(lambda axis: math.isfinite(axis.acceleration))),
    UnsupportedFeature(codes.EFFORT_LIMIT, _efforts),
    UnsupportedFeature(codes.DRY_FRICTION, _axes(lambda axis: axis.friction)),
    UnsupportedFeature(codes.SPRING, _axes(lambda axis: axis.spring_stiffness)),
    UnsupportedFeature(codes.SOFT_STOP,
        _axes(lambda axis: axis.limit_stiffness is not None or axis.limit_dissipation is not None)),
    UnsupportedFeature(codes.BALL_LIMIT, _ball_limits),
    UnsupportedFeature(codes.LINK_WITHOUT_GRAVITY, _links(lambda link: gravity_share(link) != 1.0)),
    UnsupportedFeature(codes.VELOCITY_DECAY, _links(lambda link: any(link.velocity_decay))),
    UnsupportedFeature(codes.ADDED_MASS, _links(lambda link: link.added_mass is not None)),
    UnsupportedFeature(codes.SURFACE_VELOCITY,
        _links(lambda link: link.surface_velocity_axis is not None)),
    UnsupportedFeature(codes.DEFORMABLE, _links(lambda link: link.deformable)),
    UnsupportedFeature(codes.WIND, _links_in_wind),
    UnsupportedFeature(codes.BUSHING, _connections(lambda element: isinstance(element, Bushing))),
    UnsupportedFeature(codes.FLUID_FORCE, _fluid_forces),
    UnsupportedFeature(
        codes.TENDON,
        _tendons(
            lambda tendon, is_representable: is_representable and math.isfinite(tendon.stiffness)
        ),
    ),
    UnsupportedFeature(
        codes.RIGID_TENDON,
        _tendons(
            lambda tendon, is_representable: is_representable and math.isinf(tendon.stiffness)
        ),
    ),
    UnsupportedFeature(codes.TENDON_JOINT,
        _tendons(lambda _, is_representable: not is_representable)),
    UnsupportedFeature(codes.RIGID_DISTANCE, _connections(_is_rigid_distance)),
    UnsupportedFeature(codes.SPRING_DAMPER, _connections(_is_spring)),
    UnsupportedFeature(codes.SENSOR, _sensors(_without_reading)),
    UnsupportedFeature(codes.SENSOR_READING, _sensors(_other_reading)),
    UnsupportedFeature(codes.SENSOR_PARAMETERS, _sensors(_without_effect)),
    UnsupportedFeature(codes.LIGHT, _lights),
    UnsupportedFeature(codes.APPEARANCE, _visuals(_has_unsupported_material)),
    UnsupportedFeature(codes.VISUAL_ROLES, _visuals(_has_unsupported_visibility)),
    UnsupportedFeature(codes.PHYSICS, _solver_parameters),
)  # fmt: skip
"""The unsupported features, in the order in which they are reported."""
