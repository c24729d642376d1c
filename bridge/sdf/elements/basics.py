"""Poses, values that differ from a default, and trees of parameters, which many elements have."""

from __future__ import annotations

from collections.abc import Iterable

from bridge.export.number_format import numbers
from bridge.export.pose_format import is_ill_conditioned, pose_text, position_values, quaternion_values
from bridge.export.xml_text import Element, Value, add, qualified
from loaders.spatial import Array, Pose


def add_pose(parent: Element, X: Pose, scale: float = 0.0) -> None:
    """Add a ``<pose>``, unless it is the identity: with angles, or with a quaternion where angles are inaccurate.

    Args:
        parent: The element that has the pose.
        X: The pose.
        scale: Largest distance that a reader's computation of it takes in [m]; 0 if a reader takes it as it is.
    """
    if is_ill_conditioned(X.R):
        text = numbers([*position_values(X.p, scale), *quaternion_values(X.R)])
        add(parent, "pose", text, rotation_format="quat_xyzw")
    elif (text := pose_text(X, scale)) is not None:  # type: ignore[assignment]
        add(parent, "pose", text)


def scale_of(*poses: Pose) -> float:
    """Return the largest distance in some poses [m], at least 1."""
    return max(1.0, *(float(abs(X.p).max()) for X in poses))


def add_if(parent: Element, tag: str, value: Value | None, default: Value | None = None) -> None:
    """Add a child with a value, unless it is the default.

    Args:
        parent: The element that gets the child.
        tag: Tag of the child.
        value: The value.
        default: The value that a reader assumes.
    """
    if value is not None and value != default:
        add(parent, tag, value)


def vector(values: Array | Iterable[float]) -> tuple[float, ...]:
    """Return numbers as a tuple."""
    return tuple(float(value) for value in values)


def add_parameters(parent: Element, parameters: Iterable[tuple[str, str]]) -> None:
    """Add the elements whose paths and texts are listed, such as ``("camera/image/width", "64")``.

    An element is used again for the next path as long as this repeats nothing in it: a second ``camera@name`` or
    ``camera/image/width`` begins a new ``<camera>`` or ``<image>``.

    Args:
        parent: The element that has the parameters.
        parameters: The paths and texts, in document order.
    """
    for place, text in parameters:
        path, _, attribute = place.partition("@")
        tags = path.split("/")
        element = parent
        for i, tag in enumerate(tags):
            is_last = i == len(tags) - 1
            last = element[-1] if len(element) and element[-1].tag == qualified(tag) else None
            if last is None or (is_last and _is_used(last, attribute)):
                last = add(element, tag)
            element = last
        if attribute:
            element.set(qualified(attribute), text)
        else:
            element.text = text


def _is_used(element: Element, attribute: str) -> bool:
    """Return whether an element has content already that the next parameter would repeat."""
    if attribute:
        return element.get(qualified(attribute)) is not None or element.text is not None or len(element) > 0
    return element.text is not None or len(element) > 0
