"""The reflected inertia of a joint stays in the mass matrix, in every format and for Drake."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.diff.mechanics import mechanical_error
from loaders import model as m
from tests.support.drake_oracle import open_in_drake
from tests.support.scenes import joint, link, scene

WITH_ARMATURE = scene(
    [link("a"), link("b"), link("c")],
    [
        joint("hold", m.WORLD, "a", m.JointType.FIXED, axes=()),
        joint("j", "a", "b", axis={"inertia": 0.3}),
        joint("k", "b", "c", m.JointType.PRISMATIC, axis={"inertia": 0.7}),
    ],
    actuators=(m.Actuator(name="motor", joint="k", gear_ratio=2.0, rotor_inertia=0.1),),
)


@pytest.mark.parametrize(("write", "form"), [(bridge.to_sdf, "sdf"), (bridge.to_urdf, "urdf")])
def test_the_mass_matrix_stays(write: object, form: str, tmp_path: Path) -> None:
    document = write(WITH_ARMATURE)  # type: ignore[operator]
    assert f"{form}out.rotor-inertia" in {entry.code for entry in document.diagnostics}
    assert not [entry for entry in document.diagnostics if entry.severity == "warning"]
    path = tmp_path / f"model.{form}"
    path.write_text(document)
    found = loaders.load(path)
    assert mechanical_error(WITH_ARMATURE, found).is_within(1e-12)
    assert str(write(found)) == str(document)  # type: ignore[operator]


@pytest.mark.parametrize(("write", "form"), [(bridge.to_sdf, "sdf"), (bridge.to_urdf, "urdf")])
def test_drake_adds_it_to_its_mass_matrix(write: object, form: str, tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / f"model.{form}"
    path.write_text(write(WITH_ARMATURE))  # type: ignore[operator]
    mechanism = bridge.lower(WITH_ARMATURE)
    q = {"j": (0.3,), "k": (0.2,)}
    theirs = open_in_drake(path, loaders.load(path)).mass_matrix(
        {"j": 0.3, "k": 0.2}, mechanism.v_order
    )
    np.testing.assert_allclose(theirs, mechanism.mass_matrix(q), atol=1e-9)


def test_a_joint_without_effort_has_no_actuator_and_is_reported() -> None:
    given = scene(
        [link("a"), link("b")], [joint("j", "a", "b", axis={"inertia": 0.3, "effort": 0.0})]
    )
    assert "sdfout.field" in {entry.code for entry in bridge.to_sdf(given).diagnostics}
