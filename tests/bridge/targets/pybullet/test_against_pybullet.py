"""Loaded bodies against those of PyBullet's own ``loadURDF`` and ``loadSDF``."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pybullet
import pybullet_data
import pytest
import trimesh

import bridge
import loaders
from bridge import load_into_pybullet
from loaders.pose import quaternion_to_matrix
from tests.support.scenes import codes

# PyBullet's own queries of a loaded body, against those of the body that ``loadURDF`` makes of the
# same file.

SHAPES = {
    "box": trimesh.creation.box((1.0, 1.0, 1.0)),
    "ball": trimesh.creation.icosphere(subdivisions=2, radius=0.5),
    "cylinder": trimesh.creation.cylinder(radius=0.5, height=1.0, sections=24),
}
FORMS = [*itertools.product(("obj", "stl"), SHAPES), *(("primitive", name) for name in SHAPES)]
PRIMITIVES = {
    "box": '<box size="1 1 1"/>',
    "ball": '<sphere radius="0.5"/>',
    "cylinder": '<cylinder radius="0.5" length="1"/>',
}
# of every link
INERTIAL = (
    '<inertial><mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
    'izz="1"/></inertial>'
)
MARGIN = 1e-3
"""Distance by which PyBullet inflates the hulls of links; also of bases in ``loadURDF``."""
FACETS = 0.03
"""Distance of the triangles of the ball from its surface [m], where rays within its outline meet
it.
"""
GRID = [(x / 10, y / 10) for x in range(-4, 5) for y in range(-4, 5)]
FROM = [(x, y, 2.0) for x, y in GRID]
TO = [(x, y, -2.0) for x, y in GRID]


def urdf(geometry: str, carrier: str) -> str:
    """A body with one shape, on its base or on a link that turns about z."""
    shape = f"<collision><geometry>{geometry}</geometry></collision>"
    base, link = (shape, "") if carrier == "base" else ("", shape)
    return f"""<robot name="r"><link name="a">{INERTIAL}{base}</link><link name="b">{INERTIAL}{link}</link>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def sdf(geometry: str) -> str:
    return f"""<sdf version="1.11"><model name="m"><link name="a"><inertial><mass>5</mass></inertial>
      <collision name="c"><geometry>{geometry}</geometry></collision></link></model></sdf>"""


def hits(body: int, client: int) -> np.ndarray:
    """Fraction and height at which vertical rays hit a body; -1 where they miss it."""
    found = [
        pybullet.rayTestBatch(FROM, TO, physicsClientId=client),
        [pybullet.rayTest(a, b, physicsClientId=client)[0] for a, b in zip(FROM, TO, strict=True)],
    ]
    one, other = (
        [(r[2], r[3][2]) if r[0] == body else (-1.0, -1.0) for r in rays] for rays in found
    )
    assert one == other
    return np.array(one)


def within(name: str) -> np.ndarray:
    """Which rays pass well within the outline of a shape, seen from above."""
    return np.array([name == "box" or math.hypot(*xy) < 0.45 for xy in GRID])


def tops(name: str) -> np.ndarray:
    """Heights of the surface of a shape at these rays."""
    corner = [0.25 - x * x - y * y if name == "ball" else 0.25 for x, y in GRID]
    return np.sqrt(np.array(corner)[within(name)])


def probe(client: int) -> int:
    """A small ball above the body."""
    ball = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=0.1, physicsClientId=client)
    return pybullet.createMultiBody(
        0.0, ball, basePosition=(0.05, 0.02, 0.9), physicsClientId=client
    )


def distance(body: int, ball: int, client: int) -> float:
    return min(
        point[8] for point in pybullet.getClosestPoints(body, ball, 3.0, physicsClientId=client)
    )


@pytest.fixture
def both(bullet_client, tmp_path):
    """Answers of a function, asked of the body that PyBullet loads, and of the one that is loaded
    here.
    """

    def ask(text, question, *, fixed, **options):
        path = tmp_path / "r.urdf"
        path.write_text(text)
        answers = []
        for load in (pybullet.loadURDF, load_into_pybullet):
            more = {"quiet": True, **options} if load is load_into_pybullet else {}
            source = str(path) if load is pybullet.loadURDF else path
            body = load(source, useFixedBase=fixed, physicsClientId=bullet_client, **more)
            answers.append(question(body, bullet_client))
            pybullet.resetSimulation(physicsClientId=bullet_client)
        return answers

    return ask


def geometry_of(form: str, name: str, folder) -> str:
    if form == "primitive":
        return PRIMITIVES[name]
    SHAPES[name].export(folder / f"{name}.{form}")
    return f'<mesh filename="{name}.{form}"/>'


@pytest.mark.parametrize("options", [{}, {"collision_meshes": "hull"}], ids=["as_is", "hull"])
@pytest.mark.parametrize("fixed", [False, True], ids=["free", "fixed"])
@pytest.mark.parametrize("carrier", ["base", "link"])
@pytest.mark.parametrize(("form", "name"), FORMS)
def test_rays_and_closest_points_meet_what_they_meet_of_loadurdf(
    both, tmp_path, form, name, carrier, fixed, options
):
    def question(body, client):
        ball = probe(client)
        pybullet.performCollisionDetection(client)
        overlapping = (
            pybullet.getOverlappingObjects((-0.4, -0.4, -0.4), (0.4, 0.4, 0.4), client) or ()
        )
        near = distance(body, ball, client)
        pybullet.removeBody(ball, client)
        return hits(body, client), near, {index for found, index in overlapping if found == body}

    text = urdf(geometry_of(form, name, tmp_path), carrier)
    (native, native_distance, native_links), (own, own_distance, links) = both(
        text, question, fixed=fixed, **options
    )
    np.testing.assert_allclose(own[within(name), 1], tops(name), atol=FACETS)
    steep = 3 * MARGIN  # a vertical ray passes the margin of a steep face
    np.testing.assert_allclose(own[within(name)], native[within(name)], atol=steep)
    assert own_distance == pytest.approx(native_distance, abs=2 * MARGIN)
    assert links == native_links
    assert (-1 if carrier == "base" else 0) in links


@pytest.mark.parametrize("fixed", [False, True], ids=["free", "fixed"])
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("form", ["obj", "stl"])
def test_rays_meet_a_mesh_of_sdf(bullet_client, tmp_path, form, name, fixed):
    SHAPES[name].export(tmp_path / f"{name}.{form}")
    path = tmp_path / "m.sdf"
    path.write_text(sdf(f"<mesh><uri>{name}.{form}</uri></mesh>"))
    body = load_into_pybullet(path, useFixedBase=fixed, physicsClientId=bullet_client, quiet=True)
    found = hits(body, bullet_client)[within(name), 1]
    np.testing.assert_allclose(found, tops(name), atol=FACETS)


@pytest.mark.parametrize(
    "geometry",
    [
        "<ellipsoid><radii>0.5 0.5 0.5</radii></ellipsoid>",
        "<cone><radius>0.5</radius><length>1</length></cone>",
    ],
)
def test_rays_meet_the_hulls_of_shapes_that_pybullet_does_not_have(
    bullet_client, tmp_path, geometry
):
    path = tmp_path / "m.sdf"
    path.write_text(sdf(geometry))
    body = load_into_pybullet(path, physicsClientId=bullet_client, quiet=True)
    found = hits(body, bullet_client)
    assert all(
        z > 0.0 for (x, y), (_, z) in zip(GRID, found, strict=True) if math.hypot(x, y) < 0.2
    )


def test_a_camera_sees_the_body_where_loadurdf_draws_it(both, tmp_path):
    def question(body, client):
        view = pybullet.computeViewMatrix((0, 0, 3), (0, 0, 0), (0, 1, 0))
        projection = pybullet.computeProjectionMatrixFOV(60, 1.0, 0.1, 5.0)
        picture = pybullet.getCameraImage(
            48, 48, view, projection, renderer=pybullet.ER_TINY_RENDERER, physicsClientId=client
        )
        return np.reshape(picture[4], (48, 48)) == body

    mesh = geometry_of("obj", "ball", tmp_path)
    text = urdf(mesh, "base").replace(
        "<collision>", f"<visual><geometry>{mesh}</geometry></visual><collision>"
    )
    native, own = both(text, question, fixed=False)
    assert native.sum() > 100
    assert (native != own).sum() <= 4


# --- the frame of the base ------------------------------------------------------------------------


def one_link(inertia: np.ndarray) -> str:
    names = {
        "ixx": (0, 0),
        "ixy": (0, 1),
        "ixz": (0, 2),
        "iyy": (1, 1),
        "iyz": (1, 2),
        "izz": (2, 2),
    }
    moments = " ".join(f'{name}="{inertia[ij]!s}"' for name, ij in names.items())
    return f"""<robot name="r"><link name="pelvis"><inertial><mass value="3.8"/><inertia {moments}/></inertial>
      <collision><geometry><box size="0.15 0.18 0.2"/></geometry></collision></link></robot>"""


def base_angle(body: int, client: int) -> float:
    *_, w = pybullet.getBasePositionAndOrientation(body, client)[1]
    return math.degrees(2.0 * math.acos(min(1.0, abs(w))))


NEARLY_DIAGONAL = {
    "falling": (0.01055, 0.0093089, 0.0079184),
    "rising": (0.0079184, 0.0093089, 0.01055),
    "middle first": (0.0093089, 0.01055, 0.0079184),
    "two equal": (0.01055, 0.01055, 0.0079184),
    "all equal": (0.01, 0.01, 0.01),
}


@pytest.mark.parametrize("moments", NEARLY_DIAGONAL)
def test_the_base_is_not_turned_where_loadurdf_does_not_turn_it(both, moments):
    """The products of inertia are those of files that round to seven digits."""
    inertia = np.diag(NEARLY_DIAGONAL[moments])
    if moments != "all equal":  # then any product would turn the axes by 45 degrees
        inertia[0, 2] = inertia[2, 0] = 2.1e-6
    native, own = both(one_link(inertia), base_angle, fixed=False)
    assert native < 0.1
    assert own < 0.1


def test_a_base_that_is_reset_to_the_identity_does_not_turn_its_link(bullet_client, tmp_path):
    path = tmp_path / "r.urdf"
    inertia = np.diag(NEARLY_DIAGONAL["falling"])
    inertia[0, 2] = inertia[2, 0] = 2.1e-6
    path.write_text(one_link(inertia))
    robot = load_into_pybullet(path, physicsClientId=bullet_client, quiet=True)
    pybullet.resetBasePositionAndOrientation(robot, (0, 0, 0.8), (0, 0, 0, 1), bullet_client)
    np.testing.assert_allclose(robot.link_pose("pelvis").R, np.eye(3), atol=math.radians(0.1))
    assert "pybullet.turned-base" not in codes(robot)


@pytest.mark.parametrize("product", [1e-4, 4e-4, 1e-3])
def test_a_turned_base_is_reported_with_its_angle(bullet_client, tmp_path, product):
    """The principal axes in the plane of x and z are at ``tan(2 a) = 2 Ixz / (Izz - Ixx)``."""
    inertia = np.diag(NEARLY_DIAGONAL["falling"])
    inertia[0, 2] = inertia[2, 0] = product
    path = tmp_path / "r.urdf"
    path.write_text(one_link(inertia))
    angle = math.degrees(0.5 * math.atan2(2.0 * product, inertia[0, 0] - inertia[2, 2]))
    robot = load_into_pybullet(path, physicsClientId=bullet_client, quiet=True)
    assert base_angle(robot, bullet_client) == pytest.approx(angle, abs=1e-4)
    (entry,) = (entry for entry in robot.diagnostics if entry.code == "pybullet.turned-base")
    assert entry.arguments["angle"] == pytest.approx(angle, abs=1e-9)
    assert entry.subjects == ("pelvis",)
    robot.set_positions({"pelvis": (0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0)})  # what the hint names
    np.testing.assert_allclose(robot.link_pose("pelvis").R, np.eye(3), atol=1e-12)
    held = load_into_pybullet(path, useFixedBase=True, physicsClientId=bullet_client, quiet=True)
    assert "pybullet.turned-base" not in codes(held)
    assert base_angle(held, bullet_client) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_no_link_is_turned_further_than_its_principal_axes_demand(bullet_client, tmp_path, seed):
    """Base and link; PyBullet's own inertial frames against the 24 orders and signs of
    eigenvectors.
    """
    rng = np.random.default_rng(seed)
    texts, expected = [], []
    for name in ("a", "b"):
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        inertia = Q @ np.diag(rng.permutation((0.2, 0.3, 0.4))) @ Q.T
        texts.append(
            one_link(inertia).split("<link")[1].split("</robot>")[0].replace("pelvis", name)
        )
        _, axes = np.linalg.eigh(inertia)
        turns = [
            axes[:, list(order)] * signs
            for order in itertools.permutations(range(3))
            for signs in itertools.product((1, -1), repeat=3)
        ]
        cosine = max(np.trace(R) for R in turns if np.linalg.det(R) > 0) / 2 - 0.5
        expected.append(math.degrees(math.acos(min(1.0, cosine))))
    path = tmp_path / "r.urdf"
    path.write_text(
        f'<robot name="r"><link{texts[0]}<link{texts[1]}<joint name="j" type="continuous"><parent '
        f'link="a"/>'
        '<child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    robot = load_into_pybullet(path, physicsClientId=bullet_client, quiet=True)
    for index, angle in zip((-1, 0), expected, strict=True):
        *_, w = pybullet.getDynamicsInfo(robot, index, bullet_client)[4]
        assert math.degrees(2.0 * math.acos(min(1.0, abs(w)))) == pytest.approx(angle, abs=1e-4)
    *_, w = pybullet.getLinkState(robot, 0, physicsClientId=bullet_client)[3]
    assert math.degrees(2.0 * math.acos(min(1.0, abs(w)))) == pytest.approx(expected[1], abs=1e-4)
    assert robot.dynamics_source == "pybullet"


# The SDFormat files that come with PyBullet load leniently, and stand and move as its own
# ``loadSDF`` has them.

DATA = Path(pybullet_data.getDataPath())
FILES = sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*.sdf"))
MOVING = (
    "kuka_iiwa/model.sdf",
    "gripper/wsg50_one_motor_gripper.sdf",
    "gripper/wsg50_with_r2d2_gripper.sdf",
)
"""Files with joints; the grippers name a link ``world``, to which a joint holds them."""


@pytest.mark.parametrize("name", FILES)
def test_every_file_loads_leniently(name: str) -> None:
    scene = loaders.load(DATA / name, lenient=True, quiet=True, paths=[DATA])
    assert scene.links
    assert not [entry for entry in scene.diagnostics if entry.severity == "error"]


def link_poses(client: int, body: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Position and rotation of the frame of each link but the base, by the local name of the
    link.
    """
    poses = {}
    for joint in range(pybullet.getNumJoints(body, physicsClientId=client)):
        name = pybullet.getJointInfo(body, joint, physicsClientId=client)[12].decode()
        state = pybullet.getLinkState(
            body, joint, computeForwardKinematics=True, physicsClientId=client
        )
        x, y, z, w = state[5]
        poses[name] = np.array(state[4]), quaternion_to_matrix((w, x, y, z))
    return poses


@pytest.mark.parametrize("name", MOVING)
def test_links_stand_as_load_sdf_places_them(bullet_client: int, name: str) -> None:
    (native,) = pybullet.loadSDF(str(DATA / name), physicsClientId=bullet_client)
    scene = loaders.load(DATA / name, lenient=True, quiet=True, paths=[DATA])
    ours = bridge.lower(scene).link_poses()
    by_local_name = {link.rpartition("::")[2]: X for link, X in ours.items()}
    theirs = link_poses(bullet_client, native)
    assert len(theirs) >= 5
    for link, (p, R) in theirs.items():
        np.testing.assert_allclose(by_local_name[link].p, p, atol=1e-6)
        np.testing.assert_allclose(by_local_name[link].R, R, atol=1e-6)


NOT_LOADED = {
    "kuka_iiwa/kuka_world.sdf",
    "kuka_iiwa/model2.sdf",
    "gripper/wsg50_one_motor_gripper_free_base.sdf",
}
"""Files with includes, which ``loadSDF`` refuses, and one that crashes it."""
STEPS, STEP = 100, 1e-3


def joints(client: int, body: int) -> dict[str, int]:
    """PyBullet's index of each joint, by the local name of its child link."""
    count = pybullet.getNumJoints(body, physicsClientId=client)
    infos = (pybullet.getJointInfo(body, joint, physicsClientId=client) for joint in range(count))
    return {info[12].decode().rpartition("::")[2]: info[0] for info in infos}


def prepare(client: int, body: int, time_step: float) -> None:
    """Let a body move under gravity alone: no motors, no drag."""
    pybullet.setGravity(0, 0, -9.8, physicsClientId=client)
    pybullet.setTimeStep(time_step, physicsClientId=client)
    pybullet.changeDynamics(body, -1, linearDamping=0, angularDamping=0, physicsClientId=client)
    for joint in joints(client, body).values():
        if pybullet.getJointInfo(body, joint, physicsClientId=client)[2] in (
            pybullet.JOINT_REVOLUTE,
            pybullet.JOINT_PRISMATIC,
        ):
            pybullet.setJointMotorControl2(
                body, joint, pybullet.VELOCITY_CONTROL, force=0, physicsClientId=client
            )


def moments(client: int, body: int, joint: int) -> tuple[float, ...]:
    return pybullet.getDynamicsInfo(body, joint, physicsClientId=client)[2]


@pytest.mark.parametrize("name", [name for name in FILES if name not in NOT_LOADED])
def test_links_move_as_in_load_sdf_with_the_inertias_of_the_file(name: str) -> None:
    """``loadSDF`` holds a base without mass, lets no links of a model collide, and computes moments
    from the shapes.
    """
    client, witness = pybullet.connect(pybullet.DIRECT), pybullet.connect(pybullet.DIRECT)
    try:
        natives = pybullet.loadSDF(str(DATA / name), physicsClientId=witness)
        jointed = [body for body in natives if pybullet.getNumJoints(body, physicsClientId=witness)]
        held = any(
            pybullet.getDynamicsInfo(body, -1, physicsClientId=witness)[0] == 0.0
            and pybullet.getBodyInfo(body, physicsClientId=witness)[0] != b"world"
            for body in jointed
        )
        options = {"useFixedBase": True} if held else {}
        scene = loaders.load(DATA / name, lenient=True, quiet=True, paths=[DATA])
        bodies = bridge.load_world_into_pybullet(
            scene,
            physicsClientId=client,
            policy="pybullet",
            damping="exact",
            quiet=True,
            **options,
        )
        assert len(bodies) == len(natives)
        for ours, native in zip(map(int, bodies), natives, strict=True):
            prepare(client, ours, STEP)
            prepare(witness, native, STEP)
            own = joints(client, ours)
            for link, joint in joints(witness, native).items():
                stated = moments(client, ours, own[link])
                pybullet.changeDynamics(
                    native, joint, localInertiaDiagonal=stated, physicsClientId=witness
                )
        for _ in range(STEPS):
            pybullet.stepSimulation(physicsClientId=client)
            pybullet.stepSimulation(physicsClientId=witness)
        for ours, native in zip(map(int, bodies), natives, strict=True):
            moved = {link.rpartition("::")[2]: X for link, X in link_poses(client, ours).items()}
            for link, (p, R) in link_poses(witness, native).items():
                np.testing.assert_allclose(moved[link][0], p, atol=1e-9)
                np.testing.assert_allclose(moved[link][1], R, atol=1e-9)
    finally:
        pybullet.disconnect(client)
        pybullet.disconnect(witness)
