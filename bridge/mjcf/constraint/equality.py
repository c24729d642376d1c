"""``<equality>``: couplings, screws, locked joints, kinematic loops and constraints.

MuJoCo holds equalities by soft constraints. ``solref`` of two time steps and ``solimp`` of 0.9999 make them as hard as
its solver allows; what is left is stated in the ledger.
"""

from __future__ import annotations

from bridge.mechanism.bodies import Closure
from bridge.mechanism.target_names import primitive_names
from bridge.mjcf.body.joints import Carrier, locked
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Value
from bridge.mjcf.xml.number_format import placement
from loaders.diagnostics import NOWHERE, Fate, Where
from loaders.model import BallConstraint, JointType
from loaders.spatial import Pose

from .loop_feasibility import SHUT, End, gap_at_zero, least_gap

SOLIMP = (0.9999, 0.9999, 0.001)
"""Impedance of a hard constraint; 0.9999 is the most that MuJoCo allows."""
_SOFT_SOLREF, _SOFT_SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001)
"""What MuJoCo does where nothing is said; what can never close must yield, or the solver tears it apart."""


def solref(context: Context) -> tuple[float, float]:
    """Time constant and damping ratio of a hard constraint: two time steps is the least that MuJoCo allows."""
    return (2.0 * context.time_step, 1.0)


def within(error: str) -> str:
    """How well a soft constraint holds; the tests hold the figures against the running engine."""
    return f"within {error} in 2 s of free motion at 1 ms for links of a few kilograms, more for heavier ones"


def equalities(by_component: dict[int, Carrier], context: Context) -> None:
    """Write every equality of the mechanism."""
    for component, carrier in by_component.items():
        _screw(component, carrier, context)
        _lock(carrier, context)
    _couplings(by_component, context)
    for closure in context.mechanism.closures:
        _closure(closure, context)
    for constraint in context.mechanism.scene.constraints:
        if isinstance(constraint, BallConstraint):
            _ball(constraint, context)


def _joint_equality(follower: str, leader: str | None, offset: float, multiplier: float, context: Context) -> None:
    context.document["equality"].add(
        "joint", joint1=follower, joint2=leader, polycoef=(offset, multiplier, 0.0, 0.0, 0.0)
    )


def _screw(component: int, carrier: Carrier, context: Context) -> None:
    """Every other primitive of the component follows the one that carries it."""
    body = context.mechanism.bodies[carrier.body]
    names = primitive_names(body)
    for p, primitive in enumerate(body.primitives):
        if p != carrier.primitive and body.v_start + primitive.dof_index == component:
            _joint_equality(names[p], carrier.joint, 0.0, primitive.ratio / carrier.ratio, context)
            message = (
                f"joint {carrier.joint} is a hinge and a slide, {names[p]}, held together by a soft constraint: "
                f"{within('1e-6 m')}"
            )
            where = body.source.where if body.source is not None else NOWHERE
            context.report(Fate.APPROXIMATED, "screw-soft-constraint", message, where)


def _lock(carrier: Carrier, context: Context) -> None:
    body = context.mechanism.bodies[carrier.body]
    axis = body.primitives[carrier.primitive].limits
    if axis is None or not locked(axis):
        return
    _joint_equality(carrier.joint, None, carrier.ratio * axis.lower, 0.0, context)
    message = f"limits leave joint {carrier.joint} one position; a soft constraint holds it: {within('1e-6')}"
    where = body.source.where if body.source is not None else NOWHERE
    context.report(Fate.APPROXIMATED, "locked-joint", message, where, hint="use a fixed joint")


def _couplings(by_component: dict[int, Carrier], context: Context) -> None:
    where = {coupling.follower: coupling.where for coupling in context.mechanism.scene.couplings}
    for coupling in context.mechanism.couplings:
        follower, leader = by_component.get(coupling.follower), by_component.get(coupling.leader)
        if follower is None or leader is None:
            context.report(
                Fate.DROPPED,
                "coupling",
                "joint {coupling} cannot be coupled: MuJoCo couples hinges and slides only",
                where.get(coupling.name, NOWHERE),
                coupling=coupling.name,
            )
            continue
        offset = follower.ratio * coupling.offset
        multiplier = coupling.multiplier * follower.ratio / leader.ratio
        _joint_equality(follower.joint, leader.joint, offset, multiplier, context)
        context.report(
            Fate.APPROXIMATED,
            "coupling-soft-constraint",
            "joint {joint} follows {joint_2} by a soft constraint: {within}",
            where.get(coupling.name, NOWHERE),
            joint=follower.joint,
            joint_2=leader.joint,
            within=within("2e-6"),
        )


# --- points and frames that coincide ---------------------------------------------------------------------------------

_POINTS = {JointType.BALL: 1, JointType.REVOLUTE: 2, JointType.CONTINUOUS: 2}
"""Joints that hold points together, and how many: one at the centre, and one on the axis of a hinge."""


def _closure(closure: Closure, context: Context) -> None:
    """A weld, or a point or two that are held together; `bridge.lowering.loop_cutting` leaves nothing else."""
    joint = closure.joint
    if joint.type is JointType.FIXED:
        _hold("weld", joint.name, closure, Pose.of(), context)
        held = within("5e-6 m and 5e-6 rad")
    else:
        _hold("connect", joint.name, closure, Pose.of(), context)
        held = f"{within('5e-6 m')}; it has no position"
    if _POINTS.get(joint.type) == 2:
        _hold("connect", f"{joint.name}_axis", closure, Pose.of(p=0.1 * joint.axes[0].xyz), context)
    context.report(
        Fate.APPROXIMATED,
        "loop-soft-constraint",
        "joint {joint} closes a loop by a soft constraint: {held}",
        joint.where,
        joint=joint.name,
        held=held,
    )


def _hold(kind: str, name: str, closure: Closure, X_JS: Pose, context: Context) -> None:
    joint = closure.joint
    ends = (closure.parent, joint.X_PJ @ X_JS), (closure.child, joint.X_CJ @ X_JS)
    softness = _softness(name, ends, joint.where, context)
    sites = (
        site(f"{name}_parent", closure.parent, joint.X_PJ @ X_JS, context),
        site(f"{name}_child", closure.child, joint.X_CJ @ X_JS, context),
    )
    context.document["equality"].add(kind, name=name, site1=sites[0], site2=sites[1], **softness)


def _ball(constraint: BallConstraint, context: Context) -> None:
    A, B = context.index[constraint.link_A], context.index[constraint.link_B]
    name = context.names.claim("equality", f"{constraint.link_A}_{constraint.link_B}")
    ends = (A, Pose.of(p=constraint.p_AP)), (B, Pose.of(p=constraint.p_BQ))
    softness = _softness(name, ends, constraint.where, context)
    sites = (
        site(f"{name}_A", A, Pose.of(p=constraint.p_AP), context),
        site(f"{name}_B", B, Pose.of(p=constraint.p_BQ), context),
    )
    context.document["equality"].add("connect", name=name, site1=sites[0], site2=sites[1], **softness)
    context.report(
        Fate.APPROXIMATED,
        "ball-soft-constraint",
        "links {link_a} and {link_b} are held by a soft constraint: {within}",
        constraint.where,
        link_a=constraint.link_A,
        link_b=constraint.link_B,
        within=within("1e-4 m"),
    )


def _softness(name: str, ends: tuple[End, End], where: Where, context: Context) -> dict[str, Value]:
    """MuJoCo's own softness where two points never meet; it is said where they are apart at the zero configuration."""
    gap = gap_at_zero(context.mechanism, ends)
    if gap <= SHUT:
        return {}
    least = least_gap(context.mechanism, ends)
    if least <= SHUT:
        message = f"{name} is open by {gap:.3g} m at the zero configuration; MuJoCo pulls it shut in a few steps"
        hint = "start from positions that close it"
        context.report(Fate.NOTED, "open-at-zero", message, where, hint=hint)
        return {}
    message = f"no position was found that closes {name}; a soft pull holds it at its least gap, {least:.3g} m"
    hint = "move the points to where they can meet"
    context.report(Fate.APPROXIMATED, "never-closes", message, where, hint=hint)
    return {"solref": _SOFT_SOLREF, "solimp": _SOFT_SOLIMP}


def site(name: str, body: int, X_BS: Pose, context: Context) -> str:
    """A new site; its name."""
    name = context.names.claim("site", name)
    context.document.body(body).add("site", name=name, class_="frame", **placement(X_BS))
    return name
