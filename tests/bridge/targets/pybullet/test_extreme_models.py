"""No file makes PyBullet crash, lose what it was given, or leave something behind."""

import dataclasses
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pybullet
import pytest
import trimesh

import bridge.targets.pybullet.articulation
from benchmarks import load_and_remove
from bridge import load_into_pybullet, lower
from loaders import ExportError, ModelError
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Collision, JointType, Mesh, Visual
from loaders.pose import Pose
from tests.support.scenes import (
    MOVING,
    UNIT_BOX,
    codes,
    joint,
    link,
    random_pose,
    random_scene,
    random_state,
    relative,
    scene,
    touching,
)

# Nothing that a file can say makes PyBullet crash, corrupt its memory or turn its state into NaN.
#
# The cases run in a separate process: where PyBullet is shown such a file itself, it ends that
# process.

ROOT = Path(__file__).parents[4]
INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" '
    'iyz="0"/></inertial>'
)


def urdf_link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>'


def urdf_joint(name, parent, child, kind="continuous"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child '
        f'link="{child}"/></joint>'
    )


def robot(*elements):
    return f'<robot name="r">{"".join(elements)}</robot>'


FILES = {
    "two roots": robot(urdf_link("a"), urdf_link("b")),
    "a long link name": robot(
        urdf_link("n" * 1023), urdf_link("b"), urdf_joint("j", "n" * 1023, "b")
    ),
    "a longer joint name": robot(urdf_link("a"), urdf_link("b"), urdf_joint("n" * 5000, "a", "b")),
    "two long names that begin alike": robot(
        urdf_link("n" * 2000 + "1"),
        urdf_link("n" * 2000 + "2"),
        urdf_joint("j", "n" * 2000 + "1", "n" * 2000 + "2"),
    ),
    "a name that grows when it is escaped": robot(urdf_link("&quot;" * 1000)),
    "duplicate joint names": robot(
        *map(urdf_link, "abc"), urdf_joint("j", "a", "b"), urdf_joint("j", "b", "c")
    ),
    "duplicate link names": robot(urdf_link("a"), urdf_link("a")),
    "a line of a hundred thousand bytes": robot(
        urdf_link("a", f"{' ' * 100000}{INERTIAL}{' ' * 100000}")
    ),
    "a joint without a name": robot(urdf_link("a"), urdf_link("b"), urdf_joint("", "a", "b")),
    "a link without a name": robot(urdf_link(""), urdf_link("_"), urdf_joint("_", "", "_")),
    "a joint in a circle": robot(
        *map(urdf_link, "ab"), urdf_joint("j", "a", "b"), urdf_joint("k", "b", "a")
    ),
    "a joint from a link to itself": robot(urdf_link("a"), urdf_joint("j", "a", "a")),
    "links before those that carry them": robot(
        *map(urdf_link, "edcba"), *(urdf_joint(f"j{b}", a, b) for a, b in ("de", "cd", "bc", "ab"))
    ),
    "no inertia anywhere": robot(urdf_link("a", ""), urdf_link("b", ""), urdf_joint("j", "a", "b")),
    "an empty dynamics": robot(
        *map(urdf_link, "ab"), urdf_joint("j", "a", "b").replace("</joint>", "<dynamics/></joint>")
    ),
    "a hinge without limits": robot(*map(urdf_link, "ab"), urdf_joint("j", "a", "b", "revolute")),
    "vectors with tabs": robot(
        urdf_link("a", INERTIAL.replace("<mass", '<origin xyz="1\t2\n3"/><mass'))
    ),
    "an inertia of no real body": robot(urdf_link("a", INERTIAL.replace('ixx=".1"', 'ixx="9"'))),
    "a ball of a point mass": robot(
        urdf_link("a"),
        urdf_link("b", INERTIAL.replace(".1", "0")),
        urdf_joint("j", "a", "b", "spherical"),
    ),
    "a free point mass": robot(urdf_link("a", INERTIAL.replace(".1", "0"))),
    "a mass that is no number": robot(urdf_link("a", INERTIAL.replace('value="1"', 'value="nan"'))),
    "a planar joint": robot(*map(urdf_link, "ab"), urdf_joint("j", "a", "b", "planar")),
    "a floating joint inside": robot(*map(urdf_link, "ab"), urdf_joint("j", "a", "b", "floating")),
    "two hundred hinges": robot(
        *(urdf_link(f"l{i}") for i in range(201)),
        *(urdf_joint(f"j{i}", f"l{i}", f"l{i + 1}") for i in range(200)),
    ),
    "two hundred hinges without mass": robot(
        *(urdf_link(f"l{i}", "") for i in range(201)),
        *(urdf_joint(f"j{i}", f"l{i}", f"l{i + 1}") for i in range(200)),
    ),
    "two thousand welds": robot(
        *(urdf_link(f"l{i}") for i in range(2001)),
        *(urdf_joint(f"j{i}", f"l{i}", f"l{i + 1}", "fixed") for i in range(2000)),
    ),
    "a mesh in text STL": robot(
        urdf_link(
            "a", f'{INERTIAL}<collision><geometry><mesh filename="t.stl"/></geometry></collision>'
        )
    ),
    "a mesh that is missing": robot(
        urdf_link(
            "a",
            f'{INERTIAL}<collision><geometry><mesh filename="none.obj"/></geometry></collision>',
        )
    ),
    "a mesh that is none": robot(
        urdf_link(
            "a", f'{INERTIAL}<collision><geometry><mesh filename="bad.obj"/></geometry></collision>'
        )
    ),
}

TEXT_STL = (
    "solid t\n"
    + "".join(
        (
            f"facet normal 0 0 0\nouter "
            f"loop\n{''.join(f'vertex {x} {y} {z}' + chr(10) for x, y, z in t)}endloop\nendfacet\n"
        )
        for t in (
            ((0, 0, 0), (0, 1, 0), (1, 0, 0)),
            ((0, 0, 0), (1, 0, 0), (0, 0, 1)),
            ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
            ((0, 0, 0), (0, 0, 1), (0, 1, 0)),
        )
    )
    + "endsolid t\n"
)


def outcome_of(path: Path) -> str:
    """What becomes of a file that is loaded and stepped: a number of bodies and links, or why it is
    refused.
    """
    client = pybullet.connect(pybullet.DIRECT)
    pybullet.setGravity(0, 0, -9.81, client)
    try:
        loaded = load_into_pybullet(path, physicsClientId=client)
    except ModelError as error:
        return f"refused: {str(error)[:2000]}"
    bodies = [loaded] if isinstance(loaded, int) else list(loaded)
    for body in bodies:
        body.mass_matrix()
    for _ in range(50):
        pybullet.stepSimulation(client)
    for body in bodies:
        for name in body.links:
            assert all(map(math.isfinite, body.link_pose(name).to_vector())), name
        pybullet.getBasePositionAndOrientation(body, client)
    pybullet.disconnect(client)
    return f"loaded: {len(bodies)} {sum(len(body.links) for body in bodies)}"


def try_all(*paths: str) -> None:
    """Say what becomes of each file at once, so that the last line tells where a crash was."""
    for path in paths:
        say(json.dumps(outcome_of(Path(path))))


REFUSED = {
    "duplicate joint names": "j",
    "duplicate link names": "a",
    "a joint from a link to itself": "a",
    "a mass that is no number": "nan",
    "two hundred hinges without mass": "pybullet.too-many-joints",
}
"""Files that are no model, or none for PyBullet, and a word of what is said."""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What becomes of each file; a file at which the process ends is followed by another one."""
    folder, found = tmp_path_factory.mktemp("files"), {}
    (folder / "t.stl").write_text(TEXT_STL)
    (folder / "bad.obj").write_text("v 1 2\nf 1 2 3\n")
    for name, text in FILES.items():
        (folder / f"{name}.urdf").write_text(text)
    while left := [name for name in FILES if name not in found]:
        child = in_process("try_all", *(str(folder / f"{name}.urdf") for name in left))
        lines = [json.loads(line) for line in child.stdout.splitlines() if line.startswith('"')]
        found |= dict(zip(left, lines, strict=False))
        if child.returncode:
            found[left[len(lines)]] = f"the process ended: {child.stderr[-2000:]}"
    return found


@pytest.mark.slow
@pytest.mark.parametrize("case", FILES)
def test_pybullet_survives(outcomes, case):
    outcome = outcomes[case]
    if case in REFUSED:
        assert outcome.startswith("refused:")
        assert REFUSED[case] in outcome
    else:
        assert outcome.startswith(("refused:", "loaded:"))


def test_a_long_temporary_folder_is_refused(bullet_client, tmp_path, monkeypatch):
    import tempfile

    deep = tmp_path / "/".join(["d" * 200] * 5)
    deep.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with pytest.raises(ExportError, match=r"pybullet\.long-path"):
        load_into_pybullet(scene([link("a", shape=UNIT_BOX)]), physicsClientId=bullet_client)
    assert list(deep.iterdir()) == []


# --- too large ------------------------------------------------------------------------------------


def chain(count, welds):
    """A chain in which every link that ``welds`` says is welded, and the others turn."""
    links = [link(f"l{i}") for i in range(count)]
    joints = [joint("root", WORLD, "l0", JointType.FIXED)]
    for i in range(1, count):
        kind = JointType.FIXED if welds(i) else JointType.REVOLUTE
        X_PJ = Pose.from_vector((0.1, 0, 0, 1, 0.1 * i, 0, 0))
        joints.append(
            joint(f"j{i}", f"l{i - 1}", f"l{i}", kind, X_PJ=X_PJ, X_CJ=Pose.of(p=(0, 0.1, 0)))
        )
    return scene(links, joints)


def test_welded_links_are_merged_beyond_the_limit_of_pybullet(bullet_client):
    source = chain(200, lambda i: i % 2 == 0)
    robot, mechanism = load_into_pybullet(source, physicsClientId=bullet_client), lower(source)
    assert (
        pybullet.getNumJoints(robot, bullet_client)
        == bridge.targets.pybullet.articulation.MAX_JOINTS
    )
    assert "pybullet.folded-links" in codes(robot)
    q, _ = random_state(mechanism, 0)
    robot.set_positions(q)
    for name, pose in mechanism.link_poses(q).items():
        assert robot.link_pose(name).is_close(pose, 1e-10)
    assert relative(robot.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-9


@pytest.mark.slow
def test_a_comparison_explains_the_mass_of_merged_links():
    comparison = bridge.compare(
        chain(130, lambda i: i % 2 == 0), engines=("pybullet",), levels=("L0",), configurations=1
    )
    outcomes = {row.quantity: row.outcome.value for row in comparison.rows}
    assert outcomes["mass"] == outcomes["inertia"] == "explained"


def test_merged_links_with_different_filters_are_reported(bullet_client):
    source = chain(140, lambda i: i in {1, *range(10, 40)})
    assert lower(source).v_order
    links = [
        link(each.name, shape=UNIT_BOX) if each.name in {"l0", "l1", "l2"} else each
        for each in source.links
    ]
    robot = load_into_pybullet(scene(links, source.joints), physicsClientId=bullet_client)
    assert touching(robot, bullet_client) == lower(scene(links, source.joints)).collidable_pairs()


def test_as_many_joints_as_pybullet_can_set_are_all_set(bullet_client):
    source = chain(bridge.targets.pybullet.articulation.MAX_COORDINATES + 1, lambda _: False)
    robot, mechanism = load_into_pybullet(source, physicsClientId=bullet_client), lower(source)
    q, _ = random_state(mechanism, 0)
    robot.set_positions(q)
    assert {name: (value,) for name, value in robot.positions().items()} == q
    assert len(q) == bridge.targets.pybullet.articulation.MAX_COORDINATES


def test_trees_that_are_too_many_for_one_body_are_in_two(bullet_client):
    links = [link(f"l{i}") for i in range(150)]
    joints = [joint(f"j{i}", WORLD, f"l{i}", X_PJ=Pose.of(p=(i, 0, 0))) for i in range(150)]
    bodies = load_into_pybullet(scene(links, joints), physicsClientId=bullet_client)
    assert len(bodies) == 2
    assert bodies.link_pose("l149").p.tolist() == [149, 0, 0]


# --- masses that PyBullet would not have ----------------------------------------------------------


def test_an_inertia_that_pybullet_would_zero_is_put_back(bullet_client):
    odd = SpatialInertia.of(1.0, (0, 0, 0), np.diag((1.0, 1.0, 5.0)))
    robot = load_into_pybullet(
        scene([link("a", inertia=odd)], [joint("j", WORLD, "a")]), physicsClientId=bullet_client
    )
    assert sorted(pybullet.getDynamicsInfo(robot, 0, bullet_client)[2]) == [1.0, 1.0, 5.0]
    np.testing.assert_allclose(robot.mass_matrix(), [[5.0]])


def test_a_mass_on_a_massless_chain_keeps_its_place(bullet_client):
    nothing = SpatialInertia.of(0.0)
    links = [link("a", inertia=nothing), link("b", inertia=nothing), link("c")]
    joints = [
        joint("x", WORLD, "a", JointType.PRISMATIC),
        joint("y", "a", "b", xyz=(1, 0, 0)),
        joint("z", "b", "c", xyz=(0, 1, 0)),
    ]
    source = scene(links, joints)
    robot, mechanism = load_into_pybullet(source, physicsClientId=bullet_client), lower(source)
    q, _ = random_state(mechanism, 2)
    robot.set_positions(q)
    assert relative(robot.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-12


# Random trees with the names, inertias and meshes that strangers give: PyBullet survives them, and
# nothing is left.
#
# They are loaded in a separate process, as a crash would end the one that it happens in.

NAMES = (
    " ",
    "a b",
    "ä/ö::ü",
    "<&>\"'",
    "\u202e",
    "日本語" * 30,
    "n" * 1023,
    "n" * 3000,
    "%s%n%x",
    "../x",
    "$(x)",
    "a\tb",
    "\U0001d518" * 300,
    "]]>",
    "&#10;",
    "\\n",
    "é" * 501,
    "-1",
    "base_link",
    "_",
    "#",
)
INERTIAS = (
    None,
    SpatialInertia.of(0.0),
    SpatialInertia.of(1.0),
    SpatialInertia.of(1.0, (0.1, 0.2, 0.3), np.diag((1.0, 1.0, 50.0))),
    SpatialInertia.of(1e-9, (0.1, 0, 0), 1e-12 * np.eye(3)),
)


def write_meshes(folder: Path) -> None:
    """Good ones, flat ones, broken ones."""
    box = trimesh.creation.box((1, 1, 1))
    for name in ("box.obj", "box.ply", "box.glb", "name with blank ü.obj"):
        box.export(folder / name)
    data = box.export(file_type="stl")
    (folder / "whole.stl").write_bytes(data)
    (folder / "cut.stl").write_bytes(data[:200])
    (folder / "noise.stl").write_bytes(bytes(range(256)))
    (folder / "cut.dae").write_text("<COLLADA>")
    (folder / "empty.obj").write_text("")
    triangle = "f 1 2 3\n"
    points = {
        "flat": "v 0 0 0\nv 1 0 0\nv 0 1 0\n",
        "line": "v 0 0 0\nv 1 0 0\nv 2 0 0\n",
        "point": "v 0 0 0\nv 0 0 0\nv 0 0 0\n",
        "nan": "v nan 0 0\nv 1 0 0\nv 0 1 0\n",
        "far": "v 1e30 0 0\nv 1 0 0\nv 0 1e30 0\n",
        "short": "v 0 0 0\n",
    }
    for name, text in points.items():
        (folder / f"{name}.obj").write_text(text + triangle)


def strange(seed: int, folder: Path):
    """A random scene, half of its names, inertias and shapes replaced."""
    rng = np.random.default_rng(seed)
    kinds = MOVING if rng.random() < 0.7 else MOVING[:2]
    source = random_scene(
        seed, fixed=bool(rng.random() < 0.5), kinds=kinds, size=int(rng.integers(1, 12))
    )
    odd = rng.permutation(len(NAMES))[: len(source.links)]
    new = {
        link.name: NAMES[k]
        for link, k in zip(source.links, odd, strict=False)
        if rng.random() < 0.5
    }
    meshes = sorted(folder.iterdir())

    def shape():
        path = meshes[rng.integers(len(meshes))]
        return Mesh(
            uri=path.name,
            path=str(path),
            scale=tuple(rng.choice([1.0, -1.0, 2.0, 1e-3], 3).tolist()),
        )

    def placed(kind):
        return tuple(
            kind(name="s", X_LG=random_pose(rng), geometry=shape()) for _ in range(rng.integers(2))
        )

    links = [
        dataclasses.replace(
            link,
            name=new.get(link.name, link.name),
            inertia=INERTIAS[rng.integers(len(INERTIAS))] if rng.random() < 0.5 else link.inertia,
            collisions=placed(Collision),
            visuals=placed(Visual),
        )
        for link in source.links
    ]
    joints = [
        dataclasses.replace(
            joint,
            parent=new.get(joint.parent, joint.parent),
            child=new.get(joint.child, joint.child),
            name=NAMES[k] if rng.random() < 0.3 else joint.name,
        )
        for joint, k in zip(source.joints, rng.permutation(len(NAMES)), strict=False)
    ]
    return dataclasses.replace(source, links=tuple(links), joints=tuple(joints))


def say(text: str) -> None:
    """Write at once, so that the last line tells where a crash was."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def run(first: int, last: int, folder: str) -> None:
    """Load, ask, step and remove; says each number first."""
    client = pybullet.connect(pybullet.DIRECT)
    for seed in range(first, last):
        say(f"scene {seed}")
        try:
            loaded = load_into_pybullet(strange(seed, Path(folder)), physicsClientId=client)
        except ModelError as error:
            say(f"refused {str(error)[:200]}")
            continue
        loaded.mass_matrix()
        for _ in range(3):
            loaded.step()
        poses = [loaded.link_pose(name).to_vector() for name in loaded.links]
        assert np.isfinite(poses).all(), "a pose is no number"
        loaded.remove()
        left = pybullet.getNumBodies(client), pybullet.getNumConstraints(client)
        assert left == (0, 0), "something is left in PyBullet"
    say("done")


def in_process(function, *arguments, **environment):
    """The end of a process that calls a function of this module, with texts and numbers."""
    module = "tests.bridge.targets.pybullet.test_extreme_models"
    code = f"from {module} import {function} as f; f(*{arguments!r})"
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
    )


@pytest.mark.slow
def test_other_bodies_of_the_server_change_nothing(tmp_path):
    meshes, scratch = tmp_path / "meshes", tmp_path / "scratch"
    meshes.mkdir()
    scratch.mkdir()
    write_meshes(meshes)
    child = in_process("run", 0, 60, str(meshes), TMPDIR=str(scratch))
    assert child.stdout.endswith("done\n"), child.stdout[-300:] + child.stderr[-2000:]
    assert "refused" not in child.stdout
    assert [path.name for path in scratch.iterdir() if path.name.startswith("sdfbridge")] == []


# What loading and removing again and again leaves behind, in a separate process: no file, no body,
# no constraint.

ROUNDS = 40
ROUNDING = 0.5
"""How much the growth differs from run to run [KiB a round]."""


def measured(path, way, rounds=ROUNDS):
    """Growth of the memory [KiB a round], files, bodies and constraints that are left."""
    growth, *left = load_and_remove.in_process(path, way, rounds).split()
    return float(growth), [int(count) for count in left]


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is counted by glibc")
@pytest.mark.parametrize("name", ["cartpole.urdf", "r2d2.urdf"])
def test_loading_and_removing_leaves_no_more_behind_than_pybullet_itself(pybullet_robots, name):
    own, _ = measured(pybullet_robots / name, "loadURDF")
    growth, left = measured(pybullet_robots / name, "here")
    assert left == [0, 0, 0]
    assert growth <= own + ROUNDING


@pytest.mark.slow
def test_couplings_and_loops_go_with_the_body(assets):
    _, left = measured(assets / "arm" / "model.sdf", "here", rounds=2)
    assert left == [0, 0, 0]
