"""Shapes, surfaces and hulls as read, and trials of actuators.

MuJoCo computes the hull of points, since the convex hull of trimesh needs scipy, which is no
dependency.

A shape is read as its support function in fixed directions of the link's frame: how far it reaches
in each. That compares type, size and pose of a convex shape, whatever an engine calls it. Two
convex bodies whose supports differ by less than e differ in volume by less than e times their
surface.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from bridge.geometry.convex_decomposition import (
    PARTS,
    CollisionMesh,
    Solid,
    collision_parts,
    hull_faces,
    normal_if_flat,
    separate_hulls,
)
from bridge.geometry.shapes import supports_of_collision
from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, MechanismActuator
from bridge.mechanism.coordinates import kind_of
from loaders.diagnostics import Diagnostics, Where
from loaders.engine_settings import MUJOCO, grip_of
from loaders.meshes import MeshData, read_mesh
from loaders.model import (
    WORLD,
    Actuator,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Empty,
    Geometry,
    Heightmap,
    Joint,
    JointAxis,
    Link,
    Mesh,
    Plane,
    Sphere,
    Surface,
    settings_of,
)
from loaders.model.contact import torsional_length
from loaders.pose import Array
from loaders.scoped_names import root_model

from .engine import ActuatorTrial, Hull, NotReportedError, Surfaces
from .states import without_solver_effects

Pair = frozenset[str]
"""Two links."""


_COMMANDS = (0.5, 2.0, -2.0)
"""Commanded efforts relative to the limit: the last two are beyond it."""
_DISPLACEMENT, _SPEED = 0.1, 0.3
"""Largest displacement from the target [rad or m] and speed [rad/s or m/s] of a controller's
trial."""


def actuator_trials(mechanism: Mechanism) -> dict[str, ActuatorTrial]:
    """Return the trial of each joint with one actuator, whose effort follows from its limit and
    gains, by joint.

    A joint that closes a loop moves only with the constraint of the loop, and trials are made
    without constraints.
    """
    closing = {closure.joint.name for closure in mechanism.closures}
    bodies = {
        body.joint: body
        for body in mechanism.bodies
        if body.joint is not None and body.joint not in closing
    }
    counts = Counter(item.actuator.joint for item in mechanism.actuators)
    trials: dict[str, ActuatorTrial] = {}
    for item in _acting(mechanism):
        joint = item.actuator.joint
        body = bodies.get(joint)
        if body is not None and counts[joint] == 1 and _is_plain(item, body) and _is_testable(body):
            trials[joint] = _trial(item, body)
    return trials


def untried_actuators(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the joints, or else the actuators, for which the model states an actuator and no trial
    exists.
    """
    tried = actuator_trials(mechanism)
    named = ((item.actuator.joint, item.actuator.name) for item in _acting(mechanism))
    return tuple(dict.fromkeys(joint or name for joint, name in named if joint not in tried))


def _acting(mechanism: Mechanism) -> Iterator[MechanismActuator]:
    """Yield the actuators with a law or gains, and those of joints that follow no other and have an
    effort.
    """
    followers = {mechanism.v_order[c.follower][0] for c in mechanism.couplings}
    bodies = {body.joint: body for body in reversed(mechanism.bodies)}
    for item in mechanism.actuators:
        actuator = item.actuator
        has_law = (
            bool(actuator.engine_settings)
            or actuator.p_gain is not None
            or actuator.d_gain is not None
        )
        drives = item.dof is not None and actuator.joint not in followers
        if has_law or (drives and not _has_no_effort(item, bodies.get(item.actuator.joint))):
            yield item


def _has_no_effort(item: MechanismActuator, body: Body | None) -> bool:
    """Return whether a joint states an effort limit of zero, which states nothing that can be
    simulated.
    """
    axes = [p.limits for p in body.primitives if p.limits is not None] if body is not None else []
    return item.actuator.effort == 0.0 or any(axis.effort == 0.0 for axis in axes)


def _is_plain(item: MechanismActuator, body: Body | None) -> bool:
    """Return whether the effort of an actuator of a joint follows from a limit and, if stated, both
    gains.
    """
    gains = (item.actuator.p_gain, item.actuator.d_gain)
    is_stated = all(gain is None for gain in gains) or all(gain is not None for gain in gains)
    return (
        item.dof is not None
        and not item.actuator.engine_settings
        and is_stated
        and not _has_no_effort(item, body)
    )


def _is_testable(body: Body | None) -> bool:
    """Return whether a joint is one hinge or one slide that moves as its coordinate does."""
    return (
        body is not None
        and kind_of(body) is None
        and len(body.primitives) == body.nv == 1
        and abs(body.primitives[0].ratio) == 1.0
    )


def _trial(item: MechanismActuator, body: Body) -> ActuatorTrial:
    actuator, axis = (
        item.actuator,
        body.primitives[0].limits or JointAxis(xyz=body.primitives[0].axis),
    )
    limit = min(actuator.effort, axis.effort)
    unit = limit if math.isfinite(limit) else 1.0
    p, d = actuator.p_gain, actuator.d_gain
    low, high = (axis.lower, axis.upper) if axis.lower <= axis.upper else (-math.inf, math.inf)
    return ActuatorTrial(
        limit=limit,
        commands=tuple(unit * factor for factor in _COMMANDS),
        gains=None if p is None or d is None else (p, d),
        position=float(
            np.clip(0.5 * (low + high) if math.isfinite(low + high) else 0.0, low, high)
        ),
        displacement=min(_DISPLACEMENT, 0.25 * (high - low), 0.5 * unit / p if p else math.inf),
        speed=min(_SPEED, 0.5 * unit / d if d else math.inf),
    )


@lru_cache(maxsize=1)
def bare_mechanism(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism with its actuators, without all that acts on its joints beside them."""
    smooth, stated = without_solver_effects(mechanism, damped=False).scene, mechanism.scene
    joints = {joint.name: joint for joint in stated.joints}
    return relowered(
        mechanism,
        replace(
            smooth,
            joints=tuple(_with_effort(joint, joints[joint.name]) for joint in smooth.joints),
            actuators=tuple(_without_rotor(actuator) for actuator in stated.actuators),
        ),
    )


def _with_effort(joint: Joint, stated: Joint) -> Joint:
    axes = zip(joint.axes, stated.axes, strict=True)
    return replace(joint, axes=tuple(replace(a, effort=b.effort) for a, b in axes))


def _without_rotor(actuator: Actuator) -> Actuator:
    return replace(actuator, rotor_inertia=0.0, tendon="", engine_settings=())


_AREA = 0.5
"""Area of a triangle relative to the product of two of its edges as vectors."""
_VOLUME = 1.0 / 6.0
"""Volume of a tetrahedron relative to the triple product of three of its edges."""


def hull_of_points(points: Array) -> Array | None:
    """Return the triangles of the convex hull of points, shape (m, 3, 3) [m]; None if they lie in
    one plane.

    Args:
        points: The points, shape (n, 3) [m].

    Raises:
        NotReportedError: If MuJoCo is not installed.
    """
    try:
        faces = hull_faces(points)
    except ImportError as error:
        reason = "MuJoCo, which computes the hulls of meshes, is not installed"
        raise NotReportedError(reason) from error
    return None if faces is None else points[faces]


def hull_in_mujoco(model: Any, mesh: int) -> Array | None:
    """Return the triangles of the hull with which a compiled model collides, shape (m, 3, 3) [m].

    Args:
        model: The compiled model.
        mesh: The number of the mesh.

    Returns:
        The triangles in the frame of the compiled mesh; None if the model has no hull of it.
    """
    start = int(model.mesh_graphadr[mesh])
    if start < 0:
        return None
    vertices, faces = (int(count) for count in model.mesh_graph[start : start + 2])
    last = (
        start + 2 + 3 * (vertices + faces)
    )  # two rows of vertices, then edges; the faces come after them
    numbers = model.mesh_graph[last : last + 3 * faces].reshape(faces, 3)
    first = int(model.mesh_vertadr[mesh])
    return np.asarray(model.mesh_vert[first + numbers], dtype=np.float64)


def volume_and_sensitivity(hulls: Iterable[Array]) -> Array:
    """Return the volume of closed surfaces, and by how much it changes if each moves by its extent,
    both [m^3].

    Args:
        hulls: The triangles of each surface, all in one order of corners, shape (m, 3, 3) [m].
    """
    return np.asarray(np.sum([_volume_and_sensitivity(hull) for hull in hulls], axis=0))


def _volume_and_sensitivity(hull: Array) -> Array:
    """Return the volume from tetrahedra, whose signs follow the order of corners; extent times
    area.
    """
    a, b, c = (hull - hull.reshape(-1, 3).mean(axis=0)).transpose(1, 0, 2)
    volume = _VOLUME * abs(float(np.einsum("ni,ni->n", a, np.cross(b, c)).sum()))
    area = _AREA * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    return np.array((volume, area * float(np.ptp(hull.reshape(-1, 3), axis=0).max())))


def stacked(parts: Sequence[tuple[str, Array]]) -> dict[str, Array]:
    """Return the supports of all shapes of each link, shape (n, `DIRECTIONS`).

    Args:
        parts: The link and the support of each shape.
    """
    by_link: dict[str, list[Array]] = {}
    for link, support in parts:
        by_link.setdefault(link, []).append(support)
    return {link: np.array(supports) for link, supports in by_link.items()}


PRIMITIVES = (Box, Sphere, Cylinder, Capsule, Plane)
"""Shapes that every engine has as they are."""


@lru_cache(maxsize=1)
def model_surfaces(mechanism: Mechanism) -> Surfaces:
    """Return what the scene of a mechanism states.

    Hulls are computed once. A shape that cannot be read, or a height map, has no support; its link
    is left out.
    """
    bodies = {body.name for body in mechanism.bodies}
    links = [link for link in mechanism.scene.links if link.name in bodies]
    meshes = {link.name: [_data(shape.geometry) for shape in shapes_of(link)] for link in links}
    colliding = {link.name: shapes for link in links if (shapes := shapes_of(link))}
    return Surfaces(
        supports=stacked(
            [
                (name, s)
                for name, shapes in colliding.items()
                for s in _supports(shapes, meshes[name])
            ]
        ),
        visuals={
            link.name: [visual.X_LG for visual in link.visuals]
            for link in links
            if has_drawn_poses(link)
        },
        friction={
            name: [shape.surface.friction.mu for shape in shapes]
            for name, shapes in colliding.items()
        },
        restitution={
            name: [shape.surface.restitution for shape in shapes]
            for name, shapes in colliding.items()
        },
        contact={
            name: [_contact(shape.surface) for shape in shapes]
            for name, shapes in colliding.items()
        },
        hulls={link.name: _hulls(link, meshes[link.name]) for link in links if _has_volumes(link)},
        grips={name: grip_of(shapes[0].surface) for name, shapes in colliding.items()},
        pair_friction=_listed_friction(mechanism),
    )


def _listed_friction(mechanism: Mechanism) -> dict[frozenset[str], float]:
    """Return the friction of the contact pairs of a scene, which replaces that of the shapes."""
    stated = ((pair, dict(settings_of(pair, MUJOCO))) for pair in mechanism.scene.contact_pairs)
    return {
        frozenset((pair.link_A, pair.link_B)): (
            0.0 if settings.get("condim") == "1" else float(settings["friction"].split()[0])
        )
        for pair, settings in stated
        if "friction" in settings
    }


def shapes_of(link: Link) -> list[Collision]:
    """Return the collisions of a link that have a shape."""
    return [collision for collision in link.collisions if not isinstance(collision.geometry, Empty)]


def _contact(surface: Surface) -> tuple[float, ...]:
    """Torsional and rolling friction [m], and stiffness and damping of contacts; NaN leaves both to
    the engine.
    """
    friction = surface.friction
    spring = (
        (math.nan, math.nan)
        if surface.stiffness is None
        else (surface.stiffness, surface.damping or 0.0)
    )
    return (torsional_length(friction), friction.rolling or 0.0, *spring)


def has_drawn_poses(link: Link) -> bool:
    """Return whether every visual of a link is a shape that engines draw in its own frame; a plane
    is drawn as a box.
    """
    drawn = not any(
        isinstance(visual.geometry, Plane | Heightmap | Empty) for visual in link.visuals
    )
    return bool(link.visuals) and drawn


def _has_volumes(link: Link) -> bool:
    """Return whether a link has meshes, and no shape that some engines take for a mesh."""
    kinds = {type(shape.geometry) for shape in shapes_of(link)}
    return Mesh in kinds and kinds <= {Mesh, *PRIMITIVES}


def _data(geometry: Geometry) -> MeshData | None:
    """Return the triangles of a mesh; None for other shapes, and for a mesh that cannot be read or
    has none.
    """
    data = read_mesh(geometry, Diagnostics()) if isinstance(geometry, Mesh) else None
    return data if data is not None and len(data.vertices) else None


def _hulls(link: Link, meshes: Iterable[MeshData | None]) -> list[Hull]:
    """Return the convex hulls of the solids that collide for the meshes of a link."""
    shapes = zip((shape.geometry for shape in shapes_of(link)), meshes, strict=True)
    read = [(shape, data) for shape, data in shapes if isinstance(shape, Mesh) and data is not None]
    return [
        cache(partial(hull_of_points, vertices))
        for shape, data in read
        for vertices, _ in _solids(shape, data)
    ]


def _solids(mesh: Mesh, data: MeshData) -> Iterable[Solid]:
    """Return the solids whose hulls collide for a mesh; to name and report them is the task of
    exporters.
    """
    if mesh.decomposition != PARTS and normal_if_flat(data.vertices) is None:
        return separate_hulls(mesh, data) or [(data.vertices, data.faces)]
    return collision_parts(CollisionMesh(mesh, data, mesh.uri, "", Diagnostics(), Where())).values()


def _supports(shapes: Iterable[Collision], meshes: Iterable[MeshData | None]) -> list[Array]:
    """Return the supports of the shapes of a link, of each separate part of a mesh; none if one is
    a height map or a mesh that cannot be read.
    """
    supports: list[Array] = []
    for shape, data in zip(shapes, meshes, strict=True):
        for vertices in _vertices_of_parts(shape.geometry, data):
            support = supports_of_collision(shape, vertices)
            if support is None:
                return []
            supports.append(support)
    return supports


def _vertices_of_parts(geometry: Geometry, data: MeshData | None) -> list[Array | None]:
    """Return the vertices of each separate part of a mesh; None for other shapes."""
    if not isinstance(geometry, Mesh) or data is None:
        return [None]
    if geometry.decomposition == PARTS:
        return [data.vertices]
    return [vertices for vertices, _ in separate_hulls(geometry, data)] or [data.vertices]


def is_world(mechanism: Mechanism) -> bool:
    """Return whether a scene has several models, or a model and the ground that it touches.

    PyBullet's coefficients are then chosen for the pairs that may touch.
    """
    scene = mechanism.scene
    has_ground = any(link.name == WORLD and link.collisions for link in scene.links)
    return has_ground or root_model(scene) is None
