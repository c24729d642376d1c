"""Settings of a world are found, and left out on request."""

from __future__ import annotations

from bridge.targets.report import Report
from bridge.targets.sdf.normal_form import settings_of_world, without_settings
from loaders import model as m
from loaders.pose import IDENTITY, frozen
from tests.support.scenes import link, scene


def test_settings_are_found_and_removed() -> None:
    assert settings_of_world(scene([link("a")])) == ()
    light = m.Light(name="sun", type="point", link=m.WORLD, X_LLight=IDENTITY)
    frame = m.Frame(name="f", link=m.WORLD, X_LF=IDENTITY)
    given = scene([link("a")], gravity=frozen((0, 0, 0)), lights=(light,), frames=(frame,))
    settings = settings_of_world(given)
    assert settings == ("gravity", "lights", "frames")
    assert settings_of_world(without_settings(given, settings, Report("sdf"))) == ()
