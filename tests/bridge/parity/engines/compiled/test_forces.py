"""What a compiled model states about tendons, equalities, actuators and sensors."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import mujoco
import pytest

import bridge
import loaders
from bridge.parity import compare
from bridge.parity.engines.mujoco.engine import MujocoEngine
from loaders.pose import Array

TEXT = (
    "<mujoco><worldbody><site name='w'/>"
    "<body name='a'><joint name='j'/><geom size='1'/><site name='s'/>"
    "<body name='b'><joint name='k'/><geom name='g' size='0.1' pos='1 0 0'/><site "
    "name='r'/></body></body></worldbody>"
    "<tendon><fixed name='f'><joint joint='j' coef='2'/><joint joint='k' coef='3'/></fixed>"
    "<spatial name='p'><site site='w'/><site site='s'/><pulley divisor='2'/><site site='w'/><geom "
    "geom='g'/>"
    "<site site='s'/></spatial></tendon>"
    "<equality><joint joint1='j' joint2='k' polycoef='0 1 2 0 0'/><tendon tendon1='f'/>"
    "<connect body1='b' anchor='0 0 0'/><connect body1='b' anchor='0 0 1'/></equality>"
    "<actuator><motor name='m' tendon='f'/><motor name='n' site='s' refsite='r'/></actuator>"
    "<sensor><framepos objtype='site' objname='s' reftype='body' "
    "refname='b'/><clock/><clock/></sensor></mujoco>"
)


def stated() -> dict[str, Array]:
    scene = loaders.load_string(TEXT, format="mjcf", quiet=True)
    return {
        label: found
        for (label, _), found in MujocoEngine(bridge.lower(scene)).compiled_statements().items()
    }


def test_tendons_are_named_with_their_paths() -> None:
    found = stated()
    assert found["tendon f by j, k"][-2:].tolist() == [2.0, 3.0]
    assert "tendon p by world, a, pulley, world, sphere of b, a" in found


def test_equalities_are_named_by_what_they_hold() -> None:
    found = stated()
    labels = {"equality joint of j, k", "equality tendon of f", "equality connect of b, world"}
    assert labels | {"equality connect of b, world (2)"} <= found.keys()
    assert found["equality joint of j, k"][-5:].tolist() == [0.0, 1.0, 2.0, 0.0, 0.0]


def test_actuators_are_named_with_what_they_drive() -> None:
    assert {"actuator m on tendon f", "actuator n on site of a, site of b"} <= stated().keys()


def test_sensors_are_named_by_what_they_measure() -> None:
    assert {
        "sensor framepos site of a body b",
        "sensor clock",
        "sensor clock (2)",
    } <= stated().keys()


def test_a_range_of_controls_that_is_switched_off_does_not_count() -> None:
    ranges = []
    for attributes in ("", "ctrlrange='-1 2' ctrllimited='false'", "ctrlrange='-1 2'"):
        text = TEXT.replace("<motor name='m'", f"<motor name='m' {attributes}")
        engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
        ranges.append(engine.compiled_statements()["actuator m on tendon f", ("m",)].tolist())
    assert ranges[0] == ranges[1]
    assert ranges[2][-3:] == [-1.0, 2.0, 1.0]


def test_the_rest_length_of_a_spring_without_a_linear_part_counts() -> None:
    """The force of such a spring is a polynomial of its stretch beyond the rest length."""
    if not hasattr(mujoco.MjModel.from_xml_string("<mujoco/>"), "tendon_stiffnesspoly"):
        pytest.skip(f"MuJoCo {mujoco.__version__} has no polynomials of springs")
    found = []
    for length in (0.25, 0.75):
        text = TEXT.replace(
            "<spatial name='p'", f"<spatial name='p' springlength='{length}' stiffness='0 5'"
        )
        engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
        label = "tendon p by world, a, pulley, world, sphere of b, a"
        found.append(engine.compiled_statements()[label, ("p",)].tolist())
    assert (0.25 in found[0], 0.75 in found[1]) == (True, True)


def test_the_side_on_which_a_tendon_wraps_is_named_by_its_link() -> None:
    text = TEXT.replace("<geom geom='g'/>", "<geom geom='g' sidesite='r'/>")
    engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
    labels = {label for label, _ in engine.compiled_statements()}
    assert "tendon p by world, a, pulley, world, sphere of b beside b, a" in labels


HELD = (
    "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body>"
    "<body name='b' pos='5 0 0'><freejoint/><geom size='1'/></body></worldbody><equality>"
    "<connect name='c' body1='a' body2='b' anchor='{x} 2 3' active='false'/>"
    "<weld name='w' body1='a' body2='b' anchor='{x} 0 1' relpose='1 {x} 3 0 1 0 0' "
    "active='false'/></equality></mujoco>"
)


def test_what_constraints_that_are_switched_off_hold_is_stated(tmp_path: Path) -> None:
    """No motion shows them. A weld pulls its anchor in body 2 to the position of ``relpose`` in
    body 1.
    """
    path = tmp_path / "robot.xml"
    path.write_text(HELD.format(x=0.5))
    scene = loaders.load(path, quiet=True)
    engine = MujocoEngine(bridge.lower(scene))
    found = {label: numbers for (label, _), numbers in engine.compiled_statements().items()}
    assert found["equality connect of a, b"][-6:].tolist() == pytest.approx([0.5, 2, 3, -4.5, 2, 3])
    turned = [1, 0, 0, 0, -1, 0, 0, 0, -1]
    assert found["equality weld of a, b"][-15:].tolist() == pytest.approx(
        [0.5, 0, 1, 1 - 0.5, 0.5, 3 + 1, *turned]
    )
    ball, weld = scene.constraints
    loose = dataclasses.replace(ball, p_BQ=ball.p_BQ + 1e-6)
    turned_weld = dataclasses.replace(weld, X_AP=weld.X_AP @ loaders.Pose.of(p=(0, 1e-6, 0)))
    for constraints, where in (
        ((ball, weld), set()),
        ((loose, weld), {"equality connect of a, b"}),
        ((ball, turned_weld), {"equality weld of a, b"}),
    ):
        changed = dataclasses.replace(scene, constraints=constraints)
        comparison = compare(
            changed, engines=("mujoco", "mujoco-native"), levels=("L0",), configurations=1
        )
        assert {row.where for row in comparison.failures} == where
