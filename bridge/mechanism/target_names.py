"""Names of primitive joints in targets, as close to the names of the model as possible."""

from __future__ import annotations

from loaders.model import JointType

from .bodies import Body

_SUFFIXES = {
    JointType.UNIVERSAL: {0: "_1", 1: "_2"},
    JointType.REVOLUTE2: {0: "_1", 1: "_2"},
    JointType.PLANAR: {0: "_x", 1: "_y", 2: "_theta"},
}


def primitive_names(body: Body) -> tuple[str, ...]:
    """Return the names of a body's primitives, in order: the joint's name, with a suffix if it has several.

    ``j_1, j_2`` for universal and revolute2; ``j_x, j_y, j_theta`` for planar; ``j, j_slide`` for screw.
    """
    name = body.joint or ""
    if body.source is not None and body.source.type is JointType.SCREW:
        return tuple(name if p.kind == "hinge" else f"{name}_slide" for p in body.primitives)
    suffixes = _SUFFIXES.get(body.source.type, {}) if body.source is not None else {}
    return tuple(name + suffixes.get(p.dof_index, "") for p in body.primitives)
