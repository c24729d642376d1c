"""Inertias that no rigid body can have, and the physical ones that replace them."""

from __future__ import annotations

import dataclasses

import numpy as np

from bridge.lowering.inertia import with_repaired_inertia
from bridge.lowering.sources import mechanism_of
from loaders.diagnostics import Diagnostics, Fate
from loaders.inertia import SpatialInertia
from tests.support.scenes import link, scene

IMPOSSIBLE = SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 1.0, 3.0)))
"""One moment of inertia is larger than the sum of the others."""


def test_a_repair_names_the_link_and_what_is_wrong() -> None:
    diagnostics = Diagnostics()
    source = scene([dataclasses.replace(link("a"), inertia=IMPOSSIBLE), link("b")])
    repaired = with_repaired_inertia(source, diagnostics)
    (entry,) = diagnostics
    assert (entry.code, entry.fate, entry.subjects) == (
        "lower.repaired-inertia",
        Fate.REPAIRED,
        ("a",),
    )
    assert entry.arguments["mass"] == 1.0
    assert entry.arguments["defects"]
    a, b = repaired.links
    assert a.inertia is not None
    assert not a.inertia.defects()
    assert b.inertia is source.links[1].inertia


def test_a_scene_without_defects_is_returned_itself() -> None:
    diagnostics, source = Diagnostics(), scene([link("a")])
    assert with_repaired_inertia(source, diagnostics) is source
    assert not len(diagnostics)


def test_a_mechanism_is_repaired_through_its_scene() -> None:
    source = scene([dataclasses.replace(link("a"), inertia=IMPOSSIBLE)])
    for given in (source, mechanism_of(source)):
        mechanism = mechanism_of(given, repair_inertia=True)
        assert [entry.code for entry in mechanism.diagnostics] == ["lower.repaired-inertia"]
        assert not mechanism.bodies[0].inertia.defects()
    assert mechanism_of(source).bodies[0].inertia.defects()
