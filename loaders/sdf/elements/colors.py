"""Colors: red, green, blue and optional opacity, each in 0..1."""

from __future__ import annotations

from loaders.model import Rgba
from loaders.node import Node
from loaders.nodes.number_syntax import plain_values


def read_color(node: Node | None) -> Rgba | None:
    """Return the color in an element, or None if it is missing or empty."""
    words = [] if node is None else node.text.split()
    if node is None or not words:
        return None
    if len(words) not in (3, 4):
        message, leniency = "expected 3 or 4 numbers in a color, got {count}", "the color is ignored"
        node.invalid("xml.not-a-vector", message, leniency=leniency, count=len(words))
        return None
    values = plain_values(words) or node.numbers(".", len(words))
    if len(values) == 3:
        values += (1.0,)
    if min(values) < 0.0 or max(values) > 1.0:
        message, leniency = "color {color} is outside 0..1", "the color is clipped"
        node.invalid("xml.out-of-range", message, leniency=leniency, color=node.text.strip())
        values = tuple(min(max(value, 0.0), 1.0) for value in values)
    red, green, blue, opacity = values
    return red, green, blue, opacity
