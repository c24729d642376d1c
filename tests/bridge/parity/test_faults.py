"""The proof is sensitive: a fault planted in one engine is found, and found where it is; without one, silence.

Twenty robots and twenty seeds are the business of ``benchmarks/faults.py``; here stand three of them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, Verdict, compare
from bridge.parity.engines.protocol import factory_of
from loaders import Scene

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
from tests.support.faults import FAULTS, false_alarm, heavier, prepared, verdict_on, without_damping

ASSETS = Path(__file__).parents[3] / "assets"
LINK = "<link name='{0}'><inertial><origin xyz='.02 .01 -.1'/><mass value='{1}'/><inertia ixx='.02' iyy='.03' izz='.04' ixy='.001' ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='.1'/></geometry></collision></link>"  # noqa: E501
JOINT = "<joint name='{0}' type='revolute'><parent link='{1}'/><child link='{2}'/><origin xyz='.1 0 -.2' rpy='.1 .2 .3'/><axis xyz='{3}'/><limit lower='-1' upper='1.5' effort='1' velocity='1'/><dynamics damping='.1'/>{4}</joint>"  # noqa: E501
HAND = (
    "<robot name='hand'><link name='world'/>"
    + LINK.format("palm", 1) + LINK.format("near", 2) + LINK.format("far", 3)
    + JOINT.format("wrist", "world", "palm", "0 0 1", "")
    + JOINT.format("knuckle", "palm", "near", "0 1 0", "")
    + JOINT.format("tip", "near", "far", "1 0 0", "<mimic joint='knuckle' multiplier='.5' offset='.1'/>")
    + "</robot>"
)  # fmt: skip
ROBOTS = ["arm/model.sdf", "hand", "pybullet/franka_panda/panda.urdf"]


def read(name: str) -> Scene:
    if name == "hand":
        return loaders.load_string(HAND, format="urdf")
    if name.startswith("pybullet/"):
        data = pytest.importorskip("pybullet_data")
        return loaders.load(Path(data.getDataPath()) / name.removeprefix("pybullet/"))
    return loaders.load(ASSETS / name)


@pytest.fixture(scope="module", params=ROBOTS)
def scene(request: pytest.FixtureRequest) -> Scene:
    return prepared(read(request.param))


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_where_it_is_and_only_there(scene: Scene, fault: str, engine: str) -> None:
    changed, names = FAULTS[fault](scene, np.random.default_rng(1))
    assert verdict_on(scene, changed, engine, names) == ""


@pytest.mark.parametrize("seed", range(5))
def test_without_a_fault_nothing_is_found_at_any_seed(scene: Scene, seed: int) -> None:
    assert false_alarm(scene, seed) == ""


def test_a_link_that_lacks_moments_of_inertia_excuses_no_fault_of_its_mass() -> None:
    """MuJoCo demands moments and gets some: that is a cause for the inertia, and for nothing else."""
    scene = read("hand")
    far = next(k for k in scene.links if k.name == "far")
    thin = replace(far, inertia=replace(far.inertia, I_Lcm=0.0 * far.inertia.I_Lcm))
    sound = replace(scene, links=(*(k for k in scene.links if k is not far), thin))
    heavy = replace(thin, inertia=replace(thin.inertia, mass=1.01 * thin.inertia.mass))
    changed = replace(sound, links=(*(k for k in scene.links if k is not far), heavy))
    assert verdict_on(sound, changed, "mujoco", {"far"}) == ""
    assert false_alarm(sound, 0) == ""


def planted(engine: str, fault: object, scene: Scene) -> object:
    """Opens an engine with a model that has the fault, whatever part of the model it is asked to move."""
    changed, _ = fault(scene, np.random.default_rng(1))  # type: ignore[operator]

    def opened(mechanism: bridge.Mechanism) -> object:
        parts = {"links": {k.name: k.inertia for k in changed.links}, "joints": {j.name: j for j in changed.joints}}
        return factory_of(engine)(_faulty(mechanism, parts))

    opened.name = engine  # type: ignore[attr-defined]
    return opened


def _faulty(mechanism: bridge.Mechanism, parts: dict) -> bridge.Mechanism:
    scene = mechanism.scene
    links = tuple(replace(k, inertia=parts["links"][k.name]) for k in scene.links)
    joints = tuple(
        replace(j, axes=tuple(_damped(a, b) for a, b in zip(j.axes, parts["joints"][j.name].axes, strict=True)))
        for j in scene.joints
    )
    return bridge.lower(replace(scene, links=links, joints=joints))


def _damped(axis: object, changed: object) -> object:
    """Of an axis that is damped in this motion, the damping that the fault left."""
    return replace(axis, damping=changed.damping if axis.damping else 0.0)  # type: ignore[attr-defined,type-var]


@pytest.mark.parametrize("fault", [heavier, without_damping], ids=lambda fault: fault.__name__)
def test_motion_alone_shows_a_fault_of_mass_or_damping(fault: object) -> None:
    scene = read("arm/model.sdf")
    found = compare(scene, engines=(planted("mujoco", fault, scene), "pybullet"), levels=("L2",))
    assert found.verdict is Verdict.DIFFERS
    assert "one step" in {row.quantity for row in found.failures}, "one step is enough to see it"


def test_operators_alone_show_a_fault_of_mass() -> None:
    scene = read("arm/model.sdf")
    found = compare(scene, engines=("mujoco", planted("pybullet", heavier, scene)), levels=("L1",))
    failed = {row.quantity for row in found.rows if row.outcome is Outcome.FAILED}
    assert failed == {"mass matrix", "bias forces", "inverse dynamics"}
