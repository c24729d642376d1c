"""Numbers that are not plain, against C's strtod, and the findings about them."""

from __future__ import annotations

import pytest

from tests.support.xml_nodes import root_of


@pytest.mark.parametrize(
    ("text", "value", "codes"),
    [
        ("0x10", 16.0, []),
        ("1.5f", 1.5, ["xml.trailing-text"]),
        ("2 3", 2.0, ["xml.trailing-text"]),
        ("nan", 7.0, ["xml.not-finite"]),
        ("1,5", 7.0, ["xml.not-a-number"]),
        ("-1", 7.0, ["xml.out-of-range"]),
        (" ", 7.0, []),
    ],
)
def test_a_number_is_what_strtod_reads_or_the_default(
    text: str, value: float, codes: list[str]
) -> None:
    root, found = root_of(f"<a><n>{text}</n></a>")
    assert root.number("n", 7.0, minimum=0.0) == value
    assert [entry.code for entry in found] == codes


@pytest.mark.parametrize(
    ("text", "values", "codes"),
    [
        ("1 2", (7.0, 8.0, 9.0), ["xml.not-a-vector"]),
        ("0,0,1", (7.0, 8.0, 9.0), ["xml.not-a-number"]),
        ("1 x", (7.0, 8.0, 9.0), ["xml.not-a-number"]),
        ("1 2 3 4", (1.0, 2.0, 3.0), ["xml.trailing-text"]),
        ("1 x 3", (7.0, 8.0, 9.0), ["xml.not-a-number"]),
        ("0x1 2 3", (1.0, 2.0, 3.0), []),
    ],
)
def test_a_vector_has_the_first_numbers_or_the_default(
    text: str, values: tuple[float, ...], codes: list[str]
) -> None:
    root, found = root_of(f"<a v='{text}'/>")
    assert root.numbers("@v", 3, (7.0, 8.0, 9.0)) == values
    assert [entry.code for entry in found] == codes


def test_the_error_about_numbers_with_commas_says_how_to_separate_them() -> None:
    root, found = root_of("<a v='0,0,1'/>")
    root.numbers("@v", 3, (0.0, 0.0, 0.0))
    assert [entry.hint for entry in found] == ["separate numbers by spaces"]
