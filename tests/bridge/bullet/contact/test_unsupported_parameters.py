"""Contact parameters that PyBullet does not support are reported, with their collisions."""

import pybullet

from bridge import load_into_pybullet
from loaders.model import Collision, Friction, Surface
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, codes, link, scene


def with_surface(surface, name="a", **rest):
    shape = Collision(name="c", X_LG=IDENTITY, geometry=UNIT_BOX, surface=surface)
    return link(name, collisions=(shape,), **rest)


def test_unsupported_surface_parameters_are_reported(bullet_client):
    surface = Surface(
        friction=Friction(mu=0.5, mu2=0.2, fdir1=(1.0, 0, 0), slip1=0.1),
        soft_cfm=0.1,
        max_velocity=0.2,
    )
    robot = load_into_pybullet(scene([with_surface(surface)]), physicsClientId=bullet_client)
    entries = [entry for entry in robot.diagnostics if entry.code == "pybullet.contact-property"]
    parameters = [entry.arguments["parameter"] for entry in entries]
    assert parameters == sorted(["mu2", "fdir1", "slip1", "soft_cfm", "max_velocity"])


def test_two_surfaces_of_one_link_are_reported_as_one(bullet_client):
    surfaces = (Surface(friction=Friction(mu=0.5, mu2=0.5)), Surface())
    shapes = tuple(
        Collision(name=f"c{i}", X_LG=IDENTITY, geometry=UNIT_BOX, surface=s)
        for i, s in enumerate(surfaces)
    )
    robot = load_into_pybullet(scene([link("a", collisions=shapes)]), physicsClientId=bullet_client)
    assert "pybullet.surface-per-link" in codes(robot)
    assert pybullet.getDynamicsInfo(robot, -1, bullet_client)[1] == 0.5
