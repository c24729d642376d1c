"""Paths, links, commands and quoted messages in the documentation refer to what exists."""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest
from PIL import Image

import loaders
import sdfbridge
from bridge.cli.parser import make_parser, subparsers_of
from bridge.diagnostic_codes import CODES
from docs.make_animations import ANIMATIONS, MOST_BYTES
from docs.make_plots import PLOTS, draw
from docs.table_cells import write_page

# Paths, links and commands in the documentation refer to something that exists.

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PROJECT = ("loaders", "bridge", "tests", "docs", "benchmarks", "examples", "assets")
PATH = re.compile(rf"(?<![\w/.:-])((?:{'|'.join(PROJECT)})/[\w./*-]*[\w/])")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def paths_in(text: str) -> set[str]:
    """Paths of the project in a text; of a pattern, the folder before it."""
    return {
        path.partition("*")[0].rpartition("/")[0] if "*" in path else path
        for path in PATH.findall(text)
    }


def anchors_of(page: Path) -> set[str]:
    """Anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "gallery.md"], ids=lambda page: page.name
)
def test_every_path_exists(page: Path) -> None:
    missing = {
        path for path in paths_in(page.read_text(encoding="utf-8")) if not (ROOT / path).exists()
    }
    assert missing == set()


def test_paths_are_found_in_a_text() -> None:
    text = (
        "see `bridge/targets/mjcf/__init__.py`, tests/bridge/targets/pybullet/test_*.py, "
        "../shared/docs/x.md and robots/arm.urdf"
    )
    assert paths_in(text) == {"bridge/targets/mjcf/__init__.py", "tests/bridge/targets/pybullet"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_page_and_a_heading(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith("http"):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file) if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_table_has_a_header_and_rows_of_equal_length(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.startswith("|") and not lines[number - 1].startswith("|"):
            assert re.fullmatch(r"\|(?:[ :]*-+[ :]*\|)+", lines[number + 1]), (
                f"line {number + 1} begins no table"
            )


def paragraphs_of(text: str) -> list[str]:
    """Paragraphs and items of lists, without code, tables and headings."""
    prose = re.sub(r"(?ms)^ *(```+|:::+).*?^ *\1\s*$", "", text)
    blocks = re.findall(r"(?:^(?!\s*$|\||#|<!--|\[).*(?:\n|\Z))+", prose, re.MULTILINE)
    return [
        item
        for block in blocks
        for item in re.split(r"(?m)^(?= *(?:[*-]|\d+\.) )", block)
        if item.strip()
    ]


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted((ROOT / "docs").glob("*/*.md"))], ids=lambda page: page.name
)
def test_no_paragraph_has_more_than_five_lines(page: Path) -> None:
    long = [
        paragraph[:80]
        for paragraph in paragraphs_of(page.read_text(encoding="utf-8"))
        if len(paragraph.strip().split("\n")) > 5 or len(paragraph) > 5 * 150
    ]
    assert long == []


def test_paragraphs_are_found_in_a_text() -> None:
    text = "# A\n\none\ntwo\n* three\n  four\n\n| a |\n|---|\n```py\nfive\n```\nsix\n"
    assert paragraphs_of(text) == ["one\ntwo\n", "* three\n  four\n", "six\n"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_has_raw_html(page: Path) -> None:
    """An element of a model, such as ``<script>``, would hide the rest of the page unless it is
    code or escaped.
    """
    text = re.sub(
        r"^```.*?^```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    assert re.findall(r"(?<!\\)<[a-zA-Z/][^ ]*", text) == []


def test_the_page_of_the_command_line_lists_every_option_and_command() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name, subparser in _subparsers().items():
        assert f"| `{name}" in text, name
        long = [
            option
            for action in subparser._actions
            for option in action.option_strings
            if option.startswith("--")
        ]
        assert [
            option for option in long if option not in text and option not in {"--help", "--out"}
        ] == []


@pytest.mark.slow
def test_the_commands_in_the_pages_have_options_that_exist() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    commands = re.findall(r"`sdfbridge (convert|compare|view|check|info) ([^`]*)`", text)
    assert commands
    for name, words in commands:
        help_text = _subparsers()[name].format_help()
        options = [word for word in shlex.split(words) if word.startswith("--")]
        assert [option for option in options if option not in help_text] == [], (name, words)


def test_the_guide_quotes_the_source() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    before_and_quote = re.findall(r"(.*?)\n +```text\n(.*?)\n +```", guide, re.DOTALL)
    assert len(before_and_quote) == 6
    for before, quote in before_and_quote:
        file = re.findall(r"In `([^`]+\.py)`", before)[-1]
        source = (ROOT / file).read_text(encoding="utf-8")
        assert [line for line in quote.splitlines() if line.strip() not in source] == [], file


@pytest.mark.slow
def test_the_examples_of_the_guide_run() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    output = [_run(block) for block in blocks]
    assert [
        link.name
        for link in loaders.load(ROOT / "assets" / "leg.sdf").links
        if link.name not in output[0]
    ] == []
    assert output[1].splitlines() == [
        "DIFFERS mass matrix",
        "the engine heavy does not report bias forces",
    ]


def _run(code: str) -> str:
    """Run code as a script in the root of the project; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout


def _subparsers() -> dict[str, ArgumentParser]:
    return subparsers_of(make_parser())


def test_a_long_table_of_a_generated_page_becomes_a_data_file(tmp_path: Path) -> None:
    rows = "".join(f"| a{i} | x \\| y |\n" for i in range(61))
    write_page(
        tmp_path / "page.md",
        (
            f"# Some page\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## All rows\n\n| a | b "
            f"|\n|---|---|\n{rows}"
        ),
    )
    page = (tmp_path / "page.md").read_text()
    assert "| 1 | 2 |" in page
    assert "[All 61 rows](data/page-all-rows.csv)" in page
    with (tmp_path / "data" / "page-all-rows.csv").open() as file:
        table = list(csv.reader(file))
    assert table[0] == ["a", "b"]
    assert table[1] == ["a0", "x | y"]
    assert len(table) == 62


@pytest.mark.parametrize("page", PLOTS)
def test_a_page_of_numbers_has_a_plot_that_its_data_draw(page: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert f"](pictures/plots/{page}.svg)" in text
    draw(page, tmp_path / "plot.svg")
    made, kept = (
        (folder / name).read_text(encoding="utf-8")
        for folder, name in (
            (tmp_path, "plot.svg"),
            (ROOT / "docs" / "pictures" / "plots", f"{page}.svg"),
        )
    )
    words = re.compile(r"<text[^>]*>([^<]*)</text>")
    assert words.findall(made) == words.findall(kept), "run python docs/make_plots.py"


@pytest.mark.parametrize("name", ANIMATIONS)
def test_an_animation_moves_is_small_and_stands_on_a_page(name: str) -> None:
    file = ROOT / "docs" / "pictures" / f"{name}.webp"
    assert file.stat().st_size < MOST_BYTES
    with Image.open(file) as shown:
        assert getattr(shown, "n_frames", 1) >= 10
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert f"](pictures/{name}.webp)" in text


# The page of troubleshooting quotes messages as they are, and names codes that exist.

PAGE = Path(__file__).parents[1] / "docs" / "troubleshooting.md"
ROWS = {
    code: message.strip()
    for message, code in re.findall(
        r"^\| ([^|]*?)`\[([a-z-]+\.[a-z-]+)\]` \|", PAGE.read_text("utf-8"), re.MULTILINE
    )
}
MESH = '<link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link>'
JOINT = (
    '<joint name="{}" type="fixed"><parent link="{}"/><child link="c"/><origin xyz="{}"/></joint>'
)
LINKS = '<link name="a"/><link name="b"/><link name="c"/>'
FILES = {
    "xml.not-a-number": (
        "r.urdf",
        f"<robot name='r'>{LINKS}{JOINT.format('j', 'a', '0,0,1')}</robot>",
    ),
    "xacro.not-allowed": (
        "r.urdf.xacro",
        "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'/>",
    ),
    "urdf.two-parents": (
        "r.urdf",
        (
            f"<robot "
            f"name='r'>{LINKS}{JOINT.format('j', 'a', '0 0 0')}{JOINT.format('k', 'b', '0 0 0')}</robot>"
        ),
    ),
    "mjcf-in.refused": (
        "r.xml",
        "<mujoco><worldbody><geom size='1' type='bx'/></worldbody></mujoco>",
    ),
    "resource.not-found": (
        "r.urdf",
        f"<robot name='r'>{MESH.format('package://arm/a.stl')}</robot>",
    ),
    "resource.outside": ("r.urdf", f"<robot name='r'>{MESH.format('../beside.stl')}</robot>"),
    "sdf.include-not-found": (
        "r.sdf",
        (
            "<sdf version='1.9'><world "
            "name='w'><include><uri>model://sun</uri></include></world></sdf>"
        ),
    ),
}


@pytest.mark.parametrize("code", FILES)
def test_a_message_is_that_of_the_page(code: str, tmp_path: Path) -> None:
    name, text = FILES[code]
    (tmp_path / "beside.stl").write_text("solid", encoding="utf-8")
    (tmp_path / "robot").mkdir()
    file = tmp_path / "robot" / name
    file.write_text(text, encoding="utf-8")
    try:
        found = sdfbridge.load(file, quiet=True).diagnostics
    except sdfbridge.LoadError as error:
        found = error.findings
    messages = [entry.message for entry in found if entry.code == code]
    pattern = re.escape(ROWS[code]).replace(r"\.\.\.", ".*")
    assert any(re.search(pattern, message) for message in messages), messages


def test_a_missing_file_is_reported_as_on_the_page(tmp_path: Path) -> None:
    with pytest.raises(sdfbridge.LoadError) as caught:
        sdfbridge.load(tmp_path / "no_such_robot.urdf")
    (entry,) = caught.value.diagnostics
    assert (entry.code, entry.message) == ("file.unreadable", ROWS["file.unreadable"])


def test_every_code_of_the_page_is_registered() -> None:
    assert [code for code in ROWS if code not in CODES] == []
