"""Fields of extensions that are switched off are left out and reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from loaders.diagnostics import Diagnostic
from tests.code_examples import scenes as s


@pytest.mark.parametrize(
    ("extensions", "lost"), [((), 1), (("gazebo",), 0), (("drake", "pybullet"), 1)]
)
def test_a_flag_of_gazebo(extensions: tuple[str, ...], lost: int) -> None:
    urdf = bridge.to_urdf(s.one(gravity=False), extensions=extensions)  # type: ignore[arg-type]
    assert [entry.code for entry in urdf.diagnostics] == ["urdfout.field"] * lost
    assert ("<gazebo" in urdf) is not bool(lost)


def test_a_document_without_extensions_has_none() -> None:
    given = s.driven(
        {"acceleration": 2.0, "spring_stiffness": 1.0}, rotor_inertia=1.0, p_gain=1.0, d_gain=1.0
    )
    urdf = bridge.to_urdf(given, extensions=())
    assert "drake" not in urdf
    assert "gazebo" not in urdf
    assert len(urdf.diagnostics) == 5


@pytest.mark.parametrize("field", ["damping", "friction"])
def test_negative_dynamics_which_readers_refuse_are_left_out(field: str, tmp_path: Path) -> None:
    result = bridge.export_urdf(s.driven({field: -0.5}), tmp_path / "out")
    (entry,) = [entry for entry in result.diagnostics if entry.severity == "warning"]
    assert (entry.code, entry.arguments["field"]) == ("urdfout.field", f"negative {field}")
    (joint,) = loaders.load(result.path).joints
    assert getattr(joint.axes[0], field) == 0.0


MASKED = """<mujoco><worldbody><body name="a"><geom name="plain" type="sphere" size=".1"/></body>
<body name="b" pos="1 0 0"><freejoint/><geom name="masked" type="sphere" size=".1" {masks}/></body></worldbody>
</mujoco>"""


@pytest.mark.parametrize(
    ("masks", "owners"), [("", []), ('contype="2"', ["masked"]), ('conaffinity="3"', ["masked"])]
)
def test_bitmasks_are_lost_where_they_are_not_those_of_every_geom(
    masks: str, owners: list[str]
) -> None:
    lost = _lost_bitmasks(MASKED.format(masks=masks))
    assert list(dict.fromkeys(owner for entry in lost for owner in entry.subjects)) == owners
    assert all(entry.where.line == 2 for entry in lost)


def test_bitmasks_are_lost_where_no_filter_groups_are_written() -> None:
    leg = "<body name='b{0}'><joint name='j{0}'/><geom name='g{0}' size='.1'/></body>"
    legs = "".join(map(leg.format, range(400)))
    text = (
        f"<mujoco><worldbody><body name='a'><geom name='g' "
        f"size='.1'/>{legs}</body></worldbody></mujoco>"
    )
    assert len(_lost_bitmasks(text)) == 2 * 401
    assert _lost_bitmasks(MASKED.format(masks="")) == []
    assert len(_lost_bitmasks(MASKED.format(masks=""), extensions=())) == 2 * 2


def _lost_bitmasks(mjcf: str, **options: Any) -> list[Diagnostic]:
    urdf = bridge.to_urdf(loaders.load_string(mjcf, format="mjcf", quiet=True), **options)
    return [entry for entry in urdf.diagnostics if "bitmask" in str(entry.arguments.get("field"))]
