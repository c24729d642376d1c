"""Shapes and surfaces of a compiled MuJoCo model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from bridge.geometry.support import SupportFunction, half_space, support_function, supports_of, supports_of_points
from loaders.model import Box, Capsule, Cylinder, Ellipsoid, Geometry, Sphere
from loaders.spatial import Array, Pose, quaternion_to_matrix

from .hulls import hull_in_mujoco
from .shapes import Hull, Surfaces, stacked

_VISUAL_GROUP = 2
"""The group of the geoms of an export that are only drawn."""


Roles = Sequence[tuple[bool, bool]]
"""Whether each geom collides, and whether it is drawn."""


def roles_in_export(mujoco: Any, model: Any) -> Roles:
    """Return the roles of the geoms of an export, which has a geom for each role, and others for tendons.

    Only a plane that soft bodies touch has both roles. What may touch something collides, whatever it is for.

    Args:
        mujoco: The module.
        model: The compiled model.
    """
    drawn = (model.geom_group == _VISUAL_GROUP).tolist()
    wrapped = geoms_in_tendons(mujoco, model)
    touches = ((model.geom_contype != 0) | (model.geom_conaffinity != 0)).tolist()
    return [
        (touches[g] or (g not in wrapped and not is_drawn), g not in wrapped and is_drawn)
        for g, is_drawn in enumerate(drawn)
    ]


def surfaces_in_mujoco(
    mujoco: Any, model: Any, links: Mapping[int, str], roles: Roles, inline: Collection[int] = ()
) -> Surfaces:
    """Return the readings of a compiled model.

    Args:
        mujoco: The module.
        model: The compiled model.
        links: The link of each body id.
        roles: Whether each geom collides, and whether it is drawn.
        inline: The meshes without a file, whose frame is that which MuJoCo chooses.
    """
    shapes = [(g, int(model.geom_bodyid[g])) for g in range(model.ngeom)]
    geoms = [(g, links[body]) for g, body in shapes if body in links]
    solid = [(g, link) for g, link in geoms if roles[g][0]]
    drawn = [(g, link) for g, link in geoms if roles[g][1]]
    supports = [(link, _supports(mujoco, model, g)) for g, link in solid]
    visuals: dict[str, list[Pose]] = {}
    friction: dict[str, list[float]] = {}
    hulls: dict[str, list[Hull]] = {}
    for g, link in drawn:
        visuals.setdefault(link, []).append(_pose_of_file(mujoco, model, g, inline))
    for g, link in solid:
        friction.setdefault(link, []).append(float(model.geom_friction[g, 0]))
        if int(model.geom_type[g]) == mujoco.mjtGeom.mjGEOM_MESH:
            hulls.setdefault(link, []).append(partial(hull_in_mujoco, model, int(model.geom_dataid[g])))
    return Surfaces(
        supports=stacked([(link, support) for link, support in supports if support is not None]),
        visuals=visuals, friction=friction, hulls=hulls, pair_friction=_pair_friction(model, links),
    )  # fmt: skip


def _pair_friction(model: Any, links: Mapping[int, str]) -> dict[frozenset[str], float]:
    """Return the friction of pairs of geoms that the model lists, which replaces that of the geoms."""
    bodies = (model.geom_bodyid[geoms].tolist() for geoms in (model.pair_geom1, model.pair_geom2))
    listed = zip(*bodies, model.pair_friction[:, 0].tolist(), strict=True)
    return {frozenset((links[a], links[b])): mu for a, b, mu in listed if a in links and b in links}


def geoms_in_tendons(mujoco: Any, model: Any) -> frozenset[int]:
    """Return the geoms around which tendons wrap.

    Args:
        mujoco: The module.
        model: The compiled model.
    """
    kinds = (mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER)
    return frozenset(int(g) for g in model.wrap_objid[np.isin(model.wrap_type, [int(kind) for kind in kinds])])


def _pose(model: Any, g: int) -> Pose:
    return Pose.of(quaternion_to_matrix(model.geom_quat[g]), model.geom_pos[g])


def _pose_of_file(mujoco: Any, model: Any, g: int, inline: Collection[int]) -> Pose:
    """The pose of a geom; for a mesh that of its file, which MuJoCo moves to the center of mass."""
    mesh = int(model.geom_dataid[g])
    if int(model.geom_type[g]) != mujoco.mjtGeom.mjGEOM_MESH or mesh in inline:
        return _pose(model, g)
    return _pose(model, g) @ Pose.of(quaternion_to_matrix(model.mesh_quat[mesh]), model.mesh_pos[mesh]).inverse()


def _supports(mujoco: Any, model: Any, g: int) -> Array | None:
    if int(model.geom_type[g]) == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = int(model.geom_dataid[g])
        start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        return supports_of_points(np.array(model.mesh_vert[start : start + count], dtype=np.float64), _pose(model, g))
    support = _primitive(mujoco, model, g)
    return None if support is None else supports_of(support, _pose(model, g))


def _primitive(mujoco: Any, model: Any, g: int) -> SupportFunction | None:
    kind, kinds, size = int(model.geom_type[g]), mujoco.mjtGeom, [float(x) for x in model.geom_size[g]]
    if kind == kinds.mjGEOM_PLANE:
        return half_space(np.array((0.0, 0.0, 1.0)))
    shapes: dict[int, Geometry] = {
        int(kinds.mjGEOM_SPHERE): Sphere(radius=size[0]),
        int(kinds.mjGEOM_CAPSULE): Capsule(radius=size[0], length=2.0 * size[1]),
        int(kinds.mjGEOM_CYLINDER): Cylinder(radius=size[0], length=2.0 * size[1]),
        int(kinds.mjGEOM_ELLIPSOID): Ellipsoid(radii=(size[0], size[1], size[2])),
        int(kinds.mjGEOM_BOX): Box(size=(2.0 * size[0], 2.0 * size[1], 2.0 * size[2])),
    }
    return support_function(shapes[kind]) if kind in shapes else None
