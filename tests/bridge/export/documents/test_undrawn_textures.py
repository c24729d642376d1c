"""A texture in KTX is left out and reported: PyBullet refuses it, and Drake then does not draw the
shape at all.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pybullet
import pytest
from PIL import Image

import bridge
from bridge.targets.elements import without_undrawn_textures
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, link, scene

KTX = b"\xabKTX 11\xbb\r\n\x1a\n" + struct.pack(
    "<14I", 0x04030201, 0x1401, 1, 0x1907, 0x8051, 0x1907, 4, 4, 0, 0, 1, 1, 0, 48
)
"""Header of a file in KTX with 4 x 4 pixels of 3 bytes."""


@pytest.fixture
def pictures(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "a.ktx").write_bytes(KTX + bytes((0, 255, 0)) * 16)
    Image.new("RGB", (4, 4), (0, 255, 0)).save(tmp_path / "a.png")
    return str(tmp_path / "a.ktx"), str(tmp_path / "a.png")


def test_pybullet_draws_png_and_refuses_ktx(
    pictures: tuple[str, str], tmp_path: Path, bullet_client: int
) -> None:
    corners = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    (tmp_path / "sheet.obj").write_text(corners + "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n")
    shape = pybullet.createVisualShape(
        pybullet.GEOM_MESH, fileName=str(tmp_path / "sheet.obj"), physicsClientId=bullet_client
    )
    body = pybullet.createMultiBody(baseVisualShapeIndex=shape, physicsClientId=bullet_client)
    colors = []
    for file in pictures:
        texture = pybullet.loadTexture(file, physicsClientId=bullet_client)
        pybullet.changeVisualShape(body, -1, textureUniqueId=texture, physicsClientId=bullet_client)
        look = pybullet.computeViewMatrix((0, 0, 3), (0, 0, 0), (0, 1, 0))
        lens = pybullet.computeProjectionMatrixFOV(30, 1, 0.1, 10)
        image = pybullet.getCameraImage(
            8, 8, look, lens, renderer=pybullet.ER_TINY_RENDERER, physicsClientId=bullet_client
        )
        red, green, blue, _ = np.reshape(image[2], (8, 8, 4))[4, 4]
        colors.append(
            "gray" if red == green == blue else "green" if green > max(red, blue) else "other"
        )
    assert colors == ["gray", "green"]


@pytest.mark.parametrize(
    ("write", "code"), [(bridge.to_sdf, "sdfout.material"), (bridge.to_urdf, "urdfout.material")]
)
def test_a_texture_in_ktx_is_left_out_and_reported(pictures, write, code) -> None:
    for file, lost in zip(pictures, [["texture a.ktx in KTX"], []], strict=True):
        look = m.Material(diffuse=(1.0, 0.0, 0.0, 1.0), texture=file)
        visual = m.Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX, material=look)
        text = write(scene([link("a", visuals=(visual,))]), quiet=True)
        assert [
            list(entry.arguments["properties"]) for entry in text.diagnostics if entry.code == code
        ] == [lost][: len(lost)]
        assert list(text.assets) == ([] if lost else ["a.png"])
        assert "1 0 0 1" in text


def test_ktx_is_known_by_its_content_and_by_its_suffix(
    pictures: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "b.png").write_bytes(KTX)
    (tmp_path / "c.KTX").write_bytes(bytes(16))
    for name in ("b.png", "c.KTX", "none.ktx2"):
        look = m.Material(maps=(("normal_map", str(tmp_path / name)), ("albedo_map", pictures[1])))
        found, lost = without_undrawn_textures(look)
        assert (found.maps, lost) == (look.maps[1:], [f"normal_map {name} in KTX"])
    whole = m.Material(
        texture=pictures[1],
        maps=(("albedo_map", pictures[1]), ("light_map", str(tmp_path / "no.dds"))),
    )
    assert without_undrawn_textures(whole) == (whole, [])


def test_a_color_texture_that_is_also_a_map_is_reported_once(pictures: tuple[str, str]) -> None:
    found, lost = without_undrawn_textures(
        m.Material(texture=pictures[0], maps=(("albedo_map", pictures[0]),))
    )
    assert (found, lost) == (m.Material(), ["albedo_map a.ktx in KTX"])
