"""References are relative to the model that contains them."""

from __future__ import annotations

from bridge.targets.sdf.link import References
from loaders import model as m
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import link, scene


def test_names_and_frames_in_a_scope() -> None:
    X = Pose.of(p=(1.0, 0.0, 0.0))
    given = scene([link("n::a", model="n")], frames=(m.Frame(name="n::f", link="n::a", X_LF=X),))
    names = References(given, "n::", {"n::a": Pose.of(p=(9.0, 0.0, 0.0))})
    assert names.link("n::a") == "a"
    assert names.link(m.WORLD) == m.WORLD
    assert names.frame("n::a", X) == "f"
    assert names.frame("n::a", IDENTITY) == "a"
    assert (names.scale("n::a"), names.scale(m.WORLD)) == (9.0, 1.0)
