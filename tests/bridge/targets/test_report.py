"""The report of an export: every finding once, its provenance, fields without a place, and what
reads back.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.cli import main
from bridge.diagnostic_codes import CODES
from bridge.targets.folder import Export
from bridge.targets.mjcf.document import LOSSES as MJCF
from bridge.targets.report import (
    WRITTEN_BY,
    Losses,
    Report,
    derivation,
    fidelity_text,
    losses,
    origin_comment,
    read_back,
    require_equal,
    source_file,
    value_text,
    without_lost_fields,
)
from bridge.targets.sdf.document import build
from bridge.targets.sdf.normal_form import LOSSES as SDF
from bridge.targets.urdf.normal_form import LOSSES as URDF
from loaders import model as m
from loaders.diagnostics import Code, Diagnostic, ExportError, Fate, Where
from loaders.pose import Pose
from loaders.scene import Scene
from loaders.text import printable
from tests.support.markdown_page import MarkdownPage
from tests.support.scenes import UNIT_BOX, link, scene

# A written file is compared with the scene that it should say.

CODE = CODES["sdfout.read-back"]


def test_equal_and_other_scenes_and_invalid_files() -> None:
    given = scene([link("a")])
    files = {"x.sdf": str(bridge.to_sdf(given)).encode()}
    same = build(given, {}).form.scene
    assert read_back(files, "x.sdf", same, CODE) == ()
    assert read_back({"x.sdf": b"<sdf"}, "x.sdf", same, CODE) != ()
    with pytest.raises(ExportError):
        require_equal(read_back(files, "x.sdf", scene([link("b")]), CODE))


ROBOT = (
    '<robot name="r"><link name="a"/><link name="b"/>'
    '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
)


@pytest.mark.parametrize("target", ["sdf", "urdf", "directives"])
def test_a_raised_limit_holds_for_the_written_file_too(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.urdf").write_text(ROBOT)
    for module in ("loaders.limits", "loaders.formats"):  # in place of a very large file
        monkeypatch.setattr(f"{module}.DEFAULTS", loaders.Limits(elements=4))
    export = getattr(bridge, f"export_{target}")
    with pytest.raises(loaders.LoadError, match="elements"):
        export(tmp_path / "r.urdf", tmp_path / "refused")
    assert export(
        tmp_path / "r.urdf", tmp_path / "out", limits=loaders.Limits(elements=1_000)
    ).path.is_file()
    words = ["convert", str(tmp_path / "r.urdf"), str(tmp_path / "cli"), "--to", target]
    assert main(words) == 1
    assert main([*words, "--limit", "elements=1000"]) == 0


@pytest.mark.parametrize("suffix", ["sdf", "urdf"])
def test_a_raised_limit_holds_for_one_file(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.urdf").write_text(ROBOT)
    monkeypatch.setitem(loaders.Limits.__init__.__kwdefaults__, "elements", 4)
    words = ["convert", str(tmp_path / "r.urdf"), str(tmp_path / f"out.{suffix}")]
    assert main([*words, "--limit", "elements=1000"]) == 0


def test_a_lowered_limit_does_not_hold_for_the_written_files(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(ROBOT)
    few = loaders.Limits(files=1)
    assert bridge.export_directives(
        tmp_path / "r.urdf", tmp_path / "out", limits=few
    ).path.is_file()


# The findings of a writer.


def test_findings_name_the_target() -> None:
    report = Report("sdf")
    report.add(Code("sdfout.name", Fate.NOTED, "x", meaning=""))
    assert [entry.target for entry in report.entries] == ["sdf"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "0.25"),
        ((0.1, 0.0), "0.1 0"),
        (np.array((1.0, 0.0, -0.5)), "1 0 -0.5"),
        (np.diag((0.0, 2.5)), "2.5 at 1 1"),
        ((("youngs_modulus", "1e5"),), "youngs_modulus 1e5"),
        (m.Hydroelastic(compliance="rigid", margin=0.01), "compliance rigid, margin 0.01"),
        (Pose.of(p=(1.0, 2.0, 3.0)), "1 2 3 1 0 0 0"),
        (True, "True"),
    ],
)
def test_a_value_is_written_without_the_syntax_of_python(value: object, text: str) -> None:
    assert value_text(value) == text


def test_a_part_without_a_name_has_that_of_what_it_acts_on() -> None:
    joints = "".join(f"<body><joint name='{name}'/><geom size='1'/></body>" for name in "abcd")
    pairs = "".join(f"<joint joint1='{a}' joint2='{b}' solref='0.1 1'/>" for a, b in ("ab", "cd"))
    body = f"<body><geom size='1'/>{joints}</body>"
    source = f"<mujoco><worldbody>{body}</worldbody><equality>{pairs}</equality></mujoco>"
    coupled = loaders.load_string(source, format="mjcf", quiet=True)
    for written in (bridge.to_sdf, bridge.to_urdf):
        found = [
            entry
            for entry in written(coupled, quiet=True).diagnostics
            if "equality solref" in entry.message
        ]
        assert [entry.subjects for entry in found] == [("a", "b", "c", "d")]


# Fields that a target lacks are found if they have a value.

FIELDS_CODE = Code("sdfout.field", Fate.DROPPED, "x", meaning="")


def test_a_value_that_is_lost_is_found_unless_it_is_the_default() -> None:
    table = losses((m.Link, "kinematic", FIELDS_CODE), (m.Friction, "mu fdir1", FIELDS_CODE))

    def lost_of(item: object) -> dict[str, Code]:
        return table.get(type(item), {})

    plain = scene([link("a", shape=UNIT_BOX)])
    assert without_lost_fields(plain, lost_of) == (plain, [])
    body = link("a", shape=UNIT_BOX, kinematic=True, where=Where("a.sdf", 3))
    surface = m.Surface(friction=m.Friction(mu=0.5))
    collisions = tuple(dataclasses.replace(c, surface=surface) for c in body.collisions)
    slippery = dataclasses.replace(body, collisions=collisions)
    pruned, found = without_lost_fields(scene([slippery]), lost_of)
    (kept,) = pruned.links
    assert (kept.kinematic, kept.collisions[0].surface) == (False, m.Surface())
    assert [(lost.field, lost.owner, lost.depth, lost.where.line) for lost in found] == [
        ("mu", body.collisions[0].name, 4, 3),
        ("kinematic", "a", 1, 3),
    ]


@pytest.mark.parametrize("table", [MJCF, SDF, *URDF.values()])
def test_each_row_names_fields_of_its_class(table: Losses) -> None:
    for cls, lost in table.items():
        assert lost.keys() <= {field.name for field in dataclasses.fields(cls)}


# FIDELITY.md lists every finding with its place, and each message once.


def written(*entries: Diagnostic) -> str:
    return fidelity_text(Scene(name="m", source="/robots/arm.sdf"), entries)


def slow(joint: str, limit: float, line: int) -> Diagnostic:
    return Diagnostic(
        "a.speed",
        Fate.DROPPED,
        "joint {joint}: velocity = {limit:g} is left out",
        Where("/robots/arm.sdf", line),
        hint="slow down",
        arguments={"joint": joint, "limit": limit},
        subjects=(joint,),
    )


def test_a_message_about_several_joints_is_written_once_with_their_arguments_below() -> None:
    text = written(slow("hip", 2, 30), slow("knee", 3, 20), slow("hip", 2, 10))
    assert text.count("is left out") == 1
    assert "Joint …: velocity = … is left out. To do: slow down.\n\n" in text
    assert re.findall("^- `.*$", text, re.M) == [
        "- `hip`, `2` (arm.sdf:10, 30)",
        "- `knee`, `3` (arm.sdf:20)",
    ]


def test_an_argument_that_is_the_same_everywhere_stays_in_the_message() -> None:
    text = written(slow("hip", 2.5, 30), slow("knee", 2.5, 20))
    assert (
        "Joint …: velocity = 2.5 is left out. To do: slow down.\n\n- `hip` (arm.sdf:30)\n" in text
    )


def test_names_that_are_words_of_the_message_change_no_grouping() -> None:
    names = ("hip", "knee"), ("joint", "velocity")
    texts = [written(slow(a, 2, 30), slow(b, 3, 20)) for a, b in names]
    assert texts[0].replace("`hip`", "`joint`").replace("`knee`", "`velocity`") == texts[1]


def test_a_long_list_of_names_is_shortened_as_in_the_message() -> None:
    entry = Diagnostic(
        "a.many", Fate.NOTED, "no gain for {joints}", arguments={"joints": tuple("abcdefgh")}
    )
    assert "No gain for a, b, c, d, e, f and 2 more." in written(entry)


def test_counts_and_headings_state_the_number_of_findings() -> None:
    other = Diagnostic("a.gap", Fate.ASSUMED, "no gain")
    text = written(slow("hip", 2, 10), slow("knee", 3, 20), other)
    assert "- 2 dropped: " in text
    assert "- 1 assumed: " in text
    assert re.findall(r"^### (.*)$", text, re.M) == ["`a.speed` (2)", "`a.gap` (1)"]


def test_a_single_finding_is_a_complete_sentence_with_its_place() -> None:
    assert "Joint hip: velocity = 2 is left out. To do: slow down.\n\n- arm.sdf:10\n" in written(
        slow("hip", 2, 10)
    )


def test_messages_of_one_code_with_different_templates_stay_apart() -> None:
    one, other = (
        Diagnostic("a.word", Fate.NOTED, text)
        for text in ("the mesh is not convex", "a hinge has two stops")
    )
    text = written(one, other)
    assert "The mesh is not convex." in text
    assert "A hinge has two stops." in text


def test_a_tag_is_quoted_so_that_markdown_shows_it() -> None:
    entry = Diagnostic("a.tag", Fate.DROPPED, "the attribute D of <dynamics> is not read")
    assert "The attribute D of `<dynamics>` is not read." in written(entry)


def test_a_name_at_the_beginning_keeps_its_case() -> None:
    assert "\nsensor:ray is not read." in written(
        Diagnostic("a.name", Fate.NOTED, "sensor:ray is not read")
    )
    entry = Diagnostic("a.name", Fate.NOTED, "{link} is not read", arguments={"link": "hand"})
    assert "\nhand is not read." in written(entry)


def test_files_outside_the_source_folder_are_named_with_their_folder() -> None:
    where = [Where("/elsewhere/far/leg/model.sdf", 3), Where("/robots/parts/toe.sdf", 4)]
    text = written(*(Diagnostic("a.place", Fate.NOTED, "it is so", place) for place in where))
    assert "- leg/model.sdf:3; parts/toe.sdf:4\n" in text


def test_an_exact_export_states_that_nothing_was_lost() -> None:
    assert "- nothing was lost" in written()


def test_a_message_keeps_the_arguments_that_many_findings_share() -> None:
    entries = [
        Diagnostic(
            "a.field", Fate.DROPPED, "no place for {field} of {kind} {owner}", arguments=arguments
        )
        for field, kind in (("mass", "link"), ("gear", "joint"))
        for arguments in ({"field": field, "kind": kind, "owner": f"{kind}_{i}"} for i in range(3))
    ]
    text = written(*entries)
    assert "No place for mass of link …." in text
    assert "No place for gear of joint …." in text
    assert "- `link_0`" in text


def test_many_findings_that_differ_in_a_name_only_are_one_line_with_their_number_and_places() -> (
    None
):
    lines = [f"`j{i}` (arm.sdf:{i})" for i in range(1, 65)]
    text = written(*(slow(f"j{i}", 2, i) for i in range(1, 65)))
    assert "### `a.speed` (64)" in text
    assert re.findall("^- .*`.*$", text, re.M) == [f"- 64 times: {', '.join(lines)}"]


def lost(field: str, owner: str, line: int) -> Diagnostic:
    return Diagnostic(
        "a.field",
        Fate.DROPPED,
        "no place for {field} of geom {owner}",
        Where("/robots/arm.sdf", line),
        arguments={"field": field, "owner": owner},
        subjects=(owner,),
    )


def test_fields_of_one_item_are_in_one_message() -> None:
    text = written(
        *(lost(field, f"geom_{i}", 7 + i) for i in range(4) for field in ("mask", "group"))
    )
    assert "### `a.field` (8)" in text
    assert (
        "No place for mask, group of geom ….\n\n- 4 times: `geom_0` (arm.sdf:7), `geom_1` "
        "(arm.sdf:8),"
    ) in text


def test_vectors_of_one_item_are_written_as_in_its_message() -> None:
    entries = [
        Diagnostic(
            "mjcf.x",
            Fate.DROPPED,
            "link {link} has stiffness {stiffness}",
            Where("r.sdf", 3),
            arguments={"link": "a", "stiffness": stiffness},
            subjects=("a",),
        )
        for stiffness in ((1.0, 2.5), (0.0, 3.0))
    ]
    assert "Link a has stiffness 1 2.5, 0 3." in written(*entries)


def test_findings_without_an_item_or_of_different_lines_are_not_merged() -> None:
    text = written(lost("mask", "a", 1), lost("group", "a", 2))
    assert "No place for … of geom a.\n\n- `mask` (arm.sdf:1)\n- `group` (arm.sdf:2)" in text


def test_a_quoted_argument_of_several_values_is_marked_as_left_out() -> None:
    template = "the name {name!r} is used"
    text = written(
        *(
            Diagnostic("a.name", Fate.NOTED, template, arguments={"name": name})
            for name in ("a", "b")
        )
    )
    assert "The name … is used." in text


def test_names_in_messages_are_text_and_never_markup() -> None:
    names = ("<script>alert(1)</script>", "<img src=x>", "[x](y)", "a|b`c", "*a*", "a\n# b")
    entries = [
        Diagnostic(f"a.{i}", Fate.NOTED, "{n} is odd", Where(f"/robots/{n}", 3), arguments={"n": n})
        for i, n in enumerate(names)
    ]
    page = MarkdownPage(written(*entries))
    assert page.addresses == []
    assert {"script", "img", "em", "h4"}.isdisjoint(page.tags)
    assert page.tags.count("h1") == 1
    for name in names:
        assert f"{printable(name)} is odd." in page.words
        assert f"{printable(name)}:3" in page.words


# An export states its source and the program.


def test_the_derivation_has_the_hash_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "a.sdf").write_bytes(b"x")
    scene = Scene(name="a", source=str(tmp_path / "a.sdf"))
    text = "\n".join(derivation(scene, "export_sdf", "a", {"world": "never"}))
    assert hashlib.sha256(b"x").hexdigest() in text
    assert '`sdfbridge.export_sdf("a.sdf", "a", world="never")`' in text
    assert origin_comment(scene).startswith(WRITTEN_BY)
    assert source_file(Scene(name="a")) == "a scene in memory"


LEG = Path(__file__).parents[3] / "assets" / "leg.sdf"
ODD_NAMES = (
    "line\nbreak: 1",
    "line\u2028break: 1",
    "a--><evil x='",
    "turned\u202eround",
    "no text \udcff",
    "a|b`c",
)
"""Names of files that would end a comment, or that no file of text can hold."""


@pytest.mark.parametrize(
    "export", [bridge.export_sdf, bridge.export_urdf, bridge.export_directives]
)
@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_name_of_the_source_never_ends_the_comment(
    name: str, export: Callable[..., Export], tmp_path: Path
) -> None:
    source = tmp_path / f"{name}.sdf"
    shutil.copy(LEG, source)
    result = export(source, tmp_path / "out", quiet=True)
    texts = [
        (tmp_path / "out" / file).read_text()
        for file in result.files
        if not file.startswith("assets/")
    ]
    assert all("\u202e" not in text for text in texts)
    assert loaders.load(result.path).name


JOINT = '<joint name="j" limited="true" range="-1 1" frictionloss="1" stiffness="3" user="4"/>'
ARM = (
    f'<mujoco model="arm"><worldbody><body name="a">{JOINT}<geom '
    f'size="1"/></body></worldbody></mujoco>'
)


@pytest.mark.parametrize(
    ("inside", "named"), [("", "robot.mjz"), ("/parts/arm.xml", "robot.mjz/parts/arm.xml")]
)
@pytest.mark.parametrize(
    "export", [bridge.export_sdf, bridge.export_urdf, bridge.export_mjcf, bridge.export_directives]
)
def test_the_source_of_a_model_in_an_archive_is_the_archive(
    export: Callable[..., Export], inside: str, named: str, tmp_path: Path
) -> None:
    archive = tmp_path / "robot.mjz"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("model.xml", ARM)
        file.writestr("parts/arm.xml", ARM)
    result = export(f"{archive}{inside}", tmp_path / "out", quiet=True)
    assert f" from {named}; see" in result.path.read_text()
    readme = (tmp_path / "out" / "README.md").read_text()
    assert f"| source | `{named}` |" in readme
    assert hashlib.sha256(archive.read_bytes()).hexdigest() in readme
    assert f'("{named}", ' in readme
    member = inside or "/model.xml"
    report = (tmp_path / "out" / "FIDELITY.md").read_text()
    assert f"robot.mjz{member}:1" in report.replace("\\", "")


def test_a_model_that_was_exported_and_then_packed_keeps_its_first_source(tmp_path: Path) -> None:
    result = bridge.export_mjcf(LEG, tmp_path / "out", quiet=True)
    with zipfile.ZipFile(tmp_path / "robot.mjz", "w") as file:
        file.write(result.path, "model.xml")
    again = bridge.export_mjcf(tmp_path / "robot.mjz", tmp_path / "again", quiet=True)
    assert " from leg.sdf; see" in again.path.read_text()
