"""Options that several commands share."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.cli.inputs import search
from bridge.cli.options import (
    LEVELS,
    add_compare_options,
    add_export_options,
    add_load_options,
    export_options,
)
from bridge.parity.verdict import DEFAULT_LEVELS, Level
from bridge.targets.mjcf import MjcfOptions
from bridge.targets.options import MjcfExportOptions
from loaders.collision_pairs import POLICIES


def test_every_export_option_is_a_keyword_of_the_library_with_the_same_default() -> None:
    parser = ArgumentParser()
    add_load_options(parser)
    add_export_options(parser)
    keywords = export_options(parser.parse_args(["a.sdf"]))
    assert keywords.keys() <= MjcfOptions.__optional_keys__
    assert keywords.pop("policy") is None, "the policy of the format of the source"
    assert MjcfExportOptions(**keywords) == MjcfExportOptions()


def test_the_policies_and_levels_are_those_of_the_library() -> None:
    parser = ArgumentParser()
    add_export_options(parser)
    choices = {action.dest: action.choices for action in parser._actions}
    assert set(choices["policy"] or ()) == set(POLICIES)
    parser = ArgumentParser()
    add_compare_options(parser)
    assert parser.parse_args([]).level == DEFAULT_LEVELS
    assert tuple(Level) == LEVELS


def test_packages_and_paths_reach_the_library(tmp_path: Path) -> None:
    parser = ArgumentParser()
    add_load_options(parser)
    for name in ("cups", "shelf", "table"):
        (tmp_path / name).mkdir()
    words = [
        "--package",
        f"cups={tmp_path / 'cups'}",
        "--path",
        str(tmp_path / "shelf"),
        "--path",
        str(tmp_path),
    ]
    assert search(parser.parse_args(["a.sdf", *words])) == {
        "package_map": {"cups": tmp_path / "cups"},
        "paths": [tmp_path / "shelf", tmp_path],
        "fetch": False,
        "unsafe_paths": False,
    }


def test_xacro_runs_only_on_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    text = (
        "<robot name='r' xmlns:xacro='http://wiki.ros.org/xacro'><link name='l${1 + 1}'/></robot>"
    )
    (tmp_path / "r.urdf.xacro").write_text(text)
    assert main(["info", str(tmp_path / "r.urdf.xacro")]) == 1
    assert main(["info", "--xacro", str(tmp_path / "r.urdf.xacro")]) == 0
    assert "l2" in capsys.readouterr().out
