"""Fields of extensions that are switched off are left out and reported."""

from __future__ import annotations

import pytest

import bridge
from tests.code_examples import scenes as s


@pytest.mark.parametrize(("extensions", "lost"), [((), 1), (("gazebo",), 0), (("drake", "pybullet"), 1)])
def test_a_flag_of_gazebo(extensions: tuple[str, ...], lost: int) -> None:
    urdf = bridge.to_urdf(s.one(gravity=False), extensions=extensions)  # type: ignore[arg-type]
    assert [entry.code for entry in urdf.diagnostics] == ["urdfout.field"] * lost
    assert ("<gazebo" in urdf) is not bool(lost)


def test_a_document_without_extensions_has_none() -> None:
    given = s.driven({"acceleration": 2.0, "spring_stiffness": 1.0}, rotor_inertia=1.0, p_gain=1.0, d_gain=1.0)
    urdf = bridge.to_urdf(given, extensions=())
    assert "drake" not in urdf
    assert "gazebo" not in urdf
    assert len(urdf.diagnostics) == 5
