"""The depth of overlaps, against closed forms and PyBullet's own distances."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pybullet
import pybullet_data
import pytest
import trimesh

import bridge
import loaders
from bridge.geometry import overlap
from bridge.geometry.overlap import TOUCH, ShapeModel, deepest_of, touching
from loaders.collision_pairs import PairSet
from loaders.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Plane,
    Sphere,
    by_name,
)
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import link

BALL = Sphere(radius=0.1)
CUBE = Box(size=(0.2, 0.2, 0.2))
HULL_MARGIN = 1e-3
"""By how much PyBullet enlarges a convex hull on a link that is not the base [m]."""
ROUND: list[Geometry] = [
    BALL,
    Cylinder(radius=0.1, length=0.2),
    Capsule(radius=0.1, length=0.2),
    Ellipsoid(radii=(0.1, 0.1, 0.1)),
]


def depth(a: Geometry, b: Geometry, x: float, X_WB: Pose | None = None) -> float:
    """The depth to which two shapes overlap at a distance along x [m]; 0 if they do not."""
    shapes = ShapeModel([link("a", shape=a), link("b", shape=b)])
    placed = X_WB or Pose.from_xyz_rpy((x, 0.0, 0.0), (0.0, 0.0, 0.0))
    found = shapes.overlaps({"a": IDENTITY, "b": placed}, {"a": 1, "b": 2}, min_depth=0.0)
    return found[0].depth if found else 0.0


@pytest.mark.parametrize("b", [*ROUND, CUBE])
@pytest.mark.parametrize("a", [*ROUND, CUBE])
def test_shapes_of_half_width_a_tenth_overlap_by_what_is_left_of_their_widths(
    a: Geometry, b: Geometry
) -> None:
    assert depth(a, b, 0.15) == pytest.approx(0.05, abs=2e-4)
    assert depth(a, b, 0.2001) == 0.0


@pytest.mark.parametrize("b", [*ROUND, CUBE])
@pytest.mark.parametrize("a", [*ROUND, CUBE])
def test_shapes_at_one_place_overlap_by_their_width(a: Geometry, b: Geometry) -> None:
    assert depth(a, b, 0.0) == pytest.approx(0.2, abs=2e-3)


def test_a_plane_reaches_everywhere() -> None:
    far = Pose.from_xyz_rpy((50.0, -70.0, 0.04), (0.3, 0.2, 0.1))
    assert depth(Plane(), BALL, 0.0, far) == pytest.approx(0.06, abs=1e-9)
    above = Pose.from_xyz_rpy((50.0, -70.0, 0.11), (0.0, 0.0, 0.0))
    assert depth(Plane(), BALL, 0.0, above) == 0.0


def test_the_apex_of_a_cone_is_above() -> None:
    cone = Cone(radius=0.1, length=0.2)
    apex = Pose.from_xyz_rpy((0.0, 0.0, 0.195), (0.0, 0.0, 0.0))
    slope = math.cos(math.atan2(0.1, 0.2))
    assert 0.0 < depth(cone, BALL, 0.0, apex) < 0.01
    assert depth(cone, BALL, 0.0, apex) > 0.005 * slope


@pytest.mark.parametrize(
    "name", ["franka_panda/panda.urdf", "a1/a1.urdf", "laikago/laikago_toes.urdf"]
)
def test_the_depths_of_robots_are_those_of_pybullet(name: str, bullet_client: int) -> None:
    path = str(Path(pybullet_data.getDataPath()) / name)
    mechanism = bridge.lower(loaders.load(path, quiet=True))
    robot = bridge.load_into_pybullet(mechanism, physicsClientId=bullet_client, quiet=True)
    found = {
        frozenset((entry.link_A, entry.link_B)): entry.depth
        for entry in mechanism.overlaps_at()
        if entry.depth > 5e-3
    }
    assert found
    links = by_name(mechanism.scene.links)
    for pair, ours in found.items():
        i, j = (robot.links[name] for name in sorted(pair))
        points = pybullet.getClosestPoints(robot, robot, 0.0, i, j, physicsClientId=bullet_client)
        enlarged = [
            name
            for name in pair
            if robot.links[name] >= 0
            and any(isinstance(shape.geometry, Mesh) for shape in links[name].collisions)
        ]
        theirs = -min(point[8] for point in points) - HULL_MARGIN * len(enlarged)
        assert theirs == pytest.approx(ours, rel=1e-2, abs=2e-4)


def test_links_that_lie_in_each_other_at_random_positions_are_found(bullet_client: int) -> None:
    path = str(Path(pybullet_data.getDataPath()) / "franka_panda/panda.urdf")
    mechanism = bridge.lower(loaders.load(path, quiet=True))
    robot = bridge.load_into_pybullet(
        mechanism, physicsClientId=bullet_client, useFixedBase=True, quiet=True
    )
    rng, seen = np.random.default_rng(0), 0
    joints = [joint for joint, _ in mechanism.v_order if joint.startswith("panda_joint")]
    for _ in range(5):
        q = dict(zip(joints, rng.uniform(-2.0, 2.0, len(joints)).tolist(), strict=True))
        robot.set_positions(q)
        ours = {frozenset((e.link_A, e.link_B)): e.depth for e in mechanism.overlaps_at(q)}
        names = [name for name in robot.links if name.startswith("panda_link")]
        for i, a in enumerate(names):
            for b in names[i + 2 :]:
                points = pybullet.getClosestPoints(
                    robot,
                    robot,
                    0.0,
                    robot.links[a],
                    robot.links[b],
                    physicsClientId=bullet_client,
                )
                theirs = -min((point[8] for point in points), default=0.0) - 2.0 * HULL_MARGIN
                if theirs > 5e-3:
                    seen += 1
                    assert ours[frozenset((a, b))] == pytest.approx(theirs, rel=1e-2, abs=2e-4)
    assert seen


def test_hulls_that_touch_within_the_margins_of_pybullet_do_not_collide(tmp_path: Path) -> None:
    trimesh.creation.box((0.2, 0.2, 0.2)).export(tmp_path / "box.stl")
    mesh = "<collision><geometry><mesh filename='box.stl'/></geometry></collision>"
    axis = "<axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>"
    inertia = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    robot = tmp_path / "robot.urdf"
    for gap, is_excluded in ((1.5e-3, True), (2.5e-3, False)):
        joints = "".join(
            f"<joint name='to_{name}' type='prismatic'><origin xyz='{x} 0 0'/>"
            f"<parent link='r'/><child link='{name}'/>{axis}</joint>"
            for name, x in (("a", 0.0), ("b", 0.2 + gap))
        )
        links = "".join(f"<link name='{name}'>{inertia}{mesh}</link>" for name in "ab")
        robot.write_text(f"<robot name='two'><link name='r'/>{links}{joints}</robot>")
        mechanism = bridge.lower(loaders.load(robot, quiet=True))
        assert mechanism.overlaps == ()
        assert [entry.depth for entry in mechanism.assumed_exclusions] == (
            [pytest.approx(-gap, abs=1e-8)] if is_excluded else []
        )


@pytest.mark.parametrize("far", [0.0, 1e6, 1e9, 1e12, 1e38])
def test_a_mesh_that_single_precision_makes_flat_is_left_out(far: float, tmp_path: Path) -> None:
    """MuJoCo keeps corners in single precision, and refuses all shapes for a flat one."""
    for thickness in (1.0, 1e-4, 1e-8):
        plate = trimesh.creation.box((1.0, thickness, thickness))
        corners = (plate.vertices + np.array([far, 0.0, 0.0])).tolist()
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners]
        lines += [f"f {a} {b} {c}" for a, b, c in (plate.faces + 1).tolist()]
        name = f"{thickness:g}.obj"
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        mesh = f"<collision><geometry><mesh filename='{name}'/></geometry></collision>"
        robot = tmp_path / "robot.urdf"
        robot.write_text(f"<robot name='r'><link name='l'>{mesh}</link></robot>")
        ShapeModel([*loaders.load(robot, quiet=True).links, link("a", shape=CUBE)])


@pytest.mark.parametrize("seed", range(6))
def test_what_touches_is_what_all_shapes_together_tell_of_the_pairs_that_may_collide(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(seed)
    trimesh.creation.icosphere(1, 0.1).export(tmp_path / "ball.stl")
    ball = Mesh(uri="ball.stl", path=str(tmp_path / "ball.stl"))
    kinds: list[Geometry] = [*ROUND, CUBE, ball, Cone(radius=0.1, length=0.2)]
    links = [link(f"l{k}", shape=kinds[k % len(kinds)]) for k in range(24)]
    links.append(link("ground", shape=Plane()))
    at = [
        {
            one.name: Pose.from_xyz_rpy(rng.uniform(0.0, 0.8, 3), rng.uniform(-3, 3, 3))
            for one in links
        }
        for _ in range(2)
    ]
    groups = {one.name: k // 2 for k, one in enumerate(links)}
    excluded = PairSet(groups=[[f"l{k}" for k in range(8)]], pairs=[frozenset(("l9", "l20"))])
    model = ShapeModel(links)
    every = [model.overlaps(X_WL, groups, TOUCH, with_margins=True) for X_WL in at]
    expected = deepest_of(
        entry
        for found in every
        for entry in found
        if frozenset((entry.link_A, entry.link_B)) not in excluded
    )
    assert len(expected) > 3
    for _ in range(2):  # computed, then from the cache
        assert touching(links, at, groups, excluded) == expected
    assert list((tmp_path / "cache" / "touching").glob("*.json"))


def test_shapes_that_are_apart_need_no_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path))
    monkeypatch.setattr(overlap, "ShapeModel", None)
    links = [link("a", shape=BALL), link("b", shape=CUBE), link("ground", shape=Plane())]
    X_WB = Pose.from_xyz_rpy((0.19, 0.17, 0.3), (0.0, 0.0, math.pi / 4))  # only the boxes meet
    at = {"a": Pose.from_xyz_rpy((0.0, 0.0, 0.3), (0, 0, 0)), "b": X_WB, "ground": IDENTITY}
    assert touching(links, [at], {"a": 0, "b": 1, "ground": 2}) == ()
