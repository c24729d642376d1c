"""The files that an MJCF document names: found and read by us, and handed to MuJoCo under names of their contents.

MuJoCo opens every path that it reads and caches decoded files by name for the life of the process. So each file gets
the name of its contents, a missing mesh is replaced by a small box, and textures, which MuJoCo need not decode to
compile a model, become flat ones.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.files import FileError, read
from loaders.node import Node

from .paths import find_file

_DATA = frozenset({"mesh", "hfield", "flexcomp", "flex"})
"""Elements with one file that MuJoCo decodes."""
_FLAT = {"builtin": "flat", "width": "1", "height": "1"}
_KEPT_OF_TEXTURE = ("name", "type", "rgb1", "rgb2", "colorspace", "nchannel")
_STAND_IN = "stand_in.obj"
_BOX = "\n".join(
    (
        *(f"v {x} {y} {z}" for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.05, 0.05)),
        *("f 1 2 4 3", "f 5 7 8 6", "f 1 5 6 2", "f 3 4 8 7", "f 1 3 7 5", "f 2 6 8 4"),
    )
)
_STAND_IN_FIELD = "stand_in.bin"
_FIELD = b"".join(n.to_bytes(4, "little") for n in (2, 2)) + bytes(16)
"""A height field of two rows and two columns in MuJoCo's own format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file of the model."""

    uri: str
    """The name in the document."""
    path: str | None
    """The file, or None if it was not found."""


@dataclass(frozen=True, slots=True)
class Assets:
    """The files of one load."""

    contents: dict[str, bytes] = field(default_factory=dict)
    """Contents of each file, by the name that MuJoCo gets."""
    files: dict[str, Asset] = field(default_factory=dict)
    """File of each of these names."""
    textures: dict[str, Asset] = field(default_factory=dict)
    """File of each texture, by the name of the texture."""

    def collect(self, root: Node, folder: Path, context: Context) -> None:
        """Read every file that a document names, and replace the names.

        Args:
            root: The root element, without includes.
            folder: Folder of the main file.
            context: The context of the load.
        """
        folders = _Folders.of(root)
        for node in list(root.walk()):
            if node.tag == "skin":
                node.report(Fate.NOTED, "mjcf-in.skin", "the skin is not carried; the bodies that move it are")
                node.detach()
            elif node.tag == "texture":
                self._flatten(node, folders, folder, context)
            elif node.tag in _DATA and "file" in node.attributes:
                self._take(node, folders, folder, context)
            elif node.tag != "model" and any(key.startswith("file") for key in node.attributes):
                node.invalid("mjcf-in.file", "<{tag}> cannot name a file", tag=node.tag)

    def _take(self, node: Node, folders: _Folders, folder: Path, context: Context) -> None:
        """Read the file of a mesh, a height field or a soft body."""
        uri = node.attributes["file"]
        path = find_file(folders.name(uri, "mesh" if node.tag == "mesh" else ""), folder, node, context)
        data = None if path is None else _contents(path, node)
        if node.tag in {"mesh", "hfield"}:
            node.attributes.setdefault("name", PurePosixPath(uri.replace("\\", "/")).stem)
        if data is None:
            name = _STAND_IN_FIELD if node.tag == "hfield" else _STAND_IN
            node.attributes.pop("content_type", None)
            name = f"{len(self.files)}_{name}"
            self.contents[name] = _FIELD if node.tag == "hfield" else _BOX.encode()
        else:
            name = hashlib.sha256(data).hexdigest()[:24] + PurePosixPath(uri.replace("\\", "/")).suffix.lower()
            self.contents[name] = data
        self.files[name] = Asset(uri=uri, path=None if data is None else str(path))
        node.attributes["file"] = name

    def _flatten(self, node: Node, folders: _Folders, folder: Path, context: Context) -> None:
        """Replace a texture by one of a single pixel, and keep its file."""
        uri = node.attributes.get("file", "")
        if uri:
            name = node.attributes.setdefault("name", PurePosixPath(uri.replace("\\", "/")).stem)
            path = find_file(folders.name(uri, "texture"), folder, node, context)
            self.textures[name] = Asset(uri=uri, path=None if path is None else str(path))
        kept = {key: node.attributes[key] for key in _KEPT_OF_TEXTURE if key in node.attributes}
        node.attributes.clear()
        node.attributes.update(kept | _FLAT)


@dataclass(frozen=True, slots=True)
class _Folders:
    """The folders of ``<compiler>``; the last statement counts."""

    mesh: str
    texture: str
    asset: str
    strip: bool

    @classmethod
    def of(cls, root: Node) -> _Folders:
        """Return the folders of a document, and remove them from it."""
        stated: dict[str, str] = {}
        for compiler in (child for child in root.children if child.tag == "compiler"):
            for key in ("meshdir", "texturedir", "assetdir", "strippath"):
                if key in compiler.attributes:
                    stated[key] = compiler.attributes.pop(key)
        asset = stated.get("assetdir", "")
        mesh, texture = stated.get("meshdir", asset), stated.get("texturedir", asset)
        return cls(mesh, texture, mesh, stated.get("strippath") == "true")

    def name(self, uri: str, kind: str) -> str:
        """Return the path of a file relative to the folder of the main file.

        Args:
            uri: The name in the document.
            kind: ``mesh`` or ``texture``; another kind has the folder of meshes.
        """
        path = uri.replace("\\", "/")
        path = PurePosixPath(path).name if self.strip else path
        folder = {"mesh": self.mesh, "texture": self.texture}.get(kind, self.asset).replace("\\", "/")
        return str(PurePosixPath(folder) / path)


def _contents(path: Path, node: Node) -> bytes | None:
    try:
        data = read(path, option="mesh_file_bytes")
    except FileError as error:
        node.invalid(error.code, "cannot read the file: {reason}", hint=error.hint, reason=error.reason)
        return None
    node.diagnostics.spend("files", 1)
    node.diagnostics.spend("bytes", len(data))
    return data
