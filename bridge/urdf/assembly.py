"""A scene of several kinematic trees: a URDF for each, and directives that place them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from bridge.diff.renaming import renamed
from bridge.export.assembly.assembled import AssemblyContents, Document, assembly_contents
from bridge.export.assembly.document import Placed
from bridge.export.assembly.parts import trees_of
from bridge.export.documents.contents import AnyBuilt, Format
from bridge.export.documents.filter_groups import with_filter_groups
from loaders.diagnostics import ExportError
from loaders.model import WORLD
from loaders.scene import Scene
from loaders.scene_operations.link_frames import moved_frames
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import IDENTITY, Pose

from .build import Built, build
from .options import EXTENSIONS

_SOLVED = frozenset({"urdfout.root-pose"})
"""Findings about a pose of a root, which directives state."""


def urdf_assembly(
    scene: Scene, keywords: Mapping[str, Any], function: str, changed: Mapping[str, object], package: str = ""
) -> AssemblyContents:
    """Return the files of a scene, with a URDF for each of its kinematic trees.

    Args:
        scene: The scene.
        keywords: Options of `bridge.to_urdf`.
        function: Name of the function that exports, for the README.
        changed: The options that differ from their defaults, for the README.
        package: Name of the package; by default that of the scene.

    Raises:
        ExportError: if URDF cannot represent a tree; with ``strict``, if anything is lost.
    """
    lenient = {key: value for key, value in keywords.items() if key not in ("strict", "meshes", "write_srdf")}

    def build_part(part: Scene, assets: str) -> Document:
        named = renamed(part, {"model": {part.models[0].name: part.name}})  # a tree of a model is a model by itself
        built = build(named, lenient, assets)
        return Document(built, _free_pose(built), _SOLVED)

    form = Format("URDF", ".urdf", function, "urdfout.read-back")
    if "drake" in lenient.get("extensions", EXTENSIONS):
        scene = with_filter_groups(scene)
    contents, report = assembly_contents(scene, trees_of(scene), build_part, form, changed, _with_old_frames, package)
    report.entries.raise_for(ExportError, strict=bool(keywords.get("strict")))
    return contents


def _free_pose(built: Built) -> tuple[str, Pose] | None:
    """Return the free root of a tree and its pose; None if the tree is held, or its root is at the origin."""
    scene = built.form.scene
    X_WR = scene.models[0].X_WM
    if X_WR.is_close(IDENTITY, 0.0) or any(joint.parent == WORLD for joint in scene.joints):
        return None
    children = {joint.child for joint in scene.joints}
    root = next((link.name for link in scene.links if link.name not in children), None)
    return None if root is None else (root, X_WR)


def _with_old_frames(found: Scene, placed: Sequence[Placed], built: Sequence[AnyBuilt]) -> Scene:
    """Return a scene that was read, with the frames of links where the source has them."""
    frames: dict[str, Pose] = {}
    for item, document in zip(placed, built, strict=True):
        for name, X_LN in cast(Built, document).form.frames.items():
            frames[f"{item.part.name}{SEPARATOR}{item.names.get(name, name)}"] = X_LN.inverse()
    return moved_frames(found, frames)
