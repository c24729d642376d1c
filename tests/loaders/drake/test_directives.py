"""Models, frames, welds and filter groups of directives, compared with Drake, and the subjects of
findings.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import loaders
from loaders.context import MAX_INCLUDE_DEPTH, Context, Resources
from loaders.diagnostics import Diagnostics
from loaders.drake.directives import SceneBuilder
from loaders.model import by_name
from loaders.node import Node
from loaders.pose import IDENTITY
from tests.support.directives_files import ARM, MASS, SHAPE, drake, errors, load, model, write

# Models, frames, welds and filter groups of directives, compared with Drake.


def poses_agree(scene, oracle):
    """Whether every link is where Drake puts it with all joints at zero."""
    plant = oracle.plant
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.num_positions() and joint.type_name() != "quaternion_floating":
            q = plant.GetPositions(oracle.context)
            q[joint.position_start() : joint.position_start() + joint.num_positions()] = 0
            plant.SetPositions(oracle.context, q)
    for link in scene.links:
        scope, _, name = link.name.rpartition("::")
        body = plant.GetBodyByName(name, plant.GetModelInstanceByName(scope))
        X_WB = plant.EvalBodyPoseInWorld(oracle.context, body)
        np.testing.assert_allclose(link.X_WL.R, X_WB.rotation().matrix(), atol=1e-12)
        np.testing.assert_allclose(link.X_WL.p, X_WB.translation(), atol=1e-12)


SCENES = {
    "models": model("a") + model("b", "box.sdf") + model("c", "robot.urdf"),
    "weld to the world": model("a")
    + "- add_weld: {parent: world, child: 'a::l1',"
    + " X_PC: {translation: [1, 2, 3], rotation: !Rpy {deg: [10, 20, 30]}}}\n",
    "weld to a frame": model("a")
    + model("b", "box.sdf")
    + "- add_weld: {parent: 'a::tip', child: 'b::body'}\n",
    "weld of a tree by its model frame": model("a")
    + "- add_weld: {parent: world, child: 'a::__model__', X_PC: {translation: [0, 0, 5]}}\n",
    "added frames": model("a")
    + model("b", "box.sdf")
    + "- add_frame: {name: hook, X_PF: {base_frame: 'a::l2', translation: [0, 0, 1]}}\n"
    + "- add_frame: {name: table, X_PF: {base_frame: world, rotation: !AngleAxis {angle_deg: 40, axis: [1, 2, 3]}}}\n"
    + "- add_weld: {parent: hook, child: 'b::body'}\n- add_weld: {parent: table, child: 'a::l0'}\n",
    "free poses": model(
        "a",
        extra=", default_free_body_pose: {l0: {translation: [1, 2, 3], rotation: !Identity {}}}",
    )
    + model("b", "box.sdf", ", default_free_body_pose: {'': {rotation: !Rpy {deg: [90, 0, 0]}}}"),
    "a namespace": "- add_model_instance: {name: left}\n"
    "- add_directives: {file: 'package://p/inner.dmd.yaml', model_namespace: left}\n"
    "- add_directives: {file: 'package://p/inner.dmd.yaml'}\n",
    "groups in the namespace of a model": model("a")
    + "- add_collision_filter_group: {name: g, model_namespace: a, members: [l0, l2],"
    + " ignored_collision_filter_groups: [g]}\n",
    "groups in the namespace of a nested model": model("n", "nest.sdf")
    + "- add_collision_filter_group: {name: g, model_namespace: 'n::in', members: [k, m],"
    + " ignored_collision_filter_groups: [g]}\n",
    "a file in the namespace of a nested model": model("n", "nest.sdf")
    + "- add_directives: {file: 'package://p/inner.dmd.yaml', model_namespace: 'n::in'}\n",
    "a frame on the world in a namespace": "- add_model_instance: {name: left}\n"
    "- add_directives: {file: 'package://p/table.dmd.yaml', model_namespace: left}\n"
    + model("a")
    + "- add_weld: {parent: table, child: 'a::l0'}\n",
    "a namespace in a namespace": "- add_model_instance: {name: outer}\n"
    "- add_directives: {file: 'package://p/middle.dmd.yaml', model_namespace: outer}\n",
}


INNER = (
    "directives:\n"
    + model("a")
    + model("b", "box.sdf")
    + "- add_weld: {parent: 'a::tip', child: 'b::body'}\n"
)
MIDDLE = f"""directives:
- add_model_instance: {{name: left}}
- add_directives: {{file: 'package://p/inner.dmd.yaml', model_namespace: left}}
{model("c")}- add_weld: {{parent: 'left::b::body', child: 'c::l0', X_PC: {{translation: [1, 2, 3]}}}}
- add_collision_filter_group: {{name: g, members: ['c::l1', 'left::a::l2'],
    ignored_collision_filter_groups: [g, 'left::a::ends']}}
"""


NESTED = (
    "<sdf version='1.11'><model name='nest'><model name='in'>"
    + "".join(f"<link name='{name}'>{MASS}{SHAPE}</link>" for name in "km")
    + f"</model><link name='body'>{MASS}</link></model></sdf>"
)


@pytest.mark.parametrize("body", SCENES.values(), ids=SCENES)
def test_links_are_where_drake_puts_them(folder, body):
    write(folder, NESTED, "nest.sdf")
    write(
        folder,
        "directives:\n- add_frame: {name: table, X_PF: {base_frame: world}}\n",
        "table.dmd.yaml",
    )
    write(folder, INNER, "inner.dmd.yaml")
    write(folder, MIDDLE, "middle.dmd.yaml")
    text = "directives:\n" + body
    poses_agree(load(folder, text), drake(folder, text))


@pytest.mark.parametrize("body", SCENES.values(), ids=SCENES)
def test_frames_and_filters_are_those_of_drake(folder, body):
    write(folder, NESTED, "nest.sdf")
    write(
        folder,
        "directives:\n- add_frame: {name: table, X_PF: {base_frame: world}}\n",
        "table.dmd.yaml",
    )
    write(folder, INNER, "inner.dmd.yaml")
    write(folder, MIDDLE, "middle.dmd.yaml")
    text = "directives:\n" + body
    scene, oracle = load(folder, text), drake(folder, text)
    assert scene.excluded_collision_pairs() == oracle.filtered_pairs()
    for frame in scene.frames:
        scope, _, name = frame.name.rpartition("::")
        instance = oracle.plant.GetModelInstanceByName(scope or "WorldModelInstance")
        theirs = oracle.plant.GetFrameByName(name, instance).GetFixedPoseInBodyFrame()
        np.testing.assert_allclose(frame.X_LF.p, theirs.translation(), atol=1e-12)
        np.testing.assert_allclose(frame.X_LF.R, theirs.rotation().matrix(), atol=1e-12)


def test_welds_are_named_as_in_drake(folder):
    text = "directives:\n" + SCENES["weld to a frame"]
    scene, plant = load(folder, text), drake(folder, text).plant
    assert "b::tip_welds_to_body" in by_name(scene.joints)
    assert plant.HasJointNamed("tip_welds_to_body", plant.GetModelInstanceByName("b"))


def test_gravity_is_drakes(folder):
    text = "directives:\n" + model("a")
    expected = drake(folder, text).plant.gravity_field().gravity_vector()
    np.testing.assert_array_equal(load(folder, text).gravity, expected)


def random_groups(rng):
    """Two models, a namespace with another, and groups over all of them."""
    bodies = ["a::l0", "a::l1", "a::l2", "b::body", "ns::a::l0", "ns::a::l2", "ns::b::body"]
    groups = ["a::ends", "ns::a::ends", "ns::g", *(f"g{i}" for i in range(rng.randint(1, 5)))]
    text = (
        "directives:\n" + model("a") + model("b", "box.sdf") + "- add_model_instance: {name: ns}\n"
    )
    text += "- add_directives: {file: 'package://p/inner.dmd.yaml', model_namespace: ns}\n"
    for name in groups[3:]:
        members = rng.sample(bodies, rng.randint(0, 3))
        inside = rng.sample(groups, rng.randint(0, 2))
        ignored = rng.sample(groups, rng.randint(0, 3))
        members = members if members or inside else bodies[:1]
        lists = (
            f"members: {members}, member_groups: {inside}, ignored_collision_filter_groups: "
            f"{ignored}"
        )
        text += f"- add_collision_filter_group: {{name: {name}, {lists}}}\n"
    return text


GROUP = (
    "- add_collision_filter_group: {name: g, members: ['b::body'], member_groups: ['a::ends']}\n"
)


@pytest.mark.slow
@seed(0)
@settings(
    max_examples=12,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(0, 2**32 - 1))
def test_groups_across_files_and_namespaces_are_resolved_as_in_drake(folder, number):
    write(folder, INNER + GROUP, "inner.dmd.yaml")
    text = random_groups(random.Random(number))
    scene, oracle = load(folder, text), drake(folder, text)
    assert scene.excluded_collision_pairs() == oracle.filtered_pairs()
    theirs = {name: set(links) for name, links in oracle.groups.groups().items()}
    assert {group.name: set(group.links) for group in scene.filter_groups} == theirs


WRONG = {
    "unknown directive": ("directives.unknown-directive", "- add_modle: {name: a}"),
    "two directives in one": ("directives.one-key", "- {add_model: {}, add_weld: {}}"),
    "unknown field": ("directives.unknown-field", model("b", extra=", bogus: 1")),
    "missing field": ("directives.missing-field", "- add_model: {name: b}"),
    "no mapping": ("directives.kind", "- add_model: 3"),
    "model twice": ("directives.duplicate-model", model("a")),
    "unknown file": ("directives.unknown-file", model("b", "none.sdf")),
    "unknown joint": (
        "directives.unknown-joint",
        model("b", extra=", default_joint_positions: {z: [1]}"),
    ),
    "too many positions": (
        "directives.position-count",
        model("b", extra=", default_joint_positions: {j1: [1, 2]}"),
    ),
    "unknown free body": (
        "directives.unknown-frame",
        model("b", extra=", default_free_body_pose: {z: {}}"),
    ),
    "sole body of several": (
        "directives.unknown-frame",
        model("b", extra=", default_free_body_pose: {'': {}}"),
    ),
    "random pose": (
        "directives.random",
        model("b", "box.sdf", ", default_free_body_pose: {body: {rotation: !Uniform {}}}"),
    ),
    "frame on nothing": (
        "directives.unknown-frame",
        "- add_frame: {name: f, X_PF: {base_frame: 'z::z'}}",
    ),
    "weld of nothing": ("directives.unknown-frame", "- add_weld: {parent: world, child: 'z::z'}"),
    "weld of a link to itself": (
        "drake.same-body",
        "- add_weld: {parent: 'a::tip', child: 'a::l2'}",
    ),
    "weld with a base frame": (
        "directives.unknown-field",
        "- add_weld: {parent: world, child: 'a::l0', X_PC: {base_frame: world}}",
    ),
    "short vector": (
        "directives.not-a-vector",
        "- add_weld: {parent: world, child: 'a::l0', X_PC: {translation: [1, 2]}}",
    ),
    "unknown rotation": (
        "directives.rotation",
        (
            "- add_weld: {parent: world, child: 'a::l0', X_PC: {rotation: !Quaternion {wxyz: [1, "
            "0, "
            "0, 0]}}}"
        ),
    ),
    "unknown namespace": (
        "directives.unknown-namespace",
        "- add_directives: {file: 'package://p/inner.dmd.yaml', model_namespace: z}",
    ),
    "member that is nothing": (
        "drake.unknown-member",
        "- add_collision_filter_group: {name: g, members: ['a::z']}",
    ),
    "group of nothing": ("drake.empty-group", "- add_collision_filter_group: {name: g}"),
    "ignored group that is nothing": (
        "drake.unknown-group",
        (
            "- add_collision_filter_group: {name: g, members: ['a::l0'], "
            "ignored_collision_filter_groups: [z]}"
        ),
    ),
    "unknown namespace of a group": (
        "directives.unknown-namespace",
        "- add_collision_filter_group: {name: g, model_namespace: z, member_groups: ['a::ends']}",
    ),
    "unknown scope of a frame": (
        "directives.unknown-namespace",
        "- add_frame: {name: 'z::f', X_PF: {base_frame: 'a::l2'}}",
    ),
    "world as a member": (
        "drake.unknown-member",
        "- add_collision_filter_group: {name: g, members: [world]}",
    ),
    "empty name of a model": ("directives.missing-field", model("''", "box.sdf")),
    "empty name of an instance": ("directives.missing-field", "- add_model_instance: {name: ''}"),
    "empty name of a frame": (
        "directives.missing-field",
        "- add_frame: {name: '', X_PF: {base_frame: world}}",
    ),
    "empty name of a group": (
        "directives.missing-field",
        "- add_collision_filter_group: {name: '', members: ['a::l0']}",
    ),
    "empty file": ("directives.missing-field", "- add_model: {name: b, file: ''}"),
    "directives as a model": ("directives.not-one-model", model("b", "inner.dmd.yaml")),
}


@pytest.mark.parametrize(("code", "body"), WRONG.values(), ids=WRONG)
def test_what_drake_refuses_is_an_error_with_a_line(folder, code, body):
    write(folder, INNER, "inner.dmd.yaml")
    text = f"directives:\n{model('a')}{body}\n"
    with pytest.raises((RuntimeError, ValueError, IndexError, SystemExit)):
        drake(folder, text)
    found = errors(folder, text)
    assert code in found
    assert (found[code].file, found[code].line) == (str(folder / "scene.dmd.yaml"), 3)


TWICE = {
    "instance with the name of a nested model": (
        "directives.duplicate-model",
        model("n", "nest.sdf") + "- add_model_instance: {name: 'n::in'}\n",
    ),
    "model with the name of a nested model": (
        "directives.duplicate-model",
        model("n", "nest.sdf") + model("n::in", "box.sdf"),
    ),
    "nested model with the name of an instance": (
        "directives.duplicate-model",
        "- add_model_instance: {name: 'n::in'}\n" + model("n", "nest.sdf"),
    ),
    "weld twice": (
        "directives.duplicate-weld",
        model("a") + "- add_weld: {parent: world, child: 'a::l0'}\n" * 2,
    ),
    "weld of the same links by other frames": (
        "directives.duplicate-weld",
        model("a")
        + "- add_weld: {parent: world, child: 'a::l0'}\n"
        + "- add_weld: {parent: world, child: 'a::__model__', X_PC: {translation: [1, 2, 3]}}\n",
    ),
    "weld of links that the model joins": (
        "directives.duplicate-weld",
        model("a") + "- add_weld: {parent: 'a::l0', child: 'a::l1'}\n",
    ),
    "welds whose joints have one name": (
        "directives.duplicate-weld",
        "".join(model(name, "box.sdf") for name in "bcd")
        + "- add_weld: {parent: 'b::body', child: 'd::body'}\n- add_weld: {parent: 'c::body', child: 'd::body'}\n",
    ),
}


@pytest.mark.parametrize(("code", "body"), TWICE.values(), ids=TWICE)
def test_what_drake_refuses_to_add_twice_is_an_error_of_the_last_directive(folder, code, body):
    write(folder, NESTED, "nest.sdf")
    text = f"directives:\n{body}"
    with pytest.raises(RuntimeError):
        drake(folder, text)
    found = errors(folder, text)
    assert code in found
    assert (found[code].file, found[code].line) == (
        str(folder / "scene.dmd.yaml"),
        text.count("\n"),
    )


GROUPS = {
    "scoped members": "members: ['a::l0', 'b::body'], ignored_collision_filter_groups: ['a::ends']",
    "a member group": "member_groups: ['a::ends'], ignored_collision_filter_groups: [g]",
}


@pytest.mark.parametrize("namespace", ["a", "z", "ns"])
@pytest.mark.parametrize("lists", GROUPS.values(), ids=GROUPS)
def test_the_namespace_of_a_group_is_ignored_where_drake_ignores_it(folder, lists, namespace):
    group = f"- add_collision_filter_group: {{name: g, model_namespace: {namespace}, {lists}}}\n"
    write(folder, INNER + group, "inner.dmd.yaml")
    text = "directives:\n- add_model_instance: {name: ns}\n"
    text += "- add_directives: {file: 'package://p/inner.dmd.yaml', model_namespace: ns}\n"
    scene, oracle = load(folder, text, quiet=True), drake(folder, text)
    theirs = {name: set(links) for name, links in oracle.groups.groups().items()}
    assert {group.name: set(group.links) for group in scene.filter_groups} == theirs
    assert scene.excluded_collision_pairs() == oracle.filtered_pairs()
    (finding,) = scene.diagnostics
    assert (finding.code, finding.where.line) == ("directives.ignored-namespace", 5)


@pytest.mark.parametrize(
    "kind", ["unknown file", "unknown free body", "frame on nothing", "weld of nothing"]
)
def test_lenient_loading_leaves_out_directives_about_nothing(folder, kind):
    code, body = WRONG[kind]
    text = "directives:\n" + model("a") + body + "\n"
    lenient = load(folder, text, lenient=True, quiet=True)
    skipped = [entry.code for entry in lenient.diagnostics if entry.fate is loaders.Fate.SKIPPED]
    assert skipped == [code]
    alone = load(
        folder, "directives:\n" + model("a") + (model("b") if kind == "unknown free body" else "")
    )
    assert [link.name for link in lenient.links] == [link.name for link in alone.links]
    assert [joint.name for joint in lenient.joints] == [joint.name for joint in alone.joints]


def test_the_world_is_no_child_of_a_weld(folder):
    text = "directives:\n" + model("a") + "- add_weld: {parent: 'a::l0', child: world}\n"
    assert "directives.weld-world" in errors(folder, text)


def test_a_frame_has_one_name(folder):
    frame = "- add_frame: {name: f, X_PF: {base_frame: world}}\n"
    assert errors(folder, "directives:\n" + frame * 2)["directives.duplicate-frame"].line == 3


def test_a_relative_name_is_read_and_reported(folder):
    text = "directives:\n- add_model: {name: a, file: box.sdf}\n"
    scene = load(folder, text)
    assert [link.name for link in scene.links] == ["a::body"]
    assert {entry.code for entry in scene.diagnostics} == {"directives.relative-file"}


def test_files_that_include_each_other_are_refused(folder):
    include = "directives:\n- add_directives: {{file: 'package://p/{}.dmd.yaml'}}\n"
    write(folder, include.format("two"), "one.dmd.yaml")
    write(folder, include.format("one"), "two.dmd.yaml")
    found = errors(folder, include.format("one"))
    assert found["directives.include-cycle"].file == str(folder / "two.dmd.yaml")


def test_files_are_included_to_the_greatest_depth_and_no_deeper(folder):
    """Each of the files includes the next; the last adds a frame, which Drake, without a limit,
    also reads.
    """
    include = "directives:\n- add_directives: {{file: 'package://p/{}.dmd.yaml'}}\n"
    for number in range(1, MAX_INCLUDE_DEPTH):
        write(folder, include.format(number + 1), f"{number}.dmd.yaml")
    last = f"{MAX_INCLUDE_DEPTH}.dmd.yaml"
    write(folder, "directives:\n- add_frame: {name: f, X_PF: {base_frame: world}}\n", last)
    text = include.format(2)
    assert drake(folder, text).plant.HasFrameNamed("f")
    assert [frame.name for frame in load(folder, text).frames] == ["f"]
    found = errors(folder, include.format(1))
    assert found.keys() == {"directives.include-cycle"}
    assert (found["directives.include-cycle"].file, found["directives.include-cycle"].line) == (
        str(folder / last),
        2,
    )


def test_a_missing_package_is_one_error_with_the_places_tried_and_the_option(folder):
    text = f"""directives:
{model("a", "package://nowhere/a.sdf")}- add_frame: {{name: f, X_PF: {{base_frame: 'a::l0'}}}}
- add_weld: {{parent: world, child: 'a::l0'}}
- add_weld: {{parent: world, child: f}}
- add_collision_filter_group: {{name: g, members: ['a::l0']}}
"""
    write(folder, text, "main.dmd.yaml")
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(folder / "main.dmd.yaml")
    (problem,) = caught.value.diagnostics
    assert problem.code == "directives.unknown-file"
    assert "tried" in problem.message
    assert "package_map" in problem.hint


def test_a_second_model_of_the_name_of_a_missing_one_is_a_duplicate(folder):
    found = errors(folder, f"directives:\n{model('a', 'none.sdf')}{model('a')}")
    assert {"directives.unknown-file", "directives.duplicate-model"} <= set(found)


def test_a_name_that_no_model_has_is_still_an_error_beside_a_missing_file(folder):
    found = errors(
        folder,
        f"directives:\n{model('a', 'none.sdf')}- add_weld: {{parent: world, child: 'b::l0'}}",
    )
    assert "directives.unknown-frame" in found


def test_the_scene_has_the_name_of_the_file_with_its_points(tmp_path):
    (tmp_path / "hammer_v1.5.dmd.yaml").write_text("directives: []\n")
    assert loaders.load(tmp_path / "hammer_v1.5.dmd.yaml", quiet=True).name == "hammer_v1.5"


# Frames that directives refer to: scoped, local, ambiguous and unknown names.


@pytest.fixture
def diagnostics() -> Diagnostics:
    return Diagnostics()


@pytest.fixture
def builder(diagnostics: Diagnostics) -> SceneBuilder:
    context = Context(
        resources=Resources(), diagnostics=diagnostics, read_file=lambda path, context: None
    )
    builder = SceneBuilder(context)
    for name in ("m::a", "n::a", "n::b"):
        builder.add_frame(name, name, IDENTITY)
    return builder


@pytest.mark.parametrize(("name", "scoped"), [("m::a", "m::a"), ("b", "n::b"), ("world", "world")])
def test_a_local_name_is_sufficient_if_it_is_unambiguous(
    builder: SceneBuilder, name: str, scoped: str
) -> None:
    assert builder.find(name, Node("x", {}, file="f", line=1, diagnostics=Diagnostics())) == scoped


@pytest.mark.parametrize(
    ("name", "subjects", "hint"),
    [("a", ("m::a", "n::a"), "write the scoped name"), ("n::c", (), "did you mean n::b?")],
)
def test_other_names_are_reported(
    builder: SceneBuilder, diagnostics: Diagnostics, name: str, subjects: tuple[str, ...], hint: str
) -> None:
    assert builder.find(name, Node("x", {}, file="f", line=1, diagnostics=diagnostics)) is None
    (entry,) = diagnostics
    assert (entry.code, entry.subjects) == ("directives.unknown-frame", subjects)
    assert entry.hint.startswith(hint[:12])


# Subjects of findings about directives and their model files are names in the whole scene.

LIMITED = ARM.replace("<axis>", "<nonsense/><axis>")


@pytest.fixture
def limited(folder):
    """A folder with a model that has an unknown element in its joint j1."""
    write(folder, LIMITED, "limited.sdf")
    return folder


def subjects(diagnostics, code):
    (entry,) = (entry for entry in diagnostics if entry.code == code)
    return entry.subjects


def test_a_finding_of_a_model_file_has_the_scope_of_the_model(limited):
    scene = load(limited, "directives:\n" + model("m", "limited.sdf"))
    assert subjects(scene.diagnostics, "xml.unread") == ("m::j1",)
    assert {"m::j1"} <= {joint.name for joint in scene.joints}


def test_a_finding_of_a_file_that_is_used_twice_names_both_models(limited):
    scene = load(limited, "directives:\n" + model("m", "limited.sdf") + model("n", "limited.sdf"))
    assert subjects(scene.diagnostics, "xml.unread") == ("m::j1", "n::j1")


def test_a_finding_of_a_model_in_a_namespace_has_both_scopes(limited):
    write(limited, "directives:\n" + model("m", "limited.sdf"), "inner.dmd.yaml")
    include = "- add_directives: {file: 'package://p/inner.dmd.yaml', model_namespace: left}\n"
    scene = load(limited, "directives:\n- add_model_instance: {name: left}\n" + include)
    assert subjects(scene.diagnostics, "xml.unread") == ("left::m::j1",)


def test_a_finding_about_the_model_itself_names_the_model_as_in_the_scene(folder):
    write(folder, ARM.replace("</model>", "<nonsense/></model>"), "limited.sdf")
    scene = load(folder, "directives:\n" + model("m", "limited.sdf"))
    assert subjects(scene.diagnostics, "xml.unread") == ("m",)


@pytest.mark.parametrize(("frame", "full"), [("a::l0", "a::l0"), ("l0", "a::l0"), ("z", "z")])
def test_a_finding_about_a_weld_names_its_frames(folder, frame, full):
    weld = f"- add_weld: {{parent: world, child: '{frame}', bogus: 1}}\n"
    with pytest.raises(loaders.LoadError) as caught:
        load(folder, "directives:\n" + model("a") + weld)
    assert subjects(caught.value.diagnostics, "directives.unknown-field") == ("world", full)
