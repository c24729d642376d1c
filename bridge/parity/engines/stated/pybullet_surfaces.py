"""Shapes and surfaces of the bodies that run in PyBullet."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from bridge.bullet import PyBulletBody
from bridge.bullet.client.replies import DynamicsInfo, named
from bridge.bullet.simulation.state import pose_from
from bridge.geometry.support import SupportFunction, half_space, support_function, supports_of, supports_of_points
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import Box, Capsule, Cylinder, Link, Mesh, Sphere
from loaders.spatial import Array, Pose

from .hulls import hull_of_points
from .model_surfaces import model_surfaces, shapes_of
from .shapes import Hull, Surfaces, stacked


def surfaces_in_pybullet(pybullet: Any, client: int, bodies: Sequence[PyBulletBody], mechanism: Mechanism) -> Surfaces:
    """Return the readings of running bodies.

    PyBullet has one coefficient of friction for each of its links, that is for all shapes of the links that are merged
    in it.

    Args:
        pybullet: The module.
        client: The physics server.
        bodies: The bodies.
        mechanism: The mechanism that they hold.
    """
    links = {link.name: link for link in mechanism.scene.links}
    stated = model_surfaces(mechanism).supports
    supports: list[tuple[str, Array]] = []
    visuals: dict[str, list[Pose]] = {}
    friction: dict[str, Sequence[float]] = {}
    restitution: dict[str, float] = {}
    contact: dict[str, Sequence[float]] = {}
    hulls: dict[str, list[Hull]] = {}
    unread: list[str] = []
    for body in bodies:
        drawn = pybullet.getVisualShapeData(int(body), physicsClientId=client)
        for index, names in _merged(body).items():
            stands_still = any(mechanism.weld_group_of(name) == ROOT for name in names)
            read = list(_supports(pybullet, client, body, index, stands_still=stands_still))
            found = [shape for shape in read if shape is not None]
            with_shapes = [name for name in names if shapes_of(links[name])]
            unread += with_shapes if len(found) < len(read) else []
            for name, support in zip(_owners(found, with_shapes, links, stated, body), found, strict=True):
                supports.append((name, _in_link(support, body, name)))
                if not callable(support[0]):
                    hulls.setdefault(name, []).append(partial(hull_of_points, support[0]))
            dynamics = named(DynamicsInfo, pybullet.getDynamicsInfo(int(body), index, physicsClientId=client))
            for name in with_shapes:
                friction[name] = [float(dynamics.lateral_friction)] * len(shapes_of(links[name]))
                restitution[name] = float(dynamics.restitution)
                contact[name] = _contact(dynamics)
            poses = [pose_from(visual[5], visual[6]) for visual in drawn if visual[1] == index]
            visuals |= _visuals(poses, [links[name] for name in names if links[name].visuals], body)
    return Surfaces(
        supports=stacked(supports), visuals=visuals, friction=friction, restitution=restitution, contact=contact,
        hulls=hulls, unread=unread,
    )  # fmt: skip


def _contact(dynamics: DynamicsInfo) -> tuple[float, ...]:
    """Torsional and rolling friction [m], stiffness and damping of contacts; NaN for what PyBullet chooses."""
    spring = (dynamics.contact_stiffness, dynamics.contact_damping)
    return (dynamics.spinning_friction, dynamics.rolling_friction, *(x if x >= 0.0 else math.nan for x in spring))


def _merged(body: PyBulletBody) -> dict[int, list[str]]:
    """The links of the scene by PyBullet's index."""
    stated = {link.name for link in body.mechanism.scene.links}
    by_index: dict[int, list[str]] = {}
    for name, index in body.links.items():
        if name in stated:
            by_index.setdefault(index, []).append(name)
    return by_index


# --- visual shapes ---------------------------------------------------------------------------------------------------


def _visuals(poses: Sequence[Pose], links: Sequence[Link], body: PyBulletBody) -> dict[str, list[Pose]]:
    """The poses of the visual shapes of links that share one PyBullet link; each belongs to the link that it fits."""
    found: dict[str, list[Pose]] = {}
    X_LS = {link.name: _segment_pose(body, link.name).inverse() for link in links}
    stated = {link.name: np.array([visual.X_LG.to_vector() for visual in link.visuals]) for link in links}
    for X_SG in poses:
        placed = {name: X @ X_SG for name, X in X_LS.items()}
        if placed:
            name = min(placed, key=lambda name: _misfit(placed[name], stated[name]))
            found.setdefault(name, []).append(placed[name])
    return found


def _misfit(X_LG: Pose, stated: Array) -> float:
    """Return how far a pose is from the nearest one of some.

    Args:
        X_LG: The pose.
        stated: The others as vectors of positions [m] and quaternions, shape (n, 7).
    """
    return float(np.abs(stated - X_LG.to_vector()).max(axis=1).min())


def _segment_pose(body: PyBulletBody, link: str) -> Pose:
    """The pose of a link in the PyBullet link that carries it."""
    return body.state.articulation.link_segments[link][1]


# --- collision shapes ------------------------------------------------------------------------------------------------


def _owners(
    found: Sequence[tuple[Array | SupportFunction, Pose]],
    names: Sequence[str],
    links: dict[str, Link],
    stated: dict[str, Array] | Any,
    body: PyBulletBody,
) -> list[str]:
    """The link of each shape of a PyBullet link: in order, or the one that it fits if a mesh became several shapes."""
    in_order = [name for name in names for _ in shapes_of(links[name])]
    if len(in_order) == len(found):
        return in_order
    if not names:
        return [next(iter(body.links))] * len(found)
    return [min(names, key=lambda name: _distance(_in_link(shape, body, name), stated.get(name))) for shape in found]


def _distance(support: Array, stated: Array | None) -> float:
    """Return how far a shape reaches beyond those of a link [m]."""
    return np.inf if stated is None else float((support - stated.max(axis=0)).max())


def _in_link(shape: tuple[Array | SupportFunction, Pose], body: PyBulletBody, link: str) -> Array:
    """The support of a shape in the frame of a link, given it in that of the PyBullet link."""
    form, X_SG = shape
    X_LG = _segment_pose(body, link).inverse() @ X_SG
    return supports_of(form, X_LG) if callable(form) else supports_of_points(form, X_LG)


def _supports(
    pybullet: Any, client: int, body: PyBulletBody, index: int, *, stands_still: bool
) -> Iterator[tuple[Array | SupportFunction, Pose] | None]:
    """Yield points or support function of each shape, and its pose in the PyBullet link; None if it is not shown."""
    X_SI = body.state.inertial_pose(index)
    for k, shape in enumerate(pybullet.getCollisionShapeData(int(body), index, physicsClientId=client)):
        if shape[2] == pybullet.GEOM_MESH and stands_still:
            # PyBullet keeps no vertices of such a mesh, and prints a question mark if it is asked; it names the file.
            points = _points_of_file(shape[4].decode(), shape[3])
            yield None if points is None else (points, X_SI @ pose_from(shape[5], shape[6]))
            continue
        if shape[2] == pybullet.GEOM_MESH:  # its vertices are given in the inertial frame of the link
            _, vertices = pybullet.getMeshData(int(body), index, k, physicsClientId=client)
            if len(vertices):
                yield np.array(vertices, dtype=np.float64), X_SI
            continue
        support = _primitive(pybullet, shape[2], shape[3])
        if support is not None:
            yield support, X_SI @ pose_from(shape[5], shape[6])


def _points_of_file(path: str, scale: Sequence[float]) -> Array | None:
    """The vertices in a file that PyBullet has loaded, shape (n, 3) [m]; None if it is gone or cannot be read."""
    mesh = Mesh(uri=path, path=path if os.path.isfile(path) else None, scale=(scale[0], scale[1], scale[2]))
    data = read_mesh(mesh, Diagnostics())
    return None if data is None else data.vertices


def _primitive(pybullet: Any, kind: int, size: Sequence[float]) -> SupportFunction | None:
    if kind == pybullet.GEOM_SPHERE:
        return support_function(Sphere(radius=size[0]))
    if kind == pybullet.GEOM_BOX:
        return support_function(Box(size=(size[0], size[1], size[2])))
    if kind == pybullet.GEOM_CYLINDER:
        return support_function(Cylinder(radius=size[1], length=size[0]))
    if kind == pybullet.GEOM_CAPSULE:
        return support_function(Capsule(radius=size[1], length=size[0]))
    return half_space(np.array(size)) if kind == pybullet.GEOM_PLANE else None
