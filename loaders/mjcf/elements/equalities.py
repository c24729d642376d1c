"""Equality constraints: connected points, welds and couplings of joints."""

from __future__ import annotations

import numpy as np

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.model import BallConstraint, Constraint, Coupling, Settings, WeldConstraint
from loaders.spatial import IDENTITY, Pose, frozen

from .joints import reference_of
from .settings import solver, text_of, unless

_CONNECT, _WELD, _JOINT = range(3)
_DEGREE = 4


def read_constraints(source: Source) -> tuple[Constraint, ...]:
    """Return the connected points and the welds; report constraints on tendons and soft bodies."""
    constraints: list[Constraint] = []
    for i, kind in enumerate(source.model.eq_type.tolist()):
        if kind == _CONNECT:
            constraints.append(_connect(i, source))
        elif kind == _WELD:
            constraints.append(_weld(i, source))
        elif kind != _JOINT:
            _drop(i, "it constrains tendons or soft bodies", source)
    return tuple(constraints)


def read_couplings(source: Source) -> tuple[Coupling, ...]:
    """Return the couplings of two joints; report those of one joint, and those that are switched off."""
    couplings = []
    for i, kind in enumerate(source.model.eq_type.tolist()):
        if kind != _JOINT:
            continue
        if source.model.eq_obj2id[i] < 0:
            _drop(i, "it holds a single joint", source)
        elif not source.model.eq_active0[i]:
            _drop(i, "it is switched off", source)
        else:
            couplings.append(_coupling(i, source))
    return tuple(couplings)


def _coupling(i: int, source: Source) -> Coupling:
    """Return a coupling of joint positions: ``q1 - ref1`` is a polynomial of ``q2 - ref2``."""
    model = source.model
    a, b = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    shifted = np.polynomial.Polynomial(model.eq_data[i, : _DEGREE + 1])(
        np.polynomial.Polynomial([-reference_of(b, model), 1.0])
    )
    coefficients = np.zeros(_DEGREE + 1)
    coefficients[: len(shifted.coef)] = shifted.coef
    coefficients[0] += reference_of(a, model)
    polynomial: Settings = (("polycoef", text_of(coefficients)),) if coefficients[2:].any() else ()
    return Coupling(
        follower=source.names("joint")[a],
        leader=source.names("joint")[b],
        multiplier=float(coefficients[1]),
        offset=float(coefficients[0]),
        mujoco=(*_settings(i, source), *polynomial),
        where=source.where("eq", i),
    )


def _settings(i: int, source: Source) -> Settings:
    return (("name", source.names("eq")[i]), *solver(source.model.eq_solref[i], source.model.eq_solimp[i]))


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


def _connect(i: int, source: Source) -> BallConstraint:
    data = source.model.eq_data[i]
    on_bodies = (Pose.of(p=data[:3]), Pose.of(p=data[3:6]))
    link_A, X_AP, link_B, X_BQ = _frames(i, on_bodies, source)
    return BallConstraint(
        link_A=link_A,
        link_B=link_B,
        p_AP=frozen(X_AP.p),
        p_BQ=frozen(X_BQ.p),
        active=bool(source.model.eq_active0[i]),
        mujoco=_settings(i, source),
        where=source.where("eq", i),
    )


def _weld(i: int, source: Source) -> WeldConstraint:
    """Return a weld; its data are a point in the second body, the pose of that point in the first, and a scale."""
    data = source.model.eq_data[i]
    X_AP = Pose.from_vector(data[3:10]) if data[6:10].any() else IDENTITY
    link_A, X_AP, link_B, X_BQ = _frames(i, (X_AP, Pose.of(p=data[:3])), source)
    return WeldConstraint(
        link_A=link_A,
        link_B=link_B,
        X_AP=X_AP,
        X_BQ=X_BQ,
        active=bool(source.model.eq_active0[i]),
        mujoco=(*_settings(i, source), *unless("torquescale", data[10], 1.0)),
        where=source.where("eq", i),
    )


def _drop(i: int, reason: str, source: Source) -> None:
    name = source.names("eq")[i]
    message = "equality constraint {name} is not carried: {reason}"
    where = source.where("eq", i)
    source.diagnostics.add(Fate.DROPPED, "mjcf-in.equality", message, where, subjects=(name,), name=name, reason=reason)
