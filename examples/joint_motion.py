"""Plot how the pose of a joint affects the motion of its child, in both simulators.

    python examples/joint_motion.py [PICTURE]

The links of ``assets/orthogonal_z.sdf`` and ``assets/orthogonal_x.sdf`` have the same poses; only
the pose of the joint differs. Rotated by 0.78 rad, their children have different poses, on which
PyBullet and MuJoCo agree. The plot is written to out/joint_motion.png.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import mujoco
import numpy as np
import pybullet

import sdfbridge

mpl.use("Agg")
from matplotlib import pyplot
from matplotlib.patches import Polygon

ASSETS = Path(__file__).parents[1] / "assets"
ANGLE = 0.78
BLOCK = 0.02 * np.array(((-1, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)))
"""Corners of the box of a link in the x-z plane [m]."""


def pose_in_pybullet(path: Path, angle: float) -> sdfbridge.Pose:
    client = pybullet.connect(pybullet.DIRECT)
    robot = sdfbridge.load_into_pybullet(path, physicsClientId=client)
    robot.set_positions({"joint": angle})
    X_WC = robot.link_pose("child")
    pybullet.disconnect(client)
    return X_WC


def pose_in_mujoco(path: Path, angle: float) -> sdfbridge.Pose:
    model = sdfbridge.to_mjspec(path).compile()
    data = mujoco.MjData(model)
    data.joint("joint").qpos[0] = angle
    mujoco.mj_kinematics(model, data)
    child = data.body("child")
    return sdfbridge.Pose.of(child.xmat.reshape(3, 3), child.xpos)


def draw(axes: Any, name: str, joint: tuple[float, float]) -> None:
    """Draw a model in the x-z plane: dotted at zero, filled in PyBullet, outlined in MuJoCo.

    Args:
        axes: Axes of matplotlib.
        name: Name of the file in ``assets``.
        joint: Position of the joint in the x-z plane [m].
    """
    path = ASSETS / f"{name}.sdf"
    start, bullet, muj = (
        pose_in_pybullet(path, 0.0),
        pose_in_pybullet(path, ANGLE),
        pose_in_mujoco(path, ANGLE),
    )
    print(
        f"{name}: child at {np.round(bullet.p, 6)}, the simulators differ by "
        f"{np.abs(bullet.p - muj.p).max():.1e} m"
    )
    for pose, style in (
        (start, {"fill": False, "linestyle": ":", "label": "at zero"}),
        (bullet, {"facecolor": "tab:orange", "alpha": 0.6, "label": "PyBullet"}),
        (muj, {"fill": False, "edgecolor": "black", "linewidth": 1.5, "label": "MuJoCo"}),
    ):
        corners = pose.p + BLOCK @ pose.R.T
        axes.add_patch(Polygon(corners[:, (0, 2)], **style))
        axes.plot((joint[0], pose.p[0]), (joint[1], pose.p[2]), color="grey", linewidth=0.8)
    axes.add_patch(Polygon(BLOCK[:, (0, 2)], facecolor="slategrey", label="parent"))
    axes.plot(*joint, "o", color="tab:red", label="joint")
    axes.set(
        title=f"{name}, {ANGLE} rad",
        xlim=(-0.05, 0.22),
        ylim=(-0.05, 0.22),
        aspect="equal",
        xlabel="x [m]",
    )
    axes.set_ylabel("z [m]")
    axes.legend(loc="upper left", fontsize="small")


def main(picture: Path) -> None:
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 5), layout="constrained")
    draw(left, "orthogonal_z", joint=(0.1, 0.0))
    draw(right, "orthogonal_x", joint=(0.0, 0.1))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/joint_motion.png"))
