"""The cards of scenes and mechanisms in a notebook."""

from __future__ import annotations

from pathlib import Path

import bridge
import loaders
from loaders.model import Box
from tests.support.scenes import joint, link, scene
from tests.support.web_page import WebPage, is_inert

ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"
HOSTILE = "<script>alert(1)</script>"


def test_a_scene_and_its_mechanism_show_picture_counts_and_every_joint() -> None:
    arm = loaders.load(ARM)
    for shown in (arm, bridge.lower(arm)):
        text = shown._repr_html_()
        page = WebPage(text)
        assert is_inert(text)
        assert page.tags.count("img") == 1
        assert "3 models, 9 links" in page.text
        assert all(j.name in page.text for j in arm.joints)
        assert len(text) < 60_000


def test_hostile_names_are_text() -> None:
    links = [link(HOSTILE, shape=Box(size=(1, 1, 1))), link("b")]
    made = scene(links, [joint(HOSTILE, HOSTILE, "b")], name=HOSTILE, source=f"/a/{HOSTILE}")
    for text in (made._repr_html_(), bridge.lower(made)._repr_html_()):
        assert is_inert(text)
        assert HOSTILE in WebPage(text).text


def test_an_empty_scene_has_a_card() -> None:
    page = WebPage(scene([])._repr_html_())
    assert "0 links" in page.text
    assert "img" not in page.tags
