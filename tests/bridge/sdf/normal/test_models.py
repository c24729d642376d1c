"""Each link is in a model, and each model has a link."""

from __future__ import annotations

from bridge.targets.report import Report
from bridge.targets.sdf.normal_form import with_representable_models
from loaders import model as m
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from tests.support.scenes import joint, link, scene


def test_links_without_a_model_get_one() -> None:
    found = with_representable_models(Scene(name="x", links=(link("a", model=""),)), Report("sdf"))
    assert found.links[0].model == found.models[0].name


def test_a_root_model_whose_links_are_all_nested_stays() -> None:
    models = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link="n::a") for name in "rn")
    given = scene([link("n::a", model="n")], models=models, name="r")
    assert [model.name for model in with_representable_models(given, Report("sdf")).models] == [
        "r",
        "n",
    ]


def test_frames_of_a_joint_that_lie_apart_are_reported() -> None:
    report = Report("sdf")
    given = scene([link("a"), link("b")], [joint("j", "a", "b", X_PJ=Pose.of(p=(0.0, 0.0, 1.0)))])
    assert with_representable_models(given, report).joints[0].X_PJ.is_close(IDENTITY)
    assert [entry.arguments["distance"] for entry in report.entries] == [1.0]
