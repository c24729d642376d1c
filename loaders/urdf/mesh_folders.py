"""``<mujoco>``: the options of MuJoCo's compiler in a URDF; the folders of meshes are used."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.ignored_elements import mark_read
from loaders.node import Node


def with_mesh_folders(root: Node, context: Context) -> Context:
    """Return the context in which meshes are also searched for in the folders that MuJoCo's compiler would search.

    Args:
        root: The ``<robot>``.
        context: The context of the load.
    """
    folders = []
    for element in root.all("mujoco"):
        compiler = element.peek("compiler")
        attributes = {} if compiler is None else compiler.attributes
        names = [attributes[key] for key in ("meshdir", "assetdir") if attributes.get(key)]
        folders += [Path(os.path.normpath(os.path.join(os.path.dirname(root.file), name))) for name in names]
        message = "only the mesh folders of <mujoco> are used; its other options are for MuJoCo's compiler"
        element.report(Fate.NOTED, "urdf.mujoco-options", message)
        mark_read(element)
    if not folders:
        return context
    return dataclasses.replace(context, resources=dataclasses.replace(context.resources, mesh_folders=tuple(folders)))
