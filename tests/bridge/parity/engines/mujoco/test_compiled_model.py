"""What a compiled model of MuJoCo states about joints, forces, contacts and names."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import compare
from bridge.parity.engines.mujoco.compiled_model import (
    MismatchError,
    View,
    actuator_numbers,
    actuator_rows,
    at_zero,
    dofs_of,
    exported_indices,
    numbered,
    numbers,
    original_indices,
    original_names,
)
from bridge.parity.engines.mujoco.engine import MujocoEngine
from loaders import Pose
from loaders.pose import Array

# What a compiled model states about joints and contacts.

TEXT = (
    "<mujoco><worldbody><light name='l'/><camera name='c'/>"
    "<body name='a' gravcomp='0.5'><joint name='j' {joint}/><geom size='1' condim='6' "
    "margin='0.2'/></body>"
    "<body name='b' pos='5 0 0'><freejoint/><geom name='g' size='1'/><geom name='h' "
    "size='1'/></body></worldbody>"
    "<contact><pair geom1='g' geom2='h' gap='0.1' condim='1'/></contact></mujoco>"
)


def stated(joint: str = "") -> dict[str, Array]:
    scene = loaders.load_string(TEXT.format(joint=joint), format="mjcf", quiet=True)
    return {
        label: found
        for (label, _), found in MujocoEngine(bridge.lower(scene)).compiled_statements().items()
    }


def test_shapes_and_pairs_are_named_by_their_links() -> None:
    found = stated()
    assert {
        "contact of a",
        "contact of b",
        "contact of b (2)",
        "contact of b with b",
    } <= found.keys()
    assert found["contact of a"][0] == 6.0
    assert found["contact of b with b"][0] == 1.0


def test_settings_of_stops_and_friction_count_only_where_they_act() -> None:
    plain = stated()["settings of j"]
    np.testing.assert_array_equal(
        stated("solreflimit='0.1 1' solreffriction='0.1 1'")["settings of j"], plain
    )
    assert stated("frictionloss='1'")["settings of j"].size > plain.size
    assert stated("range='-10 10'")["settings of j"].size > plain.size


def test_links_cameras_and_lights_are_stated() -> None:
    found = stated()
    assert found["gravity compensation of a"].tolist() == [0.5]
    assert {"camera c of world", "light l of world"} <= found.keys()


def test_joints_are_stated_where_the_document_draws_them() -> None:
    """MuJoCo's initial position is not that of the first key, with which an export starts."""
    text = (
        "<mujoco><worldbody><body name='a' pos='1 2 3' quat='0 1 0 0'><freejoint name='f'/><geom "
        "size='1'/>"
        "<body><joint name='h' ref='90'/><geom size='1'/></body></body></worldbody>"
        "<keyframe><key qpos='9 9 9 1 0 0 0 0'/></keyframe></mujoco>"
    )
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    found = {
        label: numbers
        for (label, _), numbers in MujocoEngine(bridge.lower(scene)).compiled_statements().items()
    }
    places = [x for x in found["settings of a"].tolist() if x in {1.0, 2.0, 3.0, -1.0, 9.0}]
    assert places == [1.0, 2.0, 3.0, 1.0, -1.0, -1.0]
    assert (
        np.pi / 2 in found["settings of h"].round(15)
        or np.isclose(found["settings of h"], np.pi / 2).any()
    )


def test_a_free_link_that_is_drawn_elsewhere_is_found(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(
        "<mujoco><worldbody><body name='a' pos='1 2 3'><freejoint/><geom "
        "size='1'/></body></worldbody>"
        "<keyframe><key name='home' qpos='9 9 9 1 0 0 0'/></keyframe></mujoco>"
    )
    scene = loaders.load(path, quiet=True)
    moved = dataclasses.replace(
        scene.links[0], X_WL=scene.links[0].X_WL @ Pose.of(p=(1e-6, 0.0, 0.0))
    )
    for links, is_found in ((scene.links, False), ((moved,), True)):
        changed = dataclasses.replace(scene, links=links)
        found = compare(
            changed, engines=("mujoco", "mujoco-native"), levels=("L0",), configurations=1
        )
        assert ("settings of a" in {row.where for row in found.failures}) is is_found


def test_the_inertia_of_a_link_that_cannot_move_is_stated() -> None:
    text = (
        "<mujoco><worldbody><body name='a'><geom size='1' mass='3' pos='0 0 "
        "1'/></body></worldbody></mujoco>"
    )
    engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
    found = engine.compiled_statements()["inertia of a", ("a",)]
    assert found.tolist() == [3.0, 0.0, 0.0, 1.0, *(x * 1.2 for x in np.eye(3).ravel())]


def test_masks_of_single_shapes_and_shapes_of_pairs_are_found(tmp_path: Path) -> None:
    """Other shapes of the same links touch all the same, so that no pair of links shows the
    fault.
    """
    path = tmp_path / "robot.xml"
    body = (
        "<body name='{0}' pos='{1} 0 0'><freejoint/><geom name='{0}1' size='1'/><geom "
        "name='{0}2' size='2'/></body>"
    )
    path.write_text(
        f"<mujoco><worldbody>{body.format('a', 0)}{body.format('b', 9)}</worldbody>"
        "<contact><pair geom1='a1' geom2='b2'/></contact></mujoco>"
    )
    scene = loaders.load(path, quiet=True)
    link = scene.links[0]
    surface = dataclasses.replace(link.collisions[0].surface, collide_bitmask=2, category_bitmask=2)
    masked = dataclasses.replace(
        link,
        collisions=(dataclasses.replace(link.collisions[0], surface=surface), *link.collisions[1:]),
    )
    pair = dataclasses.replace(scene.contact_pairs[0], collision_A="a2")
    for changed, where in (
        (scene, set()),
        (
            dataclasses.replace(scene, links=(masked, *scene.links[1:])),
            {"contact of a", "contact of b", "contact of b (2)"},
        ),
        (dataclasses.replace(scene, contact_pairs=(pair,)), {"contact of a with b"}),
    ):
        found = compare(
            changed, engines=("mujoco", "mujoco-native"), levels=("L0", "L1"), configurations=1
        )
        failed = {row.where for row in found.failures}
        assert (not failed and not where) or failed & where


# What a compiled model states about tendons, equalities, actuators and sensors.

FORCES_TEXT = (
    "<mujoco><worldbody><site name='w'/>"
    "<body name='a'><joint name='j'/><geom size='1'/><site name='s'/>"
    "<body name='b'><joint name='k'/><geom name='g' size='0.1' pos='1 0 0'/><site "
    "name='r'/></body></body></worldbody>"
    "<tendon><fixed name='f'><joint joint='j' coef='2'/><joint joint='k' coef='3'/></fixed>"
    "<spatial name='p'><site site='w'/><site site='s'/><pulley divisor='2'/><site site='w'/><geom "
    "geom='g'/>"
    "<site site='s'/></spatial></tendon>"
    "<equality><joint joint1='j' joint2='k' polycoef='0 1 2 0 0'/><tendon tendon1='f'/>"
    "<connect body1='b' anchor='0 0 0'/><connect body1='b' anchor='0 0 1'/></equality>"
    "<actuator><motor name='m' tendon='f'/><motor name='n' site='s' refsite='r'/></actuator>"
    "<sensor><framepos objtype='site' objname='s' reftype='body' "
    "refname='b'/><clock/><clock/></sensor></mujoco>"
)


def forces_stated() -> dict[str, Array]:
    scene = loaders.load_string(FORCES_TEXT, format="mjcf", quiet=True)
    return {
        label: found
        for (label, _), found in MujocoEngine(bridge.lower(scene)).compiled_statements().items()
    }


def test_tendons_are_named_with_their_paths() -> None:
    found = forces_stated()
    assert found["tendon f by j, k"][-2:].tolist() == [2.0, 3.0]
    assert "tendon p by world, a, pulley, world, sphere of b, a" in found


def test_equalities_are_named_by_what_they_hold() -> None:
    found = forces_stated()
    labels = {"equality joint of j, k", "equality tendon of f", "equality connect of b, world"}
    assert labels | {"equality connect of b, world (2)"} <= found.keys()
    assert found["equality joint of j, k"][-5:].tolist() == [0.0, 1.0, 2.0, 0.0, 0.0]


def test_actuators_are_named_with_what_they_drive() -> None:
    assert {
        "actuator m on tendon f",
        "actuator n on site of a, site of b",
    } <= forces_stated().keys()


def test_sensors_are_named_by_what_they_measure() -> None:
    assert {
        "sensor framepos site of a body b",
        "sensor clock",
        "sensor clock (2)",
    } <= forces_stated().keys()


def test_a_range_of_controls_that_is_switched_off_does_not_count() -> None:
    ranges = []
    for attributes in ("", "ctrlrange='-1 2' ctrllimited='false'", "ctrlrange='-1 2'"):
        text = FORCES_TEXT.replace("<motor name='m'", f"<motor name='m' {attributes}")
        engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
        ranges.append(engine.compiled_statements()["actuator m on tendon f", ("m",)].tolist())
    assert ranges[0] == ranges[1]
    assert ranges[2][-3:] == [-1.0, 2.0, 1.0]


def test_the_rest_length_of_a_spring_without_a_linear_part_counts() -> None:
    """The force of such a spring is a polynomial of its stretch beyond the rest length."""
    if not hasattr(mujoco.MjModel.from_xml_string("<mujoco/>"), "tendon_stiffnesspoly"):
        pytest.skip(f"MuJoCo {mujoco.__version__} has no polynomials of springs")
    found = []
    for length in (0.25, 0.75):
        text = FORCES_TEXT.replace(
            "<spatial name='p'", f"<spatial name='p' springlength='{length}' stiffness='0 5'"
        )
        engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
        label = "tendon p by world, a, pulley, world, sphere of b, a"
        found.append(engine.compiled_statements()[label, ("p",)].tolist())
    assert (0.25 in found[0], 0.75 in found[1]) == (True, True)


def test_the_side_on_which_a_tendon_wraps_is_named_by_its_link() -> None:
    text = FORCES_TEXT.replace("<geom geom='g'/>", "<geom geom='g' sidesite='r'/>")
    engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
    labels = {label for label, _ in engine.compiled_statements()}
    assert "tendon p by world, a, pulley, world, sphere of b beside b, a" in labels


HELD = (
    "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body>"
    "<body name='b' pos='5 0 0'><freejoint/><geom size='1'/></body></worldbody><equality>"
    "<connect name='c' body1='a' body2='b' anchor='{x} 2 3' active='false'/>"
    "<weld name='w' body1='a' body2='b' anchor='{x} 0 1' relpose='1 {x} 3 0 1 0 0' "
    "active='false'/></equality></mujoco>"
)


def test_what_constraints_that_are_switched_off_hold_is_stated(tmp_path: Path) -> None:
    """No motion shows them. A weld pulls its anchor in body 2 to the position of ``relpose`` in
    body 1.
    """
    path = tmp_path / "robot.xml"
    path.write_text(HELD.format(x=0.5))
    scene = loaders.load(path, quiet=True)
    engine = MujocoEngine(bridge.lower(scene))
    found = {label: numbers for (label, _), numbers in engine.compiled_statements().items()}
    assert found["equality connect of a, b"][-6:].tolist() == pytest.approx([0.5, 2, 3, -4.5, 2, 3])
    turned = [1, 0, 0, 0, -1, 0, 0, 0, -1]
    assert found["equality weld of a, b"][-15:].tolist() == pytest.approx(
        [0.5, 0, 1, 1 - 0.5, 0.5, 3 + 1, *turned]
    )
    ball, weld = scene.constraints
    loose = dataclasses.replace(ball, p_BQ=ball.p_BQ + 1e-6)
    turned_weld = dataclasses.replace(weld, X_AP=weld.X_AP @ loaders.Pose.of(p=(0, 1e-6, 0)))
    for constraints, where in (
        ((ball, weld), set()),
        ((loose, weld), {"equality connect of a, b"}),
        ((ball, turned_weld), {"equality weld of a, b"}),
    ):
        changed = dataclasses.replace(scene, constraints=constraints)
        comparison = compare(
            changed, engines=("mujoco", "mujoco-native"), levels=("L0",), configurations=1
        )
        assert {row.where for row in comparison.failures} == where


# Names of what elements of a compiled model refer to.

MODEL = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1' name='g' pos='1 2 3'/>"
    "<body name='b'><geom size='1'/><site name='s' pos='0 0 2'/></body></body></worldbody>"
    "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon></mujoco>"
)
KINDS: Mapping[str, Mapping[int, str]] = {
    "mjtObj": {
        int(m.value): name.removeprefix("mjOBJ_").lower()
        for name, m in mujoco.mjtObj.__members__.items()
    }
}


def view() -> View:
    return View(
        mujoco=mujoco,
        model=MODEL,
        kinds=KINDS,
        links={1: "link"},
        joints={0: "hinge"},
        solid=(True, True),
        drawn=(True, True),
        name_of=lambda kind, index: f"{kind} {index}!",
        options={},
    )


def number(kind: str) -> int:
    return int(getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"))


def test_a_body_without_a_link_belongs_to_the_next_one_towards_the_world() -> None:
    assert [view().link(body) for body in (0, 1, 2)] == ["world", "link", "link"]


def test_an_element_is_named_by_its_link_and_placed_by_its_pose() -> None:
    label, pose = view().item(number("site"), 0)
    assert (label, pose[:3].tolist()) == ("site of link", [0.0, 0.0, 2.0])
    assert view().item(number("joint"), 0)[0] == "joint hinge"
    assert view().item(number("tendon"), 0)[0] == "tendon tendon 0!"
    assert view().item(number("body"), 1)[0] == "body link"
    assert view().item(number("unknown"), -1)[0] == ""


def test_numbers_of_arrays_that_a_version_lacks_are_left_out() -> None:
    np.testing.assert_array_equal(
        numbers(MODEL, 0, "jnt_margin", "jnt_nothing", "jnt_axis"), [0.0, 0.0, 0.0, 1.0]
    )
    assert numbers(MODEL, 0, "jnt_nothing").size == 0


def test_labels_that_were_there_before_have_numbers() -> None:
    assert numbered(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]


def test_an_actuator_has_rows_for_its_controls_and_its_outputs() -> None:
    class Model:
        """The second actuator has two controls and three outputs."""

        actuator_ctrladr, actuator_ctrlnum = np.array([0, 1]), np.array([1, 2])
        actuator_outadr, actuator_outnum = np.array([0, 1]), np.array([1, 3])
        actuator_ctrlrange = np.array([[0, 1], [2, 3], [4, 5]])
        actuator_gear, actuator_dyntype = np.arange(4.0), np.array([7, 8])

    rows = [list(actuator_rows(Model(), 1, field)) for field in ("ctrlrange", "gear", "dyntype")]
    assert rows == [[1, 2], [1, 2, 3], [1]]
    found = actuator_numbers(Model(), 1, "dyntype", "ctrlrange", "missing", "gear")
    assert found.tolist() == [8, 2, 3, 4, 5, 1, 2, 3]
    assert list(actuator_rows(object(), 1, "ctrlrange")) == [1], (
        "older versions have one control for each actuator"
    )


# Names of the elements of originals and exports, and what both state.

PLUGIN = (
    "<mujoco><extension><plugin plugin='mujoco.pid'/></extension>"
    "<worldbody><body name='a'><joint name='j' range='30 90'/><geom size='1'/><site "
    "name='p'/></body></worldbody>"
    "<actuator><plugin name='p' joint='j' plugin='mujoco.pid'/><motor name='m' "
    "joint='j'/></actuator>"
    "<keyframe><key name='k' qpos='1'/></keyframe></mujoco>"
)


def test_what_the_reader_drops_has_no_name_but_for_elements_of_other_kinds() -> None:
    mechanism = bridge.lower(loaders.load_string(PLUGIN, format="mjcf", quiet=True))
    name_of = original_names(mechanism, {"actuator": ("p", "m"), "site": ("p",)})
    assert [name_of("actuator", i) for i in (0, 1)] == [None, "m"]
    assert name_of("site", 0) == "p"


def test_a_plugin_of_a_body_takes_no_name_from_an_actuator() -> None:
    text = (
        "<mujoco><extension><plugin "
        "plugin='mujoco.elasticity.cable'/></extension><worldbody><body name='p'>"
        "<joint name='j'/><geom type='capsule' size='1 1'/><plugin "
        "plugin='mujoco.elasticity.cable'/></body>"
        "</worldbody><actuator><motor name='p' joint='j'/></actuator></mujoco>"
    )
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf", quiet=True))
    assert [e.subjects for e in mechanism.scene.diagnostics if e.code == "mjcf-in.plugin"] == [
        ("p",)
    ]
    assert original_names(mechanism, {"actuator": ("p",)})("actuator", 0) == "p"


def test_an_export_has_further_keys_and_sites_that_do_not_count() -> None:
    engine = MujocoEngine(bridge.lower(loaders.load_string(PLUGIN, format="mjcf", quiet=True)))
    assert engine.model.nkey == 2
    labels = {label for label, _ in engine.compiled_statements()}
    assert {label for label in labels if label.startswith("keyframe")} == {
        "keyframe k",
        "keyframe k of m",
    }
    assert "frame p of a" in labels


def test_options_that_an_engine_changes_are_those_of_the_document() -> None:
    engine = MujocoEngine(bridge.lower(loaders.load_string(PLUGIN, format="mjcf", quiet=True)))
    assert engine.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    assert engine.compiled_statements()["option disableflags", ()].tolist() == [0.0]


# Joints of one MuJoCo body are found for the chain of links that a mechanism has for them.

MUJOCO_INDICES_TEXT = """<mujoco><worldbody><body name="arm"><joint name="slide" type="slide" axis="1 0 0"/>
  <joint name="hinge" axis="0 0 1" pos="-.5 0 0"/><joint name="ball" type="ball"/><geom size=".1" pos=".2 0 0"/></body>
  <body name="plate"><geom size=".1"/></body></worldbody></mujoco>"""
SCENE = loaders.load_string(MUJOCO_INDICES_TEXT, format="mjcf", quiet=True)
MUJOCO_INDICES_MODEL = mujoco.MjModel.from_xml_string(MUJOCO_INDICES_TEXT)
BODIES, JOINTS = ("world", "arm", "plate"), ("slide", "hinge", "ball")


def test_the_export_and_the_original_have_the_joints_at_the_same_places() -> None:
    mechanism = bridge.lower(SCENE)
    exported = exported_indices(mechanism, MujocoEngine(mechanism).model)
    assert exported == original_indices(mechanism, MUJOCO_INDICES_MODEL, BODIES, JOINTS)
    assert [(i.body, i.joints, i.beyond) for i in exported] == [
        (1, (0,), (1, 2)),
        (1, (1,), (2,)),
        (1, (2,), ()),
        (2, (), ()),
    ]


def test_a_joint_that_the_model_does_not_have_is_named() -> None:
    one = loaders.load_string(
        MUJOCO_INDICES_TEXT.replace('<joint name="hinge" axis="0 0 1" pos="-.5 0 0"/>', ""),
        format="mjcf",
        quiet=True,
    )
    with pytest.raises(MismatchError, match="hinge"):
        original_indices(bridge.lower(one), MUJOCO_INDICES_MODEL, BODIES, JOINTS)


def test_the_pose_of_a_virtual_link_is_that_of_the_body_with_the_joints_beyond_at_zero() -> None:
    assert at_zero(np.arange(1.0, 7.0), (1, 2), MUJOCO_INDICES_MODEL).tolist() == [
        1.0,
        0.0,
        1.0,
        0.0,
        0.0,
        0.0,
    ]
    assert dofs_of((1, 2), MUJOCO_INDICES_MODEL) == [1, 2, 3, 4]
    engine = MujocoEngine(bridge.lower(SCENE))
    engine.set_state({"slide": 0.5, "hinge": np.pi / 2, "ball": (0.0, 1.0, 0.0, 0.0)}, {})
    poses = engine.link_poses()
    R, p = poses["arm_slide"].R, poses["arm_slide"].p
    assert np.abs(R - np.eye(3)).max() < 1e-12
    assert np.abs(p - (0.5, 0.0, 0.0)).max() < 1e-12
    R, p = poses["arm_hinge"].R, poses["arm_hinge"].p
    assert np.abs(R[:, 0] - (0.0, 1.0, 0.0)).max() < 1e-12
    assert np.abs(p - (0.0, 0.5, 0.0)).max() < 1e-12
    engine.close()


def test_equalities_that_the_scene_holds_as_elements_are_known_whatever_their_order() -> None:
    """An equality with a cubic coefficient that is off stands before a coupling of the same joints,
    and behind it.
    """
    joints = '<body><joint name="{0}" type="slide"/><geom size=".1"/></body>'
    element = '<joint joint1="a" joint2="b" active="false"/>'
    coupling = '<joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/>'
    for equalities in (element + coupling, coupling + element):
        text = f"<mujoco><worldbody>{joints.format('a')}{joints.format('b')}</worldbody>"
        text += f"<equality>{equalities}</equality></mujoco>"
        engine = MujocoEngine(bridge.lower(loaders.load_string(text, format="mjcf", quiet=True)))
        assert [law.multiplier for law in engine.couplings().values()] == [2.0]
