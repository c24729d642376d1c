"""Codes of the parity check about differences of Drake's own parser."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "drake.continuous-limits": CodeInfo(
        "Drake keeps the limits of a continuous joint.",
        "Remove the limits, or make the joint revolute.",
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
}
