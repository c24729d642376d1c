"""Every registered diagnostic code is provoked by a minimal input, and names what it is about."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bridge.diagnostic_codes import CODES
from loaders import Diagnostic
from tests.code_examples import EXAMPLES

Provoked = tuple[str, list[Diagnostic]]


@pytest.fixture(scope="module", params=EXAMPLES)
def provoked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provoked]:
    """A code, and the diagnostics with this code that its example gives."""
    example, folder = EXAMPLES[request.param], tmp_path_factory.mktemp("example")
    with pytest.MonkeyPatch.context() as monkeypatch:
        example.setup(folder, monkeypatch)
        yield request.param, [entry for entry in example.diagnose(folder) if entry.code == request.param]


def test_every_code_has_an_example() -> None:
    assert EXAMPLES.keys() == CODES.keys()


def test_the_example_provokes_its_code(provoked: Provoked) -> None:
    code, entries = provoked
    assert entries
    assert {entry.fate for entry in entries} <= set(CODES[code].fates)


def test_the_message_is_complete(provoked: Provoked) -> None:
    for entry in provoked[1]:
        assert entry.message
        assert "{" not in entry.message


def test_the_diagnostic_names_its_subjects(provoked: Provoked) -> None:
    code, entries = provoked
    assert set(EXAMPLES[code].subjects or ()) <= {subject for entry in entries for subject in entry.subjects}
