"""FIDELITY.md: every finding is there with its place, and nothing is said twice."""

import re

from bridge.mjcf.export.fidelity_report import fidelity
from loaders.diagnostics import Diagnostic, Fate, Where
from loaders.scene import Scene


def written(*entries):
    return fidelity(Scene(name="m", source="/robots/arm.sdf"), entries)


def slow(joint, limit, line):
    message = f"joint {joint}: velocity = {limit} is not carried"
    return Diagnostic("a.speed", Fate.DROPPED, message, Where("/robots/arm.sdf", line), hint="slow down")


def test_what_is_said_of_several_things_is_one_sentence_with_what_differs_below_it():
    text = written(slow("hip", 2, 30), slow("knee", 3, 20), slow("hip", 2, 10))
    assert text.count("is not carried") == 1
    assert "Joint …: velocity = … is not carried. To do: slow down.\n\n" in text
    assert re.findall("^- `.*$", text, re.M) == ["- `hip`, `2` (arm.sdf:10, 30)", "- `knee`, `3` (arm.sdf:20)"]


def test_counts_and_headings_tell_how_many_there_are():
    other = Diagnostic("a.gap", Fate.ASSUMED, "no gain")
    text = written(slow("hip", 2, 10), slow("knee", 3, 20), other)
    assert "- 2 dropped: " in text
    assert "- 1 assumed: " in text
    assert re.findall(r"^### (.*)$", text, re.M) == ["`a.speed` (2)", "`a.gap` (1)"]


def test_one_finding_is_a_whole_sentence_with_its_place():
    assert "Joint hip: velocity = 2 is not carried. To do: slow down.\n\n- arm.sdf:10\n" in written(slow("hip", 2, 10))


def test_messages_that_share_nothing_but_their_length_stay_whole():
    one, other = (
        Diagnostic("a.word", Fate.NOTED, text) for text in ("the mesh is not convex", "a hinge has two stops")
    )
    text = written(one, other)
    assert "The mesh is not convex." in text
    assert "A hinge has two stops." in text


def test_a_tag_is_quoted_so_that_it_is_seen():
    entry = Diagnostic("a.tag", Fate.DROPPED, "the attribute D of <dynamics> is not read")
    assert "The attribute D of `<dynamics>` is not read." in written(entry)


def test_a_name_keeps_its_letters_at_the_beginning_too():
    assert "\nsensor:ray is not read." in written(Diagnostic("a.name", Fate.NOTED, "sensor:ray is not read"))


def test_files_elsewhere_have_their_folder_and_no_more():
    where = [Where("/elsewhere/far/leg/model.sdf", 3), Where("/robots/parts/toe.sdf", 4)]
    text = written(*(Diagnostic("a.place", Fate.NOTED, "it is so", place) for place in where))
    assert "- leg/model.sdf:3; parts/toe.sdf:4\n" in text


def test_nothing_lost_is_said():
    assert "- nothing was lost" in written()
