"""Links, joints, sites and soft bodies, against MuJoCo's compiled bodies."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders.model import JointType
from tests.support.mjcf_documents import BALL, document, read
from tests.support.mjcf_round_trip import compiled, differences, differing_arrays

# Joints, against MuJoCo's reference.


def joints(text: str, outside: str = ""):
    return read(f'<body name="b">{text}{BALL}</body>', outside).joints


def test_types() -> None:
    types = {
        "<joint/>": JointType.CONTINUOUS,
        '<joint range="-1 1"/>': JointType.REVOLUTE,
        '<joint type="slide"/>': JointType.PRISMATIC,
        '<joint type="ball"/>': JointType.BALL,
        "<freejoint/>": JointType.FLOATING,
        "": JointType.FIXED,
    }
    assert {text: joints(text)[0].type for text in types} == types


def test_angles_are_radians() -> None:
    (joint,) = joints(
        '<joint range="-90 180" springref="45" ref="30" stiffness="2" damping="3" '
        'frictionloss="4"/>'
    )
    axis = joint.axes[0]
    assert (axis.lower, axis.upper) == pytest.approx((-math.pi / 2, math.pi))
    assert (axis.spring_reference, *joint.default_position) == pytest.approx(
        (math.pi / 4, math.pi / 6)
    )
    assert (axis.spring_stiffness, axis.damping, axis.friction) == (2.0, 3.0, 4.0)


@pytest.mark.parametrize(
    "limits", ['range="60 10"', 'range="10 10"', 'range="0 1" limited="false"']
)
def test_what_mujoco_takes_for_no_limit_is_none(limits: str) -> None:
    assert joints(f"<joint {limits}/>")[0].axes[0].upper == math.inf


def test_a_class_within_a_class_is_complete() -> None:
    inner = '<default class="b"><joint damping="5"/></default>'
    classes = f'<default><default class="a"><joint axis="1 0 0"/>{inner}</default></default>'
    (joint,) = joints('<joint class="b"/>', classes)
    assert joint.axes[0].xyz.tolist() == [1.0, 0.0, 0.0]
    assert joint.axes[0].damping == 5.0


def test_the_effort_limit_of_a_joint() -> None:
    assert joints('<joint actuatorfrcrange="-3 3"/>')[0].axes[0].effort == 3.0


# Links, against MuJoCo's compiled bodies.

INERTIAS = {
    "full": '<inertial pos="0.1 0.2 0.3" mass="2" fullinertia="1 2 2.5 0.1 0.2 0.3"/>',
    "diagonal": '<inertial pos="0 0 1" mass="3" diaginertia="1 2 2.5" euler="10 20 30"/>',
    "from a box": '<geom type="box" size="0.1 0.2 0.3" pos="1 0 0" euler="0 0 45" density="500"/>',
    "of two": (
        '<geom size="0.1" mass="1"/><geom type="capsule" fromto="0 0 0 1 1 0" size="0.05" '
        'mass="2"/>'
    ),
}


@pytest.mark.parametrize("text", INERTIAS.values(), ids=INERTIAS)
def test_the_inertia_is_that_of_the_compiled_body(text: str) -> None:
    import mujoco

    body = f"<body><joint/>{text}</body>"
    model = mujoco.MjModel.from_xml_string(document(body))
    inertia = read(body).links[0].inertia
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])
    R = R.reshape(3, 3)
    assert inertia is not None
    assert inertia.mass == model.body_mass[1]
    assert inertia.p_LLcm.tolist() == model.body_ipos[1].tolist()
    assert np.abs(inertia.I_Lcm - R @ np.diag(model.body_inertia[1]) @ R.T).max() < 1e-12


def test_a_body_without_mass_has_no_inertia() -> None:
    assert read('<body><geom size="1" mass="0"/></body>').links[0].inertia is None


def test_a_body_with_three_joints_is_a_chain_of_massless_links() -> None:
    scene = read(
        f'<body name="b"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint '
        f'name="z"/>{BALL}</body>'
    )
    assert [link.name for link in scene.links] == ["b_x", "b_y", "b"]
    assert [(joint.parent, joint.child) for joint in scene.joints] == [
        ("world", "b_x"),
        ("b_x", "b_y"),
        ("b_y", "b"),
    ]
    assert [link.inertia is None for link in scene.links] == [True, True, False]


def test_gravity_compensation_and_mocap() -> None:
    scene = read(f'<body gravcomp="1"><joint/>{BALL}</body><body mocap="true">{BALL}</body>')
    assert [(link.gravity, link.kinematic) for link in scene.links] == [
        (False, False),
        (True, True),
    ]


# Soft bodies, by the forces between their particles in the original and in the export.

GRID = '<flexcomp name="f" type="grid" spacing="0.1 0.1 0.1" radius="0.01" mass="1" {}</flexcomp>'
BODIES = {
    "rope": GRID.format(
        'dim="1" count="4 1 1"><edge equality="false" stiffness="100" damping="10"/>'
    ),
    "rope of constant edges": GRID.format(
        'dim="1" count="4 1 1"><edge equality="true" solref="0.05 1"/>'
    ),
    "cloth": GRID.format(
        'dim="2" count="3 3 1"><edge equality="true"/><contact selfcollide="none"/>'
    ),
    "jelly": GRID.format(
        'dim="3" count="3 3 3"><elasticity young="1e3" poisson="0.2" damping="0.1"/>'
    ),
    "nodes": GRID.format(
        'dim="3" count="3 3 3" dof="trilinear"><elasticity young="1e3" poisson="0.2" '
        'damping="0.1"/><contact selfcollide="none"/>'
    ),
    "pinned nodes": GRID.format(
        'dim="3" count="3 3 3" dof="trilinear"><elasticity young="1e3"/><pin id="0"/>'
        '<contact selfcollide="none"/>'
    ),
    "nodes of cells": GRID.format(
        'dim="3" count="3 3 3" dof="trilinear" cellcount="2 1 1"><elasticity young="1e3"/>'
        '<contact selfcollide="none"/>'
    ),
    "quadratic nodes": GRID.format(
        'dim="3" count="3 3 3" dof="quadratic"><elasticity young="1e3"/><contact selfcollide="none"/>'
    ),
    "rod": GRID.format(
        'dim="1" count="4 1 1"><elasticity young="1e4" section="box" sectionsize="0.01 0.02"/>'
    ),
}


def skip_if_newer(body: str) -> None:
    """Skip the test of a body with an attribute that this version of MuJoCo lacks."""
    if "section=" in body and "section" not in mujoco.mj_printSchema(False, False):
        pytest.skip(f"MuJoCo {mujoco.__version__} has no sections of rods")


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_numbers_of_an_export_are_those_of_the_original(body: str) -> None:
    skip_if_newer(body)
    assert differing_arrays("flex", *compiled(f'<body name="b" pos="0 0 1">{body}</body>')) == []


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_an_export_moves_as_the_original(body: str) -> None:
    skip_if_newer(body)
    assert max(differences(f'<body name="b" pos="0 0 1">{body}</body>', "").values()) < 1e-9


def test_the_particles_are_links() -> None:
    scene = read(f'<body name="b">{BODIES["rope"]}</body>')
    (soft,) = scene.engine_elements
    links = {link.name for link in scene.links}
    assert {name for _, name in soft.references} <= links


def test_particles_keep_every_digit_of_their_positions() -> None:
    """The solver stops at its tolerance, and sooner or later if one digit differs."""
    disc = (
        '<mujoco><worldbody><flexcomp name="f" type="disc" count="9 9 1" spacing="0.1 0.1 0.1" '
        'radius="0.01" mass="1"'
        ' dim="2" pos="0 0 1"><edge equality="true"/></flexcomp></worldbody></mujoco>'
    )
    original = mujoco.MjModel.from_xml_string(disc)
    exported = bridge.to_mjspec(loaders.load_string(disc, format="mjcf")).compile()
    np.testing.assert_array_equal(exported.body_pos, original.body_pos)
    np.testing.assert_array_equal(exported.flexedge_length0, original.flexedge_length0)


# Sites.


def test_a_site_is_a_frame() -> None:
    (frame,) = read(
        f'<body name="a">{BALL}<site name="s" pos="1 2 3" zaxis="1 0 0"/></body>'
    ).frames
    assert (frame.name, frame.link, frame.X_LF.p.tolist()) == ("s", "a", [1.0, 2.0, 3.0])
    assert abs(frame.X_LF.R[:, 2] - [1.0, 0.0, 0.0]).max() < 1e-15
