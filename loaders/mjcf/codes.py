"""Codes of the MJCF reader."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "mjcf-in.actuator": CodeInfo(
        "An actuator is left out: a plugin is its law, or what it drives is of an unknown type.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf-in.controls": CodeInfo(
        "An actuator has several controls; the scene states the range of the first.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf-in.file": CodeInfo(
        "An element names a file that MJCF has no meaning for; MuJoCo would open it.",
        "Remove the attribute.",
        (Fate.INVALID,),
    ),
    "mjcf-in.include": CodeInfo(
        "An included or attached file cannot be read, or an include has no content.",
        "Check its name; it counts from the main file.",
        (Fate.INVALID,),
    ),
    "mjcf-in.included-twice": CodeInfo(
        "A file is included twice, or includes itself.",
        "Remove one of the includes.",
        (Fate.INVALID,),
    ),
    "mjcf-in.mesh-frame": CodeInfo(
        (
            "A mesh is rotated by `refquat` and scaled by different factors, in another order than "
            "MuJoCo's."
        ),
        "Apply the rotation to the file.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf-in.not-carried": CodeInfo(
        "Elements of a kind that a scene does not hold.", "", (Fate.NOTED,)
    ),
    "mjcf-in.not-finite": CodeInfo(
        "A number is NaN, or infinite and no limit.", "Write a number.", (Fate.INVALID,)
    ),
    "mjcf-in.options": CodeInfo(
        (
            "Options of a file that SDFormat or directives include are left out, such as its "
            "gravity "
            "and time step."
        ),
        "State them in the file that includes it.",
        (Fate.NOTED,),
    ),
    "mjcf-in.plugin": CodeInfo(
        (
            "Plugins of the engine, and sensors that depend on one, on a mesh or on a site with a "
            "mesh, are left out."
        ),
        "",
        (Fate.DROPPED,),
    ),
    "mjcf-in.refused": CodeInfo(
        "MuJoCo's compiler refuses the model, or crashes on it.",
        "Correct what the message names.",
        (Fate.INVALID,),
    ),
    "mjcf-in.shape": CodeInfo(
        "The shape of a geom is approximated: a signed distance field by its mesh, a convex hull "
        "of few corners by the"
        " whole one, the heights of a field by gray levels, and its base by one that is 0.01 m "
        "thick.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf-in.skin": CodeInfo(
        "A skin, of the document or of a cable, is left out; it has no effect on the motion.",
        "",
        (Fate.NOTED,),
    ),
    "mjcf-in.too-large": CodeInfo(
        "The document makes too many elements or nests them too deeply.",
        "Reduce the counts.",
        (Fate.INVALID,),
    ),
    "mjcf-in.unused-asset": CodeInfo(
        "Meshes, height fields, materials and textures that no shape uses are left out.",
        "",
        (Fate.NOTED,),
    ),
    "mjcf-in.warning": CodeInfo("MuJoCo's compiler warns.", "", (Fate.NOTED,)),
}
