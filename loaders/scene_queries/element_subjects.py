"""Subjects of the findings about an element of a source file: scoped names of the items that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from loaders.model import WORLD

from .scoped_names import SEPARATOR

_ROOTS = {"model", "robot"}
_SCOPES = {*_ROOTS, "joint", "link"}
"""Elements whose names are prefixes of the names of the elements in them."""
_NAME_KEYS = {
    **dict.fromkeys((*_SCOPES, "collision", "drake:joint", "frame", "gripper", "light", "sensor", "visual"), "name"),
    "drake:collision_filter_group": "name",
    "gazebo": "reference",
    "transmission": "name",
}
"""Elements that are subjects of diagnostics, with the attribute that names the subject."""
_REFERENCES = {
    "drake:ball_constraint": ("drake:ball_constraint_body_A", "drake:ball_constraint_body_B"),
    "drake:distance_constraint": ("drake:distance_constraint_body_A", "drake:distance_constraint_body_B"),
    "drake:linear_bushing_rpy": ("drake:bushing_frameA", "drake:bushing_frameC"),
    "drake:linear_spring_damper": ("drake:linear_spring_damper_body_A", "drake:linear_spring_damper_body_B"),
    "drake:tendon_constraint": ("drake:tendon_constraint_joint",),
}
"""Elements without a name that connect others, with the children that name those; they are the subjects."""


class Element(Protocol):
    """An element of a source file."""

    tag: str
    attributes: dict[str, str]
    text: str

    @property
    def children(self) -> Sequence[Element]:
        """The child elements."""


def subjects_of(element_and_ancestors: Sequence[Element]) -> tuple[str, ...]:
    """Return the scoped names, as in the scene, of the items that an element belongs to, outermost first.

    Args:
        element_and_ancestors: The element and the elements that contain it, innermost first.
    """
    ancestors = element_and_ancestors
    tags = [node.tag for node in ancestors]
    named = [
        (node.tag, name)
        for node in reversed(ancestors)
        if node.tag in _NAME_KEYS and (name := node.attributes.get(_NAME_KEYS[node.tag]))
    ]
    connects = not _REFERENCES.keys().isdisjoint(tags)
    references = next(_references(node) for node in ancestors if node.tag in _REFERENCES) if connects else ()
    root = ""
    is_world = "world" in tags
    if len(named) + len(references) > 1 and named and named[0][0] in _ROOTS and not is_world:
        root = named.pop(0)[1]
    subjects: list[tuple[str, str]] = []
    prefix = ""
    for tag, name in named:
        subjects.append((tag, prefix + name))
        prefix += f"{name}{SEPARATOR}" if tag in _SCOPES else ""
    subjects.extend(("", prefix + name) for name in references)
    if subjects and subjects[-1] == ("model", root):  # the scope of the outermost model makes the name unique
        subjects[-1] = "model", f"{root}{SEPARATOR}{root}"
    return tuple(name for i, (tag, name) in enumerate(subjects) if tag != "model" or i == len(subjects) - 1)


def _references(element: Element) -> tuple[str, ...]:
    """Return the names of the links, frames or joints that the children of an element name."""
    children = (child for child in element.children if child.tag in _REFERENCES[element.tag])
    names = (child.attributes.get("name") or child.text.strip() for child in children)
    return tuple(name for name in names if name and name != WORLD)
