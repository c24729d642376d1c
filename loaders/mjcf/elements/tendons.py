"""Tendons: weighted sums of joint positions, and paths in space."""

from __future__ import annotations

import math

from loaders.mjcf.compilation.source import Source
from loaders.model import WORLD, Tendon, TendonPart, TendonPartType
from loaders.reading.makers import maker
from loaders.spatial import Pose, frozen

from .settings import tendon_settings

_Tendon, _TendonPart = maker(Tendon), maker(TendonPart)
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
    lower, upper = map(float, model.tendon_range[t]) if model.tendon_limited[t] else (-math.inf, math.inf)
    low, high = map(float, model.tendon_lengthspring[t])
    return _Tendon(
        name=source.names("tendon")[t],
        parts=tuple(_part(w, source) for w in range(first, first + count)),
        lower=lower,
        upper=upper,
        stiffness=float(model.tendon_stiffness[t]),
        rest=(low, high),
        damping=float(model.tendon_damping[t]),
        friction=float(model.tendon_frictionloss[t]),
        inertia=float(model.tendon_armature[t]) + source.rotors(_DRIVES).get(t, 0.0),
        mujoco=tendon_settings(t, model),
        where=source.where("tendon", t),
    )


def _part(w: int, source: Source) -> TendonPart:
    model = source.model
    kind, item, value = _TYPES[int(model.wrap_type[w])], int(model.wrap_objid[w]), float(model.wrap_prm[w])
    if kind is TendonPartType.JOINT:
        return _TendonPart(type=kind, value=value, joint=source.names("joint")[item])
    if kind is TendonPartType.PULLEY:
        return _TendonPart(type=kind, value=value)
    if kind is TendonPartType.POINT:
        link = source.link(int(model.site_bodyid[item]))
        return _TendonPart(type=kind, link=link, X_LP=Pose.of(p=model.site_pos[item]))
    body, side = int(model.geom_bodyid[item]), round(value)
    return _TendonPart(
        type=kind,
        value=float(model.geom_size[item][0]),
        link=source.link(body),
        X_LP=source.pose("geom", item),
        p_LS=frozen(model.site_pos[side]) if side >= 0 else None,
        link_S=source.link(int(model.site_bodyid[side])) if side >= 0 else WORLD,
    )
