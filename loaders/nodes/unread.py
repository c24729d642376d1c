"""Report of the elements and attributes that no reader read."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import lru_cache
from typing import Any, Protocol

from loaders.diagnostics import Fate
from loaders.reading.deferred import Deferred
from loaders.safety.suggestions import closest

from .number_syntax import plain_number
from .read_names import ReadNames

_SHAPES = frozenset({"box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "plane", "mesh"})
_SHAPES |= frozenset({"heightmap", "polyline"})
"""Elements of which every attribute and child states a shape."""
_VALUES = frozenset({"origin", "pose", "frame", "axis", "axis2", "xyz", "size", "radius", "radii", "length", "scale"})
_VALUES |= frozenset({"normal", "point"})
"""Elements of which every attribute states a pose, a direction or a length."""
_ANYWHERE = frozenset({"origin", "pose", "@origin", "@pose", "@xyz", "@rpy", "@quat_xyzw"})
"""Elements and attributes that state a pose, whatever their parent is."""
_NAMES = frozenset({"@name", "@id"})
_home_of: Callable[..., str] = Deferred("loaders.nodes.misplaced:home_of")


class ReadElement(Protocol):
    """An element of a source file, with the names that were asked for, whether they exist or not."""

    tag: str
    text: str
    attributes: dict[str, str]
    read: ReadNames

    @property
    def children(self) -> Sequence[Any]:
        """The child elements."""

    @property
    def report(self) -> Callable[..., None]:
        """Function that records a finding about this element; see `loaders.node.Node.report`."""


def report_unread(root: ReadElement) -> None:
    """Report every element and attribute that no reader read; of an unread subtree only the topmost element.

    Args:
        root: The root of the tree.
    """
    pending = [root]
    while pending:
        node = pending.pop()
        if not node.read.attributes.issuperset(node.attributes):
            _report_attributes(node)
        read, all_read = node.read.tags, True
        for child in reversed(node.children):
            if child.tag not in read:
                all_read = False
            elif child.children or (child.attributes and not child.read.attributes.issuperset(child.attributes)):
                pending.append(child)
        if not all_read:
            _report_children(node, read)


def _report_attributes(node: ReadElement) -> None:
    read = node.read.attributes
    for name in node.attributes:
        if name not in read and not name.startswith("xmlns"):
            _report(node, "@" + name, node)


def _report_children(node: ReadElement, read: Set[str]) -> None:
    for child in node.children:
        if child.tag not in read:
            _report(node, child.tag, child)


def _report(node: ReadElement, key: str, unread: ReadElement) -> None:
    name = key.lstrip("@")
    prefix = name.partition(":")[0] if ":" in name else ""
    if prefix and prefix != "drake":
        message = "{name} belongs to the namespace {prefix}; ignored"
        unread.report(Fate.NOTED, "xml.foreign", message, name=name, prefix=prefix)
        return
    kind = "attribute" if key[0] == "@" else "element"
    close = _closest(key, _read_keys(node))
    hint = f"did you mean {close.lstrip('@')}?" if close else _home_of(node.tag, name)
    if _states_form(node.tag, key, unread):
        message = "unknown {kind} {name!r} of <{tag}>, which may state a pose or a shape"
        leniency = "it is ignored"
        arguments = {"kind": kind, "name": name, "tag": node.tag}
        unread.report(Fate.INVALID, "xml.unread-pose", message, hint=hint, leniency=leniency, **arguments)
        return
    message = "unknown {kind} {name!r} of <{tag}>; ignored"
    unread.report(Fate.DROPPED, "xml.unread", message, hint=hint, kind=kind, name=name, tag=node.tag)


def _states_form(tag: str, key: str, unread: ReadElement) -> bool:
    """Return whether an unread piece of an element states a pose or a shape, other than by zeros.

    Args:
        tag: Tag of the element.
        key: Tag of the unread child, or name of the attribute after ``@``.
        unread: The child, or the element that has the attribute.
    """
    is_attribute = key[0] == "@"
    is_form = key in _ANYWHERE or tag in _SHAPES or (is_attribute and tag in _VALUES)
    if not is_form or key in _NAMES:
        return False
    texts = [unread.attributes[key[1:]]] if is_attribute else [unread.text, *unread.attributes.values()]
    return bool(unread.children and not is_attribute) or not all(map(_is_zero, " ".join(texts).split()))


def _is_zero(word: str) -> bool:
    return plain_number(word) == 0.0


def _read_keys(node: ReadElement) -> Set[str]:
    return frozenset((*node.read.tags, *("@" + name for name in node.read.attributes)))


@lru_cache(maxsize=256)
def _closest(key: str, known: Set[str]) -> str:
    """Return the known key closest to a misspelled one, or an empty text; cached, as many links repeat an error."""
    return closest(key, sorted(known), cutoff=0.75)
