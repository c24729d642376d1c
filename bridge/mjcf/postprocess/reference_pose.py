"""``ref``: bodies in the pose in which MuJoCo draws them, where the source states one that is not at zero.

MuJoCo's regularization of constraints depends on the reference pose, so that a model written at zero would move a
little differently. The document is written at zero; this pass moves it.
"""

from __future__ import annotations

import math

import numpy as np

from bridge.export.number_format import placement
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from loaders.spatial import IDENTITY, Pose, rotation_about


def move_to_reference(context: Context) -> None:
    """Move each body with a reference, the joints in it, and the couplings of its joints."""
    references: dict[str, float] = {}
    for element in {id(body): body for body in context.document.bodies}.values():
        joints = [child for child in element.children if child.tag == "joint"]
        found = {joint.attributes["name"]: float(joint.attributes.get("ref", "0")) for joint in joints}
        if any(found.values()):
            _move(element, joints, found)
            references |= found
    for equality in context.document["equality"].children if references else ():
        if equality.tag == "joint":
            _shift(equality, references)


def _move(element: Element, joints: list[Element], references: dict[str, float]) -> None:
    """Move a body by the displacements of its joints, and each joint by those of the joints after it."""
    X_DB = IDENTITY  # the body in the frame that the joints before have moved
    for joint in reversed(joints):
        displacement = _displacement(joint, references[joint.attributes["name"]])
        if joint.attributes.get("type") == "slide" and displacement is not IDENTITY:
            joint.attributes.pop("pos", None)  # of no effect: a slide acts on every point of a body alike
        if X_DB is not IDENTITY:
            X_BD = X_DB.inverse()
            joint.set(pos=(X_BD @ Pose.of(p=_vector(joint, "pos", (0, 0, 0)))).p.tolist())
            if joint.attributes.get("type") != "ball":
                joint.set(axis=(X_BD.R @ _vector(joint, "axis", (0, 0, 1))).tolist())
        X_DB = displacement @ X_DB
    X_PB = Pose.from_vector((*_vector(element, "pos", (0, 0, 0)), *_vector(element, "quat", (1, 0, 0, 0)))) @ X_DB
    for key in ("pos", "quat"):
        element.attributes.pop(key, None)
    element.set(**placement(X_PB))


def _vector(element: Element, key: str, default: tuple[float, ...]) -> np.ndarray:
    text = element.attributes.get(key)
    return np.array(default if text is None else [float(x) for x in text.split()], dtype=np.float64)


def _displacement(joint: Element, reference: float) -> Pose:
    if reference == 0.0 or joint.attributes.get("type") == "ball":
        return IDENTITY
    axis = _vector(joint, "axis", (0, 0, 1))
    if joint.attributes.get("type") == "slide":
        return Pose.of(p=reference * axis)
    anchor = Pose.of(p=_vector(joint, "pos", (0, 0, 0)))
    return anchor @ Pose.of(rotation_about(axis, reference)) @ anchor.inverse()


def _shift(equality: Element, references: dict[str, float]) -> None:
    """Count the positions of a coupling from the references, as MuJoCo does."""
    follower = references.get(equality.attributes["joint1"], 0.0)
    leader = references.get(equality.attributes.get("joint2", ""), 0.0)
    old = _vector(equality, "polycoef", (0, 1, 0, 0, 0))
    new = [sum(math.comb(k, j) * leader ** (k - j) * old[k] for k in range(j, len(old))) for j in range(len(old))]
    new[0] -= follower
    equality.set(polycoef=[float(x) for x in new])
