"""A simulator that runs two models finds their difference; the argument says whether it is a model
or an engine.
"""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
from bridge import export_urdf
from bridge.diff import FileComparison
from bridge.diff.files import compare_files
from bridge.parity import Comparison
from bridge.parity.two_models import errors_in_simulators
from loaders import Search, load
from loaders.inertia import SpatialInertia
from loaders.model import JointType
from loaders.pose import Pose
from loaders.scene import Scene
from tests.support.scenes import joint, link, scene

# A simulator that runs two models finds the difference that one has from the other.


def pendulum(mass: float, *names: str) -> Scene:
    base, bob, hinge = names
    inertia = SpatialInertia.in_frame(mass, Pose.of(p=(1.0, 0.0, 0.0)), np.eye(3))
    joints = [
        joint(f"{hinge}_hold", "world", base, JointType.FIXED, axes=()),
        joint(hinge, base, bob),
    ]
    return scene([link(base), link(bob, inertia=inertia)], joints)


@pytest.mark.parametrize("engine", ["reference", "mujoco"])
def test_equal_models_under_other_names_agree(engine: str) -> None:
    a, b = pendulum(2.0, "base", "bob", "hinge"), pendulum(2.0, "x", "y", "z")
    error = errors_in_simulators(a, b, [engine], compare_files(a, b))[engine]
    assert error.is_within(1e-9)


@pytest.mark.parametrize("engine", ["reference", "mujoco"])
def test_another_mass_is_found(engine: str) -> None:
    a, b = pendulum(2.0, "base", "bob", "hinge"), pendulum(3.0, "base", "bob", "hinge")
    error = errors_in_simulators(a, b, [engine], compare_files(a, b))[engine]
    assert error.mass == pytest.approx(0.5)
    assert error.mass_matrix > 0.1
    assert error.pose == 0.0


def test_a_missing_joint_is_named() -> None:
    a, b = pendulum(2.0, "base", "bob", "hinge"), scene([link("base")])
    error = errors_in_simulators(a, b, ["reference"], compare_files(a, b))["reference"]
    assert "hinge" in error.missing


def test_a_simulator_that_cannot_read_a_file_says_so(tmp_path: Path) -> None:
    mjcf = tmp_path / "a.xml"
    mjcf.write_text(
        "<mujoco model='a'><worldbody><body name='b'><geom size='.1'/></body></worldbody></mujoco>"
    )
    assert mujoco.MjModel.from_xml_path(str(mjcf)).nbody == 2
    urdf = tmp_path / "b.urdf"
    urdf.write_text(
        export_urdf(load(mjcf, quiet=True), tmp_path / "c", quiet=True).path.read_text()
    )
    a, b = load(mjcf, quiet=True), load(urdf, quiet=True)
    found = errors_in_simulators(a, b, ["mujoco-native", "mujoco"], compare_files(a, b))
    assert "no MJCF" in found["mujoco-native"].refusal
    assert not found["mujoco"].refusal


def test_a_simulator_that_reads_the_files_finds_their_packages(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/m.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    shape = "<geometry><mesh filename='package://tetra/m.obj'/></geometry>"
    inertial = (
        "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
        "iyz='0'/></inertial>"
    )
    (folder / "r.urdf").write_text(
        f"<robot name='r'><link name='l'>{inertial}<collision>{shape}</collision></link></robot>"
    )
    search: Search = {"package_map": {"tetra": tmp_path / "meshes"}}
    a = load(folder / "r.urdf", quiet=True, **search)
    assert (
        errors_in_simulators(a, a, ["drake"], compare_files(a, a), search=search)["drake"].refusal
        == ""
    )


# The second argument of `compare` says whether it is about engines or a second model.

LEG = Path(__file__).parents[3] / "assets" / "leg.sdf"


def test_a_path_or_a_scene_is_a_second_model() -> None:
    assert isinstance(bridge.compare(LEG, LEG), FileComparison)
    assert isinstance(bridge.compare(scene([link("a")]), scene([link("a")])), FileComparison)
    assert isinstance(bridge.compare(str(LEG), str(LEG)), FileComparison)


def test_a_word_is_an_engine() -> None:
    given = scene([link("a")])
    assert isinstance(bridge.compare(given, "mujoco", levels="L0", configurations=1), Comparison)
    assert isinstance(
        bridge.compare(given, ["mujoco"], levels=["L0"], configurations=1), Comparison
    )
