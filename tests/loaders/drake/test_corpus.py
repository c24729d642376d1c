"""What the conformance tool does not compare: actuators, limits and contact properties, file by
file.
"""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path

import pytest

import loaders

CORPUS = (
    Path(os.environ.get("SDFBRIDGE_CORPUS", Path(__file__).resolve().parents[4] / "shared/corpus"))
    / "drake"
)
MANIFEST = CORPUS / "manifest.json"
UNBOUNDED = 1e16
"""What older files write for no limit; Drake keeps the number."""


def entries():
    """The files that Drake loads and that lie in the corpus itself, but for MJCF and what includes
    it.
    """
    if not MANIFEST.exists():
        return []
    found = json.loads(MANIFEST.read_text())["entries"]
    loaded = [e for e in found if e["outcome"] == "ok" and (CORPUS / e["input"]).is_file()]
    return [e for e in loaded if ".xml" not in e["input"] and "top_merge_include" not in e["id"]]


pytestmark = pytest.mark.skipif(not MANIFEST.exists(), reason="the corpus is not here")


@pytest.fixture(scope="module")
def packages():
    files = [
        path
        for path in sorted((CORPUS / "inputs").rglob("package.xml"))
        if "conflicting" not in str(path)
    ]
    return {re.search(r"<name>\s*([^<\s]+)", path.read_text())[1]: path.parent for path in files}


def load(entry, packages):
    scene = loaders.load(CORPUS / entry["input"], package_map=packages)
    return scene, json.loads((CORPUS / entry["golden"]).read_text())


def short(name):
    """A name without any scope: Drake puts a joint into the scope of its child."""
    return name.rpartition("::")[2]


def number(value):
    value = float(value)
    return math.copysign(math.inf, value) if abs(value) >= UNBOUNDED else value


def rows(items):
    return sorted(items, key=repr)


@pytest.mark.parametrize("entry", entries(), ids=lambda e: e["id"])
def test_actuators_are_those_of_drake(entry, packages):
    scene, golden = load(entry, packages)
    theirs = rows(
        (
            short(a["name"]),
            short(a["joint"]),
            number(a["effort_limit"]),
            a["gear_ratio"] ** 2 * a["rotor_inertia"],
            *((a.get("pd") or {}).get(key) for key in "pd"),
        )
        for a in golden["actuators"]
    )
    ours = rows(
        (
            short(a.name),
            short(a.joint),
            a.effort,
            a.gear_ratio**2 * a.rotor_inertia,
            a.p_gain,
            a.d_gain,
        )
        for a in scene.actuators
    )
    assert ours == theirs


KEYS = {
    ("material", "point_contact_stiffness"): lambda s: s.stiffness,
    ("material", "hunt_crossley_dissipation"): lambda s: s.dissipation,
    ("material", "relaxation_time"): lambda s: s.relaxation_time,
    ("hydroelastic", "resolution_hint"): lambda s: (
        s.hydroelastic and s.hydroelastic.resolution_hint
    ),
    ("hydroelastic", "hydroelastic_modulus"): lambda s: s.hydroelastic and s.hydroelastic.modulus,
    ("hydroelastic", "margin"): lambda s: s.hydroelastic and s.hydroelastic.margin,
}


@pytest.mark.parametrize("entry", entries(), ids=lambda e: e["id"])
def test_contact_properties_are_those_of_drake(entry, packages):
    scene, golden = load(entry, packages)
    if any(link.deformable for link in scene.links):
        return  # Drake has their shapes on the world
    shapes = [g for g in golden.get("geometries", ()) if g["role"] == "proximity"]
    surfaces = [(short(link.name), c.surface) for link in scene.links for c in link.collisions]
    for (group, key), ours in KEYS.items():
        theirs = [(short(g["body"]), g["props"].get(group, {}).get(key)) for g in shapes]
        theirs = rows(row for row in theirs if row[1] is not None)
        found = rows((name, ours(s)) for name, s in surfaces if ours(s) is not None)
        if (
            key == "point_contact_stiffness"
        ):  # the same field holds ODE's stiffness, which Drake does not look at
            found = [row for row in found if row in theirs]
        assert found == theirs, key
    theirs = [
        (short(g["body"]), g["props"].get("material", {}).get("coulomb_friction")) for g in shapes
    ]
    drakes = rows((name, f["dynamic"], f["static"]) for name, f in theirs if f)
    assert {
        (name, s.friction.mu, s.friction.mu_static) for name, s in surfaces if s.friction.mu_static
    } <= set(drakes)
