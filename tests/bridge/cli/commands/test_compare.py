"""The command compare: the verdict on engines, the differences of two files, and the report."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import trimesh

from bridge.cli import main
from bridge.cli.commands import compare
from bridge.cli.commands.compare import show_comparison
from bridge.cli.output import Output
from bridge.output import MANIFEST
from bridge.parity import Comparison, Outcome
from bridge.parity.causes import Gap
from bridge.parity.verdict import Level, Row
from tests.support.command_line import ROOT, call

# The command compare prints the verdict and writes the report.

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


def test_compare_prints_the_verdict_and_writes_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", str(ARM), "--level", "L0,L1", "--configurations", "2"]
    assert main([*words, "--report", str(tmp_path)]) == 4
    text = capsys.readouterr().out
    assert "arm: INCOMPLETE" in text
    assert "not compared: motion: level L2 was not run" in text
    assert {path.name for path in tmp_path.iterdir()} == {
        "report.html",
        "results.json",
        "junit.xml",
        MANIFEST,
    }
    assert main([*words, "--json"]) == 4
    assert json.loads(capsys.readouterr().out)["verdict"] == "INCOMPLETE"


def test_compare_ends_with_zero_if_everything_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "compare",
                str(ARM.parents[1] / "double_pendulum.urdf"),
                "--configurations",
                "2",
                "--strict",
            ]
        )
        == 0
    )
    assert "double_pendulum: EQUIVALENT" in capsys.readouterr().out


def test_a_report_replaces_an_earlier_one_but_no_file_of_somebody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "_DRAWN", set())  # pictures take long
    words = ["compare", str(ARM), "--engines", "mujoco", "--level", "L0", "--configurations", "1"]
    report = ["--report", str(tmp_path / "out")]
    assert main([*words, *report]) == 4
    assert main([*words, *report]) == 4
    (tmp_path / "out" / "results.json").write_text("mine", encoding="utf-8")
    (tmp_path / "out" / "notes.txt").write_text("mine", encoding="utf-8")
    capsys.readouterr()
    assert main([*words, *report]) == 1
    told = capsys.readouterr()
    assert "edited since it was written: results.json" in told.err
    assert "not written by sdfbridge: notes.txt" in told.err
    assert "MuJoCo" not in told.out, "the refusal comes before the work"
    assert (tmp_path / "out" / "results.json").read_text(encoding="utf-8") == "mine"
    assert main([*words, *report, "--force"]) == 4
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["verdict"]
    assert (tmp_path / "out" / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_a_report_without_the_packages_that_draw_it_is_refused_before_the_work(
    tmp_path: Path,
    package: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["compare", str(ARM), "--level", "L0", "--report", str(tmp_path / "out")]) == 3
    text = capsys.readouterr().err
    assert (
        text
        == "sdfbridge: the HTML report needs jinja2 and matplotlib: pip install 'sdfbridge[report]'\n"
    )
    assert not (tmp_path / "out").exists()


def test_the_command_to_repeat_has_all_options_of_this_one(tmp_path: Path) -> None:
    words = (
        "compare",
        ARM,
        "--engines",
        "mujoco",
        "--level",
        "L0",
        "--configurations",
        "2",
        "--path",
        tmp_path,
    )
    done = call(*words, "--json")
    assert json.loads(done.stdout)["command"] == shlex.join(
        map(str, ("sdfbridge", *words, "--json"))
    )


def test_warnings_of_one_kind_are_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["compare", str(ARM), "--engines", "mujoco", "--level", "L0", "--configurations", "1"])
        == 4
    )
    text = capsys.readouterr().err
    assert text.count("[mjcf.velocity-limit]") == 1 + 1, "one of them, and the number of the others"
    assert f"{ARM}:" not in text, "paths are relative to the current folder"


def test_strict_refuses_what_an_engine_cannot_represent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "limited.urdf"
    path.write_text(
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent "
        "link='a'/>"
        "<child link='b'/><limit lower='-1' upper='1' effort='5' velocity='2'/></joint></robot>",
        encoding="utf-8",
    )
    words = ["compare", str(path), "--level", "L0", "--configurations", "1"]
    assert main(words) == 4
    assert main([*words, "--strict"]) == 1
    assert "[pybullet.velocity-limit]" in capsys.readouterr().err


def test_strict_refuses_an_unread_element(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "unread.urdf"
    path.write_text("<robot name='r'><link name='a'/><nonsense/></robot>", encoding="utf-8")
    assert main(["compare", str(path), "--level", "L0", "--strict"]) == 1
    assert "[xml.unread]" in capsys.readouterr().err


# The text of a comparison.

COMPARISON_TEXT_ARM = ROOT / "assets" / "arm" / "model.sdf"


def comparison(*outcomes: Outcome) -> Comparison:
    """A comparison with one row for each outcome; the name of the quantity is that of the
    outcome.
    """
    rows = tuple(
        Row(
            level=Level.MODEL,
            quantity=f"{outcome} quantity",
            unit="",
            engines=("a", "b"),
            error=1.0,
            tolerance=1e-9,
            where="elbow",
            outcome=outcome,
        )
        for outcome in outcomes
    )
    return Comparison(
        model="m",
        source="",
        rows=rows,
        engines=("a", "b"),
        environment={"seed": "0"},
        diagnostics=(),
    )


@pytest.mark.parametrize("verbosity", [0, 1])
def test_the_verdict_is_first_then_what_differs_and_the_rest_on_request(
    verbosity: int, capsys: pytest.CaptureFixture[str]
) -> None:
    show_comparison(
        comparison(Outcome.PASSED, Outcome.FAILED), Output(verbosity), "sdfbridge compare m.sdf"
    )
    text = capsys.readouterr().out
    verdict, headline, counts, *_ = text.splitlines()
    assert verdict == "m: DIFFERS"
    assert headline.startswith("The robot is not the same in a and b: failed quantity at elbow")
    assert counts == "a, b and the reference: 1 pass, 1 fail"
    assert "failed quantity" in text
    assert ("passed quantity" in text) == (verbosity > 0)
    assert text.splitlines()[-1] == "repeat with: sdfbridge compare m.sdf"


def test_compare_prints_the_verdict_first_and_the_table_on_request(tmp_path: Path) -> None:
    words = (
        "compare",
        COMPARISON_TEXT_ARM,
        "--engines",
        "mujoco",
        "--level",
        "L0",
        "--configurations",
        "2",
    )
    brief, all_rows = call(*words), call(*words, "-v")
    assert (brief.returncode, all_rows.returncode) == (4, 4)
    verdict = "arm: INCOMPLETE; motion in contact was not compared"
    assert brief.stdout.splitlines()[0] == all_rows.stdout.splitlines()[0] == verdict
    assert len(brief.stdout.splitlines()) <= 6, brief.stdout
    assert len(all_rows.stdout.splitlines()) > 10


@pytest.mark.parametrize("verbosity", [0, 1])
def test_why_a_row_compares_nothing_is_printed_with_all_rows_and_each_gap_in_one_line(
    verbosity: int, capsys: pytest.CaptureFixture[str]
) -> None:
    found = comparison(Outcome.UNKNOWN, Outcome.PASSED)
    rows = (dataclasses.replace(found.rows[0], cause="no report"), *found.rows[1:])
    gaps = (
        *(
            Gap(quantity="shapes", engines=("c", engine), reason="c has none")
            for engine in ("a", "b")
        ),
        Gap(quantity="shapes", engines=("a", "b"), reason="other"),
        Gap(quantity="motion", reason="level L2 was not run"),
    )
    show_comparison(dataclasses.replace(found, rows=rows, gaps=gaps), Output(verbosity), "")
    lines = capsys.readouterr().out.splitlines()
    assert ("unknown quantity: no report" in lines) == (verbosity > 0)
    assert [text.removeprefix("not compared: ") for text in lines if text.startswith("not")] == [
        "shapes in c and a, c and b: c has none",
        "shapes in a and b: other",
        "motion: level L2 was not run",
    ]


@pytest.mark.parametrize("verbosity", [0, 1])
def test_rows_that_do_not_apply_are_folded_with_a_count(
    verbosity: int, capsys: pytest.CaptureFixture[str]
) -> None:
    found = comparison(Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.PASSED)
    rows = tuple(
        dataclasses.replace(row, quantity=name, is_stated=name == "stated", cause=f"{name} reason")
        for row, name in zip(found.rows, ("idle", "stated", "passed"), strict=True)
    )
    show_comparison(dataclasses.replace(found, rows=rows), Output(verbosity), "")
    lines = capsys.readouterr().out.splitlines()
    assert "1 pass, 1 unknown, 1 not applicable" in "\n".join(lines)
    assert ("1 row not shown: what the model does not state" in lines) == (verbosity > 0)
    assert ("idle: idle reason" in lines) == (verbosity > 0)
    assert not [text for text in lines if "idle" in text and "reason" not in text]


def test_a_cause_of_several_quantities_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    found = comparison(Outcome.FAILED, Outcome.EXPLAINED, Outcome.EXPLAINED)
    rows = tuple(dataclasses.replace(row, cause="no rotors") for row in found.rows)
    show_comparison(dataclasses.replace(found, rows=rows), Output(-1), "")
    lines = [line for line in capsys.readouterr().out.splitlines() if line.endswith(": no rotors")]
    first, second = (row.quantity for row in rows[:2])
    assert lines[0] == f"{first}, {second}: no rotors"
    assert [line for line in lines[1:] if not line.startswith("first difference: ")] == []


# The command compare with two files prints what differs.

ASSETS = Path(__file__).parents[4] / "assets"
X, Z = str(ASSETS / "orthogonal_x.sdf"), str(ASSETS / "orthogonal_z.sdf")


def test_a_file_is_equal_to_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, X, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "equal": True,
        "moves_alike": True,
        "verdict": "EQUAL",
        "reasons": [],
        "changes": [],
        "effects": [],
        "differences": [],
        "findings": {"a": [], "b": []},
    }


def test_differences_are_listed_and_set_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, Z]) == 1
    printed = capsys.readouterr().out
    verdict, change, *_ = printed.splitlines()
    assert verdict.startswith("different: ")
    assert "joint joint: pose xyz 0 0 0.1 to 0.1 0 0 m" in change
    assert "kind" not in printed
    assert main(["compare", X, Z, "-v"]) == 1
    assert "kind" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["github", "sarif", "junit"])
def test_changes_have_forms_for_programs(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, Z, "--format", form]) == 1
    printed = capsys.readouterr().out
    if form == "github":
        assert "::error file=" in printed
        assert printed.count("title=compare.change") == 5
    elif form == "sarif":
        (found,) = json.loads(printed)["runs"]
        assert found["invocations"][0]["exitCode"] == 1
        assert {result["ruleId"] for result in found["results"]} == {"compare.change"}
        assert found["results"][0]["locations"]
    else:
        suite = ElementTree.fromstring(printed)
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase")) == 6
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure")) > 0


def test_a_form_needs_two_files() -> None:
    assert main(["compare", X, "--format", "github"]) == 2


@pytest.mark.parametrize(
    ("content", "status"), [(None, 3), ("<sdf", 6), ("<sdf version='1.9'><model/></sdf>", 6)]
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_file_that_is_missing_or_invalid_does_not_differ(
    content: str | None, status: int, tmp_path: Path, *, is_first: bool
) -> None:
    path = tmp_path / "other.sdf"
    if content is not None:
        path.write_text(content)
    files = [str(path), X] if is_first else [X, str(path)]
    assert main(["compare", *files]) == status


@pytest.mark.parametrize(("content", "status"), [(None, 3), ("<sdf", 6)])
@pytest.mark.parametrize("form", ["json", "github", "sarif", "junit"])
def test_what_cannot_be_read_has_the_forms_for_programs(
    form: str,
    content: str | None,
    status: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "other.sdf"
    if content is not None:
        path.write_text(content)
    code = "file.unreadable" if content is None else "xml.syntax"
    assert main(["compare", X, str(path), "--format", form]) == status
    printed = capsys.readouterr().out
    if form == "json":
        report = json.loads(printed)
        assert (report["status"], report["diagnostics"][0]["code"]) == (status, code)
    elif form == "github":
        assert re.match(rf"::error file=\S*other\.sdf\S*title={code}::", printed)
    elif form == "sarif":
        (run,) = json.loads(printed)["runs"]
        assert run["invocations"][0]["exitCode"] == status
        assert [(found["ruleId"], found["level"]) for found in run["results"]] == [(code, "error")]
    else:
        suite = ElementTree.fromstring(printed)
        assert suite.attrib["errors"] == "1"
        assert code in suite.find("testcase/error").attrib["message"]  # type: ignore[union-attr]


def test_an_error_in_no_file_is_a_notification_of_the_tool(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compare", X, Z, "--format", "sarif", "--map", "none=joint"]) == 2
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is False
    assert "none" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_findings_that_one_file_alone_has_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / name for name in ("old.urdf", "new.urdf")]
    for path, name in zip(paths, ("a.stl", "b.stl"), strict=True):
        path.write_text(
            '<robot name="r"><link name="l"><visual><geometry>'
            f'<mesh filename="{name}"/></geometry></visual></link></robot>'
        )
    (tmp_path / "a.stl").write_bytes(trimesh.creation.box((1, 1, 1)).export(file_type="stl"))
    assert main(["compare", *map(str, paths)]) == 5
    printed = capsys.readouterr().out
    assert "mesh b.stl is missing in B" in printed
    assert re.search(r"only in B: .*resource\.not-found", printed)


def test_the_verdict_is_data_also_with_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, X, "-q"]) == 0
    assert capsys.readouterr().out == "equal: no item differs\n"


def test_the_status_tells_whether_both_move_alike(tmp_path: Path) -> None:
    text = Path(X).read_text()
    name = re.search(r'<joint name="([^"]+)" type="revolute"', text)
    assert name is not None
    other = tmp_path / "other.sdf"
    other.write_text(text.replace(f'"{name[1]}"', '"hinge"'))
    assert main(["compare", X, str(other)]) == 5
    assert main(["compare", X, str(other), "--match", "name"]) == 1
    assert main(["compare", X, str(other), "--map", f"{name[1]}=hinge"]) == 0
    assert main(["compare", X, str(other), "--map", "elbow=hinge"]) == 2
    assert main(["compare", X, str(other), "--map", "elbow"]) == 2


@pytest.mark.slow
def test_a_report_is_a_page_and_the_same_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", X, Z, "--report", str(tmp_path / "out"), "--json"]) == 1
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == json.loads(
        capsys.readouterr().out
    )
    assert "DIFFERENT" in (tmp_path / "out" / "report.html").read_text()


def test_simulators_are_asked_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", X, X, "--engines", "reference,mujoco", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["simulators"]
    assert set(found) == {"reference", "mujoco"}
    assert found["mujoco"]["pose"] == 0.0
    assert main(["compare", X, Z, "--engines", "mujoco", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["simulators"]["mujoco"]["pose"] > 0.01


def test_a_simulator_that_cannot_read_a_file_leaves_the_comparison_incomplete(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compare", X, X, "--engines", "mujoco,mujoco-native"]) == 4
    assert "not compared in mujoco-native: " in capsys.readouterr().out
    assert main(["compare", X, Z, "--engines", "mujoco-native", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["simulators"]["mujoco-native"]["refusal"]
