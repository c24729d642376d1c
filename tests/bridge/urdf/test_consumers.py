"""Readers that other people wrote open the written URDF, and place its links where we do.

Those that are not installed are skipped by name. ``SDFBRIDGE_PEER_PYTHON`` is another interpreter
to look for them.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from loaders.model import JointType
from tests.support import urdf_consumers
from tests.support.scenes import random_scene
from tests.support.urdf_writer import with_poses

ASSETS = Path(__file__).parents[3] / "assets"
PLAIN = tuple(JointType(kind) for kind in ("fixed", "revolute", "continuous", "prismatic"))


def _robots() -> dict[str, loaders.Scene]:
    files = {
        name: loaders.load(ASSETS / name)
        for name in ("leg.sdf", "double_pendulum.urdf", "gripper/model.sdf")
    }
    return files | {"random": with_poses(random_scene(3, fixed=True, kinds=PLAIN, size=8))}


ROBOTS = _robots()


@pytest.fixture(scope="module", params=ROBOTS)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("robot") / "out"
    options = {"joints": "plain", "extensions": ()}
    return bridge.export_urdf(ROBOTS[request.param], folder, **options).path  # type: ignore[arg-type]


def _poses(reader: str, path: Path, q: dict[str, float]) -> urdf_consumers.Poses:
    peer = os.environ.get("SDFBRIDGE_PEER_PYTHON", "")
    here = importlib.util.find_spec(reader) is not None
    if not here and not peer:
        pytest.skip(f"{reader} is not installed: a reader of URDF that others wrote")
    words = [
        sys.executable if here else peer,
        urdf_consumers.__file__,
        reader,
        str(path),
        json.dumps(q),
    ]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    if "ModuleNotFoundError" in run.stderr:
        pytest.skip(f"{reader} is not installed: a reader of URDF that others wrote")
    assert run.returncode == 0, run.stderr
    found: urdf_consumers.Poses = json.loads(run.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("reader", urdf_consumers.READERS)
def test_a_reader_places_the_links_where_we_do(reader: str, written: Path) -> None:
    scene = loaders.load(written)
    rng = np.random.default_rng(0)
    q = {joint.name: float(rng.uniform(-0.1, 0.1)) for joint in scene.joints if joint.axes}
    for coupling in scene.couplings:
        q[coupling.follower] = coupling.multiplier * q[coupling.leader] + coupling.offset
    theirs = _poses(reader, written, q)
    ours = bridge.lower(scene).link_poses({name: (value,) for name, value in q.items()})
    assert set(ours) - {"world"} <= set(theirs)
    root = next(name for name in ("world", *ours) if name in theirs)
    X_WR = ours.get(root, loaders.Pose.of())
    base = np.array(theirs[root])
    for name in set(ours) - {"world"}:
        relative = np.linalg.inv(base) @ np.array(theirs[name])
        expected = X_WR.inverse() @ ours[name]
        np.testing.assert_allclose(relative[:3, 3], expected.p, atol=1e-9)
        np.testing.assert_allclose(relative[:3, :3], expected.R, atol=1e-9)


def test_check_urdf_finds_the_tree(written: Path) -> None:
    program = shutil.which("check_urdf")
    if program is None:
        pytest.skip("check_urdf is not installed: a reader of URDF that others wrote")
    run = subprocess.run([program, str(written)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    scene = loaders.load(written)
    assert "Successfully Parsed XML" in run.stdout
    assert all(link.name in run.stdout for link in scene.links)


def test_check_urdf_reads_a_model_without_links(tmp_path: Path) -> None:
    """An MJCF file of options alone is a model; urdfdom refuses a robot without a link."""
    program = shutil.which("check_urdf")
    if program is None:
        pytest.skip("check_urdf is not installed: a reader of URDF that others wrote")
    path = tmp_path / "nothing.urdf"
    path.write_text(
        bridge.to_urdf(loaders.load_string("<mujoco model='nothing'/>", format="mjcf"), quiet=True)
    )
    run = subprocess.run([program, str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert loaders.load(path).joints == ()
