"""Codes of the parity check: what DART does not represent, and the differences of Drake's own parser."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "dart.constraint": CodeInfo(
        "DART has no distance constraints and no tendons.", "Compare other engines.", (Fate.DROPPED,)
    ),
    "dart.coupling": CodeInfo("DART couples joints with one axis only.", "Compare other engines.", (Fate.DROPPED,)),
    "dart.force-element": CodeInfo(
        "DART has no bushings, no springs between links, and no springs of ball joints.",
        "Compare other engines.",
        (Fate.DROPPED,),
    ),
    "dart.one-way-coupling": CodeInfo(
        "In DART a joint follows another one like a motor of any strength, without a reaction on the other one.",
        "Compare other engines.",
        (Fate.DROPPED,),
    ),
    "dart.rotor-inertia": CodeInfo(
        "DART has no inertia of rotors.", "Add it to the inertia of the links.", (Fate.DROPPED,)
    ),
    "dart.shape": CodeInfo(
        "DART gets no mesh, height map or polyline, which it would read from files itself.",
        "Use primitive shapes for collision.",
        (Fate.DROPPED,),
    ),
    "drake.continuous-limits": CodeInfo(
        "Drake keeps the limits of a continuous joint.",
        "Remove the limits, or make the joint revolute.",
        (Fate.APPROXIMATED,),
    ),
    "drake.friction": CodeInfo(
        "Drake takes mu2 of SDFormat for the dynamic friction of a shape, and 1 where URDF states the friction in "
        "elements of Gazebo or PyBullet only.",
        "State mu_dynamic among the proximity properties of Drake.",
        (Fate.APPROXIMATED,),
    ),
    "drake.link-without-gravity": CodeInfo(
        "Drake applies gravity to a link that is declared without gravity.", "", (Fate.APPROXIMATED,)
    ),
    "drake.replaced-inertia": CodeInfo(
        "Drake replaces an inertia that no body can have, and gives a massless link an inertia.",
        "State the true inertia of the link.",
        (Fate.APPROXIMATED,),
    ),
    "drake.screw-limits": CodeInfo("Drake ignores the limits of a screw joint.", "", (Fate.DROPPED,)),
    "drake.shared-damping": CodeInfo(
        "Drake has one coefficient of damping for both axes of a universal joint, that of the first one.",
        "Give both axes the same damping.",
        (Fate.DROPPED,),
    ),
    "drake.universal-limits": CodeInfo("Drake ignores the limits of a universal joint.", "", (Fate.DROPPED,)),
}
