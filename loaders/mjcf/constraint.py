"""equality, tendon and contact."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from loaders.engine_settings import MUJOCO
from loaders.model import (
    WORLD,
    BallConstraint,
    Constraint,
    ContactPair,
    Coupling,
    CouplingLaw,
    EngineElement,
    FilterGroup,
    FilterRule,
    Link,
    Settings,
    Tendon,
    TendonPart,
    TendonPartType,
    WeldConstraint,
    of_engine,
)
from loaders.pose import IDENTITY, Array, Pose, frozen

from .body import reference_of
from .compiled_model import Source
from .settings import pair_effects, solver, tendon_settings, text_of, unless


def read_excludes(source: Source) -> tuple[tuple[FilterGroup, ...], tuple[FilterRule, ...]]:
    """Return a group for each link that an ``<exclude>`` names, and a rule for each
    ``<exclude>``.
    """
    groups: dict[str, FilterGroup] = {}
    rules = []
    for i, signature in enumerate(source.model.exclude_signature):
        where = source.where("exclude", i)
        a, b = source.link(signature >> 16), source.link(signature & 0xFFFF)
        for name in (a, b):
            groups.setdefault(name, FilterGroup(name=name, links=(name,), where=where))
        rules.append(FilterRule(a=a, b=b, where=where))
    return tuple(groups.values()), tuple(rules)


def read_pairs(links: Iterable[Link], source: Source) -> tuple[ContactPair, ...]:
    """Return the contact pairs of a model.

    Args:
        links: The links. A pair is left out if one of its geoms is not among their collisions,
            which was reported.
        source: The compiled model.
    """
    if not source.model.npair:
        return ()
    collisions = {(link.name, collision.name) for link in links for collision in link.collisions}
    pairs = (_pair(i, source) for i in range(source.model.npair))
    return tuple(
        p for p in pairs if {(p.link_A, p.collision_A), (p.link_B, p.collision_B)} <= collisions
    )


def _pair(i: int, source: Source) -> ContactPair:
    model, names = source.model, source.names("geom")
    a, b = int(model.pair_geom1[i]), int(model.pair_geom2[i])
    settings = [
        ("condim", text_of(model.pair_dim[i])),
        ("friction", text_of(model.pair_friction[i])),
        *solver(model.pair_solref[i], model.pair_solimp[i]),
        *unless("solreffriction", model.pair_solreffriction[i], [0.0, 0.0]),
        *unless("margin", model.pair_margin[i], 0.0),
        *unless("gap", model.pair_gap[i], 0.0),
        *pair_effects(i, model),
    ]
    return ContactPair(
        link_A=source.link(int(model.geom_bodyid[a])),
        collision_A=names[a],
        link_B=source.link(int(model.geom_bodyid[b])),
        collision_B=names[b],
        engine_settings=of_engine(MUJOCO, tuple(settings)),
        where=source.where("pair", i),
    )


_Coupling, _BallConstraint, _WeldConstraint = (Coupling, BallConstraint, WeldConstraint)
_CONNECT, _WELD, _JOINT, _TENDON = range(4)
_DEGREE = 4
_AXES = 3
"""Number of the indices of a cell of a soft body."""


def read_constraints(source: Source) -> tuple[Constraint, ...]:
    """Return the connected points and the welds."""
    readers: dict[int, Callable[[int, Source], Constraint]] = {_CONNECT: _connect, _WELD: _weld}
    kinds = enumerate(source.model.eq_type)
    return tuple(readers[kind](i, source) for i, kind in kinds if kind in readers)


def read_couplings(source: Source) -> tuple[Coupling, ...]:
    """Return the couplings of two joints that are switched on."""
    return tuple(_coupling(i, source) for i in range(source.model.neq) if _is_coupling(i, source))


def read_equality_elements(source: Source) -> tuple[EngineElement, ...]:
    """Return the equalities for which a scene has no item, such as those of one joint, of tendons
    and soft bodies.
    """
    kinds = enumerate(source.model.eq_type)
    others = (
        i for i, kind in kinds if kind not in {_CONNECT, _WELD} and not _is_coupling(i, source)
    )
    return tuple(_element(i, source) for i in others)


def _is_coupling(i: int, source: Source) -> bool:
    model = source.model
    return bool(model.eq_type[i] == _JOINT and model.eq_obj2id[i] >= 0 and model.eq_active0[i])


def _element(i: int, source: Source) -> EngineElement:
    """Return an equality as an element of MuJoCo."""
    model = source.model
    tag = source.compiled.names["mjtEq"][int(model.eq_type[i])].removeprefix("mjEQ_").lower()
    kind, numbered = ("flex", "") if tag.startswith("flex") else (tag, "1")
    items = [(f"{kind}{numbered}", int(model.eq_obj1id[i])), (f"{kind}2", int(model.eq_obj2id[i]))]
    data: Settings = ()
    if tag == "joint":
        data = (("polycoef", text_of(_about_zero(i, model))),)
    elif tag == "tendon":
        data = (("polycoef", text_of(model.eq_data[i][: _DEGREE + 1])),)
    elif tag == "flexstrain":
        data = (("cell", text_of(model.eq_data[i][:_AXES])),)
    return EngineElement(
        engine=MUJOCO,
        name=source.names("eq")[i],
        section="equality",
        tag=tag,
        settings=(
            *data,
            *solver(model.eq_solref[i], model.eq_solimp[i]),
            *(() if model.eq_active0[i] else (("active", "false"),)),
        ),
        references=tuple((key, source.names(kind)[item]) for key, item in items if item >= 0),
        where=source.where("eq", i),
    )


def _about_zero(i: int, model: Any) -> Array:
    """Return the coefficients of the position of a joint as a polynomial of that of another, or of
    nothing.
    """
    a, b = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    reference = 0.0 if b < 0 else reference_of(b, model)
    coefficients = shifted(model.eq_data[i][: _DEGREE + 1], -reference)
    coefficients[0] += reference_of(a, model)
    return coefficients


def shifted(coefficients: Array, offset: float) -> Array:
    """Return the coefficients of ``p(x + offset)``, for a polynomial p of degree four.

    Args:
        coefficients: The coefficients of p, from the constant.
        offset: The offset.
    """
    if offset == 0.0:
        return np.array(coefficients)
    n = len(coefficients)
    matrix = np.zeros((n, n))
    for j in range(n):
        for k in range(j, n):
            matrix[j, k] = math.comb(k, j) * offset ** (k - j)
    return matrix @ coefficients


def _coupling(i: int, source: Source) -> Coupling:
    """Return a coupling of joint positions: ``q1 - ref1`` is a polynomial of ``q2 - ref2``."""
    model = source.model
    a, b = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    law = CouplingLaw.of(_about_zero(i, model))
    return _Coupling(
        follower=source.names("joint")[a],
        leader=source.names("joint")[b],
        multiplier=law.multiplier,
        offset=law.offset,
        higher=law.higher,
        engine_settings=of_engine(MUJOCO, _settings(i, source)),
        where=source.where("eq", i),
    )


def _settings(i: int, source: Source) -> Settings:
    name = source.stated_names("eq")[i]
    softness = solver(source.model.eq_solref[i], source.model.eq_solimp[i])
    return (("name", name), *softness) if name else softness


def _is_on_sites(i: int, source: Source) -> bool:
    return source.compiled.names["mjtObj"][int(source.model.eq_objtype[i])] == "mjOBJ_SITE"


def _site(site: int, source: Source) -> tuple[str, Pose]:
    """Return the link of a site and its pose in it."""
    return source.link(int(source.model.site_bodyid[site])), source.pose("site", site)


def _frames(i: int, on_bodies: tuple[Pose, Pose], source: Source) -> tuple[str, Pose, str, Pose]:
    """Return both links of a constraint, each with the frame on it."""
    a, b = int(source.model.eq_obj1id[i]), int(source.model.eq_obj2id[i])
    if _is_on_sites(i, source):
        return (*_site(a, source), *_site(b, source))
    return source.link(a), on_bodies[0], source.link(b), on_bodies[1]


def _at(position: list[float]) -> Pose:
    """Return the pose of a frame that is not turned."""
    return Pose(IDENTITY.R, frozen(position))


def _connect(i: int, source: Source) -> BallConstraint:
    data = source.model.eq_data[i]
    on_bodies = (_at(data[:3]), _at(data[3:6]))
    link_A, X_AP, link_B, X_BQ = _frames(i, on_bodies, source)
    return _BallConstraint(
        link_A=link_A,
        link_B=link_B,
        p_AP=X_AP.p,
        p_BQ=X_BQ.p,
        active=bool(source.model.eq_active0[i]),
        engine_settings=of_engine(MUJOCO, _settings(i, source)),
        where=source.where("eq", i),
    )


def _weld(i: int, source: Source) -> WeldConstraint:
    """Return a weld; its data are a point in the second body, the pose of that point in the first,
    and a scale.
    """
    data = source.model.eq_data[i]
    X_AP = Pose.from_vector(data[3:10]) if any(data[6:10]) else IDENTITY
    link_A, X_AP, link_B, X_BQ = _frames(i, (X_AP, _at(data[:3])), source)
    return _WeldConstraint(
        link_A=link_A,
        link_B=link_B,
        X_AP=X_AP,
        X_BQ=X_BQ,
        active=bool(source.model.eq_active0[i]),
        engine_settings=of_engine(
            MUJOCO, (*_settings(i, source), *unless("torquescale", data[10], 1.0))
        ),
        where=source.where("eq", i),
    )


_TYPES = {
    1: TendonPartType.JOINT,
    2: TendonPartType.PULLEY,
    3: TendonPartType.POINT,
    4: TendonPartType.SPHERE,
    5: TendonPartType.CYLINDER,
}
"""Parts by MuJoCo's number."""
_DRIVES = frozenset({3})
"""MuJoCo's type of transmission that drives a tendon."""


def read_tendons(source: Source) -> tuple[Tendon, ...]:
    """Return the tendons of a model."""
    return tuple(_tendon(t, source) for t in range(source.model.ntendon))


def _tendon(t: int, source: Source) -> Tendon:
    model = source.model
    first, count = int(model.tendon_adr[t]), int(model.tendon_num[t])
    lower, upper = (
        map(float, model.tendon_range[t]) if model.tendon_limited[t] else (-math.inf, math.inf)
    )
    low, high = map(float, model.tendon_lengthspring[t])
    return Tendon(
        name=source.names("tendon")[t],
        parts=tuple(_part(w, source) for w in range(first, first + count)),
        lower=lower,
        upper=upper,
        stiffness=float(model.tendon_stiffness[t]),
        rest=(low, high),
        damping=float(model.tendon_damping[t]),
        friction=float(model.tendon_frictionloss[t]),
        inertia=float(model.tendon_armature[t]) + source.rotors(_DRIVES).get(t, 0.0),
        engine_settings=of_engine(MUJOCO, tendon_settings(t, model)),
        where=source.where("tendon", t),
    )


def _part(w: int, source: Source) -> TendonPart:
    model = source.model
    kind, item, value = (
        _TYPES[int(model.wrap_type[w])],
        int(model.wrap_objid[w]),
        float(model.wrap_prm[w]),
    )
    if kind is TendonPartType.JOINT:
        return TendonPart(type=kind, value=value, joint=source.names("joint")[item])
    if kind is TendonPartType.PULLEY:
        return TendonPart(type=kind, value=value)
    if kind is TendonPartType.POINT:
        link = source.link(int(model.site_bodyid[item]))
        return TendonPart(type=kind, link=link, X_LP=Pose.of(p=model.site_pos[item]))
    body, side = int(model.geom_bodyid[item]), round(value)
    return TendonPart(
        type=kind,
        value=float(model.geom_size[item][0]),
        link=source.link(body),
        X_LP=source.pose("geom", item),
        p_LS=frozen(model.site_pos[side]) if side >= 0 else None,
        link_S=source.link(int(model.site_bodyid[side])) if side >= 0 else WORLD,
    )
