"""What directives cannot say about a scene is reported."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import yaml

import bridge
import loaders
from bridge.targets.assembly import Assembly, PlacedPart, models_of
from bridge.targets.report import Report
from loaders import model as m
from loaders.pose import IDENTITY, frozen
from loaders.scene import Scene
from tests.support.scenes import joint, link, scene

MODELS = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in "mn")
LINKS = [link("m::a", model="m"), link("n::a", model="n")]
DRAKE = frozen((0.0, 0.0, -9.81))


def codes(given: Scene) -> list[str]:
    report = Report("directives")
    placed = [PlacedPart(part=part, uri=f"{part.name}.sdf", names={}) for part in models_of(given)]
    Assembly(dataclasses.replace(given, gravity=given.gravity), placed, report).text("x")
    return [entry.code for entry in report.entries if entry.severity == "warning"]


def given(joints: list[m.Joint] | None = None, **more: object) -> Scene:
    return dataclasses.replace(
        scene(LINKS, joints or [], models=MODELS), **{"gravity": DRAKE, **more}
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
