"""Codes of the checks that every scene passes through."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "model.bad-number": CodeInfo(
        "A scene that was changed in Python has a number that is infinite or not a number, an axis that is not "
        "a unit vector, or a matrix that is not a rotation.",
        "Correct the number; divide the axis by its length; make the rotation orthonormal.",
        (Fate.INVALID,),
    ),
    "model.duplicate-name": CodeInfo(
        "A scene that was changed in Python has two links or two joints of one name.",
        "Give each a name of its own.",
        (Fate.INVALID,),
    ),
    "model.impossible-inertia": CodeInfo(
        "The inertia of a link belongs to no real body: it is not positive or violates the triangle inequality.",
        'Correct the inertia, or let the export repair it with `inertia="repair"`.',
        (Fate.ASSUMED,),
    ),
    "model.parallel-axes": CodeInfo(
        "The two axes of a universal or revolute2 joint are parallel, so that the mass matrix is singular.",
        "Give the axes different directions.",
        (Fate.ASSUMED,),
    ),
    "model.pose-against-joint": CodeInfo(
        "The pose of a link in a scene that was changed in Python is not the one that its joint gives it at zero.",
        "Set `X_WL` of the link to `X_WL` of the parent `@ X_PJ @ X_CJ.inverse()`, or correct the frames of the joint.",
        (Fate.ASSUMED,),
    ),
    "model.repaired-inertia": CodeInfo(
        "Lenient loading replaced an inertia that no body can have by the nearest valid one.",
        "Correct the inertia.",
        (Fate.SKIPPED,),
    ),
    "model.shape-size": CodeInfo(
        "A dimension of a shape is too large for the arithmetic of physics engines.",
        "State the size in meters.",
        (Fate.INVALID,),
    ),
    "model.skew-axes": CodeInfo(
        "The axes of a universal joint are not perpendicular; they are kept as written.",
        "Make the axes perpendicular, or use the joint type `revolute2`.",
        (Fate.ASSUMED,),
    ),
    "model.unknown-name": CodeInfo(
        "A joint of a scene that was changed in Python names a link that does not exist.",
        "Add the link, or correct the name.",
        (Fate.INVALID,),
    ),
    "model.zero-size": CodeInfo(
        "A dimension of a shape is 0, so that it has no volume; MuJoCo refuses such a shape.",
        "Give the shape a positive size, or remove it.",
        (Fate.ASSUMED,),
    ),
}
