"""Codes of Drake's extensions and of directives."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "directives.duplicate-frame": CodeInfo(
        "Two frames have the same full name.", "Rename one of them.", (Fate.INVALID,)
    ),
    "directives.duplicate-model": CodeInfo(
        "Two models or model instances have the same full name.",
        "Rename one of them.",
        (Fate.INVALID,),
    ),
    "directives.duplicate-weld": CodeInfo(
        (
            "A weld connects two links that a joint connects already, or its joint would have the "
            "name of another one."
        ),
        "Remove the weld, or weld the child by another frame.",
        (Fate.INVALID,),
    ),
    "directives.ignored-namespace": CodeInfo(
        (
            "Drake ignores `model_namespace` of a filter group in a file that is itself added "
            "with a "
            "namespace; so do we."
        ),
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
    "directives.missing-field": CodeInfo(
        "A required field is missing.", "Add the field.", (Fate.INVALID,)
    ),
    "directives.not-a-vector": CodeInfo(
        "A value must be a list of three numbers.", "Write three numbers.", (Fate.INVALID,)
    ),
    "directives.not-one-model": CodeInfo(
        "The file of `add_model` does not contain exactly one model.",
        "Use a file with one model, or `add_directives` for a file of directives.",
        (Fate.INVALID,),
    ),
    "directives.nothing": CodeInfo(
        "A field has no value and is read as empty, which Drake refuses.",
        "Remove the field.",
        (Fate.NOTED,),
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
        (
            "A file name without a scheme is read relative to the folder of the directives, which "
            "Drake refuses."
        ),
        "Write a `package://` URI.",
        (Fate.ASSUMED,),
    ),
    "directives.rotation": CodeInfo(
        "A rotation has an unknown kind, or no axis.",
        "Use `!Rpy`, `!AngleAxis` or `!Identity`.",
        (Fate.INVALID,),
    ),
    "directives.syntax": CodeInfo(
        "The file is not valid YAML, or exceeds the limits of the reader.",
        "Correct the file at the line of the message.",
        (Fate.INVALID,),
    ),
    "directives.unknown-directive": CodeInfo(
        "The directive is unknown.",
        "Use one of the directives that the message lists.",
        (Fate.INVALID,),
    ),
    "directives.unknown-field": CodeInfo(
        "A directive has an unknown field.",
        "Correct the name of the field, or remove it.",
        (Fate.INVALID,),
    ),
    "directives.unknown-file": CodeInfo(
        "The file that a directive names was not found; lenient loading leaves the directive out.",
        "Correct the URI, or name its package in `package_map`.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "directives.unknown-frame": CodeInfo(
        (
            "The frame or link does not exist, or the name is ambiguous; lenient loading leaves "
            "out "
            "what names it."
        ),
        "Write the full name.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "directives.unknown-joint": CodeInfo(
        "The model has no joint of this name.", "Correct the name.", (Fate.INVALID,)
    ),
    "directives.unknown-namespace": CodeInfo(
        "The namespace does not exist.", "Add it by `add_model_instance` first.", (Fate.INVALID,)
    ),
    "directives.unused-pose": CodeInfo(
        "An initial pose is that of a link which is not free, or which another one carries; where "
        "Drake makes a joint "
        "of the pose, for a base frame or a frame of the link, it refuses it.",
        "Remove the pose, or give that of the link that is free.",
        (Fate.DROPPED, Fate.INVALID),
    ),
    "directives.weld-world": CodeInfo(
        "The world is the child of a weld.", "Exchange parent and child.", (Fate.INVALID,)
    ),
    "drake.deformable": CodeInfo(
        "A deformable body is read as a rigid one, because no target supports it.",
        "",
        (Fate.DROPPED,),
    ),
    "drake.deformable-shape": CodeInfo(
        "A deformable link must have exactly one collision.",
        "Give the link one collision.",
        (Fate.INVALID,),
    ),
    "drake.duplicate-group": CodeInfo(
        "Two collision filter groups have the same full name.",
        "Rename one of them.",
        (Fate.INVALID,),
    ),
    "drake.duplicate-joint": CodeInfo(
        "A `<drake:joint>` has the name of another joint.", "Rename one of them.", (Fate.INVALID,)
    ),
    "drake.empty-group": CodeInfo(
        "A collision filter group has no members and no member groups.",
        "Add members, or remove the group.",
        (Fate.INVALID,),
    ),
    "drake.empty-member": CodeInfo(
        "A member of a collision filter group names no link.",
        "Name a link, or remove the member.",
        (Fate.NOTED,),
    ),
    "drake.friction-order": CodeInfo(
        "The dynamic coefficient of friction is greater than the static one.",
        "Exchange the coefficients.",
        (Fate.INVALID,),
    ),
    "drake.idle-actuator": CodeInfo(
        "A joint without actuator states rotor inertia, gear ratio or gains, which have no effect.",
        "Give the joint an effort limit other than zero, or remove them.",
        (Fate.DROPPED,),
    ),
    "drake.idle-renderer": CodeInfo(
        "A visual names a renderer, but perception does not use the visual.",
        "Remove the renderer, or use the visual for perception.",
        (Fate.NOTED,),
    ),
    "drake.ignored": CodeInfo(
        "An element is left out because of `ignore` or `drake_ignore`.", "", (Fate.NOTED,)
    ),
    "drake.joint-pose": CodeInfo(
        "A `<drake:joint>` has a `<pose>`, which Drake does not allow.",
        "Pose the frames that the joint connects.",
        (Fate.INVALID,),
    ),
    "drake.joint-type": CodeInfo(
        "A `<drake:joint>` has a type that it cannot have.",
        "Use a plain `<joint>` for the standard types.",
        (Fate.INVALID,),
    ),
    "drake.material-model": CodeInfo(
        "The material model of a deformable body is unknown.",
        "Use one of the models that the message lists.",
        (Fate.INVALID,),
    ),
    "drake.mimic": CodeInfo(
        "A joint mimics itself or an unknown joint.",
        "Correct the name of the leader.",
        (Fate.INVALID,),
    ),
    "drake.mimic-ignored": CodeInfo(
        "A joint that has no single degree of freedom cannot mimic another joint.",
        "Remove `<drake:mimic>`.",
        (Fate.DROPPED,),
    ),
    "drake.missing": CodeInfo(
        "A required child element or value is missing.",
        "Add the element or value that the message names.",
        (Fate.INVALID,),
    ),
    "drake.no-curve": CodeInfo(
        "A curvilinear joint has no line segment and no arc.",
        "Add lines or arcs to `<drake:curves>`.",
        (Fate.INVALID,),
    ),
    "drake.no-role": CodeInfo(
        "A visual is used neither for illustration nor for perception, so it is left out.",
        "",
        (Fate.NOTED,),
    ),
    "drake.old-compliance": CodeInfo(
        "`<drake_compliance>` is obsolete and has no effect.",
        "Use `<drake:proximity_properties>`.",
        (Fate.DROPPED,),
    ),
    "drake.out-of-range": CodeInfo(
        "A number is outside the range that is allowed for it.",
        "Choose a value inside the range that the message states.",
        (Fate.INVALID,),
    ),
    "drake.plain-joint": CodeInfo(
        "A plain `<joint>` has a joint type of Drake; it is read as a `<drake:joint>`.",
        "Write `<drake:joint>`.",
        (Fate.NOTED,),
    ),
    "drake.rigid-and-compliant": CodeInfo(
        "A shape is declared both rigid and compliant.",
        "Remove one of the declarations.",
        (Fate.INVALID,),
    ),
    "drake.rigid-modulus": CodeInfo(
        "A rigid shape states a hydroelastic modulus, which is ignored.",
        "Remove the modulus.",
        (Fate.ASSUMED,),
    ),
    "drake.same-body": CodeInfo(
        "Both ends of a joint, constraint or spring are on the same link.",
        "Correct one of the names.",
        (Fate.INVALID,),
    ),
    "drake.scoped-group": CodeInfo(
        "The name of a collision filter group contains a scope.",
        "Define the group in the model of that scope.",
        (Fate.INVALID,),
    ),
    "drake.skew-curve": CodeInfo(
        "The initial tangent of a curve is not in the plane of the curve.",
        "Make the tangent perpendicular to the plane normal.",
        (Fate.INVALID,),
    ),
    "drake.soft-hydroelastic": CodeInfo(
        (
            "`<drake:soft_hydroelastic>` is the old name of a compliant shape and is no longer "
            "supported."
        ),
        "Write `<drake:compliant_hydroelastic>`.",
        (Fate.INVALID,),
    ),
    "drake.tendon-joint": CodeInfo(
        "A tendon names a joint twice, or a joint with several degrees of freedom.",
        "Name each joint once, and only joints with one degree of freedom.",
        (Fate.INVALID,),
    ),
    "drake.two-frictions": CodeInfo(
        "Friction is stated twice; Drake's coefficients are used.",
        "Remove one of them.",
        (Fate.ASSUMED,),
    ),
    "drake.unknown-curve": CodeInfo(
        "A curve contains an element that is neither a line segment nor an arc.",
        "Use `<drake:line_segment>` or `<drake:circular_arc>`.",
        (Fate.INVALID,),
    ),
    "drake.unknown-frame": CodeInfo(
        "A frame or link of this name does not exist.", "Correct the name.", (Fate.INVALID,)
    ),
    "drake.unknown-group": CodeInfo(
        "A collision filter group of this name does not exist when everything is loaded.",
        "Correct the name.",
        (Fate.INVALID,),
    ),
    "drake.unknown-joint": CodeInfo(
        "A joint of this name does not exist.", "Correct the name.", (Fate.INVALID,)
    ),
    "drake.unknown-link": CodeInfo(
        "A link of this name does not exist.", "Correct the name.", (Fate.INVALID,)
    ),
    "drake.unknown-member": CodeInfo(
        "A member of a collision filter group is not a link.", "Correct the name.", (Fate.INVALID,)
    ),
    "drake.urdf-diffuse-map": CodeInfo(
        "`<drake:diffuse_map>` is not supported in URDF.",
        'Write `<texture filename="..."/>`.',
        (Fate.INVALID,),
    ),
    "drake.visual-prefix": CodeInfo(
        "An element within `<drake:visual>` lacks the prefix `drake:`.",
        "Add the prefix.",
        (Fate.INVALID,),
    ),
    "drake.zero-axis": CodeInfo(
        "A direction is zero.", "Give the vector a length other than zero.", (Fate.INVALID,)
    ),
}
