"""Node: an XML element with its line, which records what was read and reports the rest.

A reader reads values by key: ``"mass"`` is the text of a child element, ``"@name"`` an attribute,
``"."`` the text of the node itself. At the end `Node.report_unread` reports every element and
attribute that no reader read, so that nothing is ignored without a diagnostic. An invalid value is
reported and replaced by a harmless one, so that one run finds every error of a file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from loaders import codes

from .deferred import Deferred
from .diagnostics import Code, Diagnostics, Where
from .numbers import plain_number, plain_numbers
from .scoped_names import subjects_of
from .text import closest

_unusual_number: Callable[..., float | None] = Deferred("loaders.numbers:unusual_number")
_unusual_numbers: Callable[..., tuple[float, ...] | None] = Deferred(
    "loaders.numbers:unusual_numbers"
)
_SHAPES = frozenset({"box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "plane", "mesh"})
_SHAPES |= frozenset({"heightmap", "polyline"})
"""Elements whose attributes and children all describe a shape."""
_VALUES = frozenset({
    "origin", "pose", "frame", "axis", "axis2", "xyz", "size", "radius", "radii", "length", "scale",
})  # fmt: skip
_VALUES |= frozenset({"normal", "point"})
"""Elements whose attributes are all poses, directions or lengths."""
_ANYWHERE = frozenset({"origin", "pose", "@origin", "@pose", "@xyz", "@rpy", "@quat_xyzw"})
"""Elements and attributes that are poses in any parent."""
_NAMES = frozenset({"@name", "@id"})
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


class Node:
    """One element of a source file; ``asked`` has the keys that readers asked for, whether they
    exist or not.

    It is a list, in which keys may be repeated: with a set, 50,000 links take a quarter more time,
    and 564 MB in place of 441.
    """

    __slots__ = (
        "asked", "attributes", "children", "diagnostics", "file", "line", "parent", "tag", "text",
    )  # fmt: skip

    def __init__(
        self,
        tag: str,
        attributes: dict[str, str],
        file: str,
        line: int,
        diagnostics: Diagnostics,
        parent: Node | None = None,
    ) -> None:
        self.tag = tag
        self.attributes = attributes
        self.text = ""
        self.children: list[Node] = []
        self.file = file
        self.line = line
        self.parent = parent
        self.diagnostics = diagnostics
        self.asked: list[str] = []

    def __repr__(self) -> str:
        name = self.attributes.get("name", "")
        return (
            f"<Node {f'{self.tag} {name}'.strip()[:80]} at "
            f"{os.path.basename(self.file)[-60:]}:{self.line}>"
        )

    @property
    def file_and_line(self) -> tuple[str, int]:
        """File and line of the element, those of `where`, whose path takes time to compose."""
        return self.file, self.line

    @property
    def where(self) -> Where:
        """File, line and path of the element, such as ``/sdf/model[arm]/joint[elbow]``."""
        path = ""
        node: Node | None = self
        while node is not None:
            name = node.attributes.get("name")
            path = f"/{node.tag}[{name}]{path}" if name else f"/{node.tag}{path}"
            node = node.parent
        return Where(self.file, self.line, path)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Scoped names, as in the scene, of the link, joint or frame that this element belongs to
        and of its part.

        An element that belongs only to a model has the model as its subject; one without a name
        that connects others, such as a constraint, has those. In a file of one model, names have no
        prefix for that model.
        """
        nodes = [self]
        while (parent := nodes[-1].parent) is not None:
            nodes.append(parent)
        return subjects_of(nodes)

    # --- building and changing a tree -------------------------------------------------------------

    def append(self, child: Node) -> Node:
        """Move ``child`` to the end of this node's children; return it."""
        child.detach()
        child.parent = self
        self.children.append(child)
        return child

    def add(self, tag: str, text: str = "", **attributes: str) -> Node:
        """Append a new child with the file and line of this node; return it.

        Args:
            tag: Tag of the child.
            text: Text of the child.
            attributes: Attributes of the child.
        """
        child = type(self)(
            tag, attributes, file=self.file, line=self.line, diagnostics=self.diagnostics
        )
        child.text = text
        return self.append(child)

    def detach(self) -> Node:
        """Remove this node from its parent; return it. `detach_all` removes several."""
        detach_all((self,))
        return self

    def copy(self) -> Node:
        """Return a copy of the subtree, with nothing read and no parent."""
        root = self._copy_alone()
        pending = [(self, root)]
        for source, target in pending:
            for child in source.children:
                twin = child._copy_alone()
                target.append(twin)
                pending.append((child, twin))
        return root

    def _copy_alone(self) -> Node:
        twin = type(self)(
            self.tag,
            dict(self.attributes),
            file=self.file,
            line=self.line,
            diagnostics=self.diagnostics,
        )
        twin.text = self.text
        return twin

    def walk(self) -> Iterator[Node]:
        """Yield this node and its descendants in document order."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    # --- access to children -----------------------------------------------------------------------

    def peek(self, tag: str) -> Node | None:
        """Return the first child with this tag, or None, without marking it as read."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def all(self, *tags: str) -> list[Node]:
        """Return the children with these tags, in document order, and mark the tags as read."""
        self.asked.extend(tags)
        return [child for child in self.children if child.tag in tags]

    def child(self, tag: str) -> Node | None:
        """Return the first child with this tag, or None; report any further one."""
        self.asked.append(tag)
        first: Node | None = None
        for child in self.children:
            if child.tag == tag:
                if first is None:
                    first = child
                else:
                    _report_repeated(child)
        return first

    def lacks(self, tags: tuple[str, ...]) -> bool:
        """Return whether no child has one of these tags, and mark the tags as read."""
        self.asked.extend(tags)
        return not any(child.tag in tags for child in self.children)

    def has(self, key: str) -> bool:
        """Return whether the attribute or child of this key exists, without marking it as read."""
        return key[1:] in self.attributes if key.startswith("@") else self.peek(key) is not None

    def mark(self, *keys: str) -> None:
        """Mark these keys as read: they carry no information, or another function reports them."""
        self.asked.extend(keys)

    def mark_all(self) -> None:
        """Mark every attribute and every child as read."""
        self.mark(
            *("@" + name for name in self.attributes), *(child.tag for child in self.children)
        )

    # --- typed reads ------------------------------------------------------------------------------

    def _text(self, key: str) -> str | None:
        """Return the text of a key, or None, and mark the key as read."""
        if key[0] == "@":
            self.asked.append(key)
            return self.attributes.get(key[1:])
        if key == ".":
            return self.text
        child = self.child(key)
        return None if child is None else child.text

    def _holder(self, key: str) -> Node:
        """Return the node that diagnostics about a key refer to."""
        return self.peek(key) or self

    def _missing(self, key: str, addition: str = "") -> None:
        required = f"the attribute {key[1:]!r}{addition}" if key[0] == "@" else f"a <{key}> element"
        self.report(codes.XML_MISSING, tag=self.tag, required=required)

    def word(self, key: str, default: str | None = None) -> str:
        """Return a text without surrounding space; without a default it is required, and an
        attribute not empty.
        """
        text = self._text(key)
        if text is None:
            if default is None:
                self._missing(key)
            return default or ""
        word = text.strip()
        if not word and default is None and key[0] == "@":
            self._missing(key, ", which is empty")
        return word

    def maybe_word(self, key: str) -> str | None:
        """Return a text without surrounding space, or None if the key does not exist."""
        return None if (text := self._text(key)) is None else text.strip()

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        minimum: float = -math.inf,
        inf: bool = False,
    ) -> float:
        """Return a number, or the default if the key does not exist or is invalid; without one the
        key is required.

        Args: as for `maybe_number`.
        """
        value = self.maybe_number(key, minimum=minimum, inf=inf)
        if value is not None:
            return value
        if default is None and key != "." and not self.has(key):
            self._missing(key)
        return default or 0.0

    def maybe_number(
        self, key: str, *, minimum: float = -math.inf, inf: bool = False
    ) -> float | None:
        """Return a number, or None if the key does not exist or is invalid, which is reported.

        Args:
            key: The key of the value.
            minimum: Smallest valid value.
            inf: Whether infinite values are valid.
        """
        text = self._text(key)
        if text is None:
            return None
        value = plain_number(text)
        if value is None or value < minimum:
            return _unusual_number(self._holder(key), key, text, minimum, inf=inf)
        return value

    def numbers(
        self, key: str, count: int, default: tuple[float, ...] | None = None, *, inf: bool = False
    ) -> tuple[float, ...]:
        """Return numbers separated by spaces.

        Args: as for `number`, with the ``count`` of the numbers.
        """
        text = self._text(key)
        if text is not None and (plain := plain_numbers(text, count)) is not None:
            return plain
        values = default or (0.0,) * count
        if text is not None and text.strip():
            return _unusual_numbers(self._holder(key), text, count, inf=inf) or values
        if default is None:
            self._missing(key)
        return values

    def integer(self, key: str, default: int) -> int:
        """Return a whole number; a fraction is truncated, with a diagnostic."""
        value = self.maybe_number(key)
        if value is None:
            return default
        if value != int(value):
            self.report(codes.XML_NOT_WHOLE, key=key, value=value, integer=int(value))
        return int(value)

    def flag(self, key: str, default: bool) -> bool:
        """Return a Boolean, written ``true``, ``false``, ``1`` or ``0``."""
        text = self._text(key)
        if text is None or not text.strip():
            return default
        value = _FLAGS.get(text.strip().lower())
        if value is None:
            node = self._holder(key)
            node.report(codes.XML_NOT_A_FLAG, tag=node.tag, value=text.strip())
            return default
        return value

    # --- reporting --------------------------------------------------------------------------------

    def report(
        self,
        code: Code,
        /,
        *,
        hint: str = "",
        subjects: Iterable[str] = (),
        leniency: str = "",
        **arguments: object,
    ) -> None:
        """Record a finding about this element.

        Args:
            code: The kind of the finding.
            hint: The advice to the user, an imperative; empty for that of the code.
            subjects: Scoped names of the items that the finding is about; those of the element if
                empty.
            leniency: What lenient loading does about an invalid element; a template too.
            arguments: The values of the template's arguments.
        """
        if self.diagnostics.overflows(code.fate):
            return
        about = tuple(subjects) or self.subjects
        self.diagnostics.add(
            code, self.where, target="", hint=hint, subjects=about, leniency=leniency, **arguments
        )

    def report_unread(self) -> None:
        """Report every element and attribute that no reader read; of an unread subtree only the
        topmost element.
        """
        pending = [self]
        while pending:
            node = pending.pop()
            asked = set(node.asked)
            for name in node.attributes:
                if f"@{name}" not in asked and not name.startswith("xmlns"):
                    _report_unknown(node, f"@{name}", node)
            read = []
            for child in node.children:
                if child.tag not in asked:
                    _report_unknown(node, child.tag, child)
                elif child.children or child.attributes:
                    read.append(child)
            pending.extend(reversed(read))


def _report_repeated(node: Node) -> None:
    """Report that an earlier element of the same tag is used instead of this one, in which nothing
    is reported.
    """
    node.report(codes.XML_REPEATED_ELEMENT, tag=node.tag)
    for element in node.walk():
        element.mark_all()


# --- elements and attributes that no reader read --------------------------------------------------


def _report_unknown(node: Node, key: str, unread: Node) -> None:
    """Report an attribute or child of a node that no reader read; the finding refers to the element
    ``unread``.
    """
    name = key.lstrip("@")
    prefix = name.partition(":")[0] if ":" in name else ""
    if prefix and prefix != "drake":
        unread.report(codes.XML_FOREIGN, name=name, prefix=prefix)
        return
    kind = "attribute" if key[0] == "@" else "element"
    close = _closest(key, frozenset(node.asked))
    hint = f"did you mean {close.lstrip('@')}?" if close else home_of(node.tag, name)
    code = codes.XML_UNREAD_POSE if _states_form(node.tag, key, unread) else codes.XML_UNREAD
    unread.report(code, hint=hint, kind=kind, name=name, tag=node.tag)


def _states_form(tag: str, key: str, unread: Node) -> bool:
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
    texts = (
        [unread.attributes[key[1:]]] if is_attribute else [unread.text, *unread.attributes.values()]
    )
    return bool(unread.children and not is_attribute) or not all(
        map(_is_zero, " ".join(texts).split())
    )


def _is_zero(word: str) -> bool:
    return plain_number(word) == 0.0


@lru_cache(maxsize=256)
def _closest(key: str, known: frozenset[str]) -> str:
    """Return the known key closest to a misspelled one, or an empty text; cached, as many links
    repeat an error.
    """
    return closest(key, sorted(known), cutoff=0.75)


_HOMES: Mapping[str, tuple[str, ...]] = {
    "audio": ("world",),
    "canonical_link": ("model",),
    "cast_shadows": ("visual", "light"),
    "collision": ("link",),
    "damping": ("dynamics",),
    "friction": ("dynamics", "surface"),
    "gravity": ("world", "link"),
    "inertial": ("link",),
    "kinematic": ("link",),
    "limit": ("axis",),
    "lower": ("limit",),
    "mass": ("inertial",),
    "material": ("visual",),
    "max_vel": ("ode` of `contact",),
    "min_depth": ("ode` of `contact",),
    "mu": ("ode` of `friction",),
    "mu2": ("ode` of `friction",),
    "physics": ("world",),
    "plugin": ("model", "world", "sensor"),
    "scene": ("world",),
    "self_collide": ("model", "link"),
    "sensor": ("link", "joint"),
    "static": ("model",),
    "surface": ("collision",),
    "transparency": ("visual",),
    "upper": ("limit",),
    "visual": ("link",),
}
"""Parents of elements of SDFormat and URDF that files often put elsewhere."""

_OWNERS: Mapping[tuple[str, str], str] = {
    (
        "joint",
        "joint_properties",
    ): "used by ROS before 2012 only; state damping and friction in `<dynamics>`",
    ("joint", "safetyLength"): "used by Gazebo before 2012 only",
    ("link", "contact"): "used by PyBullet's loader only; state friction in `<surface>`",
    (
        "link",
        "self_collision_checking",
    ): "used by ROS before 2012 only; use `<self_collide>` in `<gazebo>`",
    ("pose", "frame"): "the attribute is `relative_to` since SDFormat 1.7",
    ("robot", "deformable"): "used by PyBullet's loader only, for soft bodies",
    (
        "robot",
        "sensor",
    ): "used by a proposal for URDF that no simulator reads; put it into `<gazebo reference=...>`",
    ("robot", "velocity"): "used by PyBullet's loader only",
    ("sphere", "size"): "a sphere has a `<radius>`",
    ("transmission", "robotNamespace"): "used by Gazebo's ros_control only",
    ("transmission", "motorTorqueConstant"): "used by Gazebo's ros_control only",
}
"""Hints about elements, by parent and name, that only one other program reads."""


def home_of(parent: str, name: str) -> str:
    """Return a hint about an element that its parent may not have; empty if nothing is known about
    it.

    Args:
        parent: Tag of the parent.
        name: Tag of the element, or name of the attribute.
    """
    owner = _OWNERS.get((parent, name))
    if owner is not None:
        return owner
    homes = tuple(home for home in _HOMES.get(name, ()) if home != parent)
    places = (f"`<{home}>`".replace("` of `", ">` of `<") for home in homes)
    return f"it belongs into {' or '.join(places)}" if homes else ""


def detach_all(nodes: Iterable[Node]) -> None:
    """Remove nodes from their parents, in one pass over the children of each."""
    gone = {id(node): node for node in nodes}
    for parent in {id(node.parent): node.parent for node in gone.values()}.values():
        if parent is not None:
            parent.children = [child for child in parent.children if id(child) not in gone]
    for node in gone.values():
        node.parent = None


IgnoredElements = Mapping[str, Code]
"""Codes of elements that are not read, keyed by tag; their messages have the argument ``tag``."""


def report_ignored(element: Node, ignored: IgnoredElements) -> None:
    """Report each child with one of these tags, and mark its subtree as read."""
    tags = tuple(ignored)
    for child in () if element.lacks(tags) else element.all(*tags):
        child.report(ignored[child.tag], tag=child.tag)
        mark_read(child)


def mark_read(element: Node) -> None:
    """Mark an element and its subtree as read."""
    for node in element.walk():
        node.mark_all()


_ESCAPES = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        '"': "&quot;",
        "\n": "&#10;",
        "\t": "&#9;",
        "\r": "&#13;",
    }
)
"""Characters that have a meaning in the value of an attribute."""
ESCAPED = "".join(map(chr, _ESCAPES))
"""The same characters, as text."""


def escaped(value: str) -> str:
    """Return the value of an attribute as text to stand between double quotes."""
    return value.translate(_ESCAPES)
