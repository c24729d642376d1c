"""One model in the scene of a viewer: a node for each link, with its visuals and its collisions below it."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from bridge.geometry.textures import JPEG, PNG, engine_picture
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.mechanism.couplings import initial_positions
from loaders.diagnostics import Diagnostics
from loaders.display.triangles import Surface, surfaces
from loaders.model import Collision, Link, Plane, Visual
from loaders.safety.limits import LimitError
from loaders.spatial import Array, Pose

from .shading import shaded

_AXES = (0.08, 0.006)
"""Length and radius of the axes of a link, as shares of the size of the model."""
_GAMMA = 2.2
"""Exponent from the colors of a screen to light, in which glTF states colors."""


class DrawnModel:
    """The nodes of one model.

    Attributes:
        name: The node that holds all others.
    """

    def __init__(self, server: Any, name: str, mechanism: Mechanism) -> None:
        self.name = name
        self._mechanism = mechanism
        self._offset = np.zeros(3)
        self._root = server.scene.add_frame(name, show_axes=False)
        self._corners = [np.zeros((0, 3))]
        self._corners_of_planes = [np.zeros((0, 3))]
        self._frames: dict[str, Any] = {}
        self._shown: dict[str, list[Any]] = {"visuals": [], "collisions": [], "frames": []}
        poses = mechanism.link_poses(initial_positions(mechanism))
        for i, link in enumerate(mechanism.scene.links):
            if link.name in poses:
                self._add_link(server, f"{name}/{i}_{_node_name(link.name)}", link, poses[link.name])
        corners = np.concatenate(self._corners)
        corners = corners if len(corners) else np.concatenate(self._corners_of_planes)
        self._low = corners.min(axis=0) if len(corners) else np.zeros(3)
        self._high = corners.max(axis=0) if len(corners) else np.zeros(3)
        self._add_axes(server)
        self.show("collisions", visible=not self._shown["visuals"])

    @property
    def low(self) -> Array:
        """Lowest corner of the bounding box at the start, without planes [m], shape (3,), in the world."""
        low: Array = self._low + self._offset
        return low

    @property
    def high(self) -> Array:
        """Highest corner of the bounding box at the start, without planes [m], shape (3,), in the world."""
        high: Array = self._high + self._offset
        return high

    @property
    def size(self) -> float:
        """Length of the diagonal of the bounding box [m]."""
        return float(np.linalg.norm(self.high - self.low))

    def place(self, positions: Mapping[str, Position]) -> None:
        """Move the links to positions of the joints."""
        for name, X_WL in self._mechanism.link_poses(positions).items():
            if name in self._frames:
                vector = X_WL.to_vector()
                self._frames[name].position, self._frames[name].wxyz = vector[:3], vector[3:]

    def show(self, kind: str, *, visible: bool) -> None:
        """Show or hide ``visuals``, ``collisions`` or ``frames``."""
        for handle in self._shown[kind]:
            handle.visible = visible

    def move(self, offset: Array) -> None:
        """Place the model at an offset [m] from its place in the file."""
        self._offset = offset
        self._root.position = offset

    def _add_link(self, server: Any, path: str, link: Link, X_WL: Pose) -> None:
        vector = X_WL.to_vector()
        frame = server.scene.add_frame(path, show_axes=False, position=vector[:3], wxyz=vector[3:])
        self._frames[link.name] = frame
        shown: dict[str, Sequence[Visual | Collision]] = {"visuals": link.visuals, "collisions": link.collisions}
        for kind, shapes in shown.items():
            for k, shape in enumerate(shapes):
                X_WG, is_plane = X_WL @ shape.X_LG, isinstance(shape.geometry, Plane)
                for j, surface in enumerate(surfaces(shape)):
                    self._add_surface(server, f"{path}/{kind}/{k}_{j}", surface, kind, shape.X_LG)
                    corners = self._corners_of_planes if is_plane else self._corners
                    corners.append(surface.vertices @ X_WG.R.T + X_WG.p)

    def _add_surface(self, server: Any, path: str, surface: Surface, kind: str, X_LG: Pose) -> None:
        vector = X_LG.to_vector()
        mesh = server.scene.add_mesh_trimesh(path, _mesh(surface), position=vector[:3], wxyz=vector[3:])
        self._shown[kind].append(mesh)

    def _add_axes(self, server: Any) -> None:
        length, radius = (share * max(self.size, 1e-3) for share in _AXES)
        for name, frame in self._frames.items():
            path = f"{frame.name}/axes"
            axes = server.scene.add_frame(path, axes_length=length, axes_radius=radius, visible=False)
            label = server.scene.add_label(f"{path}/name", name[:60], visible=False)
            self._shown["frames"] += [axes, label]


def _node_name(name: str) -> str:
    """A name without the characters that separate nodes."""
    return "".join(c if c.isalnum() or c in "-." else "_" for c in name)[:60]


def _mesh(surface: Surface) -> Any:
    import trimesh

    looks: Any = trimesh.visual
    vertices, faces, normals, uv = shaded(surface.vertices, surface.faces, surface.uv)
    picture = _picture(surface.texture)
    red, green, blue, alpha = (min(max(c, 0.0), 1.0) for c in surface.rgba)
    rgba = [int(255.0 * c) for c in (red**_GAMMA, green**_GAMMA, blue**_GAMMA, alpha)]
    material = looks.material.PBRMaterial(
        baseColorFactor=rgba, metallicFactor=0.0, roughnessFactor=0.8, doubleSided=True, baseColorTexture=picture,
        alphaMode="BLEND" if rgba[3] < 255 else "OPAQUE" if picture is None else "MASK",
    )  # fmt: skip
    visual = looks.TextureVisuals(uv=None if picture is None else uv, material=material)
    return trimesh.Trimesh(vertices, faces, vertex_normals=normals, visual=visual, process=False)


def _picture(file: str | None) -> Any:
    """Return an image file as a picture of Pillow, decoded within the limits of pictures; None if there is none.

    A picture that cannot be read is left out; exporting the scene reports why.
    """
    from PIL import Image

    found = None
    if file:
        with suppress(LimitError):
            found = engine_picture(file, "viewer", Diagnostics(), formats=(PNG, JPEG))
    return Image.open(io.BytesIO(found.data)) if found else None
