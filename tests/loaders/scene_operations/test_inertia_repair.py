"""Repair of impossible inertias in lenient loading: the nearest valid one, against a search over
all valid ones.
"""

from __future__ import annotations

import numpy as np
import pytest

import loaders

MODEL = """<sdf version="1.11"><model name="m"><link name="a"><inertial><mass>{mass}</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>{izz}</izz></inertia></inertial></link></model></sdf>"""


def test_the_nearest_valid_moments_are_used_and_the_change_is_stated() -> None:
    scene = loaders.load_string(MODEL.format(mass=2, izz=5), format="sdf", lenient=True, quiet=True)
    inertia = scene.links[0].inertia
    assert inertia is not None
    grid = np.linspace(0.0, 6.0, 61)
    a, b, c = np.meshgrid(grid, grid, grid, indexing="ij")
    distance = np.where(
        (a + b >= c - 1e-9) & (a + c >= b) & (b + c >= a),
        (a - 1) ** 2 + (b - 1) ** 2 + (c - 5) ** 2,
        99,
    )
    nearest = np.unravel_index(np.argmin(distance), distance.shape)
    assert np.diag(inertia.I_Lcm) == pytest.approx(grid[list(nearest)])
    (finding,) = (entry for entry in scene.diagnostics if entry.code == "model.repaired-inertia")
    assert finding.arguments["change"] == pytest.approx(1.0)
    assert finding.arguments["percent"] == pytest.approx(20.0)


def test_a_negative_mass_becomes_zero() -> None:
    scene = loaders.load_string(
        MODEL.format(mass=-2, izz=1), format="sdf", lenient=True, quiet=True
    )
    (finding,) = (entry for entry in scene.diagnostics if entry.fate is loaders.Fate.SKIPPED)
    assert finding.arguments["mass"] == 2.0


def test_valid_inertias_stay_and_strict_loading_keeps_impossible_ones() -> None:
    text = MODEL.format(mass=2, izz=2)
    assert loaders.load_string(text, format="sdf", lenient=True).links[0].inertia.mass == 2.0
    kept = loaders.load_string(MODEL.format(mass=2, izz=5), format="sdf", quiet=True)
    assert np.diag(kept.links[0].inertia.I_Lcm).tolist() == [1.0, 1.0, 5.0]
