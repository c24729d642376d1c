"""Two files are compared item by item, and by how they move."""

from __future__ import annotations

from pathlib import Path

import bridge
from tests.support.scenes import joint, link, scene

ASSETS = Path(__file__).parents[3] / "assets"


def test_a_written_file_is_equal_to_its_source(tmp_path: Path) -> None:
    (tmp_path / "leg.sdf").write_text(bridge.to_sdf(ASSETS / "leg.sdf"))
    comparison = bridge.compare_files(ASSETS / "leg.sdf", tmp_path / "leg.sdf")
    assert comparison.equal
    assert comparison.moves_alike


def test_a_damping_differs_without_changing_the_motion_of_positions() -> None:
    a, b = (scene([link("a")], [joint("j", "world", "a", axis={"damping": c})]) for c in (0.1, 0.2))
    comparison = bridge.compare_files(a, b)
    assert comparison.moves_alike
    assert [d.field for d in comparison.differences] == ["axes[0].damping"]
    assert comparison.to_dict()["differences"][0] == {
        "kind": "joint", "name": "j", "field": "axes[0].damping", "a": 0.1, "b": 0.2,
    }  # fmt: skip
