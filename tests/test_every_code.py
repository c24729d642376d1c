"""Every registered diagnostic code is provoked by a minimal input, and names what it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.diagnostic_codes import CODES
from tests.code_examples import EXAMPLES


def test_every_code_has_an_example() -> None:
    assert EXAMPLES.keys() == CODES.keys()


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_provokes_its_code(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = EXAMPLES[code]
    example.setup(tmp_path, monkeypatch)
    entries = [entry for entry in example.diagnose(tmp_path) if entry.code == code]
    assert entries
    assert {entry.fate for entry in entries} <= set(CODES[code].fates)
    assert all(entry.message and "{" not in entry.message for entry in entries)
    assert set(example.subjects or ()) <= {
        subject for entry in entries for subject in entry.subjects
    }
