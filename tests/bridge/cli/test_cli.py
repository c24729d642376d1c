"""The command line: data on standard output, the rest on standard error, and an exit status that scripts can trust."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import trimesh

import loaders
from bridge.cli import main
from bridge.geometry import convex_decomposition

ROOT = Path(__file__).parents[3]
ARM = ROOT / "assets" / "arm" / "model.sdf"
BROKEN = (
    "<sdf version='1.11'><model name='m'><link name='a'><inertial><mass>-x</mass></inertial></link><link name='a'/>\n"
    "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>"
    "</model></sdf>"
)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.sdf"
    path.write_text(BROKEN, encoding="utf-8")
    return path


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bridge", *map(str, words)]
    settings = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(command, env=settings, capture_output=True, text=True, check=False, timeout=120)


# --- reading ---------------------------------------------------------------------------------------------------------


def test_info_prints_every_link_with_its_joint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(ARM)]) == 0
    text = capsys.readouterr().out
    scene = loaders.load(ARM)
    assert all(link.name in text for link in scene.links)
    assert all(joint.name in text for joint in scene.joints)


def test_info_as_json_is_the_scene_in_the_conformance_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json", str(ARM)]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(loaders.load(ARM).to_dict()))


@pytest.mark.parametrize("command", ["info", "check", "graph"])
def test_a_broken_file_gives_all_its_errors_and_status_1(
    command: str, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(broken)]) == 1
    captured = capsys.readouterr()
    with pytest.raises(loaders.LoadError) as error:
        loaders.load(broken)
    assert len(error.value.diagnostics) >= 3
    for diagnostic in error.value.diagnostics:
        if diagnostic.severity == "error":
            assert str(diagnostic) in captured.err
    assert captured.out == ""


def test_check_as_json_tells_whether_the_file_is_valid(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", "-q", str(broken)]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["valid"] is False
    assert {entry["severity"] for entry in said["diagnostics"]} >= {"error"}
    assert main(["check", "--json", str(ARM)]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True


def test_strict_turns_a_loss_into_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "unknown.sdf"
    path.write_text("<sdf version='1.11'><model name='m'><link name='a'/><wings>2</wings></model></sdf>", "utf-8")
    assert main(["check", str(path)]) == 0
    assert main(["check", "--strict", str(path)]) == 1
    assert "wings" in capsys.readouterr().err


def test_the_graph_has_an_edge_for_each_joint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", str(ARM)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("digraph")
    assert text.count(" -> ") == len(loaders.load(ARM).joints)


def test_resolve_prints_where_each_mesh_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "--json", str(ARM)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found
    assert all(Path(lookup["path"]).exists() for lookup in found)


def test_resolve_prints_every_place_that_was_tried(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mesh = "<visual><geometry><mesh filename='package://cups/cup.obj'/></geometry></visual>"
    (tmp_path / "cup.urdf").write_text(f"<robot name='r'><link name='a'>{mesh}</link></robot>")
    assert main(["resolve", str(tmp_path / "cup.urdf"), "--path", str(tmp_path / "shelf")]) == 1
    text = capsys.readouterr().out
    assert "package://cups/cup.obj\tnot found" in text
    assert f"tried {tmp_path / 'shelf' / 'cups' / 'cup.obj'}" in text


def test_check_doubts_meshes_in_millimetres(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "big.obj").write_text("v 0 0 0\nv 500 0 0\nv 0 500 0\nv 0 0 500\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    mesh = "<visual><geometry><mesh filename='big.obj'/></geometry></visual>"
    ends = "<parent link='a'/><child link='b'/><origin xyz='0 0 0.5'/>"
    joint = f"<joint name='j' type='fixed'>{ends}</joint>"
    (tmp_path / "r.urdf").write_text(f"<robot name='r'><link name='a'>{mesh}</link><link name='b'/>{joint}</robot>")
    assert main(["check", str(tmp_path / "r.urdf")]) == 0
    assert "[mesh.implausible-size]" in capsys.readouterr().err


def test_xacro_runs_only_on_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    text = "<robot name='r' xmlns:xacro='http://wiki.ros.org/xacro'><link name='l${1 + 1}'/></robot>"
    (tmp_path / "r.urdf.xacro").write_text(text)
    assert main(["info", str(tmp_path / "r.urdf.xacro")]) == 1
    assert main(["info", "--xacro", str(tmp_path / "r.urdf.xacro")]) == 0
    assert "l2" in capsys.readouterr().out


def test_many_warnings_alike_are_counted_unless_all_are_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    links = "".join(f"<link name='l{i}'><colour/></link>" for i in range(40))
    path = tmp_path / "many.urdf"
    path.write_text(f"<robot name='r'>{links}</robot>", encoding="utf-8")
    assert main(["check", str(path)]) == 0
    text = capsys.readouterr().err
    assert text.count("unknown element 'colour' of <link>") == 5
    assert "and 35 more like it  [xml.unread] (-v shows all)" in text
    assert main(["check", "-v", str(path)]) == 0
    text = capsys.readouterr().err
    assert text.count("unknown element 'colour' of <link>") == 40
    assert "more like it" not in text


def test_quiet_hides_warnings_and_verbose_adds_notes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = {}
    for flag in ("-q", "-v"):
        assert main(["convert", str(ARM), "-o", str(tmp_path / flag), flag]) == 0
        lines[flag] = capsys.readouterr().err
    assert lines["-q"] == ""
    assert "note:" in lines["-v"]
    assert "warning:" in lines["-v"]


# --- writing and comparing -------------------------------------------------------------------------------------------


def test_convert_writes_a_folder_that_mujoco_opens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mujoco = pytest.importorskip("mujoco")
    folder = tmp_path / "arm"
    assert main(["convert", str(ARM), "-o", str(folder), "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert all(Path(file).is_file() for file in files)
    assert mujoco.MjModel.from_xml_path(str(folder / "arm.xml")).nv == 6


def test_convert_takes_the_folder_with_and_without_a_flag(tmp_path: Path) -> None:
    assert main(["convert", str(ARM), str(tmp_path / "a")]) == main(["convert", str(ARM), "--out", str(tmp_path / "b")])
    assert (tmp_path / "a" / "arm.xml").read_bytes() == (tmp_path / "b" / "arm.xml").read_bytes()
    with pytest.raises(SystemExit) as usage:
        main(["convert", str(ARM), str(tmp_path / "a"), "-o", str(tmp_path / "b")])
    assert usage.value.code == 2


def test_convert_check_finds_a_folder_that_is_out_of_date(tmp_path: Path) -> None:
    folder = tmp_path / "arm"
    words = ["convert", str(ARM), "-o", str(folder)]
    assert main([*words, "--check"]) == 1
    assert main(words) == 0
    assert main([*words, "--check"]) == 0


@pytest.fixture
def stairs(tmp_path: Path) -> Path:
    """A model whose mesh is three boxes, one above the other."""
    boxes = [trimesh.creation.box((1.0, 0.3, 0.2)).apply_translation((0.0, 0.4 * i, 0.2 * i)) for i in range(3)]
    trimesh.util.concatenate(boxes).export(tmp_path / "stairs.stl")
    mesh = "<geometry><mesh><uri>stairs.stl</uri></mesh></geometry>"
    path = tmp_path / "stairs.sdf"
    path.write_text(
        f"<sdf version='1.11'><model name='s'><link name='a'><collision name='c'>{mesh}</collision></link>"
        "</model></sdf>"
    )
    return path


def test_convert_takes_meshes_apart_and_the_papers_say_how(stairs: Path, tmp_path: Path) -> None:
    words = ["convert", str(stairs), "-o", str(tmp_path / "out"), "--collision-meshes", "decompose"]
    assert main(words) == 0
    assert sorted(path.name for path in (tmp_path / "out" / "assets").iterdir()) == [
        f"stairs_convex_{i}.obj" for i in range(3)
    ]
    assert 'collision_meshes="decompose"' in (tmp_path / "out" / "README.md").read_text()
    assert main([*words, "--check"]) == 0
    assert main([*words[:4], "--check"]) == 1


def test_convert_without_coacd_says_what_to_install(
    stairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(convex_decomposition, "installed", lambda: False)
    assert main(["convert", str(stairs), "-o", str(tmp_path / "out"), "--collision-meshes", "decompose"]) == 1
    said = capsys.readouterr().err
    assert 'pip install "sdfbridge[convex]"' in " ".join(said.split())
    assert not (tmp_path / "out").exists()


def test_convert_leaves_a_folder_of_strangers_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep", encoding="utf-8")
    assert main(["convert", str(ARM), "-o", str(tmp_path)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_compare_prints_the_verdict_and_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", str(ARM), "--level", "L0,L1", "--configurations", "2"]
    assert main([*words, "--report", str(tmp_path)]) == 0
    assert "arm: EQUIVALENT" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "results.json", "junit.xml"}
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "EQUIVALENT"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["compare", str(ARM), "--engines", "ode"], 2),
        (["compare", str(ARM), "--level", "L9"], 2),
        (["info", str(ARM), "--package", "no-equals-sign"], 2),
        (["info", "/no/such/file.sdf"], 1),
    ],
)
def test_a_wrong_call_has_its_status_and_no_traceback(
    words: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert captured.err


@pytest.mark.parametrize("words", [[], ["fly"], ["info"], ["convert", "x.sdf"]])
def test_wrong_usage_is_status_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(words)
    assert leaving.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_a_missing_engine_is_status_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "pybullet", None)
    assert main(["compare", str(ARM)]) == 3
    assert "pip install pybullet" in capsys.readouterr().err


# --- as a program ----------------------------------------------------------------------------------------------------


def test_python_m_bridge_is_the_program_and_its_data_is_clean_json() -> None:
    done = run("compare", ARM, "--json", "--level", "L0", "--configurations", "1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "arm"


def test_nothing_is_coloured_off_a_terminal_or_where_colour_is_unwanted() -> None:
    for environment in ({}, {"NO_COLOR": "1"}):
        assert "\x1b[" not in run("doctor", **environment).stdout


def test_help_names_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in ("demo", "check", "info", "graph", "resolve", "convert", "compare", "doctor"):
        assert f"\n    {command} " in done.stdout


def test_the_demonstration_writes_all_that_it_promises_and_finds_both_engines_equivalent(tmp_path: Path) -> None:
    pytest.importorskip("pybullet")
    done = run("demo", "--out", tmp_path / "demo", DISPLAY="")
    assert done.returncode == 0, done.stderr
    assert "arm: EQUIVALENT" in done.stdout
    for name in ("arm/arm.xml", "side_by_side.png", "results.json", "junit.xml", "report.html"):
        assert (tmp_path / "demo" / name).stat().st_size > 500, name


def test_convert_compiles_what_it_wrote_and_sums_up_what_was_lost(tmp_path: Path) -> None:
    ran = run("convert", ARM, "-o", tmp_path / "arm", "--json")
    assert ran.returncode == 0
    said = json.loads(ran.stdout)
    scene = loaders.load(ARM)
    assert said["compiled"]["bodies"] == len(scene.links)
    assert said["worst_error"] < 1e-12
    assert "MuJoCo compiles it" in ran.stderr
    assert "FIDELITY.md" in ran.stderr
    headings = re.findall(r"^### `[a-z.-]+` \((\d+)\)$", (tmp_path / "arm" / "FIDELITY.md").read_text(), re.M)
    assert sum(said["fates"].values()) == sum(map(int, headings))
    assert "\r" not in ran.stderr, "progress is for terminals"
    assert said["overlaps"] == []


def test_convert_tells_which_links_are_inside_one_another_at_the_start(tmp_path: Path) -> None:
    ball = "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    links = "".join(f"<link name='{n}'><pose>{x} 0 0 0 0 0</pose>{ball}</link>" for n, x in (("a", 0), ("b", 0.15)))
    (tmp_path / "two.sdf").write_text(f"<sdf version='1.10'><model name='two'>{links}</model></sdf>")
    ran = run("convert", tmp_path / "two.sdf", tmp_path / "out", "--json")
    ((a, b, depth),) = json.loads(ran.stdout)["overlaps"]
    assert (a, b, depth) == ("a", "b", pytest.approx(0.05))
    assert "inside one another at the start" in ran.stderr


@pytest.mark.parametrize("display", ["", ":4095"])
def test_view_without_a_display_says_so_in_one_line(display: str) -> None:
    ran = run("view", ARM, DISPLAY=display, WAYLAND_DISPLAY="")
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.startswith("sdfbridge: there is no display")
    assert ran.stderr.count("\n") == 1
