"""The printed command repeats the comparison."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.cli import main
from bridge.cli.inputs import search
from bridge.cli.parser import parse
from bridge.parity.verdict import load_words, setting

ROOT = Path(__file__).parents[4]


def test_the_command_line_reads_the_same_options_from_its_arguments() -> None:
    options = {
        "lenient": True,
        "package_map": {"arm": ROOT / "assets"},
        "paths": [ROOT],
        "srdf": "my arm.srdf",
    }
    words = [
        "compare",
        "a.sdf",
        *load_words({**options, "unsafe_paths": True, "allow_xacro": True, "fetch": True}),
    ]
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
    assert (parsed.engines, parsed.level, parsed.configurations, parsed.seed) == (
        ("mujoco",),
        ("L0",),
        3,
        7,
    )
    assert parsed.base == "free"
    assert (parsed.path, parsed.package, parsed.set) == (
        [folder],
        [("arm", folder)],
        [("elbow", 0.5)],
    )


MOMENTS = '<mass value="1"/><inertia ixx="{}" iyy=".1" izz=".1" ixy=".01" ixz="0" iyz="0"/>'
URDF = (
    f'<robot name="r"><link name="base"><inertial>{MOMENTS}</inertial></link><link name="b">'
    f"<inertial>{MOMENTS}</inertial>"
    '<collision><geometry><mesh filename="package://{}/m.obj"/></geometry></collision></link>'
    '<joint name="j 1" type="revolute"><parent link="base"/><child link="b"/><axis xyz="0 1 1"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
)
MESH = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
REPEATED: dict[str, tuple[str, dict[str, Any]]] = {
    "mapped package, two engines": (
        "mapped.urdf",
        {"seed": 5, "configurations": 2, "levels": "L1"},
    ),
    "searched package, repaired inertia, fixed base, chosen position": (
        "found.urdf",
        {
            "seed": 3,
            "configurations": 4,
            "inertia": "repair",
            "base": "fixed",
            "engines": "mujoco",
            "levels": ("L0", "L1"),
            "positions": {"j 1": 0.123456789012345},
        },
    ),
    "quaternion": (
        "leg.sdf",
        {"seed": 11, "levels": "L0", "positions": {"hip": (0.6, 0.0, 0.8, 0.0)}},
    ),
    "freed base in motion": (
        "double_pendulum.urdf",
        {"seed": 2, "base": "free", "engines": "mujoco", "levels": "L2"},
    ),
    "lenient": (
        "gripper/model.sdf",
        {"seed": 7, "configurations": 3, "lenient": True, "levels": ("L0", "L1")},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), REPEATED.values(), ids=REPEATED)
def test_the_command_repeats_every_number(
    name: str, options: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Random configurations, velocities and errors are the same to the last digit."""
    folder = tmp_path / "my packages" / "thing"
    folder.mkdir(parents=True)
    (folder / "m.obj").write_text(MESH)
    (folder / "package.xml").write_text("<package><name>thing</name></package>")
    (tmp_path / "mapped.urdf").write_text(URDF.format(".1", ".1", "other"))
    (tmp_path / "found.urdf").write_text(URDF.format("1", ".1", "thing"))
    extra = {
        "mapped.urdf": {"package_map": {"other": folder}},
        "found.urdf": {"paths": [folder.parent]},
    }.get(name, {})
    source = tmp_path / name if (tmp_path / name).exists() else ROOT / "assets" / name
    found = bridge.compare(source, **options, **extra)
    capsys.readouterr()
    main([*shlex.split(found.command)[1:], "--json"])
    repeated = json.loads(capsys.readouterr().out)
    assert found.rows
    assert repeated["rows"] == json.loads(json.dumps(found.to_dict()))["rows"]
    assert repeated["verdict"] == found.verdict


def test_options_that_only_python_has_are_named() -> None:
    found = bridge.compare(
        ROOT / "assets" / "double_pendulum.urdf",
        engines="mujoco",
        levels="L0",
        schemes={"own": [ROOT]},
    )
    assert found.command.endswith("  # and, from Python only: schemes")


def test_positions_are_as_the_command_line_takes_them() -> None:
    assert setting("elbow", -0.5) == "elbow=-0.5"
    assert setting("wrist", (1, 0, 0, 0)) == "wrist=1.0,0.0,0.0,0.0"
