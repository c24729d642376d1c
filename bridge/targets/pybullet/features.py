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

import numpy as np

from bridge.fluid import described
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, BodyConnection, PrimitiveKind, TendonConnection
from bridge.mechanism.dynamics import mass_matrix
from bridge.mechanism.force_laws import is_tendon_representable
from loaders.diagnostics import NOWHERE, Diagnostics, Fate, Where
from loaders.model import (
    Actuator,
    BallConstraint,
    Bushing,
    DistanceConstraint,
    Joint,
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
)
from loaders.model.link import gravity_share
from loaders.model.settings import NEUTRAL_SETTINGS
from loaders.pose import Array
from loaders.scoped_names import SEPARATOR

from .client import TARGET
from .state import link_name


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

    code: str
    """Diagnostic code without the prefix ``pybullet.``."""
    fate: Fate
    template: str
    """Message, with ``{names}`` for the names of the items and ``{count}`` for their number."""
    find: Callable[[Mechanism], Iterable[Item]]
    """Function that returns the items with the feature."""
    hint: str = ""


MAX_DOFS = 1000
"""Largest number of velocities that are examined, which takes cubic time."""
_ZERO = 1e-14
"""Part of the inertia of a joint with all joints beyond it locked, below which what it moves is
zero.
"""


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


_CARRIED = NEUTRAL_SETTINGS | {"gravcomp"}
"""Settings that need no report: they change nothing here, or a step function applies them."""


def _floating_dynamics(mechanism: Mechanism) -> Iterator[Item]:
    for joint in mechanism.scene.joints:
        axes = joint.axes if joint.type is JointType.FLOATING else ()
        if any(axis.damping or axis.friction or axis.spring_stiffness for axis in axes):
            yield Item(joint.name, joint.where, (joint.name,))


def _settings(of_motion: bool) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the items with settings of MuJoCo: those of the motion, or of
    its solver.
    """

    def find(mechanism: Mechanism) -> Iterator[Item]:
        scene = mechanism.scene
        named: tuple[Link | Joint | Actuator, ...] = (*scene.links, *scene.joints, *scene.actuators)
        for item in named:
            if not item.mujoco:
                continue
            settings = tuple(entry for entry in item.mujoco if entry[0] not in _CARRIED)
            if any(key.startswith("sol") is not of_motion for key, _ in settings):
                yield Item(f"{item.name} ({_written(settings)})", item.where, (item.name,))
        for link in () if of_motion else scene.links:
            for collision in link.collisions:
                if collision.surface.mujoco:
                    name = f"{link.name}{SEPARATOR}{collision.name}"
                    yield Item(
                        f"{name} ({_written(collision.surface.mujoco)})",
                        collision.where,
                        (link.name, name),
                    )
        for coupling in () if of_motion else scene.couplings:
            if coupling.mujoco:
                yield Item(
                    f"{coupling.follower} ({_written(coupling.mujoco)})",
                    coupling.where,
                    (coupling.follower,),
                )

    return find


def _written(settings: Settings) -> str:
    return ", ".join(f"{key} {text}" for key, text in settings)


def _stated_tendons(mechanism: Mechanism) -> Iterator[Item]:
    return (Item(tendon.name, tendon.where, (tendon.name,)) for tendon in mechanism.tendons)


def _contact_pairs(mechanism: Mechanism) -> Iterator[Item]:
    for pair in mechanism.contact_pairs:
        name = (
            f"{pair.link_A}{SEPARATOR}{pair.collision_A} and "
            f"{pair.link_B}{SEPARATOR}{pair.collision_B}"
        )
        yield Item(f"{name} ({_written(pair.mujoco)})", pair.where, (pair.link_A, pair.link_B))


def _between_mujoco(element: BallConstraint | WeldConstraint) -> Item:
    links = (element.link_A, element.link_B)
    return Item(" to ".join(links), element.where, links)


def _switched_off(mechanism: Mechanism) -> Iterator[Item]:
    for connection in mechanism.constraints:
        element = connection.element
        if isinstance(connection, BodyConnection) and isinstance(
            element, BallConstraint | WeldConstraint
        ):
            between = _between_mujoco(element)
            if not element.active:
                yield between


def _softness(mechanism: Mechanism) -> Iterator[Item]:
    for connection in mechanism.constraints:
        element = connection.element
        if isinstance(connection, BodyConnection) and isinstance(
            element, BallConstraint | WeldConstraint
        ):
            between = _between_mujoco(element)
            if element.mujoco:
                yield Item(
                    f"{between.name} ({_written(element.mujoco)})", between.where, between.subjects
                )


def _elements(mechanism: Mechanism) -> Iterator[Item]:
    for element in mechanism.scene.mujoco:
        if element.section != "sensor":
            text = _written((*element.references, *element.settings))
            yield Item(
                f"{element.section}/{element.tag} {element.name} ({text})",
                element.where,
                (element.name,),
            )


def _mujoco_sensors(mechanism: Mechanism) -> Iterator[Item]:
    for element in mechanism.scene.mujoco:
        if element.section == "sensor":
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
    UnsupportedFeature(
        "floating-dynamics",
        Fate.DROPPED,
        "PyBullet does not support damping, friction and springs of free links: {names}",
        _floating_dynamics,
    ),
    UnsupportedFeature(
        "mujoco-settings",
        Fate.DROPPED,
        "these settings of MuJoCo change the motion and are left out: {names}",
        _settings(of_motion=True),
    ),
    UnsupportedFeature(
        "mujoco-solver",
        Fate.NOTED,
        "PyBullet's solver does not have these settings of MuJoCo's: {names}",
        lambda mechanism: (*_settings(of_motion=False)(mechanism), *_softness(mechanism)),
    ),
    UnsupportedFeature(
        "stated-tendon",
        Fate.DROPPED,
        "PyBullet does not support tendons of MuJoCo: {names}",
        _stated_tendons,
    ),
    UnsupportedFeature(
        "contact-pair",
        Fate.APPROXIMATED,
        (
            "the links of these pairs may touch with all their shapes, with the parameters of the "
            "shapes: {names}"
        ),
        _contact_pairs,
    ),
    UnsupportedFeature(
        "inactive-constraint",
        Fate.DROPPED,
        "constraints that the source switches off are left out: {names}",
        _switched_off,
    ),
    UnsupportedFeature(
        "mujoco-element",
        Fate.DROPPED,
        "PyBullet does not have these elements of MuJoCo: {names}",
        _elements,
    ),
    UnsupportedFeature(
        "mujoco-sensor",
        Fate.NOTED,
        "PyBullet does not have these sensors of MuJoCo: {names}",
        _mujoco_sensors,
    ),
    UnsupportedFeature(
        "control-range",
        Fate.NOTED,
        "PyBullet has no actuators with a range of control: {names}",
        _controls,
    ),
)
"""The features, in the order in which they are reported."""


_undrawn_properties = attrgetter("specular", "emissive", "shininess", "metalness", "roughness")
"""Function that returns the properties of a material that PyBullet does not draw."""
_DEFAULTS = _undrawn_properties(Material())
_STEP = "call step(), or apply_passive_forces() before every stepSimulation"


def report_unsupported_features(mechanism: Mechanism, diagnostics: Diagnostics) -> None:
    """Report the features of a mechanism and its scene that PyBullet does not support."""
    for feature in UNSUPPORTED_FEATURES:
        items = list(feature.find(mechanism))
        if items:
            diagnostics.add(
                feature.fate,
                f"pybullet.{feature.code}",
                feature.template,
                items[0].where,
                target=TARGET,
                hint=feature.hint,
                subjects=dict.fromkeys(name for item in items for name in item.subjects),
                count=len(items),
                names=tuple(dict.fromkeys(item.name for item in items)),
            )


# --- joints and actuators -------------------------------------------------------------------------


def _joint(body: Body) -> Item:
    where = body.source.where if body.source is not None else NOWHERE
    return Item(str(body.joint), where, (str(body.joint),))


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
        if actuator.p_gain is not None or actuator.d_gain is not None:
            yield Item(actuator.joint, actuator.where, (actuator.joint, actuator.name))


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


def _sensors(mechanism: Mechanism) -> Iterator[Item]:
    scene = mechanism.scene
    parents: tuple[Link | Joint, ...] = (*scene.links, *scene.joints)
    for parent in parents:
        for sensor in parent.sensors:
            yield Item(
                sensor.name, sensor.where, (parent.name, f"{parent.name}{SEPARATOR}{sensor.name}")
            )


# --- constraints and force elements ---------------------------------------------------------------


def _between(mechanism: Mechanism, connection: BodyConnection) -> Item:
    a, b = link_name(mechanism, connection.body_a), link_name(mechanism, connection.body_b)
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
        yield Item(f"{force.link} ({described(force)})", force.where, (force.link,))


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
    for name in ("real_time_factor", "real_time_update_rate", "max_contacts", "parameters"):
        if getattr(physics, name) != getattr(default, name):
            yield Item(name, NOWHERE, ())


def _keyframes(mechanism: Mechanism) -> Iterator[Item]:
    return (Item(key.name, key.where, (key.name, *key.joints)) for key in mechanism.keyframes)


UNSUPPORTED_FEATURES = (
    *MUJOCO_FEATURES,
    UnsupportedFeature(
        "keyframes",
        Fate.NOTED,
        "PyBullet has no named states: {names}",
        _keyframes,
        (
            "set one with set_positions(dict(zip(key.joints, key.positions))) for a key of "
            "robot.mechanism.keyframes"
        ),
    ),
    UnsupportedFeature(
        "rotor-inertia",
        Fate.DROPPED,
        (
            "PyBullet does not support rotor inertia; these joints have less effective inertia: "
            "{names}"
        ),
        _rotors,
        "add it to the link if everything that carries the link is fixed",
    ),
    UnsupportedFeature(
        "locked-joint",
        Fate.DROPPED,
        (
            "without rotor inertia nothing resists the motion of these joints, and PyBullet does "
            "not "
            "move them: {names}"
        ),
        locked_joints,
        "give the link of each joint an inertia about its axis",
    ),
    UnsupportedFeature(
        "controller-gains",
        Fate.APPROXIMATED,
        (
            "the gains of PyBullet's motors have another meaning; these controllers act "
            "explicitly, "
            "once per step: {names}"
        ),
        _gains,
        "call apply_control() before every step",
    ),
    UnsupportedFeature(
        "empty-range",
        Fate.DROPPED,
        "lower limit above upper limit; these joints have no limits: {names}",
        _axes(lambda axis: axis.lower > axis.upper),
        "exchange the limits in the source",
    ),
    UnsupportedFeature(
        "velocity-limit",
        Fate.DROPPED,
        "PyBullet reports but does not enforce velocity limits: {names}",
        _axes(lambda axis: math.isfinite(axis.velocity)),
    ),
    UnsupportedFeature(
        "acceleration-limit",
        Fate.DROPPED,
        "PyBullet does not support acceleration limits: {names}",
        _axes(lambda axis: math.isfinite(axis.acceleration)),
    ),
    UnsupportedFeature(
        "effort-limit",
        Fate.NOTED,
        "PyBullet reports but does not enforce effort limits: {names}",
        _efforts,
        "call apply_efforts(), which clips to them, or pass them to PyBullet's motors as force=",
    ),
    UnsupportedFeature(
        "dry-friction",
        Fate.APPROXIMATED,
        (
            "PyBullet stores dry friction as an impulse per step, for the time step at loading: "
            "{names}"
        ),
        _axes(lambda axis: axis.friction),
        "set the time step before loading, or call step() or adapt_friction() after a change",
    ),
    UnsupportedFeature(
        "spring",
        Fate.APPROXIMATED,
        "PyBullet does not support joint springs; they act explicitly, once per step: {names}",
        _axes(lambda axis: axis.spring_stiffness),
        _STEP,
    ),
    UnsupportedFeature(
        "soft-stop",
        Fate.DROPPED,
        (
            "PyBullet does not support stiffness and dissipation of joint limits; the limits are "
            "rigid: {names}"
        ),
        _axes(lambda axis: axis.limit_stiffness is not None or axis.limit_dissipation is not None),
    ),
    UnsupportedFeature(
        "ball-limit",
        Fate.DROPPED,
        "PyBullet does not support limits and friction of ball joints: {names}",
        _ball_limits,
    ),
    UnsupportedFeature(
        "link-without-gravity",
        Fate.APPROXIMATED,
        (
            "gravity acts on every link in PyBullet; the weight of these links is compensated once "
            "per step: {names}"
        ),
        _links(lambda link: gravity_share(link) != 1.0),
        _STEP,
    ),
    UnsupportedFeature(
        "velocity-decay",
        Fate.DROPPED,
        "PyBullet does not support velocity decay of single links: {names}",
        _links(lambda link: any(link.velocity_decay)),
    ),
    UnsupportedFeature(
        "added-mass",
        Fate.DROPPED,
        "PyBullet does not support added mass: {names}",
        _links(lambda link: link.added_mass is not None),
    ),
    UnsupportedFeature(
        "surface-velocity",
        Fate.DROPPED,
        "PyBullet does not support conveyor surfaces: {names}",
        _links(lambda link: link.surface_velocity_axis is not None),
    ),
    UnsupportedFeature(
        "deformable",
        Fate.DROPPED,
        "deformable links are rigid in PyBullet: {names}",
        _links(lambda link: link.deformable),
    ),
    UnsupportedFeature(
        "wind", Fate.DROPPED, "PyBullet does not support wind: {names}", _links_in_wind
    ),
    UnsupportedFeature(
        "bushing",
        Fate.APPROXIMATED,
        "PyBullet does not support bushings; they act explicitly, once per step: {names}",
        _connections(lambda element: isinstance(element, Bushing)),
        _STEP,
    ),
    UnsupportedFeature(
        "fluid-force",
        Fate.APPROXIMATED,
        (
            "PyBullet does not support fluids; buoyancy, drag and lift act explicitly, once per "
            "step: "
            "{names}"
        ),
        _fluid_forces,
        _STEP,
    ),
    UnsupportedFeature(
        "tendon",
        Fate.APPROXIMATED,
        (
            "PyBullet does not support tendons; compliant tendons act explicitly, once per step: "
            "{names}"
        ),
        _tendons(
            lambda tendon, is_representable: is_representable and math.isfinite(tendon.stiffness)
        ),
        _STEP,
    ),
    UnsupportedFeature(
        "rigid-tendon",
        Fate.APPROXIMATED,
        "PyBullet does not support constraints of several joints; forces enforce tendons once per "
        "step, within 1e-12, "
        "and correct the effect of motors and contacts one step later: {names}",
        _tendons(
            lambda tendon, is_representable: is_representable and math.isinf(tendon.stiffness)
        ),
        _STEP,
    ),
    UnsupportedFeature(
        "tendon-joint",
        Fate.DROPPED,
        "tendons are ignored if a joint is not a single degree of freedom of a tree: {names}",
        _tendons(lambda _, is_representable: not is_representable),
    ),
    UnsupportedFeature(
        "rigid-distance",
        Fate.APPROXIMATED,
        "PyBullet does not support distance constraints; forces enforce them once per step, "
        "within 5e-4 m in 1 s at "
        "1 kHz, and correct the effect of motors and contacts one step later: {names}",
        _connections(_is_rigid_distance),
        _STEP,
    ),
    UnsupportedFeature(
        "spring-damper",
        Fate.APPROXIMATED,
        (
            "PyBullet does not support springs between links; they act explicitly, once per step: "
            "{names}"
        ),
        _connections(_is_spring),
        _STEP,
    ),
    UnsupportedFeature(
        "sensor",
        Fate.NOTED,
        "PyBullet does not support sensors; {count} sensor(s) ignored: {names}",
        _sensors,
    ),
    UnsupportedFeature(
        "light",
        Fate.NOTED,
        "PyBullet does not support lights of a file; {count} light(s) ignored: {names}",
        _lights,
    ),
    UnsupportedFeature(
        "appearance",
        Fate.NOTED,
        (
            "PyBullet draws these visuals without specular color and without textures other than "
            "the "
            "color map: {names}"
        ),
        _visuals(_has_unsupported_material),
    ),
    UnsupportedFeature(
        "visual-roles",
        Fate.NOTED,
        (
            "PyBullet draws every visual, in all renderers and with shadows; these state "
            "otherwise: "
            "{names}"
        ),
        _visuals(_has_unsupported_visibility),
    ),
    UnsupportedFeature(
        "physics",
        Fate.NOTED,
        "parameters of the file's physics solver are ignored: {names}",
        _solver_parameters,
    ),
)
"""The unsupported features, in the order in which they are reported."""
