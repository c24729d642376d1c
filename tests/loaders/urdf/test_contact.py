"""PyBullet's <contact> of a link."""

from __future__ import annotations

from loaders.model.contact import torsional_length
from tests.support.urdf_robots import SPHERE, robot


def test_pybullets_contact_is_read() -> None:
    contact = (
        "<contact><lateral_friction value='0.8'/><rolling_friction "
        "value='0.01'/><spinning_friction value='0.02'/>"
        "<restitution value='0.5'/><stiffness value='3000'/><damping value='10'/><contact_erp "
        "value='0.2'/></contact>"
    )
    surface = robot(f"<link name='a'>{contact}{SPHERE}</link>").links[0].collisions[0].surface
    friction = surface.friction
    assert (friction.mu, friction.mu2, friction.rolling, friction.torsional) == (
        0.8,
        0.8,
        0.01,
        0.02,
    )
    assert torsional_length(friction) == 0.02
    assert (surface.restitution, surface.stiffness, surface.damping, surface.soft_erp) == (
        0.5,
        3000,
        10,
        0.2,
    )
