"""The nodes of a model stand where its links are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.viewer.drawn_model import DrawnModel
from loaders.model import Box
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
        assert np.allclose(np.concatenate((frame.position, frame.wxyz)), X_WL.to_vector(), atol=1e-12)


def test_shapes_are_at_their_poses_in_the_links_and_in_their_colors(server) -> None:
    mechanism = bridge.lower(loaders.load(ASSETS / "arm" / "model.sdf"))
    drawn = DrawnModel(server, "/arm2", mechanism)
    visuals = [visual for body in mechanism.scene.links for visual in body.visuals]
    assert len(drawn._shown["visuals"]) == len(visuals)
    for handle, visual in zip(drawn._shown["visuals"], visuals, strict=True):
        assert np.allclose(np.concatenate((handle.position, handle.wxyz)), visual.X_LG.to_vector(), atol=1e-12)


def test_what_is_shown_can_be_chosen_and_a_model_without_visuals_shows_its_collisions(server) -> None:
    bare = DrawnModel(server, "/bare", bridge.lower(scene([link("<a/b>", shape=Box(size=(1, 2, 3)))])))
    assert [handle.visible for handle in bare._shown["collisions"]] == [True]
    assert (bare.high - bare.low).tolist() == [1.0, 2.0, 3.0]
    bare.show("collisions", visible=False)
    assert [handle.visible for handle in bare._shown["collisions"]] == [False]
    bare.move(np.array((0.0, 5.0, 0.0)))
    assert bare.low[1] == 4.0


def test_an_empty_model_is_drawn(server) -> None:
    assert DrawnModel(server, "/none", bridge.lower(scene([]))).size == 0.0
