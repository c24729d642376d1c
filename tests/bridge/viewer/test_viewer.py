"""The viewer: its server and page in a real browser, the nodes that it draws, and what its sliders
set.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import math
import re
import sys
import time
import urllib.request
import zlib
from pathlib import Path

import numpy as np
import pytest
import rich.console
import trimesh
from PIL import Image

import bridge
import loaders
import sdfbridge
from bridge.mechanism import Mechanism
from bridge.viewer import Viewer
from bridge.viewer.viewer import DrawnModel, Sliders, dofs_of
from loaders.limits import limit_of
from loaders.model import Box, Coupling, JointType, Mesh, Sphere, Visual
from loaders.pose import IDENTITY, Pose
from tests.support.chromium import EXECUTABLE, Chromium
from tests.support.scenes import MOVING, joint, link, random_scene, scene

viser = pytest.importorskip("viser")


# The viewer: a server on this machine, its page in a real browser, and its form in a notebook.

ASSETS = Path(__file__).parents[3] / "assets"
ARM, LEG = ASSETS / "arm" / "model.sdf", ASSETS / "leg.sdf"


@pytest.fixture(scope="module")
def viewer():
    with sdfbridge.view(ARM, LEG, port=0) as opened:
        yield opened


def test_several_models_stand_beside_each_other(viewer: Viewer) -> None:
    assert viewer.models == ("arm", "leg")
    (arm, _), (leg, _) = viewer._models.values()
    assert leg.low[1] > arm.high[1]


def test_nothing_is_printed_though_rich_shows_output_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = io.StringIO()
    monkeypatch.setattr("rich._console", rich.console.Console(file=shown))  # as in a notebook
    with sdfbridge.view(LEG, port=0):
        rich.print("seen")
    assert shown.getvalue() == "seen\n"


def test_positions_move_links_and_sliders(viewer: Viewer) -> None:
    drawn, sliders = viewer._models["arm"]
    viewer.set_positions({"elbow": 0.5})
    assert viewer.positions()["elbow"] == 0.5
    X_WL = bridge.lower(sdfbridge.load(ARM)).link_poses({"elbow": 0.5})["gripper::palm"]
    assert np.allclose(drawn._frames["gripper::palm"].position, X_WL.p)
    slider = next(
        handle
        for handle, dof in zip(sliders.handles, sliders.dofs, strict=True)
        if dof.joint == "elbow"
    )
    slider.value = -0.25  # as if it were dragged
    X_WL = bridge.lower(sdfbridge.load(ARM)).link_poses({"elbow": -0.25})["gripper::palm"]
    assert np.allclose(drawn._frames["gripper::palm"].position, X_WL.p)


def test_what_is_shown_can_be_chosen(viewer: Viewer) -> None:
    viewer.show("collisions")
    assert all(
        handle.visible
        for drawn, _ in viewer._models.values()
        for handle in drawn._shown["collisions"]
    )
    viewer.show("collisions", visible=False)
    assert not any(
        handle.visible
        for drawn, _ in viewer._models.values()
        for handle in drawn._shown["collisions"]
    )
    with pytest.raises(ValueError, match="expected one of: visuals, collisions, frames"):
        viewer.show("lights")


def balls(overlap_choice: str = "exclude") -> Mechanism:
    """Balls a and c of radius 0.1 at one place, with a small link between; angle "two" turns c away
    about a point at a distance of 1 m.
    """
    ball = Sphere(radius=0.1)
    links = [link("a", shape=ball), link("b", shape=Sphere(radius=0.01)), link("c", shape=ball)]
    joints = [
        joint("one", "a", "b", X_PJ=Pose.of(p=(1.0, 0.0, 0.0))),
        joint("two", "b", "c", X_CJ=Pose.of(p=(1.0, 0.0, 0.0))),
    ]
    lowered = bridge.lower(scene(links, joints))
    return dataclasses.replace(lowered, overlap_choice=overlap_choice)


def test_links_that_may_collide_and_overlap_are_marked_until_they_are_apart() -> None:
    with sdfbridge.view(balls("keep"), port=0) as other:
        (drawn, _), *_ = other._models.values()
        marks = drawn._marks
        assert marks is not None
        assert [handle.text for handle in marks[:1]] == ["a and c: 200 mm"]
        assert len(marks) == 3  # the label, and each ball
        other.set_positions({"two": 1.0})
        assert drawn._marks == []
        other.set_positions({"two": 0.1})
        assert drawn._marks is not None
        assert drawn._marks[0].text == "a and c: 100 mm"
        center_c = np.array((1.0 - math.cos(0.1), -math.sin(0.1), 0.0))
        assert np.allclose(drawn._marks[0].position, center_c / 2.0, atol=1e-6)
        other.show("overlaps", visible=False)
        assert drawn._marks is None


def test_links_that_are_left_out_because_they_overlap_are_marked_on_request() -> None:
    with sdfbridge.view(balls(), port=0) as other:
        (drawn, _), *_ = other._models.values()
        assert drawn._marks is None
        other.show("overlaps")
        assert drawn._marks
        assert len(drawn._marks) == 3


def test_the_page_comes_from_this_machine_and_names_no_other(viewer: Viewer) -> None:
    assert viewer.url.startswith("http://127.0.0.1:")
    assert viewer._server.get_host() == "127.0.0.1"
    with urllib.request.urlopen(viewer.url, timeout=30) as page:
        text = page.read().decode()
    assert "<html" in text
    assert set(re.findall(r"https?://([\w.-]+)", text)) <= {"www.w3.org"}


def test_a_notebook_shows_the_page(viewer: Viewer) -> None:
    assert f'<iframe src="{viewer.url}"' in viewer._repr_html_()


def test_the_view_as_a_file_needs_nothing(viewer: Viewer, tmp_path: Path) -> None:
    text = viewer.to_html(tmp_path / "view.html").read_text(encoding="utf-8")
    assert "__VISER_EMBED_DATA__" in text
    assert set(re.findall(r"https?://([\w.-]+)", text)) <= {"www.w3.org"}


def test_unknown_names_list_the_known_ones(viewer: Viewer) -> None:
    with pytest.raises(ValueError, match="expected one of: arm, leg"):
        viewer.positions("hand")
    with pytest.raises(ValueError, match="elbow"):
        viewer.set_positions({"elbo": 0.0})


def test_a_name_that_is_taken_gets_a_number_that_is_not() -> None:
    with Viewer(port=0) as other:
        names = [other.add(ARM, name=name) for name in ("arm (3)", "arm", "arm")]
    assert names == ["arm (3)", "arm", "arm (4)"]


def test_a_closed_viewer_says_so_and_a_wrong_file_leaves_no_server(tmp_path: Path) -> None:
    with Viewer(port=0) as other:
        assert other.add(ARM) == "arm"
        assert other.add(ARM) == "arm (2)"
    other.close()
    assert repr(other) == "<Viewer closed: arm, arm (2)>"
    assert "closed" in other._repr_html_()
    other.wait()
    with pytest.raises(sdfbridge.LoadError):
        sdfbridge.view(tmp_path / "none.sdf", port=0)


def test_without_viser_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ImportError, match=r"pip install 'sdfbridge\[view\]'"):
        sdfbridge.view(ARM)


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    sdfbridge.view(LEG, port=0).close()
    assert capsys.readouterr().out == ""


def test_joints_of_a_model_that_lies_over_another_move_with_it() -> None:
    with sdfbridge.view(ARM, ARM, LEG, port=0, overlay=True) as other:
        first, second, third = other._models.values()
        assert np.allclose(first[0].offset, second[0].offset)
        other.set_positions({"elbow": 0.4}, model="arm (2)")
        assert other.positions("arm")["elbow"] == 0.4
        other.set_positions({"elbow": -0.2}, model="arm")
        assert other.positions("arm (2)")["elbow"] == -0.2
        assert np.allclose(third[1].positions["knee"], 0.0)
        with pytest.raises(ValueError, match="expected one of: arm"):
            other.add(LEG, over="none")


def test_marks_follow_the_joints_and_are_hidden_again() -> None:
    with sdfbridge.view(ARM, port=0) as other:
        (drawn, _), *_ = other._models.values()
        other.show("joints")
        assert drawn._joints is not None
        before = np.array(drawn._joints[0].points)
        other.set_positions({"waist": 0.5})
        assert not np.allclose(before, drawn._joints[0].points)
        other.show("inertia")
        assert all(handle.visible for handle in drawn._shown["inertia"])
        for kind in ("joints", "inertia"):
            other.show(kind, visible=False)
        assert drawn._joints is None
        assert not any(handle.visible for handle in drawn._shown["inertia"])


def test_a_state_is_shown_again() -> None:
    with sdfbridge.view(ARM, port=0) as one, sdfbridge.view(ARM, port=0) as two:
        one.set_positions({"elbow": 0.5, "waist": -0.25})
        one.show("joints")
        one.show("visuals", visible=False)
        two.set_state(json.loads(json.dumps(one.state())))
        assert two.state() == one.state()
        two.set_state({"positions": {"none": {"x": 1.0}, "arm": {"none": 1.0}}, "unknown": 1})
        assert two.state() == one.state()


def test_motions_of_simulators_move_with_one_slider() -> None:
    pytest.importorskip("pybullet")
    with sdfbridge.view_motion(ARM, seconds=0.3, port=0) as other:
        assert other.models == ("mujoco", "pybullet")
        (one, _), (two, _) = other._models.values()
        start = np.array(one._frames["forearm"].wxyz)
        other.set_time(0.3)
        assert not np.allclose(one._frames["forearm"].wxyz, start, atol=1e-3)
        assert np.allclose(one._frames["forearm"].wxyz, two._frames["forearm"].wxyz, atol=1e-2)
        assert other.time == pytest.approx(0.3)
        assert other._clock is not None
        assert "mm apart at most" in other._clock._words.content
        other.set_time(0.0)
        assert np.allclose(one._frames["forearm"].wxyz, start)
    with (
        sdfbridge.view(LEG, port=0) as still,
        pytest.raises(ValueError, match="no model has a motion"),
    ):
        still.set_time(1.0)


@pytest.mark.slow
@pytest.mark.skipif(EXECUTABLE is None, reason="there is no browser")
def test_keys_turn_switches_and_a_link_opens_a_state_of_which_there_is_a_picture(
    tmp_path: Path,
) -> None:
    with sdfbridge.view(ARM, port=0) as other, Chromium(tmp_path / "browser") as page:
        with pytest.raises(ValueError, match="no browser"):
            other.picture()
        other.set_positions({"elbow": 0.75})
        link = other.link
        other.set_positions({"elbow": 0.0})
        page.open(link, width=320, height=240)
        page.until(lambda: other.positions()["elbow"] == 0.75)
        page.until(lambda: page.run("document.body.innerText.includes('gripper::left_slide')"))
        page.until(lambda: _pressed(page, "j", other, "joints"))
        page.press("r")
        page.until(lambda: other.positions()["elbow"] == 0.0)
        picture = np.asarray(Image.open(io.BytesIO(other.picture(160, 120))).convert("RGB"))
        assert picture.shape == (120, 160, 3)
        assert picture.std() > 3.0


def _pressed(page: Chromium, key: str, viewer: Viewer, kind: str) -> bool:
    """Press a key until the kind that it turns is shown."""
    if kind not in viewer.state()["shown"]:
        page.press(key)
        time.sleep(0.5)
    return kind in viewer.state()["shown"]


@pytest.mark.slow
@pytest.mark.skipif(EXECUTABLE is None, reason="there is no browser")
def test_a_browser_draws_the_models_and_their_sliders(viewer: Viewer, tmp_path: Path) -> None:
    with Chromium(tmp_path / "browser") as page:
        page.open(viewer.url, width=640, height=480)
        page.until(lambda: page.run("document.body.innerText.includes('gripper::left_slide')"))
        assert page.run("document.querySelectorAll('canvas').length") >= 1
        viewer.set_positions({"waist": 1.25})
        page.until(
            lambda: page.run(
                "[...document.querySelectorAll('input')].some(i => i.value === '1.25')"
            )
        )


@pytest.mark.slow
@pytest.mark.skipif(EXECUTABLE is None, reason="there is no browser")
def test_a_telephone_shows_the_models_above_the_controls(viewer: Viewer, tmp_path: Path) -> None:
    width, height = 420, 800
    with Chromium(tmp_path / "browser") as page:
        page.open(viewer.url, width=width, height=height)
        page.until(
            lambda: any(
                client.camera.image_width == width
                for client in viewer._server.get_clients().values()
            )
        )
        camera = viewer._server.get_clients()[max(viewer._server.get_clients())].camera
        page.until(lambda: "Reset" in page.run("document.body.innerText"))
        page.until(lambda: _seen(viewer, camera)[:, 1].max() < 0.45 * height)
        u, v = _seen(viewer, camera).T
        assert 0.0 < u.min() < u.max() < width
        assert v.min() > 0.0
        controls = (
            "[...document.querySelectorAll('button')].find(b => b.innerText == "
            "'Reset').closest('[class*=Paper]')"
        )
        assert v.max() < page.run(f"{controls}.getBoundingClientRect().top")


def _seen(viewer: Viewer, camera) -> np.ndarray:
    """Return where corners of the bounding boxes appear in the window [pixels], shape (n, 2), by a
    pinhole camera.
    """
    boxes = [(drawn.low, drawn.high) for drawn, _ in viewer._models.values()]
    corners = np.array(
        [
            corner
            for low, high in boxes
            for corner in itertools.product(*zip(low, high, strict=True))
        ]
    )
    X_WC = Pose.from_vector([*camera.position, *camera.wxyz])
    x, y, z = ((corners - X_WC.p) @ X_WC.R).T
    focal = camera.image_height / 2.0 / np.tan(camera.fov / 2.0)
    return np.column_stack(
        (camera.image_width / 2.0 + focal * x / z, camera.image_height / 2.0 + focal * y / z)
    )


# The nodes of a model stand where its links are.


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


# What sliders set: every degree of freedom within its limits, and followers by their couplings.


@pytest.fixture(scope="module")
def sliders_server(tmp_path_factory):
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
    sliders_server, seed: int
) -> None:
    mechanism = bridge.lower(random_scene(seed, fixed=False, kinds=MOVING))
    dofs = dofs_of(mechanism)
    assert {(dof.joint, dof.index) for dof in dofs} == {
        key for key in mechanism.v_order if key[0] != "l0"
    }
    placed: list[dict] = []
    sliders = Sliders(
        sliders_server.gui, mechanism, lambda q: placed.append(mechanism.link_poses(q))
    )
    before = mechanism.link_poses()
    for handle, dof in zip(sliders.handles, dofs, strict=True):
        handle.value = 0.3 * dof.high
        moved = placed[-1]
        assert any(not moved[name].is_close(before[name], 1e-6) for name in moved), dof
        before = moved


def test_positions_go_to_the_sliders_and_back(sliders_server) -> None:
    mechanism = bridge.lower(
        random_scene(5, fixed=True, kinds=(JointType.BALL, JointType.PLANAR, JointType.REVOLUTE))
    )
    placed: list = []
    sliders = Sliders(sliders_server.gui, mechanism, placed.append)
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


def test_a_follower_has_no_slider_and_follows(sliders_server) -> None:
    links = [link("a"), link("b"), link("c")]
    joints = [joint("lead", "a", "b"), joint("follow", "b", "c")]
    coupling = Coupling(follower="follow", leader="lead", multiplier=-2.0, offset=0.1)
    mechanism = bridge.lower(scene(links, joints, couplings=(coupling,)))
    sliders = Sliders(sliders_server.gui, mechanism, lambda _: None)
    assert [dof.joint for dof in sliders.dofs] == ["lead"]
    sliders.set({"lead": 0.25})
    assert np.allclose(sliders.positions["follow"], -0.4)


@pytest.mark.parametrize("wrong", [{"none": 0.0}, {"j": (1.0, 2.0)}, {"j": math.nan}])
def test_wrong_positions_are_refused(sliders_server, wrong) -> None:
    mechanism = bridge.lower(scene([link("a"), link("b")], [joint("j", "a", "b")]))
    with pytest.raises(ValueError, match=r"joint|expected|finite"):
        Sliders(sliders_server.gui, mechanism, lambda _: None).set(wrong)
