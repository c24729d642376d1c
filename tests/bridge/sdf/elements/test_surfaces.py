"""Contact properties read back with all their values."""

from __future__ import annotations

import pytest

from loaders import model as m
from tests.support.sdf_writer import collision, shaped

SURFACES = (
    m.Surface(restitution=0.5, restitution_threshold=0.1),
    m.Surface(
        stiffness=1e4,
        damping=2.0,
        max_velocity=0.1,
        min_depth=0.001,
        soft_cfm=0.1,
        soft_erp=0.2,
        collide_bitmask=3,
        category_bitmask=5,
        collide_without_contact=True,
    ),
    m.Surface(
        friction=m.Friction(
            mu=0.5, mu2=0.4, fdir1=(1.0, 0.0, 0.0), slip1=0.1, slip2=0.2, rolling=0.3
        )
    ),
    m.Surface(friction=m.Friction(torsional=0.1, patch_radius=0.2, torsional_slip=0.3)),
    m.Surface(friction=m.Friction(torsional=0.1, surface_radius=0.2, use_patch_radius=False)),
    m.Surface(
        friction=m.Friction(mu=0.3, mu2=0.3, mu_static=0.4), dissipation=1.0, relaxation_time=0.1
    ),
    m.Surface(
        hydroelastic=m.Hydroelastic(
            compliance="compliant", resolution_hint=0.1, modulus=1e7, margin=0.01
        )
    ),
)


@pytest.mark.parametrize("surface", SURFACES, ids=range(len(SURFACES)))
def test_a_surface_reads_back(surface: m.Surface) -> None:
    given = shaped(m.Sphere(radius=1.0), **{f: getattr(surface, f) for f in surface.__slots__})
    assert collision(given).surface == surface
