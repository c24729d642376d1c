"""Drake reads a file without network access, and with the same result under every setting of the
environment.
"""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.parity import Verdict, compare
from bridge.parity.engines.drake.engine import DrakeEngine
from bridge.parity.engines.drake.plant import UnsupportedModelError, needs_steps, read_plant
from tests.support.command_line import run

pytest.importorskip("pydrake")

ASSETS = Path(__file__).parents[5] / "assets"
PENDULUM = ASSETS / "double_pendulum.urdf"
NETWORK = "DRAKE_ALLOW_NETWORK"

HEAVY = (
    "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='2'/><origin "
    "xyz='0 0 -.1'/>"
    "<inertia ixx='.02' iyy='.03' izz='{izz}' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='swing' type='revolute'><parent link='world'/><child link='arm'/><axis xyz='0 1 "
    "0'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
)


@pytest.mark.parametrize("allowed", [None, "none", "package_map", "lcm"])
def test_no_setting_of_the_network_changes_the_verdict(
    allowed: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(NETWORK, raising=False)
    if allowed is not None:
        monkeypatch.setenv(NETWORK, allowed)
    found = compare(PENDULUM, ("drake",), levels=("L0", "L1"), configurations=1)
    assert found.agreement is Verdict.EQUIVALENT
    assert os.environ.get(NETWORK) == allowed


@pytest.mark.slow
def test_the_command_runs_where_the_network_is_forbidden() -> None:
    done = run(
        "compare", PENDULUM, "--engines", "drake", "--level", "L0,L1", DRAKE_ALLOW_NETWORK="none"
    )
    assert done.returncode == 4, done.stderr  # incomplete: Drake reports no pairs
    assert "does not take part" not in done.stdout + done.stderr


def test_a_package_that_drake_would_download_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(NETWORK, "package_map")
    path = tmp_path / "far.dmd.yaml"
    file = "package://drake_models/iiwa_description/urdf/iiwa14_no_collision.urdf"
    path.write_text(f"directives:\n- add_model: {{name: one, file: '{file}'}}\n", encoding="utf-8")
    scene = replace(loaders.load(PENDULUM), source=str(path))
    with pytest.raises(UnsupportedModelError, match="drake_models"):
        read_plant(scene, {})
    assert "ownload" not in caplog.text


@pytest.mark.parametrize("level", [logging.DEBUG, logging.CRITICAL])
def test_the_log_level_of_drake_does_not_decide_what_it_is_known_to_repair(
    level: int, tmp_path: Path
) -> None:
    logger = logging.getLogger("drake")
    before = logger.level
    path = tmp_path / "arm.urdf"
    path.write_text(HEAVY.format(izz="4"), encoding="utf-8")
    try:
        logger.setLevel(level)
        found = compare(path, ("drake",), levels=("L0", "L1"), configurations=1)
    finally:
        logger.setLevel(before)
    assert found.agreement is Verdict.AGREES
    assert "drake.replaced-inertia" in {row.code for row in found.rows}


def test_drake_logs_nothing_while_it_reads(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(HEAVY.format(izz="4"), encoding="utf-8")
    DrakeEngine(bridge.lower(loaders.load(path)))
    assert [record for record in caplog.records if record.name == "drake"] == []


def test_couplings_need_discrete_time() -> None:
    assert not needs_steps(bridge.lower(loaders.load(PENDULUM)))
    links = "".join(f"<link name='{name}'/>" for name in ("world", "a", "b"))
    joint = (
        "<joint name='{0}' type='continuous'><parent link='world'/><child link='{1}'/><axis "
        "xyz='0 0 1'/>{2}</joint>"
    )
    joints = joint.format("ja", "a", "") + joint.format("jb", "b", "<mimic joint='ja'/>")
    coupled = loaders.load_string(f"<robot name='r'>{links}{joints}</robot>", format="urdf")
    assert needs_steps(bridge.lower(coupled))
