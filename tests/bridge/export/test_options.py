"""Options of the exports: declared once, documented, and typed as the keywords are."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import bridge
from bridge.targets.directives import DirectivesOptions
from bridge.targets.mjcf import MjcfOptions
from bridge.targets.options import (
    DirectivesExportOptions,
    ExportOptions,
    MjcfExportOptions,
    SdfExportOptions,
    UrdfExportOptions,
    changed_options,
    option,
    options_of,
)
from bridge.targets.sdf import SdfOptions
from bridge.targets.urdf import UrdfOptions
from loaders import LoadOptions

TARGETS: dict[str, tuple[type, type[ExportOptions], Callable[..., Any]]] = {
    "mujoco": (MjcfOptions, MjcfExportOptions, bridge.to_mjcf),
    "SDFormat": (SdfOptions, SdfExportOptions, bridge.to_sdf),
    "URDF": (UrdfOptions, UrdfExportOptions, bridge.to_urdf),
    "Drake's directives": (DirectivesOptions, DirectivesExportOptions, bridge.export_directives),
}
EACH = pytest.mark.parametrize(
    ("keywords", "kind", "function"), TARGETS.values(), ids=TARGETS.keys()
)


@EACH
def test_the_keywords_of_the_functions_are_the_fields_of_the_options(
    keywords: type, kind: type[ExportOptions], function: Callable[..., Any]
) -> None:
    hints = get_type_hints(keywords)
    own = {name: hints[name] for name in hints.keys() - LoadOptions.__annotations__.keys()}
    fields = get_type_hints(kind)
    del fields["strict"]
    if kind is MjcfExportOptions:
        fields["policy"] |= None  # the policy of the format of the source
    assert own == fields
    for name in (*fields, "strict"):
        assert f"{name}: " in (function.__doc__ or "")


@EACH
def test_the_choices_are_those_of_the_type(
    keywords: type, kind: type[ExportOptions], function: Callable[..., Any]
) -> None:
    hints = get_type_hints(kind)
    for entry in options_of(kind):
        if not isinstance(entry.default, bool) and hints[entry.name] is not str:
            stated = hints[entry.name]
            literal = get_args(stated)[0] if isinstance(entry.default, tuple) else stated
            assert entry.choices == get_args(literal)
        assert entry.help or not entry.flag, "what the command line shows has a help text"


@pytest.mark.parametrize("title", list(TARGETS)[1:])
def test_the_page_on_writers_lists_every_option(title: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "writers.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    table = section.partition("| option | values |")[2].partition("\n\n")[0]
    listed = [
        name for row in table.splitlines()[1:] for name in re.findall(r"`(\w+)`", row.split("|")[1])
    ]
    assert set(listed) == {field.name for field in dataclasses.fields(TARGETS[title][1])}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Own(ExportOptions):
    unit: str = dataclasses.field(default="m", metadata=option("unit", choices=("m", "mm")))
    shadows: bool = True
    hidden: bool = dataclasses.field(default=False, metadata=option(flag=""))
    parts: tuple[str, ...] = dataclasses.field(
        default=("a",), metadata=option(choices=("a", "b"), flag="--own-parts", item="part")
    )


def test_flags_follow_from_names_and_defaults() -> None:
    flags = {entry.name: (entry.flag, entry.key) for entry in options_of(Own)}
    assert flags == {
        "unit": ("--unit", "unit"),
        "shadows": ("--no-shadows", "shadows"),
        "hidden": ("", ""),
        "parts": ("--own-parts", "own_parts"),
    }
    assert changed_options(Own(unit="mm", strict=True)) == {"unit": "mm"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"unit": "km"}, ValueError, "unknown value 'km' of unit; expected one of: m, mm"),
        ({"shadows": "no"}, TypeError, "shadows = 'no'; expected True or False"),
        ({"parts": "a"}, TypeError, "expected a sequence of parts, such as ('a',), not a string"),
        ({"parts": ("a", "c")}, ValueError, "unknown value 'c' of part; expected one of: a, b"),
    ],
)
def test_a_value_that_an_option_cannot_have_is_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        Own(**options)
    assert str(caught.value) == message
