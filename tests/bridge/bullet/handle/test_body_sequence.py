"""Handle of several bodies: access by model and by link, and answers as one mechanism."""

import tempfile
from pathlib import Path

import pybullet
import pytest

from bridge import load_into_pybullet, lower
from loaders.model import WORLD, Coupling, JointType, Model
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import joint, link, relative, scene


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
