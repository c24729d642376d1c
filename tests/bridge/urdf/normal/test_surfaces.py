"""Contact properties that differ between the collisions of a link are Drake's, or are left out."""

from __future__ import annotations

import bridge
from bridge.targets.urdf.normal_link import friction_of_link
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, link, scene
from tests.support.urdf_writer import read


def two(first: m.Surface, second: m.Surface) -> m.SceneData:
    shapes = [
        m.Collision(name=n, X_LG=IDENTITY, geometry=UNIT_BOX, surface=s)
        for n, s in (("c", first), ("d", second))
    ]
    return scene([link("a", collisions=tuple(shapes))])


def test_each_collision_has_its_own_friction_and_stiffness() -> None:
    surfaces = [
        m.Surface(friction=m.Friction(mu=mu, mu2=mu), stiffness=1000.0 * mu) for mu in (0.5, 0.25)
    ]
    found = read(two(*surfaces)).links[0].collisions  # type: ignore[arg-type]
    assert [collision.surface for collision in found] == surfaces


def test_a_different_restitution_is_left_out() -> None:
    given = two(m.Surface(restitution=0.5), m.Surface(restitution=0.25))
    (first, second) = bridge.to_urdf(given).diagnostics  # type: ignore[arg-type]
    assert {first.code, second.code} == {"urdfout.surface"}
    assert "restitution" in first.message


def test_a_link_has_one_friction_if_all_its_collisions_have_it() -> None:
    rough, smooth = (m.Surface(friction=m.Friction(mu=mu)) for mu in (0.9, 0.1))
    assert friction_of_link([rough], ("gazebo",)) == rough.friction
    assert friction_of_link([rough, rough], ("gazebo",)) == rough.friction
    assert friction_of_link([rough, smooth], ("gazebo",)) is None
    assert friction_of_link([rough], ("drake",)) is None
