"""The error that refuses a source has its warnings too."""

from __future__ import annotations

import pickle

import pytest

import loaders

WINGED = "<robot name='r'><link name='a'><wings/></link><link name='a'/></robot>"


def refusal(text: str, *, strict: bool = False) -> loaders.LoadError:
    with pytest.raises(loaders.LoadError) as error:
        loaders.load_string(text, format="urdf", strict=strict)
    return error.value


def test_warnings_are_among_the_findings_of_the_error_but_no_reasons() -> None:
    error = refusal(WINGED)
    assert [entry.code for entry in error.diagnostics] == ["urdf.duplicate-name"]
    assert [entry.code for entry in error.findings] == ["urdf.duplicate-name", "xml.unread"]
    assert "wings" not in str(error)


def test_with_strict_a_warning_is_a_reason() -> None:
    assert len(refusal(WINGED, strict=True).diagnostics) == 2


def test_an_error_that_lenient_loading_skips_has_the_warnings_too() -> None:
    limit = "<limit lower='0' upper='1' effort='1' velocity='x' efort='1'/>"
    joint = f"<joint name='j' type='revolute'><parent link='a'/><child link='b'/>{limit}</joint>"
    error = refusal(f"<robot name='r'><link name='a'/><link name='b'/>{joint}</robot>")
    assert error.skipped
    assert [entry.code for entry in error.others] == ["xml.unread"]


def test_the_findings_of_an_error_travel_to_another_process() -> None:
    error = refusal(WINGED)
    assert pickle.loads(pickle.dumps(error)).findings == error.findings
