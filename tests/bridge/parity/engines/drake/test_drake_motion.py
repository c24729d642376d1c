"""Drake's motion is that of closed forms, in continuous time and in steps."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.parity.engine import NotReportedError
from bridge.parity.engines.drake.engine import DrakeEngine

pytest.importorskip("pydrake")

MASS, STIFFNESS, DAMPING = 2.0, 50.0, 0.8

SLIDE = (
    "<link name='{name}'><inertial><mass>2</mass></inertial></link>"
    "<joint name='j{name}' "
    "type='prismatic'><parent>world</parent><child>{name}</child><axis><xyz>1 0 0</xyz>"
    "<dynamics><spring_stiffness>50</spring_stiffness><damping>.8</damping></dynamics></axis>{more}</joint>"
)


def engine_of(tmp_path: Path, *parts: str) -> DrakeEngine:
    path = tmp_path / "model.sdf"
    head = "<sdf version='1.9' xmlns:drake='drake.mit.edu'><model name='m'>"
    path.write_text(f"{head}{''.join(parts)}</model></sdf>", encoding="utf-8")
    return DrakeEngine(bridge.lower(loaders.load(path)))


def oscillation(x: float, t: float, mass: float = MASS) -> float:
    decay, frequency = (
        DAMPING / (2 * mass),
        math.sqrt(STIFFNESS / mass - (DAMPING / (2 * mass)) ** 2),
    )
    return (
        x
        * math.exp(-decay * t)
        * (math.cos(frequency * t) + decay / frequency * math.sin(frequency * t))
    )


def test_a_damped_oscillation_in_continuous_time_is_exact(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, SLIDE.format(name="a", more=""))
    engine.set_step(0.05)
    engine.set_state({"ja": 0.3}, {})
    engine.step(10)
    assert engine.positions()["ja"] == pytest.approx(oscillation(0.3, 0.5), abs=1e-9)
    engine.set_state({"ja": 0.1}, {})
    engine.step(4)
    assert engine.positions()["ja"] == pytest.approx(oscillation(0.1, 0.2), abs=1e-9)


def test_coupled_joints_move_in_steps_that_converge(tmp_path: Path) -> None:
    mimic = "<drake:mimic joint='ja' multiplier='1' offset='0'/>"
    engine = engine_of(
        tmp_path, SLIDE.format(name="a", more=""), SLIDE.format(name="b", more=mimic)
    )
    errors = []
    for step in (8e-3, 1e-3):
        engine.set_step(step)
        engine.set_state({"ja": 0.3, "jb": 0.3}, {})
        engine.step(round(0.4 / step))
        errors.append(abs(engine.positions()["jb"] - oscillation(0.3, 0.4)))
    assert errors[1] < 0.3 * errors[0] < 0.01


def test_a_file_that_drake_does_not_read_has_no_motion() -> None:
    scene = loaders.load_string("<robot name='r'><link name='a'/></robot>", format="urdf")
    with pytest.raises(NotReportedError, match="does not take part"):
        DrakeEngine(bridge.lower(scene)).step(1)
