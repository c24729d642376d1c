"""Segments: the principal axes and moments that PyBullet is given."""

from __future__ import annotations

import numpy as np

from bridge.targets.pybullet.articulation import Segment
from bridge.targets.pybullet.client import BASE
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY


def test_principal_axes_give_the_inertia_back_and_no_moment_is_negative() -> None:
    rod = np.array((1.0, 2.0, 2.0))
    inertia = float(rod @ rod) * np.eye(3) - np.outer(rod, rod)
    segment = Segment(
        name="rod",
        joint="",
        parent=BASE,
        X_PJ=IDENTITY,
        primitive=None,
        is_primary=True,
        inertia=SpatialInertia.of(1.0, (0.0, 0.0, 0.0), inertia),
        links=(),
    )
    R, moments = segment.principal
    np.testing.assert_allclose(R @ np.diag(moments) @ R.T, inertia, atol=1e-12)
    assert moments.min() == 0.0
    np.testing.assert_allclose(np.sort(moments), (0.0, 9.0, 9.0), atol=1e-12)
