"""Features of a scene that PyBullet does not support: one finding for each feature, about all items concerned."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from operator import attrgetter

import numpy as np

from bridge.bullet.target import TARGET
from bridge.fluid.forces import described
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.connections import BodyConnection, TendonConnection
from bridge.mechanism.force_laws import is_tendon_representable
from loaders.diagnostics import NOWHERE, Diagnostics, Fate
from loaders.model import (
    Bushing,
    DistanceConstraint,
    Joint,
    JointAxis,
    Link,
    Material,
    Physics,
    SpringDamper,
    TendonConstraint,
    Visual,
)
from loaders.scene_queries.gravity_share import gravity_share
from loaders.scene_queries.scoped_names import SEPARATOR

from .feature import Item, UnsupportedFeature
from .locked_joints import locked_joints
from .mujoco_features import MUJOCO_FEATURES
from .simulation.efforts import link_name

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


# --- joints and actuators --------------------------------------------------------------------------------------------


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
    """Yield joints with rotor inertia, and its share of the effective inertia at the zero configuration."""
    driven = [driven for driven in mechanism.actuators if driven.actuator.rotor_inertia and driven.dof is not None]
    own = [body for body in mechanism.bodies if body.source is not None and any(a.inertia for a in body.source.axes)]
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


# --- links -----------------------------------------------------------------------------------------------------------


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
    return visual.roles != ("illustration", "perception") or bool(visual.renderers) or not visual.cast_shadows


def _sensors(mechanism: Mechanism) -> Iterator[Item]:
    scene = mechanism.scene
    parents: tuple[Link | Joint, ...] = (*scene.links, *scene.joints)
    for parent in parents:
        for sensor in parent.sensors:
            yield Item(sensor.name, sensor.where, (parent.name, f"{parent.name}{SEPARATOR}{sensor.name}"))


# --- constraints and force elements ----------------------------------------------------------------------------------


def _between(mechanism: Mechanism, connection: BodyConnection) -> Item:
    a, b = link_name(mechanism, connection.body_a), link_name(mechanism, connection.body_b)
    return Item(f"{a} to {b}", connection.element.where, (a, b))


def _connections(has_feature: Callable[[object], object]) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the constraints and force elements between two links with a feature."""

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


def _tendons(has_feature: Callable[[TendonConstraint, bool], bool]) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the tendons with a feature, given whether each can be represented."""

    def find(mechanism: Mechanism) -> Iterator[Item]:
        tendons = (c.element for c in mechanism.constraints if isinstance(c, TendonConnection))
        for tendon in tendons:
            if has_feature(tendon, is_tendon_representable(tendon, mechanism.v_order)):
                yield Item(f"over {', '.join(tendon.joints)}", tendon.where, tendon.joints)

    return find


# --- the rest of the scene -------------------------------------------------------------------------------------------


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
        "keyframes", Fate.NOTED, "PyBullet has no named states: {names}", _keyframes,
        "set one with set_positions(dict(zip(key.joints, key.positions))) for a key of robot.mechanism.keyframes",
    ),
    UnsupportedFeature(
        "rotor-inertia", Fate.DROPPED,
        "PyBullet does not support rotor inertia; these joints have less effective inertia: {names}", _rotors,
        "add it to the link if everything that carries the link is fixed",
    ),
    UnsupportedFeature(
        "locked-joint", Fate.DROPPED,
        "without rotor inertia nothing resists the motion of these joints, and PyBullet does not move them: {names}",
        locked_joints, "give the link of each joint an inertia about its axis",
    ),
    UnsupportedFeature(
        "controller-gains", Fate.APPROXIMATED,
        "the gains of PyBullet's motors have another meaning; these controllers act explicitly, once per step: {names}",
        _gains, "call apply_control() before every step",
    ),
    UnsupportedFeature(
        "empty-range", Fate.DROPPED, "lower limit above upper limit; these joints have no limits: {names}",
        _axes(lambda axis: axis.lower > axis.upper), "exchange the limits in the source",
    ),
    UnsupportedFeature(
        "velocity-limit", Fate.DROPPED, "PyBullet reports but does not enforce velocity limits: {names}",
        _axes(lambda axis: math.isfinite(axis.velocity)),
    ),
    UnsupportedFeature(
        "acceleration-limit", Fate.DROPPED, "PyBullet does not support acceleration limits: {names}",
        _axes(lambda axis: math.isfinite(axis.acceleration)),
    ),
    UnsupportedFeature(
        "effort-limit", Fate.NOTED, "PyBullet reports but does not enforce effort limits: {names}", _efforts,
        "call apply_efforts(), which clips to them, or pass them to PyBullet's motors as force=",
    ),
    UnsupportedFeature(
        "dry-friction", Fate.APPROXIMATED,
        "PyBullet stores dry friction as an impulse per step, for the time step at loading: {names}",
        _axes(lambda axis: axis.friction),
        "set the time step before loading, or call step() or adapt_friction() after a change",
    ),
    UnsupportedFeature(
        "spring", Fate.APPROXIMATED,
        "PyBullet does not support joint springs; they act explicitly, once per step: {names}",
        _axes(lambda axis: axis.spring_stiffness), _STEP,
    ),
    UnsupportedFeature(
        "soft-stop", Fate.DROPPED,
        "PyBullet does not support stiffness and dissipation of joint limits; the limits are rigid: {names}",
        _axes(lambda axis: axis.limit_stiffness is not None or axis.limit_dissipation is not None),
    ),
    UnsupportedFeature(
        "ball-limit", Fate.DROPPED, "PyBullet does not support limits and friction of ball joints: {names}",
        _ball_limits,
    ),
    UnsupportedFeature(
        "link-without-gravity", Fate.APPROXIMATED,
        "gravity acts on every link in PyBullet; the weight of these links is compensated once per step: {names}",
        _links(lambda link: gravity_share(link) != 1.0), _STEP,
    ),
    UnsupportedFeature(
        "velocity-decay", Fate.DROPPED, "PyBullet does not support velocity decay of single links: {names}",
        _links(lambda link: any(link.velocity_decay)),
    ),
    UnsupportedFeature(
        "added-mass", Fate.DROPPED, "PyBullet does not support added mass: {names}",
        _links(lambda link: link.added_mass is not None),
    ),
    UnsupportedFeature(
        "surface-velocity", Fate.DROPPED, "PyBullet does not support conveyor surfaces: {names}",
        _links(lambda link: link.surface_velocity_axis is not None),
    ),
    UnsupportedFeature(
        "deformable", Fate.DROPPED, "deformable links are rigid in PyBullet: {names}",
        _links(lambda link: link.deformable),
    ),
    UnsupportedFeature("wind", Fate.DROPPED, "PyBullet does not support wind: {names}", _links_in_wind),
    UnsupportedFeature(
        "bushing", Fate.APPROXIMATED,
        "PyBullet does not support bushings; they act explicitly, once per step: {names}",
        _connections(lambda element: isinstance(element, Bushing)), _STEP,
    ),
    UnsupportedFeature(
        "fluid-force", Fate.APPROXIMATED,
        "PyBullet does not support fluids; buoyancy, drag and lift act explicitly, once per step: {names}",
        _fluid_forces, _STEP,
    ),
    UnsupportedFeature(
        "tendon", Fate.APPROXIMATED,
        "PyBullet does not support tendons; compliant tendons act explicitly, once per step: {names}",
        _tendons(lambda tendon, is_representable: is_representable and math.isfinite(tendon.stiffness)), _STEP,
    ),
    UnsupportedFeature(
        "rigid-tendon", Fate.APPROXIMATED,
        "PyBullet does not support constraints of several joints; forces enforce tendons once per step, within 1e-12, "
        "and correct the effect of motors and contacts one step later: {names}",
        _tendons(lambda tendon, is_representable: is_representable and math.isinf(tendon.stiffness)), _STEP,
    ),
    UnsupportedFeature(
        "tendon-joint", Fate.DROPPED,
        "tendons are ignored if a joint is not a single degree of freedom of a tree: {names}",
        _tendons(lambda _, is_representable: not is_representable),
    ),
    UnsupportedFeature(
        "rigid-distance", Fate.APPROXIMATED,
        "PyBullet does not support distance constraints; forces enforce them once per step, within 5e-4 m in 1 s at "
        "1 kHz, and correct the effect of motors and contacts one step later: {names}",
        _connections(_is_rigid_distance), _STEP,
    ),
    UnsupportedFeature(
        "spring-damper", Fate.APPROXIMATED,
        "PyBullet does not support springs between links; they act explicitly, once per step: {names}",
        _connections(_is_spring), _STEP,
    ),
    UnsupportedFeature(
        "sensor", Fate.NOTED, "PyBullet does not support sensors; {count} sensor(s) ignored: {names}", _sensors
    ),
    UnsupportedFeature(
        "light", Fate.NOTED, "PyBullet does not support lights of a file; {count} light(s) ignored: {names}", _lights
    ),
    UnsupportedFeature(
        "appearance", Fate.NOTED,
        "PyBullet draws these visuals without specular color and without textures other than the color map: {names}",
        _visuals(_has_unsupported_material),
    ),
    UnsupportedFeature(
        "visual-roles", Fate.NOTED,
        "PyBullet draws every visual, in all renderers and with shadows; these state otherwise: {names}",
        _visuals(_has_unsupported_visibility),
    ),
    UnsupportedFeature(
        "physics", Fate.NOTED, "parameters of the file's physics solver are ignored: {names}", _solver_parameters
    ),
)  # fmt: skip
"""The unsupported features, in the order in which they are reported."""
