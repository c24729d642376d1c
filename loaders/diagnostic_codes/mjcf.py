"""Codes of the MJCF reader."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "mjcf-in.file": CodeInfo(
        "An element names a file that MJCF has no meaning for; MuJoCo would open it.",
        "Remove the attribute.",
        (Fate.INVALID,),
    ),
    "mjcf-in.fluid": CodeInfo("The density or viscosity of the medium is not carried.", "", (Fate.DROPPED,)),
    "mjcf-in.gravcomp": CodeInfo(
        "A body compensates its gravity in part, which a scene cannot hold.", "", (Fate.DROPPED,)
    ),
    "mjcf-in.include": CodeInfo(
        "An included or attached file cannot be read.", "Check its name; it counts from the main file.", (Fate.INVALID,)
    ),
    "mjcf-in.included-twice": CodeInfo(
        "A file is included twice, or includes itself.", "Remove one of the includes.", (Fate.INVALID,)
    ),
    "mjcf-in.joint-dynamics": CodeInfo(
        "A property of a joint is not carried: armature, or damping, friction, stiffness or limits of a free or ball"
        " joint.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf-in.mesh-frame": CodeInfo(
        "A mesh is rotated by `refquat` and scaled by different factors, in another order than MuJoCo's.",
        "Apply the rotation to the file.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf-in.not-carried": CodeInfo("Elements of a kind that a scene does not hold.", "", (Fate.DROPPED, Fate.NOTED)),
    "mjcf-in.not-finite": CodeInfo("A number is NaN.", "Write a number.", (Fate.INVALID,)),
    "mjcf-in.plugin": CodeInfo("Plugins of the engine are not carried.", "", (Fate.DROPPED,)),
    "mjcf-in.refused": CodeInfo(
        "MuJoCo's compiler refuses the model.", "Correct what the message names.", (Fate.INVALID,)
    ),
    "mjcf-in.shape": CodeInfo(
        "The shape of a geom has no file that a scene could name; the inertia is carried.",
        "Save the shape to a file.",
        (Fate.DROPPED,),
    ),
    "mjcf-in.skin": CodeInfo("A skin is not carried; it has no effect on the motion.", "", (Fate.NOTED,)),
    "mjcf-in.soft-body": CodeInfo(
        "The forces between the particles of a soft body are not carried.", "", (Fate.DROPPED,)
    ),
    "mjcf-in.too-large": CodeInfo(
        "The document makes too many elements or nests them too deeply.", "Reduce the counts.", (Fate.INVALID,)
    ),
    "mjcf-in.warning": CodeInfo("MuJoCo's compiler warns.", "", (Fate.NOTED,)),
}
