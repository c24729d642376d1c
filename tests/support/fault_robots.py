"""Twenty robots of all sorts for faults in running engines: URDF, SDFormat, Drake; loops, mimics,
springs, meshes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import loaders
from loaders import Scene

ROOT = Path(__file__).parents[2]
_MOMENTS = "<inertia><ixx>.01</ixx><iyy>.02</iyy><izz>.025</izz></inertia>"


def _solid(x: float, size: float = 0.1) -> str:
    shape = f"<geometry><box><size>{size} {0.5 * size} {0.4 * size}</size></box></geometry>"
    friction = "<surface><friction><ode><mu>.7</mu><mu2>.7</mu2></ode></friction></surface>"
    parts = f"<collision name='c'><pose>{x} 0 0 0 0 0</pose>{shape}{friction}</collision>"
    drawn = f"<visual name='v'><pose>{x} 0 0 0 0 0</pose>{shape}</visual>"
    return (
        f"<inertial><pose>{x} .01 0 0 0 0</pose><mass>1</mass>{_MOMENTS}</inertial>{parts}{drawn}"
    )


def _joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    axis: str = "0 1 0",
    inside: str = "",
    pose: str = "",
) -> str:
    frame = f"<pose>{pose}</pose>" if pose else ""
    axes = f"<axis><xyz>{axis}</xyz>{inside}</axis>" if axis else ""
    return (
        f"<joint name='{name}' "
        f"type='{kind}'>{frame}<parent>{parent}</parent><child>{child}</child>{axes}</joint>"
    )


def _model(*parts: str) -> Scene:
    head = "<sdf version='1.11' xmlns:drake='drake.mit.edu'><model name='m'>"
    return loaders.load_string(f"{head}{''.join(parts)}</model></sdf>", format="sdf")


def four_bar() -> Scene:
    """Return four bars in a loop that is closed by a hinge."""
    corners = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.5), (0.6, 0.0, 0.5)]
    turns = [-math.pi / 2, 0.0, math.pi / 2]
    poses = [f"{x} {y} {z} 0 {turn} 0" for (x, y, z), turn in zip(corners, turns, strict=True)]
    bars = [
        f"<link name='{name}'><pose>{pose}</pose>{_solid(0.25, 0.4)}</link>"
        for name, pose in zip("abc", poses, strict=True)
    ]
    hinges = [
        _joint(f"j{b}", "revolute", a, b) for a, b in (("world", "a"), ("a", "b"), ("b", "c"))
    ]
    close = _joint("close", "revolute", "world", "c", pose="0.5 0 0 0 0 0")
    return _model(*bars, *hinges, close)


RUBBING = "<friction>.4</friction>"
"""Dry friction of a joint, whose softness acts."""


def springs() -> Scene:
    """Return a chain with springs, dry friction, a ball joint, a universal joint and a floating
    base.
    """
    links = [
        f"<link name='{n}'><pose>{0.3 * k} 0 1 0 0 0</pose>{_solid(0.1, 0.5)}</link>"
        for k, n in enumerate("abcde")
    ]
    spring = "<dynamics><damping>.1</damping><spring_stiffness>3</spring_stiffness><spring_reference>.1</spring_reference>"
    limit = (
        "<limit><lower>-1</lower><upper>1.5</upper><effort>5</effort><velocity>3</velocity></limit>"
    )
    joints = [
        _joint("turn", "revolute", "a", "b", inside=f"{limit}{spring}{RUBBING}</dynamics>"),
        _joint("slide", "prismatic", "b", "c", axis="1 0 0", inside=f"{limit}{spring}</dynamics>"),
        _joint("ball", "ball", "c", "d", axis=""),
        "<joint name='cross' type='universal'><parent>d</parent><child>e</child><axis><xyz>1 0 "
        "0</xyz></axis>"
        "<axis2><xyz>0 1 0</xyz></axis2></joint>",
    ]
    return _model(*links, *joints)


def drake_model() -> Scene:
    """Return a model with Drake's planar joint, its rotor inertia and a mimic."""
    links = [
        f"<link name='{n}'><pose>{0.3 * k} 0 1 0 0 0</pose>{_solid(0.1)}</link>"
        for k, n in enumerate("abcd")
    ]
    planar = (
        f"<link name='base'>{_solid(0.0)}</link>{_joint('weld', 'fixed', 'world', 'base', axis='')}"
        "<drake:joint name='table' "
        "type='planar'><drake:parent>base</drake:parent><drake:child>a</drake:child>"
        "<drake:damping>.1 .2 .3</drake:damping></drake:joint>"
    )
    limit = "<limit><lower>-1</lower><upper>1.5</upper><effort>5</effort></limit><dynamics><damping>.2</damping></dynamics>"
    follow = (
        "<mimic "
        "joint='lead'><multiplier>.5</multiplier><offset>.1</offset><reference>0</reference></mimic>"
    )
    joints = [
        _joint("lead", "revolute", "a", "b", inside=limit),
        _joint("free", "revolute", "b", "c", axis="1 0 0", inside=limit),
        _joint("follow", "revolute", "c", "d", inside=f"{limit}{follow}"),
    ]
    return _model(*links, planar, *joints)


_OWN: Mapping[str, Callable[[], Scene]] = {
    "four bars": four_bar,
    "springs": springs,
    "drake": drake_model,
}
_ASSETS = (
    "arm/model.sdf",
    "gripper/model.sdf",
    "leg.sdf",
    "double_pendulum.urdf",
    "orthogonal_x.sdf",
)
_PACKAGES = (
    "example-robot-data/robots/a1_description/urdf/a1.urdf",
    "example-robot-data/robots/finger_edu_description/robots/finger_edu.urdf",
    "example-robot-data/robots/iris_description/robots/iris.urdf",
    "example-robot-data/robots/kinova_description/robots/kinova.urdf",
    "example-robot-data/robots/panda_description/urdf/panda.urdf",
    "example-robot-data/robots/so_arm_description/urdf/so101.urdf",
    "example-robot-data/robots/ur_description/urdf/ur5_robot.urdf",
    "pybullet_data/humanoid/humanoid.urdf",
    "pybullet_data/kuka_iiwa/model.urdf",
    "pybullet_data/quadruped/minitaur_rainbow_dash_v1.urdf",
    "pybullet_data/r2d2.urdf",
    "pybullet_data/racecar/racecar.urdf",
)
ROBOTS = (*_OWN, *_ASSETS, *_PACKAGES)
"""The names of the robots."""


def robot(name: str) -> Scene | None:
    """Return a robot; None if its package is not installed.

    Args:
        name: One of `ROBOTS`.
    """
    from tests.corpora import robots_corpus

    if name in _OWN:
        return _OWN[name]()
    if name in _ASSETS:
        return loaders.load(ROOT / "assets" / name, quiet=True)
    installed = {str(each): each for each in robots_corpus.robots()}
    found = installed.get(name)
    return None if found is None else loaders.load(found.path, paths=[found.root], quiet=True)
