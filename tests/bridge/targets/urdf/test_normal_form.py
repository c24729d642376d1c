"""The normal form of a scene: one tree, unique names, link frames, and fields that URDF has."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.diff import differences
from bridge.diff.mechanics import mechanical_error
from bridge.targets.options import UrdfExportOptions
from bridge.targets.report import Report
from bridge.targets.urdf.normal_form import normal_form
from bridge.targets.urdf.tree import free_item_name, plain_name, rooted, with_static_links_welded
from loaders import model as m
from loaders.diagnostics import Diagnostic, ExportError
from loaders.pose import IDENTITY, Pose
from tests.code_examples import scenes as s
from tests.support.every_field import one_tree
from tests.support.scenes import joint, link, scene
from tests.support.urdf_writer import read, with_poses

# The normal form of a scene is what its document says.

SCENE = one_tree()


@pytest.mark.parametrize(
    "extensions", [("drake", "gazebo", "pybullet"), ("drake",), ("drake", "pybullet")]
)
def test_the_document_says_the_normal_form(extensions: tuple[str, ...]) -> None:
    form = normal_form(SCENE, UrdfExportOptions(extensions=extensions), Report("urdf"))  # type: ignore[arg-type]
    found = differences(form.scene, read(SCENE, extensions=extensions))
    assert [
        entry for entry in found if not entry.field.endswith("geometry.path")
    ] == []  # the meshes are not written


# Joints lead away from one root; loops are cut, static models welded, several roots refused.

T = m.JointType


def test_several_roots_are_named() -> None:
    with pytest.raises(ExportError, match="roots: a, b") as caught:
        bridge.to_urdf(scene([link("a"), link("b")]))
    assert caught.value.diagnostics[0].code == "urdfout.several-roots"


def test_a_joint_towards_the_root_is_turned_around_and_keeps_its_position() -> None:
    given = scene([link("a"), link("b")], [joint("w", m.WORLD, "a", T.FIXED), joint("j", "b", "a")])
    (turned,) = [
        j
        for j in rooted(given, Report("urdf"), ball_constraints=True).scene.joints
        if j.name == "j"
    ]
    assert (turned.parent, turned.child, turned.axes[0].xyz.tolist()) == (
        "a",
        "b",
        [0.0, 0.0, -1.0],
    )


@pytest.mark.parametrize(("kind", "constraints"), [(T.BALL, 1), (T.REVOLUTE, 0)])
def test_a_loop_is_cut(kind: T, constraints: int) -> None:
    joints = [joint("ab", "a", "b"), joint("ac", "a", "c"), joint("bc", "b", "c", kind)]
    report = Report("urdf")
    found = rooted(
        scene([link(name) for name in "abc"], joints), report, ball_constraints=True
    ).scene
    assert [j.name for j in found.joints] == ["ab", "ac"]
    assert len(found.constraints) == constraints
    assert [entry.code for entry in report.entries] == ["urdfout.loop"]


def test_a_static_model_is_welded_where_it_stands() -> None:
    models = (m.Model(name="m", X_WM=IDENTITY, canonical_link="a", static=True),)
    given = scene(
        [link("a", X_WL=Pose.of(p=(1, 2, 3))), link("b")], [joint("ab", "a", "b")], models=models
    )
    found = with_static_links_welded(given, Report("urdf"))
    assert [(j.name, j.type) for j in found.joints] == [("ab", T.FIXED), ("a_weld", T.FIXED)]
    assert read(given).links[0].X_WL.p.tolist() == [1.0, 2.0, 3.0]


def test_a_free_root_keeps_its_pose_in_our_reader() -> None:
    given = scene([link("a", X_WL=Pose.of(p=(1, 2, 3)))])
    assert read(given).links[0].X_WL.p.tolist() == [1.0, 2.0, 3.0]
    assert [entry.code for entry in bridge.to_urdf(given).diagnostics] == ["urdfout.root-pose"]


def test_a_scene_without_models_and_without_a_name_is_a_robot_that_reads_back() -> None:
    again = loaders.load_string(
        str(bridge.to_urdf(loaders.Scene(name=""))), format="urdf", quiet=True
    )
    assert again.name == "model"
    assert "urdf.missing-name" not in {entry.code for entry in again.diagnostics}


# The old frame of a link that moved, and the frames of the source, are links without mass at the
# same place.

BESIDE = Pose.of(p=(0.1, 0.2, 0.3))
MOVED = with_poses(scene([link("a"), link("b")], [joint("j", "a", "b", X_CJ=BESIDE)]))
FRAMED = dataclasses.replace(MOVED, frames=(m.Frame(name="f", link="b", X_LF=BESIDE),))


def test_the_old_frame_moves_with_its_link() -> None:
    found = read(MOVED)
    for q in np.linspace(-1.0, 1.0, 5):
        old = bridge.lower(MOVED).link_poses({"j": (float(q),)})["b"]
        assert bridge.lower(found).link_poses({"j": (float(q),)})["b_origin"].is_close(old, 1e-9)
    assert "b_origin" not in {item.name for item in read(MOVED, frame_links="none").links}


def test_a_frame_of_the_source_becomes_a_link_where_it_is_asked_for() -> None:
    assert "f" in {frame.name for frame in read(FRAMED).frames}
    found = read(FRAMED, frame_links="all", extensions=())
    assert found.frames == ()
    place = bridge.lower(FRAMED).link_poses()["b"] @ BESIDE
    assert bridge.lower(found).link_poses()["f"].is_close(place, 1e-9)


def test_the_mass_stays() -> None:
    error = mechanical_error(MOVED, read(MOVED))
    assert max(error.mass, error.mass_matrix) < 1e-12


def test_a_second_writing_adds_no_link() -> None:
    assert str(bridge.to_urdf(read(MOVED))) == str(bridge.to_urdf(MOVED))


# A massless link stands for the world at the end of a spring.


def test_a_spring_to_the_world() -> None:
    spring = m.SpringDamper(
        link_A=m.WORLD,
        link_B="a",
        p_AP=IDENTITY.p,
        p_BQ=IDENTITY.p,
        free_length=1.0,
        stiffness=1.0,
        damping=0.0,
    )
    found = read(dataclasses.replace(s.hinge(), forces=(spring,)))
    assert found.forces[0].link_A == "world_anchor"  # type: ignore[union-attr]
    assert [(j.parent, j.child) for j in found.joints if j.child == "world_anchor"] == [
        ("world", "world_anchor")
    ]


# Names lose their scopes and stay unique; a joint has another name than a link only where Gazebo
# confuses them.


def test_plain_names() -> None:
    assert plain_name(" a::b\tc\x01 ", "link") == "a_b_c_"
    assert plain_name("", "link") == "link"
    assert free_item_name(scene([link("a")]), "a") == "a_2"


def test_scoped_names_that_become_equal() -> None:
    models = (m.Model(name="m", X_WM=IDENTITY, canonical_link="x_y"),)
    urdf = bridge.to_urdf(
        scene([link("x_y"), link("x::y")], [joint("j", "x_y", "x::y")], models=models)
    )
    assert urdf.names == {"x::y": "x_y_2"}


def test_a_joint_with_the_name_of_a_link() -> None:
    links = [link("a"), link("b")]
    assert bridge.to_urdf(scene(links, [joint("a", "a", "b")])).names == {}
    sprung = joint("a", "a", "b", axis={"spring_stiffness": 1.0})
    assert bridge.to_urdf(scene(links, [sprung])).names == {"joint a": "a_joint"}


# Fields of extensions that are switched off are left out and reported.


@pytest.mark.parametrize(
    ("extensions", "lost"), [((), 1), (("gazebo",), 0), (("drake", "pybullet"), 1)]
)
def test_a_flag_of_gazebo(extensions: tuple[str, ...], lost: int) -> None:
    urdf = bridge.to_urdf(s.one(gravity=False), extensions=extensions)  # type: ignore[arg-type]
    assert [entry.code for entry in urdf.diagnostics] == ["urdfout.field"] * lost
    assert ("<gazebo" in urdf) is not bool(lost)


def test_a_document_without_extensions_has_none() -> None:
    given = s.driven(
        {"acceleration": 2.0, "spring_stiffness": 1.0}, rotor_inertia=1.0, p_gain=1.0, d_gain=1.0
    )
    urdf = bridge.to_urdf(given, extensions=())
    assert "drake" not in urdf
    assert "gazebo" not in urdf
    assert len(urdf.diagnostics) == 5


@pytest.mark.parametrize("field", ["damping", "friction"])
def test_negative_dynamics_which_readers_refuse_are_left_out(field: str, tmp_path: Path) -> None:
    result = bridge.export_urdf(s.driven({field: -0.5}), tmp_path / "out")
    (entry,) = [entry for entry in result.diagnostics if entry.severity == "warning"]
    assert (entry.code, entry.arguments["field"]) == ("urdfout.field", f"negative {field}")
    (joint,) = loaders.load(result.path).joints
    assert getattr(joint.axes[0], field) == 0.0


MASKED = """<mujoco><worldbody><body name="a"><geom name="plain" type="sphere" size=".1"/></body>
<body name="b" pos="1 0 0"><freejoint/><geom name="masked" type="sphere" size=".1" {masks}/></body></worldbody>
</mujoco>"""


@pytest.mark.parametrize(
    ("masks", "owners"), [("", []), ('contype="2"', ["masked"]), ('conaffinity="3"', ["masked"])]
)
def test_bitmasks_are_lost_where_they_are_not_those_of_every_geom(
    masks: str, owners: list[str]
) -> None:
    lost = _lost_bitmasks(MASKED.format(masks=masks))
    assert list(dict.fromkeys(owner for entry in lost for owner in entry.subjects)) == owners
    assert all(entry.where.line == 2 for entry in lost)


def test_bitmasks_are_lost_where_no_filter_groups_are_written() -> None:
    leg = "<body name='b{0}'><joint name='j{0}'/><geom name='g{0}' size='.1'/></body>"
    legs = "".join(map(leg.format, range(400)))
    text = (
        f"<mujoco><worldbody><body name='a'><geom name='g' "
        f"size='.1'/>{legs}</body></worldbody></mujoco>"
    )
    assert len(_lost_bitmasks(text)) == 2 * 401
    assert _lost_bitmasks(MASKED.format(masks="")) == []
    assert len(_lost_bitmasks(MASKED.format(masks=""), extensions=())) == 2 * 2


def _lost_bitmasks(mjcf: str, **options: Any) -> list[Diagnostic]:
    urdf = bridge.to_urdf(loaders.load_string(mjcf, format="mjcf", quiet=True), **options)
    return [entry for entry in urdf.diagnostics if "bitmask" in str(entry.arguments.get("field"))]
