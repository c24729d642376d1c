"""Codes of the MJCF export about loops, couplings, tendons, force elements and actuators."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "mjcf.actuator": CodeInfo(
        "An actuator drives a joint that is not a hinge or slide of the tree, so it is left out.", "", (Fate.DROPPED,)
    ),
    "mjcf.actuator-interfaces": CodeInfo(
        "The hardware interfaces of an actuator have no counterpart in MuJoCo.", "", (Fate.NOTED,)
    ),
    "mjcf.assumed-gain": CodeInfo(
        "The source states no gain for the requested controller; the message states the gain that is used.",
        "State the gains in the source, or tune the exported ones.",
        (Fate.ASSUMED,),
    ),
    "mjcf.ball-soft-constraint": CodeInfo(
        "A ball constraint is enforced by MuJoCo's soft constraints; the message states the error.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.bushing": CodeInfo(
        "MuJoCo does not support bushings; the message has the parameters.",
        "Call `mujoco.set_mjcb_passive(bridge.passive_forces(...))`.",
        (Fate.DROPPED,),
    ),
    "mjcf.control-range": CodeInfo(
        (
            'The limits of a `"dcmotor"` exceed what its inertia allows in one time step, so the control range ends '
            "earlier."
        ),
        "State the true limits, or reduce the time step.",
        (Fate.ASSUMED,),
    ),
    "mjcf.coupling": CodeInfo(
        "MuJoCo couples hinges and slides only, so a coupling of other joints is left out.", "", (Fate.DROPPED,)
    ),
    "mjcf.coupling-soft-constraint": CodeInfo(
        "A coupling is enforced by MuJoCo's soft constraints; the message states the error.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.curve": CodeInfo(
        "The ends of a curve do not limit a curvilinear joint; only the limits of its axis do.",
        "State limits of the axis.",
        (Fate.NOTED,),
    ),
    "mjcf.distance-soft-constraint": CodeInfo(
        "A fixed distance is enforced by MuJoCo's soft constraints; the message states the error.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.fluid-force": CodeInfo(
        "MJCF has no element for buoyancy, drag by coefficients, or a wing; the message has the parameters. "
        "MuJoCo's own model of a fluid computes other forces, from shapes, and is exact for none of them.",
        "Call `mujoco.set_mjcb_passive(bridge.passive_forces(...))`.",
        (Fate.DROPPED,),
    ),
    "mjcf.idle-followers": CodeInfo(
        "A joint that follows another has an effort limit and no gains; only its leader gets an actuator.",
        "Give the joint controller gains to drive it too.",
        (Fate.NOTED,),
    ),
    "mjcf.locked-joint": CodeInfo(
        "The limits of a joint leave a single position, which an equality constraint holds.",
        "Use a fixed joint.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.loop-soft-constraint": CodeInfo(
        "A kinematic loop is closed by MuJoCo's soft constraints; the message states the error.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.never-closes": CodeInfo(
        (
            "Two points that should coincide cannot meet within the joint limits; the constraint uses MuJoCo's "
            "default softness."
        ),
        "Move the points, or widen the limits.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.no-actuators": CodeInfo(
        "The model has actuators, which are not exported by default.", 'Use `actuators="motor"`.', (Fate.NOTED,)
    ),
    "mjcf.no-speed-line": CodeInfo(
        'A `"dcmotor"` has no velocity or effort limit, so its effort does not fall with speed.',
        "State both limits of the joint.",
        (Fate.ASSUMED,),
    ),
    "mjcf.open-at-zero": CodeInfo(
        "Two points that should coincide are apart at the zero configuration.",
        "Start from a configuration that closes the loop.",
        (Fate.NOTED,),
    ),
    "mjcf.screw-soft-constraint": CodeInfo(
        "A screw joint is a hinge and a slide, coupled by MuJoCo's soft constraints.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.tendon": CodeInfo(
        "A tendon contains a joint that is not a hinge or slide of the tree, so it is left out.", "", (Fate.DROPPED,)
    ),
    "mjcf.tendon-damping": CodeInfo(
        "MuJoCo would apply the damping of a tendon inside of its bounds too, so the damping is left out.",
        "Call `mujoco.set_mjcb_passive(bridge.passive_forces(...))`.",
        (Fate.DROPPED,),
    ),
    "mjcf.tendon-soft-constraint": CodeInfo(
        "The rigid bounds of a tendon are enforced by MuJoCo's soft constraints; the message states the overshoot.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
}
