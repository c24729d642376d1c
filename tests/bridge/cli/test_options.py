"""Options that several commands share."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.cli.options import POLICIES, add_export_options, add_load_options, export_options, search
from bridge.mjcf import MjcfOptions
from bridge.mjcf.xml.options import Options
from loaders.scene_queries import excluded_pairs


def test_every_export_option_is_a_keyword_of_the_library_with_the_same_default() -> None:
    parser = ArgumentParser()
    add_export_options(parser)
    keywords = export_options(parser.parse_args([]))
    assert keywords.keys() <= MjcfOptions.__optional_keys__
    assert Options(**keywords) == Options()


def test_every_policy_of_the_library_can_be_chosen() -> None:
    assert tuple(excluded_pairs.POLICIES) == POLICIES


def test_packages_and_paths_reach_the_library() -> None:
    parser = ArgumentParser()
    add_load_options(parser)
    options = parser.parse_args(["a.sdf", "--package", "cups=/tmp/cups", "--path", "shelf", "--path", "table"])
    assert search(options) == {
        "package_map": {"cups": Path("/tmp/cups")},
        "paths": [Path("shelf"), Path("table")],
        "unsafe_paths": False,
    }


def test_xacro_runs_only_on_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    text = "<robot name='r' xmlns:xacro='http://wiki.ros.org/xacro'><link name='l${1 + 1}'/></robot>"
    (tmp_path / "r.urdf.xacro").write_text(text)
    assert main(["info", str(tmp_path / "r.urdf.xacro")]) == 1
    assert main(["info", "--xacro", str(tmp_path / "r.urdf.xacro")]) == 0
    assert "l2" in capsys.readouterr().out
