"""Codes of the reader of Drake model directives."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "directives.duplicate-frame": CodeInfo(
        "Two frames have the same full name.", "Rename one of them.", (Fate.INVALID,)
    ),
    "directives.duplicate-model": CodeInfo(
        "Two models or model instances have the same full name.", "Rename one of them.", (Fate.INVALID,)
    ),
    "directives.duplicate-weld": CodeInfo(
        "A weld connects two links that a joint connects already, or its joint would have the name of another one.",
        "Remove the weld, or weld the child by another frame.",
        (Fate.INVALID,),
    ),
    "directives.ignored-namespace": CodeInfo(
        "Drake ignores `model_namespace` of a filter group in a file that is itself added with a namespace; so do we.",
        "Remove it, and write the scope in the names of members and groups.",
        (Fate.DROPPED,),
    ),
    "directives.include-cycle": CodeInfo(
        "Files of directives include each other in a cycle.", "Break the cycle.", (Fate.INVALID,)
    ),
    "directives.kind": CodeInfo(
        "A mapping, a list or a single value is used where another kind is expected.",
        "Follow the table of fields in Drake's documentation.",
        (Fate.INVALID,),
    ),
    "directives.missing-field": CodeInfo("A required field is missing.", "Add the field.", (Fate.INVALID,)),
    "directives.not-a-vector": CodeInfo(
        "A value must be a list of three numbers.", "Write three numbers.", (Fate.INVALID,)
    ),
    "directives.not-one-model": CodeInfo(
        "The file of `add_model` does not contain exactly one model.",
        "Use a file with one model, or `add_directives` for a file of directives.",
        (Fate.INVALID,),
    ),
    "directives.nothing": CodeInfo(
        "A field has no value and is read as empty, which Drake refuses.", "Remove the field.", (Fate.NOTED,)
    ),
    "directives.one-key": CodeInfo(
        "An item of the list is not exactly one directive.",
        "Start a new list item for each directive.",
        (Fate.INVALID,),
    ),
    "directives.position-count": CodeInfo(
        "The default position of a joint has the wrong number of values.",
        "Give as many values as the joint has positions.",
        (Fate.INVALID,),
    ),
    "directives.random": CodeInfo(
        "A pose is a random distribution, but a scene needs one value.",
        "Write `!Rpy`, `!AngleAxis` or `!Identity` with fixed values.",
        (Fate.INVALID,),
    ),
    "directives.relative-file": CodeInfo(
        "A file name without a scheme is read relative to the folder of the directives, which Drake refuses.",
        "Write a `package://` URI.",
        (Fate.ASSUMED,),
    ),
    "directives.rotation": CodeInfo(
        "A rotation has an unknown kind, or no axis.", "Use `!Rpy`, `!AngleAxis` or `!Identity`.", (Fate.INVALID,)
    ),
    "directives.syntax": CodeInfo(
        "The file is not valid YAML, or exceeds the limits of the reader.",
        "Correct the file at the line of the message.",
        (Fate.INVALID,),
    ),
    "directives.unknown-directive": CodeInfo(
        "The directive is unknown.", "Use one of the directives that the message lists.", (Fate.INVALID,)
    ),
    "directives.unknown-field": CodeInfo(
        "A directive has an unknown field.", "Correct the name of the field, or remove it.", (Fate.INVALID,)
    ),
    "directives.unknown-file": CodeInfo(
        "The file that a directive names was not found; lenient loading leaves the directive out.",
        "Correct the URI, or name its package in `package_map`.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "directives.unknown-frame": CodeInfo(
        "The frame or link does not exist, or the name is ambiguous; lenient loading leaves out what names it.",
        "Write the full name.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "directives.unknown-joint": CodeInfo("The model has no joint of this name.", "Correct the name.", (Fate.INVALID,)),
    "directives.unknown-namespace": CodeInfo(
        "The namespace does not exist.", "Add it by `add_model_instance` first.", (Fate.INVALID,)
    ),
    "directives.unused-pose": CodeInfo(
        "An initial pose is that of a link which is not free, or which another one carries; where Drake makes a joint "
        "of the pose, for a base frame or a frame of the link, it refuses it.",
        "Remove the pose, or give that of the link that is free.",
        (Fate.DROPPED, Fate.INVALID),
    ),
    "directives.weld-world": CodeInfo(
        "The world is the child of a weld.", "Exchange parent and child.", (Fate.INVALID,)
    ),
}
