"""Display of loaded bodies in a notebook: an image by PyBullet's own renderer, and a table."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from bridge.bullet.client.stdout_capture import capture_stdout
from bridge.bullet.simulation.state import State
from bridge.bullet.target import BASE
from bridge.rendering.camera import FIELD_OF_VIEW, SIZE, Camera, Image, composite_on_background, fit_camera
from loaders.notebook import card, details, findings_table, summary_of, table
from loaders.spatial import Array

from .notebook_summary import NotebookSummary


def bodies_card(summaries: Sequence[NotebookSummary]) -> str:
    """Return a card of bodies: an image of them and their surroundings in the present state, and a table."""
    names = ", ".join(summary.name for summary in summaries if summary.state is not None)
    states = [summary.state for summary in summaries if summary.state is not None]
    findings = list(dict.fromkeys(entry for summary in summaries for entry in summary.diagnostics))
    listed = [details(summary_of(findings), findings_table(findings))] if findings else []
    heads = ("id", "model", "links", "joints", "diagnostics")
    parts = (table(heads, map(_cells, summaries)), *listed)
    return card(f"PyBullet: {names or 'removed'}", (), *parts, png=_image(states))


def _cells(summary: NotebookSummary) -> tuple[str, ...]:
    fates = Counter(entry.fate.value for entry in summary.diagnostics)
    findings = ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())) or "none"
    number = "removed" if summary.state is None else str(summary.state.body)
    return number, summary.name, str(summary.link_count), str(summary.joint_count), findings


def _image(states: Sequence[State]) -> bytes | None:
    """Return an image in PNG format; None of no bodies."""
    if not states:
        return None
    client = states[0].client
    with capture_stdout([]):
        image = bullet_image(client.modes, client.id, fit_camera(np.concatenate([_corners(state) for state in states])))
    return _png(image)


_UNBOUNDED = 1e6
"""Extent above which a bounding box is that of an infinite plane [m]."""


def _corners(state: State) -> Array:
    """Return the corners of the bounding boxes of the body's links, and their origins, shape (n, 3)."""
    link_segments = state.articulation.link_segments
    indices = sorted({BASE, *(index for index, _ in link_segments.values())})
    boxes = [state.client.getAABB(state.body, index) for index in indices]
    boxes = [box for box in boxes if np.abs(box).max() < _UNBOUNDED]
    boxes += [(p, p) for p in (state.link_pose(name).p for name in link_segments)]
    return np.array([corner for low, high in boxes for corner in product(*zip(low, high, strict=True))])


def bullet_image(pybullet: Any, client: int, camera: Camera) -> Image:
    """Return an image of the present state of a physics server, by PyBullet's software renderer.

    Args:
        pybullet: The module.
        client: Id of the physics server.
        camera: The camera.
    """
    width, height = SIZE
    view = pybullet.computeViewMatrix(camera.eye.tolist(), camera.target.tolist(), (0, 0, 1))
    projection = pybullet.computeProjectionMatrixFOV(
        FIELD_OF_VIEW, width / height, 0.02 * camera.distance, 10.0 * camera.distance
    )
    light = camera.eye - camera.target + np.array((0.0, 0.0, camera.distance))
    result = pybullet.getCameraImage(
        width, height, view, projection, lightDirection=light.tolist(), shadow=0, lightAmbientCoeff=0.6,
        lightDiffuseCoeff=0.35, lightSpecularCoeff=0.05, renderer=pybullet.ER_TINY_RENDERER, physicsClientId=client,
    )  # fmt: skip
    pixels = np.reshape(np.array(result[2], dtype=np.uint8), (height, width, -1))[:, :, :3]
    return composite_on_background(pixels, np.reshape(np.array(result[4]), (height, width)) >= 0)


def _png(image: Image) -> bytes:
    """Return an image in PNG format."""
    from PIL import Image as PilImage

    stream = io.BytesIO()
    PilImage.fromarray(image).save(stream, "PNG")
    return stream.getvalue()
