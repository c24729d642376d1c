"""Arguments of ``loadURDF``, compared with PyBullet on one file; strict loading and misspelled
options.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pybullet
import pytest

import loaders
from bridge import load_into_pybullet
from loaders.model import WORLD
from tests.support.scenes import joint, link, scene
from tests.support.urdf_robots import HINGE_AND_SLIDE


@pytest.fixture
def pair(bullet_client, tmp_path):
    """Loads the file with PyBullet's loader and with this one, with the same arguments."""
    path = tmp_path / "robot.urdf"
    path.write_text(HINGE_AND_SLIDE)

    def load(flags=pybullet.URDF_USE_INERTIA_FROM_FILE, **arguments):
        native = pybullet.loadURDF(
            str(path), flags=flags, physicsClientId=bullet_client, **arguments
        )
        return native, load_into_pybullet(
            path, flags=flags, physicsClientId=bullet_client, **arguments
        )

    return load


PLACES = {
    "nowhere": {},
    "moved": {"basePosition": (1, 2, 3)},
    "moved and turned": {"basePosition": (1, 2, 3), "baseOrientation": (0.1, 0.2, 0.3, 0.86**0.5)},
}


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.1])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_placement_and_size_are_those_of_loadurdf(pair, bullet_client, place, fixed, scale):
    """Compare poses of links and centers of mass, masses, limits, efforts and damping."""
    native, ours = pair(useFixedBase=fixed, globalScaling=scale, **PLACES[place])
    for body in (native, ours):
        for index, value in ((0, 0.3), (1, 0.1 * scale)):
            pybullet.resetJointState(body, index, value, physicsClientId=bullet_client)
    for index in (0, 1):
        states = [
            pybullet.getLinkState(body, index, physicsClientId=bullet_client)
            for body in (native, ours)
        ]
        for number in (0, 4, 5):
            np.testing.assert_allclose(states[1][number], states[0][number], atol=1e-6)
        infos = [pybullet.getJointInfo(body, index, bullet_client) for body in (native, ours)]
        np.testing.assert_allclose(infos[1][6:12], infos[0][6:12], rtol=1e-12)
        masses = [
            pybullet.getDynamicsInfo(body, index, bullet_client)[0] for body in (native, ours)
        ]
        assert masses[0] == masses[1]
    boxes = [
        pybullet.getCollisionShapeData(body, -1, bullet_client)[0][3] for body in (native, ours)
    ]
    assert boxes[0] == pytest.approx(boxes[1])


@pytest.mark.parametrize("place", PLACES)
def test_a_free_base_is_asked_and_set_as_with_loadurdf_by_its_center_of_mass(
    pair, bullet_client, place
):
    native, ours = pair(**PLACES[place])
    where = [pybullet.getBasePositionAndOrientation(body, bullet_client) for body in (native, ours)]
    np.testing.assert_allclose(where[1][0], where[0][0], atol=1e-12)
    for body in (native, ours):
        pybullet.resetBasePositionAndOrientation(
            body, (5, 6, 7), where[0 if body == native else 1][1], bullet_client
        )
    links = [
        pybullet.getLinkState(body, 1, physicsClientId=bullet_client)[4] for body in (native, ours)
    ]
    np.testing.assert_allclose(links[1], links[0], atol=1e-6)


def test_a_fixed_base_is_asked_by_its_link_frame(pair, bullet_client):
    """PyBullet's own loader gives the center of mass there, which nothing depends on."""
    native, ours = pair(useFixedBase=True, basePosition=(1, 2, 3))
    assert pybullet.getBasePositionAndOrientation(ours, bullet_client)[0] == (1, 2, 3)
    assert pybullet.getBasePositionAndOrientation(native, bullet_client)[0] == pytest.approx(
        (1.1, 2.2, 3.3)
    )


def test_inertias_grow_with_the_square_of_the_size_as_those_of_shapes_do(pair, bullet_client):
    """``loadURDF`` scales the inertias that it takes from shapes, and leaves those of the file."""
    moments = {}
    for flags in (0, pybullet.URDF_USE_INERTIA_FROM_FILE):
        for scale in (1.0, 2.0):
            bodies = pair(flags=flags, globalScaling=scale)
            moments[flags, scale] = [
                np.sort(pybullet.getDynamicsInfo(b, 0, bullet_client)[2]) for b in bodies
            ]
    np.testing.assert_allclose(
        moments[0, 2.0][0], 4.0 * moments[0, 1.0][0], rtol=0.02
    )  # its margin is not scaled
    np.testing.assert_allclose(moments[2, 2.0][0], moments[2, 1.0][0])
    np.testing.assert_allclose(moments[2, 2.0][1], 4.0 * moments[2, 1.0][1])


# --- flags ----------------------------------------------------------------------------------------


# --- servers --------------------------------------------------------------------------------------


WINDOW = """
import pybullet as p
import loaders
from bridge import load_into_pybullet
from tests.support.scenes import *
client = p.connect(p.GUI, options="--width=320 --height=240")
assert client >= 0
from loaders.model import Visual
shown = link("a", shape=UNIT_BOX, visuals=(Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX),))
with load_into_pybullet(scene([shown, link("b")], [joint("j", "a", "b")]), physicsClientId=client) as robot:
    robot.set_positions({"j": 0.4})
    for _ in range(10):
        robot.step()
    assert abs(robot.positions()["j"] - 0.4) < 1e-3
    assert "data:image/png;base64," in robot._repr_html_()
assert p.getNumBodies(client) == 0
p.disconnect(client)
print("shown")
"""


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="there is no Xvfb")
def test_a_window_shows_what_is_loaded(tmp_path):
    """Run in a separate process on a virtual display."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24"],
        pass_fds=(write,),
        stderr=subprocess.DEVNULL,
    )
    try:
        os.close(write)
        display = os.read(read, 16).decode().strip()
        environment = {**os.environ, "DISPLAY": f":{display}", "LIBGL_ALWAYS_SOFTWARE": "1"}
        child = subprocess.run(
            [sys.executable, "-c", WINDOW],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if "cannot connect" in (child.stdout + child.stderr).lower() or "OpenGL" in child.stderr:
            pytest.skip("this display has no OpenGL")
        assert "shown" in child.stdout, child.stdout + child.stderr
    finally:
        os.close(read)
        server.terminate()
        server.wait(10)


def test_a_joint_to_the_world_is_not_undone_by_an_argument(bullet_client):
    """``useFixedBase`` is about links that nothing but a weld, or nothing at all, holds."""
    source = scene([link("a")], [joint("j", WORLD, "a")])
    for fixed in (None, True, False):
        body = load_into_pybullet(source, physicsClientId=bullet_client, useFixedBase=fixed)
        assert list(body.positions()) == ["j"]


# --- strict ---------------------------------------------------------------------------------------


UNREAD = "<robot name='r'><link name='a'/><nonsense/></robot>"
LIMITED = scene([link("a")], [joint("j", WORLD, "a", axis={"velocity": 1.0})])


def test_strict_refuses_what_the_reader_does_not_support(
    bullet_client: int, tmp_path: Path
) -> None:
    """A path is read with ``strict``, so that an unread element of the file is an error."""
    path = tmp_path / "r.urdf"
    path.write_text(UNREAD)
    load_into_pybullet(path, physicsClientId=bullet_client).remove()
    with pytest.raises(loaders.LoadError) as caught:
        load_into_pybullet(path, physicsClientId=bullet_client, strict=True)
    assert "xml.unread" in {entry.code for entry in caught.value.diagnostics}
    assert pybullet.getNumBodies(bullet_client) == 0


def test_strict_refuses_what_was_lost_in_reading_the_scene(bullet_client: int) -> None:
    source = loaders.load_string(UNREAD, format="urdf")
    with pytest.raises(loaders.ExportError) as caught:
        load_into_pybullet(source, physicsClientId=bullet_client, strict=True)
    assert "xml.unread" in {entry.code for entry in caught.value.diagnostics}
    assert pybullet.getNumBodies(bullet_client) == 0


def test_strict_refuses_what_pybullet_does_not_support(bullet_client: int) -> None:
    with pytest.raises(loaders.ExportError) as caught:
        load_into_pybullet(LIMITED, physicsClientId=bullet_client, strict=True)
    assert {entry.code for entry in caught.value.diagnostics} == {"pybullet.velocity-limit"}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("useFixedbase", "useFixedBase"),
        ("collision_policy", "policy"),
        ("stict", "strict"),
        ("packagemap", "package_map"),
    ],
)
def test_a_misspelled_option_is_a_type_error_with_a_suggestion(
    bullet_client: int, wrong: str, right: str
) -> None:
    with pytest.raises(TypeError, match=f"unknown option '{wrong}'") as caught:
        load_into_pybullet(LIMITED, physicsClientId=bullet_client, **{wrong: True})  # type: ignore[arg-type]
    assert right in str(caught.value)
