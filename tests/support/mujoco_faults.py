"""Faults in a compiled MuJoCo model, each with the level and the quantity that must show it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.parity.engine import moving_links, scalar_dofs
from bridge.parity.engines.mujoco.engine import MujocoEngine
from loaders.pose import rotation_about

Plant = Callable[[Any, np.random.Generator], set[str] | None]
"""Changes an open engine; returns the links or joints of which the report must name one, or None if
not applicable.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A kind of fault.

    Attributes:
        quantity: The quantity that must differ.
        plant: Changes an open engine.
        level: The level of that quantity.
    """

    quantity: str
    plant: Plant
    level: str = "L0"


def pick(things: list[Any], rng: np.random.Generator) -> Any:
    """Return one of the things, or None if there is none."""
    return things[int(rng.integers(len(things)))] if things else None


# --- places ---------------------------------------------------------------------------------------


def _links(engine: MujocoEngine) -> list[tuple[str, int]]:
    """The moving links with mass, each with its MuJoCo body."""
    moving = moving_links(engine.mechanism)
    pairs = zip(engine.mechanism.bodies, engine._indices, strict=True)
    return [
        (b.name, i.body)
        for b, i in pairs
        if b.name in moving and b.inertia.mass > 1e-3 and not i.beyond
    ]


def _joints(engine: MujocoEngine, **wanted: bool) -> list[tuple[str, int]]:
    """The joints of one hinge or slide that carry mass, each with its MuJoCo joint."""
    carrying = {name for name, _ in _links(engine)}
    found = []
    for dof, scalar in scalar_dofs(engine.mechanism).items():
        body = engine.mechanism.bodies[scalar.body]
        limited = bool(engine.model.jnt_limited[engine._joint(scalar)])
        if (
            len(body.primitives) == 1
            and body.name in carrying
            and wanted.get("limited", limited) == limited
        ):
            found.append((dof[0], engine._joint(scalar)))
    return found


def _on_body(change: Callable[[Any, int, np.random.Generator], bool | None]) -> Plant:
    def plant(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
        names = {body.name: {body.name, str(body.joint)} for body in engine.mechanism.bodies}
        candidates = _links(engine)
        rng.shuffle(candidates)
        return next(
            (
                names[str(n)]
                for n, b in candidates
                if change(engine.model, int(b), rng) is not False
            ),
            None,
        )

    return plant


def _on_joint(change: Callable[[Any, int], None], **wanted: bool) -> Plant:
    def plant(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
        chosen = pick(_joints(engine, **wanted), rng)
        if chosen is None:
            return None
        change(engine.model, chosen[1])
        names = {str(b.joint): {b.name, str(b.joint)} for b in engine.mechanism.bodies}
        return names[chosen[0]]

    return plant


def _on_geom(
    change: Callable[[Any, int], bool | None], drawn: bool = False, mesh: bool | None = False
) -> Plant:
    def plant(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
        m = engine.model
        links = {
            i.body: b.name for b, i in zip(engine.mechanism.bodies, engine._indices, strict=True)
        }
        geoms = [
            g
            for g in range(m.ngeom)
            if int(m.geom_bodyid[g]) in links and bool(m.geom_group[g] == 2) is drawn
        ]
        if mesh is not None:
            geoms = [
                g for g in geoms if (int(m.geom_type[g]) == 7) is mesh and int(m.geom_type[g]) > 1
            ]
        rng.shuffle(geoms)
        chosen = next((g for g in geoms if change(m, int(g)) is not False), None)
        return None if chosen is None else _users(engine, chosen, links)

    return plant


def _users(engine: MujocoEngine, geom: int, links: Mapping[int, str]) -> set[str]:
    """The link of a geom; for a mesh all links that share it."""
    m = engine.model
    mesh = int(m.geom_dataid[geom])
    shared = [
        g
        for g in range(m.ngeom)
        if mesh >= 0 and int(m.geom_dataid[g]) == mesh and int(m.geom_type[g]) == 7
    ]
    return {links[int(m.geom_bodyid[g])] for g in (geom, *shared)}


def _on_model(change: Callable[[Any], None], name: str = "world") -> Plant:
    def plant(engine: MujocoEngine, _rng: np.random.Generator) -> set[str] | None:
        change(engine.model)
        return (
            {name}
            if name != "any"
            else {*moving_links(engine.mechanism), *(d[0] for d in engine.mechanism.v_order)}
        )

    return plant


# --- changes --------------------------------------------------------------------------------------


def _multiply(array: str, factor: float, index: Any = ...) -> Callable[..., None]:
    def change(model: Any, number: int, *_: Any) -> None:
        getattr(model, array)[number][index] = getattr(model, array)[number][index] * factor

    return change


def _scale(array: str, factor: float) -> Callable[..., None]:
    def change(model: Any, number: int, *_: Any) -> None:
        getattr(model, array)[number] *= factor

    return change


def _shift(array: str, by: float, column: int = 0) -> Callable[..., None]:
    def change(model: Any, number: int, *_: Any) -> None:
        getattr(model, array)[number, column] += by

    return change


def _add(array: str, by: float) -> Callable[..., None]:
    def change(model: Any, joint: int, *_: Any) -> None:
        getattr(model, array)[model.jnt_dofadr[joint]] += by

    return change


def _turned(wxyz: Any, angle: float) -> list[float]:
    from loaders.pose import matrix_to_quaternion, quaternion_to_matrix

    axis = np.array((0.6, 0.0, 0.8))
    return list(matrix_to_quaternion(quaternion_to_matrix(wxyz) @ rotation_about(axis, angle)))


def _turn(array: str, angle: float) -> Callable[..., None]:
    def change(model: Any, number: int, *_: Any) -> None:
        getattr(model, array)[number] = _turned(getattr(model, array)[number], angle)

    return change


def _turn_inertia(model: Any, body: int, _rng: object) -> bool:
    moments = model.body_inertia[body]
    if np.ptp(moments) < 1e-2 * moments.max():
        return False
    model.body_iquat[body] = _turned(model.body_iquat[body], 0.2)
    return True


def _tilt_axis(model: Any, joint: int) -> None:
    axis = model.jnt_axis[joint]
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    model.jnt_axis[joint] = axis * math.cos(8.7e-4) + across * math.sin(8.7e-4)


def _unlimited(model: Any, joint: int) -> None:
    model.jnt_limited[joint] = 0


def _effort(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
    chosen = pick([(n, j) for n, j in _joints(engine) if engine.model.jnt_actfrclimited[j]], rng)
    if chosen is None:
        return None
    engine.model.jnt_actfrcrange[chosen[1]] *= 2.0
    return {chosen[0]}


def _start_elsewhere(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
    bodies = zip(engine.mechanism.bodies, engine._indices, strict=True)
    chosen = pick(
        [(b, i) for b, i in bodies if b.primitives and kind_of(b) is PrimitiveKind.FREE], rng
    )
    if chosen is None:
        return None
    m = engine.model
    start = (
        m.qpos0 if engine._initial_key is None else m.key_qpos[engine._initial_key]
    )  # where the engine starts
    start[m.jnt_qposadr[chosen[1].joints[0]]] += 0.01
    return {chosen[0].name}


def _no_collisions(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
    m = engine.model
    pairs = [tuple(pair) for pair in engine.mechanism.collidable_pairs() if len(pair) == 2]
    moving = {
        tuple(sorted(p))
        for p in pairs
        if engine.mechanism.weld_group_of(p[0]) != engine.mechanism.weld_group_of(p[1])
    }
    chosen = pick(sorted(moving), rng)
    if chosen is None or m.npair:
        return None
    bodies = {b.name: i.body for b, i in zip(engine.mechanism.bodies, engine._indices, strict=True)}
    for g in range(m.ngeom):
        if int(m.geom_bodyid[g]) == bodies[chosen[0]]:
            m.geom_contype[g] = m.geom_conaffinity[g] = 0
    return {chosen[0]}


def _no_exclude(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
    m = engine.model
    names = {i.body: b.name for b, i in zip(engine.mechanism.bodies, engine._indices, strict=True)}
    chosen = pick(list(range(m.nexclude)), rng)
    if chosen is None:
        return None
    found = {names.get(x, "") for x in divmod(int(m.exclude_signature[chosen]), 1 << 16)}
    before = engine.collidable_pairs()
    m.exclude_signature[chosen] = 0
    return found if engine.collidable_pairs() != before else None


def _couplings(engine: MujocoEngine) -> list[tuple[int, str]]:
    m, order = engine.model, engine.mechanism.v_order
    names = {engine._joint(s): d[0] for d, s in scalar_dofs(engine.mechanism).items()}
    followers = {order[c.follower][0] for c in engine.mechanism.couplings}
    rows = [
        (k, names.get(int(m.eq_obj1id[k]), ""))
        for k in range(m.neq)
        if m.eq_type[k] == 2 and m.eq_obj2id[k] >= 0
    ]
    return [(k, name) for k, name in rows if name in followers]


def _coupling(column: int, change: Callable[[float], float]) -> Plant:
    def plant(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
        chosen = pick(_couplings(engine), rng)
        if chosen is None:
            return None
        engine.model.eq_data[chosen[0], column] = change(
            float(engine.model.eq_data[chosen[0], column])
        )
        return {chosen[1]}

    return plant


def _moved_site(engine: MujocoEngine, _rng: np.random.Generator) -> set[str] | None:
    m = engine.model
    loops = [k for k in range(m.neq) if m.eq_objtype[k] == 6]
    if not loops or not engine.violations():
        return None
    m.site_pos[m.eq_obj1id[loops[0]], 0] += 1e-3
    m.site_sameframe[:] = 0
    return set(engine.violations())


def _unflagged(engine: MujocoEngine, _rng: np.random.Generator) -> set[str] | None:
    engine.model.opt.disableflags |= int(engine._mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    return {*(d[0] for d in engine.mechanism.v_order)}


def _spring(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
    stiff = [(n, j) for n, j in _joints(engine) if engine.model.jnt_stiffness[j] > 0.0]
    chosen = pick(stiff, rng)
    if chosen is None:
        return None
    engine.model.jnt_stiffness[chosen[1]] *= 1.01
    return {chosen[0]}


def _spring_reference(engine: MujocoEngine, rng: np.random.Generator) -> set[str] | None:
    chosen = pick([(n, j) for n, j in _joints(engine) if engine.model.jnt_stiffness[j] > 0.0], rng)
    if chosen is None:
        return None
    engine.model.qpos_spring[engine.model.jnt_qposadr[chosen[1]]] += 0.01
    return {chosen[0]}


def _dense(model: Any) -> None:
    model.opt.density = 1.2
    model.opt.viscosity = 0.1


def _step(model: Any) -> None:
    model.opt.timestep *= 2.0


def _gravity(model: Any) -> None:
    model.opt.gravity[0] += 1e-3


def _stiffness(model: Any, joint: int) -> None:
    model.jnt_stiffness[joint] += 1.0


def _body_of(change: Callable[..., None]) -> Callable[[Any, int], None]:
    """Apply a change to the body of a joint."""
    return lambda model, joint: change(model, int(model.jnt_bodyid[joint]))


def _higher_limit(model: Any, joint: int) -> None:
    model.jnt_range[joint, 1] += 0.01 * float(np.ptp(model.jnt_range[joint]))


def _larger_mesh(model: Any, geom: int) -> None:
    mesh = int(model.geom_dataid[geom])
    start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    model.mesh_vert[start : start + count] *= 1.001


FAULTS: Mapping[str, Fault] = {
    "mass +1 %": Fault(quantity="mass", plant=_on_body(_scale("body_mass", 1.01))),
    "center of mass moved 0.5 mm": Fault(
        quantity="center of mass", plant=_on_body(_shift("body_ipos", 5e-4))
    ),
    "a moment of inertia +1 %": Fault(
        quantity="inertia", plant=_on_body(_multiply("body_inertia", 1.01, 0))
    ),
    "an inertia turned": Fault(quantity="inertia", plant=_on_body(_turn_inertia)),
    "a link moved 1 mm": Fault(
        quantity="joint motion", plant=_on_joint(_body_of(_shift("body_pos", 1e-3)))
    ),
    "a link turned 1 mrad": Fault(
        quantity="joint motion", plant=_on_joint(_body_of(_turn("body_quat", 1e-3)))
    ),
    "an axis flipped": Fault(quantity="joint motion", plant=_on_joint(_scale("jnt_axis", -1.0))),
    "an axis tilted 0.05 degrees": Fault(quantity="joint motion", plant=_on_joint(_tilt_axis)),
    "a limit moved 1 %": Fault(quantity="limits", plant=_on_joint(_higher_limit, limited=True)),
    "limits removed": Fault(quantity="limits", plant=_on_joint(_unlimited, limited=True)),
    "damping +0.1": Fault(quantity="damping", plant=_on_joint(_add("dof_damping", 0.1))),
    "dry friction +0.1": Fault(quantity="friction", plant=_on_joint(_add("dof_frictionloss", 0.1))),
    "stops ten times softer": Fault(
        quantity="compliance of stops", plant=_on_joint(_scale("jnt_solref", 10.0), limited=True)
    ),
    "effort limit doubled": Fault(quantity="effort limits", plant=_effort),
    "gravity tilted": Fault(quantity="gravity", plant=_on_model(_gravity)),
    "time step doubled": Fault(quantity="time step", plant=_on_model(_step)),
    "a base starts 1 cm away": Fault(quantity="initial poses", plant=_start_elsewhere),
    "a shape 1 % longer": Fault(quantity="shapes", plant=_on_geom(_scale("geom_size", 1.01))),
    "a shape moved 1 mm": Fault(quantity="shapes", plant=_on_geom(_shift("geom_pos", 1e-3))),
    "a mesh 0.1 % larger": Fault(quantity="meshes", plant=_on_geom(_larger_mesh, mesh=True)),
    "a mesh moved 1 mm": Fault(
        quantity="meshes", plant=_on_geom(_shift("geom_pos", 1e-3), mesh=True)
    ),
    "friction of a shape halved": Fault(
        quantity="friction of shapes", plant=_on_geom(_multiply("geom_friction", 0.5, 0), mesh=None)
    ),
    "a drawing moved 1 mm": Fault(
        quantity="visual shapes", plant=_on_geom(_shift("geom_pos", 1e-3), drawn=True, mesh=None)
    ),
    "a drawing turned": Fault(
        quantity="visual shapes", plant=_on_geom(_turn("geom_quat", 0.1), drawn=True, mesh=None)
    ),
    "a mimic sign": Fault(quantity="couplings", plant=_coupling(1, lambda x: -x)),
    "a mimic offset": Fault(quantity="couplings", plant=_coupling(0, lambda x: x + 1e-3)),
    "rotor inertia 1e-4": Fault(
        quantity="mass matrix", level="L1", plant=_on_joint(_add("dof_armature", 1e-4))
    ),
    "gravity switched off": Fault(quantity="bias forces", level="L1", plant=_unflagged),
    "a loop's end moved 1 mm": Fault(
        quantity="constraint violation", level="L1", plant=_moved_site
    ),
    "a link without collisions": Fault(
        quantity="collidable pairs", level="L1", plant=_no_collisions
    ),
    "a filter removed": Fault(quantity="collidable pairs", level="L1", plant=_no_exclude),
    "a spring added": Fault(quantity="one step", level="L2", plant=_on_joint(_stiffness)),
    "a spring 1 % stiffer": Fault(quantity="one step", level="L2", plant=_spring),
    "a spring's rest moved": Fault(quantity="one step", level="L2", plant=_spring_reference),
    "air": Fault(quantity="one step", level="L2", plant=_on_model(_dense, "any")),
}
"""The kinds of faults by name."""
