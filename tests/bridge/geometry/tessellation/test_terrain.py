"""Height maps and pictures on meshes, asked of the running PyBullet; heights are held against
MuJoCo's.
"""

import mujoco
import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet, to_mjspec
from loaders.model import WORLD, Heightmap, JointType, Mesh, Visual
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import codes, joint, link, scene

Image = pytest.importorskip("PIL.Image")
SIZE = (6.0, 3.0, 2.0)
X_WL = Pose.of(p=(0.5, -0.25, 1.0))


@pytest.fixture
def heightmap(tmp_path):
    """Seven by four pixels of random grey, none of them black or white, raised and moved."""
    pixels = np.random.default_rng(3).integers(40, 200, (4, 7)).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "hills.png")
    return Heightmap(
        uri="hills.png", path=str(tmp_path / "hills.png"), size=SIZE, position=(0.1, 0.2, -0.3)
    )


def ground(heightmap, **rest):
    return scene(
        [link("hills", shape=heightmap, X_WL=X_WL, **rest)],
        [joint("w", WORLD, "hills", JointType.FIXED, X_PJ=X_WL)],
    )


def test_a_height_map_is_as_high_as_in_mujoco(bullet_client, heightmap):
    source = ground(heightmap)
    load_into_pybullet(source, physicsClientId=bullet_client)
    model = to_mjspec(source).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    down, hit = np.array((0.0, 0.0, -1.0)), np.zeros(1, dtype=np.int32)
    for x, y in np.random.default_rng(4).uniform((-2.4, -1.5), (3.5, 1.4), (60, 2)):
        top = np.array((x, y, 9.0))
        depth = mujoco.mj_ray(model, data, top, down, None, 1, -1, hit)
        (body, _, _, point, _), *_ = pybullet.rayTest(
            top, (x, y, -9.0), physicsClientId=bullet_client
        )
        assert body >= 0
        assert point[2] == pytest.approx(9.0 - depth, abs=2e-6)


def test_the_first_row_of_the_image_is_far_and_white_is_the_full_height(bullet_client, tmp_path):
    pixels = np.zeros((3, 3), dtype=np.uint8)
    pixels[0, 2] = 255
    Image.fromarray(pixels).save(tmp_path / "corner.png")
    corner = Heightmap(uri="corner.png", path=str(tmp_path / "corner.png"), size=SIZE)
    load_into_pybullet(
        scene([link("c", shape=corner)], [joint("w", WORLD, "c", JointType.FIXED)]),
        physicsClientId=bullet_client,
    )
    ((_, _, _, (_, _, height), _),) = pybullet.rayTest(
        (2.7, 1.35, 9), (2.7, 1.35, -9), physicsClientId=bullet_client
    )
    assert height == pytest.approx(2.0 * 0.9, abs=1e-6)


def test_a_ball_comes_to_rest_on_a_height_map(bullet_client, tmp_path):
    Image.fromarray(np.full((5, 5), 51, dtype=np.uint8)).save(tmp_path / "flat.png")
    flat = Heightmap(uri="flat.png", path=str(tmp_path / "flat.png"), size=(2.0, 2.0, 1.0))
    load_into_pybullet(
        scene([link("f", shape=flat)], [joint("w", WORLD, "f", JointType.FIXED)]),
        physicsClientId=bullet_client,
    )
    ball = pybullet.createCollisionShape(
        pybullet.GEOM_SPHERE, radius=0.1, physicsClientId=bullet_client
    )
    body = pybullet.createMultiBody(
        1.0, ball, basePosition=(0.1, 0.2, 0.5), physicsClientId=bullet_client
    )
    pybullet.setGravity(0, 0, -9.81, bullet_client)
    for _ in range(480):
        pybullet.stepSimulation(bullet_client)
    assert pybullet.getBasePositionAndOrientation(body, bullet_client)[0][2] == pytest.approx(
        0.3, abs=1e-3
    )


def test_a_height_map_that_moves_or_cannot_be_read_is_left_out_and_reported(
    bullet_client, heightmap, tmp_path
):
    moving = load_into_pybullet(scene([link("m", shape=heightmap)]), physicsClientId=bullet_client)
    assert "pybullet.shape-dropped" in codes(moving)
    (tmp_path / "hills.png").write_text("no picture")
    still = load_into_pybullet(ground(heightmap), physicsClientId=bullet_client)
    assert "pybullet.shape-dropped" in codes(still)
    assert pybullet.getCollisionShapeData(still, -1, bullet_client) in ((), None)


# --- pictures -------------------------------------------------------------------------------------


def pixels_of(client, body):
    """The colors that PyBullet draws a body in, seen from above, shape (n, 3)."""
    view = pybullet.computeViewMatrix((0, 0, 3), (0, 0, 0), (0, 1, 0))
    lens = pybullet.computeProjectionMatrixFOV(45, 1, 0.1, 10)
    shot = pybullet.getCameraImage(
        160,
        160,
        view,
        lens,
        lightDirection=(0, 0, 1),
        shadow=0,
        lightAmbientCoeff=1.0,
        lightDiffuseCoeff=0.0,
        lightSpecularCoeff=0.0,
        renderer=pybullet.ER_TINY_RENDERER,
        physicsClientId=client,
    )
    colors = np.reshape(np.array(shot[2], dtype=np.uint8), (160, 160, 4))[:, :, :3]
    return colors, np.reshape(shot[4], (160, 160)) == int(body)


def sheet(tmp_path, folder="sheet"):
    """A square of 2 m with a picture of four colors on it."""
    colors = np.array((((255, 0, 0), (0, 255, 0)), ((0, 0, 255), (255, 255, 0))), dtype=np.uint8)
    home = tmp_path / folder
    home.mkdir()
    Image.fromarray(colors.repeat(32, axis=0).repeat(32, axis=1)).save(home / "four.png")
    (home / "sheet.mtl").write_text("newmtl m\nKd 1 1 1\nmap_Kd four.png\n")
    corners = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    (home / "sheet.obj").write_text(
        f"mtllib sheet.mtl\n{corners}usemtl m\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
    )
    return Mesh(uri="sheet.obj", path=str(home / "sheet.obj"))


@pytest.mark.parametrize("cache", ["cache", "a folder with blanks"])
def test_the_picture_on_a_mesh_is_drawn(bullet_client, tmp_path, monkeypatch, cache):
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / cache))
    visuals = (Visual(name="v", X_LG=IDENTITY, geometry=sheet(tmp_path)),)
    robot = load_into_pybullet(scene([link("a", visuals=visuals)]), physicsClientId=bullet_client)
    image, seen = pixels_of(bullet_client, robot)
    assert seen.sum() > 5000
    for (row, column), color in {
        (50, 50): (255, 0, 0),
        (50, 110): (0, 255, 0),
        (110, 50): (0, 0, 255),
        (110, 110): (255, 255, 0),
    }.items():
        assert image[row, column] == pytest.approx(np.array(color), abs=30), (row, column)


def test_a_changed_picture_is_converted_again(bullet_client, tmp_path, monkeypatch):
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    mesh = sheet(tmp_path)
    source = scene([link("a", visuals=(Visual(name="v", X_LG=IDENTITY, geometry=mesh),))])
    load_into_pybullet(source, physicsClientId=bullet_client).remove()
    Image.new("RGB", (8, 8), (255, 0, 255)).save(tmp_path / "sheet" / "four.png")
    robot = load_into_pybullet(source, physicsClientId=bullet_client)
    image, _ = pixels_of(bullet_client, robot)
    assert image[80, 80] == pytest.approx(np.array((255, 0, 255)), abs=30)


# --- margins --------------------------------------------------------------------------------------


def test_a_free_mesh_touches_where_it_is_and_a_mesh_on_a_joint_a_millimeter_before(
    bullet_client, tmp_path
):
    corners = "".join(
        f"v {x} {y} {z}\n" for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)
    )
    quads = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
    (tmp_path / "box.obj").write_text(corners + "".join(f"f {quad}\n" for quad in quads))
    box = Mesh(uri="box.obj", path=str(tmp_path / "box.obj"))
    far = Pose.of(p=(5.0, 0.0, 0.0))
    robot = load_into_pybullet(
        scene(
            [link("a", shape=box), link("b", shape=box, X_WL=far)], [joint("j", "a", "b", X_PJ=far)]
        ),
        physicsClientId=bullet_client,
    )
    shape = pybullet.createCollisionShape(
        pybullet.GEOM_SPHERE, radius=0.5, physicsClientId=bullet_client
    )
    for index, x, margin in ((-1, 0.0, 0.0), (0, 5.0, 1e-3)):
        ball = pybullet.createMultiBody(
            0.0, shape, basePosition=(x, 3.0, 0.0), physicsClientId=bullet_client
        )
        (point,) = pybullet.getClosestPoints(
            robot, ball, 9.0, index, -1, physicsClientId=bullet_client
        )
        assert point[8] == pytest.approx(2.0 - margin, abs=1e-6)
