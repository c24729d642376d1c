"""``model.config``: the manifest of a model's folder, which names the model file for each version of SDFormat."""

from __future__ import annotations

from pathlib import Path

from loaders.diagnostics import Fate
from loaders.files import is_inside, real_path
from loaders.node import Node
from loaders.sdf.upgrade.versions import NEWEST, Version
from loaders.search.folders import only_model_file
from loaders.xml import parse, read_bytes

_MANIFESTS = ("model.config", "manifest.xml")


def model_file(path: Path, node: Node, *, unsafe_paths: bool = False) -> Path | None:
    """Return the model file that an ``<include>`` refers to; None after a diagnostic.

    Args:
        path: A model file, or a folder whose manifest names one.
        node: The ``<include>``, to report problems.
        unsafe_paths: Whether the manifest may name a file outside its folder.
    """
    if not path.is_dir():
        return path
    manifest = next((path / name for name in _MANIFESTS if (path / name).is_file()), None)
    if manifest is None:
        return _file_without_manifest(path, node)
    if manifest.name != _MANIFESTS[0]:
        node.report(
            Fate.NOTED,
            "sdf.old-manifest",
            "{old_name} is the old name of {new_name}",
            hint="rename the file",
            old_name=manifest.name,
            new_name=_MANIFESTS[0],
        )
    data = read_bytes(manifest, node.diagnostics)
    root = None if data is None else parse(data, str(manifest), node.diagnostics)
    file = None if root is None else _newest_file(root, path)
    if file is None or unsafe_paths or is_inside(real_path(file), (real_path(path),)):
        return file
    template = "{manifest} names the file {file}, which lies outside the folder of the model"
    hint = "name a file in the folder of the model"
    node.invalid("sdf.model-file-outside", template, hint=hint, manifest=manifest, file=file)
    return None


def _file_without_manifest(folder: Path, node: Node) -> Path | None:
    """Report a folder without manifest; return its model file for lenient loading."""
    file = only_model_file(folder)
    name = "" if file is None else file.name
    leniency = "" if file is None else "using {file}"
    message, hint = "folder {folder} has no model.config", "add one, or name the file of the model"
    node.invalid("sdf.no-model-config", message, hint=hint, leniency=leniency, folder=folder, file=name)
    return file if node.diagnostics.lenient else None


def _newest_file(root: Node, folder: Path) -> Path | None:
    """Return the file of the newest version that can be read; an entry without a version has precedence."""
    best: tuple[Version, str] | None = None
    for entry in root.all("sdf"):
        version = _entry_version(entry)
        if version is None:
            return folder / entry.text.strip()
        if version > NEWEST:
            entry.report(
                Fate.ASSUMED,
                "sdf.newer-model-file",
                "ignoring the file for SDFormat {version}, which is newer than 1.12",
                version=entry.attributes["version"],
            )
        elif best is None or version > best[0]:
            best = version, entry.text.strip()
    if best is None:
        root.invalid("sdf.no-model-config", "no <sdf> element names a file that can be read")
        return None
    return folder / best[1]


def _entry_version(entry: Node) -> Version | None:
    words = entry.attributes.get("version", "").strip().split(".")
    if not words[0]:
        return None
    numbers = [int(word[:9]) if word[:9].isdecimal() else 0 for word in (*words, "0")]
    return numbers[0], numbers[1]
