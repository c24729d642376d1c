"""Codes of `bridge.lower`."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "lower.coupling-without-freedom": CodeInfo(
        "A coupling names a joint that is not a degree of freedom of the spanning tree, because it is fixed or cut.",
        "Couple joints that are part of the tree.",
        (Fate.DROPPED,),
    ),
    "lower.curve-of-several-pieces": CodeInfo(
        "A curvilinear joint along more than one line or arc is held at its start.",
        "Use a single line or arc.",
        (Fate.DROPPED,),
    ),
    "lower.gearbox-without-hinges": CodeInfo(
        "A gearbox couples nothing, because its reference link is not connected to both of its links by hinges.",
        "Add a hinge from the reference link to each of the two links.",
        (Fate.DROPPED,),
    ),
    "lower.kinematic": CodeInfo(
        "A kinematic link stays where it is placed, because no force moves it.", "", (Fate.NOTED,)
    ),
    "lower.kinematic-in-joint": CodeInfo(
        "A kinematic link is the child of a joint, so forces move it like any other link.",
        "Remove the joint, or the kinematic flag.",
        (Fate.DROPPED,),
    ),
    "lower.loop": CodeInfo(
        "A joint closes a kinematic loop: it becomes a constraint, or connects the two halves of a split link.",
        "",
        (Fate.NOTED,),
    ),
    "lower.massless-free-link": CodeInfo(
        "A link that moves freely has no mass; it gets 1e-9 kg.",
        'Hold the link, with `base="fixed"`, or give it mass and inertia. `loadURDF` holds a base without mass.',
        (Fate.ASSUMED,),
    ),
    "lower.repaired-inertia": CodeInfo(
        'An inertia that no body can have is replaced by the nearest valid one, as requested by `inertia="repair"`.',
        "State the true inertia in the source.",
        (Fate.REPAIRED,),
    ),
    "lower.static-joint": CodeInfo(
        "A joint cannot move, because its links are static or welded together.", "", (Fate.NOTED,)
    ),
    "lower.tendon-inertia": CodeInfo(
        "A tendon with inertia connects branches of the tree; MuJoCo neglects the inertia between them.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "lower.thin-link": CodeInfo(
        "A link can turn about an axis about which nothing has inertia, such as a point mass; it gets 1e-9 kg m² more.",
        "Give the link its true inertia.",
        (Fate.ASSUMED,),
    ),
}
