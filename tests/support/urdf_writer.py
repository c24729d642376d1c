"""Written documents for the tests of the export to URDF."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import bridge
import loaders
from bridge.targets.urdf import Urdf
from loaders.finish.transform import moved_frames


def written(scene: loaders.Scene, folder: Path, **options: Any) -> tuple[loaders.Scene, Urdf]:
    """The scene that is read from a written document, and the document."""
    urdf = bridge.to_urdf(scene, **options)
    path = folder / "model.urdf"
    path.write_text(urdf)
    for name, data in urdf.assets.items():
        (folder / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "assets" / name).write_bytes(data)
    return loaders.load(path), urdf


def with_old_frames(found: loaders.Scene, urdf: Urdf) -> loaders.Scene:
    """A scene that was read from a document, with the frames of links where the source has them."""
    frames = {urdf.names.get(name, name): X_LN.inverse() for name, X_LN in urdf.frames.items()}
    return moved_frames(found, frames)


def element(given: loaders.Scene, path: str, **options: Any) -> ET.Element:
    """The first element at a path in the document of a scene."""
    found = ET.fromstring(bridge.to_urdf(given, **options)).find(
        path, {"drake": "http://drake.mit.edu"}
    )
    assert found is not None, path
    return found


def read(given: loaders.Scene, **options: Any) -> loaders.Scene:
    """The scene that is read from the document of a scene."""
    return loaders.load_string(bridge.to_urdf(given, **options), format="urdf")


def with_poses(scene: loaders.Scene) -> loaders.Scene:
    """The scene with the poses of links that its joints imply at zero; `random_scene` leaves them
    out.
    """
    poses = bridge.lower(scene).link_poses()
    return dataclasses.replace(
        scene, links=tuple(dataclasses.replace(link, X_WL=poses[link.name]) for link in scene.links)
    )
