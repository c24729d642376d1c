"""Scenes for the tests of the PyBullet side, and what to ask the running engine."""

from __future__ import annotations

import numpy as np
import pybullet

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Box, Collision, Joint, JointAxis, JointType, Link, Model
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene

MOVING = (
    JointType.REVOLUTE,
    JointType.PRISMATIC,
    JointType.BALL,
    JointType.UNIVERSAL,
    JointType.PLANAR,
    JointType.SCREW,
    JointType.FIXED,
)
GRAVITY = (0.3, -1.2, -9.81)
AXES = {
    JointType.UNIVERSAL: 2,
    JointType.REVOLUTE2: 2,
    JointType.PLANAR: 3,
    JointType.FIXED: 0,
    JointType.BALL: 0,
}
INERTIA = SpatialInertia.of(1.0, (0.1, 0.02, -0.05), np.diag((0.1, 0.12, 0.13)))
UNIT_BOX = Box(size=(1.0, 1.0, 1.0))


def random_pose(rng) -> Pose:
    return Pose.from_vector([*rng.uniform(-0.5, 0.5, 3), *rng.normal(size=4)])


def random_inertia(rng) -> SpatialInertia:
    A = rng.normal(size=(3, 3)) * 0.2
    points = A @ A.T
    return SpatialInertia.of(
        rng.uniform(0.5, 3.0), rng.uniform(-0.2, 0.2, 3), np.trace(points) * np.eye(3) - points
    )


def random_axes(kind, rng, **axis):
    x, y, _ = np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    return tuple(
        JointAxis(xyz=frozen(xyz), **axis) for xyz in (x, y, np.cross(x, y))[: AXES.get(kind, 1)]
    )


def joint(
    name,
    parent,
    child,
    kind=JointType.REVOLUTE,
    *,
    xyz=(0, 0, 1),
    X_PJ=IDENTITY,
    X_CJ=IDENTITY,
    **rest,
):
    """A joint; ``axis`` holds what its axes say beside their direction."""
    axis = rest.pop("axis", {})
    axes = rest.pop(
        "axes", tuple(JointAxis(xyz=frozen(xyz), **axis) for _ in range(AXES.get(kind, 1)))
    )
    return Joint(
        name=name, type=kind, parent=parent, child=child, X_PJ=X_PJ, X_CJ=X_CJ, axes=axes, **rest
    )


def link(name, *, model="m", X_WL=IDENTITY, inertia=INERTIA, shape=None, **rest):
    collisions = () if shape is None else (Collision(name="c", X_LG=IDENTITY, geometry=shape),)
    return Link(
        name=name, model=model, X_WL=X_WL, inertia=inertia, **{"collisions": collisions, **rest}
    )


def scene(links, joints=(), **rest):
    models = (Model(name="m", X_WM=IDENTITY, canonical_link=links[0].name if links else None),)
    return Scene(
        **{"name": "test", "models": models, "links": tuple(links), "joints": tuple(joints), **rest}
    )


def random_scene(seed, *, fixed, kinds=MOVING, size=7, axis=None) -> Scene:
    """Links in a random tree, joints of all kinds, some reversed; the first link welded to the
    world or free.
    """
    rng = np.random.default_rng(seed)
    links = [link("l0", X_WL=random_pose(rng), inertia=random_inertia(rng))]
    joints = [joint("weld", WORLD, "l0", JointType.FIXED, X_PJ=links[0].X_WL)] if fixed else []
    for i in range(1, size):
        kind = kinds[int(rng.integers(len(kinds)))]
        ends, poses = (
            [f"l{rng.integers(max(0, i - 3), i)}", f"l{i}"],
            [random_pose(rng), random_pose(rng)],
        )
        if rng.random() < 0.3:
            ends.reverse()
        axes = random_axes(kind, rng, **(axis or {}))
        joints.append(
            joint(f"j{i}", *ends, kind, X_PJ=poses[0], X_CJ=poses[1], axes=axes, pitch=0.3)
        )
        links.append(link(f"l{i}", inertia=random_inertia(rng)))
    return scene(links, joints)


def random_state(mechanism: Mechanism, seed):
    """Positions and velocities of every joint."""
    rng = np.random.default_rng(seed)
    q, v = {}, {}
    for body in mechanism.bodies:
        if body.primitives:
            turn = rng.normal(size=4)
            turn = (turn / np.linalg.norm(turn)).tolist()
            size = body.nv
            plain = rng.uniform(-1.0, 1.0, size).tolist()
            q[body.joint] = {
                PrimitiveKind.BALL: tuple(turn),
                PrimitiveKind.FREE: (*plain[:3], *turn),
            }.get(kind_of(body), tuple(plain))
            v[body.joint] = tuple(rng.normal(size=size).tolist())
    return q, v


def stacked(mechanism: Mechanism, values) -> np.ndarray:
    """Velocities or efforts by joint as one vector in ``v_order``."""
    return np.array([np.atleast_1d(values[name])[k] for name, k in mechanism.v_order])


def unstacked(mechanism: Mechanism, vector):
    """The inverse of `stacked`."""
    found: dict[str, list[float]] = {}
    for (name, _), value in zip(mechanism.v_order, vector, strict=True):
        found.setdefault(name, []).append(float(value))
    return {name: tuple(values) for name, values in found.items()}


def relative(ours, theirs) -> float:
    """The largest difference, relative to the largest number."""
    theirs = np.asarray(theirs)
    return float(np.abs(np.asarray(ours) - theirs).max() / np.abs(theirs).max())


def touching(loaded, client) -> set[frozenset[str]]:
    """The pairs of links that PyBullet finds in contact, by our names."""
    bodies = [loaded] if isinstance(loaded, int) else list(loaded)
    names = {(int(body), index): name for body in bodies for name, index in body.links.items()}
    pybullet.performCollisionDetection(physicsClientId=client)
    contacts = pybullet.getContactPoints(physicsClientId=client)
    return {frozenset((names[c[1], c[3]], names[c[2], c[4]])) for c in contacts}


def codes(loaded) -> set[str]:
    """The codes of the diagnostics that are PyBullet's."""
    return {entry.code for entry in loaded.diagnostics if entry.target == "pybullet"}
