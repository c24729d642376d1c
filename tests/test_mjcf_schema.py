"""The sweep over MuJoCo's schema tells what is carried, reported, lost in silence and without
effect.
"""

from __future__ import annotations

import pytest

pytest.importorskip("mujoco")

from benchmarks import mjcf_schema


@pytest.fixture(scope="module")
def sweep() -> mjcf_schema.Sweep:
    return mjcf_schema.Sweep()


def test_the_export_of_the_unchanged_model_behaves_like_it(sweep: mjcf_schema.Sweep) -> None:
    assert sweep.masked == []


@pytest.mark.parametrize(
    ("path", "key", "expected"),
    [
        ("(world)body/joint", "damping", "carried"),
        ("(world)body/geom", "density", "carried"),
        ("tendon/spatial", "stiffness", "carried"),
        ("actuator/position", "kp", "carried"),
        ("keyframe/key", "ctrl", "carried"),
        ("(world)body/geom", "rgba", "written"),
        ("visual/global", "azimuth", "written"),
    ],
)
def test_each_attribute_is_carried_or_reported(
    path: str, key: str, expected: str, sweep: mjcf_schema.Sweep
) -> None:
    assert (path, key) in set(mjcf_schema.attributes())
    assert sweep.verdict(path, key)[0] == expected


def test_a_lost_attribute_is_silent(
    sweep: mjcf_schema.Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    unchanged = mjcf_schema.exported(mjcf_schema.MODELS["robot"])
    monkeypatch.setattr(mjcf_schema, "exported", lambda _text: unchanged)
    assert sweep.verdict("(world)body/joint", "damping")[0] == "silent"
