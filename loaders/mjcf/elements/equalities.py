"""Equality constraints: connected points, welds and couplings of joints."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from loaders.mjcf.compilation.source import Source
from loaders.model import BallConstraint, Constraint, Coupling, MujocoElement, Settings, WeldConstraint
from loaders.reading.makers import maker
from loaders.spatial import IDENTITY, Array, Pose, frozen_vector

from .joints import reference_of
from .settings import solver, text_of, unless

_Coupling, _BallConstraint, _WeldConstraint = maker(Coupling), maker(BallConstraint), maker(WeldConstraint)
_MujocoElement, _Pose = maker(MujocoElement), maker(Pose)
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


def read_equality_elements(source: Source) -> tuple[MujocoElement, ...]:
    """Return the equalities for which a scene has no item, such as those of one joint, of tendons and soft bodies."""
    kinds = enumerate(source.model.eq_type)
    others = (i for i, kind in kinds if kind not in {_CONNECT, _WELD} and not _is_coupling(i, source))
    return tuple(_element(i, source) for i in others)


def _is_coupling(i: int, source: Source) -> bool:
    model = source.model
    return bool(model.eq_type[i] == _JOINT and model.eq_obj2id[i] >= 0 and model.eq_active0[i])


def _element(i: int, source: Source) -> MujocoElement:
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
    return _MujocoElement(
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
    """Return the coefficients of the position of a joint as a polynomial of that of another, or of nothing."""
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
    matrix = [[math.comb(k, j) * offset ** (k - j) if k >= j else 0.0 for k in range(n)] for j in range(n)]
    return np.asarray(matrix) @ coefficients


def _coupling(i: int, source: Source) -> Coupling:
    """Return a coupling of joint positions: ``q1 - ref1`` is a polynomial of ``q2 - ref2``."""
    model = source.model
    a, b = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    coefficients = _about_zero(i, model)
    polynomial: Settings = (("polycoef", text_of(coefficients)),) if coefficients[2:].any() else ()
    return _Coupling(
        follower=source.names("joint")[a],
        leader=source.names("joint")[b],
        multiplier=float(coefficients[1]),
        offset=float(coefficients[0]),
        mujoco=(*_settings(i, source), *polynomial),
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
    return _Pose(IDENTITY.R, frozen_vector(*position))


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
        mujoco=_settings(i, source),
        where=source.where("eq", i),
    )


def _weld(i: int, source: Source) -> WeldConstraint:
    """Return a weld; its data are a point in the second body, the pose of that point in the first, and a scale."""
    data = source.model.eq_data[i]
    X_AP = Pose.from_vector(data[3:10]) if any(data[6:10]) else IDENTITY
    link_A, X_AP, link_B, X_BQ = _frames(i, (X_AP, _at(data[:3])), source)
    return _WeldConstraint(
        link_A=link_A,
        link_B=link_B,
        X_AP=X_AP,
        X_BQ=X_BQ,
        active=bool(source.model.eq_active0[i]),
        mujoco=(*_settings(i, source), *unless("torquescale", data[10], 1.0)),
        where=source.where("eq", i),
    )
