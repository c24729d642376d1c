"""Draw ten robots of public MJCF repositories in PyBullet and MuJoCo, for ``docs/mjcf_robots.md``.

Run it from the root of the project, with the test extra installed: ``python
docs/make_mjcf_pictures.py FOLDER``. FOLDER has ``files.txt``, the names of MJCF files, which are in
its folder ``inputs``. Each robot stands at the first keyframe of its file, or else at its initial
position.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import loaders  # noqa: E402
from bridge.demo import JointPositions, draw, side_by_side  # noqa: E402
from loaders import Scene  # noqa: E402

ROBOTS = {
    "allegro": "wonik_allegro/right_hand.xml",
    "anymal_c": "anybotics_anymal_c/anymal_c.xml",
    "iiwa14": "kuka_iiwa_14/iiwa14.xml",
    "leap_hand": "leap_hand/right_hand.xml",
    "panda": "franka_emika_panda/panda.xml",
    "sawyer": "rethink_robotics_sawyer/sawyer.xml",
    "spot_arm": "boston_dynamics_spot/spot_arm.xml",
    "unitree_a1": "unitree_a1/a1.xml",
    "unitree_g1": "unitree_g1/g1.xml",
    "xarm7": "ufactory_xarm7/xarm7.xml",
}
"""The end of the name of the file of each robot, by the name of its picture."""


def first_keyframe(scene: Scene) -> JointPositions:
    """Return the positions of the first keyframe of a scene; none if it has no keyframe.

    Args:
        scene: The scene.
    """
    if not scene.keyframes:
        return {}
    keyframe = scene.keyframes[0]
    return dict(zip(keyframe.joints, keyframe.positions, strict=True))


def main(folder: Path) -> None:
    """Draw the robots.

    Args:
        folder: The folder of the MJCF files.

    Raises:
        SystemExit: if a robot is missing, or no simulator can draw on this machine.
    """
    names = (folder / "files.txt").read_text(encoding="utf-8").split("\n")
    pictures = ROOT / "docs" / "pictures" / "mjcf"
    pictures.mkdir(parents=True, exist_ok=True)
    for robot, end in ROBOTS.items():
        found = [name for name in names if name.endswith(f"/{end}")]
        if not found:
            raise SystemExit(f"{folder / 'files.txt'} has no {end}")
        scene = loaders.load(folder / "inputs" / found[0], quiet=True)
        gallery = draw(scene, [first_keyframe(scene)])
        png = side_by_side(gallery, [""], robot)
        if png is None or gallery.notes:
            raise SystemExit(
                f"{robot} was not drawn by both simulators: {', '.join(gallery.notes)}"
            )
        (pictures / f"{robot}.png").write_bytes(png)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
