"""The exported README.md."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from bridge.targets.mjcf import export_mjcf
from loaders.model import WORLD, JointType
from loaders.text import printable
from tests.support.markdown_page import MarkdownPage
from tests.support.mjcf_scenes import hinge, link, scene_of


@pytest.mark.parametrize("held", [False, True])
def test_the_readme_of_a_robot_says_that_nothing_holds_it(held, tmp_path):
    weld = [hinge("weld", WORLD, "a", JointType.FIXED)] if held else []
    export_mjcf(
        scene_of(link("a"), link("b"), joints=(*weld, hinge("j", "a", "b"))), tmp_path / "demo"
    )
    assert (
        "The source does not fix `a` to the world" in (tmp_path / "demo" / "README.md").read_text()
    ) is not held


def test_names_in_the_pages_of_an_export_are_text_and_never_markup(tmp_path):
    names = (
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "a|b`c",
        "a\n# b",
    )
    links = [link(name) for name in ("base", *names)]
    joints = [hinge(name, "base", name) for name in names]
    scene = replace(scene_of(*links, joints=joints), source="/[x](javascript:alert(1))`|<b>.sdf")
    export_mjcf(scene, tmp_path / "demo")
    for file, addresses in {"README.md": ["FIDELITY.md"], "FIDELITY.md": []}.items():
        page = MarkdownPage((tmp_path / "demo" / file).read_text())
        assert page.addresses == addresses
        assert {"script", "img", "b", "em", "h4"}.isdisjoint(page.tags)
        assert page.tags.count("h1") == 1
        assert [
            name for name in names if file == "README.md" and printable(name) not in page.words
        ] == []


def test_every_row_of_the_tables_is_whole(tmp_path):
    names = ("a|b`c", "```", "a\nb", "\\|")
    scene = scene_of(
        link("base"), *map(link, names), joints=[hinge(name, "base", name) for name in names]
    )
    export_mjcf(scene, tmp_path / "demo")
    html = MarkdownPage((tmp_path / "demo" / "README.md").read_text()).html
    rows = re.findall(r"<td><code>(.*?)</code></td>\s<td>hinge</td>\s<td>(\d+)</td>", html)
    assert [(unescape(name), int(number)) for name, number in rows] == [
        (printable(name), 7 + i) for i, name in enumerate(names)
    ]
