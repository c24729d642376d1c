"""What the elements of a URDF mean, by the specification, and with Drake as a witness of poses and masses."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from loaders.model import Box, Capsule, Cylinder, Mesh, Plane, Sphere
from loaders.scene import Scene
from tests.support.drake_oracle import open_in_drake, pose_error

INERTIAL = "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"


def robot(body: str, name: str = "r") -> Scene:
    return loaders.load_string(f"<robot name='{name}'>{body}</robot>", format="urdf")


def joint(scene: Scene, name: str = "j") -> loaders.model.Joint:
    return next(joint for joint in scene.joints if joint.name == name)


def arm(inside: str, kind: str = "revolute") -> Scene:
    """Two links and a joint with these elements."""
    ends = "<parent link='a'/><child link='b'/>"
    return robot(f"<link name='a'/><link name='b'/><joint name='j' type='{kind}'>{ends}{inside}</joint>")


def fixed(name: str, parent: str, child: str, inside: str = "") -> str:
    """A fixed joint."""
    ends = f"<parent link='{parent}'/><child link='{child}'/>"
    return f"<joint name='{name}' type='fixed'>{ends}{inside}</joint>\n"


def codes(scene: Scene) -> list[str]:
    return [entry.code for entry in scene.diagnostics]


def errors(body: str) -> dict[str, list[int]]:
    """The lines of the errors of a file, by code."""
    with pytest.raises(loaders.LoadError) as caught:
        robot(body)
    found: dict[str, list[int]] = {}
    for entry in caught.value.diagnostics:
        if entry.severity == "error":
            found.setdefault(entry.code, []).append(entry.where.line)
    return found


# --- links -----------------------------------------------------------------------------------------------------------


def test_links_keep_their_order_and_their_names() -> None:
    scene = robot(
        "<link name='z'/><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='z'/></joint>"
    )
    assert [link.name for link in scene.links] == ["z", "a"]
    assert [model.name for model in scene.models] == ["r"]
    assert scene.models[0].canonical_link == "a"


def test_an_inertia_is_turned_into_the_axes_of_the_link() -> None:
    """A quarter turn about z swaps the x and y moments."""
    scene = robot(
        "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
        "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1'/></inertial></link>"
    )
    inertia = scene.links[0].inertia
    assert inertia is not None
    assert inertia.mass == 2.0
    np.testing.assert_allclose(inertia.p_LLcm, (1, 2, 3))
    np.testing.assert_allclose(inertia.I_Lcm, ((2, -0.1, 0), (-0.1, 1, 0), (0, 0, 2.5)), atol=1e-15)


def test_an_origin_of_the_robot_places_the_whole_model() -> None:
    link, joint = "<link name='a'/>", "<joint name='w' type='fixed'><parent link='world'/><child link='a'/></joint>"
    scene = robot(f"<origin xyz='1 2 3' rpy='0 0 {math.pi / 2}'/>{link}{joint}")
    np.testing.assert_allclose(scene.links[0].X_WL.p, [1, 2, 3])
    np.testing.assert_allclose(scene.models[0].X_WM.R @ (1, 0, 0), [0, 1, 0], atol=1e-15)
    assert bridge.lower(scene).link_poses()["a"].is_close(scene.links[0].X_WL)


def test_a_missing_inertial_stays_missing() -> None:
    assert robot("<link name='a'/>").links[0].inertia is None


def test_a_mass_without_inertia_is_a_point() -> None:
    scene = robot("<link name='a'><inertial><mass value='2'/></inertial></link>")
    assert scene.links[0].inertia is not None
    assert not scene.links[0].inertia.I_Lcm.any()
    assert codes(scene) == ["urdf.missing-inertia"]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("<box size='1 2 3'/>", Box(size=(1, 2, 3))),
        ("<sphere radius='2'/>", Sphere(radius=2)),
        ("<cylinder radius='2' length='3'/>", Cylinder(radius=2, length=3)),
        ("<capsule radius='2' length='3'/>", Capsule(radius=2, length=3)),
        ("<plane normal='0 0 2'/>", Plane(normal=(0, 0, 1))),
        ("<mesh filename='x.stl' scale='1 -2 3'/>", Mesh(uri="x.stl", path=None, scale=(1, -2, 3))),
        ("<mesh filename='x.stl' scale='0.5'/>", Mesh(uri="x.stl", path=None, scale=(0.5, 0.5, 0.5))),
    ],
)
def test_shapes(shape: str, expected: object) -> None:
    for tag in ("visual", "collision"):
        scene = robot(f"<link name='a'><{tag}><geometry>{shape}</geometry></{tag}></link>")
        shapes = scene.links[0].visuals or scene.links[0].collisions
        assert shapes[0].geometry == expected


def test_shapes_have_names_of_their_own_or_made_ones() -> None:
    sphere = "<geometry><sphere radius='1'/></geometry>"
    scene = robot(
        f"<link name='a'><collision>{sphere}</collision><collision>{sphere}</collision>"
        f"<collision name='hit'>{sphere}</collision><collision name='hit'>{sphere}</collision></link>"
    )
    assert [c.name for c in scene.links[0].collisions] == ["a_collision", "a_collision_1", "hit", "hit_1"]
    assert codes(scene) == ["urdf.duplicate-name"]


def test_a_shape_that_nobody_knows_is_left_out_and_named() -> None:
    scene = robot("<link name='a'><collision><geometry><blob/></geometry></collision></link>")
    assert scene.links[0].collisions == ()
    assert codes(scene) == ["urdf.no-shape"]


def test_the_link_world_is_the_world(tmp_path: Path) -> None:
    body = "<link name='a'/>" + fixed("j", "world", "a", "<origin xyz='1 2 3'/>")
    np.testing.assert_allclose(robot(body).links[0].X_WL.p, (1, 2, 3))
    assert [link.name for link in robot("<link name='world'/>" + body).links] == ["a"]
    shaped = (
        "<link name='world'>" + INERTIAL + "<collision><geometry><sphere radius='1'/></geometry></collision></link>"
    )
    scene = robot(shaped + body)
    assert [link.name for link in scene.links] == ["world", "a"]
    assert scene.links[0].inertia is None
    assert codes(scene) == ["urdf.world-inertial"]


# --- materials -------------------------------------------------------------------------------------------------------

VISUAL = "<visual><geometry><sphere radius='1'/></geometry>{}</visual>"
RED, BLUE = "<color rgba='1 0 0 1'/>", "<color rgba='0 0 1 0.5'/>"


def colours(body: str) -> list[object]:
    return [visual.material and visual.material.diffuse for link in robot(body).links for visual in link.visuals]


def test_materials_are_known_by_name_wherever_they_stand() -> None:
    named = VISUAL.format("<material name='m'/>")
    own = VISUAL.format(f"<material name='own'>{BLUE}</material>")
    again = VISUAL.format("<material name='own'/>")
    body = f"<link name='a'>{named}{own}{again}{VISUAL.format('')}</link>"
    red, blue = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.5)
    assert colours(body + f"<material name='m'>{RED}</material>") == [red, blue, blue, None]


def test_of_two_materials_of_one_name_the_first_counts_where_it_is_only_named() -> None:
    body = f"<material name='m'>{RED}</material><material name='m'>{BLUE}</material>"
    scene = robot(body + "<link name='a'>" + VISUAL.format("<material name='m'/>") + "</link>")
    assert scene.links[0].visuals[0].material.diffuse == (1.0, 0.0, 0.0, 1.0)
    assert "urdf.duplicate-material" in codes(scene)


def test_an_unknown_material_is_noticed() -> None:
    assert codes(robot("<link name='a'>" + VISUAL.format("<material name='m'/>") + "</link>")) == [
        "urdf.unknown-material"
    ]


def test_a_texture_is_found(tmp_path: Path) -> None:
    (tmp_path / "t.png").write_bytes(b"")
    visual = VISUAL.format("<material name='m'><texture filename='t.png'/></material>")
    text = f"<robot name='r'><link name='a'>{visual}</link></robot>"
    scene = loaders.load_string(text, format="urdf", base=tmp_path)
    assert scene.links[0].visuals[0].material.texture == str(tmp_path / "t.png")


# --- joints ----------------------------------------------------------------------------------------------------------


def test_an_axis_is_x_unless_given_and_always_of_unit_length() -> None:
    limit = "<limit lower='-1' upper='1' effort='1' velocity='1'/>"
    np.testing.assert_array_equal(joint(arm(limit)).axes[0].xyz, (1, 0, 0))
    np.testing.assert_allclose(joint(arm(limit + "<axis xyz='0 3 4'/>")).axes[0].xyz, (0, 0.6, 0.8))


def test_a_zero_axis_is_an_error_where_there_is_one_and_nothing_where_there_is_none() -> None:
    assert "urdf.zero-axis" in errors(
        "<link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
        "<axis xyz='0 0 0'/></joint>"
    )
    assert arm("<axis xyz='0 0 0'/>", "fixed").diagnostics == ()


INF = math.inf


@pytest.mark.parametrize(
    ("kind", "limit", "expected", "reported"),
    [
        ("revolute", "lower='-1' upper='2' effort='3' velocity='4'", (-1, 2, 3, 4), []),
        ("prismatic", "lower='-1' upper='2' effort='3' velocity='4'", (-1, 2, 3, 4), []),
        ("revolute", "upper='2' effort='3' velocity='4'", (0, 2, 3, 4), ["urdf.missing-limit"]),
        ("revolute", "lower='-1' effort='3' velocity='4'", (-1, 0, 3, 4), ["urdf.missing-limit"]),
        ("revolute", "effort='3' velocity='4'", (-INF, INF, 3, 4), ["urdf.missing-limit"]),
        ("revolute", "lower='1' upper='-1' effort='3' velocity='4'", (-INF, INF, 3, 4), ["urdf.reversed-limit"]),
        ("revolute", "lower='-1' upper='1'", (-1, 1, INF, INF), ["urdf.missing-limit"] * 2),
        ("continuous", "effort='3' velocity='4'", (-INF, INF, 3, 4), []),
        ("continuous", "lower='-1' upper='1' effort='3' velocity='4'", (-INF, INF, 3, 4), ["urdf.continuous-limit"]),
        ("revolute", "lower='-1e16' upper='1e16' effort='1e16' velocity='4'", (-INF, INF, INF, 4), []),
        (
            "revolute",
            "lower='-inf' upper='inf' effort='inf' velocity='4'",
            (-INF, INF, INF, 4),
            ["urdf.infinite-limit"],
        ),
    ],
)
def test_limits(kind: str, limit: str, expected: tuple[float, ...], reported: list[str]) -> None:
    scene = arm(f"<limit {limit}/>", kind)
    axis = joint(scene).axes[0]
    assert (axis.lower, axis.upper, axis.effort, axis.velocity) == expected
    assert codes(scene) == reported


def test_a_revolute_joint_without_a_limit_is_unlimited_and_noticed() -> None:
    scene = arm("")
    assert joint(scene).axes[0].upper == math.inf
    assert codes(scene) == ["urdf.missing-limit"]


def test_damping_friction_and_what_is_for_controllers() -> None:
    scene = arm(
        "<dynamics damping='0.5' friction='0.25'/><safety_controller k_velocity='1'/><calibration rising='0'/>",
        "continuous",
    )
    axis = joint(scene).axes[0]
    assert (axis.damping, axis.friction) == (0.5, 0.25)
    assert codes(scene) == ["urdf.controller-setting"] * 2


@pytest.mark.parametrize("body", ["<dynamics damping='-1'/>", "<limit effort='-1' velocity='1'/>"])
def test_negative_damping_and_effort_are_errors(body: str) -> None:
    with pytest.raises(loaders.LoadError, match="out-of-range"):
        arm(body, "continuous")


def test_the_axes_of_a_planar_joint_end_with_its_normal() -> None:
    scene = arm("<axis xyz='0 1 0'/><dynamics damping='1 2 3'/>", "planar")
    R = np.column_stack([axis.xyz for axis in joint(scene).axes])
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_array_equal(R[:, 2], (0, 1, 0))
    assert [axis.damping for axis in joint(scene).axes] == [1, 2, 3]


def test_mimic_couples_two_joints() -> None:
    chain = "".join(f"<link name='{name}'/>" for name in "abc")
    drawn = "<joint name='{}' type='continuous'><parent link='{}'/><child link='{}'/>{}</joint>"
    mimic = "<mimic joint='p' multiplier='-2' offset='0.5'/>"
    scene = robot(chain + drawn.format("q", "a", "b", mimic) + drawn.format("p", "b", "c", ""))
    (coupling,) = scene.couplings
    assert (coupling.follower, coupling.leader, coupling.multiplier, coupling.offset) == ("q", "p", -2.0, 0.5)


# --- Drake as a witness ----------------------------------------------------------------------------------------------

EVERY_JOINT = """<robot name="r">
<link name="base">{i}</link><link name="l1">{i}</link><link name="l2">{i}</link><link name="l3">{i}</link>
<link name="l4">{i}</link>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><origin xyz="1 2 3" rpy="0.3 -0.4 0.5"/>
<axis xyz="1 2 3"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="j2" type="prismatic"><parent link="l1"/><child link="l2"/><origin xyz="0 1 0" rpy="1 0 0"/>
<axis xyz="0 0 -1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="j3" type="planar"><parent link="l2"/><child link="l3"/><origin xyz="0 0 1" rpy="0 1 0"/>
<axis xyz="1 1 0"/></joint>
<joint name="j4" type="continuous"><parent link="l3"/><child link="l4"/><axis xyz="0 1 0"/></joint></robot>"""


def test_every_type_of_joint_moves_as_in_drake(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / "r.urdf"
    moments = "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='-0.1'/>"
    inertial = f"<inertial><origin xyz='0.1 0.2 0.3' rpy='1 2 3'/><mass value='2'/>{moments}</inertial>"
    path.write_text(EVERY_JOINT.format(i=inertial))
    scene = loaders.load(path)
    mechanism = bridge.lower(scene)
    drake = open_in_drake(path, scene)
    for seed in range(5):
        q = drake.random_positions(seed, scene)
        ours, theirs = mechanism.link_poses(q), drake.link_poses(q)
        assert max(pose_error(ours[name], theirs[name]) for name in theirs) < 1e-12
        M = drake.mass_matrix(q, mechanism.v_order)
        np.testing.assert_allclose(mechanism.mass_matrix(q), M, atol=1e-12 * np.abs(M).max())


# --- one tree --------------------------------------------------------------------------------------------------------

LINKS = "<link name='a'/>\n<link name='b'/>\n<link name='c'/>\n"


def test_all_problems_are_reported_at_once_with_their_lines() -> None:
    body = (
        LINKS
        + "<link name='a'/>\n"  # line 4
        + fixed("j", "a", "b")
        + fixed("j", "a", "c")  # 6
        + fixed("k", "c", "b")  # 7
        + fixed("m", "a", "x")  # 8
        + fixed("n", "c", "c")  # 9
        + "<joint name='o' type='hinge'><parent link='a'/><child link='c'/></joint>\n"  # 10
        + "<joint name='p' type='continuous'><parent link='a'/></joint>\n"  # 11
    )
    assert errors(body) == {
        "urdf.duplicate-name": [4, 6],
        "urdf.two-parents": [7],
        "urdf.unknown-link": [8],
        "urdf.loop": [9],
        "urdf.joint-type": [10],
        "xml.missing": [11],
    }


@pytest.mark.parametrize(
    ("joints", "code"),
    [
        (fixed("j", "a", "b") + fixed("k", "b", "c") + fixed("m", "c", "a"), "urdf.loop"),
        (fixed("j", "a", "b") + fixed("k", "b", "a"), "urdf.loop"),
        (fixed("j", "a", "a"), "urdf.loop"),
        (fixed("j", "a", "c") + fixed("k", "b", "c"), "urdf.two-parents"),
        (fixed("j", "world", "a") + fixed("k", "a", "world"), "urdf.loop"),
        (fixed("j", "a", "b") + fixed("k", "a", "world") + fixed("m", "b", "world"), "urdf.loop"),
    ],
)
def test_what_is_no_tree_is_an_error(joints: str, code: str) -> None:
    assert set(errors(LINKS + joints)) == {code}


def test_an_unknown_link_gets_a_suggestion() -> None:
    with pytest.raises(loaders.LoadError, match="did you mean gripper"):
        robot("<link name='gripper'/>" + fixed("j", "griper", "gripper"))


def test_several_roots_each_move_on_their_own_and_are_noticed() -> None:
    scene = robot(LINKS + fixed("j", "a", "b"))
    assert codes(scene) == ["urdf.several-roots"]
    assert [body.parent for body in bridge.lower(scene).bodies].count(-1) == 2


def test_a_joint_to_the_world_may_stand_the_other_way_round() -> None:
    scene = robot("<link name='a'/>" + fixed("j", "a", "world", "<origin xyz='1 2 3'/>"))
    np.testing.assert_allclose(scene.links[0].X_WL.p, (-1, -2, -3))


def test_a_chain_of_ten_thousand_links_is_read() -> None:
    links = "".join(f"<link name='l{i}'/>" for i in range(10_001))
    joints = "".join(
        f"<joint name='j{i}' type='fixed'><parent link='l{i}'/><child link='l{i + 1}'/><origin xyz='1 0 0'/></joint>"
        for i in range(10_000)
    )
    assert robot(joints + links).links[-1].X_WL.p[0] == pytest.approx(10_000)


@pytest.mark.parametrize("number", ["nan", "inf", "abc", "1 2", "1,5 2 3", "$(arg x)", ""])
def test_numbers_that_are_none_are_errors_with_a_line(number: str) -> None:
    found = errors(f"\n<link name='a'><visual><geometry><box size='{number}'/></geometry></visual></link>")
    assert {line for lines in found.values() for line in lines} == {2}


def test_what_nobody_reads_is_reported() -> None:
    scene = arm("<lmit lower='1'/>", "continuous")
    (entry,) = scene.diagnostics
    assert entry.code == "xml.unread"
    assert "limit" in entry.hint


def test_a_robot_without_a_name_takes_that_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "arm.v2.urdf").write_text("<robot><link name='a'/></robot>")
    scene = loaders.load(tmp_path / "arm.v2.urdf")
    assert scene.name == "arm"
    assert codes(scene) == ["urdf.missing-name"]


def test_a_robot_without_links_is_noticed() -> None:
    assert codes(robot("")) == ["urdf.no-links"]


def test_links_and_joints_that_drake_ignores_are_left_out() -> None:
    scene = robot(
        "<link name='a'/><link name='b' drake_ignore='true'/>"
        + fixed("j", "a", "b").replace("<joint", "<joint drake_ignore='true'")
    )
    assert [link.name for link in scene.links] == ["a"]
    assert scene.joints == ()


BALL = "<geometry><sphere radius='1'/></geometry>"
TWO = "<link name='a'/><link name='b'/>"
PROVOKED = [
    (
        "urdf.second-shape",
        "<link name='a'><visual><geometry><sphere radius='1'/><box size='1 1 1'/></geometry></visual></link>",
    ),
    ("urdf.zero-normal", "<link name='a'><collision><geometry><plane normal='0 0 0'/></geometry></collision></link>"),
    (
        "urdf.zero-scale",
        "<link name='a'><visual><geometry><mesh filename='x.stl' scale='1 0 1'/></geometry></visual></link>",
    ),
    (
        "urdf.colour-range",
        f"<link name='a'><visual>{BALL}<material name='m'><color rgba='2 0 0 1'/></material></visual></link>",
    ),
    ("urdf.no-texture", f"<link name='a'><visual>{BALL}<material name='m'>{RED}<texture/></material></visual></link>"),
    (
        "urdf.repeated-material",
        f"<link name='a'/><material name='m'>{RED}</material><material name='m'>{RED}</material>",
    ),
    ("urdf.canonical-body", "<link name='a'/><gazebo><canonicalBody>a</canonicalBody></gazebo>"),
    (
        "urdf.inertia-scaling",
        f"<link name='a'><contact><inertia_scaling value='3'/></contact><collision>{BALL}</collision></link>",
    ),
    ("urdf.joint-type-extension", TWO + fixed("j", "a", "b").replace("fixed", "spherical")),
    ("urdf.limit-ignored", TWO + fixed("j", "a", "b", "<limit effort='1' velocity='1'/>").replace("fixed", "planar")),
    ("urdf.planar-friction", TWO + fixed("j", "a", "b", "<dynamics friction='1'/>").replace("fixed", "planar")),
    ("urdf.planar-damping", TWO + fixed("j", "a", "b", "<dynamics damping='1'/>").replace("fixed", "planar")),
    (
        "urdf.mimic-ignored",
        TWO + "<link name='c'/>" + fixed("j", "a", "b", "<mimic joint='k'/>") + fixed("k", "b", "c"),
    ),
    ("urdf.mimic", TWO + fixed("j", "a", "b", "<mimic joint='j'/>").replace("fixed", "continuous")),
    (
        "urdf.transmission-extra",
        TWO + fixed("j", "a", "b").replace("fixed", "continuous") + "<transmission type='SimpleTransmission'>"
        "<joint name='j'/><actuator name='m'/><actuator name='n'/></transmission>",
    ),
]


@pytest.mark.parametrize(("code", "body"), PROVOKED, ids=[code for code, _ in PROVOKED])
def test_what_is_odd_is_reported(code: str, body: str) -> None:
    try:
        found = robot(body).diagnostics
    except loaders.LoadError as error:
        found = error.diagnostics
    assert code in [entry.code for entry in found]
    assert all(entry.where.line for entry in found)
