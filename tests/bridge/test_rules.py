"""Findings that are switched off: by an option, or by a comment in the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bridge
from bridge.batches.tasks import check
from bridge.cli import main
from bridge.diagnostic_codes import CODES
from bridge.rules import comments_of
from loaders.diagnostics import Diagnostic, Fate, Where
from tests.support.command_line import call

LINKS = "".join(
    f'<link name="{name}"><inertial><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" '
    'iyz="0" izz=".01"/></inertial><collision><geometry><box size=".2 .2 .3"/></geometry>'
    "</collision></link>\n"
    for name in "abc"
)
JOINT = (
    '<joint name="{0}{1}" type="revolute"><parent link="{0}"/><child link="{1}"/>'
    '<origin xyz="0 0 .5"/><axis xyz="0 0 1"/>\n{2}\n'
    '<limit lower="-90" upper="90" effort="90" velocity="1"/></joint>\n'
)
REASON = "<!-- sdfbridge: ignore robot.degrees because it turns often -->"


def robot(before: str = "", within: str = "", root: str = "") -> str:
    """A robot with two joints whose limits are in degrees, and comments about the first."""
    joints = before + JOINT.format("a", "b", within) + JOINT.format("b", "c", "")
    return f'{root}<robot name="r">\n{LINKS}{joints}</robot>\n'


def found(path: Path, *options: str) -> tuple[int, list[str], int]:
    """The status, the codes with the first subject, and the number of ignored findings."""
    done = call("check", "--json", "-q", path, *options)
    report = json.loads(done.stdout)
    entries = [(entry["code"], *entry["subjects"][:1]) for entry in report["diagnostics"]]
    return done.returncode, [" ".join(entry) for entry in entries], report["results"][0]["ignored"]


BOTH = ["robot.degrees ab", "robot.degrees bc"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (robot(), BOTH),
        (robot(before=REASON), BOTH[1:]),
        (robot(within=REASON), BOTH[1:]),
        (robot(root=REASON), []),
        (robot(before="<!-- robot.degrees is ignored because of this -->"), BOTH),
        (robot(before=REASON.replace(".degrees", "")), BOTH[1:]),
        (robot(before=REASON.replace("degrees", "degree")), [*BOTH, "check.ignore-unknown"]),
        (
            robot(before=REASON.split(" because", maxsplit=1)[0] + " -->"),
            [*BOTH, "check.ignore-reason"],
        ),
        (robot(before=f"<![CDATA[{REASON}]]>"), BOTH),
    ],
)
def test_a_comment_ignores_findings_of_the_next_element_and_of_its_own(
    text: str, expected: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(text)
    _, codes, _ = found(path)
    assert sorted(code for code in codes if not code.startswith("xml.")) == sorted(expected)


SDF = """<sdf version="1.11"><model name="m">{comment}
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
<limit><lower>-90</lower><upper>90</upper></limit></axis></joint>
<link name="a"/><link name="b"/></model></sdf>"""
MJCF = """<mujoco><compiler angle="radian" autolimits="true"/><worldbody><body name="a">
{comment}
<joint name="j" range="-90 90"/><geom size=".1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("text", "name"), [(SDF, "m.sdf"), (MJCF, "m.xml")])
def test_comments_work_in_each_format_of_xml(text: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text.format(comment=""))
    assert "robot.degrees j" in found(path)[1]
    path.write_text(text.format(comment=REASON))
    _, codes, ignored = found(path)
    assert "robot.degrees j" not in codes
    assert ignored == 1


def test_ignored_findings_do_not_count_and_errors_always_do(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(robot())
    assert found(path, "--strict") == (1, BOTH, 0)
    assert found(path, "--strict", "--ignore", "robot.degrees") == (0, [], 2)
    assert found(path, "--strict", "--ignore", "robot") == (0, [], 2)
    assert found(path, "--strict", "--select", "mesh") == (0, [], 2)
    assert found(path, "--strict", "--select", "robot") == (1, BOTH, 0)
    assert "2 ignored" in call("check", path, "--ignore", "robot").stdout
    path.write_text(robot().replace('link="a"', 'link="z"'))
    status, codes, _ = found(path, "--ignore", "urdf", "--ignore", "model")
    assert status == 1
    assert codes


def test_an_unknown_code_is_refused_with_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "a.urdf", "--ignore", "robot.degree"]) == 2
    assert "did you mean 'robot.degrees'?" in capsys.readouterr().err
    assert main(["explain", "robot.degree"]) == 2
    assert main(["check"]) == 2


def test_all_rules_are_listed_and_each_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--rules", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {c.name: c.meaning for c in CODES.values()}
    assert main(["check", "--rules", "--select", "robot"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("robot.") for line in lines)
    assert main(["explain", "robot.degrees"]) == 0
    said = capsys.readouterr().out
    code = CODES["robot.degrees"]
    assert code.meaning in said
    assert code.remedy in said
    assert "the limits of joint JOINT, LOWER and UPPER rad" in said
    assert main(["explain", "--json", *CODES]) == 0
    assert json.loads(capsys.readouterr().out).keys() == CODES.keys()


def test_ignored_findings_have_a_suppression_in_sarif(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(robot(before=REASON))
    for options, kinds in (((), ["inSource"]), (("--ignore", "robot"), ["external"] * 2)):
        done = call("check", "-q", "--format", "sarif", path, *options)
        results = json.loads(done.stdout)["runs"][0]["results"]
        suppressions = [entry for result in results for entry in result.get("suppressions", ())]
        assert [entry["kind"] for entry in suppressions] == kinds
        reasons = [entry.get("justification") for entry in suppressions]
        assert reasons == (["it turns often"] if not options else [None, None])


def test_a_comment_in_a_macro_holds_for_its_expansions(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf.xacro"
    joints = JOINT.format("a", "${child}", "")
    macro = (
        '<xacro:macro name="arm" params="child">\n{}{}</xacro:macro>\n'
        '<xacro:arm child="b"/>\n<xacro:arm child="c"/>\n'
    )
    head = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">\n'
    for comment, count in ((REASON, 0), ("", 2)):
        path.write_text(f"{head}{LINKS}{macro.format(comment, joints)}</robot>")
        assert len(found(path, "--xacro", "--select", "robot.degrees")[1]) == count


YAML = """{head}directives:
- add_model:{inline}
    name: r
    file: r.sdf
{before}- add_weld:
    parent: world
    child: r::nothing
"""


@pytest.mark.parametrize(
    ("place", "covers"),
    [("head", [1, 2, 6]), ("inline", [2, 4]), ("before", [6, 7, 8])],
)
def test_comments_of_yaml_hold_for_an_entry(place: str, covers: list[int]) -> None:
    comment = " # sdfbridge: ignore drake because of a test"
    texts = dict.fromkeys(("head", "inline", "before"), "")
    texts[place] = comment.strip() + "\n" if place != "inline" else comment
    offset = place == "head"
    (entry,), wrong = comments_of("d.dmd.yaml", YAML.format(**texts))
    assert wrong == []
    lines = [line for line in range(1, 10) if entry.covers(finding(line))]
    assert set(covers) <= {line - offset for line in lines}
    assert entry.covers(finding(0)) == (place == "head")
    if place != "head":
        assert 1 not in lines
        assert len(lines) <= 4


def finding(line: int) -> Diagnostic:
    return Diagnostic("drake.x", Fate.DROPPED, "x", Where("d.dmd.yaml", line))


def test_a_batch_has_the_same_selection(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(robot())
    baseline = str(tmp_path / "known.json")
    assert main(["check", str(path), "--baseline", baseline, "--write-baseline", "-q"]) == 0
    for options, count in (
        ({}, 2),
        ({"baseline": baseline}, 0),
        ({"ignore": ["robot.degrees"]}, 0),
        ({"select": ["robot.degrees"]}, 2),
    ):
        result = check(str(path), "", options)
        assert result["severities"].get("warning", 0) == count
        assert result["outcome"] == "valid"
    path.write_text(robot().replace('size=".2 .2 .3"', 'size="200 .2 .3"', 1))
    assert check(str(path), "", {"baseline": baseline})["outcome"] == "invalid"
    with pytest.raises(ValueError, match="unknown code"):
        bridge.batch([path], "check", ignore=["robot.degree"])
