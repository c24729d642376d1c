"""A written document moves as the original for Drake, MuJoCo, PyBullet, readers that others wrote,
and ours.
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
from bridge.diff.mechanics import mechanical_error
from loaders.model import JointType
from tests.support import urdf_consumers
from tests.support.drake_oracle import open_in_drake, pose_error
from tests.support.scenes import random_scene
from tests.support.seeds import seeds
from tests.support.urdf_writer import with_old_frames, with_poses, written

# Readers that other people wrote open the written URDF, and place its links where we do.
#
# Those that are not installed are skipped by name. ``SDFBRIDGE_PEER_PYTHON`` is another interpreter
# to look for them.

ASSETS = Path(__file__).parents[4] / "assets"
PLAIN = tuple(JointType(kind) for kind in ("fixed", "revolute", "continuous", "prismatic"))


def _robots() -> dict[str, loaders.Scene]:
    files = {
        name: loaders.load(ASSETS / name)
        for name in ("leg.sdf", "double_pendulum.urdf", "gripper/model.sdf")
    }
    return files | {"random": with_poses(random_scene(3, fixed=True, kinds=PLAIN, size=8))}


ROBOTS = _robots()


@pytest.fixture(scope="module", params=ROBOTS)
def consumers_written(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
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
def test_a_reader_places_the_links_where_we_do(reader: str, consumers_written: Path) -> None:
    scene = loaders.load(consumers_written)
    rng = np.random.default_rng(0)
    q = {joint.name: float(rng.uniform(-0.1, 0.1)) for joint in scene.joints if joint.axes}
    for coupling in scene.couplings:
        q[coupling.follower] = coupling.multiplier * q[coupling.leader] + coupling.offset
    theirs = _poses(reader, consumers_written, q)
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


def test_check_urdf_finds_the_tree(consumers_written: Path) -> None:
    program = shutil.which("check_urdf")
    if program is None:
        pytest.skip("check_urdf is not installed: a reader of URDF that others wrote")
    run = subprocess.run(
        [program, str(consumers_written)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout
    scene = loaders.load(consumers_written)
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


# A written document moves as the original, for our reader, Drake, MuJoCo and PyBullet; its second
# text is the same.

MODELS = ("gripper/model.sdf", "leg.sdf", "double_pendulum.urdf", "orthogonal_x.sdf")
OF_DRAKE = (*PLAIN, *(JointType(kind) for kind in ("ball", "universal", "screw", "planar")))


@pytest.mark.parametrize("model", MODELS)
def test_a_model_moves_as_before_and_is_written_the_same_again(model: str, tmp_path: Path) -> None:
    scene = loaders.load(ASSETS / model)
    found, urdf = written(scene, tmp_path)
    assert mechanical_error(scene, with_old_frames(found, urdf), urdf.names).is_within(1e-9)
    assert str(bridge.to_urdf(found)) == str(urdf)


def test_nested_models_move_as_before(tmp_path: Path) -> None:
    scene = loaders.load(ASSETS / "arm" / "model.sdf")
    found, urdf = written(scene, tmp_path)
    error = mechanical_error(scene, with_old_frames(found, urdf), urdf.names)
    assert max(error.pose, error.mass, error.mass_matrix) < 1e-9
    assert not error.missing
    assert "urdfout.merged-models" in {entry.code for entry in urdf.diagnostics}
    assert str(bridge.to_urdf(found)) == str(urdf)


@pytest.mark.parametrize("seed", seeds(8))
def test_random_joints_move_as_before(seed: int, tmp_path: Path) -> None:
    scene = with_poses(
        random_scene(seed, fixed=bool(seed % 2), kinds=PLAIN, size=9, axis={"damping": 0.1})
    )
    found, urdf = written(scene, tmp_path)
    assert mechanical_error(scene, with_old_frames(found, urdf), urdf.names).is_within(1e-9)
    assert str(bridge.to_urdf(found)) == str(urdf)


@pytest.mark.parametrize("seed", seeds(8))
def test_random_joints_of_drake_move_as_before_unless_they_are_reversed(
    seed: int, tmp_path: Path
) -> None:
    scene = with_poses(
        random_scene(seed, fixed=bool(seed % 2), kinds=OF_DRAKE, size=9, axis={"damping": 0.1})
    )
    found, urdf = written(scene, tmp_path)
    error = mechanical_error(scene, with_old_frames(found, urdf), urdf.names)
    inverse = any(
        entry.fate == "approximated"
        for entry in urdf.diagnostics
        if entry.code != "urdfout.root-pose"
    )
    assert inverse or error.is_within(1e-9)
    assert str(bridge.to_urdf(found)) == str(urdf)


@pytest.mark.parametrize("model", ["leg.sdf", "double_pendulum.urdf", "orthogonal_x.sdf"])
def test_drake_reads_the_written_document_as_the_original(model: str, tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    scene = loaders.load(ASSETS / model)
    found, urdf = written(scene, tmp_path)
    theirs, ours = (
        open_in_drake(ASSETS / model, scene),
        open_in_drake(tmp_path / "model.urdf", found),
    )
    q = theirs.random_positions(0, scene)
    poses = ours.link_poses(q)
    for name, X_WL in theirs.link_poses(q).items():
        X_NL = urdf.frames[name].inverse() if name in urdf.frames else loaders.Pose.of()
        X_WN = poses[urdf.names.get(name, name)]
        there = X_WN @ np.vstack([np.column_stack([X_NL.R, X_NL.p]), [0, 0, 0, 1]])
        np.testing.assert_allclose(there, X_WL, atol=1e-9)
    v_order = bridge.lower(scene).v_order
    np.testing.assert_allclose(
        ours.mass_matrix(q, v_order), theirs.mass_matrix(q, v_order), atol=1e-9
    )


@pytest.mark.parametrize("seed", range(3))
def test_drake_places_random_links_as_we_do(seed: int, tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    scene = with_poses(random_scene(seed, fixed=True, kinds=PLAIN, size=7))
    found, _ = written(scene, tmp_path)
    oracle = open_in_drake(tmp_path / "model.urdf", found)
    q = oracle.random_positions(1, found)
    poses = bridge.lower(found).link_poses(q)
    for name, theirs in oracle.link_poses(q).items():
        assert pose_error(poses[name], theirs) < 1e-9


def _positions(scene: loaders.Scene, seed: int) -> dict[str, tuple[float, ...]]:
    rng = np.random.default_rng(seed)
    return {joint.name: (float(rng.uniform(-1.0, 1.0)),) for joint in scene.joints if joint.axes}


@pytest.mark.parametrize("seed", range(3))
def test_mujoco_reads_the_document_with_its_own_reader(seed: int, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    scene = with_poses(random_scene(seed, fixed=True, kinds=PLAIN, size=7))
    found, urdf = written(scene, tmp_path)
    spec = mujoco.MjSpec.from_string(str(urdf))
    spec.compiler.fusestatic = False
    model = spec.compile()
    data = mujoco.MjData(model)
    q = _positions(found, seed)
    for name, value in q.items():
        data.joint(name).qpos[0] = value[0]
    mujoco.mj_kinematics(model, data)
    poses = bridge.lower(found).link_poses(q)
    names = [model.body(i).name for i in range(1, model.nbody)]
    assert len(names) == len(found.links)
    for name in names:
        np.testing.assert_allclose(data.body(name).xpos, poses[name].p, atol=1e-9)
        np.testing.assert_allclose(data.body(name).xmat.reshape(3, 3), poses[name].R, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_pybullet_reads_the_document_with_its_own_reader(seed: int, tmp_path: Path) -> None:
    pybullet = pytest.importorskip("pybullet")
    scene = with_poses(random_scene(seed, fixed=True, kinds=PLAIN, size=7))
    found, _ = written(scene, tmp_path)
    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = pybullet.loadURDF(
            str(tmp_path / "model.urdf"), useFixedBase=True, physicsClientId=client
        )
        q = _positions(found, seed)
        indices = {}
        for i in range(pybullet.getNumJoints(body, physicsClientId=client)):
            info = pybullet.getJointInfo(body, i, physicsClientId=client)
            indices[info[12].decode()] = i
            if info[1].decode() in q:
                pybullet.resetJointState(body, i, q[info[1].decode()][0], physicsClientId=client)
        poses = bridge.lower(found).link_poses(q)
        assert set(indices) == set(poses) - {"world"}
        for name, i in indices.items():
            state = pybullet.getLinkState(
                body, i, computeForwardKinematics=True, physicsClientId=client
            )
            np.testing.assert_allclose(
                state[4], poses[name].p, atol=2e-6
            )  # it computes poses in single precision
    finally:
        pybullet.disconnect(client)
