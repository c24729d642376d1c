"""What sliders set: every degree of freedom within its limits, and followers by their couplings."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.viewer.viewer import Sliders, dofs_of
from loaders.model import Coupling, JointType
from tests.support.scenes import MOVING, joint, link, random_scene, scene

ASSETS = Path(__file__).parents[3] / "assets"
viser = pytest.importorskip("viser")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield started
    started.stop()


def test_limits_and_start_are_those_of_the_model() -> None:
    scene_ = loaders.load(ASSETS / "arm" / "model.sdf")
    dofs = {dof.joint: dof for dof in dofs_of(bridge.lower(scene_))}
    for stated in scene_.joints:
        for axis in stated.axes:
            if math.isfinite(axis.lower):
                assert (dofs[stated.name].low, dofs[stated.name].high) == (axis.lower, axis.upper)
            else:
                assert dofs[stated.name].high > 3.1


def test_a_reference_of_mjcf_is_where_its_slider_starts() -> None:
    """MuJoCo's own initial position is the witness."""
    import mujoco

    text = (
        "<mujoco><worldbody><body><joint name='j' ref='40'/><geom "
        "size='1'/></body></worldbody></mujoco>"
    )
    (dof,) = dofs_of(bridge.lower(loaders.load_string(text, format="mjcf")))
    assert dof.initial == pytest.approx(mujoco.MjModel.from_xml_string(text).qpos0[0], abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_every_velocity_but_those_of_free_links_has_a_slider_and_each_moves_a_link(
    server, seed: int
) -> None:
    mechanism = bridge.lower(random_scene(seed, fixed=False, kinds=MOVING))
    dofs = dofs_of(mechanism)
    assert {(dof.joint, dof.index) for dof in dofs} == {
        key for key in mechanism.v_order if key[0] != "l0"
    }
    placed: list[dict] = []
    sliders = Sliders(server.gui, mechanism, lambda q: placed.append(mechanism.link_poses(q)))
    before = mechanism.link_poses()
    for handle, dof in zip(sliders.handles, dofs, strict=True):
        handle.value = 0.3 * dof.high
        moved = placed[-1]
        assert any(not moved[name].is_close(before[name], 1e-6) for name in moved), dof
        before = moved


def test_positions_go_to_the_sliders_and_back(server) -> None:
    mechanism = bridge.lower(
        random_scene(5, fixed=True, kinds=(JointType.BALL, JointType.PLANAR, JointType.REVOLUTE))
    )
    placed: list = []
    sliders = Sliders(server.gui, mechanism, placed.append)
    half = (math.cos(0.2), 0.0, math.sin(0.2), 0.0)
    kinds = {j.name: j.type for j in mechanism.scene.joints}
    wanted = {
        name: half
        if kinds[name] is JointType.BALL
        else (0.1, 0.2, 0.3)
        if kinds[name] is JointType.PLANAR
        else 0.4
        for name in sliders.positions
    }
    sliders.set(wanted)
    assert all(np.allclose(sliders.positions[name], wanted[name], atol=1e-9) for name in wanted)
    assert len(placed) == 1
    sliders.reset()
    start = mechanism.link_poses()
    assert all(
        pose.is_close(start[name], 1e-9)
        for name, pose in mechanism.link_poses(sliders.positions).items()
    )


def test_a_follower_has_no_slider_and_follows(server) -> None:
    links = [link("a"), link("b"), link("c")]
    joints = [joint("lead", "a", "b"), joint("follow", "b", "c")]
    coupling = Coupling(follower="follow", leader="lead", multiplier=-2.0, offset=0.1)
    mechanism = bridge.lower(scene(links, joints, couplings=(coupling,)))
    sliders = Sliders(server.gui, mechanism, lambda _: None)
    assert [dof.joint for dof in sliders.dofs] == ["lead"]
    sliders.set({"lead": 0.25})
    assert np.allclose(sliders.positions["follow"], -0.4)


@pytest.mark.parametrize("wrong", [{"none": 0.0}, {"j": (1.0, 2.0)}, {"j": math.nan}])
def test_wrong_positions_are_refused(server, wrong) -> None:
    mechanism = bridge.lower(scene([link("a"), link("b")], [joint("j", "a", "b")]))
    with pytest.raises(ValueError, match=r"joint|expected|finite"):
        Sliders(server.gui, mechanism, lambda _: None).set(wrong)
