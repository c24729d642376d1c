"""Archives of MJCF. The oracles are MuJoCo, which reads them as well, and the same files in a
folder.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome
from bridge.parity.engines.mujoco.native import compile_original
from loaders.files.read_file import (
    FOLDER,
    MAX_RATIO,
    is_file,
    is_readable,
    main_file,
    read,
    read_end,
    read_start,
    size_inside,
    status_of,
)
from loaders.limits import FileError, Limits, budgeted

Members = Mapping[str, str | bytes]
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
PLAIN = (
    '<mujoco model="{0}"><worldbody><body name="b"><freejoint/><geom '
    'size=".1"/></body></worldbody></mujoco>'
)
MESH = """<mujoco model="robot">
  <asset><mesh name="m" file="{0}"/><texture name="t" type="2d" file="images/t.png"/><material name="c" texture="t"/>
  <hfield name="h" file="images/t.png" size="1 1 .2 .1"/></asset>
  <include file="parts/arm.xml"/>
</mujoco>"""
ARM = """<mujoco><worldbody><geom type="hfield" hfield="h"/><body name="b" pos="0 0 1">
  <joint name="j" axis="0 1 0"/><geom name="g" type="mesh" mesh="m" material="c"/></body></worldbody></mujoco>"""
FROM_FILE = tuple(map(int, mujoco.__version__.split(".")[:2])) >= (3, 15)
"""Whether MuJoCo itself reads the archives of these tests; older versions know fewer of them."""


def png() -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(np.arange(64, dtype=np.uint8).reshape(8, 8)).save(stream, "PNG")
    return stream.getvalue()


def robot(folder: str = "") -> dict[str, str | bytes]:
    members = {
        "model.xml": MESH.format("meshes/m.obj"),
        "meshes/m.obj": OBJ,
        "images/t.png": png(),
        "parts/arm.xml": ARM,
    }
    return {folder + name: data for name, data in members.items()}


def archive(path: Path, members: Members, method: int = zipfile.ZIP_DEFLATED) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", method) as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return path


def unpacked(path: Path, members: Members) -> Path:
    for name, data in members.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def fields(value: object, old: str, new: str) -> object:
    """Every field of a scene as plain data, with the folder of its files replaced."""
    if dataclasses.is_dataclass(value):
        return [fields(getattr(value, field.name), old, new) for field in dataclasses.fields(value)]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): fields(item, old, new) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fields(item, old, new) for item in value]
    return str(value).replace(old, new)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
@pytest.mark.parametrize("top", ["", "robot/"])
def test_a_scene_of_an_archive_is_that_of_its_folder(tmp_path: Path, top: str, method: int) -> None:
    file = archive(tmp_path / "packed" / "robot.mjz", robot(top), method)
    folder = unpacked(tmp_path / "folder" / "robot.mjz", robot(top))
    scene, expected = loaders.load(file), loaders.load(folder / top / "model.xml")
    assert fields(scene, str(tmp_path / "packed"), "") == fields(
        expected, str(tmp_path / "folder"), ""
    )
    assert scene.links
    assert not [entry for entry in scene.diagnostics if entry.severity == "error"]
    packed, plain = (
        bridge.export_mjcf(each, tmp_path / name) for name, each in (("a", scene), ("b", expected))
    )
    assert packed.path.read_bytes() == plain.path.read_bytes().replace(
        b" from model.xml;", b" from robot.mjz;"
    )
    assert [p.name for p in (tmp_path / "a" / "assets").iterdir()] == [
        p.name for p in (tmp_path / "b" / "assets").iterdir()
    ]
    assert os.listdir(tmp_path / "packed") == ["robot.mjz"]


@pytest.mark.skipif(not FROM_FILE, reason="this MuJoCo does not read the archive")
def test_the_original_in_an_archive_is_the_model_that_mujoco_compiles(tmp_path: Path) -> None:
    file = archive(tmp_path / "robot.mjz", robot())
    theirs = mujoco.MjSpec.from_file(str(file)).compile()
    with compile_original(file) as source:
        ours = source.compiled.model
        for name in (
            "body_mass",
            "body_inertia",
            "geom_type",
            "geom_size",
            "mesh_vert",
            "hfield_data",
            "jnt_axis",
        ):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    found = bridge.compare(
        file, engines=("mujoco", "mujoco-native"), levels=("L0", "L1"), configurations=2
    )
    passed = {
        row.quantity
        for row in found.rows
        if "mujoco-native" in row.engines and row.outcome is Outcome.PASSED
    }
    assert found.failures == ()
    assert {"compiled settings", "compiled meshes", "mass matrix", "link poses"} <= passed


def test_files_in_archives_are_compared_and_written(tmp_path: Path) -> None:
    file, same = (archive(tmp_path / name / "robot.mjz", robot()) for name in "ab")
    comparison = bridge.compare_files(file, same)
    assert not comparison.differences
    other = archive(
        tmp_path / "c" / "robot.mjz", {**robot(), "meshes/m.obj": OBJ.replace("v 1 0 0", "v 2 0 0")}
    )
    assert bridge.compare_files(file, other).differences
    for write in (bridge.export_urdf, bridge.export_sdf):  # both read back what they write
        meshes = (tmp_path / write.__name__ / "assets").rglob("*.obj")
        report = write(file, tmp_path / write.__name__, quiet=True).path.parent / "README.md"
        assert OBJ in [path.read_text() for path in meshes]
        assert hashlib.sha256(file.read_bytes()).hexdigest() in report.read_text()


NAMES: dict[str, Members] = {
    "model.xml comes first": {"r.xml": PLAIN.format("r"), "model.xml": PLAIN.format("model")},
    "the name of the archive": {
        "a.xml": PLAIN.format("a"),
        "r.xml": PLAIN.format("r"),
        "r/r.xml": PLAIN.format("rr"),
    },
    "the folder of that name": {"a.xml": PLAIN.format("a"), "r/r.xml": PLAIN.format("r/r")},
    "the file before model.xml": {"r/model.xml": PLAIN.format("rm"), "r/r.xml": PLAIN.format("rr")},
    "model.xml in that folder": {
        "a.xml": PLAIN.format("a"),
        "r/model.xml": PLAIN.format("r/model"),
    },
}


@pytest.mark.skipif(not FROM_FILE, reason="this MuJoCo reads archives in another way")
@pytest.mark.parametrize("members", NAMES.values(), ids=list(NAMES))
def test_the_main_model_is_the_one_that_mujoco_takes(tmp_path: Path, members: Members) -> None:
    file = archive(tmp_path / "r.mjz", members)
    assert loaders.load(file).name == mujoco.MjSpec.from_file(str(file)).modelname


def test_an_archive_with_one_model_of_any_name_is_read(tmp_path: Path) -> None:
    spec = mujoco.MjSpec.from_string(PLAIN.format("own name"))
    with (tmp_path / "robot.zip").open("wb") as stream:
        spec.to_zip(stream)
    assert loaders.load(tmp_path / "robot.zip").name == "own name"


def test_a_model_in_an_archive_can_be_named(tmp_path: Path) -> None:
    file = archive(tmp_path / "r.mjz", {"a/x.xml": PLAIN.format("x"), "a/y.xml": PLAIN.format("y")})
    assert loaders.load(file / "a" / "y.xml").name == "y"
    assert "a/x.xml, a/y.xml" in problem(file)


@pytest.mark.parametrize("inner", [False, True])
def test_a_model_may_attach_an_archive_but_not_one_inside_an_archive(
    tmp_path: Path, inner: bool
) -> None:
    text = """<mujoco><asset><model name="s" file="s.mjz"/></asset>
      <worldbody><attach model="s" body="b" prefix="p_"/></worldbody></mujoco>"""
    sub = archive(
        tmp_path / "s.mjz",
        {
            "model.xml": MESH.format("meshes/m.obj"),
            **{k: v for k, v in robot().items() if k != "model.xml"},
        },
    )
    if inner:
        file = archive(tmp_path / "outer" / "r.mjz", {"model.xml": text, "s.mjz": sub.read_bytes()})
        assert "an archive in an archive" in problem(file)
        return
    (tmp_path / "r.xml").write_text(text)
    scene = loaders.load(tmp_path / "r.xml")
    assert "p_b" in {link.name for link in scene.links}
    if FROM_FILE:
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "r.xml"))
        inertia = next(link.inertia for link in scene.links if link.name == "p_b")
        assert inertia is not None
        assert inertia.mass == model.body("p_b").mass[0]


def test_names_do_not_lead_out_of_an_archive(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text(OBJ)
    for name in ("m.obj", "../m.obj", "../../m.obj", str(tmp_path / "m.obj")):
        model = {**robot(), "model.xml": MESH.format(name)}
        found = findings(archive(tmp_path / "r.mjz", model))
        assert {"resource.not-found", "resource.outside"} & {entry.code for entry in found}, name


# --- hostile archives -----------------------------------------------------------------------------


def findings(file: Path, **options: Any) -> tuple[loaders.Diagnostic, ...]:
    try:
        return loaders.load(file, quiet=True, **options).diagnostics
    except loaders.LoadError as error:
        return error.diagnostics


def problem(file: Path, code: str = "file.archive", **options: Any) -> str:
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(file, **options)
    assert [entry.code for entry in caught.value.diagnostics if entry.severity == "error"] == [code]
    return str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "../evil.xml",
        "/evil.xml",
        "a/../../evil",
        "a//b",
        "./a",
        "C:/evil",
        "a/C:/evil",
        "a/b:stream",
        "a/.. /.. /evil",
        "a/.../evil",
        "a\\b",
        "model.xml/x",
        "x" * 2000,
    ],
)
def test_a_member_whose_name_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    assert "the member" in problem(
        archive(tmp_path / "r.mjz", {"model.xml": PLAIN.format("m"), name: "x"})
    )


def link_member(zipped: zipfile.ZipFile) -> None:
    entry = zipfile.ZipInfo("link.obj")
    entry.external_attr = 0o120777 << 16
    zipped.writestr(entry, "/etc/passwd")


def twice(zipped: zipfile.ZipFile) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        zipped.writestr("model.xml", PLAIN.format("second"))


def by_lzma(zipped: zipfile.ZipFile) -> None:
    zipped.writestr("a.bin", b"x" * 100, zipfile.ZIP_LZMA)


@pytest.mark.parametrize(
    ("add", "reason"), [(link_member, "symbolic link"), (twice, "twice"), (by_lzma, "method")]
)
def test_a_member_that_is_no_plain_file_is_refused(
    tmp_path: Path, add: Callable[[zipfile.ZipFile], None], reason: str
) -> None:
    with zipfile.ZipFile(tmp_path / "r.mjz", "w") as zipped:
        zipped.writestr("model.xml", PLAIN.format("first"))
        add(zipped)
    assert reason in problem(tmp_path / "r.mjz")


def changed(path: Path, record: bytes, offset: int, value: bytes) -> Path:
    """Overwrite bytes of the first record with a signature."""
    data = bytearray(path.read_bytes())
    start = data.index(record) + offset
    data[start : start + len(value)] = value
    path.write_bytes(data)
    return path


CENTRAL, LOCAL = b"PK\1\2", b"PK\3\4"
DAMAGES = {
    "encrypted": (CENTRAL, 8, b"\1"),
    "larger than it is": (CENTRAL, 24, struct.pack("<L", 10_000)),
    "smaller than it is": (CENTRAL, 24, struct.pack("<L", 10)),
    "another sum": (CENTRAL, 16, b"\0\0\0\0"),
    "no header": (LOCAL, 0, b"none"),
    "outside of the file": (CENTRAL, 42, struct.pack("<L", 1 << 30)),
    "no list": (CENTRAL, 0, b"none"),
    "longer than the file": (CENTRAL, 20, struct.pack("<L", 1 << 30)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_a_damaged_member_is_refused(tmp_path: Path, damage: tuple[bytes, int, bytes]) -> None:
    problem(changed(archive(tmp_path / "r.mjz", {"model.xml": PLAIN.format("m")}), *damage))


def test_an_archive_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    data = archive(tmp_path / "r.mjz", robot()).read_bytes()
    for size in range(0, len(data), 37):
        (tmp_path / "r.mjz").write_bytes(data[:size])
        problem(tmp_path / "r.mjz")


def test_members_count_against_the_limits_of_a_load(tmp_path: Path) -> None:
    file = archive(tmp_path / "r.mjz", {"model.xml": PLAIN.format("m"), "a": "1", "b": "2"})
    loaders.load(file, limits=Limits(files=3))
    assert "limit files" in problem(file, "file.too-large", limits=Limits(files=2))
    large = archive(tmp_path / "l.mjz", {"model.xml": PLAIN.format("m"), "a": os.urandom(5000)})
    assert "limit bytes" in problem(large, "file.too-large", limits=Limits(bytes=4000))
    assert "text_file_bytes" in problem(file, "file.too-large", limits=Limits(text_file_bytes=20))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = archive(
        tmp_path / "bomb.mjz", {"model.xml": PLAIN.format("m"), "zeros.bin": bytes(40 << 20)}
    )
    assert f"{MAX_RATIO} times" in problem(bomb)
    lying = changed(
        archive(tmp_path / "l.mjz", {"model.xml": bytes(1 << 22)}),
        CENTRAL,
        24,
        struct.pack("<L", 100),
    )
    assert "damaged" in problem(lying)


def test_a_list_of_very_many_members_is_not_read(tmp_path: Path) -> None:
    entry = (
        struct.pack(
            "<4s4B4HL2L5H2L", CENTRAL, 20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0
        )
        + b"a"
    )
    body = entry * 200_000
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(body), 0, 0)
    (tmp_path / "r.mjz").write_bytes(body + end)
    assert "limit files" in problem(tmp_path / "r.mjz", "file.too-large")


@pytest.mark.parametrize("shift", [0, 10])
def test_members_that_share_bytes_are_refused(tmp_path: Path, shift: int) -> None:
    """Each would be read again, so that a small archive takes as long as a large one."""
    path = archive(tmp_path / "r.mjz", {"model.xml": PLAIN.format("m"), "a.obj": OBJ, "b.obj": OBJ})
    data = bytearray(path.read_bytes())
    first, second = (data.rfind(name) - 46 for name in (b"a.obj", b"b.obj"))
    place = struct.unpack_from("<L", data, first + 42)[0] + shift
    struct.pack_into("<L", data, second + 42, place)
    path.write_bytes(data)
    assert "overlaps another" in problem(path)


def test_deep_folders_take_memory_in_proportion_to_the_archive(tmp_path: Path) -> None:
    names = [f"{i}/" + "a/" * 480 + "f" for i in range(1000)]
    path = archive(tmp_path / "r.mjz", {"model.xml": PLAIN.format("m"), **dict.fromkeys(names, "")})
    tracemalloc.start()
    assert size_inside(path / names[0].removesuffix("/f")) == FOLDER
    assert size_inside(path / f"{names[-1]}") == 0
    assert size_inside(path / "1/b") is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * path.stat().st_size


def test_an_archive_of_an_older_state_is_forgotten(tmp_path: Path) -> None:
    file = archive(tmp_path / "r.mjz", {"model.xml": PLAIN.format("first")})
    assert loaders.load(file).name == "first"
    archive(file, {"model.xml": PLAIN.format("another")})
    assert loaders.load(file).name == "another"


# --- paths that lead through an archive -----------------------------------------------------------


def test_a_member_is_read_like_a_file(tmp_path: Path) -> None:
    file = archive(tmp_path / "R.MJZ", {"a/b.txt": "12345"})
    inside, folder = (
        file / "a" / "b.txt",
        unpacked(tmp_path / "f", {"a/b.txt": "12345"}) / "a" / "b.txt",
    )
    for each in (inside, folder):
        assert read(each) == b"12345"
        assert read_start(each, 2, option="side_file_bytes") == b"12"
        assert read_end(each, 2, option="side_file_bytes") == b"45"
        assert is_readable(each, option="side_file_bytes")
        assert is_file(each)
        assert not is_file(each.parent)
        assert not is_readable(each.parent, option="side_file_bytes")
        with budgeted(Limits(text_file_bytes=4)), pytest.raises(FileError) as caught:
            read(each)
        assert caught.value.code.name == "file.too-large"
    assert (size_inside(inside), size_inside(file / "a"), size_inside(file / "none")) == (
        5,
        FOLDER,
        None,
    )
    assert status_of(inside).st_mtime_ns == file.stat().st_mtime_ns
    assert main_file(str(folder)) == str(folder)


@pytest.mark.parametrize("name", ["none", "../R.MJZ", "../../x", "a/b.txt/c", "a\0b"])
def test_what_is_not_in_an_archive_is_unreadable(tmp_path: Path, name: str) -> None:
    file = archive(tmp_path / "r.mjz", {"a/b.txt": "12345"})
    with pytest.raises(FileError) as caught:
        read(os.path.join(file, name))
    assert caught.value.code.name == "file.unreadable"
    assert ("in the archive" in caught.value.reason) == (".." not in name)
    with pytest.raises((OSError, ValueError)):
        status_of(os.path.join(file, name))


def test_a_folder_called_like_an_archive_is_a_folder(tmp_path: Path) -> None:
    folder = unpacked(tmp_path / "robot.zip", robot())
    assert loaders.load(folder / "model.xml").name == "robot"
