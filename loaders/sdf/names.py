"""The rules of the specification for names, by the version that the file was written in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from loaders.model import WORLD
from loaders.node import Node, detach_all
from loaders.scoped_names import SEPARATOR, unused_name
from loaders.sdf import codes

from .upgrade import NEWEST, Version

_NO_SEPARATORS = (1, 8)
"""First version that does not allow ``::`` in names."""
_UNIQUE_SIBLINGS = (1, 7)
"""First version in which siblings of different kinds, such as a link and a joint, cannot share a
name."""

_IN_WORLD = ("model", "joint", "frame", "light", "physics")
"""Named children of a world, in the order in which their names are checked."""
_IN_MODEL = frozenset({"link", "model", "joint", "frame"})
"""Kinds of elements that share one name space."""
_IN_LINK = ("collision", "visual", "light", "sensor", "projector", "particle_emitter")
_NAMED_CHILDREN = {
    "sdf": ("world", "model", "light"),
    "world": _IN_WORLD,
    "model": tuple(_IN_MODEL),
    "link": _IN_LINK,
    "joint": ("sensor",),
}
_OPTIONAL = frozenset({"physics"})
"""Elements whose name may be missing."""
_RENAMED = frozenset({"link", "joint", "frame"})
"""Elements of old files that are renamed if their name is in use."""


@dataclass(slots=True)
class ChildNames:
    """The names of the children of one element."""

    nodes: dict[tuple[str, str], Node] = field(default_factory=dict)
    """Elements by name space and name."""
    attempts: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """Numbers of attempts, as in `unused_name`, by name space."""
    unused: list[Node] = field(default_factory=list)
    """Elements that are left out because of their names."""


def check_names(root: Node, versions: Mapping[str, Version]) -> None:
    """Report names that are missing, reserved, duplicate or scoped; before 1.7, rename elements
    whose names clash.

    Args:
        root: The composed ``<sdf>``; names in it are changed in place.
        versions: The version that each file was written in, by path.
    """
    main_version = versions[root.file]
    for parent in _parents(root):
        names = ChildNames()
        for node in _named_children(parent):
            version = versions.get(node.file, NEWEST)
            _check_name(node, version, max(version, main_version), names)
        detach_all(names.unused)


def _named_children(parent: Node) -> list[Node]:
    children = [child for child in parent.children if child.tag in _NAMED_CHILDREN[parent.tag]]
    if parent.tag == "world":
        children.sort(key=lambda child: _IN_WORLD.index(child.tag))
    return children


def _parents(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend([child for child in reversed(node.children) if child.tag in _NAMED_CHILDREN])


def _check_name(node: Node, version: Version, newest: Version, names: ChildNames) -> None:
    """Check one name; ``newest`` is the newest version of its file and the main file."""
    name = node.attributes.get("name", "").strip()
    if not name:
        if node.tag not in _OPTIONAL:
            node.report(codes.NO_NAME, tag=node.tag)
            if node.diagnostics.lenient:
                node.attributes["name"] = _unused_name(node.tag, names, _space(node))
                names.nodes[(_space(node), node.attributes["name"])] = node
        return
    if _is_world(node, name):
        if node.diagnostics.lenient:
            names.unused.append(node)
        return
    if _is_reserved(name):
        name = _replace_reserved_name(node, name, names)
    if SEPARATOR in name and newest >= _NO_SEPARATORS:
        node.report(codes.SCOPED_NAME, name=name, version="{}.{}".format(*newest))
    _check_unique(node, name, version, names)


def _space(node: Node) -> str:
    """Return the name space of an element: kinds of elements that share names have one."""
    return "" if node.tag in _IN_MODEL else node.tag


def _replace_reserved_name(node: Node, name: str, names: ChildNames) -> str:
    """Report a reserved name; return the name that lenient loading gives the element instead."""
    is_referred_to = name != WORLD or node.tag == "link"
    node.report(
        codes.RESERVED_NAME_RENAMED if is_referred_to else codes.RESERVED_NAME_OF_WORLD, name=name
    )
    if not node.diagnostics.lenient:
        return name
    new_name = _unused_name(f"{name.strip('_')}_{node.tag}", names, _space(node))
    if is_referred_to:
        _redirect_references(node, name, new_name)
    node.attributes["name"] = new_name
    return new_name


def _is_world(node: Node, name: str) -> bool:
    """Return whether an element is an empty link called ``world``, as in URDF; report it."""
    if name != WORLD or node.tag != "link" or node.children:
        return False
    node.report(codes.RESERVED_NAME, name=name)
    return True


def _redirect_references(node: Node, old: str, new: str) -> None:
    """Let the siblings of an element refer to it by its new name."""
    for sibling in [] if node.parent is None else node.parent.children:
        for element in sibling.walk():
            if element.tag in {"parent", "child"} and element.text.strip() == old:
                element.text = new
            for key in _REFERENCES:
                if element.attributes.get(key, "").strip() == old:
                    element.attributes[key] = new


_REFERENCES = ("relative_to", "attached_to", "expressed_in", "canonical_link", "placement_frame")
"""Attributes that refer to a link, joint, frame or model."""


def _is_reserved(name: str) -> bool:
    return name == WORLD or (len(name) >= 4 and name.startswith("__") and name.endswith("__"))


def _check_unique(node: Node, name: str, version: Version, names: ChildNames) -> None:
    first = names.nodes.setdefault((_space(node), name), node)
    if first is node:
        return
    if first.tag == node.tag or version >= _UNIQUE_SIBLINGS or node.tag not in _RENAMED:
        is_ambiguous = first.tag == node.tag and node.tag in _RENAMED
        code = codes.DUPLICATE_NAME if is_ambiguous else codes.DUPLICATE_NAME_RENAMED
        node.report(code, name=name, tag=first.tag, line=first.line)
        if node.diagnostics.lenient and not is_ambiguous:
            node.attributes["name"] = _unused_name(f"{name}_{node.tag}", names, _space(node))
            names.nodes[(_space(node), node.attributes["name"])] = node
        return
    _rename(node, name, first, names)


def _rename(node: Node, name: str, first: Node, names: ChildNames) -> None:
    new_name = _unused_name(f"{name}_{node.tag}", names, "")
    old_subjects = node.subjects
    node.attributes["name"] = new_name
    names.nodes[("", new_name)] = node
    node.report(
        codes.NAME_CLASH,
        subjects=(*node.subjects, *old_subjects),
        name=name,
        first_tag=first.tag,
        tag=node.tag,
        new_name=new_name,
    )


def _unused_name(name: str, names: ChildNames, space: str) -> str:
    """Return a name that no element of a name space has: from 0 on, as in libsdformat."""
    return unused_name(
        name,
        lambda name: (space, name) in names.nodes,
        lambda name, attempt: f"{name}{attempt - 1}",
        names.attempts[space],
    )
