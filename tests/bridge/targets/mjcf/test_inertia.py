"""Masses and inertias in MuJoCo are the model's, repaired or refused; effective inertia of joints."""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge import lower
from bridge.targets.mjcf import to_mjcf
from bridge.targets.mjcf.inertial import effective_inertia, max_effort
from loaders.diagnostics import ExportError, Fate, Where
from loaders.inertia import SpatialInertia
from loaders.model import Box, Collision, Joint, JointAxis, JointType, Link
from loaders.pose import IDENTITY, Pose, frozen, quaternion_to_matrix
from loaders.text import numbers
from tests.support.mjcf_scenes import (
    IMPOSSIBLE,
    chain,
    codes,
    hinge,
    link,
    one_joint,
    random_tree,
    scene_of,
)
from tests.support.mujoco_oracle import compiled
from tests.support.seeds import seeds

# Masses and inertias in MuJoCo are the model's, repaired or refused as the options say.


def test_mass_comes_from_the_model_alone_and_never_from_shapes():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Box(size=(1.0, 1.0, 1.0)))
    tool = link("tool", collisions=(shape,), inertia=None)
    scene = scene_of(link("a"), tool, joints=(hinge("weld", "a", "tool", JointType.FIXED),))
    assert compiled(to_mjcf(scene)).body("tool").mass[0] == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_every_mass_and_inertia_is_the_models(seed):
    scene = random_tree(seed)
    model = compiled(to_mjcf(scene))
    for body_link in scene.links:
        body = model.body(body_link.name)
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, body.iquat)
        R = R.reshape(3, 3)
        assert body.mass[0] == body_link.inertia.mass
        assert np.array_equal(body.ipos, body_link.inertia.p_LLcm)
        error = R @ np.diag(body.inertia) @ R.T - body_link.inertia.I_Lcm
        assert np.abs(error).max() <= 1e-14 * np.trace(body_link.inertia.I_Lcm)


@pytest.mark.parametrize("seed", seeds(50))
def test_flat_bodies_compile_and_keep_their_inertia_to_the_last_digit(seed):
    rng = np.random.default_rng(seed)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    a, b = rng.uniform(0.01, 1.0, 2)
    flat = SpatialInertia.of(1.0, I_Lcm=R @ np.diag((a, b, a + b)) @ R.T)
    body = compiled(to_mjcf(one_joint(inertia=flat))).body("arm")
    assert sorted(body.inertia) == pytest.approx(sorted((a, b, a + b)), rel=1e-13)


def test_a_diagonal_inertia_is_written_as_it_stands():
    flat = SpatialInertia.of(1.0, I_Lcm=np.diag((0.7, 0.1, 0.75)))
    assert 'diaginertia="0.7 0.1 0.75"' in to_mjcf(one_joint(inertia=flat))


def test_an_inertia_that_no_body_has_is_refused_by_name_and_place():
    with pytest.raises(
        ExportError, match=r"arm\.sdf:12: error: .*link arm .*inertia=\"repair\""
    ) as caught:
        to_mjcf(one_joint(inertia=IMPOSSIBLE))
    assert codes(caught.value.diagnostics) == ["mjcf.impossible-inertia"]


def test_a_repaired_inertia_is_the_nearest_valid_one_and_is_reported():
    mjcf = to_mjcf(one_joint(inertia=IMPOSSIBLE), inertia="repair")
    a, b, c = compiled(mjcf).body("arm").inertia
    assert (a, b, c) == pytest.approx((4 / 3, 4 / 3, 8 / 3))
    (entry,) = (e for e in mjcf.diagnostics if e.fate is Fate.REPAIRED)
    assert "1, 1, 3 kg m^2" in entry.message


def test_massless_moving_links_get_the_least_mass_that_compiles_and_are_reported():
    scene = one_joint()
    bare = dataclasses.replace(scene.links[1], inertia=None)
    mjcf = to_mjcf(dataclasses.replace(scene, links=(scene.links[0], bare)))
    assert compiled(mjcf).body("arm").mass[0] == 1e-14
    (entry,) = (e for e in mjcf.diagnostics if e.code == "mjcf.massless-link")
    assert (entry.fate, entry.where) == (Fate.ASSUMED, Where("arm.sdf", 12))


def test_a_link_without_mass_that_carries_a_welded_mass_stays_without():
    scene = one_joint()
    tool = Link(name="tool", model="m", X_WL=IDENTITY, inertia=scene.links[1].inertia)
    weld = Joint(
        name="weld", type=JointType.FIXED, parent="arm", child="tool", X_PJ=IDENTITY, X_CJ=IDENTITY
    )
    bare = dataclasses.replace(scene.links[1], inertia=None)
    scene = dataclasses.replace(
        scene, links=(scene.links[0], bare, tool), joints=(*scene.joints, weld)
    )
    mjcf = to_mjcf(scene)
    assert compiled(mjcf).body("arm").mass[0] == 0.0
    assert "mjcf.massless-link" not in codes(mjcf.diagnostics)


@pytest.mark.parametrize("mass", [None, 3.0])
def test_an_inertia_from_geometry_is_that_of_the_shapes(mass):
    """A box of water, or of the link's mass; moments of a box in closed form."""
    given = None if mass is None else SpatialInertia.of(mass, I_Lcm=np.diag((1.0, 1.0, 9.0)))
    scene = one_joint()
    box = Collision(name="c", X_LG=Pose.of(p=(1, 2, 3)), geometry=Box(size=(0.1, 0.2, 0.3)))
    boxed = dataclasses.replace(scene.links[1], inertia=given, collisions=(box,))
    mjcf = to_mjcf(
        dataclasses.replace(scene, links=(scene.links[0], boxed)), inertia="from_geometry"
    )
    body, m = compiled(mjcf).body("arm"), mass or 6.0
    assert body.mass[0] == pytest.approx(m)
    assert body.ipos == pytest.approx((1, 2, 3))
    assert body.inertia == pytest.approx((m * 0.13 / 12, m * 0.10 / 12, m * 0.05 / 12))
    assert "mjcf.inertia-from-geometry" in codes(mjcf.diagnostics)


def test_a_link_without_inertia_is_an_error_where_that_is_asked_for():
    scene = one_joint()
    bare = dataclasses.replace(scene.links[1], inertia=None)
    with pytest.raises(ExportError, match="link arm has no inertia"):
        to_mjcf(dataclasses.replace(scene, links=(scene.links[0], bare)), inertia="error")


@pytest.mark.parametrize("size", [1e-8, 1.0, 1e5])
def test_axes_of_a_source_that_no_longer_fit_are_not_used(size):
    """The moments of a link from MJCF are changed after reading; its stated axes are principal axes
    no more.
    """
    text = (
        "<mujoco><worldbody><body name='a'><freejoint/><inertial pos='0 0 0' mass='1' quat='0.8 0 "
        "0.6 0' "
        f"diaginertia='{3 * size} {4 * size} {5 * size}'/></body></worldbody></mujoco>"
    )
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    tilted = size * np.array(((3.0, 0.3, 0.2), (0.3, 4.0, 0.1), (0.2, 0.1, 5.0)))
    (a,) = (each for each in scene.links if each.name == "a")
    changed = dataclasses.replace(a, inertia=SpatialInertia.of(1.0, I_Lcm=tilted))
    links = tuple(changed if each.name == "a" else each for each in scene.links)
    body = compiled(to_mjcf(dataclasses.replace(scene, links=links))).body("a")
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, body.iquat)
    R = R.reshape(3, 3)
    np.testing.assert_allclose(R @ np.diag(body.inertia) @ R.T, tilted, atol=1e-9 * size)


# Effective inertia of joints, compared with the closed form of a double pendulum and with MuJoCo.


@pytest.mark.parametrize("seed", range(4))
def test_a_force_on_one_joint_accelerates_it_by_its_inverse_effective_inertia(seed: int) -> None:
    mechanism = lower(random_tree(seed, kinds=(JointType.REVOLUTE,), size=5))
    inertia = effective_inertia(mechanism)
    assert inertia is not None
    M = mechanism.mass_matrix()
    for i, force in enumerate(np.eye(len(M))):
        assert np.linalg.solve(M, force)[i] == pytest.approx(1.0 / inertia.free[i], rel=1e-9)
        assert M[i, i] == pytest.approx(inertia.locked[i], rel=1e-9)
    assert np.all(inertia.min_free <= inertia.free)


def test_more_than_a_thousand_velocities_have_no_effective_inertia() -> None:
    assert effective_inertia(lower(chain(1000))) is None


def test_the_largest_effort_turns_a_hinge_by_a_fifth_of_a_radian_in_one_step() -> None:
    axis = JointAxis(xyz=frozen((0.0, 0.0, 1.0)), lower=-1e9, upper=1e9)
    effort = max_effort(0.5, axis, 1e-3, speed=100.0)
    assert effort / 0.5 * 1e-3 * 1e-3 == pytest.approx(0.2)


def test_a_negative_mass_is_an_error_of_ours_although_no_speed_follows_from_it() -> None:
    """The inertia that a motor moves is negative, so that full effort has no speed."""
    tensor = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    body = f'<inertial><origin xyz="0 0 1"/><mass value="-1"/>{tensor}</inertial>'
    ends = '<parent link="a"/><child link="b"/><axis xyz="0 1 0"/>'
    joint = (
        f'<joint name="j" type="revolute">{ends}<limit lower="-1" upper="1" effort="9" '
        f'velocity="1"/></joint>'
    )
    urdf = f'<robot name="r"><link name="a"/><link name="b">{body}</link>{joint}</robot>'
    with pytest.raises(loaders.ExportError, match="negative"):
        bridge.to_mjcf(loaders.load_string(urdf, format="urdf", quiet=True), quiet=True)


def test_the_turn_of_a_light_joint_is_the_speed_that_full_effort_gives_it_between_its_stops_in_mujoco() -> (
    None
):
    inertia = (
        '<inertial><mass value="1"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" '
        'izz="1e-3"/></inertial>'
    )
    joint = (
        '<joint name="j" type="revolute"><parent link="world"/><child link="b"/><axis xyz="0 '
        '0 1"/>{}</joint>'
    )
    limits = '<limit lower="-1" upper="1" effort="100" velocity="1e6"/>'
    urdf = (
        f'<robot name="r"><link name="world"/><link '
        f'name="b">{inertia}</link>{joint.format(limits)}</robot>'
    )
    mjcf = bridge.to_mjcf(loaders.load_string(urdf, format="urdf", quiet=True), quiet=True)
    (found,) = (entry for entry in mjcf.diagnostics if entry.code == "mjcf.light-joint")
    model = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    step, model.opt.timestep = model.opt.timestep, 2e-6
    data = mujoco.MjData(model)
    data.qpos[0], data.qfrc_applied[0] = model.jnt_range[0, 0], 100.0
    while data.qpos[0] < model.jnt_range[0, 1]:
        mujoco.mj_step(model, data)
    assert found.arguments["turn"] == pytest.approx(data.qvel[0] * step, rel=2e-3)


@pytest.mark.parametrize(("digits", "bound"), [(4, 3e-14), (17, 2e-15)])
def test_the_numbers_of_a_file_are_written_where_they_are_shorter_and_exact(digits, bound):
    """In the axes of the link; MuJoCo's axes and moments give them back. An inertia of many digits
    is written by its axes and moments, without an error.
    """
    rng = np.random.default_rng(5)
    for _ in range(20):
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        moments = 10.0 ** rng.uniform(-6, 1) * rng.uniform(1.0, 1.8, 3)
        upper = np.triu((R * moments) @ R.T)
        upper = np.vectorize(lambda x: float(f"{x:.{digits}g}"))(upper)
        matrix = upper + np.triu(upper, 1).T
        scene = one_joint(inertia=SpatialInertia.of(1.0, I_Lcm=matrix))
        text = to_mjcf(scene)
        entries = [*np.diag(matrix), matrix[0, 1], matrix[0, 2], matrix[1, 2]]
        assert (f'fullinertia="{numbers(entries)}"' in text) is (digits == 4)
        for model in (compiled(text), bridge.to_mjspec(lower(scene)).compile()):
            body = model.body("arm")
            R_LI = quaternion_to_matrix(body.iquat)
            error = (R_LI * body.inertia) @ R_LI.T - matrix
            assert np.abs(error).max() <= bound * np.abs(matrix).max()


@pytest.mark.parametrize("offset", [0.0, 3e-9, 5e-7, 9.9e-7, 1.5e-6, 3e-6, 0.1])
@pytest.mark.parametrize("turn", [0.0, 1e-9, 1.3e-6, 1.99e-6, 5e-6])
@pytest.mark.parametrize("about", ["x", "y", "z"])
def test_mujoco_keeps_small_offsets_and_turns_of_inertias(
    offset: float, turn: float, about: str
) -> None:
    """MuJoCo takes a frame of an inertia within 1e-6 of that of the body for the latter; the mass
    matrix of a free body has the closed form m, m [c]x and I + m (c^2 - c c^T).
    """
    rpy = " ".join(str(turn if axis == about else 0.0) for axis in "xyz")
    text = f"""<sdf version="1.9"><model name="m"><link name="l"><inertial>
<pose>{offset} {-offset} 0 {rpy}</pose><mass>2</mass><inertia><ixx>.03</ixx><iyy>.05</iyy>
<izz>.04</izz></inertia></inertial></link></model></sdf>"""
    scene = loaders.load_string(text, format="sdf")
    model = compiled(to_mjcf(scene))
    data, M = mujoco.MjData(model), np.zeros((6, 6))
    mujoco.mj_forward(model, data)
    for k in range(6):
        unit = np.zeros(6)
        unit[k] = 1.0
        mujoco.mj_mulM(model, data, M[k], unit)
    x, y = offset, -offset
    cross = 2.0 * np.array(((0.0, 0.0, y), (0.0, 0.0, -x), (-y, x, 0.0)))
    R = np.eye(3)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[about]
    R[i, i] = R[j, j] = np.cos(turn)
    R[j, i], R[i, j] = np.sin(turn), -np.sin(turn)
    inertia = R @ np.diag((0.03, 0.05, 0.04)) @ R.T - cross @ cross / 2.0
    expected = np.block([[2.0 * np.eye(3), -cross], [cross, inertia]])
    assert np.abs(M - expected).max() < 1e-13
