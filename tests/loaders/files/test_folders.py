"""Folders of packages and models: their packages against Drake's, allowed roots and symbolic links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydrake.multibody.parsing import PackageMap

import loaders
from loaders.files import folders
from loaders.files.folders import (
    AllowedRoots,
    PackageIndex,
    RealPaths,
    declared_name,
    fuel_caches,
    fuel_places,
    is_package,
    is_plain_name,
    model_folder,
    packages,
)

# Package maps from folders, against Drake's.

os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")


def package(folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.xml").write_text(f"<package><name>{name}</name></package>")
    return folder


def test_packages_are_those_that_drake_finds(tmp_path):
    package(tmp_path / "a", "one")
    package(tmp_path / "a" / "inner", "two")
    package(tmp_path / "deep" / "down", "three")
    package(tmp_path / ".hidden", "four")
    drake = PackageMap.MakeEmpty()
    drake.PopulateFromFolder(str(tmp_path))
    ours = packages(tmp_path)
    assert sorted(ours) == sorted(drake.GetPackageNames()) == ["one", "three", "two"]
    assert all(os.path.samefile(ours[name], drake.GetPath(name)) for name in ours)


def test_of_two_packages_with_one_name_the_first_counts(tmp_path):
    first = package(tmp_path / "a", "one")
    package(tmp_path / "b", "one")
    assert packages(tmp_path) == {"one": first}


def test_a_map_from_a_folder_serves_to_load(tmp_path):
    folder = package(tmp_path / "x", "robots")
    (folder / "ball.sdf").write_text(
        '<sdf version="1.11"><model name="m"><link name="l"/></model></sdf>'
    )
    scene = loaders.load_string(
        "directives: [{add_model: {name: a, file: 'package://robots/ball.sdf'}}]",
        format="directives",
        package_map=packages(tmp_path),
    )
    assert [link.name for link in scene.links] == ["a::l"]


def test_a_folder_that_is_none_is_a_mistake_of_the_caller(tmp_path):
    with pytest.raises(NotADirectoryError):
        packages(tmp_path / "none")


# Resolution of symbolic links, against that of the operating system.


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a folder with files, and links to files, to folders, out of it, and in a circle."""
    (tmp_path / "arm" / "meshes" / "fine").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "fine" / "a.stl").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.stl").touch()
    (tmp_path / "arm" / "to_folder").symlink_to("meshes/fine")
    (tmp_path / "arm" / "to_other").symlink_to(tmp_path / "other")
    (tmp_path / "arm" / "meshes" / "to_file.stl").symlink_to("../../other/b.stl")
    (tmp_path / "arm" / "circle").symlink_to("circle")
    return tmp_path


PATHS = (
    "arm/meshes/fine/a.stl",
    "arm/meshes/fine",
    "arm/meshes/",
    "arm/to_folder/a.stl",
    "arm/to_other/b.stl",
    "arm/to_other/../b.stl",
    "arm/to_folder/../to_file.stl",
    "arm/meshes/../to_other/./b.stl",
    "arm/meshes/to_file.stl",
    "arm/missing/more/c.stl",
    "arm/circle/c.stl",
    "..",
)


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_that_of_the_operating_system(tree: Path, path: str) -> None:
    """Whether or not its folders were looked up before."""
    text = os.path.join(tree, path)
    real = RealPaths()
    assert real(text) == os.path.realpath(text)
    assert [real(os.path.join(tree, other)) for other in PATHS] == [
        os.path.realpath(os.path.join(tree, other)) for other in PATHS
    ]


def test_what_exists_has_the_path_of_the_operating_system(tree: Path) -> None:
    """A link that leads nowhere does not exist."""
    paths = [os.path.join(tree, path) for path in PATHS]
    real = RealPaths()
    assert [real.of_existing(path) for path in paths] == [
        os.path.realpath(path) if os.path.exists(path) else None for path in paths
    ]
    assert real.of_existing("a\0b") is None


def test_a_link_to_the_top_of_the_file_system(tree: Path) -> None:
    """What lies in it has one separator at the front."""
    (tree / "top").symlink_to(os.sep)
    assert RealPaths()(os.path.join(tree, "top", "usr")) == os.path.realpath("/usr")


def test_a_relative_path_is_that_of_the_present_folder(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As everywhere in Python."""
    real = RealPaths()
    for folder in ("arm", "other", "."):
        monkeypatch.chdir(tree / folder)
        assert real("arm/to_other/b.stl") == os.path.realpath("arm/to_other/b.stl")


@pytest.mark.parametrize("folder", ["arm/meshes", "arm/to_other", "arm/to_folder"])
def test_a_relative_path_goes_up_from_the_folder_that_a_link_leads_to(
    tree: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``..`` at the front is that of the working folder itself, not of a link by which it was
    entered.
    """
    monkeypatch.chdir(tree / folder)
    ups = [
        os.path.join(up, path)
        for up in ("..", "../..", "../../..", "./..")
        for path in ("arm/x", *PATHS)
    ]
    real = RealPaths()
    assert [real(path) for path in ups] == [os.path.realpath(path) for path in ups]


def test_a_path_with_more_folders_than_the_stack_is_deep() -> None:
    """No path of a file may exhaust the stack."""
    path = "/" + "a/" * 5_000 + "b.stl"
    assert RealPaths()(path) == path


def test_the_top_of_the_file_system() -> None:
    """It has no folder around it."""
    assert RealPaths()(os.sep) == os.sep


# The folders that a load may read.


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_a_folder_its_packages_and_the_packages_beside_them_are_allowed(tmp_path: Path) -> None:
    put(tmp_path / "models" / "arm" / "model.config")
    put(tmp_path / "models" / "hand" / "model.config")
    allowed = AllowedRoots([tmp_path / "models" / "arm" / "deep"])
    assert allowed.allow(put(tmp_path / "models" / "arm" / "deep" / "a.stl"))
    assert allowed.allow(put(tmp_path / "models" / "arm" / "a.stl"))
    assert allowed.allow(put(tmp_path / "models" / "hand" / "a.stl"))
    assert not allowed.allow(put(tmp_path / "models" / "a.stl"))
    assert not allowed.allow(put(tmp_path / "models" / "private" / "a.stl"))
    assert not allowed.allow(tmp_path / "models")


def test_folders_given_as_more_bring_nothing_around_them(tmp_path: Path) -> None:
    put(tmp_path / "package.xml")
    allowed = AllowedRoots([], lambda: [tmp_path / "cache"])
    assert allowed.allow(put(tmp_path / "cache" / "a.stl"))
    assert not allowed.allow(put(tmp_path / "a.stl"))


def test_other_folders_are_looked_for_when_a_file_lies_outside_the_given_ones(
    tmp_path: Path,
) -> None:
    allowed = AllowedRoots(
        [tmp_path / "in"], lambda: pytest.fail("asked"), lambda: pytest.fail("asked")
    )
    assert allowed.allow(put(tmp_path / "in" / "a.stl"))
    with pytest.raises(pytest.fail.Exception, match="asked"):
        allowed.allow(put(tmp_path / "a.stl"))


def test_a_link_counts_where_it_leads(tmp_path: Path) -> None:
    put(tmp_path / "out" / "a.stl")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "file.stl").symlink_to(tmp_path / "out" / "a.stl")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "out")
    allowed = AllowedRoots([tmp_path / "in"])
    assert not allowed.allow(tmp_path / "in" / "file.stl")
    assert not allowed.allow(tmp_path / "in" / "folder" / "a.stl")
    assert AllowedRoots([tmp_path / "in" / "folder"]).allow(tmp_path / "out" / "a.stl")


# Folders with packages and models.


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "*", "a?", "[a]", "a\0"])
def test_a_plain_name_is_no_path_and_no_pattern(name: str) -> None:
    assert not is_plain_name(name)
    assert is_plain_name("my robot-1.0_x")


def test_a_package_has_a_manifest(tmp_path: Path) -> None:
    assert not is_package(tmp_path)
    (tmp_path / "model.config").touch()
    assert is_package(tmp_path)


def test_a_declared_name_is_read_from_a_regular_file_of_moderate_size(tmp_path: Path) -> None:
    manifest = tmp_path / "package.xml"
    manifest.write_text("<package><name> arm </name></package>")
    assert declared_name(manifest) == "arm"
    manifest.write_bytes(b" " * (1 << 20) + b"<name>arm</name>")
    assert declared_name(manifest) is None
    manifest.unlink()
    manifest.symlink_to("/dev/zero")
    assert declared_name(manifest) is None
    manifest.unlink()
    os.mkfifo(manifest)
    assert declared_name(manifest) is None


def test_a_layout_folder_belongs_to_the_folder_around_it(tmp_path: Path) -> None:
    assert model_folder(str(tmp_path / "urdf")) == str(tmp_path)
    assert model_folder(str(tmp_path / "arm")) == str(tmp_path / "arm")


def test_a_user_without_a_home_folder_has_only_the_caches_in_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("GZ_FUEL_CACHE_PATH", raising=False)
    monkeypatch.setenv("IGN_FUEL_CACHE_PATH", "/fuel")
    monkeypatch.setattr("pwd.getpwuid", lambda _: (_ for _ in ()).throw(KeyError))
    assert fuel_caches() == [Path("/fuel")]


def test_a_version_of_many_digits_is_no_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GZ_FUEL_CACHE_PATH", str(tmp_path))
    model = tmp_path / "server" / "owner" / "models" / "cup"
    for version in ("9", "10", "1" * 200, "²"):
        (model / version).mkdir(parents=True)
    assert list(fuel_places("server/1.0/owner/models/cup"))[:2] == [model / "10", model / "9"]


# What repositories of Gazebo, ROS and PX4 look like, and that everything in them is found without a
# package map.

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


def visual(uri: str) -> str:
    shape = f"<geometry><mesh><uri>{uri}</uri></mesh></geometry>"
    return f"<sdf version='1.9'><model name='m'><link name='l'><visual name='v'>{shape}</visual></link></model></sdf>"


SAVED = below("models/box", {**BOX, "meshes/a b.obj": TRIANGLE})
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
    "a URI that Gazebo saved of a model that came as text": (
        "worlds/w.sdf",
        {**SAVED, "worlds/w.sdf": visual("file://&lt;urdf-string&gt;/model://box/meshes/a b.obj")},
    ),
    "such a URI with escapes": (
        "worlds/w.sdf",
        {**SAVED, "worlds/w.sdf": visual("file://%3Curdf-string%3E/model://box/meshes/a%20b.obj")},
    ),
    "such a URI that is no XML": (
        "worlds/w.sdf",
        {**SAVED, "worlds/w.sdf": visual("file://<urdf-string>/model://box/meshes/a b.obj")},
    ),
    "such a URI of SDFormat": (
        "worlds/w.sdf",
        {
            **SAVED,
            "worlds/w.sdf": visual("file://&lt;data-string&gt;/package://box/meshes/a b.obj"),
        },
    ),
    "a path of a model that Gazebo saved as absolute": (
        "models/box/model.sdf",
        {**SAVED, "models/box/model.sdf": visual("file:///meshes/a%20b.obj")},
    ),
    "an escaped relative path": (
        "models/box/model.sdf",
        {**SAVED, "models/box/model.sdf": visual("meshes/a%20b.obj")},
    ),
    "a name with a percent sign": (
        "pkg/urdf/r.urdf",
        {
            **below("pkg", {**PACKAGE, "meshes/50%25.obj": TRIANGLE}),
            "pkg/urdf/r.urdf": robot("package://pkg/meshes/50%25.obj"),
        },
    ),
    "a folder that CMake installs as another one": (
        "pkg/description/urdf/r.urdf",
        {
            "pkg/package.xml": PACKAGE["package.xml"],
            "pkg/description/meshes/m.obj": TRIANGLE,
            "pkg/description/urdf/r.urdf": robot("package://pkg/meshes/m.obj"),
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


def test_a_file_of_a_package_that_could_be_two_is_not_chosen(tmp_path: Path) -> None:
    files = {"description/meshes/m.obj": TRIANGLE, "old/meshes/m.obj": TRIANGLE}
    files["urdf/r.urdf"] = robot("package://pkg/meshes/m.obj")
    write(tmp_path / "pkg", {"package.xml": PACKAGE["package.xml"], **files})
    scene = loaders.load(tmp_path / "pkg" / "urdf" / "r.urdf", quiet=True)
    assert "resource.not-found" in {entry.code for entry in scene.diagnostics}


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
