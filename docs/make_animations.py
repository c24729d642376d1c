"""Draw three short motions for the documentation, ``docs/pictures/*.webp``: the arm in both
simulators, links that overlap with and without being excluded, and a log that another simulator
replays.

Run it from the root of the project, with the extra ``view`` and a Chromium, which draws the pages
of the viewer: ``python docs/make_animations.py [NAME]``. Each takes about a minute on two cores.
"""

from __future__ import annotations

import dataclasses
import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import sdfbridge  # noqa: E402
from bridge.parity import record_motion  # noqa: E402
from bridge.viewer import Recording, Viewer  # noqa: E402
from tests.support.chromium import Chromium  # noqa: E402

ARM = ROOT / "assets" / "arm" / "model.sdf"
LOG = ROOT / "assets" / "arm" / "swing.csv"
PICTURES = ROOT / "docs" / "pictures"
SIZE = (480, 300)
"""Width and height of a picture [pixels]."""
RATE = 10
"""Pictures in a second."""
MOST_BYTES = 1_000_000
"""Largest size of a file."""
_BOXES = """<robot name="boxes"><link name="world"/>
<joint name="held" type="fixed"><parent link="world"/><child link="base"/></joint>
{links}{joints}</robot>"""
_BOX = """<link name="{name}"><inertial><origin xyz="{xyz}"/><mass value="1"/>
<inertia ixx=".005" iyy=".005" izz=".005" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="{xyz}"/><geometry><box size="{size}"/></geometry></visual>
<collision><origin xyz="{xyz}"/><geometry><box size="{size}"/></geometry></collision></link>"""
_HINGE = """<joint name="{child}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{xyz}"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="10" velocity="20"/>
<dynamics damping="0.02"/></joint>"""
_LINKS = (
    ("base", "0 0 0", ".2 .2 .2"),
    ("arm", ".15 0 0", ".3 .05 .05"),
    ("hand", "-.1 0 -.1", ".24 .1 .1"),
)
_JOINTS = (("base", "arm", "0 0 .13"), ("arm", "hand", ".3 0 0"))
"""A base, an arm on it, and a hand that lies 2 cm in the base."""


def arm(viewer: Viewer) -> None:
    """Let the arm fall in both simulators."""
    start = {"waist": 0.4, "shoulder": -0.4, "elbow": -0.6}
    for engine in ("mujoco", "pybullet"):
        motion = record_motion(ARM, engine, seconds=2.0, positions=start)
        viewer.add(ARM, name={"mujoco": "MuJoCo", "pybullet": "PyBullet"}[engine], motion=motion)


def overlap(viewer: Viewer) -> None:
    """Let a hand lie in the base: if both may collide, the arm flies off; nothing else acts."""
    links = "".join(_BOX.format(name=name, xyz=xyz, size=size) for name, xyz, size in _LINKS)
    joints = "".join(_HINGE.format(parent=one, child=two, xyz=xyz) for one, two, xyz in _JOINTS)
    text = _BOXES.format(links=links, joints=joints)
    loaded = sdfbridge.load_string(text, format="urdf")
    boxes = sdfbridge.lower(dataclasses.replace(loaded, gravity=np.zeros(3)))
    for choice, label in (("keep", 'overlaps="keep"'), ("exclude", "excluded, the default")):
        chosen = dataclasses.replace(boxes, overlap_choice=choice)
        viewer.add(chosen, name=label, motion=record_motion(chosen, "mujoco", seconds=2.0))
    viewer.show("overlaps")


def log(viewer: Viewer) -> None:
    """Let MuJoCo replay a log of Drake with a forearm that is lighter than the one of the log, whose
    motion is orange.
    """
    with tempfile.TemporaryDirectory() as folder:
        lighter = Path(folder, "lighter.toml")
        lighter.write_text('[links."forearm"]\nmass = 1.0\n')
        replay = sdfbridge.replay(
            ARM, LOG, engines="mujoco", overrides=lighter, explained=False, quiet=True
        )
    lowered = sdfbridge.lower(sdfbridge.load(ARM))
    (engine,) = replay.engines
    joints = replay.experiment.watched
    times, measured = engine.motion.times, replay.experiment.measured
    replayed = engine.motion.q[::10]
    logged = np.column_stack([np.interp(times[::10], *measured(joint)) for joint in joints])
    below = None
    for name, states in (
        ("forearm of 1 kg in place of 1.4 kg; log in orange", replayed),
        (" ", logged),
    ):
        positions = [dict(zip(joints, q.tolist(), strict=True)) for q in states]
        poses = [lowered.link_poses(q) for q in positions]
        motion = Recording(times=times[::10], positions=positions, poses=poses)
        below = viewer.add(lowered, name=name, over=below, motion=motion)


ANIMATIONS: dict[str, Callable[[Viewer], None]] = {"arm": arm, "overlap": overlap, "log": log}
"""What each animation shows, by the name of its file."""


def draw(name: str, page: Chromium) -> bytes:
    """Return an animation as WebP.

    Args:
        name: A key of `ANIMATIONS`.
        page: A browser.
    """
    with Viewer(port=0) as viewer:
        ANIMATIONS[name](viewer)
        end = max(float(motion.times[-1]) for motion in viewer._motions.values())
        page.open(viewer.url, width=SIZE[0] + 20, height=SIZE[1] + 20)
        page.until(viewer._server.get_clients)
        viewer.picture(*SIZE)  # what is drawn first fades in
        _see_all(viewer)
        pictures = []
        for time in np.arange(0.0, end, 1.0 / RATE).tolist():
            viewer.set_time(time)
            pictures.append(Image.open(io.BytesIO(viewer.picture(*SIZE))).convert("RGB"))
    content = io.BytesIO()
    pictures[0].save(
        content, "WEBP", save_all=True, append_images=pictures[1:], duration=round(1000 / RATE),
        loop=0, quality=60, method=4,
    )  # fmt: skip
    return content.getvalue()


def _see_all(viewer: Viewer) -> None:
    """Move the camera so that it sees the whole motion."""
    points = []
    for name, motion in viewer._motions.items():
        drawn = viewer._models[name][0]
        moved = [X_WL.p for poses in motion.poses for X_WL in poses.values()]
        points += [drawn.low, drawn.high, *(drawn.offset + moved)]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    camera = viewer._server.get_clients()[max(viewer._server.get_clients())].camera
    middle = (low + high) / 2.0
    camera.position = middle + 0.85 * float(np.linalg.norm(high - low)) * np.array((1.3, -0.5, 0.4))
    camera.look_at = middle


def main(names: list[str]) -> None:
    """Draw the named animations, or all.

    Raises:
        SystemExit: if a file would be too large.
    """
    with tempfile.TemporaryDirectory() as folder, Chromium(Path(folder)) as page:
        for name in names or ANIMATIONS:
            content = draw(name, page)
            if len(content) > MOST_BYTES:
                raise SystemExit(f"{name}: {len(content):,} bytes")
            (PICTURES / f"{name}.webp").write_bytes(content)


if __name__ == "__main__":
    main(sys.argv[1:])
