"""What the specification demands of names, by the version that the file was written in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loaders.diagnostics import Fate
from loaders.model import WORLD
from loaders.node import Node
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.sdf.composition.model_config import NEWEST, Version

_SCOPED_NAMES_END = (1, 8)
"""From this version on ``::`` is not allowed in names."""
_CLASHES_END = (1, 7)
"""Before this version a joint could be called like a link."""

_IN_WORLD = ("model", "joint", "frame", "light", "physics")
"""Kinds in the order in which a world gives their names away; a model goes by the order of the document."""
_IN_MODEL = frozenset({"link", "model", "joint", "frame"})
"""What shares one name space."""
_IN_LINK = ("collision", "visual", "light", "sensor", "projector", "particle_emitter")
_NAMED = {
    "sdf": ("world", "model", "light"),
    "world": _IN_WORLD,
    "model": tuple(_IN_MODEL),
    "link": _IN_LINK,
    "joint": ("sensor",),
}
_OPTIONAL = frozenset({"physics"})
_RENAMED = frozenset({"link", "joint", "frame"})


def check_names(root: Node, versions: Mapping[str, Version]) -> None:
    """Report names that are missing, reserved, taken or scoped; before 1.7, rename what clashes."""
    outermost = versions[root.file]
    for parent in _parents(root):
        taken: dict[tuple[str, str], Node] = {}
        for node in _in_order(parent):
            own = versions.get(node.file, NEWEST)
            _check(node, own, max(own, outermost), taken)


def _in_order(parent: Node) -> list[Node]:
    named = [child for child in parent.children if child.tag in _NAMED[parent.tag]]
    if parent.tag == "world":
        named.sort(key=lambda child: _IN_WORLD.index(child.tag))
    return named


def _parents(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(child for child in reversed(node.children) if child.tag in _NAMED)


def _check(node: Node, version: Version, newest: Version, taken: dict[tuple[str, str], Node]) -> None:
    """Check one name; ``newest`` is the newest version of the file and of the one that includes it."""
    name = node.attributes.get("name", "").strip()
    if not name:
        if node.tag not in _OPTIONAL:
            node.invalid("sdf.no-name", "<{tag}> needs a name", tag=node.tag)
        return
    if name == WORLD or (len(name) >= 4 and name.startswith("__") and name.endswith("__")):
        node.invalid("sdf.reserved-name", "the name {name!r} is reserved", hint="rename it", name=name)
    if SEPARATOR in name and newest >= _SCOPED_NAMES_END:
        node.invalid(
            "sdf.scoped-name",
            "the name {name!r} holds ::, which version {newest}.{newest_2} does not allow",
            hint="nest the models",
            name=name,
            newest=newest[0],
            newest_2=newest[1],
        )
    _claim(node, name, version, taken)


def _claim(node: Node, name: str, version: Version, taken: dict[tuple[str, str], Node]) -> None:
    space = "" if node.tag in _IN_MODEL else node.tag
    first = taken.setdefault((space, name), node)
    if first is node:
        return
    if first.tag == node.tag or version >= _CLASHES_END or node.tag not in _RENAMED:
        node.invalid(
            "sdf.duplicate-name",
            "the name {name!r} is taken by the <{tag}> of line {line}",
            hint="rename one of them",
            name=name,
            tag=first.tag,
            line=first.line,
        )
        return
    new = _free_name(f"{name}_{node.tag}", taken)
    node.attributes["name"] = new
    taken[(space, new)] = node
    node.report(
        Fate.ASSUMED,
        "sdf.name-clash",
        "the name {name!r} is taken by a <{tag}>; this <{tag_2}> is now called {new!r}",
        hint="rename one of them; references keep their meaning",
        name=name,
        tag=first.tag,
        tag_2=node.tag,
        new=new,
    )


def _free_name(name: str, taken: Mapping[tuple[str, str], Node]) -> str:
    number, free = 0, name
    while ("", free) in taken:
        free, number = f"{name}{number}", number + 1
    return free
