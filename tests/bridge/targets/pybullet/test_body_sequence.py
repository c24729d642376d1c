"""Handles of several bodies, kinematic loops, and the display in a notebook."""

from __future__ import annotations

import base64
import copy
import math
import pickle
import re
import tempfile
from pathlib import Path

import numpy as np
import pybullet
import pytest

import bridge
from bridge import load_into_pybullet, lower
from bridge.targets.pybullet.body import _png as png
from bridge.targets.pybullet.body import by_joint, loop_gaps, loop_joints
from loaders import load_string
from loaders.model import WORLD, Box, Coupling, JointType, Material, Model, Plane, Sphere, Visual
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, relative, scene

# Handle of several bodies: access by model and by link, and answers as one mechanism.


def world():
    models = tuple(
        Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in ("r", "s")
    )
    places = {"r": Pose.of(p=(0, 0, 0)), "s": Pose.of(p=(0, 1, 0))}
    links = [
        link(f"{model}::{name}", model=model, X_WL=X)
        for model, X in places.items()
        for name in "ab"
    ]
    joints = [joint(f"{model}::j", f"{model}::a", f"{model}::b") for model in "rs"]
    return scene(
        links,
        joints,
        models=models,
        couplings=(Coupling(follower="s::j", leader="r::j", multiplier=3.0),),
    )


def test_a_world_is_a_sequence_of_bodies_by_model(bullet_client):
    bodies = load_into_pybullet(world(), physicsClientId=bullet_client)
    assert [body.name for body in bodies] == ["r", "s"]
    assert bodies["s"] is bodies[1]
    assert bodies[:1] == (bodies["r"],)
    with pytest.raises(KeyError, match="expected one of: r, s"):
        bodies["t"]
    assert bodies.link_pose("s::b").p.tolist() == [0, 1, 0]
    assert bodies.links["s::b"] == (bodies["s"], 0)
    assert bodies.joints["r::j"] == (bodies["r"], 0)
    ids = tuple(map(int, bodies))
    assert pickle.loads(pickle.dumps(bodies)) == copy.deepcopy(bodies) == ids
    assert repr(copy.copy(bodies)) == repr(ids)


def test_a_world_answers_as_one_mechanism(bullet_client):
    source = world()
    bodies, mechanism = load_into_pybullet(source, physicsClientId=bullet_client), lower(source)
    bodies.set_positions({"r::j": 0.2})
    q = bodies.positions()
    assert q["s::j"] == pytest.approx(0.6)
    bodies.set_velocities({"r::j": 1.0})
    assert bodies.velocities()["s::j"] == 3.0
    assert relative(bodies.mass_matrix(), mechanism.mass_matrix(q)) <= 1e-12
    bias = mechanism.bias_forces(q, bodies.velocities(), (0, 0, -9.81))
    assert relative(bodies.bias_forces((0, 0, -9.81)), bias) <= 1e-12
    with pytest.raises(ValueError, match="unknown joint 't::j'"):
        bodies.set_positions({"t::j": 1.0})
    with bodies:
        pass
    assert pybullet.getNumBodies(bullet_client) == 0


def test_one_model_of_several_trees_gives_every_link_by_name(bullet_client):
    source = scene([link("a"), link("b", X_WL=Pose.of(p=(0, 0, 2)))])
    bodies = load_into_pybullet(source, physicsClientId=bullet_client)
    assert len(bodies) == 2
    assert bodies.link_pose("b").p.tolist() == [0, 0, 2]
    with pytest.raises(KeyError, match="with_link"):
        bodies["m"]
    assert bodies.with_link("b") is bodies[1]


def test_what_a_model_holds_to_the_world_is_one_body(bullet_client):
    joints = [
        joint("one", WORLD, "a", X_PJ=Pose.of(p=(0, 0, 1))),
        joint("two", WORLD, "b", JointType.FIXED),
    ]
    robot = load_into_pybullet(scene([link("a"), link("b")], joints), physicsClientId=bullet_client)
    assert robot.links == {"a": 0, "b": 1}
    assert robot.joints == {"one": 0, "two": 1}


def test_nothing_is_loaded_for_an_empty_scene(bullet_client):
    assert len(load_into_pybullet(scene([]), physicsClientId=bullet_client)) == 0
    assert Path(tempfile.gettempdir()).exists()


def test_a_nested_model_is_found_by_its_scoped_name(bullet_client):
    """The names are those that the scene, and so `info`, has."""
    models = tuple(
        Model(name=name, X_WM=IDENTITY, canonical_link=None)
        for name in ("deep", "deep::dp", "other")
    )
    links = [
        link("deep::dp::a", model="deep::dp"),
        link("other::a", model="other", X_WL=Pose.of(p=(0, 2, 0))),
    ]
    bodies = load_into_pybullet(scene(links, models=models), physicsClientId=bullet_client)
    assert bodies["deep::dp"] is bodies["deep"] is bodies.with_link("deep::dp::a")
    assert bodies["other"] is bodies.with_link("other::a")
    with pytest.raises(KeyError, match="did you mean 'deep'"):
        bodies["dep"]


# Kinematic loops of bodies in PyBullet: what is said of the joint that closes one, and by how much
# it is open.

BAR = "<inertial><mass>1</mass></inertial>"
PARALLELOGRAM = """<sdf version='1.11'><model name='m'>
<link name='base'>{bar}</link>
<link name='left'>{bar}</link><link name='right'><pose>1 0 0 0 0 0</pose>{bar}</link>
<link name='top'><pose>0 0 1 0 0 0</pose>{bar}</link>
<joint name='fixed' type='fixed'><parent>world</parent><child>base</child></joint>
<joint name='a' type='revolute'><parent>base</parent><child>left</child>{y}</joint>
<joint name='b' type='revolute'><parent>base</parent><child>right</child>{y}</joint>
<joint name='c' type='revolute'><parent>left</parent><child>top</child>{y}</joint>
<joint name='d' type='{last}'><pose>1 0 0 0 0 0</pose><parent>right</parent><child>top</child>{axis}</joint>
</model></sdf>"""
"""Four bars of 1 m; the last joint is at the upper right corner."""
Y_AXIS = "<axis><xyz>0 1 0</xyz></axis>"


def four_bars(last="revolute", axis=Y_AXIS):
    text = PARALLELOGRAM.format(bar=BAR, y=Y_AXIS, last=last, axis=axis)
    return load_string(text, format="sdf", quiet=True)


@pytest.mark.parametrize(("last", "axis"), [("revolute", Y_AXIS), ("ball", "")])
@pytest.mark.parametrize("loader", [bridge.load_into_pybullet, bridge.load_world_into_pybullet])
def test_gaps_are_those_of_the_closed_form(bullet_client, loader, last, axis):
    """The left bar turns and takes the top along; then the top turns back; then the right bar
    follows.
    """
    robot = loader(four_bars(last, axis), physicsClientId=bullet_client)
    assert robot.loop_gaps() == {"d": pytest.approx(0.0, abs=1e-12)}
    robot.set_positions({"a": 0.3})
    corner = (math.sin(0.3) + math.cos(0.3), math.cos(0.3) - math.sin(0.3))
    assert robot.loop_gaps() == {"d": pytest.approx(math.dist(corner, (1.0, 1.0)), abs=1e-12)}
    robot.set_positions({"c": -0.3})
    assert robot.loop_gaps() == {"d": pytest.approx(2.0 * math.sin(0.15), abs=1e-12)}
    robot.set_positions({"b": 0.3})
    assert robot.loop_gaps() == {"d": pytest.approx(0.0, abs=1e-12)}


def test_gaps_are_distances_between_the_frames_of_the_joint():
    """The top is moved by 0.2 m along x and 0.1 m along z."""
    mechanism = bridge.lower(four_bars("ball", ""))
    poses = mechanism.link_poses({})
    moved = {**poses, "top": Pose.of(p=(0.2, 0.0, 0.1)) @ poses["top"]}
    assert loop_gaps(mechanism, moved.__getitem__) == {
        "d": pytest.approx(math.hypot(0.2, 0.1), abs=1e-12)
    }


CRANE = """<mujoco><worldbody>
<body name="left"><joint name="a" axis="0 1 0"/><geom size=".1" mass="1"/></body>
<body name="right" pos="1 0 0"><joint name="b" axis="0 1 0"/><geom size=".1" mass="1"/></body>
</worldbody><equality>{equality}</equality></mujoco>"""


@pytest.mark.parametrize(
    ("equality", "at_rest"),
    [
        ('<connect body1="left" body2="right" anchor="0.5 0 0"/>', 0.0),
        ('<weld body1="left" body2="right"/>', 0.0),
        ('<connect body1="left" body2="right" anchor="0.5 0 0" active="false"/>', None),
    ],
)
def test_gaps_of_constraints_are_those_of_the_closed_form(bullet_client, equality, at_rest):
    """A point of the left body turns about its origin; the point of the right body, at the same
    place, stays.
    """
    scene = load_string(CRANE.format(equality=equality), format="mjcf", quiet=True)
    robot = bridge.load_into_pybullet(scene, physicsClientId=bullet_client)
    if at_rest is None:
        assert robot.loop_gaps() == {}
        return
    assert robot.loop_gaps() == {"left, right": pytest.approx(at_rest, abs=1e-12)}
    robot.set_positions({"a": 0.3})
    arm = 0.5 if "connect" in equality else 1.0  # a weld holds the origin of the right body
    assert robot.loop_gaps() == {"left, right": pytest.approx(2.0 * arm * math.sin(0.15), abs=1e-9)}


@pytest.mark.parametrize("loader", [bridge.load_into_pybullet, bridge.load_world_into_pybullet])
def test_the_position_of_a_joint_that_closes_a_loop_is_refused_with_the_reason(
    bullet_client, loader
):
    robot = loader(four_bars("ball", ""), physicsClientId=bullet_client)
    for values in (robot.positions(), robot.velocities()):
        assert isinstance(values, dict)
        assert len(values) == 3
        with pytest.raises(
            KeyError, match="the joint 'd' closes a kinematic loop: PyBullet has a constraint"
        ):
            values["d"]
        with pytest.raises(KeyError, match="unknown joint 'e'"):
            values["e"]


def test_reasons_are_given_for_loops_alone():
    mechanism = bridge.lower(four_bars("ball", ""))
    assert loop_joints(mechanism).keys() == {"d"}
    assert by_joint({"a": 1.0}, mechanism) == {"a": 1.0}


# Display of loaded bodies in a notebook: an image and a table.

BOX = Box(size=(0.4, 0.4, 0.4))


def painted(name, rgba, **rest):
    visual = Visual(name="v", X_LG=IDENTITY, geometry=BOX, material=Material(diffuse=rgba))
    return link(name, shape=BOX, visuals=(visual,), **rest)


def picture_in(html, tmp_path):
    """The picture that a notebook would draw, decoded by Pillow."""
    image = pytest.importorskip("PIL.Image")
    (encoded,) = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    (tmp_path / "shown.png").write_bytes(base64.b64decode(encoded))
    return np.asarray(image.open(tmp_path / "shown.png").convert("RGB"), dtype=int)


def has(image, red, green, blue):
    """Return the number of pixels that are much more of one color than of the others."""
    wanted = np.array((red, green, blue), dtype=bool)
    return int((image[:, :, wanted].min(axis=2) > image[:, :, ~wanted].max(axis=2) + 60).sum())


def test_a_body_shows_itself_in_its_colors(bullet_client, tmp_path):
    X = Pose.of(p=(0.0, 1.0, 0.0))
    links = [painted("a", (1.0, 0.0, 0.0, 1.0)), painted("b", (0.0, 0.0, 1.0, 1.0), X_WL=X)]
    robot = load_into_pybullet(
        scene(links, [joint("j", "a", "b", X_PJ=X)]), physicsClientId=bullet_client
    )
    html = robot._repr_html_()
    image = picture_in(html, tmp_path)
    assert image.shape == (480, 640, 3)
    assert min(has(image, 1, 0, 0), has(image, 0, 0, 1)) > 3000
    assert has(image, 0, 1, 0) == 0
    assert re.findall(r"<td[^>]*>([^<]*)</td>", html)[:4] == [str(int(robot)), "m", "2", "1"]


def test_the_card_looks_like_that_of_a_scene(bullet_client):
    model = scene([painted("a", (1.0, 0.0, 0.0, 1.0))])
    robot = load_into_pybullet(model, physicsClientId=bullet_client)
    assert re.findall(r"^<div style=[^>]*>", robot._repr_html_()) == re.findall(
        r"^<div style=[^>]*>", model._repr_html_()
    )


def test_a_removed_body_has_a_text_and_no_picture(bullet_client):
    robot = load_into_pybullet(scene([link("a", shape=BOX)]), physicsClientId=bullet_client)
    robot.remove()
    assert "<img" not in robot._repr_html_()
    assert "removed" in robot._repr_html_()


def test_several_bodies_and_an_endless_plane_are_one_picture(bullet_client, tmp_path):
    links = [
        painted("a", (0.0, 1.0, 0.0, 1.0)),
        link("<b>", shape=Plane(), X_WL=Pose.of(p=(1.0, 0.0, -1.0))),
    ]
    bodies = load_into_pybullet(scene(links), physicsClientId=bullet_client)
    html = bodies._repr_html_()
    assert html.count("<tr>") == 1 + len(bodies)
    assert has(picture_in(html, tmp_path), 0, 1, 0) > 3000


def test_a_picture_disturbs_nothing(bullet_client):
    robot = load_into_pybullet(scene([link("a", shape=BOX)]), physicsClientId=bullet_client)
    before = (
        pybullet.getBasePositionAndOrientation(robot, bullet_client),
        pybullet.getNumBodies(bullet_client),
    )
    robot._repr_html_()
    assert (
        pybullet.getBasePositionAndOrientation(robot, bullet_client),
        pybullet.getNumBodies(bullet_client),
    ) == before


def test_pixels_survive_as_png(tmp_path):
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    (tmp_path / "a.png").write_bytes(png(pixels))
    assert np.array_equal(np.asarray(image.open(tmp_path / "a.png")), pixels)


def test_a_body_is_nowhere_brighter_than_its_color(bullet_client, tmp_path):
    """The coefficients of ambient, diffuse and specular light add up to one."""
    look = Material(diffuse=(0.5, 0.0, 0.0, 1.0))
    red = Visual(name="v", X_LG=IDENTITY, geometry=Sphere(radius=0.3), material=look)
    robot = load_into_pybullet(
        scene([link("a", shape=BOX, visuals=(red,))]), physicsClientId=bullet_client
    )
    image = picture_in(robot._repr_html_(), tmp_path)
    body = image[image[:, :, 0] > image[:, :, 1] + 60]
    assert len(body) > 3000
    assert body[:, 0].max() <= 130
