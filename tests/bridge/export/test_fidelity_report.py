"""FIDELITY.md lists every finding with its place, and each message once."""

from __future__ import annotations

import re

from bridge.targets.report import fidelity_text
from loaders.diagnostics import Diagnostic, Fate, Where
from loaders.scene import Scene
from loaders.text import printable
from tests.support.markdown_page import MarkdownPage


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
