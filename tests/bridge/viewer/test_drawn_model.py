"""The nodes of a model stand where its links are."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.viewer.viewer import DrawnModel
from loaders.limits import limit_of
from loaders.model import Box, Mesh, Visual
from loaders.pose import IDENTITY
from tests.support.scenes import link, scene

ASSETS = Path(__file__).parents[3] / "assets"
viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def server():
    started = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield started
    started.stop()


def test_links_are_where_the_mechanism_has_them(server) -> None:
    mechanism = bridge.lower(loaders.load(ASSETS / "arm" / "model.sdf"))
    drawn = DrawnModel(server, "/arm", mechanism)
    q = {"shoulder": 0.4, "elbow": -0.7, "gripper::left_slide": 0.02}
    drawn.place(q)
    for name, X_WL in mechanism.link_poses(q).items():
        frame = drawn._frames[name]
        assert np.allclose(
            np.concatenate((frame.position, frame.wxyz)), X_WL.to_vector(), atol=1e-12
        )


def test_shapes_are_at_their_poses_in_the_links_and_in_their_colors(server) -> None:
    mechanism = bridge.lower(loaders.load(ASSETS / "arm" / "model.sdf"))
    drawn = DrawnModel(server, "/arm2", mechanism)
    visuals = [visual for body in mechanism.scene.links for visual in body.visuals]
    assert len(drawn._shown["visuals"]) == len(visuals)
    for handle, visual in zip(drawn._shown["visuals"], visuals, strict=True):
        assert np.allclose(
            np.concatenate((handle.position, handle.wxyz)), visual.X_LG.to_vector(), atol=1e-12
        )


def test_what_is_shown_can_be_chosen_and_a_model_without_visuals_shows_its_collisions(
    server,
) -> None:
    bare = DrawnModel(
        server, "/bare", bridge.lower(scene([link("<a/b>", shape=Box(size=(1, 2, 3)))]))
    )
    assert [handle.visible for handle in bare._shown["collisions"]] == [True]
    assert (bare.high - bare.low).tolist() == [1.0, 2.0, 3.0]
    bare.show("collisions", visible=False)
    assert [handle.visible for handle in bare._shown["collisions"]] == [False]
    bare.move(np.array((0.0, 5.0, 0.0)))
    assert bare.low[1] == 4.0


def test_the_size_is_that_of_the_robot_and_not_of_its_floor(server) -> None:
    """MuJoCo's floors are infinite, and drawn as a square of 100 m: a robot would be a dot in
    it.
    """
    floor = "<geom type='plane' size='0 0 1'/>"
    robot = (
        "<body pos='0 0 2'><joint type='slide' axis='0 0 1' ref='1'/><geom type='box' "
        "size='.1 .2 .3'/></body>"
    )
    drawn = DrawnModel(server, "/floor", _of_mjcf(floor + robot))
    assert np.allclose((drawn.low, drawn.high), ((-0.1, -0.2, 1.7), (0.1, 0.2, 2.3)), atol=1e-12)
    alone = DrawnModel(server, "/floor_alone", _of_mjcf(floor))
    assert alone.size > 10.0


def _of_mjcf(worldbody: str) -> Mechanism:
    return bridge.lower(
        loaders.load_string(f"<mujoco><worldbody>{worldbody}</worldbody></mujoco>", format="mjcf")
    )


def test_an_empty_model_is_drawn(server) -> None:
    assert DrawnModel(server, "/none", bridge.lower(scene([]))).size == 0.0


_CRATE = """mtllib crate.mtl
v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nvt 1 1
usemtl skin\nf 1/1 2/2 4/4\nf 1/1 4/4 3/3
"""


def _drawn(server, folder: Path, picture: bytes) -> trimesh.Trimesh:
    """Return a textured mesh as the page receives it."""
    (folder / "crate.obj").write_text(_CRATE)
    (folder / "crate.mtl").write_text("newmtl skin\nKd 1 1 1\nmap_Kd skin.png\n")
    (folder / "skin.png").write_bytes(picture)
    shape = Visual(
        name="v", X_LG=IDENTITY, geometry=Mesh(uri="crate.obj", path=str(folder / "crate.obj"))
    )
    drawn = DrawnModel(server, "/crate", bridge.lower(scene([link("crate", visuals=(shape,))])))
    (handle,) = drawn._shown["visuals"]
    return trimesh.load(io.BytesIO(handle.glb_data), file_type="glb", force="mesh", process=False)


def test_the_page_receives_the_texture_of_a_mesh_and_its_coordinates(
    server, tmp_path: Path
) -> None:
    pixels = np.array([[(255, 0, 0), (0, 255, 0)], [(0, 0, 255), (255, 255, 0)]], dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    mesh = _drawn(server, tmp_path, stream.getvalue())
    assert np.array_equal(np.asarray(mesh.visual.material.baseColorTexture.convert("RGB")), pixels)
    assert np.allclose(mesh.visual.uv, mesh.vertices[:, [0, 2]]), (
        "in the file, the coordinates are x and z"
    )
    assert mesh.visual.material.baseColorFactor.tolist() == [255, 255, 255, 255]
    assert len(mesh.faces) == 2


def test_a_picture_that_cannot_be_decoded_leaves_the_mesh_without_texture(
    server, tmp_path: Path
) -> None:
    mesh = _drawn(server, tmp_path, b"\x89PNG is no picture")
    assert mesh.visual.material.baseColorTexture is None
    assert len(mesh.faces) == 2


def test_a_picture_past_the_limit_of_pixels_is_left_out(server, tmp_path: Path) -> None:
    stream = io.BytesIO()
    Image.new("1", (8, 1)).save(stream, "PNG")
    picture = bytearray(stream.getvalue())
    picture[16:20] = (limit_of("picture_pixels") + 1).to_bytes(4, "big")
    picture[29:33] = zlib.crc32(picture[12:29]).to_bytes(4, "big")
    assert _drawn(server, tmp_path, bytes(picture)).visual.material.baseColorTexture is None
