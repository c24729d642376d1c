"""Fields that a writer does not answer for are found if they have a value."""

from __future__ import annotations

import dataclasses

from bridge.export.report import Report, unsupported_fields
from bridge.sdf.normal.supported_fields import CARRIED
from loaders import model as m
from loaders.diagnostics import Fate
from tests.support.scenes import link, scene


def test_a_field_that_is_not_carried_is_found_unless_it_has_its_default() -> None:
    carried = {**CARRIED, m.Link: CARRIED[m.Link] - {"kinematic"}}
    assert list(unsupported_fields(scene([link("a")]), carried)) == []
    moved = scene([link("a", kinematic=True)])
    assert [(owner, field) for _, owner, field in unsupported_fields(moved, carried)] == [("a", "kinematic")]


def test_all_fields_of_the_model_are_answered_for_or_reported() -> None:
    for cls, fields in CARRIED.items():
        assert fields <= {field.name for field in dataclasses.fields(cls)}


def test_findings_name_the_target() -> None:
    report = Report("sdf")
    report.add(Fate.NOTED, "sdfout.name", "x")
    assert [entry.target for entry in report.entries] == ["sdf"]
