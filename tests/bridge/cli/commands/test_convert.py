"""The command convert: folders and single files of every format, and the summary of what was lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

import mujoco
import pytest
import trimesh

import loaders
from bridge.cli import main
from bridge.cli.commands.convert import in_short
from bridge.geometry import convex_decomposition
from tests.support.command_line import call

# The command convert writes a folder of MJCF, compiles it, and summarizes what was lost.

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


def test_convert_writes_a_folder_that_mujoco_opens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mujoco = pytest.importorskip("mujoco")
    folder = tmp_path / "arm"
    assert main(["convert", str(ARM), "-o", str(folder), "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert all(Path(file).is_file() for file in files)
    assert mujoco.MjModel.from_xml_path(str(folder / "arm.xml")).nv == 6


def test_convert_takes_the_folder_with_and_without_a_flag(tmp_path: Path) -> None:
    assert main(["convert", str(ARM), str(tmp_path / "a")]) == main(
        ["convert", str(ARM), "--out", str(tmp_path / "b")]
    )
    assert (tmp_path / "a" / "arm.xml").read_bytes() == (tmp_path / "b" / "arm.xml").read_bytes()
    assert main(["convert", str(ARM), str(tmp_path / "a"), "-o", str(tmp_path / "b")]) == 2


def test_convert_check_finds_a_folder_that_is_out_of_date(tmp_path: Path) -> None:
    folder = tmp_path / "arm"
    words = ["convert", str(ARM), "-o", str(folder)]
    assert main([*words, "--check"]) == 1
    assert main(words) == 0
    assert main([*words, "--check"]) == 0


@pytest.fixture
def stairs(tmp_path: Path) -> Path:
    """A model whose mesh is three boxes, one above the other."""
    boxes = [
        trimesh.creation.box((1.0, 0.3, 0.2)).apply_translation((0.0, 0.4 * i, 0.2 * i))
        for i in range(3)
    ]
    trimesh.util.concatenate(boxes).export(tmp_path / "stairs.stl")
    mesh = "<geometry><mesh><uri>stairs.stl</uri></mesh></geometry>"
    path = tmp_path / "stairs.sdf"
    path.write_text(
        f"<sdf version='1.11'><model name='s'><link name='a'><collision "
        f"name='c'>{mesh}</collision></link>"
        "</model></sdf>"
    )
    return path


def test_convert_decomposes_meshes_and_the_readme_states_the_option(
    stairs: Path, tmp_path: Path
) -> None:
    words = ["convert", str(stairs), "-o", str(tmp_path / "out"), "--collision-meshes", "decompose"]
    assert main(words) == 0
    assert sorted(path.name for path in (tmp_path / "out" / "assets").iterdir()) == [
        f"stairs_convex_{i}.obj" for i in range(3)
    ]
    assert 'collision_meshes="decompose"' in (tmp_path / "out" / "README.md").read_text()
    assert main([*words, "--check"]) == 0
    assert main([*words[:4], "--check"]) == 1


def test_convert_without_coacd_says_what_to_install(
    stairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(convex_decomposition, "installed", lambda: False)
    assert (
        main(
            ["convert", str(stairs), "-o", str(tmp_path / "out"), "--collision-meshes", "decompose"]
        )
        == 3
    )
    text = capsys.readouterr().err
    assert 'pip install "sdfbridge[convex]"' in " ".join(text.split())
    assert not (tmp_path / "out").exists()


def test_convert_leaves_a_folder_with_other_files_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep", encoding="utf-8")
    assert main(["convert", str(ARM), "-o", str(tmp_path)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_convert_compiles_what_it_wrote_and_summarizes_what_was_lost(tmp_path: Path) -> None:
    process = call("convert", ARM, "-o", tmp_path / "arm", "--json")
    assert process.returncode == 0
    report = json.loads(process.stdout)
    scene = loaders.load(ARM)
    assert report["compiled"]["bodies"] == len(scene.links)
    assert report["worst_error"] < 1e-12
    assert "compiled with MuJoCo" in process.stderr
    assert "FIDELITY.md" in process.stderr
    headings = re.findall(
        r"^### `[a-z.-]+` \((\d+)\)$", (tmp_path / "arm" / "FIDELITY.md").read_text(), re.M
    )
    assert sum(report["fates"].values()) == sum(map(int, headings))
    assert "\r" not in process.stderr, "progress is for terminals"
    assert report["overlaps"] == []


def test_convert_reports_links_that_overlap_initially(overlapping: Path, tmp_path: Path) -> None:
    process = call("convert", overlapping, tmp_path / "out", "--json")
    ((a, b, depth),) = json.loads(process.stdout)["overlaps"]
    assert (a, b, depth) == ("a", "b", pytest.approx(0.05))
    assert "push each other apart: a (1) and b (1) by 0.05 m" in process.stderr
    assert "[lower.overlap]" in process.stderr


def test_links_of_a_urdf_that_overlap_do_not_collide_unless_asked(tmp_path: Path) -> None:
    ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
    limit = "<axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>"
    joints = "".join(
        (
            f"<joint name='to_{n}' type='prismatic'><parent link='r'/><child "
            f"link='{n}'/>{limit}</joint>"
        )
        for n in "ab"
    )
    robot = tmp_path / "two.urdf"
    robot.write_text(
        f"<robot name='two'><link name='r'/><link name='a'>{ball}</link><link "
        f"name='b'>{ball}</link>{joints}</robot>"
    )
    assert "[lower.overlap-excluded]" in call("convert", robot, tmp_path / "out").stderr
    assert "<exclude" in (tmp_path / "out" / "two.xml").read_text()
    kept = call("convert", robot, tmp_path / "kept", "--overlaps", "keep").stderr
    assert "[lower.overlap]" in kept
    assert "<exclude" not in (tmp_path / "kept" / "two.xml").read_text()


@pytest.mark.parametrize("out", ["out", "out.sdf", "out.xml"])
def test_convert_prints_no_more_than_the_verbosity_admits(
    out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["convert", str(ARM), str(tmp_path / out)]
    assert main([*words, "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert (main([*words, "-q"]), capsys.readouterr()) == (0, ("", ""))
    assert (main([*words, "-v"]), capsys.readouterr().out.splitlines()) == (0, files)
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines() == in_short(files)


def test_strict_refuses_a_conversion_with_losses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    axis = "<axis><xyz>0 0 1</xyz><limit><velocity>2</velocity></limit></axis>"
    path = tmp_path / "slow.sdf"
    path.write_text(
        "<sdf version='1.11'><model name='m'><link name='a'/><link name='b'/><joint name='j' "
        "type='revolute'>"
        f"<parent>a</parent><child>b</child>{axis}</joint></model></sdf>",
        encoding="utf-8",
    )
    assert main(["convert", str(path), str(tmp_path / "out")]) == 0
    assert main(["convert", str(path), str(tmp_path / "strict"), "--strict"]) == 1
    said = capsys.readouterr().err
    assert "[mjcf.velocity-limit]" in said
    assert "sdfbridge: refused by --strict" in said
    assert not (tmp_path / "strict").exists(), "nothing is written"
    assert main(["convert", str(path), str(tmp_path / "strict"), "--strict", "-q"]) == 1
    assert "sdfbridge: refused by --strict" in capsys.readouterr().err


def test_strict_refuses_an_unread_element_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.urdf"
    path.write_text("<robot name='r'><link name='a'/><nonsense/></robot>", encoding="utf-8")
    assert main(["convert", str(path), str(tmp_path / "strict"), "--strict"]) == 1
    assert "[xml.unread]" in capsys.readouterr().err
    assert not (tmp_path / "strict").exists()


# The command convert writes SDFormat as a folder or as one file.

CONVERT_DOCUMENTS_ARM = str(Path(__file__).parents[4] / "assets" / "arm" / "model.sdf")


def test_the_suffix_of_the_output_selects_one_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "x.sdf"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == [
        str(tmp_path / "x.sdf"),
        str(*tmp_path.glob("x_assets/*/finger.obj")),
    ]
    assert loaders.load(tmp_path / "x.sdf").name == "arm"


def test_a_folder_is_written_checked_and_kept_current(tmp_path: Path) -> None:
    words = ["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "arm"), "--to", "sdf"]
    assert main([*words, "--check"]) == 1
    assert main(words) == 0
    assert main([*words, "--check"]) == 0
    assert (tmp_path / "arm" / "arm.sdf").is_file()


@pytest.mark.parametrize(
    "option", [["--actuators", "motor"], ["--inertia", "from_geometry"], ["--base", "fixed"]]
)
def test_options_of_mjcf_are_refused(option: list[str], tmp_path: Path) -> None:
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "x.sdf"), *option]) == 2
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "x.sdf"), "--check"]) == 2


def test_urdf_by_the_suffix_and_by_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "x.urdf")]) == 0
    assert loaders.load(tmp_path / "x.urdf").name == "arm"
    assert list(tmp_path.glob("x_assets/*/finger.obj"))
    words = ["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "arm"), "--to", "urdf"]
    assert main(words) == 0
    assert (tmp_path / "arm" / "arm.urdf").is_file()
    assert main([*words, "--check"]) == 0
    capsys.readouterr()


def test_the_version_and_the_description_of_a_model(tmp_path: Path) -> None:
    words = [
        "convert",
        CONVERT_DOCUMENTS_ARM,
        str(tmp_path / "arm"),
        "--to",
        "sdf",
        "--sdf-version",
        "lowest",
        "--model-config",
    ]
    assert main(words) == 0
    assert 'version="1.8"' in (tmp_path / "arm" / "arm.sdf").read_text()
    assert (tmp_path / "arm" / "model.config").is_file()


@pytest.mark.parametrize("target", ["urdf", "mjcf"])
def test_options_of_sdformat_are_refused_for_other_targets(target: str, tmp_path: Path) -> None:
    assert (
        main(
            [
                "convert",
                CONVERT_DOCUMENTS_ARM,
                str(tmp_path / "x"),
                "--to",
                target,
                "--sdf-version",
                "1.9",
            ]
        )
        == 2
    )
    assert not (tmp_path / "x").exists()


def test_the_options_of_urdf(tmp_path: Path) -> None:
    words = [
        "--extensions",
        "none",
        "--joints",
        "plain",
        "--frame-links",
        "all",
        "--meshes",
        "package",
        "--write-srdf",
    ]
    assert (
        main(
            [
                "convert",
                CONVERT_DOCUMENTS_ARM,
                str(tmp_path / "arm"),
                "--to",
                "urdf",
                "--no-couplings",
                *words,
            ]
        )
        == 0
    )
    text = (tmp_path / "arm" / "arm.urdf").read_text()
    assert "drake:" not in text
    assert "package://arm/assets/finger.obj" in text
    assert (tmp_path / "arm" / "arm.srdf").is_file()
    assert (
        main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "x.urdf"), "--meshes", "package"])
        == 2
    )
    assert (
        main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "x.urdf"), "--extensions", "ros"])
        == 2
    )
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "x.sdf"), "--no-couplings"]) == 2


def test_directives_are_a_folder(tmp_path: Path) -> None:
    words = ["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "scene"), "--to", "directives"]
    assert main([*words, "--models", "urdf"]) == 0
    assert (tmp_path / "scene" / "arm.dmd.yaml").is_file()
    assert main([*words, "--models", "urdf", "--check"]) == 0
    assert main([*words, "--check"]) == 1
    assert (
        main(
            [
                "convert",
                CONVERT_DOCUMENTS_ARM,
                str(tmp_path / "x"),
                "--to",
                "sdf",
                "--models",
                "urdf",
            ]
        )
        == 2
    )


@pytest.mark.parametrize("models", ["sdf", "urdf"])
def test_directives_are_one_file_with_their_models_beside(models: str, tmp_path: Path) -> None:
    out = tmp_path / "hall.dmd.yaml"
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(out), "--models", models]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"hall.dmd.yaml", "hall_models"}
    assert "README" not in out.read_text()
    assert len(loaders.load(out).links) == len(loaders.load(CONVERT_DOCUMENTS_ARM).links)
    for name in ("hall.yaml", "hall.sdf"):
        assert (
            main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / name), "--to", "directives"])
            == 2
        )
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(out), "--to", "sdf"]) == 2


def test_mjcf_is_one_file_with_its_assets_beside(tmp_path: Path) -> None:
    out = tmp_path / "arm.xml"
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(out), "--actuators", "motor"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"arm.xml", "arm_assets"}
    model = mujoco.MjModel.from_xml_path(str(out))
    assert model.nu > 0
    assert {model.body(link.name).name for link in loaders.load(CONVERT_DOCUMENTS_ARM).links}
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(out), "--check"]) == 2


def test_the_option_outweighs_the_suffix(tmp_path: Path) -> None:
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "arm.xml"), "--to", "urdf"]) == 0
    assert "<robot " in (tmp_path / "arm.xml").read_text()


@pytest.mark.parametrize("more", [[], ["--to", "sdf"]])
def test_an_unknown_suffix_is_no_folder(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "out.foo"), *more]) == 2
    assert "out.foo has an unknown suffix; expected one of .xml, " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    (tmp_path / "out.foo").mkdir()
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "out.foo"), *more]) == 0
    assert main(["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / "arm_1.2"), *more]) == 0
    assert (tmp_path / "arm_1.2").is_dir()


@pytest.mark.parametrize("name", ["x.urdf", "x.sdf", "x.xml", "x.dmd.yaml"])
def test_one_file_replaces_only_what_an_export_wrote(name: str, tmp_path: Path) -> None:
    out, words = tmp_path / name, ["convert", CONVERT_DOCUMENTS_ARM, str(tmp_path / name)]
    out.write_text("mine")
    assert main(words) != 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert out.read_text() == "mine"
    assert main([*words, "--force"]) == 0
    assert main(words) == 0
    out.write_bytes(mine := out.read_bytes().replace(b"arm", b"ARM", 1))
    assert main(words) != 0
    assert out.read_bytes() == mine


# The files that a command wrote are counted by folder.


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
