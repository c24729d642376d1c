"""Where the two formats differ, and what an extension may refer to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from loaders.model import Joint
from loaders.node import Node
from loaders.spatial import Array, Pose, frozen

PREFIX = "drake:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The keys under which an element holds its value."""

    value: str
    """Of a number or vector."""
    name: str
    """Of the name of a link, frame or filter group."""
    member: str
    """Of the name of a link in a filter group."""
    axis: str
    """Of a direction."""


SDF = Dialect(value=".", name=".", member=".", axis=".")
URDF = Dialect(value="@value", name="@name", member="@link", axis="@axis")


class Names(Protocol):
    """What an extension may refer to, from the model that it stands in downwards."""

    @property
    def model(self) -> str:
        """The name of the model, for people."""

    @property
    def prefix(self) -> str:
        """What the names of the model's own parts start with in the scene: empty or ``a::b::``."""

    def link(self, name: str) -> str | None:
        """The link of a name, as the scene calls it."""

    def frame(self, name: str) -> tuple[str, Pose] | None:
        """The link that a frame F is fixed to, as the scene calls it, and ``X_LF``. A link is a frame too."""

    def joint(self, name: str) -> Joint | None:
        """The joint of a name."""


@dataclass(frozen=True, slots=True)
class Element:
    """A ``drake:`` element whose values stand in child elements: ``<drake:a_b>`` under the key ``b``."""

    node: Node
    dialect: Dialect
    prefix: str = PREFIX
    """What the tags of its children start with."""

    def child(self, key: str) -> Node | None:
        """The child of this key; reported if it is not there."""
        found = self.node.child(self.prefix + key)
        if found is None:
            self.node.invalid(
                "drake.missing", "<{tag}> needs a <{prefix}{key}>", tag=self.node.tag, prefix=self.prefix, key=key
            )
        return found

    def name(self, key: str) -> tuple[str, Node]:
        """A required name, and the element to blame for it; empty if it is missing."""
        child = self.child(key)
        return ("", self.node) if child is None else (child.word(self.dialect.name), child)

    def number(self, key: str, *, minimum: float = -math.inf, above: float = -math.inf, inf: bool = False) -> float:
        """A required number, at least ``minimum``, greater than ``above``."""
        child = self.child(key)
        return 0.0 if child is None else number(child, self.dialect.value, minimum=minimum, above=above, inf=inf)

    def maybe(self, key: str, *, minimum: float = -math.inf, above: float = -math.inf) -> float | None:
        """A number that need not be there."""
        child = self.node.child(self.prefix + key)
        return None if child is None else number(child, self.dialect.value, minimum=minimum, above=above)

    def vector(self, key: str, *, minimum: float = -math.inf) -> Array:
        """Three required numbers, shape (3,)."""
        child = self.child(key)
        values = (0.0, 0.0, 0.0) if child is None else child.numbers(self.dialect.value, 3)
        if child is not None and min(values) < minimum:
            child.invalid(
                "drake.out-of-range", "none of the three numbers may be less than {minimum:g}", minimum=minimum
            )
        return frozen(values)


def number(node: Node, key: str, *, minimum: float = -math.inf, above: float = -math.inf, inf: bool = False) -> float:
    """A required number in an element, at least ``minimum``, greater than ``above``."""
    if key == "." and not node.text.strip():
        node.invalid("drake.missing", "<{tag}> holds no number", tag=node.tag)
        return 0.0
    value = node.number(key, inf=inf)
    if value < minimum or value <= above:
        bound = f"at least {minimum:g}" if value < minimum else f"more than {above:g}"
        node.invalid(
            "drake.out-of-range", "<{tag}> is {value:g}; it must be {bound}", tag=node.tag, value=value, bound=bound
        )
    return value


def direction(node: Node, key: str, default: Array) -> Array:
    """A direction made unit, shape (3,); one of zero length is wrong."""
    xyz = node.numbers(key, 3, tuple(default.tolist()))
    length = math.hypot(*xyz)
    if length < 1e-8:
        node.invalid("drake.zero-axis", "<{tag}> is zero: it has no direction", tag=node.tag)
        return default
    return frozen(tuple(c / length for c in xyz))
