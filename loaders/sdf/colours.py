"""Colours: red, green, blue and, if it is there, opacity, each in 0..1."""

from __future__ import annotations

from loaders.model import Rgba
from loaders.node import Node


def read_colour(element: Node, tag: str) -> Rgba | None:
    """The colour in a child element, or None if it is not there or empty."""
    node = element.child(tag)
    words = [] if node is None else node.text.split()
    if node is None or not words:
        return None
    alpha = (1.0,) if len(words) == 3 else ()
    values = node.numbers(".", len(words) if len(words) in (3, 4) else 4) + alpha
    if not all(0.0 <= value <= 1.0 for value in values):
        node.invalid("xml.out-of-range", f"a colour is out of 0..1: {node.text.strip()}")
    red, green, blue, opacity = values
    return red, green, blue, opacity
