"""Every command and method that writes: what it finds in the place of its output, and what is there
afterwards.

The files of the user are the witness: after a refusal each has its bytes, and nothing is beside
them.
"""

from __future__ import annotations

import os
import resource
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

import bridge
from bridge.cli import main
from bridge.parity.comparison import Comparison

ASSETS = Path(__file__).parents[1] / "assets"
MODEL = str(ASSETS / "double_pendulum.urdf")
MINE = b"# notes of the user\n" * 20

Write = Callable[[Path, bool], int]


INCOMPLETE = 4
"""Status of a comparison that writes its report, and has not compared everything."""


def command(*words: str) -> Write:
    """Return a command with an output; its status is 0 if it wrote."""

    def write(out: Path, force: bool) -> int:
        status = main(
            [words[0], MODEL, *words[1:], str(out), "-q", *(["--force"] if force else [])]
        )
        return 0 if status == INCOMPLETE else status

    return write


def method(name: str) -> Write:
    """Return a method of a comparison; 0 if it wrote."""

    def write(out: Path, force: bool) -> int:
        try:
            getattr(comparison(), name)(out, force=force)
        except OSError:
            return 1
        return 0

    return write


@cache
def comparison() -> Comparison:
    """Return a comparison to write."""
    return bridge.compare(MODEL, ("mujoco",), levels=("L0",), configurations=1)


FILES = {
    "graph.dot": command("graph", "-o"),
    "graph.svg": command("graph", "-o"),
    "graph.png": command("graph", "-o"),
    "model.sdf": command("convert"),
    "model.urdf": command("convert"),
    "model.xml": command("convert"),
    "model.dmd.yaml": command("convert"),
    "view.html": command("view", "--html"),
    "results.json": method("to_json"),
    "junit.xml": method("to_junit"),
    "report.html": method("to_html"),
}
FOLDERS = {
    "mjcf": command("convert"),
    "sdf": command("convert", "--to", "sdf", "-o"),
    "urdf": command("convert", "--to", "urdf", "-o"),
    "directives": command("convert", "--to", "directives", "-o"),
    "report": command(
        "compare", "--engines", "mujoco", "--level", "L0", "--configurations", "1", "--report"
    ),
    "to_folder": method("to_folder"),
}
FOLDERS["batch"] = lambda out, force: main(
    ["batch", "check", MODEL, "--out", str(out), "-q", *(["--force"] if force else [])]
)


def contents(place: Path) -> dict[str, bytes]:
    """Every file below a folder by its path."""
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_user_is_refused_and_its_own_is_replaced(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    out.write_bytes(MINE)
    assert FILES[name](out, False) != 0
    assert contents(tmp_path) == {name: MINE}
    assert FILES[name](out, True) == 0
    assert MINE not in out.read_bytes()
    assert FILES[name](out, False) == 0
    out.write_bytes(edited := out.read_bytes() + b"\n" + MINE)
    before = contents(tmp_path)
    assert FILES[name](out, False) != 0
    assert contents(tmp_path) == before
    assert out.read_bytes() == edited


@pytest.mark.parametrize("name", FILES)
def test_a_link_is_followed_and_what_it_leads_to_is_not_lost(name: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "README.md"
    target.write_bytes(MINE)
    out = tmp_path / name
    out.symlink_to(target)
    assert FILES[name](out, False) != 0
    assert target.read_bytes() == MINE
    assert os.readlink(out) == str(target)


@pytest.mark.parametrize("name", FILES)
def test_a_folder_in_the_place_of_a_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "notes.txt").write_bytes(MINE)
    for force in (False, True):
        assert FILES[name](tmp_path / name, force) != 0
        assert contents(tmp_path) == {f"{name}/notes.txt": MINE}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_the_user_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name / "assets").mkdir(parents=True)
    mine = {f"{name}/README.md": MINE, f"{name}/assets/mine.obj": MINE}
    for path, data in mine.items():
        (tmp_path / path).write_bytes(data)
    assert FOLDERS[name](tmp_path / name, False) != 0
    assert contents(tmp_path) == mine


@pytest.mark.parametrize("name", FOLDERS)
def test_a_file_in_the_place_of_a_folder_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(MINE)
    for force in (False, True):
        assert FOLDERS[name](tmp_path / name, force) != 0
        assert contents(tmp_path) == {name: MINE}


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """Let no file grow past a size, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.slow
@pytest.mark.usefixtures(
    "capsys"
)  # keeps what is printed in memory: a file for it would be cut too
@pytest.mark.parametrize("name", [*FILES, "mjcf", "sdf", "urdf", "directives", "to_folder"])
def test_a_full_disk_leaves_the_earlier_output(name: str, tmp_path: Path) -> None:
    """The report of a command is the folder of the method; the tests of batches have their
    folders.
    """
    write = FILES.get(name) or FOLDERS[name]
    assert write(tmp_path / name, False) == 0
    before = contents(tmp_path)
    with full_disk(100):
        assert write(tmp_path / name, False) != 0
    assert contents(tmp_path) == before
    assert write(tmp_path / name, False) == 0


@pytest.mark.parametrize("name", [*FILES, *FOLDERS])
def test_a_place_below_a_file_is_a_clear_error(name: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(MINE)
    write = FILES.get(name) or FOLDERS[name]
    assert write(tmp_path / "notes.txt" / name, True) != 0
    assert contents(tmp_path) == {"notes.txt": MINE}


@pytest.mark.slow
def test_an_edited_export_of_a_batch_is_an_error_of_its_model(tmp_path: Path) -> None:
    words = ["batch", "convert", MODEL, "--out", str(tmp_path / "out"), "-q"]
    assert main(words) == 0
    edited = next((tmp_path / "out" / "models").glob("*/scene.xml"))
    edited.write_bytes(MINE)
    assert main(words) != 0
    assert edited.read_bytes() == MINE
    assert (
        "edited since it was written: scene.xml" in (tmp_path / "out" / "results.jsonl").read_text()
    )


@pytest.mark.parametrize(
    "export", ["export_mjcf", "export_sdf", "export_urdf", "export_directives"]
)
def test_the_texts_beside_an_export_hold_no_control_character(export: str, tmp_path: Path) -> None:
    """``cat README.md`` would send it to the terminal."""
    joint = (
        "<joint name='a&#x9b;&#x202e;b&#x2066;&#x2028;c' "
        "type='revolute'><parent>world</parent><child>l</child>"
    )
    axis = "<axis><xyz>0 0 1</xyz></axis></joint>"
    (tmp_path / "m.sdf").write_text(
        f"<sdf version='1.9'><model name='m'><link name='l'/>{joint}{axis}</model></sdf>"
    )
    getattr(bridge, export)(tmp_path / "m.sdf", tmp_path / "out", quiet=True)
    for page in ("README.md", "FIDELITY.md"):
        text = (tmp_path / "out" / page).read_text(encoding="utf-8")
        assert not [
            c
            for c in text
            if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"} and c not in "\n\t"
        ]
