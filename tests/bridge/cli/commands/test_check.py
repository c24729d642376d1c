"""The command check: every problem of a file, also in SARIF and as annotations of GitHub Actions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.cli import main
from bridge.cli.commands.check import sarif_log, workflow_commands
from bridge.diagnostic_codes import CODES
from loaders.diagnostics import Diagnostic, Fate, Where
from tests.support.command_line import ROOT, call
from tests.support.sarif_schema import SCHEMA

# The command check reports every problem of a file.

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


def test_check_as_json_tells_whether_the_file_is_valid(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--json", "-q", str(broken)]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["valid"] is False
    assert {entry["severity"] for entry in report["diagnostics"]} >= {"error"}
    assert main(["check", "--json", str(ARM)]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True


_LINK = (
    '<link name="{}"><inertial><mass value="1"/><inertia ixx="{}" ixy="0" ixz="0" iyy=".01" '
    'iyz="0" izz=".01"/></inertial><visual><geometry><box size=".2 .2 .3"/></geometry></visual>'
    '<collision><geometry><box size=".2 .2 .3"/></geometry></collision></link>'
)
_JOINT = (
    '<joint name="{}" type="revolute"><parent link="{}"/><child link="{}"/><origin xyz="0 0 .5"/>'
    '<limit lower="-1" upper="{}" effort="9" velocity="1"/></joint>'
)


def _robot(moment: float, limit: float) -> str:
    """Two links of 1 kg, one 0.5 m above the other, each 0.3 m high."""
    links = _LINK.format("a", 0.01) + _LINK.format("b", moment)
    return f'<robot name="r">{links}{_JOINT.format("j", "a", "b", limit)}</robot>'


def test_findings_are_printed_and_counted_in_the_order_of_harm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(_robot(moment=0.5, limit=90.0))
    assert main(["check", str(file)]) == 0
    out, err = capsys.readouterr()
    assert err.index("[model.impossible-inertia]") < err.index("[robot.degrees]")
    harms = "1 lets it diverge, 2 may make it another robot"
    assert f"{file}: valid, with 3 warnings: {harms}\n{file}: 2 kg, 0.8 m high\n" == out


def test_findings_have_one_order_in_each_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(_robot(moment=0.5, limit=90.0))
    main(["check", "--json", "-q", str(file)])
    report = json.loads(capsys.readouterr().out)
    codes = [entry["code"] for entry in report["diagnostics"]]
    assert codes == ["model.impossible-inertia", "robot.gyration", "robot.degrees"]
    assert report["results"][0]["mass"] == 2.0
    assert report["results"][0]["height"] == pytest.approx(0.8)
    main(["check", "--format", "github", "-q", str(file)])
    assert [
        line.split("title=")[1].split("::")[0] for line in capsys.readouterr().out.splitlines()
    ] == codes


def test_overlaps_at_random_positions_are_reported_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two plates beside each other on axes 0.2 m apart, 0.3 m long: they meet where they turn."""
    shape = (
        "<collision><origin xyz='{} 0 0'/><geometry><box size='.3 .1 .1'/></geometry></collision>"
    )
    plates = "".join(
        f"<link name='{name}'>{shape.format(0.2 if x else -0.2)}</link>"
        f"<joint name='j{name}' type='continuous'><parent link='r'/><child link='{name}'/>"
        f"<origin xyz='{x} 0 0'/><axis xyz='0 0 1'/></joint>"
        for name, x in {"a": 0.0, "b": 0.2}.items()
    )
    robot = tmp_path / "r.urdf"
    robot.write_text(f"<robot name='r'><link name='r'/>{plates}</robot>")
    assert main(["check", str(robot)]) == 0
    assert "random positions" not in capsys.readouterr().out
    assert main(["check", str(robot), "--positions", "200", "--seed", "4"]) == 0
    verdict, line, *_ = capsys.readouterr().out.splitlines()
    assert ": valid" in verdict
    assert "200 random positions (seed 4): a (1) and b (1) by 0.1 m, at " in line
    pendulum = ROOT / "assets" / "double_pendulum.urdf"
    assert main(["check", str(pendulum), "--positions", "20", "--json"]) == 0
    codes = {entry["code"] for entry in json.loads(capsys.readouterr().out)["diagnostics"]}
    assert "lower.overlap-in-motion" not in codes


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_file_with_an_error_shows_its_warnings_too(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "two.urdf"
    path.write_text(
        "<robot name='r'><link name='a'><wings/></link><link name='a'/></robot>", encoding="utf-8"
    )
    assert main(["check", "--format", form, str(path)]) == 1
    shown = capsys.readouterr()
    assert "1 error, 1 warning" in shown.err
    assert all(code in text for code in ("urdf.duplicate-name", "xml.unread") for text in shown)


def test_strict_turns_a_loss_into_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "unknown.sdf"
    path.write_text(
        "<sdf version='1.11'><model name='m'><link name='a'/><wings>2</wings></model></sdf>",
        "utf-8",
    )
    assert main(["check", str(path)]) == 0
    assert main(["check", "--strict", str(path)]) == 1
    assert "wings" in capsys.readouterr().err


def test_strict_turns_an_assumption_of_lowering_into_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "massless.urdf"
    path.write_text("<robot name='r'><link name='a'/></robot>", encoding="utf-8")
    assert main(["check", str(path)]) == 0
    assert main(["check", "--strict", str(path)]) == 1
    assert "[lower.massless-free-link]" in capsys.readouterr().err


def test_check_doubts_meshes_in_millimeters(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "big.obj").write_text(
        "v 0 0 0\nv 500 0 0\nv 0 500 0\nv 0 0 500\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    mesh = "<visual><geometry><mesh filename='big.obj'/></geometry></visual>"
    ends = "<parent link='a'/><child link='b'/><origin xyz='0 0 0.5'/>"
    joint = f"<joint name='j' type='fixed'>{ends}</joint>"
    (tmp_path / "r.urdf").write_text(
        f"<robot name='r'><link name='a'>{mesh}</link><link name='b'/>{joint}</robot>"
    )
    assert main(["check", str(tmp_path / "r.urdf")]) == 0
    printed = capsys.readouterr().err
    assert "[robot.size]" in printed
    assert "[mesh.implausible-size]" not in printed  # one cause, one finding


def test_a_mesh_that_cannot_be_read_is_a_warning_at_its_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.stl").write_bytes(bytes(range(256)))
    (tmp_path / "b.step").write_text("ISO-10303-21;", encoding="utf-8")
    shape = "<collision name='{0}'><geometry><mesh><uri>{0}</uri></mesh></geometry></collision>"
    link = f"<link name='arm'>{shape.format('a.stl')}{shape.format('b.step')}</link>"
    path = tmp_path / "garbage.sdf"
    path.write_text(f"<sdf version='1.11'><model name='m'>{link}</model></sdf>", encoding="utf-8")
    assert main(["check", "--json", str(path)]) == 0
    found = [
        entry
        for entry in json.loads(capsys.readouterr().out)["diagnostics"]
        if entry["code"] == "mesh.unreadable"
    ]
    assert [entry["subjects"] for entry in found] == [["arm", "arm::a.stl"], ["arm", "arm::b.step"]]
    assert main(["check", str(path)]) == 0
    assert "garbage.sdf: valid, with 2 warnings" in capsys.readouterr().out
    assert main(["check", "--strict", str(path)]) == 1


def test_a_folder_names_the_file_of_each_advice_and_an_included_error_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    joint = "<joint name='j' type='fixed'><parent link='a'/><child link='x'/></joint>"
    (tmp_path / "part.urdf").write_text(
        f"<robot name='r'><link name='a'/>{joint}</robot>", encoding="utf-8"
    )
    include = (
        "<sdf version='1.9'><model name='m'><include><uri>part.urdf</uri></include></model></sdf>"
    )
    (tmp_path / "first.sdf").write_text(include, encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 1
    shown = capsys.readouterr().err
    assert shown.count("[urdf.unknown-link]") == 1
    assert f"{tmp_path / 'part.urdf'}: lenient loading" in shown


def test_strict_says_that_it_refuses_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "winged.urdf"
    path.write_text("<robot name='r'><link name='a'><wings/></link></robot>", encoding="utf-8")
    assert main(["check", "--strict", str(path)]) == 1
    assert "refused by --strict" in capsys.readouterr().out


# Diagnostics in SARIF 2.1.0.

"""The part of OASIS's schema of SARIF 2.1.0 that states required properties and the values that are
used.
"""


def test_check_prints_a_log_with_a_rule_for_each_code_and_a_relative_path(broken: Path) -> None:
    import jsonschema

    command = [sys.executable, "-m", "sdfbridge", "check", "-q", "--format", "sarif", str(broken)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=broken.parent, env=environment
    )
    assert done.returncode == 1
    log = json.loads(done.stdout)
    jsonschema.validate(log, SCHEMA)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) >= 3
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["shortDescription"]["text"] == CODES[rule["id"]].meaning
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "broken.sdf", "uriBaseId": "%SRCROOT%"}
        assert place["region"]["startLine"] in {1, 2}


def test_a_path_elsewhere_is_a_uri_and_special_characters_are_quoted() -> None:
    import jsonschema

    places = (Where("/else where/a.sdf", 1), Where("a b.sdf"), Where())
    log = sarif_log((Diagnostic("a.b", Fate.NOTED, "x", place) for place in places), status=0)
    jsonschema.validate(log, SCHEMA)
    results = log["runs"][0]["results"]
    artifacts = [
        r["locations"][0]["physicalLocation"]["artifactLocation"]
        for r in results
        if "locations" in r
    ]
    assert [artifact["uri"] for artifact in artifacts] == [
        "file:///else%20where/a.sdf",
        "a%20b.sdf",
    ]


# Annotations of GitHub Actions.


def test_special_characters_are_escaped_as_github_documents_it() -> None:
    entry = Diagnostic("a.b", Fate.DROPPED, "100 %\nlost: a, b", Where("a,b:c.sdf", 3))
    (line,) = workflow_commands([entry], notes=False)
    assert line == "::warning file=a%2Cb%3Ac.sdf,line=3,title=a.b::100 %25%0Alost: a, b"


def test_notes_are_notices_and_left_out_by_default() -> None:
    entry = Diagnostic("a.b", Fate.NOTED, "fine")
    assert list(workflow_commands([entry], notes=False)) == []
    assert list(workflow_commands([entry], notes=True)) == ["::notice title=a.b::fine"]


def test_check_prints_one_annotation_for_each_error(broken: Path) -> None:
    done = call("check", broken, "--format", "github")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert len(lines) >= 3
    assert all(
        line.startswith((f"::error file={broken},line=", f"::warning file={broken},line="))
        for line in lines
    )
