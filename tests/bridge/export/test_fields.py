"""Fields that a target lacks are found if they have a value."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.targets.fields import Losses, losses, without_lost_fields
from bridge.targets.mjcf.fields import LOSSES as MJCF
from bridge.targets.sdf.target import LOSSES as SDF
from bridge.targets.urdf.target import LOSSES as URDF
from loaders import model as m
from loaders.diagnostics import Code, Fate, Where
from tests.support.scenes import UNIT_BOX, link, scene

CODE = Code("sdfout.field", Fate.DROPPED, "x", meaning="")


def test_a_value_that_is_lost_is_found_unless_it_is_the_default() -> None:
    table = losses((m.Link, "kinematic", CODE), (m.Friction, "mu fdir1", CODE))

    def lost_of(item: object) -> dict[str, Code]:
        return table.get(type(item), {})

    plain = scene([link("a", shape=UNIT_BOX)])
    assert without_lost_fields(plain, lost_of) == (plain, [])
    body = link("a", shape=UNIT_BOX, kinematic=True, where=Where("a.sdf", 3))
    surface = m.Surface(friction=m.Friction(mu=0.5))
    collisions = tuple(dataclasses.replace(c, surface=surface) for c in body.collisions)
    slippery = dataclasses.replace(body, collisions=collisions)
    pruned, found = without_lost_fields(scene([slippery]), lost_of)
    (kept,) = pruned.links
    assert (kept.kinematic, kept.collisions[0].surface) == (False, m.Surface())
    assert [(lost.field, lost.owner, lost.depth, lost.where.line) for lost in found] == [
        ("mu", body.collisions[0].name, 4, 3),
        ("kinematic", "a", 1, 3),
    ]


@pytest.mark.parametrize("table", [MJCF, SDF, *URDF.values()])
def test_each_row_names_fields_of_its_class(table: Losses) -> None:
    for cls, lost in table.items():
        assert lost.keys() <= {field.name for field in dataclasses.fields(cls)}
