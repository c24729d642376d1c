"""A document states the version that has its elements; libsdformat's descriptions say which version
has which.
"""

from __future__ import annotations

import math

import pytest

import bridge
import loaders
from bridge.diff.mechanics import mechanical_error
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import joint, link, scene
from tests.support.sdf_writer import element, shaped

CAPSULE, CONE = m.Capsule(radius=0.1, length=1.0), m.Cone(radius=0.1, length=1.0)
SCREW = scene([link("a"), link("b")], [joint("j", "a", "b", m.JointType.SCREW, pitch=0.25)])
COUPLED = scene(
    [link("a"), link("b"), link("c")],
    [joint("j", "a", "b"), joint("k", "a", "c")],
    couplings=(m.Coupling(follower="k", leader="j", multiplier=2.0),),
)


def version(given: loaders.Scene, **options: str) -> str | None:
    return element(given, ".", **options).get("version")


@pytest.mark.parametrize(
    ("given", "lowest"),
    [
        (scene([link("a")]), "1.7"),
        (shaped(m.Sphere(radius=1.0)), "1.7"),
        (shaped(CAPSULE), "1.8"),
        (shaped(CONE), "1.11"),
        (COUPLED, "1.11"),
        (SCREW, "1.7"),
    ],
)
def test_the_lowest_version_has_every_element(given: loaders.Scene, lowest: str) -> None:
    assert version(given) == "1.12"
    assert version(given, version="lowest") == lowest
    assert version(given, version="1.9") == "1.9"


def test_a_nested_model_needs_the_version_with_references_into_it() -> None:
    nested = scene(
        [link("a"), link("n::b", model="test::n")],
        [joint("j", "a", "n::b")],
        models=(
            m.Model(name="test", X_WM=IDENTITY, canonical_link="a"),
            m.Model(name="n", X_WM=IDENTITY, canonical_link="n::b"),
        ),
    )
    assert version(nested, version="lowest") == "1.8"


@pytest.mark.parametrize("chosen", ["1.7", "1.9", "1.10", "1.12", "lowest"])
def test_a_screw_has_the_same_pitch_in_every_version(chosen: str) -> None:
    text = bridge.to_sdf(SCREW, version=chosen)
    assert ("screw_thread_pitch" in text) == (chosen in ("1.10", "1.12"))
    found = loaders.load_string(text, format="sdf")
    assert found.joints[0].pitch == pytest.approx(0.25, abs=1e-15)
    assert mechanical_error(SCREW, found).is_within(1e-12)


def test_versions_before_1_10_state_the_pitch_in_radians_per_meter() -> None:
    stated = element(SCREW, ".//thread_pitch", version="1.9").text or ""
    assert float(stated) == pytest.approx(-2.0 * math.pi / 0.25)


def test_what_a_version_lacks_is_reported_and_nothing_else() -> None:
    entries = bridge.to_sdf(shaped(CONE), version="1.9").diagnostics
    (entry,) = [entry for entry in entries if entry.code == "sdfout.version"]
    assert "geometry/cone" in entry.message
    assert not [
        e
        for e in bridge.to_sdf(shaped(CAPSULE), version="1.9").diagnostics
        if e.code == "sdfout.version"
    ]
