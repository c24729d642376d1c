"""The findings of a writer."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
import loaders
from bridge.targets.report import Report, value_text
from loaders import model as m
from loaders.diagnostics import Code, Fate
from loaders.pose import Pose


def test_findings_name_the_target() -> None:
    report = Report("sdf")
    report.add(Code("sdfout.name", Fate.NOTED, "x", meaning=""))
    assert [entry.target for entry in report.entries] == ["sdf"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "0.25"),
        ((0.1, 0.0), "0.1 0"),
        (np.array((1.0, 0.0, -0.5)), "1 0 -0.5"),
        (np.diag((0.0, 2.5)), "2.5 at 1 1"),
        ((("youngs_modulus", "1e5"),), "youngs_modulus 1e5"),
        (m.Hydroelastic(compliance="rigid", margin=0.01), "compliance rigid, margin 0.01"),
        (Pose.of(p=(1.0, 2.0, 3.0)), "1 2 3 1 0 0 0"),
        (True, "True"),
    ],
)
def test_a_value_is_written_without_the_syntax_of_python(value: object, text: str) -> None:
    assert value_text(value) == text


def test_a_part_without_a_name_has_that_of_what_it_acts_on() -> None:
    joints = "".join(f"<body><joint name='{name}'/><geom size='1'/></body>" for name in "abcd")
    pairs = "".join(f"<joint joint1='{a}' joint2='{b}' solref='0.1 1'/>" for a, b in ("ab", "cd"))
    body = f"<body><geom size='1'/>{joints}</body>"
    source = f"<mujoco><worldbody>{body}</worldbody><equality>{pairs}</equality></mujoco>"
    coupled = loaders.load_string(source, format="mjcf", quiet=True)
    for written in (bridge.to_sdf, bridge.to_urdf):
        found = [
            entry.arguments
            for entry in written(coupled, quiet=True).diagnostics
            if entry.code.endswith(".field")
        ]
        assert [entry["owner"] for entry in found if entry["kind"] == "coupling"] == ["a", "c"]
