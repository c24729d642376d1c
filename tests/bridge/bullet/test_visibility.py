"""What PyBullet draws: its own renderer sees the visuals of a file, and only these."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pybullet
import pytest

import bridge
import loaders

SPHERE = "<geometry><sphere radius='1'/></geometry>"
COLLISION, VISUAL = f"<collision>{SPHERE}</collision>", f"<visual>{SPHERE}</visual>"


@pytest.fixture
def client() -> Iterator[int]:
    client = pybullet.connect(pybullet.DIRECT)
    yield client
    pybullet.disconnect(physicsClientId=client)


def seen(near: str, far: str, client: int) -> set[int]:
    """Return the indices of the links in a picture of two links, 4 m apart."""
    text = f"""<robot name="r"><link name="near">{near}</link><link name="far">{far}</link>
    <joint name="j" type="continuous"><parent link="near"/><child link="far"/><origin xyz="0 4 0"/></joint></robot>"""
    scene = loaders.load_string(text, format="urdf", quiet=True)
    bridge.load_into_pybullet(scene, physicsClientId=client, quiet=True)
    view = pybullet.computeViewMatrix([15, 2, 0], [0, 2, 0], [0, 0, 1])
    lens = pybullet.computeProjectionMatrixFOV(40, 1, 0.1, 30)
    options = {
        "renderer": pybullet.ER_TINY_RENDERER,
        "flags": pybullet.ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX,
    }
    picture = pybullet.getCameraImage(64, 64, view, lens, **options, physicsClientId=client)
    mask = np.asarray(picture[4]).ravel()
    return {int(value >> 24) - 1 for value in mask[mask >= 0]}


def test_a_link_without_visual_is_not_drawn(client: int) -> None:
    assert seen(COLLISION, COLLISION + VISUAL, client) == {0}


def test_all_visuals_are_drawn(client: int) -> None:
    assert seen(COLLISION + VISUAL, VISUAL, client) == {-1, 0}


def test_a_model_without_any_visual_shows_its_collisions(client: int) -> None:
    assert seen(COLLISION, COLLISION, client) == {-1, 0}
