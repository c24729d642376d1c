"""How loaded bodies show themselves in a notebook: a picture by PyBullet's own renderer, and a line about each."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from typing import Any

import numpy as np

from bridge.bullet.client.stdout_capture import capture_stdout
from bridge.bullet.simulation.state import State
from bridge.bullet.urdf.segments import BASE
from bridge.rendering.camera import FIELD_OF_VIEW, SIZE, Camera, Image, composite_on_background, fit_camera
from loaders.diagnostics import Diagnostic
from loaders.spatial import Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Card:
    """What there is to show of one body."""

    name: str
    link_count: int
    joint_count: int
    diagnostics: Sequence[Diagnostic]
    state: State | None
    """None if the body is no longer loaded."""


def shown(cards: Sequence[Card]) -> str:
    """A table of bodies as HTML, below a picture of them and all that is near, as the simulation stands."""
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(card))}</tr>" for card in cards)
    heads = "".join(f"<th>{head}</th>" for head in ("id", "model", "links", "joints", "diagnostics"))
    loaded = [card.state for card in cards if card.state is not None]
    names = ", ".join(card.name for card in cards if card.state is not None)
    figure = _figure(loaded, names) if loaded else ""
    return f"{figure}<table><tr>{heads}</tr>{rows}</table>"


def _cells(card: Card) -> tuple[str, ...]:
    fates = Counter(entry.fate.value for entry in card.diagnostics)
    said = ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())) or "none"
    number = "removed" if card.state is None else str(card.state.body)
    return number, escape(card.name), str(card.link_count), str(card.joint_count), said


def _figure(states: Sequence[State], names: str) -> str:
    """An image element."""
    client = states[0].client
    with capture_stdout([]):
        image = bullet_image(client.modes, client.id, fit_camera(np.concatenate([_corners(state) for state in states])))
    encoded = base64.b64encode(png(image)).decode()
    return f'<img alt="{escape(names)}" src="data:image/png;base64,{encoded}"/>'


_ENDLESS = 1e6
"""A box that reaches further is that of a plane [m]."""


def _corners(state: State) -> Array:
    """Of the boxes around the body's links, shape (n, 3)."""
    places = state.articulation.places
    indices = sorted({BASE, *(index for index, _ in places.values())})
    boxes = [state.client.getAABB(state.body, index) for index in indices]
    boxes = [box for box in boxes if np.abs(box).max() < _ENDLESS]
    boxes += [(p, p) for p in (state.link_pose(name).p for name in places)]
    return np.array([corner for low, high in boxes for corner in product(*zip(low, high, strict=True))])


def bullet_image(pybullet: Any, client: int, camera: Camera) -> Image:
    """What a physics server of PyBullet's holds now, drawn by its software renderer."""
    width, height = SIZE
    view = pybullet.computeViewMatrix(camera.eye.tolist(), camera.target.tolist(), (0, 0, 1))
    lens = pybullet.computeProjectionMatrixFOV(
        FIELD_OF_VIEW, width / height, 0.02 * camera.distance, 10.0 * camera.distance
    )
    light = camera.eye - camera.target + np.array((0.0, 0.0, camera.distance))
    shot = pybullet.getCameraImage(
        width, height, view, lens, lightDirection=light.tolist(), shadow=0, lightAmbientCoeff=0.6,
        lightDiffuseCoeff=0.35, lightSpecularCoeff=0.05, renderer=pybullet.ER_TINY_RENDERER, physicsClientId=client,
    )  # fmt: skip
    pixels = np.reshape(np.array(shot[2], dtype=np.uint8), (height, width, -1))[:, :, :3]
    return composite_on_background(pixels, np.reshape(np.array(shot[4]), (height, width)) >= 0)


def png(image: Image) -> bytes:
    """An image as PNG."""
    height, width = image.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(image))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
