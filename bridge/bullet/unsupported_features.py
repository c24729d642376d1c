"""What a scene states and PyBullet has nothing for: one diagnostic for each kind of thing, however many there are."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from bridge.bullet.urdf.segments import TARGET
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.force_laws import is_tendon_representable
from loaders.diagnostics import NOWHERE, Diagnostics, Fate, Where
from loaders.model import (
    Bushing,
    DistanceConstraint,
    JointAxis,
    Link,
    Material,
    Physics,
    SpringDamper,
    TendonConstraint,
    Visual,
)

Found = tuple[str, Where]
"""The name of what is lost, and where it is written."""

_STEP = "call step(), or apply_passive_forces() before every stepSimulation"


@dataclass(frozen=True, slots=True)
class _Loss:
    """One kind of thing that is lost. ``{names}`` and ``{n}`` in the message stand for which, and how many."""

    code: str
    fate: Fate
    message: str
    find: Callable[[Mechanism], Iterable[Found]]
    hint: str = ""


def report_losses(mechanism: Mechanism, diagnostics: Diagnostics) -> None:
    """Say what of the scene PyBullet will not have."""
    for loss in LOSSES:
        found = list(loss.find(mechanism))
        if found:
            message = loss.message.format(n=len(found), names=_listed([name for name, _ in found]))
            diagnostics.add(loss.fate, f"pybullet.{loss.code}", message, found[0][1], target=TARGET, hint=loss.hint)


def _listed(names: list[str], most: int = 6) -> str:
    names = list(dict.fromkeys(names))
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


# --- joints and what drives them -------------------------------------------------------------------------------------


def _axes(is_lost: Callable[[JointAxis], object]) -> Callable[[Mechanism], Iterator[Found]]:
    """Joints with an axis of which this holds."""

    def find(mechanism: Mechanism) -> Iterator[Found]:
        for body in mechanism.bodies:
            if any(p.limits is not None and is_lost(p.limits) for p in body.primitives):
                yield str(body.joint), _where(body)

    return find


def _where(body: Body) -> Where:
    return body.source.where if body.source is not None else NOWHERE


def _rotors(mechanism: Mechanism) -> Iterator[Found]:
    """Each with what is missing of the inertia that the joint sees at the zero configuration."""
    if not any(a.rotor_inertia for a in mechanism.scene.actuators):
        return
    seen, component = np.diag(mechanism.mass_matrix()), {key: v for v, key in enumerate(mechanism.v_order)}
    for a in mechanism.scene.actuators:
        v = component.get((a.joint, 0))
        if a.rotor_inertia and v is not None:
            yield f"{a.joint} ({a.gear_ratio**2 * a.rotor_inertia:.3g} of {seen[v]:.3g} kg m^2 or kg)", a.where


def _efforts(mechanism: Mechanism) -> Iterator[Found]:
    yield from _axes(lambda axis: math.isfinite(axis.effort))(mechanism)
    yield from ((a.joint, a.where) for a in mechanism.scene.actuators if math.isfinite(a.effort))


def _gains(mechanism: Mechanism) -> Iterator[Found]:
    return ((a.joint, a.where) for a in mechanism.scene.actuators if a.p_gain is not None or a.d_gain is not None)


def _ball_limits(mechanism: Mechanism) -> Iterator[Found]:
    for body in mechanism.bodies:
        for p in body.primitives:
            if (
                p.kind is PrimitiveKind.BALL
                and p.limits is not None
                and (p.limits.friction or math.isfinite(p.limits.upper))
            ):
                yield str(body.joint), _where(body)


# --- links -----------------------------------------------------------------------------------------------------------


def _links(is_lost: Callable[[Link], object]) -> Callable[[Mechanism], Iterator[Found]]:
    """Links of which this holds."""
    return lambda mechanism: ((link.name, link.where) for link in mechanism.scene.links if is_lost(link))


def _has_added_mass(link: Link) -> bool:
    return link.added_mass is not None


def _windy(mechanism: Mechanism) -> Iterator[Found]:
    scene = mechanism.scene
    models = {model.name for model in scene.models if model.enable_wind}
    if np.any(scene.wind):
        return ((link.name, link.where) for link in scene.links if link.enable_wind or link.model in models)
    return iter(())


def _visuals(is_lost: Callable[[Visual], object]) -> Callable[[Mechanism], Iterator[Found]]:
    """Visuals of which this holds, by their links."""

    def find(mechanism: Mechanism) -> Iterator[Found]:
        for link in mechanism.scene.links:
            for visual in link.visuals:
                if is_lost(visual):
                    yield f"{link.name}/{visual.name}", visual.where

    return find


def _has_look(visual: Visual) -> bool:
    material = visual.material
    if material is None:
        return False
    further = tuple(item for item in material.maps if item != ("albedo_map", material.texture))
    drawn = Material(name=material.name, diffuse=material.diffuse, ambient=material.ambient, texture=material.texture)
    return dataclasses.replace(material, maps=further) != drawn


def _sensors(mechanism: Mechanism) -> Iterator[Found]:
    scene = mechanism.scene
    for sensors in (*(link.sensors for link in scene.links), *(joint.sensors for joint in scene.joints)):
        yield from ((sensor.name, sensor.where) for sensor in sensors)


# --- the rest of the scene -------------------------------------------------------------------------------------------


def _bushings(mechanism: Mechanism) -> Iterator[Found]:
    for item in mechanism.scene.forces:
        if isinstance(item, Bushing):
            yield f"{item.link_A} to {item.link_C}", item.where


def _tendons(is_meant: Callable[[TendonConstraint, bool], bool]) -> Callable[[Mechanism], Iterator[Found]]:
    """Tendons of which this holds, told whether it can be strung."""

    def find(mechanism: Mechanism) -> Iterator[Found]:
        for item in mechanism.scene.constraints:
            if isinstance(item, TendonConstraint) and is_meant(item, is_tendon_representable(item, mechanism.v_order)):
                yield f"over {', '.join(item.joints)}", item.where

    return find


def _rigid_distances(mechanism: Mechanism) -> Iterator[Found]:
    for item in mechanism.scene.constraints:
        if isinstance(item, DistanceConstraint) and math.isinf(item.stiffness):
            yield f"{item.link_A} to {item.link_B}", item.where


def _soft_distances(mechanism: Mechanism) -> Iterator[Found]:
    for item in (*mechanism.scene.constraints, *mechanism.scene.forces):
        if isinstance(item, SpringDamper) or (isinstance(item, DistanceConstraint) and math.isfinite(item.stiffness)):
            yield f"{item.link_A} to {item.link_B}", item.where


def _lights(mechanism: Mechanism) -> Iterator[Found]:
    return ((light.name, light.where) for light in mechanism.scene.lights)


def _solver(mechanism: Mechanism) -> Iterator[Found]:
    physics, plain = mechanism.scene.physics, Physics()
    for name in ("real_time_factor", "real_time_update_rate", "max_contacts", "parameters"):
        if getattr(physics, name) != getattr(plain, name):
            yield name, NOWHERE


LOSSES = (
    _Loss(
        "rotor-inertia", Fate.DROPPED, "PyBullet has no reflected inertia of rotors, so these joints see less: {names}",
        _rotors,
    ),
    _Loss(
        "controller-gains", Fate.APPROXIMATED,
        "PyBullet's motors have gains of another kind; these controllers act explicitly, by steps: {names}", _gains,
        "call apply_control() before every step",
    ),
    _Loss(
        "empty-range", Fate.DROPPED, "the limits of these joints are swapped; they are left without: {names}",
        _axes(lambda axis: axis.lower > axis.upper), "swap them in the source",
    ),
    _Loss(
        "velocity-limit", Fate.DROPPED, "PyBullet reports but does not enforce velocity limits: {names}",
        _axes(lambda axis: math.isfinite(axis.velocity)),
    ),
    _Loss(
        "acceleration-limit", Fate.DROPPED, "PyBullet has no acceleration limits: {names}",
        _axes(lambda axis: math.isfinite(axis.acceleration)),
    ),
    _Loss(
        "effort-limit", Fate.NOTED, "PyBullet reports but does not enforce effort limits: {names}", _efforts,
        "apply_efforts() cuts to them; PyBullet's own motors take them as force=",
    ),
    _Loss(
        "dry-friction", Fate.APPROXIMATED,
        "PyBullet keeps dry friction as an impulse for each step, of the time step at loading: {names}",
        _axes(lambda axis: axis.friction),
        "set the time step before loading, or call step() or adapt_friction() after a change",
    ),
    _Loss(
        "spring", Fate.APPROXIMATED, "PyBullet has no springs in joints; they act explicitly, by steps: {names}",
        _axes(lambda axis: axis.spring_stiffness), _STEP,
    ),
    _Loss(
        "soft-stop", Fate.DROPPED, "PyBullet's stops are rigid, without stiffness or dissipation: {names}",
        _axes(lambda axis: axis.limit_stiffness is not None or axis.limit_dissipation is not None),
    ),
    _Loss("ball-limit", Fate.DROPPED, "PyBullet has no limits and no friction of ball joints: {names}", _ball_limits),
    _Loss(
        "link-without-gravity", Fate.APPROXIMATED,
        "PyBullet pulls every link; the weight of these is taken off by a force, by steps: {names}",
        _links(lambda link: not link.gravity), _STEP,
    ),
    _Loss(
        "velocity-decay", Fate.DROPPED, "PyBullet has no velocity decay of single links: {names}",
        _links(lambda link: any(link.velocity_decay)),
    ),
    _Loss("added-mass", Fate.DROPPED, "PyBullet has no added mass: {names}", _links(_has_added_mass)),
    _Loss(
        "surface-velocity", Fate.DROPPED, "PyBullet has no conveyor surfaces: {names}",
        _links(lambda link: link.surface_velocity_axis is not None),
    ),
    _Loss("deformable", Fate.DROPPED, "these are rigid in PyBullet: {names}", _links(lambda link: link.deformable)),
    _Loss("wind", Fate.DROPPED, "PyBullet has no wind: {names}", _windy),
    _Loss(
        "bushing", Fate.APPROXIMATED, "bushings act explicitly in PyBullet, by steps: {names}", _bushings, _STEP,
    ),
    _Loss(
        "tendon", Fate.APPROXIMATED, "yielding tendons act explicitly in PyBullet, by steps: {names}",
        _tendons(lambda tendon, moves: moves and math.isfinite(tendon.stiffness)), _STEP,
    ),
    _Loss(
        "rigid-tendon", Fate.APPROXIMATED,
        "PyBullet has no constraint of several joints; forces hold tendons, by steps, within 1e-12, and where motors "
        "or contacts push too one step late: {names}",
        _tendons(lambda tendon, moves: moves and math.isinf(tendon.stiffness)), _STEP,
    ),
    _Loss(
        "tendon-joint", Fate.DROPPED, "these tendons run over a joint that is not one freedom of a tree: {names}",
        _tendons(lambda _, moves: not moves),
    ),
    _Loss(
        "rigid-distance", Fate.APPROXIMATED,
        "PyBullet has no constraint of a fixed distance; forces hold it, by steps, within 5e-4 m in 1 s at 1 kHz, and "
        "where motors or contacts push too one step late: {names}", _rigid_distances, _STEP,
    ),
    _Loss(
        "spring-damper", Fate.APPROXIMATED, "straight springs act explicitly in PyBullet, by steps: {names}",
        _soft_distances, _STEP,
    ),
    _Loss("sensor", Fate.NOTED, "{n} sensor(s) have no counterpart in PyBullet: {names}", _sensors),
    _Loss("light", Fate.NOTED, "{n} light(s) have no counterpart in PyBullet: {names}", _lights),
    _Loss(
        "appearance", Fate.NOTED, "PyBullet draws these without shine and without further texture maps: {names}",
        _visuals(_has_look),
    ),
    _Loss(
        "visual-roles", Fate.NOTED, "PyBullet draws every visual, with no shadow or renderer of its own: {names}",
        _visuals(lambda v: v.roles != ("illustration", "perception") or v.renderers or not v.cast_shadows),
    ),
    _Loss("physics", Fate.NOTED, "these hints of the file for its solver are not given to PyBullet: {names}", _solver),
)  # fmt: skip
"""In the order in which they are reported."""
