"""The viewer: server, drawn models and sliders."""

from __future__ import annotations

import contextlib
import hmac
import io
import json
import math
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack
from urllib.parse import parse_qs, quote

import numpy as np

from bridge.geometry.textures import JPEG, PNG, engine_picture
from bridge.lowering.transform import Source, mechanism_of, source_name
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import (
    Position,
    default_position,
    initial_positions,
    kind_of,
    with_followers,
)
from bridge.output import Form, write_sealed
from loaders import LoadOptions
from loaders.diagnostics import Diagnostics
from loaders.files.images import PictureError, decoded
from loaders.limits import LimitError
from loaders.meshes import Faces
from loaders.meshes.mesh_data import unique_rows
from loaders.model import Collision, Link, Plane, Visual, by_name
from loaders.picture import ColoredSurface, surfaces
from loaders.pose import Array, Pose, matrix_to_quaternion, rotation_about
from loaders.scoped_names import unused_name

from .marks import Recording, inertia_box, joint_marks, largest_distance

if TYPE_CHECKING:
    import viser
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response


_CREASE = math.cos(math.radians(35.0))
"""Cosine of the angle between faces above which their edge is sharp."""
_MAX_FACES = 48
"""Largest number of faces around a vertex that are compared with each other."""


def shaded(
    vertices: Array, faces: Faces, uv: Array | None = None
) -> tuple[Array, Faces, Array, Array]:
    """Return vertices, faces, normals and texture coordinates of the same surface.

    Vertices on creases, and on seams of the texture, are repeated for each side.

    Args:
        vertices: Positions, shape (n, 3).
        faces: Vertex indices, shape (m, 3).
        uv: Texture coordinates of the vertices, shape (n, 2); without them, those that are returned
            have the shape (k, 0).
    """
    points, index = unique_rows(np.asarray(vertices, dtype=np.float64))
    corners = index[np.asarray(faces)].reshape(-1)
    normals = np.repeat(_face_normals(points[corners].reshape(-1, 3, 3)), 3, axis=0)
    smooth = _averaged(corners, normals)
    seams = (
        np.zeros((len(corners), 0)) if uv is None else np.asarray(uv)[np.asarray(faces).reshape(-1)]
    )
    every, place = unique_rows(np.column_stack((points[corners], np.round(smooth, 3), seams)))
    return every[:, :3], place.reshape(-1, 3), every[:, 3:6], every[:, 6:]


def _face_normals(triangles: Array) -> Array:
    """Return the normals whose length is twice the area of their face."""
    normals: Array = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return normals


def _averaged(corners: np.ndarray, normals: Array) -> Array:
    """Return the normal of each corner: the mean of the faces around its vertex that make no crease
    with its own face.
    """
    order = np.argsort(corners, kind="stable")
    weighted = normals[order]
    unit = _unit(weighted)
    _, starts, counts = np.unique(corners[order], return_index=True, return_counts=True)
    first, count = np.repeat(starts, counts), np.repeat(counts, counts)
    place = np.arange(len(order)) - first
    total = weighted.copy()
    for shift in range(1, min(int(counts.max(initial=0)), _MAX_FACES)):
        partner = first + (place + shift) % count
        is_smooth = (np.einsum("ij,ij->i", unit, unit[partner]) > _CREASE) & (shift < count)
        total += np.where(is_smooth[:, None], weighted[partner], 0.0)
    averaged = np.empty_like(total)
    averaged[order] = _unit(total)
    return averaged


def _unit(vectors: Array) -> Array:
    lengths: Array = np.linalg.norm(vectors, axis=1)[:, None]
    unit: Array = vectors / np.maximum(lengths, 1e-300)
    return unit


Tint = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""
KINDS = {
    "visuals": ("Visuals", "V"),
    "collisions": ("Collisions", "C"),
    "frames": ("Frames and names", "F"),
    "overlaps": ("Overlaps", "O"),
    "inertia": ("Inertias and centers of mass", "I"),
    "joints": ("Joint axes and limits", "J"),
    "contacts": ("Contacts of a motion", "K"),
}
"""Kinds of items that can be shown: the text of the switch, and the key that turns it."""
_OVERLAY = (1.0, 0.45, 0.05, 0.5)
"""Color of a model that is laid over another one."""
_CONTACT, _CONTACT_COLOR = 0.008, (230, 30, 30)
_CENTER, _CENTER_COLOR = 0.012, (20, 20, 20)
"""Radius as a share of the size of the model, and color, of contacts and of centers of mass."""
_INERTIA_COLOR = (150, 60, 200)
_AXIS = 0.12
"""Length of the axis of a joint, as a share of the size of the model."""
_AXES = (0.08, 0.006)
"""Length and radius of the axes of a link, as shares of the size of the model."""
_GAMMA = 2.2
"""Exponent from the colors of a screen to light, in which glTF states colors."""
_COLLIDING = (0.9, 0.05, 0.05, 0.6)
_LEFT_OUT = (1.0, 0.6, 0.0, 0.6)
"""Colors of links that overlap: of those that may collide, and of those that do not because they
overlap initially."""
_GROWTH = 5e-3
"""Enlargement of the collisions that overlap, in the drawing, relative to their size."""
_MAX_MARKS = 40
"""Largest number of overlaps that are drawn, the deepest first."""


class DrawnModel:
    """The nodes of one model.

    Attributes:
        name: The node that holds all others.
    """

    def __init__(
        self, server: Any, name: str, mechanism: Mechanism, *, tint: Tint | None = None
    ) -> None:
        self.name = name
        self._mechanism = mechanism
        self._tint = tint
        self._offset = np.zeros(3)
        self._root = server.scene.add_frame(name, show_axes=False)
        self._corners = [np.zeros((0, 3))]
        self._corners_of_planes = [np.zeros((0, 3))]
        self._frames: dict[str, Any] = {}
        self._server = server
        self._shown: dict[str, list[Any]] = {
            kind: [] for kind in ("visuals", "collisions", "frames", "inertia")
        }
        self._marks: list[Any] | None = None
        self._joints: list[Any] | None = None
        self._contacts: Any = None
        self._shows_contacts = False
        self._points = np.zeros((0, 3))
        self._positions: Mapping[str, Position] = initial_positions(mechanism)
        poses = mechanism.link_poses(self._positions)
        for i, link in enumerate(mechanism.scene.links):
            if link.name in poses:
                self._add_link(
                    server, f"{name}/{i}_{_node_name(link.name)}", link, poses[link.name]
                )
        corners = np.concatenate(self._corners)
        corners = corners if len(corners) else np.concatenate(self._corners_of_planes)
        self._low = corners.min(axis=0) if len(corners) else np.zeros(3)
        self._high = corners.max(axis=0) if len(corners) else np.zeros(3)
        self._add_axes(server)
        self._add_inertias(server)
        self.show("collisions", visible=not self._shown["visuals"])

    @property
    def offset(self) -> Array:
        """Offset from the place in the file [m], shape (3,)."""
        return self._offset

    @property
    def low(self) -> Array:
        """Lowest corner of the bounding box at the start, without planes [m], shape (3,), in the
        world.
        """
        low: Array = self._low + self._offset
        return low

    @property
    def high(self) -> Array:
        """Highest corner of the bounding box at the start, without planes [m], shape (3,), in the
        world.
        """
        high: Array = self._high + self._offset
        return high

    @property
    def size(self) -> float:
        """Length of the diagonal of the bounding box [m]."""
        return float(np.linalg.norm(self.high - self.low))

    def place(
        self, positions: Mapping[str, Position], poses: Mapping[str, Pose] | None = None
    ) -> None:
        """Move the links to positions of the joints, or to poses that a simulator has for them."""
        self._positions = positions
        for name, X_WL in (poses or self._mechanism.link_poses(positions)).items():
            if name in self._frames:
                vector = X_WL.to_vector()
                self._frames[name].position, self._frames[name].wxyz = vector[:3], vector[3:]
        if self._marks is not None:
            self._mark_overlaps()
        if self._joints is not None:
            self._mark_joints()

    def show(self, kind: str, *, visible: bool) -> None:
        """Show or hide a kind of item, a key of `KINDS`."""
        if kind == "overlaps":
            self._unmark_overlaps()
            if visible:
                self._mark_overlaps()
        elif kind == "joints":
            self._unmark_joints()
            if visible:
                self._mark_joints()
        elif kind == "contacts":
            self._shows_contacts = visible
            self.touch(self._points)
        for handle in self._shown.get(kind, ()):
            handle.visible = visible

    def touch(self, points: Array) -> None:
        """Draw points of contact in the world [m], shape (n, 3), in place of those before."""
        self._points = points
        if self._contacts is not None:
            self._contacts.remove()
            self._contacts = None
        if self._shows_contacts and len(points):
            radius = _CONTACT * max(self.size, 1e-3)
            lines = np.stack((points, points + np.array((0.0, 0.0, 8.0 * radius))), axis=1)
            self._contacts = self._server.scene.add_arrows(
                f"{self.name}/contacts",
                lines,
                _CONTACT_COLOR,
                shaft_radius=0.5 * radius,
                head_radius=radius,
                head_length=2.0 * radius,
            )

    def _unmark_joints(self) -> None:
        for handle in self._joints or ():
            handle.remove()
        self._joints = None

    def _mark_joints(self) -> None:
        """Draw the axes of the joints, their ranges and their present positions."""
        self._unmark_joints()
        length = _AXIS * max(self.size, 1e-3)
        marks = joint_marks(self._mechanism, self._positions, length)
        scene, thin = self._server.scene, 0.02 * length
        self._joints = []
        if marks.arrows:
            arrows = scene.add_arrows(
                f"{self.name}/joint_axes",
                np.array(marks.arrows),
                np.array(marks.arrow_colors, dtype=np.uint8),
                shaft_radius=thin,
                head_radius=3.0 * thin,
                head_length=8.0 * thin,
            )
            lines = scene.add_line_segments(
                f"{self.name}/joint_ranges",
                np.array(marks.segments),
                np.repeat(np.array(marks.segment_colors, dtype=np.uint8)[:, None], 2, axis=1),
                thickness=2.0,
                thickness_units="screen",
            )
            self._joints = [arrows, lines]

    def _add_inertias(self, server: Any) -> None:
        """Add the box of equal inertia and the center of mass of each link, hidden."""
        radius = _CENTER * max(self.size, 1e-3)
        for body in self._mechanism.bodies:
            frame, box = self._frames.get(body.name), inertia_box(body.inertia)
            if frame is None or box is None:
                continue
            size, X_LB = box
            vector = X_LB.to_vector()
            place = {"position": vector[:3], "wxyz": vector[3:], "visible": False}
            self._shown["inertia"] += [
                server.scene.add_box(
                    f"{frame.name}/inertia",
                    _INERTIA_COLOR,
                    np.maximum(size, 1e-6),
                    opacity=0.35,
                    cast_shadow=False,
                    **place,
                ),
                server.scene.add_icosphere(
                    f"{frame.name}/center_of_mass",
                    radius,
                    _CENTER_COLOR,
                    cast_shadow=False,
                    **place,
                ),
            ]

    def _unmark_overlaps(self) -> None:
        for handle in self._marks or ():
            handle.remove()
        self._marks = None

    def _mark_overlaps(self) -> None:
        """Draw the collisions that overlap at the present positions, with links and depths."""
        self._unmark_overlaps()
        self._marks = []
        mechanism = self._mechanism
        found = mechanism.overlaps_at(self._positions)
        colliding = frozenset(mechanism.that_may_collide(found))
        assumed = {frozenset((e.link_A, e.link_B)) for e in mechanism.assumed_exclusions}
        shown = (
            entry
            for entry in found
            if entry in colliding or frozenset((entry.link_A, entry.link_B)) in assumed
        )
        for k, entry in enumerate(islice(shown, _MAX_MARKS)):
            color = _COLLIDING if entry in colliding else _LEFT_OUT
            text = f"{entry.link_A[:40]} and {entry.link_B[:40]}: {1e3 * entry.depth:.3g} mm"
            label = self._server.scene.add_label(
                f"{self.name}/overlap_{k}", text, position=entry.p_WO
            )
            self._marks.append(label)
            for link, collision in (
                (entry.link_A, entry.collision_A),
                (entry.link_B, entry.collision_B),
            ):
                frame = self._frames.get(link, self._root)
                self._mark(f"{frame.name}/overlap_{k}", link, collision, color)

    def _mark(
        self, path: str, link: str, collision: str, color: tuple[float, float, float, float]
    ) -> None:
        """Draw a collision of a link in a color, a little larger than it is."""
        shapes = by_name(self._mechanism.scene.links)[link].collisions
        shape = by_name(shapes)[collision]
        X_LG = shape.X_LG.to_vector()
        for j, surface in enumerate(surfaces(shape)):
            middle = surface.vertices.mean(axis=0)
            grown = middle + (1.0 + _GROWTH) * (surface.vertices - middle)
            mesh = _mesh(ColoredSurface(vertices=grown, faces=surface.faces, rgba=color))
            handle = self._server.scene.add_mesh_trimesh(
                f"{path}_{j}", mesh, position=X_LG[:3], wxyz=X_LG[3:]
            )
            self._marks = [*(self._marks or ()), handle]

    def move(self, offset: Array) -> None:
        """Place the model at an offset [m] from its place in the file."""
        self._offset = offset
        self._root.position = offset

    def _add_link(self, server: Any, path: str, link: Link, X_WL: Pose) -> None:
        vector = X_WL.to_vector()
        frame = server.scene.add_frame(path, show_axes=False, position=vector[:3], wxyz=vector[3:])
        self._frames[link.name] = frame
        shown: dict[str, Sequence[Visual | Collision]] = {
            "visuals": link.visuals,
            "collisions": link.collisions,
        }
        for kind, shapes in shown.items():
            for k, shape in enumerate(shapes):
                X_WG, is_plane = X_WL @ shape.X_LG, isinstance(shape.geometry, Plane)
                for j, surface in enumerate(surfaces(shape)):
                    self._add_surface(server, f"{path}/{kind}/{k}_{j}", surface, kind, shape.X_LG)
                    corners = self._corners_of_planes if is_plane else self._corners
                    corners.append(surface.vertices @ X_WG.R.T + X_WG.p)

    def _add_surface(
        self, server: Any, path: str, surface: ColoredSurface, kind: str, X_LG: Pose
    ) -> None:
        vector = X_LG.to_vector()
        if self._tint is not None:
            surface = replace(surface, rgba=self._tint, uv=None, texture=None)
        mesh = server.scene.add_mesh_trimesh(
            path, _mesh(surface), position=vector[:3], wxyz=vector[3:]
        )
        self._shown[kind].append(mesh)

    def _add_axes(self, server: Any) -> None:
        length, radius = (share * max(self.size, 1e-3) for share in _AXES)
        for name, frame in self._frames.items():
            path = f"{frame.name}/axes"
            axes = server.scene.add_frame(
                path, axes_length=length, axes_radius=radius, visible=False
            )
            label = server.scene.add_label(f"{path}/name", name[:60], visible=False)
            self._shown["frames"] += [axes, label]


def _node_name(name: str) -> str:
    """Return a name without the characters that separate nodes."""
    return "".join(c if c.isalnum() or c in "-." else "_" for c in name)[:60]


def _mesh(surface: ColoredSurface) -> Any:
    import trimesh

    looks: Any = trimesh.visual
    vertices, faces, normals, uv = shaded(surface.vertices, surface.faces, surface.uv)
    picture = _picture(surface)
    emitted = [min(c, 1.0) ** _GAMMA for c in surface.emissive[:3]] if surface.emissive else None
    red, green, blue, alpha = (min(max(c, 0.0), 1.0) for c in surface.rgba)
    rgba = [int(255.0 * c) for c in (red**_GAMMA, green**_GAMMA, blue**_GAMMA, alpha)]
    opaque_mode = "OPAQUE" if picture is None else "MASK"
    material = looks.material.PBRMaterial(
        baseColorFactor=rgba,
        metallicFactor=0.0,
        roughnessFactor=0.8,
        doubleSided=True,
        baseColorTexture=picture,
        emissiveFactor=emitted,
        alphaMode="BLEND" if rgba[3] < 255 else opaque_mode,
    )
    visual = looks.TextureVisuals(uv=None if picture is None else uv, material=material)
    return trimesh.Trimesh(vertices, faces, vertex_normals=normals, visual=visual, process=False)


def _picture(surface: ColoredSurface) -> Any:
    """Return the texture of a surface as a picture of Pillow, decoded within the limits of
    pictures; None if there is none.

    A picture that cannot be read is left out; exporting the scene reports why.
    """
    from PIL import Image

    with suppress(LimitError, PictureError):
        if surface.picture is not None:
            with decoded(surface.picture, "texture") as image:
                return image.copy()
        if surface.texture is not None:
            found = engine_picture(surface.texture, "viewer", Diagnostics(), formats=(PNG, JPEG))
            return Image.open(io.BytesIO(found.data)) if found else None
    return None


_ANGLE, _LENGTH = 3.142, 1.0
"""Range of a joint without limits: angle [rad] and length [m], in each direction."""
_STEPS = 500
"""Number of steps of a slider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dof:
    """One number that a slider sets.

    Attributes:
        joint: Name of the joint.
        index: Index of the number in the position of the joint; of a ball, in its rotation vector.
        label: Text beside the slider.
        low: Smallest value.
        high: Largest value.
        initial: Value at the start, that of the model.
    """

    joint: str
    index: int
    label: str
    low: float
    high: float
    initial: float


def dofs_of(mechanism: Mechanism) -> list[Dof]:
    """Return what the sliders of a mechanism set: every joint that moves, but free links and what
    follows another.
    """
    followers = {mechanism.v_order[coupling.follower] for coupling in mechanism.couplings}
    start = initial_positions(mechanism)
    bodies = [body for body in mechanism.bodies if body.joint is not None]
    found = [dof for body in bodies for dof in _dofs(body, start)]
    return [dof for dof in found if (dof.joint, dof.index) not in followers]


def _dofs(body: Body, initial: Mapping[str, Position]) -> Iterator[Dof]:
    kind, name = kind_of(body), str(body.joint)
    if kind is PrimitiveKind.FREE:
        return
    stated = np.atleast_1d(np.asarray(initial.get(name, default_position(body)), dtype=np.float64))
    start = (_rotation_vector(stated) if kind is PrimitiveKind.BALL else stated).tolist()
    for k in range(body.nv):
        label = name if body.nv == 1 else f"{name} {k + 1}"
        value = start[k]
        low, high = (-_ANGLE, _ANGLE) if kind is PrimitiveKind.BALL else _range(body, k)
        yield Dof(
            joint=name,
            index=k,
            label=label,
            low=min(low, value),
            high=max(high, value),
            initial=value,
        )


def _range(body: Body, k: int) -> tuple[float, float]:
    primitive = next(primitive for primitive in body.primitives if primitive.dof_index == k)
    room = _LENGTH if primitive.kind is PrimitiveKind.SLIDE else _ANGLE
    limits = primitive.limits
    low, high = (limits.lower, limits.upper) if limits is not None else (-math.inf, math.inf)
    if not math.isfinite(low):
        low = min(-room, high - 2 * room) if math.isfinite(high) else -room
    if not math.isfinite(high):
        high = max(room, low + 2 * room)
    return low, high


class Sliders:
    """The sliders of one model, and the positions that they stand for."""

    def __init__(
        self, gui: Any, mechanism: Mechanism, changed: Callable[[Mapping[str, Position]], None]
    ) -> None:
        self._mechanism = mechanism
        self._changed = changed
        self._is_quiet = False
        self._balls = {
            str(body.joint) for body in mechanism.bodies if kind_of(body) is PrimitiveKind.BALL
        }
        self.dofs = dofs_of(mechanism)
        self.handles = [self._add(gui, dof) for dof in self.dofs]

    def _add(self, gui: Any, dof: Dof) -> Any:
        width = max(dof.high - dof.low, 1e-9)
        step = 10.0 ** math.floor(math.log10(width / _STEPS))
        handle = gui.add_slider(
            dof.label, min=dof.low, max=dof.low + width, step=step, initial_value=dof.initial
        )
        handle.on_update(lambda _: self._update())
        return handle

    def _update(self) -> None:
        if not self._is_quiet:
            self._changed(self.positions)

    @property
    def positions(self) -> dict[str, Position]:
        """The position of every joint that has a slider or follows one, in the conventions of the
        mechanism.
        """
        numbers: dict[str, list[float]] = {}
        for dof, handle in zip(self.dofs, self.handles, strict=True):
            value = float(handle.value)  # a page may send any number
            numbers.setdefault(dof.joint, []).append(value if math.isfinite(value) else dof.initial)
        given: dict[str, Position] = {}
        for name, values in numbers.items():
            if name in self._balls:
                given[name] = _quaternion(values)
            else:
                given[name] = values[0] if len(values) == 1 else tuple(values)
        return with_followers(self._mechanism, given)

    def set(self, values: Mapping[str, Position]) -> None:
        """Move the sliders to positions by joint; joints that are left out stay.

        Raises:
            ValueError: for a joint without a slider, or a position of the wrong size.
        """
        self._mechanism.positions_by_body(
            values
        )  # raises for an unknown joint and for a wrong size
        known = {dof.joint for dof in self.dofs}
        for name in values:
            if name not in known:
                raise ValueError(
                    f"joint {name!r} has no slider; expected one of: "
                    f"{', '.join(sorted(known)) or 'none'}"
                )
        self._is_quiet = True
        try:
            for dof, handle in zip(self.dofs, self.handles, strict=True):
                if dof.joint in values:
                    handle.value = self._number(dof, values[dof.joint])
        finally:
            self._is_quiet = False
        self._changed(self.positions)

    def _number(self, dof: Dof, value: Position) -> float:
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
        wanted = _rotation_vector(numbers) if dof.joint in self._balls else numbers
        return float(np.clip(wanted[dof.index], dof.low, dof.high))

    def reset(self) -> None:
        """Move the sliders to the positions of the model."""
        self._is_quiet = True
        try:
            for dof, handle in zip(self.dofs, self.handles, strict=True):
                handle.value = dof.initial
        finally:
            self._is_quiet = False
        self._changed(self.positions)


def _quaternion(vector: list[float]) -> tuple[float, ...]:
    """Return the quaternion of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return (1.0, 0.0, 0.0, 0.0)
    return matrix_to_quaternion(rotation_about(np.array(vector) / angle, angle))


def _rotation_vector(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation vector of a quaternion."""
    w, xyz = float(quaternion[0]), quaternion[1:]
    sine = float(np.linalg.norm(xyz))
    if sine < 1e-12:
        return np.zeros(3)
    angle = 2.0 * math.atan2(sine, w)
    angle = angle - 2.0 * math.pi if angle > math.pi else angle
    return np.asarray(xyz * (angle / sine))


_MOMENT = 1.0 / 30.0
"""Time between two pictures of a motion that plays [s]."""


class Clock:
    """The slider of time of all motions, and their playing."""

    def __init__(self, gui: Any, end: float, show: Callable[[float], None]) -> None:
        self._show = show
        self._stopped = threading.Event()
        with gui.add_folder("Motion"):
            self._slider = gui.add_slider(
                "Time [s]", min=0.0, max=end, step=1e-3, initial_value=0.0
            )
            self._playing = gui.add_checkbox("Play (space)", False)
            self._words = gui.add_markdown("")
        self._slider.on_update(lambda event: show(float(event.target.value)))
        threading.Thread(target=self._play, daemon=True).start()

    @property
    def time(self) -> float:
        """Time that is shown [s]."""
        return float(self._slider.value)

    def set(self, time: float) -> None:
        """Show a time [s], within that of the motions."""
        self._slider.value = min(max(time, 0.0), float(self._slider.max))

    def extend(self, end: float) -> None:
        """Let the slider reach at least to a time [s]."""
        self._slider.max = max(float(self._slider.max), end)

    def toggle(self) -> None:
        """Play, or pause."""
        self._playing.value = not self._playing.value

    def say(self, words: str) -> None:
        """Write words below the slider."""
        self._words.content = words

    def close(self) -> None:
        """End the playing."""
        self._stopped.set()

    def _play(self) -> None:
        while not self._stopped.wait(_MOMENT):
            if self._playing.value:
                following = self.time + _MOMENT
                self.set(following if following <= self._slider.max else 0.0)


def _png(client: Any, width: int, height: int) -> bytes:
    """Return what a browser shows, as PNG."""
    from PIL import Image

    content = io.BytesIO()
    picture = client.get_render(height, width, transport_format="png", timeout=_RENDER_TIMEOUT)
    drawn = Image.fromarray(picture).convert("RGBA")
    white = Image.new("RGBA", drawn.size, "white")
    Image.alpha_composite(white, drawn).convert("RGB").save(content, "PNG")
    return content.getvalue()


_RENDER_TIMEOUT = 120.0
"""Time in which a browser draws a picture [s]."""
DEFAULT_PORT = 8080
"""Port of the server; the next free one if it is taken."""
_HOST = "127.0.0.1"
"""Address of the server, which other machines cannot reach."""
_NAMES = (_HOST, "localhost")
"""Names of this machine in the address of the page."""
_HTTP_PORT = 80
"""Port that browsers leave out of an address."""
_STARTING = threading.Lock()
"""Held while a server starts."""
_DIRECTION = (1.15, -0.75, 0.5)
"""Direction from the models to the camera; its length is a share of the size of the models."""
_ASPECT = 1.2
"""Least width of a window over its height at which the camera of `_look_at` sees the models
whole."""
_TELEPHONE = 480
"""Width of the window below which viser lays the controls over its lower part [pixels]."""
_LIFT = 0.27
"""Upward shift of the models, relative to the height of such a window."""
_GAP = 0.25
"""Distance between models, as a share of their size."""


@contextlib.contextmanager
def _quiet_console() -> Iterator[None]:
    """Let nothing be printed: viser shows its address by rich, in a notebook as output of the
    cell.
    """
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        console.quiet = before


class Viewer:
    """Models in a web browser, with sliders for their joints.

    Everything comes from this machine: no other machine can connect, and the page needs no network.
    The server answers only requests with the random token in the address of the page.
    """

    def __init__(self, *, port: int = DEFAULT_PORT, dark: bool = False) -> None:
        """Start a server without models; see `view`.

        Raises:
            ImportError: if viser is not installed, or is a version whose server cannot be
            protected.
        """
        self._token = secrets.token_urlsafe(32)
        with _quiet_console():
            self._server = _new_server(port, self._token, self._opened)
        self._models: dict[str, tuple[DrawnModel, Sliders]] = {}
        self._motions: dict[str, Recording] = {}
        self._overlays: dict[str, str] = {}
        self._moving = threading.RLock()
        self._is_following = False
        self._clock: Clock | None = None
        self._low = self._high = np.zeros(3)
        self._is_open = True
        self._add_surroundings(dark=dark)
        self._server.on_client_connect(self._fit_when_ready)

    @property
    def url(self) -> str:
        """Address of the page, with the token without which the server refuses to answer: keep it
        to yourself.
        """
        return f"http://{_HOST}:{self._server.get_port()}/{self._token}/"

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, each as in the list of the page."""
        return tuple(self._models)

    def add(
        self,
        source: Source,
        *,
        name: str = "",
        over: str = "",
        motion: Recording | None = None,
        **load_options: Unpack[LoadOptions],
    ) -> str:
        """Add a model, beside those that are there, and return its name.

        Args:
            source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
            name: Name on the page; empty for that of the scene.
            over: Name of a model over which this one is laid, in orange and half transparent;
                joints of one name then move together.
            motion: A motion of the model, which the slider of time moves.
            load_options: Options of `loaders.load`, if ``source`` is a path.

        Raises:
            LoadError: if the file has errors.
            ExportError: if the scene cannot be lowered.
            ValueError: if there is no model of the name ``over``.
        """
        below = self._model(over)[0] if over else None
        mechanism = mechanism_of(source, **load_options)
        wanted = name or mechanism.scene.name or source_name(source)
        count = len(self._models)
        unique = unused_name(
            wanted, self._models.__contains__, lambda name, attempt: f"{name} ({count + attempt})"
        )
        tint = _OVERLAY if over else None
        drawn = DrawnModel(self._server, f"/model_{len(self._models)}", mechanism, tint=tint)
        if below is not None:
            drawn.move(below.offset)
            self._overlays[unique] = over
        elif self._models:
            drawn.move(
                np.array((0.0, self._high[1] + _GAP * max(drawn.size, 1e-3) - drawn.low[1], 0.0))
            )
        self._look_at(drawn)
        self._models[unique] = drawn, self._panel(unique, mechanism, drawn, visible=motion is None)
        for kind in ("frames", "inertia", "joints", "contacts"):
            drawn.show(kind, visible=self._toggles[kind].value)
        if self._toggles["overlaps"].value or mechanism.colliding_overlaps():
            self.show("overlaps")
        if motion is not None:
            top = np.array((*(drawn.low + drawn.high)[:2] / 2.0, drawn.high[2] + 0.1 * drawn.size))
            self._server.scene.add_label(f"{drawn.name}/label", unique, position=top - drawn.offset)
            self._motions[unique] = motion
            self._start_clock(float(motion.times[-1]))
        return unique

    @property
    def time(self) -> float:
        """Time of the motions that are shown [s]; 0 without one."""
        return self._clock.time if self._clock else 0.0

    def set_time(self, seconds: float) -> None:
        """Move every model with a motion to a time [s], and the slider of time.

        Raises:
            ValueError: if no model has a motion.
        """
        if self._clock is None:
            raise ValueError("no model has a motion; expected add(..., motion=...) before")
        self._clock.set(seconds)

    def _start_clock(self, end: float) -> None:
        if self._clock is None:
            self._clock = Clock(self._server.gui, end, self._show_time)
            for label, hotkey, act in (
                ("Play or pause", "space", self._clock.toggle),
                ("Next moment", "arrowright", lambda: self.set_time(self.time + _MOMENT)),
                ("Moment before", "arrowleft", lambda: self.set_time(self.time - _MOMENT)),
            ):
                self._command(label, hotkey, act)
        self._clock.extend(end)
        self._show_time(self.time)

    def _show_time(self, time: float) -> None:
        """Move the models with a motion to a time, and say how far they are apart."""
        shown: list[Mapping[str, Pose]] = []
        with self._moving:
            for name, motion in self._motions.items():
                drawn, k = self._models[name][0], motion.index(time)
                drawn.place(motion.positions[k], motion.poses[k])
                drawn.touch(motion.contacts[k] if motion.contacts else np.zeros((0, 3)))
                shown.append(motion.poses[k])
        if self._clock and len(shown) > 1:
            distance, link = largest_distance(shown[0], shown[1])
            self._clock.say(
                f"{distance * 1e3:.3g} mm apart at most" + (f" ({link})" if link else "")
            )

    def state(self) -> dict[str, Any]:
        """Return what is shown, as data of JSON: positions of sliders by model, kinds of items, and
        the time of motions.
        """
        positions: dict[str, dict[str, Any]] = {}
        for name, (_, sliders) in self._models.items():
            if name not in self._motions:
                of_joints = sliders.positions.items()
                positions[name] = {joint: np.asarray(q).tolist() for joint, q in of_joints}
        return {
            "positions": positions,
            "shown": [kind for kind, toggle in self._toggles.items() if toggle.value],
            "time": self.time,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Show a state again; models and joints that this viewer does not have are left out.

        Args:
            state: What `state` returned, of this or of another viewer.
        """
        for name, positions in dict(state.get("positions", {})).items():
            if name in self._models and name not in self._motions:
                sliders = self._models[name][1]
                known = {dof.joint for dof in sliders.dofs}
                sliders.set({joint: q for joint, q in positions.items() if joint in known})
        if "shown" in state:
            for kind in self._toggles:
                self.show(kind, visible=kind in state["shown"])
        if self._clock and "time" in state:
            self.set_time(float(state["time"]))

    @property
    def link(self) -> str:
        """Address of the page in the present state; it holds the token, as `url` does."""
        return f"{self.url}?state={quote(json.dumps(self.state(), separators=(',', ':')))}"

    def _opened(self, state: str) -> None:
        """Show the state of a link that is opened; what is no state is left out."""
        with suppress(ValueError, TypeError, AttributeError):
            self.set_state(json.loads(state))

    def picture(self, width: int = 1280, height: int = 720) -> bytes:
        """Return the view of the page that was opened last, as PNG.

        Args:
            width: Width [pixels]; at most that of the window.
            height: Height [pixels]; at most that of the window.

        Raises:
            ValueError: if no browser has the page open.
        """
        clients = self._server.get_clients()
        if not clients:
            raise ValueError("no browser shows the page; open its url before")
        return _png(clients[max(clients)], width, height)

    def positions(self, model: str = "") -> dict[str, Position]:
        """Return the positions of a model's joints.

        Args:
            model: Name of the model; empty for the first.

        Raises:
            ValueError: if there is no such model.
        """
        return self._model(model)[1].positions

    def set_positions(self, positions: Mapping[str, Position], model: str = "") -> None:
        """Move joints of a model, and its sliders.

        Args:
            positions: Positions by joint, in the conventions of `bridge.Mechanism`; joints that are
                left out stay.
            model: Name of the model; empty for the first.

        Raises:
            ValueError: for an unknown model or joint, or a position of the wrong size.
        """
        self._model(model)[1].set(positions)

    def show(self, kind: str, *, visible: bool = True) -> None:
        """Show or hide a kind of item of every model.

        Args:
            kind: ``visuals``, ``collisions``, ``frames``, ``overlaps`` (the collisions of links
                that overlap at the present positions, red if they may collide, orange if they do
                not because they overlap initially), ``inertia`` (boxes of equal inertia, and
                centers of mass), ``joints`` (axes, ranges and present positions) or ``contacts``
                (of a motion).
            visible: Whether to show them.

        Raises:
            ValueError: for an unknown kind.
        """
        if kind not in self._toggles:
            raise ValueError(f"unknown kind {kind!r}; expected one of: {', '.join(self._toggles)}")
        self._toggles[kind].value = visible
        for drawn, _ in self._models.values():
            drawn.show(kind, visible=visible)

    def to_html(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the present view as one page that needs neither this server nor a network, and
        return its path.

        The page can be turned and zoomed; it has no sliders.

        Args:
            path: The file to write.
            force: Whether to overwrite a file that sdfbridge did not write, or that was edited
                since.

        Raises:
            OutputFolderError: if there is such a file; a `FileExistsError`.
        """
        page = self._server.get_scene_serializer().as_html().encode()
        return write_sealed(path, page, Form.MARKUP, force=force)

    def open(self) -> bool:
        """Open the page in the web browser of this machine; return whether there is one."""
        import webbrowser

        return webbrowser.open(self.url)

    def wait(self) -> None:
        """Wait until the viewer is closed or the program is interrupted."""
        while self._is_open:
            time.sleep(0.2)

    def close(self) -> None:
        """Stop the server."""
        if self._is_open:
            self._is_open = False
            if self._clock:
                self._clock.close()
            with _quiet_console():
                self._server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = self.url if self._is_open else "closed"
        return f"<Viewer {state}: {', '.join(self._models)[:60] or 'no models'}>"

    def _repr_html_(self) -> str:
        if not self._is_open:
            return f"<div>{escape(repr(self))}</div>"
        frame = (
            f'<iframe src="{self.url}" style="width:100%;height:480px;border:0" '
            f'title="sdfbridge"></iframe>'
        )
        return f'{frame}<div><a href="{self.url}" target="_blank">{self.url}</a></div>'

    # --- the page ---------------------------------------------------------------------------------

    def _model(self, name: str) -> tuple[DrawnModel, Sliders]:
        wanted = name or next(iter(self._models), "")
        if wanted not in self._models:
            raise ValueError(
                f"no model {wanted!r}; expected one of: {', '.join(self._models) or 'none'}"
            )
        return self._models[wanted]

    def _add_surroundings(self, *, dark: bool) -> None:
        gui, scene = self._server.gui, self._server.scene
        self._theme(dark=dark)
        gui.main_panel.dock_right()
        scene.set_up_direction("+z")
        self._toggles: dict[str, Any] = {}
        for kind, (label, key) in KINDS.items():
            self._toggles[kind] = gui.add_checkbox(f"{label} ({key})", kind == "visuals")
            self._toggles[kind].on_update(
                lambda event, kind=kind: self.show(kind, visible=event.target.value)
            )
            self._command(label, key, partial(self._turn, kind))
        grid = scene.add_grid(
            "/grid", infinite_grid=True, cell_size=0.1, section_size=1.0, fade_distance=25.0
        )
        ground = gui.add_checkbox("Grid", True)
        ground.on_update(lambda event: setattr(grid, "visible", event.target.value))
        dark_mode = gui.add_checkbox("Dark", dark)
        dark_mode.on_update(lambda event: self._theme(dark=event.target.value))
        gui.add_button("Picture (P)").on_click(lambda event: self._send_picture(event.client))
        gui.add_button("Link to this state (L)").on_click(
            lambda event: self._show_link(event.client)
        )
        self._command("Reset all joints", "R", self._reset)
        for label, key, act in (
            ("Picture", "P", self._send_picture),
            ("Link to this state", "L", self._show_link),
        ):
            self._command(label, key, act, of_client=True)

    def _command(
        self, label: str, key: Any, act: Callable[..., None], *, of_client: bool = False
    ) -> None:
        """Let a key of the page do something, for the page whose key it is if ``of_client``."""

        def run(event: Any) -> None:
            act(event.client) if of_client else act()

        self._server.gui.add_command(label, hotkey=key).on_trigger(run)

    def _turn(self, kind: str) -> None:
        self.show(kind, visible=not self._toggles[kind].value)

    def _reset(self) -> None:
        for _, sliders in self._models.values():
            sliders.reset()

    def _send_picture(self, client: Any) -> None:
        """Let a browser save its view as a file."""
        if client is not None:
            camera = client.camera
            content = _png(client, camera.image_width, camera.image_height)
            client.send_file_download("sdfbridge.png", content)

    def _show_link(self, client: Any) -> None:
        if client is not None:
            client.add_notification("Link to this state", self.link)

    def _theme(self, *, dark: bool) -> None:
        self._server.gui.configure_theme(
            control_width="medium", dark_mode=dark, show_logo=False, show_share_button=False
        )

    def _panel(
        self, name: str, mechanism: Mechanism, drawn: DrawnModel, *, visible: bool
    ) -> Sliders:
        gui = self._server.gui
        if not any(link.visuals for link in mechanism.scene.links):
            self._toggles["collisions"].value = True
        with gui.add_folder(name[:60], visible=visible):
            sliders = Sliders(gui, mechanism, lambda q: self._moved(name, drawn, q))
            if sliders.dofs:
                gui.add_button("Reset").on_click(lambda _: sliders.reset())
            else:
                gui.add_markdown("No joint of this model moves.")
        return sliders

    def _moved(self, name: str, drawn: DrawnModel, q: Mapping[str, Position]) -> None:
        """Place a model, and move joints of the same names of models that lie over or below it."""
        with self._moving:
            drawn.place(q)
            if self._is_following:
                return
            self._is_following = True
            try:
                for other, (_, sliders) in self._models.items():
                    if other != name and self._is_laid_on(name, other):
                        known = {dof.joint for dof in sliders.dofs}
                        sliders.set({joint: value for joint, value in q.items() if joint in known})
            finally:
                self._is_following = False

    def _is_laid_on(self, one: str, two: str) -> bool:
        return self._overlays.get(one, one) == self._overlays.get(two, two)

    def _fit_when_ready(self, client: Any) -> None:
        """Fit the camera of a page. What it reports first may be before it goes to where it
        begins.
        """
        client.camera.on_update(self._fit)
        self._fit(client.camera)

    def _fit(self, camera: Any) -> None:
        """Step back where a window is narrow, and on a telephone move the models above the
        controls.

        A camera that has left the place where it begins is not moved.
        """
        start = self._server.initial_camera
        away = start.position - start.look_at
        distance = float(np.linalg.norm(away))
        aspect = camera.image_width / max(camera.image_height, 1)
        if aspect >= _ASPECT or np.linalg.norm(camera.position - start.position) > 1e-3 * distance:
            return
        share = _ASPECT / max(aspect, 0.1)
        lift = _LIFT if camera.image_width < _TELEPHONE else 0.0
        up = np.cross(np.cross(away, (0.0, 0.0, 1.0)), away)
        height = 2.0 * share * distance * np.tan(start.fov / 2.0)
        middle = start.look_at - lift * height * up / np.linalg.norm(up)
        camera.position = middle + share * away
        camera.look_at = middle

    def _look_at(self, drawn: DrawnModel) -> None:
        """Move the camera of the page so that it sees all models, the new one included."""
        if self._models:
            self._low, self._high = (
                np.minimum(self._low, drawn.low),
                np.maximum(self._high, drawn.high),
            )
        else:
            self._low, self._high = drawn.low, drawn.high
        middle = (self._low + self._high) / 2.0
        distance = max(float(np.linalg.norm(self._high - self._low)), 1e-2)
        camera = self._server.initial_camera
        camera.look_at, camera.position = middle, middle + distance * np.array(_DIRECTION)
        camera.fov, camera.near = np.radians(40.0), distance / 500.0


def view(
    *sources: Source,
    port: int = DEFAULT_PORT,
    dark: bool = False,
    open_browser: bool = False,
    overlay: bool = False,
    **load_options: Unpack[LoadOptions],
) -> Viewer:
    """Show models in a web browser, with sliders for their joints, beside each other.

    In a notebook, the result shows itself; elsewhere, open its ``url``. The program goes on
    meanwhile: ``wait()`` keeps a script running.

    Args:
        sources: Paths, `loaders.Scene` or `bridge.Mechanism` objects.
        port: Port of the server; the next free one if it is taken, 0 for any.
        dark: Whether the page is dark at first.
        open_browser: Whether to open the page in the web browser of this machine.
        overlay: Whether later models are laid over the first one, orange and half transparent.
        load_options: Options of `loaders.load`, for the sources that are paths.

    Raises:
        ImportError: if viser is not installed.
        LoadError: if a file has errors.
        ExportError: if a scene cannot be lowered.
    """
    viewer = Viewer(port=port, dark=dark)
    try:
        for source in sources:
            over = viewer.models[0] if overlay and viewer.models else ""
            viewer.add(source, over=over, **load_options)
    except BaseException:
        viewer.close()
        raise
    if open_browser:
        viewer.open()
    return viewer


# --- the server -----------------------------------------------------------------------------------


def _new_server(port: int, token: str, opened: Callable[[str], None]) -> viser.ViserServer:
    """Start a server of viser that answers only requests with a token, and is never published.

    Any page in a browser can send requests to a server on this machine, and can give the machine a
    name of its own (DNS rebinding). Each request for a page or a web socket is therefore checked;
    see `_refusal`.

    Args:
        port: Port of the server; the next free one if it is taken, 0 for any.
        token: First part of the path of each request.
        opened: Called with the state in the address of a page that is opened.

    Raises:
        ImportError: if viser is not installed, or is a version whose server cannot be protected.
    """
    try:
        import viser
    except ImportError as error:
        raise ImportError("the viewer needs viser: pip install 'sdfbridge[view]'") from error
    host = "".join(_HOST)
    with _STARTING, _checked_requests(host, token, opened) as checked:
        server = viser.ViserServer(host=host, port=port, label="sdfbridge", verbose=False)
    if not checked:
        server.stop()
        raise ImportError(
            f"viser {viser.__version__} starts its server in an unknown way: its requests cannot "
            f"be checked, and it was"
            " stopped; use a version that is known: pip install 'viser==1.1.1'"
        )
    _never_publish(server)
    return server


def _refusal(request: Request, port: int, token: str) -> str:
    """Return why a request is refused, with status 403; empty if it is answered.

    The page of another site sends another ``Origin``, or its own name as ``Host``, and knows no
    token. A program that is no browser sends no ``Origin``. The page of the viewer opens its web
    socket below its own path, with the token.

    Args:
        request: The request, for a page or a web socket.
        port: Port of the server.
        token: First part of the path of each request.
    """
    names = [name if port == _HTTP_PORT else f"{name}:{port}" for name in _NAMES]
    hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
    if len(hosts) != 1 or hosts[0].lower() not in names:
        return f"the address has another host or port; expected {' or '.join(names)}"
    if origins and (len(origins) != 1 or origins[0] not in [f"http://{name}" for name in names]):
        return "the request comes from a page of another site"
    given = _parts(request)[0].encode("utf-8", "backslashreplace")
    if not hmac.compare_digest(given, token.encode()):
        return (
            "the address has no token, or a wrong one; expected the whole address that the "
            "viewer states"
        )
    return ""


def _parts(request: Request) -> tuple[str, str]:
    """Return the first part of the path of a request, and the rest."""
    first, _, rest = request.path.partition("?")[0].removeprefix("/").partition("/")
    return first, rest


def _state_in(request: Request) -> str:
    """Return the state in the address of a request; empty if there is none."""
    return parse_qs(request.path.partition("?")[2]).get("state", [""])[0]


@contextlib.contextmanager
def _checked_requests(host: str, token: str, opened: Callable[[str], None]) -> Iterator[list[bool]]:
    """Let the server that starts meanwhile check its requests; what is yielded gets an item as soon
    as it does.

    viser has no option for a check, hence this exchange of the function of websockets that starts
    the server. Servers of other threads that start at this moment stay as they are: their host is
    another object.

    Args:
        host: The object that viser gets as host of the server.
        token: First part of the path of each request.
        opened: Called with the state in the address of a page that is opened.
    """
    from websockets.asyncio import server as sockets
    from websockets.http11 import Request

    checked: list[bool] = []
    serve: Any = sockets.serve

    def serve_checked(handler: Any, address: Any = None, *arguments: Any, **options: Any) -> Any:
        if address is not host:
            return serve(handler, address, *arguments, **options)
        answer: Callable[[ServerConnection, Request], Response | None] = options.pop(
            "process_request"
        )

        def process_request(connection: ServerConnection, request: Request) -> Response | None:
            if why := _refusal(request, connection.local_address[1], token):
                return connection.respond(
                    HTTPStatus.FORBIDDEN, f"The viewer of sdfbridge refuses this: {why}.\n"
                )
            if (state := _state_in(request)) and "Upgrade" not in request.headers:
                threading.Thread(target=opened, args=(state,), daemon=True).start()
            return answer(connection, Request(f"/{_parts(request)[1]}", request.headers))

        checked.append(True)
        return serve(handler, address, *arguments, process_request=process_request, **options)

    sockets.serve = serve_checked  # type: ignore[misc, assignment]
    try:
        yield checked
    finally:
        sockets.serve = serve  # type: ignore[misc]


def _never_publish(server: viser.ViserServer) -> None:
    """Leave a server no way to a public address: viser would open a tunnel as soon as a page sends
    a message.
    """
    from viser import _messages

    for message in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        server._websock_server.unregister_handler(message)
    server.request_share_url = _refuse_to_publish  # type: ignore[method-assign]


def _refuse_to_publish(*_: object, **__: object) -> str | None:
    raise PermissionError(
        "the viewer is never published; forward its port to see it on another machine"
    )
