"""Diagnostics of results are tuples that a notebook shows as a table."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import loaders
from loaders.diagnostics import FindingList
from tests.support.web_page import WebPage

INVALID = '<sdf version="1.11"><model name="m"><link name="l"/><surprise/></model></sdf>'


def test_the_diagnostics_of_a_scene_show_themselves_and_are_a_tuple() -> None:
    scene = loaders.load_string(INVALID, format="sdf")
    assert isinstance(scene.diagnostics, tuple)
    page = WebPage(scene.diagnostics._repr_html_())
    assert len(scene.diagnostics) == page.tags.count("tr") - 1
    assert all(entry.code in page.text for entry in scene.diagnostics)


def test_copies_keep_the_form() -> None:
    scene = loaders.load_string(INVALID, format="sdf")
    for other in (
        pickle.loads(pickle.dumps(scene)),
        copy.deepcopy(scene),
        dataclasses.replace(scene, name="n"),
    ):
        assert isinstance(other.diagnostics, FindingList)
        assert other.diagnostics == tuple(scene.diagnostics)


def test_none_is_one_line() -> None:
    assert WebPage(FindingList()._repr_html_()).text == "No diagnostics"
