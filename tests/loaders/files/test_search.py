"""Where the files of a load are looked for, in which order, and why one is not found."""

from __future__ import annotations

import os
import socket
from dataclasses import fields
from pathlib import Path

import pytest

import loaders
from loaders.context import Context, Resources, not_found
from loaders.diagnostics import Diagnostics
from loaders.files.folders import ENVIRONMENT
from loaders.node import Node

# Where files are looked for, in which order, and what may be read.


class Finder:
    """Looks for one name after another, and keeps what was reported."""

    def __init__(self, base: Path, **where: object) -> None:
        self.base = base
        self.diagnostics = Diagnostics()
        self.resources = Resources(**where)  # type: ignore[arg-type]
        self.node = Node(
            "mesh", {}, file=str(base / "robot.urdf"), line=7, diagnostics=self.diagnostics
        )

    def __call__(self, uri: str) -> Path | None:
        return self.resources.find(uri, self.base, self.node)

    def codes(self) -> list[str]:
        return [entry.code for entry in self.diagnostics]


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in (*ENVIRONMENT, "GZ_FUEL_CACHE_PATH", "IGN_FUEL_CACHE_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("solid")
    return path


def test_places_are_searched_in_the_documented_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "ws" / "pkg"
    base = package / "urdf"
    put(package / "package.xml").write_text("<package><name>pkg</name></package>")
    base.mkdir()
    monkeypatch.setenv("SDF_PATH", str(tmp_path / "env"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    in_order = [
        put(tmp_path / "mapped" / "a.stl"),
        put(base / "pkg" / "a.stl"),
        put(package / "a.stl"),
        put(tmp_path / "given" / "pkg" / "a.stl"),
        put(tmp_path / "env" / "pkg" / "a.stl"),
        put(tmp_path / "ros" / "share" / "pkg" / "a.stl"),
        put(
            tmp_path
            / "home"
            / ".gz"
            / "fuel"
            / "server"
            / "owner"
            / "models"
            / "pkg"
            / "3"
            / "a.stl"
        ),
    ]
    find = Finder(base, package_map={"pkg": tmp_path / "mapped"}, paths=[tmp_path / "given"])
    for path in in_order:
        assert find("package://pkg/a.stl") == path
        assert find("model://pkg/a.stl") == path
        path.unlink()
    assert find("package://pkg/a.stl") is None


@pytest.mark.parametrize("variable", ENVIRONMENT)
def test_every_variable_names_several_folders(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = "share" if variable == "AMENT_PREFIX_PATH" else ""
    path = put(tmp_path / "second" / below / "pkg" / "meshes" / "a.stl")
    monkeypatch.setenv(
        variable, os.pathsep.join((str(tmp_path / "first"), str(tmp_path / "second")))
    )
    assert Finder(tmp_path / "base")("package://pkg/meshes/a.stl") == path


def test_ros_workspaces_nest_packages_in_repositories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path / "src" / "repository" / "pkg" / "a.stl")
    put(tmp_path / "src" / "repository" / "pkg" / "package.xml")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "src"))
    assert Finder(tmp_path / "base")("package://pkg/a.stl") == path


def test_a_package_is_known_by_the_name_that_it_declares(tmp_path: Path) -> None:
    put(tmp_path / "checkout" / "package.xml").write_text("<package><name> arm </name></package>")
    path = put(tmp_path / "checkout" / "a.stl")
    assert Finder(tmp_path / "checkout" / "urdf")("package://arm/a.stl") == path


def test_a_package_beside_that_of_the_file_is_found(tmp_path: Path) -> None:
    put(tmp_path / "robot" / "package.xml")
    path = put(tmp_path / "gripper" / "a.stl")
    find = Finder(tmp_path / "robot" / "urdf")
    assert find("package://gripper/a.stl") is None
    assert find.codes() == ["resource.outside"]  # a folder without a manifest is no package
    put(tmp_path / "gripper" / "package.xml")
    assert Finder(tmp_path / "robot" / "urdf")("package://gripper/a.stl") == path


def test_a_model_is_a_folder(tmp_path: Path) -> None:
    put(tmp_path / "models" / "cup" / "model.config")
    assert (
        Finder(tmp_path, paths=[tmp_path / "models"])("model://cup") == tmp_path / "models" / "cup"
    )


@pytest.mark.parametrize(
    "uri", ["meshes/a.stl", "file://meshes/a.stl", "file:///{}/meshes/a.stl", "meshes\\a.stl"]
)
def test_paths_start_at_the_folder_of_the_file(uri: str, tmp_path: Path) -> None:
    path = put(tmp_path / "meshes" / "a.stl")
    found = Finder(tmp_path)(uri.format(str(tmp_path).lstrip("/")))
    assert found is not None
    assert found.samefile(path)


@pytest.mark.parametrize(("length", "is_found"), [(4096, True), (4097, False)])
def test_a_uri_has_at_most_as_many_characters_as_a_path_of_linux(
    length: int, is_found: bool, tmp_path: Path
) -> None:
    put(tmp_path / "a.stl")
    name = "/a.stl" if length % 2 == 0 else "a.stl"
    found = Finder(tmp_path)("./" * ((length - len(name)) // 2) + name)
    assert (found is not None) is is_found


def test_escapes_in_a_uri_are_read(tmp_path: Path) -> None:
    path = put(tmp_path / "pkg" / "a b.stl")
    assert Finder(tmp_path)("package://pkg/a%20b.stl") == path


def test_fuel_models_are_found_in_the_cache_newest_version_first(tmp_path: Path) -> None:
    model = (
        tmp_path
        / "home"
        / ".gz"
        / "fuel"
        / "fuel.gazebosim.org"
        / "openrobotics"
        / "models"
        / "my cup"
    )
    old, new = put(model / "2" / "meshes" / "cup.dae"), put(model / "10" / "meshes" / "cup.dae")
    find = Finder(tmp_path / "base")
    uri = "https://fuel.gazebosim.org/1.0/OpenRobotics/models/My Cup"
    assert find(uri) == model / "10"
    assert find(f"{uri}/tip/files/meshes/cup.dae") == new
    assert find(f"{uri}/2/files/meshes/cup.dae") == old
    assert find(uri.replace(" ", "%20")) == model / "10"


def test_nothing_is_fetched_over_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    find = Finder(tmp_path)
    assert find("https://fuel.gazebosim.org/1.0/openrobotics/models/cup") is None
    assert find("http://example.org/a.stl") is None
    assert find.codes() == ["resource.not-found"] * 2


def test_a_failure_says_every_path_that_was_tried(tmp_path: Path) -> None:
    find = Finder(tmp_path / "base", paths=[tmp_path / "one", tmp_path / "two"])
    assert find("package://pkg/a.stl") is None
    (entry,) = find.diagnostics
    tried = [tmp_path / folder / "pkg" / "a.stl" for folder in ("base", "one", "two")]
    assert all(str(path) in entry.message for path in tried)
    assert (entry.code, entry.severity, entry.where.line) == ("resource.not-found", "warning", 7)
    (lookup,) = find.resources.lookups
    assert lookup.path is None
    assert set(tried) <= set(lookup.tried)


def test_a_wrong_case_gets_a_hint(tmp_path: Path) -> None:
    path = put(tmp_path / "Meshes" / "Arm.STL")
    find = Finder(tmp_path)
    assert find("meshes/arm.stl") is None
    assert str(path) in next(iter(find.diagnostics)).hint


def test_an_unknown_scheme_says_which_are_known(tmp_path: Path) -> None:
    find = Finder(tmp_path)
    assert find("gopher://a/b") is None
    assert "package://" in next(iter(find.diagnostics)).hint


@pytest.mark.parametrize(
    "uri", ["a\0b", "x" * 5000, "package://", "file://", "package:///../..", "://", "model:///"]
)
def test_invalid_names_are_reported_and_raise_no_other_exception(uri: str, tmp_path: Path) -> None:
    find = Finder(tmp_path / "base")
    find(uri)
    assert len(find.resources.lookups) == 1


# --- what may be read -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri", ["../secret.txt", "{}/secret.txt", "file://{}/secret.txt", "package://pkg/../secret.txt"]
)
def test_files_outside_are_refused_unless_the_caller_allows_them(uri: str, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.txt")
    base = tmp_path / "pkg"
    put(base / "package.xml")
    uri = uri.format(tmp_path)
    find = Finder(base)
    assert find(uri) is None
    (entry,) = find.diagnostics
    assert (entry.code, entry.severity) == ("resource.outside", "error")
    allowed = Finder(base, unsafe_paths=True)(uri)
    assert allowed is not None
    assert allowed.samefile(secret)


def test_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.txt")
    base = tmp_path / "robot"
    base.mkdir()
    (base / "mesh.stl").symlink_to(secret)
    find = Finder(base)
    assert find("mesh.stl") is None
    assert find.codes() == ["resource.outside"]
    assert Finder(base, paths=[tmp_path])("mesh.stl") == base / "mesh.stl"


@pytest.mark.parametrize(
    "uri", ["model://../tenant/a.stl", "package://../tenant/a.stl", "model://up/tenant/a.stl"]
)
def test_a_package_has_a_plain_name_and_not_that_of_a_folder_around_the_model(
    uri: str, tmp_path: Path
) -> None:
    put(tmp_path / "up" / "tenant" / "a.stl")
    (tmp_path / "up" / "robot").mkdir()
    find = Finder(tmp_path / "up" / "robot")
    assert find(uri) is None
    assert find.codes() in (["resource.not-found"], ["resource.outside"])


def test_a_package_that_is_a_link_out_of_the_allowed_folders_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "tenant" / "package.xml")
    put(tmp_path / "tenant" / "a.stl")
    (tmp_path / "robot").mkdir()
    (tmp_path / "robot" / "link").symlink_to(tmp_path / "tenant")
    find = Finder(tmp_path / "robot")
    assert find("model://link/a.stl") is None
    assert find.codes() == ["resource.outside"]


def test_a_file_found_in_a_package_gives_no_access_to_the_folders_around_it(tmp_path: Path) -> None:
    put(tmp_path / "library" / "secret.stl")
    put(tmp_path / "library" / "package.xml")
    put(tmp_path / "library" / "models" / "arm" / "a.stl")
    put(tmp_path / "robot" / "a.urdf")
    find = Finder(tmp_path / "library" / "models" / "arm", main=tmp_path / "robot" / "a.urdf")
    assert find("package://library/secret.stl") is None
    assert find.codes() == ["resource.outside"]


@pytest.mark.parametrize("name", ["a**b", "*", "[a-z]", "?"])
def test_a_name_is_not_read_as_a_glob_pattern(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "ws" / "repository" / "axb" / "package.xml")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ws"))
    find = Finder(tmp_path / "base")
    assert find(f"model://{name}/package.xml") is None
    assert find.codes() == ["resource.not-found"]


def test_searching_works_without_a_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", lambda _: (_ for _ in ()).throw(KeyError))
    assert Finder(tmp_path)("package://none/a.stl") is None


def test_a_description_folder_may_name_what_is_beside_it(tmp_path: Path) -> None:
    put(tmp_path / "robot" / "meshes" / "a.stl")
    (tmp_path / "robot" / "urdf").mkdir()
    assert Finder(tmp_path / "robot" / "urdf")("../meshes/a.stl") is not None


def test_the_name_of_the_home_folder_gives_no_access(tmp_path: Path) -> None:
    put(tmp_path / "home" / "secret.txt")
    base = tmp_path / "home" / "downloads" / "robot"
    base.mkdir(parents=True)
    find = Finder(base)
    assert find("package://home/secret.txt") is None
    assert find.codes() == ["resource.not-found"]


def test_resolve_lists_all_that_a_file_names(tmp_path: Path) -> None:
    put(tmp_path / "a.stl")
    (tmp_path / "robot.urdf").write_text(
        "<robot name='r'><link name='l'><visual><geometry><mesh "
        "filename='a.stl'/></geometry></visual>\n"
        "<collision><geometry><mesh filename='b.stl'/></geometry></collision></link></robot>"
    )
    found = {lookup.uri: lookup for lookup in loaders.resolve(tmp_path / "robot.urdf")}
    assert found["a.stl"].path == tmp_path / "a.stl"
    assert found["a.stl"].problem == ""
    assert found["b.stl"].path is None
    assert (found["b.stl"].line, found["b.stl"].tried) == (2, (tmp_path / "b.stl",))


def test_a_scheme_of_the_callers_own_leads_to_the_callers_folders(tmp_path: Path) -> None:
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf" / "cup.obj").write_text("v 0 0 0\n")
    mesh = "<mesh><uri>lab://cup.obj</uri></mesh>"
    shape = f"<visual name='v'><geometry>{mesh}</geometry></visual>"
    text = f"<sdf version='1.9'><model name='m'><link name='l'>{shape}</link></model></sdf>"
    scene = loaders.load_string(text, format="sdf", schemes={"lab": [tmp_path / "shelf"]})
    assert scene.links[0].visuals[0].geometry.path == str(tmp_path / "shelf" / "cup.obj")
    (lost,) = loaders.load_string(text, format="sdf").diagnostics
    assert (lost.code, lost.where.line) == ("resource.not-found", 1)
    assert "schemes" in lost.hint


def test_a_path_with_an_unexpanded_xacro_expression_has_its_own_error() -> None:
    mesh = "<mesh filename='$(arg meshes)/a.stl'/>"
    text = (
        f"<robot name='r'><link "
        f"name='l'><visual><geometry>{mesh}</geometry></visual></link></robot>"
    )
    (lost,) = loaders.load_string(text, format="urdf").diagnostics
    assert (lost.code, lost.hint) == ("resource.not-found", "run xacro on the file first")


def test_the_callers_function_is_asked_last_with_the_name_as_written(tmp_path: Path) -> None:
    (tmp_path / "cup.sdf").write_text(
        "<sdf version='1.9'><model name='cup'><link name='l'/></model></sdf>"
    )
    asked: list[str] = []

    def finder(uri: str) -> Path | None:
        asked.append(uri)
        return tmp_path / "cup.sdf" if uri == "store://Cup" else None

    text = "<sdf version='1.9'><world name='w'><include><uri>{}</uri></include></world></sdf>"
    scene = loaders.load_string(text.format("store://Cup"), format="sdf", finder=finder)
    assert [link.name for link in scene.links] == ["cup::l"]
    with pytest.raises(loaders.LoadError, match="store://Saucer"):
        loaders.load_string(text.format("store://Saucer"), format="sdf", finder=finder)
    assert asked == ["store://Cup", "store://Saucer"]


# Reasons why a URI has no file, and the advice that follows from each.


def anywhere(_place: str) -> bool:
    return True


@pytest.mark.parametrize(
    ("uri", "scheme", "download", "words"),
    [
        ("$(find arm)/a.stl", "", None, "xacro"),
        ("http2://arm/a.stl", "http2", None, "unknown scheme"),
        ("https://example.org", "https", None, "not the URI of a Fuel model"),
        ("package://", "package", None, "no folder to search"),
    ],
)
def test_the_reason_of_a_uri_without_places(
    uri: str, scheme: str, download: str | None, words: str
) -> None:
    """It depends on the form of the URI."""
    assert words in not_found(uri, scheme, [], download, anywhere).message


def test_a_failed_download_is_the_reason() -> None:
    """The places in the caches do not matter then."""
    assert (
        "no connection"
        in not_found(
            "https://a/b/models/c", "https", ["/nowhere"], "no connection", anywhere
        ).message
    )


def test_a_name_in_another_case_is_suggested(tmp_path: Path) -> None:
    """File systems that ignore the case of names hide this error from the author of a model."""
    (tmp_path / "Meshes").mkdir()
    (tmp_path / "Meshes" / "A.stl").touch()
    failure = not_found("meshes/a.stl", "", [str(tmp_path / "meshes" / "a.stl")], None, anywhere)
    assert str(tmp_path / "Meshes" / "A.stl") in failure.hint


# The context of a load: nested files.


def test_the_context_of_a_nested_file_shares_the_diagnostics() -> None:
    diagnostics = Diagnostics()
    context = Context(
        resources=Resources(), diagnostics=diagnostics, read_file=lambda path, context: None
    )
    nested = context.inside(Path("/a.sdf")).inside(Path("/b.sdf"))
    assert context.including == ()
    assert nested.including == (Path("/a.sdf"), Path("/b.sdf"))
    assert nested.diagnostics is diagnostics


def test_the_context_of_a_nested_file_has_all_that_is_given() -> None:
    context = Context(
        resources=Resources(),
        diagnostics=Diagnostics(),
        read_file=lambda path, context: None,
        allow_xacro=True,
        xacro_args={"name": "arm"},
    )
    nested = context.inside(Path("/a.sdf"))
    others = [entry.name for entry in fields(Context) if entry.name != "files"]
    assert [getattr(nested, name) for name in others] == [getattr(context, name) for name in others]
    assert [name for name in others if not getattr(context, name)] == [
        "diagnostics"
    ]  # which is an empty list
