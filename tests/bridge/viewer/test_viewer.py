"""The viewer: a server on this machine, its page in a real browser, and its form in a notebook."""

from __future__ import annotations

import io
import itertools
import re
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
import rich.console

import bridge
import sdfbridge
from bridge.viewer import Viewer
from loaders.pose import Pose
from tests.support.chromium import EXECUTABLE, Chromium

ASSETS = Path(__file__).parents[3] / "assets"
ARM, LEG = ASSETS / "arm" / "model.sdf", ASSETS / "leg.sdf"
pytest.importorskip("viser")


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
