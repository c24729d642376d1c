"""The commands take MJCF, as every other format."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
import loaders
from bridge.diff.mechanics import mechanical_error
from tests.support.command_line import call
from tests.support.mjcf_documents import BALL, document, written

ROBOT = document(f'<body name="a"><joint name="j" range="-90 90"/>{BALL}</body>', name="robot")


@pytest.mark.parametrize("command", ["check", "info", "graph"])
def test_a_command_takes_mjcf(command: str, tmp_path: Path) -> None:
    done = call(command, written(tmp_path, ROBOT))
    assert done.returncode == 0, done.stderr


def test_convert_writes_the_same_model(tmp_path: Path) -> None:
    import mujoco

    done = call("convert", written(tmp_path, ROBOT), tmp_path / "out")
    assert done.returncode == 0, done.stderr
    path = next((tmp_path / "out").glob("robot*.xml"))
    original, exported = (
        mujoco.MjModel.from_xml_path(str(p)) for p in (tmp_path / "robot.xml", path)
    )
    assert exported.jnt_range.tolist() == original.jnt_range.tolist()
    assert exported.body_mass.sum() == pytest.approx(original.body_mass.sum(), rel=1e-12)


CHAIN = document(
    f'<body name="a"><joint name="j" axis="0 1 0"/><joint name="k" type="slide"/>{BALL}</body>',
    name="robot",
)
"""A body with two joints, which a scene has as a chain of two links."""


def test_flags_of_the_source_and_of_the_filters_are_one_element() -> None:
    """Two elements would be an error of MuJoCo's reader, so both flags must be in force in the
    compiled model.
    """
    import mujoco

    bodies = f'<body name="a"><joint/>{BALL}<body name="b"><joint/>{BALL}</body></body>'
    text = document(bodies, '<option><flag energy="enable" filterparent="disable"/></option>')
    mjcf = bridge.to_mjcf(loaders.load_string(text, format="mjcf", quiet=True), quiet=True)
    option = mujoco.MjModel.from_xml_string(mjcf).opt
    assert mjcf.count("<flag ") == 1
    assert option.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    assert option.enableflags & mujoco.mjtEnableBit.mjENBL_ENERGY


def test_several_joints_in_a_body_are_converted_and_compared(tmp_path: Path) -> None:
    import mujoco

    path = written(tmp_path, CHAIN)
    assert call("convert", path, tmp_path / "out").returncode == 0
    exported = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "robot.xml"))
    assert [exported.body(1).name, exported.joint(0).name, exported.joint(1).name] == [
        "a",
        "j",
        "k",
    ]
    done = call("compare", path, "--engines", "mujoco,mujoco-native", "--level", "1")
    assert "DIFFERS" not in done.stdout
    assert done.returncode in {0, 4}, done.stderr


@pytest.mark.parametrize("target", ["sdf", "urdf"])
def test_several_joints_and_half_a_gravity_are_written_to_other_formats(
    target: str, tmp_path: Path
) -> None:
    """The exports read their files back and refuse them if they do not say the model."""
    scene = loaders.load(
        written(tmp_path, CHAIN.replace('<body name="a"', '<body name="a" gravcomp="0.5"')),
        quiet=True,
    )
    export = {"sdf": bridge.export_sdf, "urdf": bridge.export_urdf}[target]
    result = export(scene, tmp_path / "out", quiet=True)
    found = loaders.load(result.path, quiet=True)
    names = {} if target == "urdf" else bridge.to_sdf(scene, quiet=True).names
    assert mechanical_error(scene, found, names).is_within(1e-9)
    assert any(
        "MuJoCo's settings" in str(entry.arguments.get("field")) for entry in result.diagnostics
    )
