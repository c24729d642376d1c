"""Real models in both running engines, and published robots against Drake."""

from __future__ import annotations

import random
from importlib.util import find_spec

import pytest

from tests.corpora.models_corpus import CORPUS, FAULTS, Model, examine_all, models
from tests.corpora.motion_corpus import WITHIN, move_all
from tests.corpora.robots_corpus import Finding, Robot, examine, robots
from tests.support.seeds import few, spread

needs_drake = pytest.mark.skipif(find_spec("pydrake") is None, reason="pydrake is not installed")


# Published robots: each one loads, or is refused for a known error, and agrees with Drake.
#
# Drake reads the same files with its own parser; nothing but names is shared.

REFUSED = {
    "example-robot-data/robots/alex_description/urdf/alex_psyonic_hands.urdf": "fingers mimic joints that do not exist",
    "pybullet_data/bicycle/bike.urdf": "commas between the numbers of two origins",
    "pybullet_data/husky/husky.urdf": (
        "a substitution of xacro, left unexpanded, where numbers belong"
    ),
}
"""Files that are wrong, with the error."""

MISSING = {
    "example-robot-data/robots/romeo_description/urdf/romeo_laas_small.urdf": "absolute paths of one computer",
    "pybullet_data/kuka_iiwa/model_for_sdf.urdf": "meshes/coarse is not in the package",
}
"""Files that refer to meshes that are missing in their package."""

NO_WITNESS = {
    "example-robot-data/robots/talos_data/robots/talos_left_arm.urdf": "a fixed joint mimics",
    "example-robot-data/robots/talos_data/robots/talos_reduced.urdf": "a fixed joint mimics",
    "example-robot-data/robots/talos_data/robots/talos_reduced_box.urdf": "a fixed joint mimics",
    "example-robot-data/robots/talos_data/robots/talos_reduced_corrected.urdf": "a fixed joint mimics",
    "example-robot-data/robots/ur_description/urdf/ur3.urdf": "a robot without name or links",
    "pybullet_data/biped/biped2d_pybullet.urdf": "limits with lower above upper",
    "pybullet_data/cube_no_rotation.urdf": "limits with lower above upper",
    "pybullet_data/humanoid/humanoid.urdf": "spherical joints",
    "pybullet_data/quadruped/microtaur/microtaur.urdf": "an origin of four angles",
    "pybullet_data/spherical_joint_limit.urdf": "spherical joints",
    "pybullet_data/xarm/xarm6_robot.urdf": "two actuators of one name",
    "pybullet_data/xarm/xarm6_robot_white.urdf": "two actuators of one name",
    "pybullet_data/xarm/xarm6_with_gripper.urdf": "two actuators of one name",
}
"""Files that only Drake refuses, with the reason."""

TOLERANCE = 1e-9


@pytest.fixture(scope="module", params=spread(robots(), 5), ids=str)
def finding(request: pytest.FixtureRequest) -> Finding:
    robot: Robot = request.param
    return examine(robot)


@needs_drake
def test_every_robot_loads_or_has_a_known_error(finding: Finding) -> None:
    assert bool(finding.errors) == (str(finding.robot) in REFUSED), [
        str(entry) for entry in finding.errors
    ]
    assert all(entry.where.line for entry in finding.errors)


@needs_drake
def test_every_existing_file_is_found_with_the_data_folder_alone(finding: Finding) -> None:
    assert bool(finding.missing) == (str(finding.robot) in MISSING), finding.missing


@needs_drake
def test_drake_refuses_the_listed_files_only(finding: Finding) -> None:
    assert bool(finding.drake) == (str(finding.robot) in NO_WITNESS), finding.drake


@needs_drake
def test_link_poses_are_those_of_drake(finding: Finding) -> None:
    if finding.pose is None:
        pytest.skip("Drake does not read this robot")
    assert finding.pose < TOLERANCE


@needs_drake
def test_mass_and_mass_matrix_are_those_of_drake(finding: Finding) -> None:
    if finding.mass is None or finding.mass_matrix is None:
        pytest.skip("Drake does not read this robot")
    assert finding.mass < TOLERANCE
    assert finding.mass_matrix < TOLERANCE


# A random sample of real models in both running engines; `docs/models.md` lists all models.

COUNT = 16


def sample() -> list[Model]:
    available = models() if CORPUS.is_dir() else []
    sound = [model for model in available if model.name not in FAULTS]
    return random.Random(0).sample(sound, min(COUNT, len(sound)))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("model", few(sample(), 2), ids=str)
def test_a_real_model_agrees_with_its_mechanism_in_both_engines(model: Model) -> None:
    (finding,) = examine_all([model])
    assert (finding.crash, finding.leftover_files) == ("", ())
    assert finding.mujoco.defects == finding.pybullet.defects == ()


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("model", few(sample()[:4], 1), ids=str)
def test_a_real_model_runs_in_mujoco_without_warnings_within_its_limits(model: Model) -> None:
    (motion,) = move_all([model])
    assert (motion.crash, motion.differs) == ("", ())
    assert {
        kind: run.warning for kind, run in motion.runs.items() if kind in WITHIN
    } == dict.fromkeys(WITHIN, "")
    assert motion.causes or motion.runs["motor"].warning == ""
