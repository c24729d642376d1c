"""Codes of the export to Drake's directives."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "dmdout.joined-links": CodeInfo(
        "Two links may touch in MuJoCo, and never do by Drake's rules: one joint connects them, or both are fixed.",
        "Write SDFormat.",
        (Fate.DROPPED,),
    ),
    "dmdout.name": CodeInfo("Names in directives start with that of their model.", "", (Fate.NOTED,)),
    "dmdout.out-of-scope": CodeInfo(
        "Directives connect models by welds only; another joint or element between models is left out.",
        "Write SDFormat.",
        (Fate.DROPPED,),
    ),
    "dmdout.read-back": CodeInfo(
        "The written files, read back, are not the exported scene; nothing is written.",
        "Report a bug.",
        (Fate.INVALID,),
    ),
    "dmdout.split-model": CodeInfo(
        "One model becomes several, between whose links SDFormat's rule for collisions in a model does not hold.",
        "Write SDFormat.",
        (Fate.APPROXIMATED,),
    ),
    "dmdout.world-settings": CodeInfo(
        "Directives have no place for gravity, physics, lights and other settings of a world.",
        "Write SDFormat.",
        (Fate.DROPPED, Fate.NOTED),
    ),
}
