"""MuJoCo compiles an original under the limits of a load."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.parity.engines.mujoco.native import compile_original
from loaders import LoadError

mujoco = pytest.importorskip("mujoco")

ASSETS = Path(__file__).parents[2] / "assets"
TEXT = "<mujoco><worldbody><body name='a'><joint/><geom size='.1'/></body></worldbody></mujoco>"


def test_the_model_is_that_of_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(TEXT, encoding="utf-8")
    with compile_original(path) as source:
        assert source.names("joint") == ("joint_0",)
        assert (
            source.compiled.model.body_mass.tolist()
            == mujoco.MjModel.from_xml_string(TEXT).body_mass.tolist()
        )


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("size='.1'", "size='-1'", "mjcf-in.refused"),
        ("size='.1'", "size='nan'", "mjcf-in.not-finite"),
        ("<worldbody>", "<include file='/etc/passwd'/><worldbody>", "mjcf-in.include"),
        ("</mujoco>", "", "xml.syntax"),
    ],
)
def test_a_file_without_a_model_is_a_load_error(
    old: str, new: str, code: str, tmp_path: Path
) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(LoadError) as caught, compile_original(path):
        pass
    assert code in {entry.code for entry in caught.value.diagnostics}


def test_another_format_is_not_mjcf() -> None:
    with (
        pytest.raises(ValueError, match=r"leg\.sdf is not MJCF"),
        compile_original(ASSETS / "leg.sdf"),
    ):
        pass
