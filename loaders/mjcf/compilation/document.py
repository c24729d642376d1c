"""One tree of elements from an MJCF file and the files that it includes; each element keeps its file and line."""

from __future__ import annotations

import os
from collections.abc import Sequence

from loaders.context import Context
from loaders.node import Node
from loaders.xml import parse, read_bytes

from .paths import FileFinder


def expand_includes(root: Node, folder: str, context: Context, files: FileFinder) -> bool:
    """Replace each ``<include>`` by the content of its file; return whether every file was read.

    As in MuJoCo, a file is searched for beside the main file, then beside the including file, and may be included once.
    Symbolic links to one file are files of their own.

    Args:
        root: The root element of the main file.
        folder: Folder of the main file.
        context: The context of the load.
        files: The search for files.
    """
    pending = _includes(root)
    if not pending:
        return True
    seen: set[str] = set()
    including = frozenset(map(str, context.including))
    succeeded = True
    while pending:
        node = pending.pop(0)
        included = _included(node, folder, seen, including, context, files)
        if included is None:
            succeeded = False
        else:
            pending += _includes(included)
        _replace(node, () if included is None else included.children)
    return succeeded


def _includes(node: Node) -> list[Node]:
    """Return the includes below an element, in document order."""
    found = [each for each in node.subtree() if each.tag == "include" and each is not node]
    return found if len(found) < 2 else [each for each in node.walk() if each.tag == "include" and each is not node]


def _included(
    node: Node, folder: str, seen: set[str], including: frozenset[str], context: Context, files: FileFinder
) -> Node | None:
    """Return the root element of an included file; None, with an error, if it cannot be included.

    Args:
        node: The include.
        folder: Folder of the main file.
        seen: The files that were included, to which this one is added.
        including: Real paths of the files being read.
        context: The context of the load.
        files: The search for files.
    """
    name = node.word("@file")
    if node.children:
        node.invalid("mjcf-in.include", "<include> has no elements of its own", hint="put the elements beside it")
        return None
    if not name:
        return None
    path = files.find_either(name, folder, name, node)
    if path is None or (path not in files.regular and os.path.isdir(path)):
        node.invalid("mjcf-in.include", "the included file {file!r} cannot be read", file=name)
        return None
    place = os.path.abspath(path)
    if place in seen or context.resources.real_paths(place) in including:
        message = "{file!r} is included twice, or includes itself; MuJoCo allows a file once"
        node.invalid("mjcf-in.included-twice", message, hint="remove one of the includes", file=name)
        return None
    seen.add(place)
    data = read_bytes(path, context.diagnostics)
    root = None if data is None else parse(data, path, context.diagnostics)
    if root is not None and not root.children:
        message = "the included file {file!r} has no elements below its root; MuJoCo includes those alone"
        node.invalid("mjcf-in.include", message, hint="put them into a root element <mujocoinclude>", file=name)
    return root


def _replace(node: Node, content: Sequence[Node]) -> None:
    """Put elements in the place of another one."""
    parent = node.parent
    if parent is None:
        return
    place = parent.children.index(node)
    parent.children = [*parent.children[:place], *content, *parent.children[place + 1 :]]
    node.parent = None
    for child in content:
        child.parent = parent
