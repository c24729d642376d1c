"""Diagnostics: their text, order and table, which of them refuse a model, and the summary warning
of a call.
"""

from __future__ import annotations

import copy
import dataclasses
import logging
import pickle
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import bridge
import loaders
from loaders import ExportError, LoadError, ModelError, Where
from loaders.code import LOOKS_ONLY, Condition, Lost
from loaders.diagnostics import (
    NOWHERE,
    Argument,
    Code,
    Diagnostic,
    Diagnostics,
    Fate,
    FindingList,
    LossSummary,
    LossWarning,
    finding_of,
)
from loaders.text import by_harm, by_place, folded, nearest_path
from tests.support.web_page import WebPage

# Findings: how they read, which of them refuse a model, and that they travel.

ERRORS = {Fate.INVALID}
WARNINGS = {Fate.DROPPED, Fate.SKIPPED, Fate.APPROXIMATED, Fate.ASSUMED}


@pytest.mark.parametrize("fate", Fate)
def test_every_fate_has_its_severity(fate: Fate) -> None:
    expected = "error" if fate in ERRORS else "warning" if fate in WARNINGS else "note"
    assert Diagnostic("a.b", fate, "text").severity == expected


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (
            Diagnostic(
                "sdf.x", Fate.INVALID, "is wrong", Where("robot.sdf", 41, "/sdf"), hint="mend it"
            ),
            "robot.sdf:41: error: is wrong (mend it)  [sdf.x]",
        ),
        (
            Diagnostic("sdf.x", Fate.ASSUMED, "is odd", Where("robot.sdf")),
            "robot.sdf: warning: is odd  [sdf.x]",
        ),
        (Diagnostic("sdf.x", Fate.NOTED, "is so"), "note: is so  [sdf.x]"),
    ],
)
def test_a_finding_reads_as_compilers_write(entry: Diagnostic, text: str) -> None:
    assert str(entry) == text


def test_findings_keep_their_order() -> None:
    record = Diagnostics([Diagnostic("a", Fate.NOTED, "first")])
    record.add(Code("b", Fate.DROPPED, "second", meaning=""))
    record.extend([Diagnostic("c", Fate.NOTED, "third")])
    assert [entry.code for entry in record] == ["a", "b", "c"]
    assert len(record) == 3
    assert next(iter(record)).where == NOWHERE


@pytest.mark.parametrize("fate", Fate)
@pytest.mark.parametrize("strict", [False, True])
def test_errors_refuse_and_warnings_refuse_when_strict(fate: Fate, strict: bool) -> None:
    record = Diagnostics([Diagnostic("note", Fate.NOTED, "fine"), Diagnostic("it", fate, "is it")])
    if fate in ERRORS or (strict and fate in WARNINGS):
        with pytest.raises(LoadError) as caught:
            record.raise_for(LoadError, strict=strict)
        assert [entry.code for entry in caught.value.diagnostics] == ["it"]
    else:
        record.raise_for(LoadError, strict=strict)


def test_one_error_holds_every_problem_line_by_line() -> None:
    record = Diagnostics([Diagnostic(code, Fate.INVALID, "bad") for code in "abc"])
    with pytest.raises(ExportError) as caught:
        record.raise_for(ExportError, strict=False)
    assert str(caught.value).splitlines() == [f"error: bad  [{code}]" for code in "abc"]


@pytest.mark.parametrize("kind", [LoadError, ExportError])
def test_errors_are_value_errors_and_cross_processes(kind: type[ModelError]) -> None:
    error = kind((Diagnostic("a", Fate.INVALID, "bad", Where("f", 1, "/x"), hint="h"),))
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert isinstance(copy, ValueError)
    assert copy.diagnostics == error.diagnostics
    assert str(copy) == str(error)


def test_a_loaded_scene_carries_what_was_found() -> None:
    text = "<sdf version='1.9'><model name='m'><link name='l'><colour/></link></model></sdf>"
    scene = loaders.load_string(text, format="sdf")
    (entry,) = (entry for entry in scene.diagnostics if entry.code == "xml.unread")
    assert entry.where.path == "/sdf/model[m]/link[l]/colour"
    with pytest.raises(LoadError, match="colour"):
        loaders.load_string(text, format="sdf", strict=True)


def test_findings_without_subjects_get_subjects_and_others_keep_theirs() -> None:
    record = Diagnostics()
    for subjects in ((), ("a",), ()):
        record.add(Code("xml.foreign", Fate.NOTED, "text", meaning=""), subjects=subjects)
    record.add_missing_subjects(range(2), ("m", "n"))
    assert [entry.subjects for entry in record] == [("m", "n"), ("a",), ()]


def test_findings_of_one_template_and_place_have_different_hashes() -> None:
    """With one hash for all, a set of 5,000 findings takes 12 million comparisons."""
    entries = [
        Diagnostic("a.b", Fate.NOTED, "{n}", Where("f", 1), arguments={"n": str(i)})
        for i in range(1000)
    ]
    assert len(set(map(hash, entries))) > 990
    assert hash(entries[0]) == hash(
        Diagnostic("a.b", Fate.NOTED, "{n}", Where("f", 1), arguments={"n": "0"})
    )


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("{x:g}", 0.25, "0.25"),
        ("{x}", (1.0, -0.0, 1e-15), "1 0 1e-15"),
        ("{x:g}", (1 / 3, 2.0), "0.333333 2"),
        ("{x:%.6g}", (1 / 3, 2.0), "0.333333, 2"),
        ("{x}", ("a", "b"), "a, b"),
        ("{x}", (), ""),
        ("{x:%s (with %s)}", (("a", "b"), ("c", "d")), "a (with b), c (with d)"),
        ("{x}", tuple("abcdefgh"), "a, b, c, d, e, f and 2 more"),
        ("{x:%s to %s}", (("a", "b"),) * 7, ", ".join(["a to b"] * 6) + " and 1 more"),
    ],
)
def test_arguments_are_data_and_the_template_has_their_format(
    template: str, value: Argument, text: str
) -> None:
    code = Code("a.b", Fate.NOTED, template, meaning="A meaning.")
    diagnostics = Diagnostics()
    diagnostics.add(code, x=value)
    (entry,) = diagnostics
    assert (entry.message, entry.arguments["x"]) == (text, value)
    assert entry.message == finding_of(code, x=value).message
    assert isinstance(hash(entry), int)


def test_only_a_number_is_read_as_a_number() -> None:
    code = Code("a.b", Fate.NOTED, "{x} {y}", meaning="A meaning.")
    entry = finding_of(code, x=2, y="2")
    assert entry.number("x") == 2.0
    with pytest.raises(TypeError, match=r"argument 'y' of a\.b is no number: '2'"):
        entry.number("y")


def test_variants_of_a_code_are_of_its_kind() -> None:
    code = Code("a.b", Fate.NOTED, "one", meaning="A meaning.")
    other = Code("a.c", Fate.NOTED, "one", meaning="A meaning.")
    entry = finding_of(code.variant("another"))
    assert entry.is_one_of({other, code})
    assert not entry.is_one_of({other})


# Findings are listed by file and line, as compilers do, whatever the order in which they were
# found.


def finding(file: str, line: int, code: str = "sdf.x", message: str = "m") -> Diagnostic:
    return Diagnostic(code, Fate.INVALID, message, Where(file, line))


def test_files_keep_their_order_and_lines_rise() -> None:
    found = [
        finding("b", 7),
        finding("a", 3),
        finding("b", 2),
        finding("a", 0),
        finding("a", 1),
        finding("", 0),
    ]
    assert [(entry.where.file, entry.where.line) for entry in by_place(found)] == [
        ("b", 2),
        ("b", 7),
        ("a", 0),
        ("a", 1),
        ("a", 3),
        ("", 0),
    ]


def test_findings_of_one_line_keep_their_order() -> None:
    found = [finding("a", 1, message=text) for text in "cab"]
    assert [entry.message for entry in by_place(found)] == ["c", "a", "b"]


def test_the_first_lines_of_a_kind_are_shown_and_the_rest_is_counted() -> None:
    shown = folded([*(finding("a", line) for line in (9, 5, 7)), finding("a", 8, "sdf.y")], 2)
    assert [(entry.where.line, others) for entry, others in shown] == [(5, 0), (7, 1), (8, 0)]


def test_findings_that_read_alike_are_shown_once_and_counted() -> None:
    alike = [finding("a", 5), finding("a", 5), finding("a", 5), finding("a", 7)]
    assert [(entry.where.line, others) for entry, others in folded(alike, 5)] == [(5, 0), (7, 2)]


def test_an_error_lists_the_lines_of_the_file_from_its_start() -> None:
    sdf = """<sdf version="1.9"><model name="m"><link name="a">
    <collision name="c"><geometry><box><size>1 1</size></box></geometry></collision></link>
    <joint name="j" type="hinge"><parent>a</parent><child>b</child></joint>
    <link name="d"><pose relative_to="e"/></link></model></sdf>"""
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load_string(sdf, format="sdf")
    lines = [
        int(text.split(":")[1]) for text in str(caught.value).splitlines() if ": error:" in text
    ]
    assert lines == sorted(lines)
    assert set(lines) == {2, 3, 4}


def test_findings_come_in_the_order_of_harm() -> None:
    warning = Diagnostic("a.b", Fate.DROPPED, "m")
    found = [
        replace(warning, where=Where("a", 1)),
        replace(warning, where=Where("a", 9), harm=3),
        replace(warning, where=Where("a", 5), harm=2),
        finding("a", 20),
        replace(warning, where=Where("a", 2), fate=Fate.NOTED, harm=3),
    ]
    assert [entry.where.line for entry, _ in folded(found, 5)] == [20, 9, 5, 1, 2]


# Diagnostics of results are tuples that a notebook shows as a table.

INVALID = '<sdf version="1.11"><model name="m"><link name="l"/><surprise/></model></sdf>'


def test_the_diagnostics_of_a_scene_show_themselves_and_are_a_tuple() -> None:
    scene = loaders.load_string(INVALID, format="sdf")
    assert isinstance(scene.diagnostics, tuple)
    page = WebPage(scene.diagnostics._repr_html_())
    assert len(scene.diagnostics) == page.tags.count("tr") - 1
    assert all(entry.code in page.text for entry in scene.diagnostics)


def test_copies_keep_the_form() -> None:
    scene = loaders.load_string(INVALID, format="sdf")
    for other in (
        pickle.loads(pickle.dumps(scene)),
        copy.deepcopy(scene),
        dataclasses.replace(scene, name="n"),
    ):
        assert isinstance(other.diagnostics, FindingList)
        assert other.diagnostics == tuple(scene.diagnostics)


def test_none_is_one_line() -> None:
    assert WebPage(FindingList()._repr_html_()).text == "No diagnostics"


# One warning for each call says that something is lost, at the line of the caller; the logger has
# the details.

LOSSY = """<sdf version="1.11"><model name="arm"><link name="base"/><link name="tip"/>
<joint name="elbow" type="revolute"><parent>base</parent><child>tip</child><axis><xyz>0 1 0</xyz>
<limit><velocity>2</velocity></limit></axis></joint></model></sdf>"""
"""A model whose velocity limit MuJoCo drops; nothing is lost on reading."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "arm.sdf"
    path.write_text(LOSSY, encoding="utf-8")
    return path


def emitted(call: Callable[[], object]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


def test_an_export_warns_once_at_the_line_of_the_caller(path: Path, tmp_path: Path) -> None:
    calls: list[Callable[[], object]] = [
        lambda: bridge.to_mjcf(path),
        lambda: bridge.to_mjspec(path),
        lambda: bridge.export_mjcf(path, tmp_path / "out"),
        lambda: bridge.to_mjcf(loaders.load(path)),
    ]
    pytest.importorskip("mujoco")
    for call in calls:
        (warning,) = emitted(call)
        assert warning.category is LossWarning
        assert warning.filename == __file__
        first, worst = str(warning.message).splitlines()
        assert ": 1 dropped; the diagnostics of the result list them" in first
        assert worst.endswith("[mjcf.velocity-limit]")


def test_the_name_is_the_path_as_it_was_given(path: Path) -> None:
    (warning,) = emitted(lambda: bridge.to_mjcf(str(path)))
    assert str(warning.message).startswith(f"{nearest_path(str(path))}: ")
    (warning,) = emitted(lambda: bridge.to_mjcf(loaders.load(path)))
    assert str(warning.message).startswith("arm: ")


def test_losses_of_reading_are_counted_once_and_with_the_export_of_a_path_in_one_line(
    path: Path,
) -> None:
    path.write_text(LOSSY.replace("<axis>", "<axis><dynamics><damping>-1</damping></dynamics>", 1))
    scene: list[loaders.Scene] = []
    (of_reading,) = emitted(lambda: scene.append(loaders.load(path)))
    (of_both,) = emitted(lambda: bridge.to_mjcf(path))
    (of_export,) = emitted(lambda: bridge.to_mjcf(scene[0]))
    code = next(entry.code for entry in scene[0].diagnostics if entry.severity == "warning")
    assert code in str(of_reading.message)
    assert code in str(of_both.message)
    assert "mjcf.velocity-limit" in str(of_both.message)
    assert code not in str(of_export.message)


def test_loading_into_pybullet_warns_once(path: Path, bullet_client: int) -> None:
    (warning,) = emitted(lambda: bridge.load_into_pybullet(path, physicsClientId=bullet_client))
    assert warning.filename == __file__
    assert "pybullet." in str(warning.message)


def test_there_is_no_warning_without_a_loss_or_with_quiet(path: Path, assets: Path) -> None:
    assert emitted(lambda: loaders.load(path)) == []
    assert emitted(lambda: bridge.to_mjcf(path, quiet=True)) == []


def test_a_comparison_is_silent_since_its_result_holds_the_diagnostics(path: Path) -> None:
    pytest.importorskip("mujoco")
    caught = emitted(lambda: bridge.compare(path, ("mujoco",), levels=("L0",), configurations=1))
    assert [warning for warning in caught if warning.category is LossWarning] == []


def test_the_category_can_be_made_an_error(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossWarning)
        with pytest.raises(LossWarning, match="1 dropped"):
            bridge.to_mjcf(path)


def test_strict_raises_and_warns_of_nothing(path: Path, bullet_client: int) -> None:
    def strict() -> None:
        with pytest.raises(loaders.ExportError):
            bridge.load_into_pybullet(path, strict=True, physicsClientId=bullet_client)

    assert emitted(strict) == []


def test_the_logger_has_every_finding_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="sdfbridge")
    mjcf = bridge.to_mjcf(path, quiet=True)
    assert [record.getMessage() for record in caplog.records] == [
        str(entry) for entry in mjcf.diagnostics
    ]
    losses = [record for record in caplog.records if record.levelno == logging.INFO]
    assert len(losses) == 1


def test_paths_are_shown_from_the_current_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the warning, in each finding and in what a message names."""
    entry = Diagnostic("a.b", Fate.DROPPED, f"tried {path}", where=Where(str(path), 3))
    monkeypatch.chdir(path.parent)
    assert str(entry) == f"{path.name}:3: warning: tried {path.name}  [a.b]"
    (warning,) = emitted(lambda: bridge.to_mjcf(path))
    assert str(warning.message).startswith(f"{path.name}: ")
    monkeypatch.chdir(path.parent.parent)
    assert str(entry.where) == f"{path.parent.name}/{path.name}:3"


def test_what_changes_the_motion_comes_before_what_does_not() -> None:
    """By the effect that its code declares, where none does harm at once."""
    seen = Code("a.seen", Fate.DROPPED, "looks", meaning="m", effect=LOOKS_ONLY)
    condition = Code("b.if", Fate.DROPPED, "if", meaning="m", effect=Condition("never"))
    lost = Code("c.lost", Fate.DROPPED, "limits", meaning="m", effect=Lost("limits"))
    worse = Code("d.worse", Fate.DROPPED, "falls", meaning="m", effect=LOOKS_ONLY, harm=1)
    found = [finding_of(code) for code in (seen, condition, lost, worse)]
    assert [entry.code for entry in by_harm(found)] == ["d.worse", "c.lost", "b.if", "a.seen"]


def test_the_three_worst_kinds_are_said_in_words_and_the_rest_is_counted() -> None:
    """By harm, not in the order of the findings, nor by their codes."""
    unread = [Diagnostic("a.unread", Fate.DROPPED, f"text {i}") for i in range(12)]
    others = [Diagnostic(f"d.{i}", Fate.DROPPED, "text") for i in range(3)]
    limited = Diagnostic("b.limited", Fate.APPROXIMATED, "slower: {names}", harm=1)
    falls = [
        Diagnostic(
            "c.falls",
            Fate.ASSUMED,
            "{link} falls",
            hint="hold it",
            harm=2,
            arguments={"link": name},
        )
        for name in ("base", "foot")
    ]
    limited = dataclasses.replace(limited, arguments={"names": ("j", "k")})

    def call() -> None:
        with LossSummary("arm.sdf") as losses:
            losses.add([*unread, limited, *falls, *others])

    (warning,) = emitted(call)
    assert str(warning.message).splitlines() == [
        "arm.sdf: 15 dropped, 1 approximated, 2 assumed; the diagnostics of the result list them, "
        "quiet=True hides this",
        "  warning: base falls (hold it)  [c.falls]",
        "  and 1 more like it  [c.falls]",
        "  warning: slower: j, k  [b.limited]",
        "  warning: text 0  [a.unread]",
        "  and 11 more like it  [a.unread]",
        "  less harmful: 1 d.0, 1 d.1, 1 d.2",
    ]
