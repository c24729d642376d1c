"""Errors that are found before MuJoCo is asked, together with what MuJoCo refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.mjcf_documents import BALL, document, problems, written

WRONG = f'<body><joint name="j" axes="1 0 0"/>{BALL}</body>'
"""A joint with an attribute that MuJoCo does not have."""
UNKNOWN = '<actuator><motor joint="of the missing file"/></actuator>'
REFUSED = "mjcf-in.refused"


def codes(folder: Path, text: str, **files: str) -> list[str]:
    return sorted(problem.code for problem in problems(written(folder, text, **files)))


def test_a_number_that_is_none_and_a_refusal_are_both_reported(tmp_path: Path) -> None:
    text = document(
        f'{WRONG}\n<body pos="nan 0 0">{BALL}</body>\n<body pos="0 inf 0">{BALL}</body>', UNKNOWN
    )
    assert codes(tmp_path, text) == ["mjcf-in.not-finite", "mjcf-in.not-finite", REFUSED, REFUSED]


def test_of_a_document_without_an_included_file_only_what_does_not_follow_is_reported(
    tmp_path: Path,
) -> None:
    text = document(f'<include file="gone.xml"/>\n{WRONG}', UNKNOWN)
    assert codes(tmp_path, text) == ["mjcf-in.include", REFUSED]


def test_what_is_wrong_about_the_same_element_is_not(tmp_path: Path) -> None:
    """With 1 in the place of NaN the limits are refused, which says nothing about the file."""
    text = document(f'\n<body><joint range="nan 0.5" limited="true"/>{BALL}</body>\n')
    assert codes(tmp_path, text) == ["mjcf-in.not-finite"]


def test_what_is_wrong_about_an_element_in_the_same_line_is(tmp_path: Path) -> None:
    text = document(
        f"<body>{BALL}</body>", '<option timestep="nan"><flag gravty="disable"/></option>'
    )
    assert codes(tmp_path, text) == ["mjcf-in.not-finite", REFUSED]


def test_mujoco_is_not_asked_about_what_is_too_large(tmp_path: Path) -> None:
    assert REFUSED not in codes(tmp_path, document(WRONG, '<size nuserdata="2000000000"/>'))


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("/etc/passwd", "resource.outside"),
        ("gone.xml", "resource.not-found"),
        ("part.xml", "xml.syntax"),
    ],
)
def test_without_an_attached_model_the_rest_of_the_text_is_judged(
    file: str, expected: str, tmp_path: Path
) -> None:
    section = f'<asset><model name="m" file="{file}"/></asset>'
    text = document(f'{WRONG}<attach model="m" body="b" prefix="p"/>', section)
    found = codes(tmp_path, text, part_xml="<mujoco><worldbody>")
    assert REFUSED in found
    assert set(found) <= {"mjcf-in.include", REFUSED, expected}
    assert found.count(REFUSED) == 1
