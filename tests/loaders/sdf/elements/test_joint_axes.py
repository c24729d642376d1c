"""Joint axes: directions, limits and dynamics."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loaders
from loaders import Scene
from loaders.model import Joint, JointType
from tests.support.sdf import (
    Q,
    axis_in_world,
    joint_of,
    read_sdf,
    transform,
)

INF = math.inf


def read(body: str, version: str = "1.10") -> Scene:
    links = "<link name='a'/><link name='b'/>"
    text = f"<sdf version='{version}'><model name='m'>{links}{body}</model></sdf>"
    return loaders.load_string(text, format="sdf")


def joint(inside: str, kind: str = "revolute", version: str = "1.10") -> Joint:
    ends = "<parent>a</parent><child>b</child>"
    return read(f"<joint name='j' type='{kind}'>{ends}{inside}</joint>", version).joints[0]


def one_joint(kind: str, body: str, version: str) -> Joint:
    ends = "<parent>a</parent><child>b</child>"
    text = (
        f"<model name='m'><link name='a'/><link name='b'/><joint name='j' "
        f"type='{kind}'>{ends}{body}</joint></model>"
    )
    return joint_of(read_sdf(text, version), "j")


@pytest.mark.parametrize(
    ("kind", "axes", "expected"),
    [
        ("fixed", "", 0),
        ("revolute", "<axis/>", 1),
        ("continuous", "<axis/>", 1),
        ("prismatic", "<axis/>", 1),
        ("screw", "<axis/>", 1),
        ("ball", "", 0),
        ("ball", "<axis><dynamics><damping>2</damping></dynamics></axis>", 1),
        ("universal", "<axis/><axis2/>", 2),
        ("revolute2", "<axis/><axis2/>", 2),
        ("gearbox", "<axis/><axis2/><gearbox_reference_body>a</gearbox_reference_body>", 2),
        ("REVOLUTE", "<axis/>", 1),
        ("Fixed", "", 0),
    ],
)
def test_each_joint_type_has_its_number_of_axes(kind: str, axes: str, expected: int) -> None:
    read_joint = joint(axes, kind)
    assert read_joint.type is JointType(kind.lower())
    assert len(read_joint.axes) == expected


# --- directions -----------------------------------------------------------------------------------


def test_axes_are_unit_vectors_in_the_joint_frame() -> None:
    scene = read(
        "<frame name='f'><pose>0 0 0 0 0 1.5707963267948966</pose></frame>"
        "<joint name='j' type='revolute'><pose>0 0 0 1.5707963267948966 0 "
        "0</pose><parent>a</parent><child>b</child>"
        "<axis><xyz expressed_in='f'>3 0 0</xyz></axis></joint>"
        "<joint name='k' type='prismatic'><parent>a</parent><child>b</child><axis><xyz>0 3 "
        "4</xyz></axis></joint>"
    )
    # x of f is y of the model, which is -z of a frame that is rolled by a quarter turn
    assert np.allclose(scene.joints[0].axes[0].xyz, (0, 0, -1), atol=1e-15)
    assert np.allclose(scene.joints[1].axes[0].xyz, (0, 0.6, 0.8), atol=1e-15)


def test_axes_can_be_expressed_in_nested_frames_and_models() -> None:
    scene = read_sdf(
        f"""<model name='m'><link name='base'/>
        <model name='wrist'><pose>0 0 0 {Q} 0 0</pose><link name='palm'><pose>0 0 0 0 0 {Q}</pose></link>
          <frame name='skew'><pose>0 0 0 0 {Q} 0</pose></frame></model>
        <joint name='u' type='universal'><parent>base</parent><child>wrist::palm</child>
          <axis><xyz expressed_in='wrist::skew'>1 0 0</xyz></axis>
          <axis2><xyz expressed_in='wrist'>1 0 0</xyz></axis2></joint></model>"""
    )
    np.testing.assert_allclose(
        axis_in_world(scene, "u", 0),
        (transform(0, 0, 0, Q) @ transform(0, 0, 0, 0, Q))[:3, 0],
        atol=1e-15,
    )
    np.testing.assert_allclose(axis_in_world(scene, "u", 1), (1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(joint_of(scene, "u").axes[1].xyz, (0, -1, 0), atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "second", "codes"),
    [
        ("universal", "0 0 -1", ["model.parallel-axes"]),
        ("universal", "0 1 1", ["model.skew-axes"]),
        ("universal", "0 1 0", []),
        ("revolute2", "0 0 -1", ["model.parallel-axes"]),
        ("revolute2", "0 1 1", []),
    ],
)
def test_parallel_and_skew_axes_are_reported(kind: str, second: str, codes: list[str]) -> None:
    axes = f"<axis><xyz>0 0 1</xyz></axis><axis2><xyz>{second}</xyz></axis2>"
    scene = read(f"<joint name='j' type='{kind}'><parent>a</parent><child>b</child>{axes}</joint>")
    assert [entry.code for entry in scene.diagnostics] == codes


# --- limits and dynamics --------------------------------------------------------------------------


def test_missing_limits_and_limits_of_1e16_are_infinite() -> None:
    axis = joint("<axis/>").axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (-INF, INF, INF, INF)
    assert (axis.limit_stiffness, axis.limit_dissipation) == (None, None)
    limit = "<lower>-1e16</lower><upper>1e+16</upper><effort>-1</effort><velocity>-1</velocity>"
    axis = joint(f"<axis><limit>{limit}</limit></axis>").axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (-INF, INF, INF, INF)


@pytest.mark.parametrize("version", ["1.2", "1.6", "1.9", "1.12"])
def test_limits_have_the_newest_defaults_in_every_version(version: str) -> None:
    free = one_joint("revolute", "<axis><xyz>0 0 1</xyz></axis>", version).axes[0]
    assert (free.lower, free.upper, free.effort, free.velocity) == (
        -math.inf,
        math.inf,
        math.inf,
        math.inf,
    )
    limit = "<lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>-2</velocity>"
    spelt = one_joint(
        "revolute", f"<axis><xyz>0 0 1</xyz><limit>{limit}</limit></axis>", version
    ).axes[0]
    assert (spelt.lower, spelt.upper, spelt.effort, spelt.velocity) == (
        -math.inf,
        math.inf,
        math.inf,
        math.inf,
    )


def test_limits_and_dynamics_are_read_as_written() -> None:
    axis = joint(
        "<axis><limit><lower>2</lower><upper>-1</upper><effort>0</effort><velocity>inf</velocity><stiffness>5</stiffness>"
        "<dissipation>6</dissipation></limit><dynamics><damping>-0.5</damping><friction>0.1</friction>"
        "<spring_stiffness>7</spring_stiffness><spring_reference>0.2</spring_reference></dynamics></axis>"
    ).axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == (2, -1, 0, INF)
    assert (axis.limit_stiffness, axis.limit_dissipation) == (5, 6)
    assert (axis.damping, axis.friction, axis.spring_stiffness, axis.spring_reference) == (
        -0.5,
        0.1,
        7,
        0.2,
    )


def test_reversed_limits_zero_effort_and_negative_damping_are_kept() -> None:
    limit = "<limit><lower>0.4</lower><upper>0.1</upper><effort>0</effort></limit>"
    dynamics = "<dynamics><damping>-2</damping><spring_stiffness>9</spring_stiffness></dynamics>"
    axis = one_joint("prismatic", f"<axis><xyz>0 0 1</xyz>{limit}{dynamics}</axis>", "1.7").axes[0]
    assert (axis.lower, axis.upper, axis.effort) == (0.4, 0.1, 0.0)
    assert (axis.damping, axis.spring_stiffness, axis.spring_reference) == (-2.0, 9.0, 0.0)


def test_a_continuous_joint_has_no_limits() -> None:
    axis = joint(
        "<axis><limit><lower>-1</lower><upper>1</upper></limit></axis>", "continuous"
    ).axes[0]
    assert (axis.lower, axis.upper) == (-INF, INF)
