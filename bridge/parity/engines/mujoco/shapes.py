"""Shapes, surfaces, sites and collidable pairs in MuJoCo, read from the compiled model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.geometry.shapes import (
    SupportFunction,
    half_space,
    support_function,
    supports_of,
    supports_of_points,
)
from bridge.mechanism import Mechanism
from bridge.parity.engine import Hull, Surfaces, add_violation, constraint_frames, frame_distance
from bridge.parity.readings import Pair, hull_in_mujoco, stacked
from bridge.targets.mjcf.equality import second_point_name
from loaders.engine_settings import IMPLIED, MUJOCO, RESOLVED, Grip
from loaders.model import (
    WORLD,
    BallConstraint,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Sphere,
    WeldConstraint,
    settings_of,
)
from loaders.pose import Array, Pose, quaternion_to_matrix

MAX_GEOMS = 4000
"""Number of geoms beyond which they are not counted: memory and time grow with its square."""


def touched_geoms(mujoco: Any, model: Any, solid: Sequence[bool]) -> Array:
    """Return the number of geoms that each geom may touch by bitmasks, exclusions and welds, shape
    (ngeom,); none where the model switches contacts off.

    Args:
        mujoco: The module.
        model: The ``mujoco.MjModel``.
        solid: Whether each geom counts.
    """
    if model.ngeom > MAX_GEOMS or is_off(mujoco, model, "contact"):
        return np.zeros(model.ngeom)
    mine, others = (
        np.asarray(mask, dtype=np.int64) for mask in (model.geom_contype, model.geom_conaffinity)
    )
    matching = (mine[:, None] & others[None, :]) != 0
    bodies = np.asarray(model.geom_bodyid)
    touching = (
        (matching | matching.T)
        & allowed_bodies(mujoco, model)[np.ix_(bodies, bodies)]
        & np.asarray(solid, dtype=np.bool_)
    )
    return np.asarray(touching.sum(axis=1))


def allowed_bodies(mujoco: Any, model: Any) -> NDArray[np.bool_]:
    """Return whether two bodies may touch by exclusions and welds, whatever their bitmasks, shape
    (nbody, nbody).

    Args:
        mujoco: The module.
        model: The ``mujoco.MjModel``.
    """
    weld = np.asarray(model.body_weldid)
    allowed: NDArray[np.bool_] = weld[:, None] != weld[None, :]
    if not is_off(mujoco, model, "filterparent"):
        parent = weld[np.asarray(model.body_parentid)[weld]]
        adjacent = (weld[:, None] == parent[None, :]) & (weld[:, None] != 0)
        allowed &= ~(adjacent | adjacent.T)
    one, two = np.divmod(np.asarray(model.exclude_signature, dtype=np.int64), 1 << 16)
    allowed[one, two] = allowed[two, one] = False
    return allowed


# --- MuJoCo ---------------------------------------------------------------------------------------


def is_off(mujoco: Any, model: Any, flag: str) -> bool:
    """Return whether a model switches something off, by its own flag or one that stands for it.

    Args:
        mujoco: The module.
        model: The ``mujoco.MjModel``.
        flag: Name of the flag as in MJCF.
    """
    wholes = (whole for whole, parts in IMPLIED.items() if flag in parts)
    return bool(model.opt.disableflags & _bits(mujoco, (flag, *wholes)))


def _bits(mujoco: Any, flags: Iterable[str]) -> int:
    """Return the bits of flags, as far as the version of MuJoCo has them."""
    names = (f"mjDSBL_{flag.upper()}" for flag in flags)
    return sum(int(getattr(mujoco.mjtDisableBit, name, 0)) for name in names)


def idle_actuators(mujoco: Any, model: Any) -> frozenset[int]:
    """Return the actuators that a flag or their group switches off.

    Args:
        mujoco: The module.
        model: The compiled model.
    """
    every, groups = is_off(mujoco, model, "actuation"), int(model.opt.disableactuator)
    pairs = enumerate(model.actuator_group.tolist())
    return frozenset(i for i, group in pairs if every or (group >= 0 and groups >> group & 1))


_IDLE = {
    "equality": ("flex_edgeequality",),
    "limit": ("jnt_limited", "tendon_limited"),
    "frictionloss": ("dof_frictionloss", "tendon_frictionloss"),
    "damper": ("dof_damping", "dof_dampingpoly", "tendon_damping", "tendon_dampingpoly"),
    "spring": ("jnt_stiffness", "jnt_stiffnesspoly", "tendon_stiffness", "tendon_stiffnesspoly"),
    "clampctrl": ("actuator_ctrllimited",),
}
"""Arrays of a compiled model that a flag makes idle."""
_OF_OVERRIDE = ("margin", "solref", "solimp")
"""Settings of contacts in whose place an override has its own, beside friction."""


_SMOOTH = (0.0, 0.005, 0.0001)
"""MuJoCo's coefficients of friction of a geom that slides without any."""


def acting_model(mujoco: Any, model: Any, *, is_smooth: bool = False) -> Any:
    """Return a compiled model in which zeros stand for what its flags switch off, and the override
    of contacts for those of shapes and pairs; its flags, equalities and actuators are the same.

    Args:
        mujoco: The module.
        model: The ``mujoco.MjModel``, which is returned where all acts as stated.
        is_smooth: Whether zero stands for the friction of all geoms, whatever the dimension.
    """
    idle = [name for flag in _IDLE if is_off(mujoco, model, flag) for name in _IDLE[flag]]
    has_override = model.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
    if not (idle or has_override or is_smooth):
        return model
    acting = copy(model)
    for array in (getattr(acting, name) for name in idle if hasattr(acting, name)):
        array[:] = 0
    if has_override:
        acting.pair_friction[:] = model.opt.o_friction
        acting.geom_friction[:] = model.opt.o_friction[[0, 2, 3]]
        for kind, name in product(("geom", "pair"), _OF_OVERRIDE):
            getattr(acting, f"{kind}_{name}")[:] = getattr(model.opt, f"o_{name}")
    elif is_smooth:
        acting.geom_condim[:], acting.geom_friction[:] = 3, _SMOOTH
    return acting


def acting_options(mujoco: Any, model: Any, flags: int) -> dict[str, Any]:
    """Return the options of a model that states only what acts, as `as_switched` leaves them:
    without the flags and groups that it resolves, and without a medium where no passive force acts.

    Args:
        mujoco: The module.
        model: The ``mujoco.MjModel``.
        flags: The flags in place of its ``disableflags``.
    """
    options: dict[str, Any] = {
        "disableflags": flags & ~_bits(mujoco, RESOLVED),
        "disableactuator": 0,
    }
    if is_off(mujoco, model, "damper") and is_off(mujoco, model, "spring"):
        options |= {"density": 0.0, "viscosity": 0.0, "wind": np.zeros(3)}
    return options


def has_distance_fields(mujoco: Any, model: Any) -> bool:
    """Return whether a compiled model has shapes that are signed distance fields of a plugin.

    MuJoCo 3.17 finds more contacts of them than it has room for, writes them all the same, and
    stops the process later.

    Args:
        mujoco: The package.
        model: The compiled model.
    """
    return bool((model.geom_type == int(mujoco.mjtGeom.mjGEOM_SDF)).any())


def forward(mujoco: Any, model: Any, data: Any) -> None:
    """Compute everything at a state; without contacts if the model has signed distance fields.

    Args:
        mujoco: The package.
        model: The compiled model.
        data: The state.
    """
    flags = model.opt.disableflags
    if has_distance_fields(mujoco, model):
        model.opt.disableflags = flags | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    mujoco.mj_forward(model, data)
    model.opt.disableflags = flags


def pairs_in_mujoco(mujoco: Any, model: Any, names: Mapping[int, str]) -> frozenset[Pair]:
    """Return the pairs of bodies that can collide in a compiled model, by MuJoCo's documented
    rules; none if contacts are switched off.

    Args:
        mujoco: The module.
        model: The compiled model.
        names: The link of each body id.
    """
    if is_off(mujoco, model, "contact"):
        return frozenset()
    bodies = zip(
        *(model.geom_bodyid[geoms].tolist() for geoms in (model.pair_geom1, model.pair_geom2)),
        strict=True,
    )
    explicit = {tuple(sorted(pair)) for pair in bodies}
    masks, allowed = _masks(model, names), allowed_bodies(mujoco, model)

    def collide(one: int, two: int) -> bool:
        if (one, two) in explicit:
            return True
        pairs = product(masks[one], masks[two])
        return bool(allowed[one, two]) and any(_masks_match(a, b) for a, b in pairs)

    pairs = combinations(sorted(masks), 2)
    return frozenset(frozenset((names[one], names[two])) for one, two in pairs if collide(one, two))


def _masks(model: Any, names: Mapping[int, str]) -> dict[int, set[tuple[int, int]]]:
    """``contype`` and ``conaffinity`` of the geoms of each body, also of those that collide only in
    explicit pairs.
    """
    masks: dict[int, set[tuple[int, int]]] = defaultdict(set)
    columns = (
        model.geom_bodyid.tolist(),
        model.geom_contype.tolist(),
        model.geom_conaffinity.tolist(),
    )
    for body, contype, conaffinity in zip(*columns, strict=True):
        if body in names:
            masks[body].add((contype, conaffinity))
    return masks


def _masks_match(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return bool(a[0] & b[1] or b[0] & a[1])


def site_distances(
    mujoco: Any,
    model: Any,
    mechanism: Mechanism,
    links: Mapping[int, str],
    pose_of: Callable[[int], Pose],
) -> dict[str, float]:
    """Return the distances between the sites of each constraint [m]; of welds with the angle
    between them [rad].

    A constraint is named by its links, as the scene names it; a loop by its joint. The second point
    of a hinge that closes a loop, which is on its axis, is left out: violations are those of the
    origins of frames.

    Args:
        mujoco: The module.
        model: The compiled export.
        mechanism: The mechanism.
        links: The link of each body id.
        pose_of: Returns the pose of a site in the world.
    """
    second_points = {second_point_name(closure.joint.name) for closure in mechanism.closures}
    constraints = {name.replace(", ", "_"): name for name, _ in constraint_frames(mechanism)}
    stated = (
        c for c in mechanism.scene.constraints if isinstance(c, BallConstraint | WeldConstraint)
    )
    constraints |= {
        dict(settings_of(c, MUJOCO)).get("name", ""): f"{c.link_A}, {c.link_B}"
        for c in stated
        if c.active
    }
    found: dict[str, float] = {}
    for k in range(model.neq):
        own_name = str(model.equality(k).name)
        is_of_sites = (
            model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE and own_name not in second_points
        )
        if model.eq_active0[k] and is_of_sites and not is_off(mujoco, model, "equality"):
            sites = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
            ends = ", ".join(links.get(int(model.site_bodyid[site]), WORLD) for site in sites)
            is_weld = bool(model.eq_type[k] == mujoco.mjtEq.mjEQ_WELD)
            name = constraints.get(own_name, ends)
            add_violation(found, name, frame_distance(*map(pose_of, sites), welded=is_weld))
    return found


_VISUAL_GROUP = 2
"""The group of the geoms of an export that are only drawn."""


Roles = Sequence[tuple[bool, bool]]
"""Whether each geom collides, and whether it is drawn."""


def roles_in_export(mujoco: Any, model: Any) -> Roles:
    """Return the roles of the geoms of an export, which has a geom for each role, and others for
    tendons.

    Only a plane that soft bodies touch has both roles. What may touch something collides, whatever
    it is for.

    Args:
        mujoco: The module.
        model: The compiled model.
    """
    drawn = (model.geom_group == _VISUAL_GROUP).tolist()
    wrapped = geoms_in_tendons(mujoco, model)
    touches = ((model.geom_contype != 0) | (model.geom_conaffinity != 0)).tolist()
    roles: list[tuple[bool, bool]] = []
    for g, is_drawn in enumerate(drawn):
        is_shape = g not in wrapped
        roles.append((touches[g] or (is_shape and not is_drawn), is_shape and is_drawn))
    return roles


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
    grips: dict[str, dict[Hashable, Grip]] = {}
    for g, link in drawn:
        visuals.setdefault(link, []).append(_pose_of_file(mujoco, model, g, inline))
    for g, link in solid:
        friction.setdefault(link, []).append(float(model.geom_friction[g, 0]))
        grips.setdefault(link, {})[g] = _grip(model, g)
        if int(model.geom_type[g]) == mujoco.mjtGeom.mjGEOM_MESH:
            hulls.setdefault(link, []).append(
                partial(hull_in_mujoco, model, int(model.geom_dataid[g]))
            )
    return Surfaces(
        supports=stacked([(link, support) for link, support in supports if support is not None]),
        visuals=visuals,
        friction=friction,
        hulls=hulls,
        grips=grips,
        pair_friction=_pair_friction(model),
        reasons={"contact": "MuJoCo has no coefficients of restitution, stiffness and damping"},
    )


def _pair_friction(model: Any) -> dict[frozenset[Hashable], float]:
    """Return the friction of pairs of geoms that the model lists, which replaces that of the
    geoms.
    """
    friction = np.where(model.pair_dim > 1, model.pair_friction[:, 0], 0.0)
    geoms = (model.pair_geom1.tolist(), model.pair_geom2.tolist())
    return {frozenset((a, b)): mu for a, b, mu in zip(*geoms, friction.tolist(), strict=True)}


def _grip(model: Any, g: int) -> Grip:
    mu = float(model.geom_friction[g, 0])
    return Grip(mu, int(model.geom_condim[g]), int(model.geom_priority[g]))


def geoms_in_tendons(mujoco: Any, model: Any) -> frozenset[int]:
    """Return the geoms around which tendons wrap.

    Args:
        mujoco: The module.
        model: The compiled model.
    """
    kinds = (mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER)
    is_geom = np.isin(model.wrap_type, [int(kind) for kind in kinds])
    return frozenset(model.wrap_objid[is_geom].tolist())


def _pose(model: Any, g: int) -> Pose:
    return Pose.of(quaternion_to_matrix(model.geom_quat[g]), model.geom_pos[g])


def _pose_of_file(mujoco: Any, model: Any, g: int, inline: Collection[int]) -> Pose:
    """Return the pose of a geom; for a mesh that of its file, which MuJoCo moves to the center of
    mass.
    """
    mesh = int(model.geom_dataid[g])
    if int(model.geom_type[g]) != mujoco.mjtGeom.mjGEOM_MESH or mesh in inline:
        return _pose(model, g)
    return (
        _pose(model, g)
        @ Pose.of(quaternion_to_matrix(model.mesh_quat[mesh]), model.mesh_pos[mesh]).inverse()
    )


def _supports(mujoco: Any, model: Any, g: int) -> Array | None:
    if int(model.geom_type[g]) == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = int(model.geom_dataid[g])
        start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        return supports_of_points(
            np.array(model.mesh_vert[start : start + count], dtype=np.float64), _pose(model, g)
        )
    support = _primitive(mujoco, model, g)
    return None if support is None else supports_of(support, _pose(model, g))


def _primitive(mujoco: Any, model: Any, g: int) -> SupportFunction | None:
    kind, kinds, size = (
        int(model.geom_type[g]),
        mujoco.mjtGeom,
        [float(x) for x in model.geom_size[g]],
    )
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
