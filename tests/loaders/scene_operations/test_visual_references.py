"""A COLLADA visual refers to the one collision mesh of another file at its pose; no file is opened
for it.
"""

from __future__ import annotations

import pytest

import bridge
from loaders.finish.finish import with_references
from loaders.model import Box, Collision, Link, Mesh, Visual
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import link, scene

ASIDE = Pose.of(p=(0.0, 0.0, 1.0))


def mesh(path: str) -> Mesh:
    """A mesh whose file does not exist."""
    return Mesh(uri=path, path=f"/nowhere/{path}")


def body(drawn: Mesh, *touched: tuple[Mesh, Pose]) -> Link:
    shapes = tuple(
        Collision(name=f"c{i}", X_LG=at, geometry=item) for i, (item, at) in enumerate(touched)
    )
    box = Visual(name="box", X_LG=IDENTITY, geometry=Box(size=(1.0, 1.0, 1.0)))
    made: Link = link(
        "a", collisions=shapes, visuals=(box, Visual(name="v", X_LG=IDENTITY, geometry=drawn))
    )
    return made


def test_the_collision_mesh_at_the_same_pose_is_the_reference() -> None:
    item = body(mesh("seen.DAE"), (mesh("aside.stl"), ASIDE), (mesh("touched.stl"), IDENTITY))
    for found in (
        with_references(scene([item])).links[0],
        bridge.lower(scene([item])).bodies[0].link,
    ):
        shape = found.visuals[1].geometry
        assert isinstance(shape, Mesh)
        assert shape.reference is not None
        assert shape.reference.path == "/nowhere/touched.stl"


@pytest.mark.parametrize(
    "touched",
    [
        (),
        (("seen.dae", IDENTITY),),
        (("a.stl", ASIDE),),
        (("a.stl", IDENTITY), ("b.stl", IDENTITY)),
    ],
    ids=["no collision", "the same file", "another pose", "two meshes"],
)
def test_there_is_no_reference_without_exactly_one_such_mesh(
    touched: tuple[tuple[str, Pose], ...],
) -> None:
    item = body(mesh("seen.dae"), *((mesh(path), at) for path, at in touched))
    shape = with_references(scene([item])).links[0].visuals[1].geometry
    assert isinstance(shape, Mesh)
    assert shape.reference is None


def test_a_scene_without_collada_visuals_stays_as_it_is() -> None:
    made = scene([body(mesh("seen.stl"), (mesh("touched.stl"), IDENTITY))])
    assert with_references(made) is made
