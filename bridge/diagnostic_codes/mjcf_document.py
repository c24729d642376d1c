"""Codes of the MJCF export about the model as a whole."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "mjcf.mjx": CodeInfo(
        "MJX does not support the model; the message states why.",
        "Use MuJoCo Warp, or change what the message names.",
        (Fate.NOTED,),
    ),
    "mjcf.model-scopes": CodeInfo("Nested models are exported only as prefixes of names.", "", (Fate.NOTED,)),
    "mjcf.mujoco-element": CodeInfo(
        "A sensor, equality or soft body of MuJoCo names an item that is not in the document or has no limit.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.physics": CodeInfo("A physics setting of another engine has no counterpart in MuJoCo.", "", (Fate.NOTED,)),
    "mjcf.refused": CodeInfo(
        "MuJoCo refuses to compile the export; the message names the element and the links that use it.",
        "Correct the shape, mesh or picture that the message names.",
        (Fate.INVALID,),
    ),
    "mjcf.sleep": CodeInfo("MuJoCo does not put a resting model to sleep by default.", "", (Fate.NOTED,)),
    "mjcf.time-step": CodeInfo(
        "The time step of the source is not positive and finite; the message states the one that is used.",
        "State a positive time step.",
        (Fate.ASSUMED,),
    ),
    "mjcf.too-deep": CodeInfo(
        "The model has more nested bodies than MuJoCo reads from XML.", "Use `bridge.to_mjspec`.", (Fate.INVALID,)
    ),
    "mjcf.wind": CodeInfo(
        "The wind has no effect, because the source states no density of the air.",
        "Set `density` and `viscosity` of `<option>`.",
        (Fate.DROPPED,),
    ),
}
