"""Features that only scenes from MJCF have, and that PyBullet does not support."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from bridge.mechanism import Mechanism
from bridge.mechanism.connections import BodyConnection
from loaders.diagnostics import Fate
from loaders.model import Actuator, BallConstraint, Joint, JointType, Link, Settings, WeldConstraint
from loaders.model.common import NEUTRAL_SETTINGS
from loaders.scene_queries.scoped_names import SEPARATOR

from .feature import Item, UnsupportedFeature

_CARRIED = NEUTRAL_SETTINGS | {"gravcomp"}
"""Settings that need no report: they change nothing here, or a step function applies them."""


def _floating_dynamics(mechanism: Mechanism) -> Iterator[Item]:
    for joint in mechanism.scene.joints:
        axes = joint.axes if joint.type is JointType.FLOATING else ()
        if any(axis.damping or axis.friction or axis.spring_stiffness for axis in axes):
            yield Item(joint.name, joint.where, (joint.name,))


def _settings(of_motion: bool) -> Callable[[Mechanism], Iterator[Item]]:
    """Return a function that finds the items with settings of MuJoCo: those of the motion, or of its solver."""

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
                    yield Item(f"{name} ({_written(collision.surface.mujoco)})", collision.where, (link.name, name))
        for coupling in () if of_motion else scene.couplings:
            if coupling.mujoco:
                yield Item(f"{coupling.follower} ({_written(coupling.mujoco)})", coupling.where, (coupling.follower,))

    return find


def _written(settings: Settings) -> str:
    return ", ".join(f"{key} {text}" for key, text in settings)


def _stated_tendons(mechanism: Mechanism) -> Iterator[Item]:
    return (Item(tendon.name, tendon.where, (tendon.name,)) for tendon in mechanism.tendons)


def _contact_pairs(mechanism: Mechanism) -> Iterator[Item]:
    for pair in mechanism.contact_pairs:
        name = f"{pair.link_A}{SEPARATOR}{pair.collision_A} and {pair.link_B}{SEPARATOR}{pair.collision_B}"
        yield Item(f"{name} ({_written(pair.mujoco)})", pair.where, (pair.link_A, pair.link_B))


def _between(element: BallConstraint | WeldConstraint) -> Item:
    links = (element.link_A, element.link_B)
    return Item(" to ".join(links), element.where, links)


def _switched_off(mechanism: Mechanism) -> Iterator[Item]:
    for connection in mechanism.constraints:
        element = connection.element
        if isinstance(connection, BodyConnection) and isinstance(element, BallConstraint | WeldConstraint):
            between = _between(element)
            if not element.active:
                yield between


def _softness(mechanism: Mechanism) -> Iterator[Item]:
    for connection in mechanism.constraints:
        element = connection.element
        if isinstance(connection, BodyConnection) and isinstance(element, BallConstraint | WeldConstraint):
            between = _between(element)
            if element.mujoco:
                yield Item(f"{between.name} ({_written(element.mujoco)})", between.where, between.subjects)


def _elements(mechanism: Mechanism) -> Iterator[Item]:
    for element in mechanism.scene.mujoco:
        if element.section != "sensor":
            text = _written((*element.references, *element.settings))
            yield Item(f"{element.section}/{element.tag} {element.name} ({text})", element.where, (element.name,))


def _sensors(mechanism: Mechanism) -> Iterator[Item]:
    for element in mechanism.scene.mujoco:
        if element.section == "sensor":
            text = _written((*element.references, *element.settings))
            yield Item(f"{element.tag} {element.name} ({text})", element.where, (element.name,))


def _controls(mechanism: Mechanism) -> Iterator[Item]:
    for actuator in mechanism.scene.actuators:
        if any(map(math.isfinite, actuator.control)) or actuator.tendon:
            lower, upper = actuator.control
            target = f" of {actuator.tendon}" if actuator.tendon else ""
            yield Item(f"{actuator.name}{target} ({lower:g} to {upper:g})", actuator.where, (actuator.name,))


MUJOCO_FEATURES = (
    UnsupportedFeature(
        "floating-dynamics", Fate.DROPPED,
        "PyBullet does not support damping, friction and springs of free links: {names}", _floating_dynamics,
    ),
    UnsupportedFeature(
        "mujoco-settings", Fate.DROPPED,
        "these settings of MuJoCo change the motion and are left out: {names}", _settings(of_motion=True),
    ),
    UnsupportedFeature(
        "mujoco-solver", Fate.NOTED,
        "PyBullet's solver does not have these settings of MuJoCo's: {names}",
        lambda mechanism: (*_settings(of_motion=False)(mechanism), *_softness(mechanism)),
    ),
    UnsupportedFeature(
        "stated-tendon", Fate.DROPPED, "PyBullet does not support tendons of MuJoCo: {names}", _stated_tendons,
    ),
    UnsupportedFeature(
        "contact-pair", Fate.APPROXIMATED,
        "the links of these pairs may touch with all their shapes, with the parameters of the shapes: {names}",
        _contact_pairs,
    ),
    UnsupportedFeature(
        "inactive-constraint", Fate.DROPPED,
        "constraints that the source switches off are left out: {names}", _switched_off,
    ),
    UnsupportedFeature(
        "mujoco-element", Fate.DROPPED,
        "PyBullet does not have these elements of MuJoCo: {names}", _elements,
    ),
    UnsupportedFeature(
        "mujoco-sensor", Fate.NOTED,
        "PyBullet does not have these sensors of MuJoCo: {names}", _sensors,
    ),
    UnsupportedFeature(
        "control-range", Fate.NOTED, "PyBullet has no actuators with a range of control: {names}", _controls,
    ),
)  # fmt: skip
"""The features, in the order in which they are reported."""
