"""An argument without a value is an error that names it; lenient loading takes it as empty, and as
false.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders

pytest.importorskip("xacro")

ROBOT = """<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>
<xacro:if value='$(arg fixed)'><link name='world'/></xacro:if>
<xacro:unless value="$(arg fixed)"><link name='$(arg prefix)base'/></xacro:unless>{}</robot>"""
NEEDED = "<link name='l'><inertial><mass value='${{2 * {}}}'/></inertial></link>"


def load(folder: Path, body: str = "", **options: object) -> loaders.Scene:
    path = folder / "robot.urdf.xacro"
    path.write_text(ROBOT.format(body))
    return loaders.load(path, allow_xacro=True, quiet=True, **options)


def errors(folder: Path, body: str = "", **options: object) -> list[tuple[str, object]]:
    with pytest.raises(loaders.LoadError) as caught:
        load(folder, body, **options)
    return [(entry.code, entry.arguments.get("name")) for entry in caught.value.diagnostics]


def test_lenient_loading_takes_an_argument_without_a_value_as_empty_and_as_false(
    tmp_path: Path,
) -> None:
    scene = load(tmp_path, lenient=True)
    assert [link.name for link in scene.links] == ["base"]
    skipped = [entry for entry in scene.diagnostics if entry.fate is loaders.Fate.SKIPPED]
    assert [(entry.code, entry.arguments["name"]) for entry in skipped] == [
        ("xacro.missing-argument", "fixed"),
        ("xacro.missing-argument", "prefix"),
    ]


def test_an_argument_with_a_value_is_not_assumed(tmp_path: Path) -> None:
    scene = load(tmp_path, xacro_args={"fixed": "false", "prefix": "left_"}, lenient=True)
    assert [link.name for link in scene.links] == ["left_base"]
    assert [entry.code for entry in scene.diagnostics] == ["xacro.expanded"]


def test_a_strict_load_names_every_argument_at_once(tmp_path: Path) -> None:
    both = [("xacro.missing-argument", "fixed"), ("xacro.missing-argument", "prefix")]
    assert errors(tmp_path) == both


def test_an_argument_that_is_needed_stays_an_error_without_what_follows_from_it(
    tmp_path: Path,
) -> None:
    found = errors(
        tmp_path,
        NEEDED.format("$(arg mass)"),
        xacro_args={"fixed": "0", "prefix": ""},
        lenient=True,
    )
    assert found == [("xacro.missing-argument", "mass")]


def test_an_empty_condition_without_a_missing_argument_stays_an_error(tmp_path: Path) -> None:
    found = errors(tmp_path, xacro_args={"fixed": "", "prefix": ""}, lenient=True)
    assert [code for code, _ in found] == ["xacro.failed"]
