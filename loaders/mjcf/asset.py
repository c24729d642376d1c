"""Files that an MJCF document names: their paths, search and contents.

MuJoCo opens every path that it reads and caches decoded files by name for the life of the process.
So each file gets the name of its contents, and a missing mesh is replaced by a small box. The same
box takes the place of a mesh that no number of the model depends on, and textures become flat ones,
since to decode them is most of the work of MuJoCo.

MJCF has no packages: a robot's ``xml/robot.xml`` names ``../meshes/arm.obj``, a task's file a robot
several folders up. So a relative name may leave the folder of the main file upwards, if it names a
file of a format of MJCF; not through the home folder or the root. A name in an included or attached
file that counts from the folder of that file obeys the same rule, seen from the main file.
Everything else obeys the rules of `loaders.context`.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import stat
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from loaders.context import Context, Lookup
from loaders.files.read_file import (
    is_file,
    is_inside,
    is_readable,
    note_file,
    read,
    read_end,
    read_start,
    real_path,
)
from loaders.limits import FileError
from loaders.meshes.mesh_data import HEADER, SUFFIX, has_triangles
from loaders.mjcf import codes
from loaders.model import Settings
from loaders.node import Node, detach_all

MAX_LEVELS = 6
"""Largest number of folders that a relative name may go up."""
_SUFFIXES = frozenset(
    {"xml", "mjcf", "obj", "stl", "msh", "png", "ktx", "bin", "hf", "skn", "gmsh"}
)
"""Suffixes of the formats of MJCF."""


_CANCELLED = re.compile(r"(?<!\.\.)[/\\]\.\.(?:[/\\]|$)")
"""A ``..`` after the name of a folder."""


class _Folder(NamedTuple):
    """A folder that names lead to."""

    place: str
    """Its path, with a separator at the end."""
    root: str
    """Absolute path of the folder in whose real path files may be read."""
    levels: int
    """How far that one lies above the folder of the main file; if it does, only files of MJCF's
    formats may be read."""


@dataclass(frozen=True, slots=True, eq=False)
class FileFinder:
    """The search for the files of one load; each folder is examined once."""

    context: Context
    """The context of the load."""
    start: str
    """Folder of the main file, from which names may lead up."""
    _folders: dict[tuple[str, str], _Folder | None] = field(default_factory=dict)
    """The folders that were examined; None where `Resources.find` decides."""
    _absolute: dict[str, str] = field(default_factory=dict)
    """The absolute path of each folder that was given."""
    _roots: dict[str, str | None] = field(default_factory=dict)
    """Real paths of the folders up to which names lead; None where no file may be read."""
    regular: dict[str, os.stat_result] = field(default_factory=dict)
    """Status of each file that was found as a regular one, and no symbolic link, by its path."""

    def find(self, name: str, folder: str, node: Node) -> str | None:
        """Return the file of a name, or None; report a failure.

        Args:
            name: The name in the document.
            folder: Folder to which a relative name refers.
            node: The element that has the name.
        """
        name = _reduced(name)
        place = self._at_hand(name, folder, node)
        if place is not None:
            return place
        path = self.context.resources.find(name, Path(folder), node)
        return None if path is None else str(path)

    def find_either(self, name: str, folder: str, uri: str, node: Node) -> str | None:
        """Return the file of a name, or None; report a failure.

        As MuJoCo does, a file is searched for in the folder of the main file, then beside the file
        that names it.

        Args:
            name: The name relative to the folder of the main file.
            folder: Folder of the main file.
            uri: The name relative to the folder of the file that has it.
            node: The element that has the name.
        """
        name = _reduced(name)
        place = self._at_hand(name, folder, node)
        if place is not None:
            return place
        beside, uri = os.path.dirname(node.file), _reduced(uri)
        is_beside = beside != folder and not _exists(os.path.join(folder, name))
        if is_beside and _exists(os.path.join(beside, uri)):
            return self.find(uri, beside, node)
        return self.find(name, folder, node)

    def _at_hand(self, name: str, folder: str, node: Node) -> str | None:
        """Return the file of a name, if it exists in a folder that may be read; else
        `Resources.find` decides.
        """
        slash = max(name.rfind("/"), name.rfind("\\")) + 1
        head, file = name[:slash], name[slash:]
        if (folder, head) not in self._folders:
            plain = head.replace("\\", "/")
            self._folders[folder, head] = self._examined(
                self._absolute_of(folder), plain.rstrip("/") or plain
            )
        known = self._folders[folder, head]
        if known is None:
            return None
        place = known.place + file
        if not self._may_be_read(place, file, known):
            return None
        note_file(place)
        self.context.resources.lookups.append(
            Lookup(uri=name, file=node.file, line=node.line, places=(place,))
        )
        return place

    def _may_be_read(self, place: str, file: str, folder: _Folder) -> bool:
        """Return whether a file in a folder exists and may be read; it is looked at once.

        Args:
            place: The file.
            file: Its name without the folder.
            folder: The folder.
        """
        is_fitting = not folder.levels or _is_format(file)
        try:
            status = os.lstat(place)
        except (OSError, ValueError):
            return is_fitting and is_file(place)  # it may lie in an archive
        if not is_fitting:
            return False
        resources, root = self.context.resources, self._real_root(folder.root, folder.levels)
        real = os.path.join(resources.real_paths.folder(os.path.dirname(place)), file)
        if stat.S_ISREG(status.st_mode):
            self.regular[place] = status
        elif stat.S_ISLNK(status.st_mode) and os.path.isfile(real):
            real = real_path(real)
        else:
            return False
        if root is None or not is_inside(real, (root,)):
            return False
        resources.check(place, real)
        return not folder.levels or _is_format(os.path.basename(real))

    def _examined(self, base: str, head: str) -> _Folder | None:
        """Return the folder that a relative name leads to, if its files may be read; else None.

        Args:
            base: Absolute path of the folder to which the name refers.
            head: The folders in the name, with slashes between them.
        """
        resources = self.context.resources
        if os.path.isabs(head) or "$" in head or ":" in head or "" in resources.schemes:
            return None
        parts = [part for part in head.split("/") if part not in {"", "."}]
        folder = os.path.join(base, *parts, "")
        place = os.path.normpath(folder) + os.sep
        root, levels = self._absolute_of(self.start), 0
        while not place.startswith(root + os.sep) and root != (above := os.path.dirname(root)):
            root, levels = above, levels + 1
        if levels and _is_hidden([*place[len(os.path.dirname(root)) :].split(os.sep), *parts]):
            return None
        if not levels and (
            resources.main is None or base != self._absolute_of(os.path.dirname(resources.main))
        ):
            return None
        if not (
            base == root and _leads_straight(base, parts)
        ):  # else it lies in the root, whose links do not matter
            real_root = self._real_root(root, levels)
            if real_root is None or not is_inside(self._followed(base, parts), (real_root,)):
                return None
        return _Folder(folder, root, levels)

    def _absolute_of(self, folder: str) -> str:
        if folder not in self._absolute:
            self._absolute[folder] = os.path.abspath(folder)
        return self._absolute[folder]

    def _real_root(self, root: str, levels: int) -> str | None:
        """Return the real path of a folder, if files in it may be read.

        Args:
            root: Absolute path of the folder.
            levels: How far it lies above that of the main file.
        """
        if root not in self._roots:
            self._roots[root] = self._found_root(root, levels)
        return self._roots[root]

    def _found_root(self, root: str, levels: int) -> str | None:
        real_path_of = self.context.resources.real_paths.folder
        if not levels:
            return real_path_of(root)
        if levels > MAX_LEVELS or root == os.path.dirname(root):
            return None
        real, home = real_path_of(root), real_path_of(os.path.expanduser("~"))
        return None if is_inside(home, (real,)) else real

    def _followed(self, base: str, parts: list[str]) -> str:
        """Return the real path of a folder, given by its path from another one."""
        real_path_of = self.context.resources.real_paths.folder
        real = real_path_of(base)
        for part in parts:
            real = os.path.dirname(real) if part == ".." else real_path_of(os.path.join(real, part))
        return real


def _leads_straight(folder: str, parts: list[str]) -> bool:
    """Return whether the way from a folder down to another one goes through no symbolic link."""
    for part in parts:
        folder = os.path.join(folder, part)
        if part == ".." or os.path.islink(folder):
            return False
    return True


def _exists(path: str) -> bool:
    return os.path.exists(path) or is_file(path)


def _reduced(name: str) -> str:
    """Return a name without a folder and the ``..`` after it: MuJoCo cancels both as text, so it
    need not exist.
    """
    if ".." not in name or ":" in name or not _CANCELLED.search(name):
        return name
    return posixpath.normpath(name.replace("\\", "/"))


def _is_hidden(parts: Iterable[str]) -> bool:
    """Return whether a part of a path begins with a dot."""
    return any(part[:1] == "." and part != ".." for part in parts)


def _is_format(file: str) -> bool:
    """Return whether a name is that of a file of MJCF's formats that is not hidden."""
    stem, _, suffix = file.rpartition(".")
    return suffix.lower() in _SUFFIXES and stem[:1] not in {"", "."}


_DATA = frozenset({"mesh", "hfield", "flexcomp", "flex", "skin"})
"""Elements with one file that MuJoCo decodes."""
_FLAT = {"builtin": "flat", "width": "1", "height": "1"}
_NAMES_OF_TEXTURE = frozenset({"class", "content_type", "embed"})
"""Attributes of a texture that say nothing about its looks."""
_KEPT_OF_TEXTURE = ("name", "type", "rgb1", "rgb2", "colorspace", "nchannel")
_FILES = frozenset(
    {"file", *(f"file{side}" for side in ("right", "left", "up", "down", "front", "back"))}
)
"""Attributes that name a file."""
_ALWAYS = frozenset({"texture"})
"""Elements that are changed even if they name no file."""
_STAND_IN = "stand_in.obj"
_BOX = "\n".join(
    (
        *(f"v {x} {y} {z}" for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.05, 0.05)),
        *("f 1 2 4 3", "f 5 7 8 6", "f 1 5 6 2", "f 3 4 8 7", "f 1 3 7 5", "f 2 6 8 4"),
    )
).encode()
_STAND_IN_FIELD = "stand_in.bin"
_END_OF_OBJ = 4096
"""Number of bytes at the end of an OBJ file in which a face is looked for."""
_START_OF_PNG = 1024
"""Number of bytes at the start of a PNG file in which the statement on its colors lies."""
_FIELD = b"".join(n.to_bytes(4, "little") for n in (2, 2)) + bytes(16)
"""A height field of two rows and two columns in MuJoCo's own format."""


class MjcfAsset(NamedTuple):
    """A file of the model."""

    uri: str
    """The name in the document."""
    path: str | None
    """The file, or None if it was not found."""


class _Deferred(NamedTuple):
    """A file that MuJoCo gets if a number depends on it."""

    path: str
    """The file."""
    stand_in: str
    """Name that MuJoCo got."""
    node: Node
    """The element that names it."""


@dataclass(slots=True, eq=False)
class Assets:
    """The files of one load."""

    contents: dict[str, bytes] = field(default_factory=dict)
    """Contents of each file, by the name that MuJoCo gets."""
    files: dict[str, MjcfAsset] = field(default_factory=dict)
    """File of each of these names."""
    textures: dict[str, MjcfAsset] = field(default_factory=dict)
    """File of each texture, by the name of the texture."""
    pictures: dict[Node, Settings] = field(default_factory=dict)
    """Statements of each texture, with the paths of its files, all of which were found."""
    defers: bool = False
    """Whether files are read only if a number of the compiled model depends on them."""
    _deferred: dict[tuple[str, str], _Deferred] = field(default_factory=dict)
    """The files that were not read, by kind and name of the element."""

    def has_deferred(self) -> bool:
        """Return whether a file was not read that MuJoCo gets if a number depends on it."""
        return bool(self._deferred)

    def collect(self, root: Node, nodes: Iterable[Node], folder: str, files: FileFinder) -> None:
        """Read every file that a document names, and replace the names.

        Args:
            root: The root element, without includes.
            nodes: All elements.
            folder: Folder of the main file.
            files: The search for files.
        """
        folders = _Folders.of(root)
        named = [
            node for node in nodes if node.tag in _ALWAYS or not _FILES.isdisjoint(node.attributes)
        ]
        refused = []
        for node in named:
            tag = node.tag
            if tag == "texture":
                self._flatten(node, folders, folder, files)
            elif tag in _DATA and "file" in node.attributes:
                if not self._take(node, folders, folder, files):
                    refused.append(node)
            elif tag != "model":
                node.report(codes.FILE, tag=tag)
        detach_all(refused)

    def _take(self, node: Node, folders: _Folders, folder: str, files: FileFinder) -> bool:
        """Read the file of a mesh, a height field, a skin or a soft body; return False for a skin
        that cannot be read, which nothing can stand for.
        """
        attributes = node.attributes
        uri = attributes["file"]
        path = folders.find(node, node.tag, folder, files)
        if node.tag in {"mesh", "hfield"} and "name" not in attributes:
            attributes["name"] = _parts(uri)[0]
        is_deferred = (
            self.defers and path is not None and _may_wait(path, node, files.regular.get(path))
        )
        data = None if path is None or is_deferred else _contents(path, node)
        if node.tag == "skin" and (data is None or not _is_skin(data)):
            node.report(codes.SKIN, name=attributes.get("name", uri))
            return False
        if data is None:
            name = self._stand_in(node)
        else:
            name = _name_of(data, uri, node)
            self.contents[name] = data
        if is_deferred and path is not None:
            self._deferred[node.tag, attributes["name"]] = _Deferred(path, name, node)
        self.files[name] = MjcfAsset(uri, path if is_deferred or data is not None else None)
        attributes["file"] = name
        return True

    def _stand_in(self, node: Node) -> str:
        """Return the name of a small shape that takes the place of a file."""
        is_field = node.tag == "hfield"
        node.attributes.pop("content_type", None)
        name = f"{len(self.files)}_{_STAND_IN_FIELD if is_field else _STAND_IN}"
        self.contents[name] = _FIELD if is_field else _BOX
        return name

    def fetch(self, kind: str, name: str) -> tuple[str, bytes] | None:
        """Read the file of a mesh or a height field after all, and return the name that MuJoCo
        gets, and its contents.

        The result is None if the file was read before, or cannot be read, which is reported.

        Args:
            kind: ``mesh`` or ``hfield``.
            name: Name of the element.
        """
        deferred = self._deferred.pop((kind, name), None)
        data = None if deferred is None else _contents(deferred.path, deferred.node)
        if deferred is None or data is None:
            return None
        asset = self.files[deferred.stand_in]
        file = _name_of(data, asset.uri, deferred.node)
        self.contents[file], self.files[file] = data, asset
        return file, data

    def _flatten(self, node: Node, folders: _Folders, folder: str, files: FileFinder) -> None:
        """Replace a texture by one of a single pixel, and keep its file."""
        stated = dict(node.attributes)
        for key in sorted(_FILES & stated.keys()):
            path = folders.find(node, "texture", folder, files, key)
            if key == "file":
                name = node.attributes.setdefault("name", _parts(stated[key])[0])
                self.textures[name] = MjcfAsset(stated[key], path)
            stated[key] = path or ""
        paths = [stated[key] for key in sorted(_FILES & stated.keys())]
        if "colorspace" not in stated and any(map(_states_srgb, paths)):
            stated["colorspace"] = "sRGB"
        if all(paths):
            self.pictures[node] = tuple(
                (key, text) for key, text in stated.items() if key not in _NAMES_OF_TEXTURE
            )
        kept = {key: node.attributes[key] for key in _KEPT_OF_TEXTURE if key in node.attributes}
        node.attributes = kept | _FLAT


@dataclass(frozen=True, slots=True)
class _Folders:
    """The folders of ``<compiler>``; the last statement counts."""

    mesh: str
    """Folder of meshes and other files, with a slash at its end unless it is empty."""
    texture: str
    """Folder of textures, likewise."""
    strip: bool
    """Whether the folders in names are left out."""

    @classmethod
    def of(cls, root: Node) -> _Folders:
        """Return the folders of a document, and remove them from it."""
        stated: dict[str, str] = {}
        for compiler in (child for child in root.children if child.tag == "compiler"):
            for key in ("meshdir", "texturedir", "assetdir", "strippath"):
                if key in compiler.attributes:
                    stated[key] = compiler.attributes.pop(key)
        if not stated:
            return _SAME_FOLDER
        asset = stated.get("assetdir", "")
        mesh, texture = stated.get("meshdir", asset), stated.get("texturedir", asset)
        mesh, texture = (
            posixpath.join(folder.replace("\\", "/"), "") for folder in (mesh, texture)
        )
        return cls(mesh, texture, stated.get("strippath") == "true")

    def find(
        self, node: Node, kind: str, folder: str, files: FileFinder, key: str = "file"
    ) -> str | None:
        """Return the file that an element names, or None; report a failure.

        MuJoCo searches below the folder of the main file, then beside the included file that names
        it.

        Args:
            node: The element.
            kind: Its tag.
            folder: Folder of the main file.
            files: The search for files.
            key: The attribute that names the file.
        """
        uri = node.attributes[key]
        name = self.name(uri, kind)
        return (
            files.find(name, folder, node)
            if self.strip
            else files.find_either(name, folder, uri, node)
        )

    def name(self, uri: str, kind: str) -> str:
        """Return the path of a file relative to the folder of the main file.

        Args:
            uri: The name in the document.
            kind: Tag of the element; all but ``texture`` have the folder of meshes.
        """
        path = uri.replace("\\", "/")
        path = PurePosixPath(path).name if self.strip else path
        folder = self.texture if kind == "texture" else self.mesh
        name = path if path.startswith("/") else folder + path
        parts = f"/{name}/"
        return str(PurePosixPath(name)) if "//" in parts or "/./" in parts else name


_SAME_FOLDER = _Folders("", "", strip=False)


def _parts(uri: str) -> tuple[str, str]:
    """Return the name of a file without folders and suffix, and its suffix."""
    name = uri[max(uri.rfind("/"), uri.rfind("\\")) + 1 :]
    stem, _, suffix = name.rpartition(".")
    if stem and suffix:
        return stem, f".{suffix}"
    path = PurePosixPath(uri.replace("\\", "/"))
    return path.stem, path.suffix


def _may_wait(path: str, node: Node, status: os.stat_result | None) -> bool:
    """Return whether a file need not be read unless MuJoCo computes a number from it.

    The heights of a field become a picture of ours unless they are one, and so do the triangles of
    an OBJ or MSH file without faces, for which MuJoCo takes the convex hull.

    Args:
        path: The file.
        node: The element that names it.
        status: Its status, if it is known.
    """
    suffix = os.path.splitext(path)[1].lower()
    if "content_type" in node.attributes:
        return False
    if node.tag == "hfield":
        return suffix == ".png" and is_readable(path, option="mesh_file_bytes", status=status)
    if node.tag != "mesh":
        return False
    if suffix == ".obj":
        return b"\nf" in _part(read_end, path, _END_OF_OBJ)
    if suffix == SUFFIX:
        return has_triangles(_part(read_start, path, HEADER.size))
    return suffix == ".stl" and is_readable(path, option="mesh_file_bytes", status=status)


_SKIN_HEADER = struct.Struct("<4i")
"""Numbers of vertices, texture coordinates, triangles and bones of a skin."""
_BONE = struct.Struct("<40s7fi")
"""Name, position, quaternion and number of vertices of a bone of a skin."""


def _is_skin(data: bytes) -> bool:
    """Return whether the counts that a file of a skin states fit its length."""
    if len(data) < _SKIN_HEADER.size:
        return False
    vertices, coordinates, faces, bones = _SKIN_HEADER.unpack_from(data)
    if min(vertices, faces, bones) < 1 or coordinates not in {0, vertices}:
        return False
    place = _SKIN_HEADER.size + 4 * (3 * vertices + 2 * coordinates + 3 * faces)
    for _ in range(bones):
        if place + _BONE.size > len(data):
            return False
        count = _BONE.unpack_from(data, place)[-1]
        place += _BONE.size + 8 * count
        if count < 1:
            return False
    return bool(place == len(data))


def _states_srgb(path: str) -> bool:
    """Return whether a PNG file says that its colors are of sRGB, which MuJoCo heeds."""
    return path.lower().endswith(".png") and b"sRGB" in _part(read_start, path, _START_OF_PNG)


def _part(read_part: Callable[..., bytes], path: str, count: int) -> bytes:
    """Return the first or the last bytes of a file; none if it cannot be read."""
    try:
        return read_part(path, count, option="mesh_file_bytes")
    except FileError:
        return b""


def _name_of(data: bytes, uri: str, node: Node) -> str:
    """Return the name of contents for MuJoCo, whose cache of decoded meshes neglects ``refpos`` and
    ``refquat``.
    """
    key = hashlib.sha256(data)
    for attribute in ("refpos", "refquat"):
        key.update(node.attributes.get(attribute, "").encode())
    return key.hexdigest()[:24] + _parts(uri)[1].lower()


def _contents(path: str, node: Node) -> bytes | None:
    try:
        data = read(path, option="mesh_file_bytes")
    except FileError as error:
        node.report(error.code, hint=error.hint, reason=error.reason)
        return None
    node.diagnostics.spend("files", 1)
    node.diagnostics.spend("bytes", len(data))
    return data
