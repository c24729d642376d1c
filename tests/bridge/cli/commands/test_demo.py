"""The command demo writes its files and finds both simulators equivalent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import run

pytestmark = pytest.mark.slow


def test_the_demonstration_writes_all_that_it_promises_and_finds_both_engines_equivalent(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pybullet")
    done = run("demo", "--out", tmp_path / "demo", DISPLAY="")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("arm: EQUIVALENT"), "the verdict comes first"
    assert "Warning" not in done.stderr
    for name in ("arm/arm.xml", "side_by_side.png", "results.json", "junit.xml", "report.html"):
        assert (tmp_path / "demo" / name).stat().st_size > 500, name
    assert "try next:" in done.stderr
    assert done.stderr.rstrip().endswith("sdfbridge compare YOUR_ROBOT.sdf --report out/report")
