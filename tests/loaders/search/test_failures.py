"""Reasons why a URI has no file, and the advice that follows from each."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaders.context import not_found


@pytest.mark.parametrize(
    ("uri", "scheme", "download", "words"),
    [
        ("$(find arm)/a.stl", "", None, "xacro"),
        ("http2://arm/a.stl", "http2", None, "unknown scheme"),
        ("https://example.org", "https", None, "not the URI of a Fuel model"),
        ("package://", "package", None, "no folder to search"),
    ],
)
def test_the_reason_of_a_uri_without_places(
    uri: str, scheme: str, download: str | None, words: str
) -> None:
    """It depends on the form of the URI."""
    assert words in not_found(uri, scheme, [], download).message


def test_a_failed_download_is_the_reason() -> None:
    """The places in the caches do not matter then."""
    assert (
        "no connection"
        in not_found("https://a/b/models/c", "https", ["/nowhere"], "no connection").message
    )


def test_a_name_in_another_case_is_suggested(tmp_path: Path) -> None:
    """File systems that ignore the case of names hide this error from the author of a model."""
    (tmp_path / "Meshes").mkdir()
    (tmp_path / "Meshes" / "A.stl").touch()
    failure = not_found("meshes/a.stl", "", [str(tmp_path / "meshes" / "a.stl")], None)
    assert str(tmp_path / "Meshes" / "A.stl") in failure.hint
