"""MuJoCo's renderer in a separate process, because the environment selects its back end before it
is imported.

``python bridge/demo_worker.py FOLDER`` reads ``model.mjb`` and ``views.npz`` in the folder
and writes ``images.npz``.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main(folder: Path) -> None:
    """Render every position from its camera: the image, and which pixels show the model.

    Args:
        folder: Folder of the files that are read and written.
    """
    import mujoco
    import numpy as np

    model = mujoco.MjModel.from_binary_path(str(folder / "model.mjb"))
    views = np.load(folder / "views.npz")
    width, height = (int(n) for n in views["size"])
    model.vis.global_.offwidth, model.vis.global_.offheight = width, height
    model.vis.global_.fovy = float(views["fov"])
    model.vis.headlight.ambient, model.vis.headlight.diffuse, model.vis.headlight.specular = (
        0.5,
        0.5,
        0.0,
    )
    data = mujoco.MjData(model)
    camera = mujoco.MjvCamera()
    count = len(views["qpos"])
    targets, orbits = (
        np.broadcast_to(views["target"], (count, 3)),
        np.broadcast_to(views["orbit"], (count, 3)),
    )
    images, masks = [], []
    with mujoco.Renderer(model, height, width) as renderer:
        for qpos, target, orbit in zip(views["qpos"], targets, orbits, strict=True):
            data.qpos[:] = qpos
            camera.lookat = target
            camera.distance, camera.azimuth, camera.elevation = (float(x) for x in orbit)
            mujoco.mj_forward(model, data)
            renderer.update_scene(data, camera)
            images.append(renderer.render().copy())
            renderer.enable_segmentation_rendering()
            masks.append(renderer.render()[:, :, 0] >= 0)
            renderer.disable_segmentation_rendering()
    np.savez(folder / "images.npz", images=np.array(images), masks=np.array(masks))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
