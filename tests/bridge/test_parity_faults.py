"""The proof is sensitive: a fault planted in one engine is found, and found where it is; without one, silence."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Comparison, Outcome, Verdict, compare
from bridge.parity.engines import factory_of
from loaders import Pose, Scene, SpatialInertia
from loaders.spatial import rotation_about

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

LINK = "<link name='{0}'><inertial><origin xyz='.02 .01 -.1'/><mass value='{1}'/><inertia ixx='.02' iyy='.03' izz='.04' ixy='.001' ixz='0' iyz='0'/></inertial></link>"  # noqa: E501
JOINT = "<joint name='{0}' type='revolute'><parent link='{1}'/><child link='{2}'/><origin xyz='.1 0 -.2' rpy='.1 .2 .3'/><axis xyz='{3}'/><limit lower='-1' upper='1.5' effort='1' velocity='1'/><dynamics damping='.1'/>{4}</joint>"  # noqa: E501
MIMIC = (
    "<robot name='hand'><link name='world'/>"
    + LINK.format("palm", 1) + LINK.format("near", 2) + LINK.format("far", 3)
    + JOINT.format("wrist", "world", "palm", "0 0 1", "")
    + JOINT.format("knuckle", "palm", "near", "0 1 0", "")
    + JOINT.format("tip", "near", "far", "1 0 0", "<mimic joint='knuckle' multiplier='.5' offset='.1'/>")
    + "</robot>"
)  # fmt: skip

ASSETS = Path(__file__).parents[2] / "assets"
PYBULLET = "franka_panda/panda.urdf", "kuka_iiwa/model.urdf"


def read(name: str) -> Scene:
    if name == "mimic":
        return loaders.load_string(MIMIC, format="urdf")
    if name.startswith("pybullet/"):
        data = pytest.importorskip("pybullet_data")
        return loaders.load(Path(data.getDataPath()) / name.removeprefix("pybullet/"))
    return loaders.load(ASSETS / name)


ROBOTS = ["arm/model.sdf", "double_pendulum.urdf", "mimic", *(f"pybullet/{name}" for name in PYBULLET)]


@pytest.fixture(scope="module", params=ROBOTS)
def scene(request: pytest.FixtureRequest) -> Scene:
    return read(request.param)


# --- faults: a changed scene, and where the change is ----------------------------------------------------------------


def _last_moving(scene: Scene) -> Any:
    """The last joint that turns and has a child with mass."""
    massive = {link.name for link in scene.links if link.inertia is not None and link.inertia.mass > 0}
    return [j for j in scene.joints if j.type in {"revolute", "continuous"} and j.child in massive][-1]


def _with_link(scene: Scene, name: str, **changes: Any) -> Scene:
    links = tuple(dataclasses.replace(k, **changes) if k.name == name else k for k in scene.links)
    return dataclasses.replace(scene, links=links)


def _with_joint(scene: Scene, name: str, **changes: Any) -> Scene:
    joints = tuple(dataclasses.replace(j, **changes) if j.name == name else j for j in scene.joints)
    return dataclasses.replace(scene, joints=joints)


def _inertia(scene: Scene, name: str) -> SpatialInertia:
    return next(link.inertia for link in scene.links if link.name == name and link.inertia is not None)


def heavier(scene: Scene) -> tuple[Scene, str]:
    name = _last_moving(scene).child
    inertia = _inertia(scene, name)
    return _with_link(scene, name, inertia=dataclasses.replace(inertia, mass=1.01 * inertia.mass)), name


def turned_inertia(scene: Scene) -> tuple[Scene, str] | None:
    name = _last_moving(scene).child
    inertia, R = _inertia(scene, name), rotation_about(np.ones(3) / math.sqrt(3.0), 0.2)
    if np.allclose(inertia.I_Lcm, inertia.I_Lcm[0, 0] * np.eye(3)):
        return None  # that of a ball looks alike from all sides
    return _with_link(scene, name, inertia=dataclasses.replace(inertia, I_Lcm=R @ inertia.I_Lcm @ R.T)), name


def shifted_centre(scene: Scene) -> tuple[Scene, str]:
    name = _last_moving(scene).child
    inertia = _inertia(scene, name)
    moved = inertia.p_LLcm + np.array((0.0, 1e-4, 0.0))
    return _with_link(scene, name, inertia=dataclasses.replace(inertia, p_LLcm=moved)), name


def flipped_axis(scene: Scene) -> tuple[Scene, str]:
    joint = _last_moving(scene)
    (axis,) = joint.axes
    return _with_joint(scene, joint.name, axes=(dataclasses.replace(axis, xyz=-axis.xyz),)), joint.name


def moved_frame(scene: Scene) -> tuple[Scene, str]:
    joint = _last_moving(scene)
    X_PJ = joint.X_PJ @ Pose.of(p=(1e-3, 0.0, 0.0))
    return _with_joint(scene, joint.name, X_PJ=X_PJ), joint.name


def _with_axis(scene: Scene, joint: Any, **changes: Any) -> Scene:
    (axis,) = joint.axes
    return _with_joint(scene, joint.name, axes=(dataclasses.replace(axis, **changes),))


def without_damping(scene: Scene) -> tuple[Scene, str] | None:
    damped = [j for j in scene.joints if len(j.axes) == 1 and j.axes[0].damping]
    return (_with_axis(scene, damped[-1], damping=0.0), damped[-1].name) if damped else None


def without_limits(scene: Scene) -> tuple[Scene, str] | None:
    limited = [j for j in scene.joints if len(j.axes) == 1 and math.isfinite(j.axes[0].lower)]
    return (_with_axis(scene, limited[-1], lower=-math.inf, upper=math.inf), limited[-1].name) if limited else None


def mirrored_mimic(scene: Scene) -> tuple[Scene, str] | None:
    if not scene.couplings:
        return None
    *others, last = scene.couplings
    mirrored = dataclasses.replace(last, multiplier=-last.multiplier)
    return dataclasses.replace(scene, couplings=(*others, mirrored)), last.follower


FAULTS = [
    heavier, turned_inertia, shifted_centre, flipped_axis, moved_frame, without_damping, without_limits, mirrored_mimic,
]  # fmt: skip
Fault = Callable[[Scene], tuple[Scene, str] | None]


def planted(engine: str, fault: Fault) -> Callable[[Mechanism], Any]:
    """Opens an engine with a model that has the fault."""

    def opened(mechanism: Mechanism) -> Any:
        changed = fault(mechanism.scene)
        return factory_of(engine)(mechanism if changed is None else bridge.lower(changed[0]))

    opened.name = engine  # type: ignore[attr-defined]
    return opened


def failures(comparison: Comparison) -> list[Any]:
    return [row for row in comparison.rows if row.outcome is Outcome.FAILED]


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_found_where_it_is(scene: Scene, fault: Fault, engine: str) -> None:
    changed = fault(scene)
    if changed is None:
        pytest.skip("the robot has nothing of that kind")
    other = "pybullet" if engine == "mujoco" else "mujoco"
    found = compare(scene, engines=(planted(engine, fault), other), levels=("L0",), configurations=3)
    assert found.verdict is Verdict.DIFFERS
    first = failures(found)[0]
    assert changed[1] in first.where.replace("[", " ").split(" "), first
    assert engine in first.engines
    assert all(engine in row.engines for row in failures(found)), "only the engine with the fault differs"


@pytest.mark.parametrize("fault", [heavier, without_damping], ids=lambda fault: fault.__name__)
def test_motion_alone_shows_a_fault_of_mass_or_damping(fault: Fault) -> None:
    scene = read("arm/model.sdf")
    found = compare(scene, engines=(planted("mujoco", fault), "pybullet"), levels=("L2",))
    assert found.verdict is Verdict.DIFFERS


def test_operators_alone_show_a_fault_of_mass() -> None:
    found = compare(read("arm/model.sdf"), engines=("mujoco", planted("pybullet", heavier)), levels=("L1",))
    assert {row.quantity for row in failures(found)} == {"mass matrix", "bias forces", "inverse dynamics"}


@pytest.mark.parametrize("seed", range(5))
def test_without_a_fault_nothing_is_found_at_any_seed(scene: Scene, seed: int) -> None:
    found = compare(scene, levels=("L0", "L1"), seed=seed, configurations=4)
    assert failures(found) == []
