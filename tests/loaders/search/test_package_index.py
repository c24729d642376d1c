"""What repositories of Gazebo, ROS and PX4 look like, and that everything in them is found without
a package map.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from loaders.files import folders
from loaders.files.folders import PackageIndex

MODEL = "<sdf version='1.9'><model name='box'><link name='l'/></model></sdf>"
CONFIG = "<model><name>box</name><sdf version='1.9'>model.sdf</sdf></model>"
EXPORT = (
    "<package><name>pkg</name><export><gazebo_ros "
    'gazebo_model_path="${prefix}/gz:${prefix}/.."/></export></package>'
)
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"


def world(uri: str) -> str:
    return f"<sdf version='1.9'><world name='w'><include><uri>{uri}</uri></include></world></sdf>"


def robot(uri: str, extra: str = "") -> str:
    shape = f"<geometry><mesh filename='{uri}'/></geometry>"
    return f"<robot name='r'>{extra}<link name='l'><visual>{shape}</visual></link></robot>"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


BOX = {"model.config": CONFIG, "model.sdf": MODEL}
PACKAGE = {"package.xml": "<package><name>pkg</name></package>", "meshes/m.obj": TRIANGLE}


def below(prefix: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{prefix}/{name}": text for name, text in files.items()}


LAYOUTS: dict[str, tuple[str, dict[str, str]]] = {
    "models beside worlds": (
        "worlds/w.sdf",
        {**below("models/box", BOX), "worlds/w.sdf": world("model://box")},
    ),
    "models of an ancestor": (
        "a/b/c/w.sdf",
        {**below("models/box", BOX), "a/b/c/w.sdf": world("model://box")},
    ),
    "an export of a package": (
        "pkg/worlds/w.sdf",
        {
            "pkg/package.xml": EXPORT,
            **below("pkg/gz/box", BOX),
            "pkg/worlds/w.sdf": world("model://box"),
        },
    ),
    "a folder without model.config": (
        "worlds/w.sdf",
        {"models/box/box.sdf": MODEL, "worlds/w.sdf": world("model://box")},
    ),
    "a plain name": (
        "models/stack/model.sdf",
        {**below("models/box", BOX), "models/stack/model.sdf": world("box")},
    ),
    "find in a plain file": (
        "pkg/urdf/r.urdf",
        {**below("pkg", PACKAGE), "pkg/urdf/r.urdf": robot("$(find pkg)/meshes/m.obj")},
    ),
    "find after file": (
        "pkg/urdf/r.urdf",
        {**below("pkg", PACKAGE), "pkg/urdf/r.urdf": robot("file://$(find pkg)/meshes/m.obj")},
    ),
    "a model after file": (
        "worlds/r.urdf",
        {
            **below("models/box", {**BOX, "m.obj": TRIANGLE}),
            "worlds/r.urdf": robot("file://box/m.obj"),
        },
    ),
    "an installed path of another machine": (
        "pkg/urdf/r.urdf",
        {
            **below("pkg", PACKAGE),
            "pkg/urdf/r.urdf": robot("file:///home/me/install/pkg/share/pkg/meshes/m.obj"),
        },
    ),
    "mesh folder of MuJoCo": (
        "pkg/urdf/r.urdf",
        {
            **below("pkg", PACKAGE),
            "pkg/urdf/r.urdf": robot(
                "lost/m.obj", "<mujoco><compiler meshdir='../meshes'/></mujoco>"
            ),
        },
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_everything_is_found_from_the_file_alone(name: str, tmp_path: Path) -> None:
    main, files = LAYOUTS[name]
    write(tmp_path, files)
    assert all(lookup.path is not None for lookup in loaders.resolve(tmp_path / main, lenient=True))
    assert loaders.load(
        tmp_path / main, quiet=True, lenient=name == "a folder without model.config"
    ).links


DEEP = {
    "a package far below": {
        "file": robot("package://pkg/meshes/m.obj"),
        **below("src/stack/group/folder", PACKAGE),
    },
    "a folder without manifest": {
        "file": robot("package://plain/m.obj"),
        "src/a/plain/m.obj": TRIANGLE,
    },
    "a model far below": {"file": world("model://box"), **below("src/a/b/box", BOX)},
    "an installed path": {
        "file": robot("file:///opt/ros/share/pkg/meshes/m.obj"),
        **below("src/a/pkg", PACKAGE),
    },
}


@pytest.mark.parametrize("name", DEEP)
def test_paths_are_searched_at_any_depth(name: str, tmp_path: Path) -> None:
    files = dict(DEEP[name])
    text = files.pop("file")
    write(tmp_path / "root", files)
    write(tmp_path / "elsewhere", {"main.xml": text})
    (lookup, *_) = loaders.resolve(tmp_path / "elsewhere" / "main.xml", paths=[tmp_path / "root"])
    assert lookup.path is not None
    (lookup, *_) = loaders.resolve(tmp_path / "elsewhere" / "main.xml")
    assert lookup.path is None


def test_an_export_cannot_open_a_folder_outside_its_package(tmp_path: Path) -> None:
    export = EXPORT.replace("${prefix}/..", "${prefix}/../../secret")
    write(
        tmp_path,
        {
            "a/pkg/package.xml": export,
            **below("secret/box", BOX),
            "a/pkg/w.sdf": world("model://box"),
        },
    )
    assert loaders.resolve(tmp_path / "a" / "pkg" / "w.sdf")[0].path is None


def test_relative_folders_are_those_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {**below("else/pkg", PACKAGE), "b/r.urdf": robot("package://pkg/meshes/m.obj")})
    monkeypatch.chdir(tmp_path)
    for options in ({"paths": ["else"]}, {"package_map": {"pkg": "else/pkg"}}):
        (lookup,) = loaders.resolve("b/r.urdf", **options)
        assert lookup.path == tmp_path / "else" / "pkg" / "meshes" / "m.obj"


def test_the_less_deep_package_comes_first_and_links_are_not_followed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {**below("a/b/pkg", PACKAGE), **below("z/pkg", PACKAGE), **below(".git/pkg", PACKAGE)},
    )
    (tmp_path / "loop").symlink_to(tmp_path)
    index = PackageIndex([tmp_path])
    assert list(index.packages("pkg")) == [tmp_path / "z" / "pkg", tmp_path / "a" / "b" / "pkg"]
    assert list(index.folders("meshes")) == [
        tmp_path / "z" / "pkg" / "meshes",
        tmp_path / "a" / "b" / "pkg" / "meshes",
    ]


def test_the_index_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {f"a{i}/package.xml": "" for i in range(9)})
    monkeypatch.setattr(folders, "MAX_FOLDERS", 5)
    index = PackageIndex([tmp_path])
    assert [name for name in (f"a{i}" for i in range(9)) if list(index.packages(name))] == [
        "a0",
        "a1",
        "a2",
        "a3",
    ]


def test_nothing_is_visited_while_files_are_found_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path, {**below("pkg", PACKAGE), "pkg/urdf/r.urdf": robot("package://pkg/meshes/m.obj")}
    )
    monkeypatch.setattr(folders, "_walk", lambda _: pytest.fail("the index was made"))
    assert loaders.resolve(tmp_path / "pkg/urdf/r.urdf", paths=[tmp_path])[0].path is not None
