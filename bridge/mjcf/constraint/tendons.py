"""``<tendon>``: springs between points, distances, and sums of joint positions within bounds."""

from __future__ import annotations

import math

import numpy as np

from bridge.mjcf.body.joints import Carrier
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from bridge.mjcf.xml.number_format import numbers
from loaders.diagnostics import Fate
from loaders.model import WORLD, BallConstraint, Bushing, DistanceConstraint, SpringDamper, TendonConstraint
from loaders.spatial import IDENTITY, Pose

from .equality import SOLIMP, site, solref, within


def tendons(by_component: dict[int, Carrier], context: Context) -> None:
    """Write every force element and constraint that MuJoCo has as a tendon."""
    for element in (*context.mechanism.scene.forces, *context.mechanism.scene.constraints):
        if isinstance(element, SpringDamper):
            spatial = _spatial(element, context)
            spatial.set(springlength=element.free_length, stiffness=element.stiffness, damping=element.damping or None)
        elif isinstance(element, DistanceConstraint):
            _distance(element, context)
        elif isinstance(element, TendonConstraint):
            _sum(element, by_component, context)
        elif isinstance(element, Bushing):
            _bushing(element, context)
        elif not isinstance(element, BallConstraint):
            raise TypeError(f"{type(element).__name__} is no constraint or force element")


def _bushing(bushing: Bushing, context: Context) -> None:
    X_LA, X_LC = (numbers(X.to_vector()) for X in (bushing.X_LA, bushing.X_LC))
    message = (
        f"the bushing between {bushing.link_A} (at {X_LA}) and {bushing.link_C} (at {X_LC}) has no counterpart in "
        f"MuJoCo; torque stiffness {numbers(bushing.torque_stiffness)}, damping {numbers(bushing.torque_damping)}, "
        f"force stiffness {numbers(bushing.force_stiffness)}, damping {numbers(bushing.force_damping)}"
    )
    hint = "mujoco.set_mjcb_passive(bridge.passive_forces(...)) adds it"
    context.report(Fate.DROPPED, "bushing", message, bushing.where, hint=hint)


def _spatial(element: SpringDamper | DistanceConstraint, context: Context) -> Element:
    """A straight tendon from P to Q."""
    name = context.names.claim("tendon", f"{element.link_A}_{element.link_B}")
    A, B = context.index[element.link_A], context.index[element.link_B]
    ends = (
        site(f"{name}_A", A, Pose.of(p=element.p_AP), context),
        site(f"{name}_B", B, Pose.of(p=element.p_BQ), context),
    )
    spatial = context.document["tendon"].add("spatial", name=name)
    for end in ends:
        spatial.add("site", site=end)
    return spatial


def _distance(constraint: DistanceConstraint, context: Context) -> None:
    """A stiff spring where the stiffness is finite, else an equality of the tendon's length."""
    spatial = _spatial(constraint, context)
    if math.isfinite(constraint.stiffness):
        spatial.set(
            springlength=constraint.distance, stiffness=constraint.stiffness, damping=constraint.damping or None
        )
        return
    poses = context.mechanism.link_poses() | {WORLD: IDENTITY}
    X_WA, X_WB = poses[constraint.link_A], poses[constraint.link_B]
    P, Q = X_WA.p + X_WA.R @ constraint.p_AP, X_WB.p + X_WB.R @ constraint.p_BQ
    offset = constraint.distance - float(np.linalg.norm(P - Q))
    context.document["equality"].add(
        "tendon", tendon1=spatial.attributes["name"], polycoef=(offset, 0.0, 0.0, 0.0, 0.0)
    )
    spatial.set(damping=constraint.damping or None)
    context.report(
        Fate.APPROXIMATED,
        "distance-soft-constraint",
        "a soft constraint keeps {link_a} and {link_b} apart: {within}",
        constraint.where,
        link_a=constraint.link_A,
        link_b=constraint.link_B,
        within=within("2e-3 m"),
    )


def _sum(constraint: TendonConstraint, by_component: dict[int, Carrier], context: Context) -> None:
    components = {key: v for v, key in enumerate(context.mechanism.v_order)}
    found = [by_component.get(components.get((joint, 0), -1)) for joint in constraint.joints]
    carriers = [carrier for carrier in found if carrier is not None]
    if len(carriers) < len(found):
        context.report(
            Fate.DROPPED,
            "tendon",
            "the tendon over {names} has a joint that is no hinge or slide of the tree",
            constraint.where,
            names=", ".join(constraint.joints),
        )
        return
    bounds = (constraint.lower - constraint.offset, constraint.upper - constraint.offset)
    name = context.names.claim("tendon", "_".join(constraint.joints))
    fixed = context.document["tendon"].add("fixed", name=name)
    bounds = (max(bounds[0], -1e10), min(bounds[1], 1e10))
    if math.isfinite(constraint.stiffness):
        fixed.set(springlength=bounds, stiffness=constraint.stiffness)
        _report_damping(name, constraint, context)
    else:
        fixed.set(range=bounds, solreflimit=solref(context), solimplimit=SOLIMP)
        context.report(
            Fate.APPROXIMATED,
            "tendon-soft-constraint",
            ("soft constraints hold the bounds of tendon {name}: it overshoots by up to two time steps of motion"),
            constraint.where,
            name=name,
        )
    for carrier, coefficient in zip(carriers, constraint.coefficients, strict=True):
        fixed.add("joint", joint=carrier.joint, coef=coefficient / carrier.ratio)


def _report_damping(name: str, constraint: TendonConstraint, context: Context) -> None:
    if constraint.damping:
        message = (
            f"damping {constraint.damping:g} of tendon {name} is left out: MuJoCo's would act inside its bounds too"
        )
        hint = "mujoco.set_mjcb_passive(bridge.passive_forces(...)) adds it"
        context.report(Fate.DROPPED, "tendon-damping", message, constraint.where, hint=hint)
