"""Findings: how they read, which of them refuse a model, and that they travel."""

from __future__ import annotations

import pickle

import pytest

import loaders
from loaders import Diagnostic, ExportError, Fate, LoadError, ModelError, Where
from loaders.diagnostics import NOWHERE, Argument, Code, Diagnostics, finding_of

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
