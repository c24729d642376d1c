"""Compare the mean color of each visible link in MuJoCo and PyBullet, in light from all sides.

python -m benchmarks.looks [--table FILE] [--pictures FOLDER] MODEL...

A pixel counts for a link if both simulators show the link there and at its neighbors. MuJoCo draws
with EGL. Exit status 1 if a link differs by more than 10 of 255 and no cause is known.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("MUJOCO_GL", "egl")

import mujoco
import numpy as np
import pybullet
from PIL import Image
from scipy.ndimage import binary_erosion

import loaders
from bridge import load_into_pybullet, to_mjspec
from bridge.camera import FIELD_OF_VIEW, SIZE, Camera
from bridge.demo import _fitted_camera
from bridge.lowering.transform import mechanism_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import all_positions
from bridge.targets.mjcf.keyframe import qpos
from loaders.picture import AZIMUTH, ELEVATION, surfaces

WIDTH, HEIGHT = SIZE
LARGEST = 10.0
"""Largest difference of two means that look alike [of 255]."""
_FEWEST = 40
"""Smallest number of pixels of a link that is compared."""
_OFF = ("mjRND_SHADOW", "mjRND_REFLECTION", "mjRND_FOG", "mjRND_HAZE", "mjRND_SKYBOX")
_LIGHTS = ((1.0, 0.0), (0.6, 0.35))
"""Shares of light without and with a direction: that of the comparison, and that of pictures."""


class Row(NamedTuple):
    """The mean color of a link in both simulators."""

    model: str
    link: str
    pixels: int
    mujoco: tuple[int, ...]
    pybullet: tuple[int, ...]
    difference: float
    cause: str


def _in_mujoco(mechanism: Mechanism) -> tuple[list[Any], Any, Camera]:
    """Return a picture in each light, the name of the link at each pixel, and the camera."""
    model = to_mjspec(mechanism, quiet=True, inertia="repair").compile()
    q = qpos(mechanism, all_positions(mechanism, {}))
    camera = _fitted_camera(model, q)
    look, lens = model.vis.headlight, model.vis.global_
    lens.offwidth, lens.offheight, lens.fovy = WIDTH, HEIGHT, FIELD_OF_VIEW
    model.light_active[:] = 0
    look.specular[:] = 0.0
    data, view, pictures = mujoco.MjData(model), mujoco.MjvCamera(), []
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    view.lookat, view.distance = camera.target, camera.distance
    view.azimuth, view.elevation = AZIMUTH, ELEVATION
    with closing(mujoco.Renderer(model, HEIGHT, WIDTH)) as renderer:
        for ambient, diffuse in _LIGHTS:
            look.ambient[:], look.diffuse[:] = ambient, diffuse
            renderer.update_scene(data, view)
            for flag in _OFF:
                renderer.scene.flags[getattr(mujoco.mjtRndFlag, flag)] = 0
            pictures.append(renderer.render().copy())
        renderer.enable_segmentation_rendering()
        numbers, kinds = np.moveaxis(renderer.render(), 2, 0)
    names = [model.body(body).name for body in model.geom_bodyid]
    shown = np.where(kinds == int(mujoco.mjtObj.mjOBJ_GEOM), numbers, -1)
    return pictures, np.array([*names, ""], dtype=object)[shown], camera


def _in_pybullet(mechanism: Mechanism, camera: Camera) -> tuple[list[Any], Any, dict[str, int]]:
    """Return a picture in each light, the number of the link at each pixel, and that of each
    link.
    """
    client = pybullet.connect(pybullet.DIRECT)
    try:
        loaded = load_into_pybullet(
            mechanism, physicsClientId=client, smooth_visuals=True, quiet=True
        )
        bodies: Sequence[Any] = [loaded] if isinstance(loaded, int) else list(loaded)
        view = pybullet.computeViewMatrix(camera.eye.tolist(), camera.target.tolist(), (0, 0, 1))
        lens = pybullet.computeProjectionMatrixFOV(
            FIELD_OF_VIEW, WIDTH / HEIGHT, 0.02 * camera.distance, 10.0 * camera.distance
        )
        pictures = []
        for ambient, diffuse in _LIGHTS:
            _, _, colors, _, shown = pybullet.getCameraImage(
                WIDTH,
                HEIGHT,
                view,
                lens,
                lightDirection=(camera.eye - camera.target + (0, 0, camera.distance)).tolist(),
                shadow=0,
                lightAmbientCoeff=ambient,
                lightDiffuseCoeff=diffuse,
                lightSpecularCoeff=0,
                renderer=pybullet.ER_TINY_RENDERER,
                flags=pybullet.ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX,
                physicsClientId=client,
            )
            pictures.append(np.reshape(colors, (HEIGHT, WIDTH, -1))[:, :, :3].astype(np.uint8))
        numbers = {
            name: int(body) + ((index + 1) << 24)
            for body in bodies
            for name, index in body.links.items()
        }
        return pictures, np.reshape(shown, (HEIGHT, WIDTH)), numbers
    finally:
        pybullet.disconnect(client)


def cause_of(scene: loaders.Scene, names: Sequence[str]) -> str:
    """Return why links may differ: what PyBullet's renderer does not draw, or parts of several
    colors, of which small and coinciding ones are sampled otherwise.
    """
    links = [link for link in scene.links if link.name in names]
    drawn = [surface for link in links for v in link.visuals for surface in surfaces(v)]
    if any(surface.rgba[3] < 1.0 for surface in drawn):
        return "opacity"
    if any(surface.emissive for surface in drawn):
        return "emitted light"
    colors = {surface.rgba for surface in drawn}
    return "several colors" if len(colors) > 1 or any(s.texture for s in drawn) else "?"


def measure(model: Path, pictures: Path | None = None) -> Iterator[Row]:
    """Yield a row for each link that both simulators show.

    Args:
        model: The file.
        pictures: Folder for a picture of both simulators side by side.
    """
    mechanism = mechanism_of(model, quiet=True, lenient=True)
    (plain, lit), names, camera = _in_mujoco(mechanism)
    (other, other_lit), shown, numbers = _in_pybullet(mechanism, camera)
    owners: dict[int, list[str]] = {}
    for name, number in numbers.items():
        owners.setdefault(number, []).append(name)
    known = np.vectorize(lambda name: numbers.get(name, -1), otypes=[np.int64])(names)
    for number, links in owners.items():
        both = binary_erosion((known == number) & (shown == number))
        if both.sum() < _FEWEST:
            continue
        a, b = (np.mean(picture[both], axis=0) for picture in (plain, other))
        difference = float(np.abs(a - b).max())
        cause = "" if difference <= LARGEST else cause_of(mechanism.scene, links)
        colors = (tuple(round(float(c)) for c in mean) for mean in (a, b))
        label = model.stem if model.stem != "model" else model.parent.name
        yield Row(label, links[0], int(both.sum()), *colors, round(difference, 1), cause)
    if pictures is not None:
        sides = [np.where((names != "")[:, :, None], lit, 255)]
        sides.append(np.where((shown >= 0)[:, :, None], other_lit, 255))
        Image.fromarray(np.hstack(sides).astype(np.uint8)).save(
            pictures / f"{model.parent.name}_{model.stem}.png"
        )


def main() -> int:
    """Measure the models of the command line, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    rows: list[Row] = []
    for model in options.models:
        try:
            rows += measure(model, options.pictures)
        except loaders.ModelError as error:
            print(f"{model}: {str(error).splitlines()[0]}", file=sys.stderr)
    with options.table.open("w") if options.table else sys.stdout as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(
            (*row[:3], *(" ".join(map(str, color)) for color in row[3:5]), *row[5:]) for row in rows
        )
    return int(any(row.cause == "?" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
