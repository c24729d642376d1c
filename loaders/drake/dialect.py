"""Differences between Drake's extensions in SDFormat and URDF: places of values, and resolution of
names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from loaders.drake import codes
from loaders.model import Joint
from loaders.node import Node
from loaders.pose import Array, Pose, frozen

PREFIX = "drake:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Keys, as in `loaders.node`, under which an element has its value."""

    value: str
    """Key of a number or vector."""
    name: str
    """Key of the name of a link, frame or filter group."""
    member: str
    """Key of the name of a member link of a filter group."""
    axis: str
    """Key of a direction."""


SDF = Dialect(value=".", name=".", member=".", axis=".")
URDF = Dialect(value="@value", name="@name", member="@link", axis="@axis")


class NameResolver(Protocol):
    """Resolution of the names that an element may use: those in the scope of the model that
    contains it.
    """

    @property
    def model(self) -> str:
        """Name of the model, for messages."""

    @property
    def prefix(self) -> str:
        """Scope of the model with a separator at its end, such as ``a::b::``; empty for a root
        model.
        """

    def link(self, name: str) -> str | None:
        """Return the scoped name of a link, or None if there is no such link."""

    def frame(self, name: str) -> tuple[str, Pose] | None:
        """Return the scoped name of the link to which a frame F is fixed, and ``X_LF``; a link is a
        frame too.
        """

    def joint(self, name: str) -> Joint | None:
        """Return the joint of this name, or None."""


@dataclass(frozen=True, slots=True)
class DrakeElement:
    """A ``drake:`` element with its values in child elements: the key ``b`` is the child
    ``<drake:a_b>``.
    """

    node: Node
    """The element."""
    dialect: Dialect
    """Dialect of the file."""
    prefix: str = PREFIX
    """Prefix of the tags of its children."""

    def child(self, key: str) -> Node | None:
        """Return the child of this key; report a missing one."""
        child = self.node.child(self.prefix + key)
        if child is None:
            self.node.report(codes.MISSING, tag=self.node.tag, child=self.prefix + key)
        return child

    def name(self, key: str) -> tuple[str, Node]:
        """Return a required name and its element; the name is empty if it is missing."""
        child = self.child(key)
        if child is None:
            return "", self.node
        name = child.word(self.dialect.name)
        if not name and self.dialect.name == ".":
            child.report(codes.MISSING_NAME, tag=child.tag)
        return name, child

    def number(
        self, key: str, *, minimum: float = -math.inf, above: float = -math.inf, inf: bool = False
    ) -> float:
        """Return a required number.

        Args:
            key: The key of the value.
            minimum: Smallest valid value.
            above: Bound that the value must exceed.
            inf: Whether infinite values are valid.
        """
        child = self.child(key)
        return (
            0.0
            if child is None
            else number(child, self.dialect.value, minimum=minimum, above=above, inf=inf)
        )

    def maybe(
        self, key: str, *, minimum: float = -math.inf, above: float = -math.inf
    ) -> float | None:
        """Return an optional number.

        Args:
            key: The key of the value.
            minimum: Smallest valid value.
            above: Bound that the value must exceed.
        """
        child = self.node.child(self.prefix + key)
        return (
            None
            if child is None
            else number(child, self.dialect.value, minimum=minimum, above=above)
        )

    def vector(self, key: str, *, minimum: float = -math.inf) -> Array:
        """Return three required numbers, shape (3,), each at least ``minimum``."""
        child = self.child(key)
        values = (0.0, 0.0, 0.0) if child is None else child.numbers(self.dialect.value, 3)
        if child is not None and min(values) < minimum:
            child.report(codes.OUT_OF_RANGE_VECTOR, minimum=minimum)
        return frozen(values)


def number(
    node: Node, key: str, *, minimum: float = -math.inf, above: float = -math.inf, inf: bool = False
) -> float:
    """Return a required number in an element.

    Args:
        node: The element.
        key: The key of the value.
        minimum: Smallest valid value.
        above: Bound that the value must exceed.
        inf: Whether infinite values are valid.
    """
    if key == "." and not node.text.strip():
        node.report(codes.MISSING_NUMBER, tag=node.tag)
        return 0.0
    value = node.number(key, inf=inf)
    if value < minimum or value <= above:
        bound = f"at least {minimum:g}" if value < minimum else f"more than {above:g}"
        node.report(codes.OUT_OF_RANGE, tag=node.tag, value=value, bound=bound)
    return value


def direction(node: Node, key: str, default: Array) -> Array:
    """Return a direction as a unit vector, shape (3,); report one of zero length.

    Args:
        node: The element.
        key: The key of the value.
        default: The direction if the key does not exist or is invalid.
    """
    xyz = node.numbers(key, 3, tuple(default.tolist()))
    length = math.hypot(*xyz)
    if length < 1e-8:
        node.report(codes.ZERO_AXIS, tag=node.tag)
        return default
    return frozen(tuple(c / length for c in xyz))
