"""Everything that MuJoCo gets for one load: the texts of the document and of the models that it attaches, and files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from loaders.context import MAX_INCLUDE_DEPTH, Context
from loaders.node import Node
from loaders.xml import model_in, parse, read_bytes

from .assets import Assets
from .document import Contents, expand_includes
from .guards import NOTHING, Size, check
from .paths import FileFinder
from .text import LineMap

_OPENING = "mujoco"
_MISSING = "model_missing.xml"
"""Name of the empty model that takes the place of those that cannot be read."""


@dataclass(slots=True, eq=False)
class Inputs:
    """The texts and files of one load."""

    context: Context
    """The context of the load."""
    whole: bool = False
    """Whether every file is read, and not only those on which a number of the compiled model depends."""
    assets: Assets = field(default_factory=Assets)
    """The files."""
    models: dict[str, str] = field(default_factory=dict)
    """Texts of the attached models, by the name that MuJoCo gets."""
    lines: LineMap = field(default_factory=LineMap)
    """The element of each line."""
    files: FileFinder = field(init=False)
    """The search for files, which begins at the main file."""
    _sizes: dict[str, Size] = field(default_factory=dict)
    """The size of what each document makes, by its file."""
    _names: dict[str, str] = field(default_factory=dict)
    """Name that MuJoCo gets of each attached file."""

    def add(self, root: Node, chain: tuple[Path, ...] = ()) -> str:
        """Prepare a document, with the models that it attaches, and return its text.

        Args:
            root: Its root element.
            chain: Real paths of the models that attach it, outermost first.
        """
        folder, diagnostics = os.path.dirname(root.file) or os.curdir, self.context.diagnostics
        if not chain:
            self.files = FileFinder(self.context, folder)
        nodes = root.subtree()
        tags = {node.tag for node in nodes}
        if "include" in tags:
            expand_includes(root, folder, self.context, self.files)
            nodes = root.subtree()
            tags = {node.tag for node in nodes}
        models = _models(nodes) if "model" in tags else []
        if not chain:  # MuJoCo reads the files of soft bodies, and of models to attach, before it compiles
            self.assets.defers = not (self.whole or models or "flexcomp" in tags)
        sizes = {name: self._attach(node, folder, chain) for name, node in models}
        contents = Contents.of(nodes, tags)
        self.assets.collect(root, nodes, folder, self.files)
        size = self._sizes[root.file] = check(root, sizes, contents, is_main=not chain)
        diagnostics.spend("elements", size.elements)
        return self.lines.write(root, contents)

    def _attach(self, node: Node, folder: str, chain: tuple[Path, ...]) -> Size:
        """Read a model to attach; return the size of what it makes."""
        file = node.word("@file")
        if not file:
            return self._empty_model(node)
        path = self.files.find(file, folder, node)
        real = None if path is None else Path(path).resolve()
        if path is None or real is None:
            return self._unreadable(node, file)
        path = model_in(path, node.where, node.diagnostics)
        if path is None:
            return self._empty_model(node)
        if real in chain or real in self.context.including or len(chain) >= MAX_INCLUDE_DEPTH:
            message = "the model attaches itself, or models are nested too deep: {chain}"
            node.invalid("file.include-cycle", message, chain=" -> ".join(p.name for p in (*chain, real)))
            return NOTHING
        if path not in self._names:
            data = read_bytes(path, node.diagnostics)
            root = None if data is None else parse(data, path, node.diagnostics)
            if root is None or root.tag != _OPENING:
                return self._unreadable(node, path)
            name = self._names[path] = f"model_{len(self._names)}.xml"
            self.models[name] = self.add(root, (*chain, real))
        node.attributes["file"] = self._names[path]
        return self._sizes[path]

    def _unreadable(self, node: Node, file: str) -> Size:
        """Report a model that cannot be read."""
        node.invalid("mjcf-in.include", "the included file {file!r} cannot be read", file=file)
        return self._empty_model(node)

    def _empty_model(self, node: Node) -> Size:
        """Give MuJoCo an empty model in place of one with an error, so that it finds what else is wrong."""
        if _MISSING not in self.models:
            empty = parse(b"<mujoco/>", node.file, node.diagnostics)
            self.models[_MISSING] = "" if empty is None else self.lines.write(empty, Contents.of([empty], {empty.tag}))
        node.attributes["file"] = _MISSING
        return NOTHING


def _models(nodes: list[Node]) -> list[tuple[str, Node]]:
    """Return the models that a document declares for attachment, by name."""
    declared = [
        node for node in nodes if node.tag == "model" and node.parent is not None and node.parent.tag == "asset"
    ]
    return [(node.attributes.get("name", ""), node) for node in declared]
