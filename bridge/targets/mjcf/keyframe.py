"""keyframe, in the coordinates of the compiled model.

States come first, so that a key of MJCF keeps its index; each has its velocities, controls and
activations too. The initial position is the one that the source states, moved into the limits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import (
    ROOT,
    Body,
    BodyConnection,
    PrimitiveKind,
    primitive_names,
    root_bodies,
)
from bridge.mechanism.coordinates import (
    POSITION_SIZES,
    Coordinates,
    Position,
    default_position,
    joint_index,
    kind_of,
    poses,
    primitive_positions,
    with_followers,
)
from bridge.mechanism.kinematics import clamped, home_coordinates, place, with_loops_closed
from bridge.targets.mjcf import codes
from loaders.collision_pairs import BITMASKED, bitmasks
from loaders.model import WORLD, Collision, Keyframe, Plane
from loaders.pose import IDENTITY, Array, Pose, quaternion_to_matrix
from loaders.scoped_names import SEPARATOR

from .collision_filter import Mask
from .context import MjcfContext, MjcfElement, own_settings
from .geom import PlacedShape


def qpos(mechanism: Mechanism, q: Mapping[str, Position] | None = None) -> Array:
    """Return ``qpos`` of the MuJoCo model of a mechanism, shape (nq,); the model has the bodies in
    the same order.

    Args:
        mechanism: The mechanism.
        q: Positions by joint name; joints that are left out are at zero.

    Raises:
        ValueError: if there is no such joint.
    """
    positions = zip(mechanism.bodies, mechanism.positions_by_body(q), strict=True)
    return np.array([x for body, position in positions for x in body_qpos(body, position)])


def body_qpos(body: Body, position: Coordinates) -> list[float]:
    """Return MuJoCo's coordinates of one body: a ball's rotation is about the axes of the body, not
    of the joint frame.

    Args:
        body: The body.
        position: The position of its joint in the coordinates of the mechanism.
    """
    if kind_of(body) is PrimitiveKind.BALL:
        ((w, *v),) = primitive_positions(body, position)
        return [w, *(body.X_BM.R @ v).tolist()]
    return [x for displacement in primitive_positions(body, position) for x in displacement]


def body_qvel(body: Body, position: Coordinates, velocity: Coordinates) -> list[float]:
    """Return MuJoCo's velocities of one body: angular ones of balls and free bodies are in the axes
    of the body.

    Args:
        body: The body.
        position: The position of its joint in the coordinates of the mechanism.
        velocity: The velocity of its joint, likewise.
    """
    kind = kind_of(body)
    if kind is PrimitiveKind.FREE:
        turned = quaternion_to_matrix(position[3:]).T @ velocity[3:]
        return [*velocity[:3], *turned.tolist()]
    if kind is PrimitiveKind.BALL:
        return list((ball_map(body, position) @ velocity).tolist())
    return [p.ratio * velocity[p.dof_index] for p in body.primitives]


def ball_map(body: Body, position: Coordinates) -> Array:
    """Return the matrix from the angular velocity in the parent's joint frame to that in the axes
    of the body.

    Args:
        body: A body on a ball.
        position: The position of its joint in the coordinates of the mechanism.
    """
    if body.reversed:
        return -body.X_BM.R
    (wxyz,) = primitive_positions(body, position)
    mapped: Array = body.X_BM.R @ quaternion_to_matrix(wxyz).T
    return mapped


_NO_TARGETS: Mapping[str, float] = {}
_ROUNDING = 1e-12
"""Largest difference of positions and controls that are the same: that of unit quaternions and
closed loops."""


def write_keyframes(
    actuators: Sequence[MjcfElement],
    shapes: Sequence[PlacedShape],
    context: MjcfContext,
    *,
    targets: Mapping[str, float],
) -> int | None:
    """Write a key for each state, with the index that it has in the source; then the initial
    position.

    The initial position has no key of its own where it is ``qpos0`` or a state. Its key is named
    ``home``, or ``initial`` if a state has that name. Where the source has no state and a free
    robot is not on the ground, ``home`` is the position at which it stands there. Both have the
    controls that the source states for the start, the others those that hold their position.

    Args:
        actuators: The actuators, in their final order; position controllers hold the keys.
        shapes: The shapes of all geoms of finite size.
        context: The export.
        targets: Controls at the start that the source states, by the name of the actuator.

    Returns:
        The index of the key of the initial position; None if that is ``qpos0``.
    """
    home = home_coordinates(context.mechanism)
    keyframes = context.mechanism.keyframes
    for keyframe in keyframes:
        _write_state(keyframe, home, actuators, context)
    steps = () if keyframes else tuple(_steps_to_ground(home, shapes, context))
    taken = {keyframe.name for keyframe in keyframes} | ({"home"} if steps else set())
    initial = _write_initial(home, taken, actuators, targets, context)
    if steps:
        _write_standing(home, steps, actuators, targets, context)
    if initial is not None or steps:
        keys = context.document["keyframe"].children
        name = keys[-1 if steps else initial or 0].attributes["name"]
        _report_zero(name, context)
        _report_targets(name, targets, context)
    return initial


def _write_initial(
    home: Sequence[Coordinates],
    taken: Collection[str],
    actuators: Sequence[MjcfElement],
    targets: Mapping[str, float],
    context: MjcfContext,
) -> int | None:
    """Write the key of the initial position, unless that is ``qpos0`` or a state; return its
    index, None for ``qpos0``.
    """
    is_zero = home == [default_position(body) for body in context.mechanism.bodies]
    if is_zero and not any(targets.values()):
        return None
    keys = context.document["keyframe"].children
    initial = _key_at(home, keys, actuators, targets, context)
    if initial is None:
        initial = len(keys)
        name = context.names.claim("key", "initial" if "home" in taken else "home")
        _write_key(name, home, actuators, context, targets)
    return initial


# --- the ground -----------------------------------------------------------------------------------

_DEEPEST, _HIGHEST = -1e-4, 1e-3
"""Heights above the ground [m] between which a robot stands on it."""
_STEEPEST = 0.5
"""Cosine of the angle between the normal of the steepest ground and the direction up."""


@dataclass(frozen=True, slots=True)
class _Step:
    """The way by which a free body is moved onto the ground."""

    body: int
    way_W: Array
    """Displacement in the world [m]."""
    height: float
    """Height of the lowest shape of its tree above the ground before [m]."""
    ground: str
    """Scoped name of the plane."""


def _steps_to_ground(
    home: Sequence[Coordinates], shapes: Sequence[PlacedShape], context: MjcfContext
) -> Iterator[_Step]:
    """Yield what sets down each free robot that is above the ground or in it.

    A robot has several links that move. It is moved if no constraint holds it to other links, and
    if the only fixed shapes that it may touch are planes.
    """
    mechanism = context.mechanism
    bodies, g = mechanism.bodies, float(np.linalg.norm(mechanism.gravity))
    if g == 0.0:
        return
    up_W = -mechanism.gravity / g
    X_WL = {WORLD: IDENTITY}
    X_WL |= {body.name: X for body, X in zip(bodies, poses(bodies, home), strict=True)}
    roots, tied = root_bodies(bodies), _tied_trees(mechanism)
    members: dict[int, list[Body]] = defaultdict(list)
    for body, root in zip(bodies, roots, strict=True):
        members[root].append(body)
    colliding: dict[int, list[PlacedShape]] = defaultdict(list)
    root_of = dict(zip((body.name for body in bodies), roots, strict=True))
    for shape in shapes:
        if shape.collides and shape.link in root_of:
            colliding[root_of[shape.link]].append(shape)
    for root in sorted(set(roots) - tied):
        moving = [body for body in members[root] if body.primitives]
        own = colliding[root]
        if kind_of(bodies[root]) is not PrimitiveKind.FREE or len(moving) < 2 or not own:
            continue
        heights: list[tuple[float, str]] = []
        for shape, link, plane in _grounds(own, context):
            above = _height(shape, plane, X_WL[link], X_WL[shape.link], up_W)
            if above is not None:
                heights.append((above, f"{link}{SEPARATOR}{plane.name}"))
        height, name = min(heights, default=(0.0, ""))
        if not _DEEPEST <= height <= _HIGHEST:
            yield _Step(root, -height * up_W, height, name)


def _tied_trees(mechanism: Mechanism) -> set[int]:
    """Return the roots of the trees that a constraint holds to another tree or to the world."""
    roots = (*root_bodies(mechanism.bodies), ROOT)  # the last one is that of `ROOT`
    ends = [
        {roots[c.body_a], roots[c.body_b]}
        for c in mechanism.constraints
        if isinstance(c, BodyConnection)
    ]
    return {root for pair in ends if len(pair) == 2 for root in pair}


def _grounds(
    own: Sequence[PlacedShape], context: MjcfContext
) -> list[tuple[PlacedShape, str, Collision]]:
    """Return each shape of a robot with each plane that is fixed to the world and that it may
    touch; none if it may touch another fixed shape.
    """
    mechanism = context.mechanism
    index = mechanism.body_index
    fixed = []
    for link in mechanism.scene.links:
        if link.name in index and mechanism.moving_ancestor(index[link.name]) == ROOT:
            fixed += [(link.name, collision) for collision in link.collisions]
    found = []
    for shape, (name, collision) in product(own, fixed):
        if _may_touch(shape, name, collision, context):
            if not isinstance(collision.geometry, Plane):
                return []
            found.append((shape, name, collision))
    return found


def _may_touch(shape: PlacedShape, link: str, fixed: Collision, context: MjcfContext) -> bool:
    mechanism, policy = context.mechanism, context.options.policy
    own, index = shape.collision, mechanism.body_index
    pair = frozenset((index[shape.link], index[link]))
    if own is None or pair in mechanism.excluded_pairs(policy):
        return False
    surfaces = (own.surface, fixed.surface)
    if any(surface.collide_without_contact for surface in surfaces):
        return False
    ends = {(shape.link, own.name), (link, fixed.name)}
    if any(
        {(p.link_A, p.collision_A), (p.link_B, p.collision_B)} == ends
        for p in mechanism.contact_pairs
    ):
        return True
    one, other = (Mask(*bitmasks(surface)) for surface in surfaces)
    return policy not in BITMASKED or one.meets(other)


def _height(
    shape: PlacedShape, plane: Collision, X_WA: Pose, X_WB: Pose, up_W: Array
) -> float | None:
    """Return how far a shape can move down before it touches a plane [m]; None if that is too
    steep to stand on.

    Args:
        shape: The shape.
        plane: The collision that is a plane.
        X_WA: Pose of the link of the plane.
        X_WB: Pose of the link of the shape.
        up_W: The direction up.
    """
    X_WG, X_WS = X_WA @ plane.X_LG, X_WB @ shape.X_LS
    n_W = X_WG.R @ np.array(plane.geometry.normal)  # type: ignore[union-attr]
    slope = float(n_W @ up_W)
    if slope < _STEEPEST:
        return None
    return (float(n_W @ (X_WS.p - X_WG.p)) - shape.reach(-X_WS.R.T @ n_W)) / slope


def _write_standing(
    home: Sequence[Coordinates],
    steps: Sequence[_Step],
    actuators: Sequence[MjcfElement],
    targets: Mapping[str, float],
    context: MjcfContext,
) -> None:
    """Write the key in which the robots stand on the ground, and report how they are moved."""
    mechanism = context.mechanism
    positions = list(home)
    for step in steps:
        x = np.array(positions[step.body])
        x[:3] += step.way_W
        positions[step.body] = tuple(x.tolist())
    moved = {step.body for step in steps}
    positions = with_loops_closed(mechanism.bodies, mechanism.closures, positions, moved)
    key = context.names.claim("key", "home")
    _write_key(key, positions, actuators, context, targets)
    for step in steps:
        link = mechanism.bodies[step.body].link
        context.add(
            codes.HOME_STANDS,
            link,
            hint=f"start from it: mj_resetDataKeyframe(model, data, model.key({key!r}).id)",
            key=key,
            link=link.name,
            height=step.height,
            ground=step.ground,
        )


def _report_zero(key: str, context: MjcfContext) -> None:
    """Report the joints whose limits exclude zero."""
    bodies = context.mechanism.bodies
    outside = tuple(body.joint or "" for body in bodies if clamped(body, default_position(body)))
    if outside:
        context.add(
            codes.ZERO_OUTSIDE_LIMITS,
            hint=f"start from it: mj_resetDataKeyframe(model, data, model.key({key!r}).id)",
            subjects=outside,
            joints=outside,
            key=key,
        )


def _key_at(
    home: Sequence[Coordinates],
    keys: Sequence[MjcfElement],
    actuators: Sequence[MjcfElement],
    targets: Mapping[str, float],
    context: MjcfContext,
) -> int | None:
    """Return the index of the first key that is at rest in the initial position, with the controls
    at the start.
    """
    qpos = _qpos(home, context)
    ctrl = _ctrl(qpos, actuators, targets, context)
    return next((i for i, key in enumerate(keys) if _is_at(key, qpos, ctrl)), None)


def _write_state(
    keyframe: Keyframe,
    home: Sequence[Coordinates],
    actuators: Sequence[MjcfElement],
    context: MjcfContext,
) -> None:
    """Write a state of the source; joints that it does not name are at their initial position or
    follow others.
    """
    mechanism = context.mechanism
    bodies = joint_index(mechanism.bodies)
    stated = _stated_positions(keyframe, home, context)
    positions = list(home)
    place(with_followers(mechanism, stated), positions, bodies)
    indices = {bodies[joint] for joint in stated}
    positions = with_loops_closed(mechanism.bodies, mechanism.closures, positions, indices)
    _report_limits(keyframe, positions, context)
    key = _write_key(context.names.claim("key", keyframe.name), positions, actuators, context)
    key.set(qvel=_qvel(keyframe, positions, context))
    _write_controls(key, keyframe, actuators, context)
    _write_poses(key, keyframe, context)


def _write_poses(key: MjcfElement, keyframe: Keyframe, context: MjcfContext) -> None:
    """Write the poses of kinematic links, which are mocap bodies; others are where the model draws
    them.
    """
    stated = dict(zip(keyframe.links, keyframe.poses, strict=True))
    mocap = [body for body in context.mechanism.bodies if body.is_kinematic]
    lost = tuple(stated.keys() - {body.name for body in mocap})
    if lost:
        context.add(
            codes.KEYFRAME_POSE,
            keyframe.where,
            subjects=(keyframe.name, *sorted(lost)),
            state=keyframe.name,
            links=tuple(sorted(lost)),
        )
    if stated.keys() - set(lost):
        poses = [stated.get(body.name) or body.link.X_WL.to_vector() for body in mocap]
        key.set(
            mpos=[x for pose in poses for x in pose[:3]],
            mquat=[x for pose in poses for x in pose[3:]],
        )


def _stated_positions(
    keyframe: Keyframe, home: Sequence[Coordinates], context: MjcfContext
) -> dict[str, Position]:
    """Return the positions of a state by joint; report those that have no place."""
    bodies = joint_index(context.mechanism.bodies)
    stated: dict[str, Position] = {}
    for joint, position in zip(keyframe.joints, keyframe.positions, strict=True):
        if joint in bodies and len(position) == len(home[bodies[joint]]):
            stated[joint] = position
        else:
            _report_joint(keyframe, joint, len(position), context)
    return stated


def _report_joint(keyframe: Keyframe, joint: str, count: int, context: MjcfContext) -> None:
    context.add(
        codes.KEYFRAME_JOINT,
        keyframe.where,
        subjects=(keyframe.name, joint),
        state=keyframe.name,
        joint=joint,
        count=count,
    )


def _report_limits(
    keyframe: Keyframe, positions: Sequence[Coordinates], context: MjcfContext
) -> None:
    bodies = context.mechanism.bodies
    outside = tuple(b.joint or "" for b, q in zip(bodies, positions, strict=True) if clamped(b, q))
    if outside:
        context.add(
            codes.KEYFRAME_LIMITS,
            keyframe.where,
            subjects=outside,
            state=keyframe.name,
            joints=outside,
        )


def _qvel(
    keyframe: Keyframe, positions: Sequence[Coordinates], context: MjcfContext
) -> list[float] | None:
    """Return the velocities of a state; None if it states none. Those of other joints are zero."""
    bodies = context.mechanism.bodies
    stated = dict(zip(keyframe.joints, keyframe.velocities, strict=False))
    found = [stated.get(body.joint or "", ()) for body in bodies]
    for body, v in zip(bodies, found, strict=True):
        if v and len(v) != body.nv:
            _report_joint(keyframe, body.joint or "", len(v), context)
    moving = [
        v if len(v) == body.nv else (0.0,) * body.nv for body, v in zip(bodies, found, strict=True)
    ]
    qvel = [
        x
        for body, q, v in zip(bodies, positions, moving, strict=True)
        for x in body_qvel(body, q, v)
    ]
    return qvel if stated else None


# --- actuators ------------------------------------------------------------------------------------


def _write_controls(
    key: MjcfElement, keyframe: Keyframe, actuators: Sequence[MjcfElement], context: MjcfContext
) -> None:
    """Write the controls and the internal states of a state; other position controllers hold its
    position.
    """
    names = [context.names.changed.get(name, name) for name in keyframe.actuators]
    written = {actuator.attributes["name"] for actuator in actuators}
    lost = tuple(
        old for old, new in zip(keyframe.actuators, names, strict=True) if new not in written
    )
    if lost:
        context.add(
            codes.KEYFRAME_ACTUATOR,
            keyframe.where,
            subjects=(keyframe.name, *lost),
            state=keyframe.name,
            actuators=lost,
        )
    if names and len(lost) < len(names):
        controls, states = (
            dict(zip(names, v, strict=True)) for v in (keyframe.controls, keyframe.activations)
        )
        act = [
            x
            for actuator in actuators
            for x in states.get(actuator.attributes["name"]) or _at_rest(actuator)
        ]
        held = _numbers(key, "ctrl") or [0.0] * len(actuators)
        ctrl = [
            x
            for actuator, hold in zip(actuators, held, strict=True)
            for x in controls.get(actuator.attributes["name"], (hold,))
        ]
        key.set(ctrl=ctrl, act=act if any(act) else None)


def _at_rest(actuator: MjcfElement) -> tuple[float, ...]:
    """Return the internal states of an actuator that a keyframe does not contain."""
    own = {"none": "0", "dcmotor": "0"}.get(actuator.attributes.get("dyntype", "none"), "1")
    return (0.0,) * int(actuator.attributes.get("actdim", own))


def _write_key(
    name: str,
    positions: Sequence[Coordinates],
    actuators: Sequence[MjcfElement],
    context: MjcfContext,
    targets: Mapping[str, float] = _NO_TARGETS,
) -> MjcfElement:
    qpos = _qpos(positions, context)
    ctrl = _ctrl(qpos, actuators, targets, context)
    return context.document["keyframe"].add("key", name=name, qpos=qpos, ctrl=ctrl)


def _qpos(positions: Sequence[Coordinates], context: MjcfContext) -> list[float]:
    bodies = context.mechanism.bodies
    return [x for body, q in zip(bodies, positions, strict=True) for x in body_qpos(body, q)]


def _is_at(key: MjcfElement, qpos: list[float], ctrl: list[float] | None) -> bool:
    """Return whether a key has a position and the controls that hold it, and moves nothing else."""
    if "mpos" in key.attributes or any(_numbers(key, "qvel")) or any(_numbers(key, "act")):
        return False
    return _are_close(_numbers(key, "qpos"), qpos) and (
        ctrl is None or _are_close(_numbers(key, "ctrl"), ctrl)
    )


def _are_close(a: list[float], b: list[float]) -> bool:
    return bool(np.allclose(a, b, rtol=0.0, atol=_ROUNDING))


def _numbers(key: MjcfElement, name: str) -> list[float]:
    """Return the numbers of an attribute; none if the key does not have it."""
    return [float(x) for x in key.attributes.get(name, "").split()]


def _ctrl(
    qpos: list[float],
    actuators: Sequence[MjcfElement],
    targets: Mapping[str, float],
    context: MjcfContext,
) -> list[float] | None:
    """Return the controls at the start, or else those that hold a position; None if there are no
    such controls. Actuators whose law the source states have the controls of the source.
    """
    mechanism, changed = context.mechanism, context.names.changed
    stated = {a.actuator.name for a in mechanism.actuators if own_settings(a.actuator)}
    laws = {changed.get(name, name) for name in stated}
    held = [_holds_position(a) and a.attributes["name"] not in laws for a in actuators]
    if not any(held) and not targets:
        return None
    position_of = dict(zip(_joint_names(mechanism), qpos, strict=True))
    holding = [
        position_of[a.attributes["joint"]] if holds else 0.0
        for a, holds in zip(actuators, held, strict=True)
    ]
    return [targets.get(a.attributes["name"], x) for a, x in zip(actuators, holding, strict=True)]


def _holds_position(actuator: MjcfElement) -> bool:
    """Return whether an actuator is a position controller, with or without a constant effort."""
    gain, bias = (_numbers(actuator, name) for name in ("gainprm", "biasprm"))
    is_affine = actuator.tag == "general" and "joint" in actuator.attributes and len(bias) == 3
    return actuator.tag == "position" or (is_affine and bool(bias[1]) and gain == [-bias[1]])


def _report_targets(key: str, targets: Mapping[str, float], context: MjcfContext) -> None:
    """Report the controls at the start, which MuJoCo has in a key only."""
    moving = {name: target for name, target in targets.items() if target}
    if moving:
        context.add(
            codes.INITIAL_CONTROL,
            hint=f"start from it: mj_resetDataKeyframe(model, data, model.key({key!r}).id)",
            subjects=tuple(moving),
            controls=", ".join(f"{target:.6g} of {name}" for name, target in moving.items()),
            key=key,
        )


def _joint_names(mechanism: Mechanism) -> list[str]:
    """Return the joint to which each number of ``qpos`` belongs."""
    names: list[str] = []
    for body in mechanism.bodies:
        for name, primitive in zip(primitive_names(body), body.primitives, strict=True):
            names += [name] * POSITION_SIZES.get(primitive.kind, 1)
    return names
