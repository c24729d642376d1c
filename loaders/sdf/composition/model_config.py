"""``model.config``: which file of a model's folder to read."""

from __future__ import annotations

from pathlib import Path

from loaders.diagnostics import Fate
from loaders.node import Node
from loaders.xml import parse, read_bytes

Version = tuple[int, int]

NEWEST: Version = (1, 12)
"""Of the specification: what everything is brought to."""
_MANIFESTS = ("model.config", "manifest.xml")


def model_file(path: Path, node: Node) -> Path | None:
    """The model file that an ``<include>`` means: a file itself, or the one that the folder's manifest chooses."""
    if not path.is_dir():
        return path
    manifest = next((path / name for name in _MANIFESTS if (path / name).is_file()), None)
    if manifest is None:
        node.invalid("sdf.no-model-config", "the folder {path} holds no model.config", path=path)
        return None
    if manifest.name != _MANIFESTS[0]:
        node.report(
            Fate.NOTED,
            "sdf.old-manifest",
            "{manifest} is the old name of {manifests}",
            manifest=manifest.name,
            manifests=_MANIFESTS[0],
        )
    data = read_bytes(manifest, node.diagnostics)
    root = None if data is None else parse(data, str(manifest), node.diagnostics)
    return None if root is None else _chosen(root, path)


def _chosen(root: Node, folder: Path) -> Path | None:
    """The entry of the greatest version up to the newest; one without a version comes before all."""
    best: tuple[Version, str] | None = None
    for entry in root.all("sdf"):
        version = _version(entry)
        if version is None:
            return _named(entry, folder)
        if version > NEWEST:
            entry.report(
                Fate.ASSUMED,
                "sdf.newer-model-file",
                "the file for version {attributes} is newer than 1.12; it is not used",
                attributes=entry.attributes["version"],
            )
        elif best is None or version > best[0]:
            best = version, entry.text.strip()
    if best is None:
        root.invalid("sdf.no-model-config", "no <sdf> names a file that can be read")
        return None
    return folder / best[1]


def _named(entry: Node, folder: Path) -> Path:
    return folder / entry.text.strip()


def _version(entry: Node) -> Version | None:
    words = entry.attributes.get("version", "").strip().split(".")
    if not words[0]:
        return None
    numbers = [int(word) if word.isdecimal() else 0 for word in (*words, "0")]
    return numbers[0], numbers[1]
