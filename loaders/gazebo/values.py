"""Values of a plugin's elements, which are read leniently, as Gazebo does."""

from __future__ import annotations

from loaders.node import Node
from loaders.nodes.number_syntax import plain_number
from loaders.spatial import Array, frozen


def text_of(plugin: Node, tag: str) -> str:
    """Return the text of a child; empty if there is none."""
    child = plugin.peek(tag)
    return "" if child is None else child.text.strip()


def number_of(plugin: Node, tag: str) -> float | None:
    """Return the number in a child; None if there is none."""
    return plain_number(text_of(plugin, tag))


def flag_of(plugin: Node, tag: str) -> bool:
    """Return whether a child says true."""
    return text_of(plugin, tag).lower() in {"true", "1"}


def vector_of(plugin: Node, tag: str) -> Array | None:
    """Return the three numbers in a child; None if it has not three."""
    numbers = [plain_number(word) for word in text_of(plugin, tag).split()]
    stated = [number for number in numbers if number is not None]
    return frozen(stated) if len(numbers) == len(stated) == 3 else None


def label_of(plugin: Node) -> str:
    """Return the file of a plugin, or its name, for messages."""
    return plugin.attributes.get("filename", "").strip() or plugin.attributes.get("name", "").strip() or "?"
