"""Reports of the content that a scene does not hold."""

from __future__ import annotations

import pytest

from tests.support.mjcf_documents import BALL, read

BODY = f'<body name="b"><joint name="j"/>{BALL}</body>'


@pytest.mark.parametrize(
    ("body", "section", "subjects"),
    [
        (BODY.replace('"j"', '"j" range="-1 1" limited="false"'), "", ("j",)),
        (
            BODY,
            (
                '<actuator><motor name="m" joint="j" forcerange="-1 1" '
                'forcelimited="false"/></actuator>'
            ),
            ("m",),
        ),
    ],
)
def test_what_is_not_carried_is_noted(body: str, section: str, subjects: tuple[str, ...]) -> None:
    (entry,) = read(body, section).diagnostics
    assert (entry.code, entry.fate, entry.subjects) == ("mjcf-in.not-carried", "noted", subjects)
