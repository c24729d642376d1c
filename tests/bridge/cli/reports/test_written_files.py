"""The files that a command wrote are counted by folder."""

from __future__ import annotations

import pytest

from bridge.cli.commands.convert import in_short


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        ([], []),
        (["out/a.xml"], ["out/a.xml"]),
        (["a.sdf", "a_assets/x.obj"], ["a.sdf", "a_assets/x.obj"]),
        (
            ["a.sdf", "a_assets/x.obj", "a_assets/b/y.obj"],
            ["a.sdf", "a_assets/: 2 files (-v lists them)"],
        ),
        (
            ["/o/p/a.xml", "/o/p/m/x.obj", "/o/p/m/y.obj", "/o/p/N.md"],
            ["/o/p/a.xml", "/o/p/N.md", "/o/p/m/: 2 files (-v lists them)"],
        ),
        (
            ["../o/m.yaml", "../o/m/a.sdf", "../o/m/b.sdf"],
            ["../o/m.yaml", "../o/m/: 2 files (-v lists them)"],
        ),
    ],
)
def test_folders_are_counted(files: list[str], shown: list[str]) -> None:
    assert in_short(files) == shown
