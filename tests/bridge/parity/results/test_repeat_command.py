"""The printed command repeats the comparison."""

from __future__ import annotations

import shlex
from pathlib import Path

import bridge
from bridge.cli.inputs import search
from bridge.cli.parser import parse
from bridge.parity.results.repeat_command import load_words, setting

ROOT = Path(__file__).parents[4]


def test_the_command_line_reads_the_same_options_from_its_arguments() -> None:
    options = {"lenient": True, "package_map": {"arm": ROOT / "assets"}, "paths": [ROOT], "srdf": "my arm.srdf"}
    words = ["compare", "a.sdf", *load_words({**options, "unsafe_paths": True, "allow_xacro": True, "fetch": True})]
    parsed = parse(words)
    assert not isinstance(parsed, int)
    assert (parsed.lenient, parsed.xacro, parsed.srdf) == (True, True, Path("my arm.srdf"))
    assert search(parsed) == {
        "package_map": {"arm": ROOT / "assets"},
        "paths": [ROOT],
        "unsafe_paths": True,
        "fetch": True,
    }


def test_a_comparison_from_python_names_everything_that_it_was_asked(tmp_path: Path) -> None:
    folder = tmp_path / "my models"
    folder.mkdir()
    found = bridge.compare(
        ROOT / "assets" / "double_pendulum.urdf",
        engines="mujoco",
        levels="L0",
        configurations=3,
        seed=7,
        paths=[folder],
        package_map={"arm": folder},
        positions={"elbow": 0.5},
        base="free",
    )
    program, *words = shlex.split(found.command)
    parsed = parse(words)
    assert not isinstance(parsed, int)
    assert (program, parsed.command, parsed.file) == ("sdfbridge", "compare", found.source)
    assert (parsed.engines, parsed.level, parsed.configurations, parsed.seed) == (("mujoco",), ("L0",), 3, 7)
    assert parsed.base == "free"
    assert (parsed.path, parsed.package, parsed.set) == ([folder], [("arm", folder)], [("elbow", 0.5)])


def test_positions_are_as_the_command_line_takes_them() -> None:
    assert setting("elbow", -0.5) == "elbow=-0.5"
    assert setting("wrist", (1, 0, 0, 0)) == "wrist=1.0,0.0,0.0,0.0"
