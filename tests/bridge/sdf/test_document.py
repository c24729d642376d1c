"""The document has the models of the scene, each with what belongs to it."""

from __future__ import annotations

from loaders import model as m
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import link, scene
from tests.support.sdf_writer import element, read

X = Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))


def test_nested_models_keep_names_poses_and_canonical_links() -> None:
    models = (
        m.Model(name="r", X_WM=X, canonical_link="n::b"),
        m.Model(name="n", X_WM=X @ X, canonical_link="n::c", static=False, self_collide=True),
    )
    links = [
        link("a", model="r", X_WL=X),
        link("n::b", model="n", X_WL=X),
        link("n::c", model="n", X_WL=X @ X @ X),
    ]
    given = scene(links, models=models)
    found = read(given)
    assert [(item.name, item.canonical_link, item.self_collide) for item in found.models] == [
        ("test", "n::b", False),
        ("n", "n::c", True),
    ]
    for ours, theirs in zip(given.links, found.links, strict=True):
        assert ours.X_WL.is_close(theirs.X_WL)
    assert element(given, "model/model").get("name") == "n"


def test_a_world_has_its_settings() -> None:
    given = scene(
        [link("a")],
        physics=m.Physics(
            time_step=0.002, engine="bullet", parameters=(("bullet/solver/iters", "7"),)
        ),
        lights=(
            m.Light(name="sun", type="directional", link=m.WORLD, X_LLight=IDENTITY, intensity=2.0),
        ),
    )
    found = read(given)
    assert found.physics == given.physics
    assert [(light.name, light.intensity) for light in found.lights] == [("sun", 2.0)]
