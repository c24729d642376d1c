"""Flags of ``loadURDF``: each is always set, passed to PyBullet, or ignored with a diagnostic."""

import pybullet
import pytest

from bridge import load_into_pybullet
from bridge.targets.pybullet.client import ALLOWED, ALWAYS, IGNORED
from loaders.model import JointType, Visual
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, codes, joint, link, scene
from tests.support.urdf_robots import HINGE_AND_SLIDE

SHOWN = link("a", shape=UNIT_BOX, visuals=(Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX),))


def test_every_flag_of_pybullet_has_its_fate():
    names = {name for name in dir(pybullet) if name.startswith("URDF_")}
    assert sorted(names) == sorted((*ALWAYS, *IGNORED, *ALLOWED))


@pytest.mark.parametrize("name", ALWAYS)
def test_flags_without_effect_are_not_reported(bullet_client, name):
    body = load_into_pybullet(
        scene([SHOWN]), flags=getattr(pybullet, name), physicsClientId=bullet_client
    )
    assert codes(body) == set()


@pytest.mark.parametrize("name", [*IGNORED, "4"])
def test_flags_that_would_change_the_model_are_ignored_and_reported(bullet_client, name):
    flags = 4 if name == "4" else getattr(pybullet, name)
    source = scene([SHOWN, link("b")], [joint("j", "a", "b", JointType.FIXED)])
    body = load_into_pybullet(source, flags=flags, physicsClientId=bullet_client)
    (entry,) = (e for e in body.diagnostics if e.code == "pybullet.flag-ignored")
    assert name in entry.message
    assert pybullet.getNumJoints(body, bullet_client) == 1


@pytest.mark.parametrize("name", ALLOWED)
def test_other_flags_are_pybullets_own(bullet_client, name):
    body = load_into_pybullet(
        scene([SHOWN]), flags=getattr(pybullet, name), physicsClientId=bullet_client
    )
    assert "pybullet.flag-ignored" not in codes(body)
    shapes = len(pybullet.getCollisionShapeData(body, -1, bullet_client))
    assert shapes == (0 if name == "URDF_IGNORE_COLLISION_SHAPES" else 1)
    assert ("pybullet.console" in codes(body)) == (name == "URDF_PRINT_URDF_INFO")


@pytest.mark.parametrize(("flags", "far"), [(0, 0.05), (pybullet.URDF_ENABLE_SLEEPING, 0.02)])
def test_a_body_with_the_sleeping_flag_falls_asleep(bullet_client, tmp_path, flags, far):
    """PyBullet freezes what has moved slowly for 2 s."""
    (tmp_path / "robot.urdf").write_text(HINGE_AND_SLIDE)
    body = load_into_pybullet(tmp_path / "robot.urdf", flags=flags, physicsClientId=bullet_client)
    body.set_velocities({"base": (0.01, 0, 0, 0, 0, 0)})
    for _ in range(1200):
        pybullet.stepSimulation(bullet_client)
    assert body.link_pose("base").p[0] == pytest.approx(far, abs=1e-3)
