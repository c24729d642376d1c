"""Every diagnostic of the SDFormat reader: what provokes it and its fate."""

from __future__ import annotations

import gc

import pytest

import loaders
from bridge.diagnostic_codes import CODES
from loaders import Diagnostic, LoadError
from loaders.diagnostics import Fate
from loaders.node import Node
from loaders.sdf.frame import FrameVertex, Scope
from tests.code_examples.sdf import TEXTS, model


def findings(text: str) -> tuple[Diagnostic, ...]:
    try:
        return loaders.load_string(text, format="sdf").diagnostics
    except LoadError as error:
        return error.diagnostics


@pytest.mark.parametrize("code", TEXTS)
def test_each_code_is_provoked_with_its_fate_and_a_place(code: str) -> None:
    found = [entry for entry in findings(TEXTS[code]) if entry.code == code]
    assert found
    assert {entry.fate for entry in found} <= set(CODES[code].fates)
    assert all(entry.where.line == 1 and entry.where.path.startswith("/sdf") for entry in found)


@pytest.mark.parametrize("code", [code for code in TEXTS if Fate.INVALID in CODES[code].fates])
def test_one_cause_gives_one_error(code: str) -> None:
    errors = [entry for entry in findings(TEXTS[code]) if entry.severity == "error"]
    distinct = {entry.code for entry in errors}
    assert distinct <= {code, "sdf.joint-same-body"} if code == "sdf.mimic" else distinct == {code}


def test_one_error_contains_all_problems_of_a_file() -> None:
    text = model(
        "<link name='a'><pose relative_to='x'/></link>\n<link name='a'/>\n<frame name='f' "
        "attached_to='y'/>\n"
        "<joint name='j' type='odd'><parent>a</parent><child>z</child></joint>"
    )
    with pytest.raises(LoadError) as caught:
        loaders.load_string(text, format="sdf")
    lines = {entry.code: entry.where.line for entry in caught.value.diagnostics}
    assert lines == {
        "sdf.pose-relative-to": 1,
        "sdf.duplicate-name": 2,
        "sdf.attached-to": 3,
        "sdf.joint-type": 4,
        "sdf.joint-child": 4,
    }


def test_strict_loading_rejects_warnings_but_not_notes() -> None:
    with pytest.raises(LoadError, match=r"sdf\.no-axis"):
        loaders.load_string(TEXTS["sdf.no-axis"], format="sdf", strict=True)
    loaders.load_string(TEXTS["sdf.plugin"], format="sdf", strict=True)


def elements_and_frames() -> int:
    gc.collect()
    return sum(isinstance(held, Node | FrameVertex | Scope) for held in gc.get_objects())


@pytest.mark.slow
def test_the_garbage_collector_frees_all_that_a_load_needed() -> None:
    """Elements and frames refer to each other in circles; the scene refers to none of them."""
    text = model(
        "<link name='a'/><frame name='f' attached_to='a'/><model name='n'><link name='b'/></model>"
    )
    before = elements_and_frames()
    scene = loaders.load_string(text, format="sdf")
    assert elements_and_frames() == before
    assert scene.links
