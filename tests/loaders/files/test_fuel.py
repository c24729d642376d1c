"""Models of Gazebo Fuel from a server on this machine, and packages that Drake has downloaded."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import loaders
from loaders.files import fuel
from loaders.files.fuel import drake_cache, drake_packages

# Download of models of Gazebo Fuel, from a server on this machine.

MODEL = """<sdf version="1.9"><model name="box"><link name="l"><visual name="v"><geometry><mesh>
<uri>meshes/a.stl</uri></mesh></geometry></visual></link></model></sdf>"""
CONFIG = "<model><name>box</name><sdf version='1.9'>model.sdf</sdf></model>"
FILES = {"model.sdf": MODEL, "model.config": CONFIG, "meshes/a.stl": "solid a\nendsolid a\n"}


def archive(files: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as zipped:
        for name, text in files.items():
            zipped.writestr(name, text)
    return data.getvalue()


@dataclass
class Server:
    """A server of archives by path, and the paths that it was asked for."""

    address: str = ""
    answers: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def world(self, uri: str) -> str:
        uri = uri.format(server=self.address)
        return (
            f"<sdf version='1.9'><world name='w'><include><uri>{uri}</uri></include></world></sdf>"
        )


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("GZ_FUEL_CACHE_PATH", str(tmp_path / "cache"))
    monkeypatch.setenv("IGN_FUEL_CACHE_PATH", str(tmp_path / "other"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    served = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            data = served.answers.get(self.path)
            self.send_response(404 if data is None else 200)
            self.send_header("X-Ign-Resource-Version", "7")
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.address = f"127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    http.shutdown()
    thread.join()
    http.server_close()


URI = "http://{server}/1.0/Somebody/models/Red Box"
PATH = "/1.0/Somebody/models/Red%20Box/tip/Red%20Box.zip"


def load(server: Server, uri: str = URI, **options: bool) -> loaders.Scene:
    return loaders.load_string(server.world(uri), format="sdf", quiet=True, **options)


def test_nothing_is_downloaded_without_permission_and_the_hint_names_the_option(
    server: Server,
) -> None:
    with pytest.raises(loaders.LoadError, match="fetch=True"):
        load(server)
    assert server.asked == []


def test_a_model_is_downloaded_once_into_the_cache_with_its_version(
    server: Server, tmp_path: Path
) -> None:
    server.answers[PATH] = archive(FILES)
    scene = load(server, fetch=True)
    folder = tmp_path / "cache" / server.address / "somebody" / "models" / "red box"
    assert [link.name for link in scene.links] == ["box::l"]
    assert scene.links[0].visuals[0].geometry.path == str(folder / "7" / "meshes" / "a.stl")
    assert sorted(path.name for path in folder.iterdir()) == ["7"]
    load(server)  # from the cache
    load(server, fetch=True)
    assert server.asked == [PATH]


def test_a_stated_version_and_a_file_of_a_model_are_found(server: Server) -> None:
    server.answers["/1.0/Somebody/models/Box/3/Box.zip"] = archive(FILES)
    text = """<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry><mesh>
    <uri>http://{server}/1.0/Somebody/models/Box/3/files/meshes/a.stl</uri></mesh></geometry></visual></link></model></sdf>"""
    text = text.format(server=server.address)
    scene = loaders.load_string(text, format="sdf", quiet=True, fetch=True)
    assert scene.links[0].visuals[0].geometry.path.endswith("box/3/meshes/a.stl")


def test_a_missing_model_is_asked_for_once_and_its_reason_is_stated(server: Server) -> None:
    """The file is read again leniently, for the advice, and a file of the same model is named
    too.
    """
    uri = URI.format(server=server.address)
    others = "".join(
        f"<include><name>{name}</name><uri>{name}</uri></include>"
        for name in (uri, uri + "/1/files/m.sdf")
    )
    text = server.world(URI).replace(
        "</world>", others.replace("/1/files", "/tip/files") + "</world>"
    )
    with pytest.raises(loaders.LoadError, match=r"cannot download .*404"):
        loaders.load_string(text, format="sdf", fetch=True)
    assert server.asked == [PATH]


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/evil.txt", "a/../../evil.txt", "..\\evil.txt", "C:/evil.txt"]
)
def test_an_archive_that_leads_out_of_its_folder_is_refused(
    server: Server, tmp_path: Path, name: str
) -> None:
    server.answers[PATH] = archive(FILES | {name: "x"})
    with pytest.raises(loaders.LoadError, match="outside its folder"):
        load(server, fetch=True)
    assert not list(tmp_path.rglob("evil.txt"))
    assert not list(tmp_path.rglob("model.sdf"))


@pytest.mark.parametrize(("limit", "value"), [("MAX_BYTES", 100), ("MAX_FILES", 2)])
def test_large_archives_are_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limit: str, value: int
) -> None:
    monkeypatch.setattr(fuel, limit, value)
    server.answers[PATH] = archive(FILES)
    with pytest.raises(loaders.LoadError, match="more than"):
        load(server, fetch=True)
    assert not list(tmp_path.rglob("model.sdf"))


def test_an_answer_that_is_no_archive_is_refused(server: Server) -> None:
    server.answers[PATH] = b"not a zip"
    with pytest.raises(loaders.LoadError, match="not a zip file"):
        load(server, fetch=True)


def test_lenient_loading_leaves_out_what_cannot_be_downloaded(server: Server) -> None:
    scene = load(server, fetch=True, lenient=True)
    assert [entry.code for entry in scene.diagnostics if entry.fate == "skipped"] == [
        "sdf.include-not-found"
    ]


# Packages that Drake has downloaded are found in its cache.

DOWNLOAD = """
import sys
from pydrake.multibody.parsing import PackageMap
package_map = PackageMap()
url, sha256 = sys.argv[1:]
remote = PackageMap.RemoteParams(urls=[url], sha256=sha256, strip_prefix="toys", archive_type="gztar")
package_map.AddRemote("toys", remote)
print(package_map.GetPath("toys"))
"""


@pytest.fixture
def place_of_drake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where Drake puts a package that it downloads, from this disk."""
    package = tmp_path / "toys"
    package.mkdir()
    (package / "package.xml").write_text("<package><name>toys</name></package>", encoding="utf-8")
    (package / "car.urdf").write_text(
        "<robot name='car'><link name='body'/></robot>", encoding="utf-8"
    )
    archive = tmp_path / "toys.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(package, "toys")
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    command = [
        sys.executable,
        "-c",
        DOWNLOAD,
        archive.as_uri(),
        hashlib.sha256(archive.read_bytes()).hexdigest(),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return Path(run.stdout.strip().splitlines()[-1])


def test_a_package_is_where_drake_puts_it(place_of_drake: Path) -> None:
    assert list(drake_packages("toys")) == [place_of_drake]
    assert list(drake_packages("cars")) == []


def test_directives_name_a_downloaded_package(place_of_drake: Path, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere" / "scene.dmd.yaml"
    file.parent.mkdir()
    file.write_text(
        "directives:\n- add_model: {name: car, file: 'package://toys/car.urdf'}\n", encoding="utf-8"
    )
    assert [link.name for link in loaders.load(file).links] == ["car::body"]


def test_a_missing_cache_holds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert drake_cache() == tmp_path / "home" / ".cache" / "drake" / "package_map"
    assert list(drake_packages("toys")) == []
