"""Meshes are converted once, and again when anything that they are read from changes."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from bridge import to_mjcf
from bridge.geometry import mesh as mesh_assets
from bridge.geometry.cache import read_checked, write_checked
from bridge.geometry.mesh import Appearance, MeshFile, mesh_files
from loaders.diagnostics import Diagnostics, Where
from loaders.model import Mesh
from tests.support.scenes import link, scene

TEXT = "mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 {y} 0\nv 0 0 1\nvt 0 0\nusemtl skin\n"
FACES = "f 1/1 3/1 2/1\nf 1/1 2/1 4/1\nf 2/1 3/1 4/1\nf 3/1 1/1 4/1\n"
USE = Where("robot.urdf", 7)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache of its own."""
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def mesh(tmp_path):
    (tmp_path / "m").mkdir()
    write(tmp_path / "m" / "part.obj", 1.0)
    (tmp_path / "m" / "skin.mtl").write_text("newmtl skin\nKd 1 0 0\nmap_Kd skin.png\n")
    return Mesh(uri="part.obj", path=str(tmp_path / "m" / "part.obj"))


def write(path, y):
    path.write_text(TEXT.format(library="skin.mtl", y=y) + FACES)


def converted(mesh, **options):
    """What `mesh_files` says of a mesh: everything of each part, and the findings."""
    diagnostics = Diagnostics()
    files = mesh_files(mesh, "mjcf", diagnostics, where=USE, **options)
    parts = [
        (f.name, f.data, f.digest, f.has_uv, f.rgba, f.texture, f.vertices.tolist()) for f in files
    ]
    return parts, tuple(diagnostics), [dict(found.arguments) for found in diagnostics]


def fresh(mesh, **options):
    """The same without any cache."""
    diagnostics = Diagnostics()
    assets = mesh_assets.mesh_asset(mesh, "mjcf", diagnostics, where=USE, **options)
    files = map(MeshFile.of, assets)
    parts = [
        (f.name, f.data, f.digest, f.has_uv, f.rgba, f.texture, f.vertices.tolist()) for f in files
    ]
    return parts, tuple(diagnostics), [dict(found.arguments) for found in diagnostics]


@pytest.mark.parametrize(
    "options", [{}, {"collides": True}, *({"appearance": part} for part in Appearance)]
)
def test_the_cache_gives_what_a_conversion_gives(mesh, options, monkeypatch):
    expected = fresh(mesh, **options)
    assert converted(mesh, **options) == expected
    monkeypatch.setattr(mesh_assets, "mesh_asset", lambda *_, **__: pytest.fail("converted again"))
    assert converted(mesh, **options) == expected


def test_a_warm_export_imports_no_mesh_library(mesh):
    converted(mesh)
    code = (
        "import sys; from loaders.model import Mesh; from loaders.diagnostics import Diagnostics\n"
        "from bridge.geometry.mesh import mesh_files\n"
        f"(file,) = mesh_files(Mesh(uri='', path={mesh.path!r}), 'mjcf', Diagnostics())\n"
        "print(len(file.data), 'trimesh' in sys.modules)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert out == [str(len(converted(mesh)[0][0][1])), "False"]


def test_a_change_of_the_mesh_its_library_or_its_texture_is_followed(mesh, tmp_path):
    (before,) = converted(mesh)[0]
    assert before[4:6] == ((1.0, 0.0, 0.0, 1.0), None)
    write(tmp_path / "m" / "part.obj", 2.0)
    assert max(p[1] for p in converted(mesh)[0][0][6]) == 2.0
    (tmp_path / "m" / "skin.mtl").write_text("newmtl skin\nKd 0 1 0\nmap_Kd skin.png\n")
    assert converted(mesh)[0][0][4] == (0.0, 1.0, 0.0, 1.0)
    assert [entry.code for entry in converted(mesh)[1]] == ["mesh.missing-texture"]
    Image.new("RGB", (2, 2)).save(tmp_path / "m" / "skin.png")
    parts, findings, _ = converted(mesh)
    assert (parts[0][5], findings) == (str(tmp_path / "m" / "skin.png"), ())
    (tmp_path / "m" / "skin.mtl").unlink()
    assert converted(mesh) == fresh(mesh)


def test_damaged_files_of_the_cache_are_written_again(mesh, folder):
    expected = converted(mesh)
    for file in [path for path in folder.rglob("*") if path.is_file()]:
        content = file.read_bytes()
        for spoilt in (content[:-3], bytes(len(content)), b""):
            file.write_bytes(spoilt)
            os.utime(file, (1, 1))
            assert converted(mesh) == expected
        assert (
            file.read_bytes() == content or file.suffix == ".json"
        )  # a record has the times of files
        file.unlink()
        assert converted(mesh) == expected


@pytest.mark.parametrize(
    "change",
    [
        {"obj": "\0"},
        {"obj": "/"},
        {"obj": 0},
        {"rgba": "red"},
        {"texture": 5},
        {"name": 7},
        {"digest": None},
    ],
)
def test_a_record_with_other_values_is_written_again(mesh, folder, change):
    expected = converted(mesh)
    (record,) = folder.rglob("*.json")
    content = json.loads(read_checked(record))
    content["parts"][0] |= change
    write_checked(record, json.dumps(content).encode())
    assert converted(mesh) == expected
    assert json.loads(read_checked(record))["parts"][0].items() & change.items() == set()


def test_findings_keep_the_place_of_the_mesh_and_take_that_of_the_use(tmp_path):
    path = tmp_path / "flat.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
    mesh = Mesh(uri="flat.obj", path=str(path))
    diagnostics = Diagnostics()
    for place in (USE, Where("other.urdf", 3)):
        mesh_files(mesh, "mjcf", diagnostics, where=place, collides=True)
    assert [(entry.code, entry.where) for entry in diagnostics] == [
        ("mesh.flat", USE),
        ("mesh.flat", Where("other.urdf", 3)),
    ]


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/full/x", "file/cache"])
def test_without_a_place_for_the_cache_meshes_are_converted_each_time(
    mesh, place, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDFBRIDGE_CACHE", place)
    assert converted(mesh) == converted(mesh) == fresh(mesh)


def test_without_a_home_meshes_are_converted_each_time(mesh, monkeypatch):
    for name in ("SDFBRIDGE_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987654, raising=False)
    assert converted(mesh) == fresh(mesh)


def test_many_at_once_find_the_same(mesh, folder):
    expected = fresh(mesh)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            shutil.rmtree(folder, ignore_errors=True)
            assert all(
                found == expected for found in pool.map(lambda _: converted(mesh), range(16))
            )


def test_an_unreadable_mesh_is_reported_each_time(tmp_path):
    path = tmp_path / "none.obj"
    path.write_text("nothing")
    mesh = Mesh(uri="none.obj", path=str(path))
    assert converted(mesh) == converted(mesh)
    assert [entry.code for entry in converted(mesh)[1]] == ["mesh.unreadable"]
    assert [entry.code for entry in converted(Mesh(uri="gone.obj", path=None))[1]] == [
        "mesh.missing"
    ]


def test_an_export_is_the_same_from_a_cold_and_a_warm_cache(mesh):
    model = scene([link("a", shape=mesh)])
    cold, warm = to_mjcf(model), to_mjcf(model)
    assert (str(cold), cold.assets, cold.diagnostics) == (str(warm), warm.assets, warm.diagnostics)
    assert np.asarray(list(cold.assets)).tolist() == ["part.obj"]
