"""A scene in several files: its parts, what directives cannot say, their text, and files that do
not read back.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Literal

import pytest
import yaml

import bridge
import loaders
from bridge.targets.assembly import (
    Assembly,
    PlacedPart,
    add_frame,
    add_group,
    add_instance,
    add_model,
    add_weld,
    models_of,
    namespaces,
    trees_of,
    values,
    word,
)
from bridge.targets.directives import folder_files
from bridge.targets.report import Report
from loaders import model as m
from loaders.diagnostics import ExportError
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, joint, link, scene

# Parts of a scene: every link, joint and group is in one part, or connects several.

LINKS = [link("m::a", model="m"), link("m::b", model="m"), link("n::a", model="n")]
MODELS = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in "mn")


def world(joints: list[m.Joint], **more: object) -> loaders.Scene:
    return scene(LINKS, joints, models=MODELS, **more)


def test_each_outermost_model_is_a_part_without_its_scope() -> None:
    parts = models_of(world([joint("m::j", "m::a", "m::b")]))
    assert [(part.name, [item.name for item in part.scene.links]) for part in parts] == [
        ("m", ["a", "b"]),
        ("n", ["a"]),
    ]
    assert [item.name for item in parts[0].scene.joints] == ["j"]
    assert parts[0].links == {"m::a": "a", "m::b": "b"}


def test_a_scene_of_one_model_is_one_part() -> None:
    (part,) = models_of(scene([link("a"), link("b")], [joint("j", "a", "b")]))
    assert part.links == {"a": "a", "b": "b"}


def test_a_joint_between_models_is_in_no_part() -> None:
    parts = models_of(world([joint("glue", "m::a", "n::a")]))
    assert all(not part.scene.joints for part in parts)


def test_trees_are_connected_and_named_after_their_model_or_root() -> None:
    glued = trees_of(world([joint("glue", "m::b", "n::a")]))
    assert [(part.name, sorted(part.links)) for part in glued] == [
        ("m", ["m::a"]),
        ("m_b", ["m::b", "n::a"]),
    ]


def test_what_the_world_holds_in_a_model_is_one_tree() -> None:
    held = [joint("m::x", m.WORLD, "m::a"), joint("m::y", m.WORLD, "m::b")]
    assert [sorted(part.links) for part in trees_of(world(held))] == [["m::a", "m::b"], ["n::a"]]


def test_groups_that_a_rule_relates_to_another_model_are_in_no_part() -> None:
    groups = tuple(m.FilterGroup(name=f"{name}::g", links=(f"{name}::a",)) for name in "mn")
    own = models_of(
        world([], filter_groups=groups, filter_rules=(m.FilterRule(a="m::g", b="m::g"),))
    )
    assert [part.groups for part in own] == [{"m::g"}, {"n::g"}]
    related = models_of(
        world([], filter_groups=groups, filter_rules=(m.FilterRule(a="m::g", b="n::g"),))
    )
    assert [part.groups for part in related] == [set(), set()]


def test_namespaces_are_the_scopes_that_are_no_parts() -> None:
    deep = scene(
        [link("x::y::m::a", model="x::y::m")],
        models=(m.Model(name="x::y::m", X_WM=IDENTITY, canonical_link=None),),
    )
    parts = models_of(deep)
    assert [part.name for part in parts] == ["x::y::m"]
    assert namespaces(parts) == ("x", "x::y")


def test_the_shapes_of_the_world_are_a_static_model() -> None:
    given = scene([link(m.WORLD, shape=UNIT_BOX), link("a")])
    *_, ground = models_of(given)
    assert ground.links == {m.WORLD: "ground"}
    assert ground.scene.models[0].static
    assert [part.name for part in trees_of(given)] == ["m", "ground"]


# What directives cannot say about a scene is reported.

DOCUMENT_LINKS = [link("m::a", model="m"), link("n::a", model="n")]
DRAKE = frozen((0.0, 0.0, -9.81))


def codes(given: Scene) -> list[str]:
    report = Report("directives")
    placed = [PlacedPart(part=part, uri=f"{part.name}.sdf", names={}) for part in models_of(given)]
    Assembly(dataclasses.replace(given, gravity=given.gravity), placed, report).text("x")
    return [entry.code for entry in report.entries if entry.severity == "warning"]


def given(joints: list[m.Joint] | None = None, **more: object) -> Scene:
    return dataclasses.replace(
        scene(DOCUMENT_LINKS, joints or [], models=MODELS), **{"gravity": DRAKE, **more}
    )  # type: ignore[arg-type]


def test_a_scene_of_welds_and_groups_loses_nothing() -> None:
    groups = tuple(m.FilterGroup(name=f"{name}::g", links=(f"{name}::a",)) for name in "mn")
    rules = (m.FilterRule(a="m::g", b="n::g"),)
    weld = joint("w", "m::a", "n::a", m.JointType.FIXED, axes=())
    assert codes(given([weld], filter_groups=groups, filter_rules=rules)) == []


def test_a_group_of_the_world_alone_is_left_out_with_the_rules_about_it() -> None:
    groups = (
        m.FilterGroup(name="w", links=(m.WORLD,)),
        m.FilterGroup(name="g", links=("m::a", "n::a")),
    )
    rules = (m.FilterRule(a="g", b="w"), m.FilterRule(a="g", b="g"))
    filtered = given(filter_groups=groups, filter_rules=rules)
    placed = [
        PlacedPart(part=part, uri=f"{part.name}.sdf", names={}) for part in models_of(filtered)
    ]
    text = Assembly(filtered, placed, Report("directives")).text("x")
    entries = [
        entry
        for entry in yaml.safe_load(text)["directives"]
        if "add_collision_filter_group" in entry
    ]
    (group,) = [entry["add_collision_filter_group"] for entry in entries]
    assert (group["name"], group["ignored_collision_filter_groups"]) == ("g", ["g"])


@pytest.mark.parametrize(
    "lost",
    [
        given([joint("j", "m::a", "n::a")]),
        given(
            constraints=(
                m.BallConstraint(link_A="m::a", link_B="n::a", p_AP=IDENTITY.p, p_BQ=IDENTITY.p),
            )
        ),
    ],
)
def test_what_moves_between_models_is_lost(lost: Scene) -> None:
    assert codes(lost) == ["dmdout.out-of-scope"]


@pytest.mark.parametrize(
    "more",
    [
        {"gravity": frozen((0.0, 0.0, -1.62))},
        {"physics": m.Physics(time_step=0.01)},
        {"keyframes": (m.Keyframe(name="up", joints=(), positions=()),)},
        {"wind": frozen((1.0, 0.0, 0.0))},
    ],
)
def test_settings_of_a_world_are_lost(more: dict[str, object]) -> None:
    assert codes(given(**more)) == ["dmdout.world-settings"]


STATIC = """<sdf version="1.9"><world name="w"><model name="free"><link name="a"/></model><model name="held">
<static>true</static><link name="b"/><link name="c"/><joint name="j" type="revolute"><parent>b</parent><child>c</child>
<axis><xyz>0 0 1</xyz></axis></joint></model></world></sdf>"""


def test_joints_of_static_models_have_no_positions(tmp_path: Path) -> None:
    """Drake refuses positions of joints that do not move; in SDFormat it refuses such joints
    themselves.
    """
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    plant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
    source = loaders.load_string(STATIC, format="sdf")
    joints = tuple(dataclasses.replace(joint, default_position=(0.3,)) for joint in source.joints)
    moved = dataclasses.replace(source, joints=joints)
    path = bridge.export_directives(moved, tmp_path / "out", models="urdf", quiet=True).path
    parser = parsing.Parser(plant)
    parser.package_map().AddPackageXml(str(path.parent / "package.xml"))
    assert len(parser.AddModels(str(path))) == 2


# The text of directives is YAML with the same names and numbers.


@pytest.mark.parametrize(
    "name",
    ["a", "m::a", "on", "1", "a b", "a: b", "#x", "ä", "-", "'", '"', "x::", "package://m/a.sdf"],
)
def test_a_name_stays_the_same_text(name: str) -> None:
    assert yaml.safe_load(f"k: {word(name)}") == {"k": name}
    assert yaml.safe_load(f"- {word(name)}") == [name]


def test_numbers_stay_the_same() -> None:
    assert yaml.safe_load(values((0.1, -2.0, 1e-7))) == [0.1, -2.0, 1e-7]


def test_the_directives() -> None:
    X = Pose.of(p=(1.0, 2.0, 3.0))
    lines = [
        *add_instance("n"),
        *add_model("m", "package://p/m.sdf", {"j": (0.5,)}, ("base", X)),
        *add_frame("f", "world", X),
        *add_weld("m::a", "n::b", IDENTITY),
        *add_group("g", ["m::a"], [], ["g"]),
    ]
    place = {"translation": [1, 2, 3]}
    assert yaml.safe_load("\n".join(lines)) == [
        {"add_model_instance": {"name": "n"}},
        {
            "add_model": {
                "name": "m",
                "file": "package://p/m.sdf",
                "default_joint_positions": {"j": [0.5]},
                "default_free_body_pose": {"base": place},
            }
        },
        {"add_frame": {"name": "f", "X_PF": {"base_frame": "world", **place}}},
        {"add_weld": {"parent": "m::a", "child": "n::b", "X_PC": {"translation": [0, 0, 0]}}},
        {
            "add_collision_filter_group": {
                "name": "g",
                "members": ["m::a"],
                "ignored_collision_filter_groups": ["g"],
            }
        },
    ]


def test_angles_are_in_degrees() -> None:
    X = Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.0, 0.0, math.pi / 2))
    assert any("!Rpy { deg: [0, 0, 90] }" in line for line in add_frame("f", "world", X))


# The files of an assembly that do not read back are refused.

TWO = scene([link("m::a", model="m"), link("n::a", model="n")], models=MODELS)


def test_a_missing_model_is_found() -> None:
    contents = folder_files(TWO, {})
    contents.check(contents.files)
    text = contents.files[contents.main].decode()
    contents.files[contents.main] = text.replace("name: n\n", "name: other\n").encode()
    with pytest.raises(ExportError, match="n::a is only in A"):
        contents.check(contents.files)


def test_models_with_files_of_the_same_name_keep_their_own(tmp_path: Path) -> None:
    names = ("M", "m")
    links = [link(f"{name}::a", model=name, shape=UNIT_BOX) for name in names]
    models = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in names)
    result = bridge.export_directives(scene(links, models=models), tmp_path / "out")
    assert {file.lower() for file in result.files if file.endswith(".sdf")} == {"m.sdf", "m_2.sdf"}


@pytest.mark.parametrize("models", ["sdf", "urdf"])
def test_the_changed_names_have_the_order_of_the_source(
    models: Literal["sdf", "urdf"], tmp_path: Path
) -> None:
    names = [f"link_{i}" for i in range(20)]
    joints = [joint(f"joint_{i}", names[i], names[i + 1]) for i in range(19)]
    chain = scene([link(name) for name in names], joints)
    result = bridge.export_directives(chain, tmp_path / "out", models=models)
    assert list(result.names) == [*names, *(item.name for item in joints)]


@pytest.mark.parametrize("models", ["sdf", "urdf"])
@pytest.mark.parametrize("joint", ["ball", "free"])
def test_a_lost_inertia_of_a_joint_is_reported_and_no_failure(
    models: Literal["sdf", "urdf"], joint: str, tmp_path: Path
) -> None:
    geom = '<geom size="0.1"/>'
    root = f'<joint type="free" armature="{0.2 if joint == "free" else 0}"/>'
    child = f'<joint type="ball" armature="{0.1 if joint == "ball" else 0}"/>'
    bodies = f'<body name="a">{root}{geom}<body name="b">{child}{geom}</body></body>'
    mjcf = (
        f'<mujoco model="m"><worldbody>{bodies}<body name="c" '
        f'mocap="true">{geom}</body></worldbody></mujoco>'
    )
    result = bridge.export_directives(
        loaders.load_string(mjcf, format="mjcf"), tmp_path / "out", models=models
    )
    lost = [entry for entry in result.diagnostics if entry.arguments.get("field") == "inertia"]
    assert {entry.arguments["kind"] for entry in lost} == {"joint axis"}
    assert loaders.load(result.path).links
