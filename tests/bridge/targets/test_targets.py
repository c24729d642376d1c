"""The registry of targets, with one that another package adds, and their options."""

from __future__ import annotations

import dataclasses
import logging
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import bridge
import loaders
import sdfbridge
from bridge.batches.tasks import checked_options
from bridge.batches.tasks import convert as convert_in_batch
from bridge.cli import main
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
)
from bridge.targets.sdf import SdfOptions
from bridge.targets.target import BUILT_IN, ENTRY_POINTS, targets
from bridge.targets.urdf import UrdfOptions
from loaders import LoadOptions

# The registry of targets: those of this package, and one that another package adds.

ROOT = Path(__file__).parents[3]
LEG = str(ROOT / "assets" / "leg.sdf")
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## How to add a target\n")[2].partition("\n## ")[0]
BLOCKS = dict(re.findall(r"```(\w+)\n(.*?)```", SECTION, re.DOTALL))
"""The module and the entry point of the page."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages with that of the page, as pip would lay it out."""
    folder = tmp_path / "site"
    metadata = folder / "mass_table-1.0.dist-info"
    metadata.mkdir(parents=True)
    module = BLOCKS["python"].rpartition("\nprint(")[0]
    (folder / "mass_table.py").write_text(module + "\n", encoding="utf-8")
    points = tomllib.loads(BLOCKS["toml"])["project"]["entry-points"][ENTRY_POINTS]
    points |= {"broken": "mass_table:gone", "odd": "builtins:print", "sdf": "mass_table:MASSES"}
    lines = [f"[{ENTRY_POINTS}]", *(f"{name} = {value}" for name, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: mass-table\nVersion: 1.0\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "mass_table", raising=False)
    return folder


def masses(folder: Path) -> dict[str, float]:
    """The masses of a table in grams, by link."""
    rows = [line.split() for line in (folder / "masses.txt").read_text().splitlines()]
    assert {unit for _, _, unit in rows} == {"g"}
    return {name: float(mass) for name, mass, _ in rows}


def test_the_functions_of_each_target_are_public() -> None:
    for name in BUILT_IN:
        for function in (f"export_{name}", f"to_{name}"):
            assert function in bridge.__all__
            assert function in sdfbridge.__all__


def test_the_command_writes_a_registered_target(site: Path, tmp_path: Path) -> None:
    words = ["convert", LEG, str(tmp_path / "out"), "--to", "masses", "--unit", "g"]
    assert main([*words, "--check"]) == 1
    assert main(words) == 0
    assert main([*words, "--check"]) == 0
    links = {link.name: link for link in loaders.load(LEG).links}
    for name, mass in masses(tmp_path / "out").items():
        inertia = links[name].inertia
        assert inertia is not None
        assert mass == pytest.approx(1000.0 * inertia.mass, rel=1e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["out", "--unit", "g"], "--unit applies to --to masses"),
        (["out", "--to", "masses", "--no-couplings"], "--no-couplings applies to --to urdf"),
        (["out", "--to", "masses", "--unit", "t"], "unknown value of --unit: 't'"),
        (["out.xml", "--to", "masses"], "--to masses writes a folder"),
    ],
)
def test_options_of_a_registered_target_are_checked(
    words: list[str],
    message: str,
    site: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["convert", LEG, *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_batch_writes_a_registered_target(site: Path, tmp_path: Path) -> None:
    options = checked_options("convert", {"to": "masses", "unit": "g"})
    fields = convert_in_batch(LEG, str(tmp_path), options)
    assert (fields["outcome"], fields["report"]) == ("converted", "")
    (folder,) = (tmp_path / "models").iterdir()
    assert masses(folder)
    with pytest.raises(ValueError, match="unknown value 't' of unit; expected one of: kg, g"):
        checked_options("convert", {"to": "masses", "unit": "t"})


@pytest.mark.slow
def test_help_and_completion_of_a_new_process_have_a_registered_target(site: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(site)))}
    for words in (["convert", "--help"], ["batch", "--help"], ["completion", "bash"]):
        done = subprocess.run(
            [sys.executable, "-m", "sdfbridge", *words],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        assert "masses" in done.stdout
        assert "--unit" in done.stdout


def test_a_target_that_cannot_be_used_is_left_out(
    site: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        found = targets()
    assert list(found) == [*BUILT_IN, "masses"]
    assert found["sdf"] is BUILT_IN["sdf"]
    messages = [record.getMessage() for record in caplog.records]
    assert any("mass_table:gone cannot be imported" in message for message in messages)
    assert any("builtins:print is not a Target of the name 'odd'" in text for text in messages)


# Options of the exports: declared once, documented, and typed as the keywords are.

TARGETS: dict[str, tuple[type, type[ExportOptions], Callable[..., Any]]] = {
    "mujoco": (MjcfOptions, MjcfExportOptions, bridge.to_mjcf),
    "SDFormat": (SdfOptions, SdfExportOptions, bridge.to_sdf),
    "URDF": (UrdfOptions, UrdfExportOptions, bridge.to_urdf),
    "Drake's directives": (DirectivesOptions, DirectivesExportOptions, bridge.export_directives),
}
"""The keywords, options and a function of each target."""
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


def test_the_options_of_every_target_are_tested() -> None:
    tested = [kind for _, kind, _ in TARGETS.values()]
    assert tested == [target.options for target in BUILT_IN.values()]


@EACH
def test_the_choices_are_those_of_the_type(
    keywords: type, kind: type[ExportOptions], function: Callable[..., Any]
) -> None:
    hints = get_type_hints(kind)
    for entry in kind.declared():
        if not isinstance(entry.default, bool) and hints[entry.name] is not str:
            stated = hints[entry.name]
            literal = get_args(stated)[0] if isinstance(entry.default, tuple) else stated
            if entry.of_names:  # a mapping from names to words, a word, or None
                (mapping,) = (kind for kind in get_args(stated) if get_args(kind))
                literal = get_args(mapping)[1]
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
    unit: str = option("m", "unit", choices=("m", "mm"))
    shadows: bool = True
    hidden: bool = option(False, flag="")
    parts: tuple[str, ...] = option(("a",), choices=("a", "b"), flag="--own-parts", item="part")


def test_flags_follow_from_names_and_defaults() -> None:
    flags = {entry.name: (entry.flag, entry.key) for entry in Own.declared()}
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
