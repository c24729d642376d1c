"""Models of Gazebo Fuel from a server on this machine, and packages that Drake has downloaded."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import socket
import ssl
import stat
import struct
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

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
    headers: dict[str, str] = field(default_factory=dict)
    """Further headers of each answer."""
    status: int = 200
    pause: float = 0.0
    """Seconds between two bytes of an answer; 0 to send it at once."""
    asked: list[str] = field(default_factory=list)

    def world(self, uri: str) -> str:
        uri = uri.format(server=self.address)
        return (
            f"<sdf version='1.9'><world name='w'><include><uri>{uri}</uri></include></world></sdf>"
        )


CERTIFICATE = Path(__file__).with_name("server.pem")
"""Certificate of 127.0.0.1 and localhost, signed by itself, with its key."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("GZ_FUEL_CACHE_PATH", str(tmp_path / "cache"))
    monkeypatch.setenv("IGN_FUEL_CACHE_PATH", str(tmp_path / "other"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    served = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            pause = served.pause
            data = served.answers.get(self.path)
            self.send_response(404 if data is None else served.status)
            headers = {"X-Ign-Resource-Version": "7", "Content-Length": str(len(data or b""))}
            for name, value in {**headers, **served.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            pieces = [data or b""] if not pause else [bytes([byte]) for byte in data or b""]
            for piece in pieces:
                try:
                    self.wfile.write(piece)
                except OSError:
                    return
                time.sleep(pause)

        def log_message(self, *_: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.handle_error = lambda *_: None  # type: ignore[method-assign]
    http.socket = context.wrap_socket(http.socket, server_side=True)
    served.address = f"127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    http.shutdown()
    thread.join()
    http.server_close()


URI = "https://{server}/1.0/Somebody/models/Red Box"
PATH = "/1.0/Somebody/models/Red%20Box/tip/Red%20Box.zip"


def load(server: Server, uri: str = URI, **options: Any) -> loaders.Scene:
    options = {"fetch_hosts": [server.address], **options}
    return loaders.load_string(server.world(uri), format="sdf", quiet=True, **options)


def leftovers(tmp_path: Path) -> list[str]:
    """Return the files that a download left, without the lock."""
    return [path.name for path in (tmp_path / "cache").rglob("*") if path.suffix != ".lock"]


def test_nothing_is_downloaded_without_permission_and_the_hint_names_the_option(
    server: Server,
) -> None:
    with pytest.raises(loaders.LoadError, match="fetch=True"):
        load(server)
    assert server.asked == []


@pytest.mark.parametrize("scheme", ["https", "http", "fuel"])
def test_a_model_is_downloaded_once_into_the_cache_with_its_version(
    server: Server, tmp_path: Path, scheme: str
) -> None:
    server.answers[PATH] = archive(FILES)
    uri = URI.replace("https", scheme)
    scene = load(server, uri, fetch=True)
    folder = tmp_path / "cache" / server.address / "somebody" / "models" / "red box"
    assert [link.name for link in scene.links] == ["box::l"]
    assert scene.links[0].visuals[0].geometry.path == str(folder / "7" / "meshes" / "a.stl")
    assert sorted(path.name for path in folder.iterdir()) == ["7"]
    load(server, uri)  # from the cache
    load(server, uri, fetch=True)
    assert server.asked == [PATH]


def test_a_stated_version_and_a_file_of_a_model_are_found(server: Server) -> None:
    server.answers["/1.0/Somebody/models/Box/3/Box.zip"] = archive(FILES)
    text = """<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry><mesh>
    <uri>https://{server}/1.0/Somebody/models/Box/3/files/meshes/a.stl</uri></mesh></geometry></visual></link></model></sdf>"""
    text = text.format(server=server.address)
    scene = loaders.load_string(
        text, format="sdf", quiet=True, fetch=True, fetch_hosts=[server.address]
    )
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
    with pytest.raises(loaders.LoadError, match=r"cannot download .*404") as caught:
        loaders.load_string(text, format="sdf", fetch=True, fetch_hosts=[server.address])
    assert f"https://{server.address}{PATH}" in str(caught.value)
    assert server.asked == [PATH]


# A file does not choose the server.


@pytest.mark.parametrize("hosts", [[], ["127.0.0.1"], ["localhost:PORT"], ["127.0.0.1:1"]])
def test_a_server_that_the_caller_did_not_name_is_not_asked(
    server: Server, hosts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", None)  # not even its address
    server.answers[PATH] = archive(FILES)
    named = [host.replace("PORT", server.address.partition(":")[2]) for host in hosts]
    with pytest.raises(loaders.LoadError, match="is not a server that may be asked"):
        load(server, fetch=True, fetch_hosts=named)
    assert server.asked == []


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "::1", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "::",
        "::10.1.2.3", "2002:a01:203::", "64:ff9b::a01:203", "64:ff9b:1::a01:203",
        "::ffff:0:10.1.2.3", "fec0::1",
    ],
)  # fmt: skip
@pytest.mark.parametrize("first", [[], ["8.8.8.8"]])
def test_a_name_that_leads_to_an_address_that_is_not_public_is_not_asked(
    server: Server, monkeypatch: pytest.MonkeyPatch, address: str, first: list[str]
) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    found = [(family, socket.SOCK_STREAM, 6, "", (text, 443)) for text in [*first, address]]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(socket, "create_connection", None)
    uri = "https://fuel.gazebosim.org/1.0/o/models/m"
    with pytest.raises(loaders.LoadError, match="leads to an address that is not public"):
        load(server, uri, fetch=True)


@pytest.mark.parametrize(
    "place",
    ["http://{server}/a", "https://localhost:{port}/a", "https://127.0.0.1/a", "ftp://{server}/a",
     "//127.0.0.1:1/a", "file:///etc/passwd"],
)  # fmt: skip
def test_a_redirection_to_another_server_or_scheme_is_not_followed(
    server: Server, place: str
) -> None:
    port = server.address.partition(":")[2]
    server.answers[PATH], server.status = b"", 302
    server.headers["Location"] = place.format(server=server.address, port=port)
    with pytest.raises(loaders.LoadError, match="is not followed"):
        load(server, fetch=True, fetch_hosts=[server.address, f"localhost:{port}"])
    assert server.asked == [PATH]


def test_a_redirection_on_one_server_is_followed_some_times(server: Server) -> None:
    server.answers |= {PATH: b"", "/a": b""}
    server.status, server.headers = 302, {"Location": "/a"}
    with pytest.raises(loaders.LoadError, match="redirects more than 4 times"):
        load(server, fetch=True)
    assert server.asked == [PATH, "/a", "/a", "/a", "/a"]


def test_a_certificate_of_another_is_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    server.answers[PATH] = archive(FILES)
    with pytest.raises(loaders.LoadError, match="certificate verify failed"):
        load(server, fetch=True)
    assert server.asked == []


@pytest.mark.parametrize("hosts", ["a.example", ["https://a.example"], ["a b/c"], ["u@a"], ["a:x"]])
def test_a_server_that_is_none_is_an_error_of_the_caller(server: Server, hosts: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        load(server, fetch=True, fetch_hosts=hosts)


# What a server sends is checked before it lies in the cache.


def zip_flags(data: bytes, offset: int, value: int) -> bytes:
    """Return an archive with a field of the first entry of its list exchanged."""
    changed = bytearray(data)
    struct.pack_into("<H", changed, data.find(b"PK\1\2") + offset, value)
    return bytes(changed)


def damaged(data: bytes) -> bytes:
    start = 30 + struct.unpack_from("<H", data, 26)[0]
    return data[:start] + b"\xff" * 8 + data[start + 8 :]


def with_link() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as zipped:
        zipped.writestr("model.sdf", MODEL)
        entry = zipfile.ZipInfo("a")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(entry, "/etc")
    return data.getvalue()


BAD_ANSWERS: Mapping[str, Callable[[], bytes]] = {
    "no archive": lambda: b"not a zip",
    "nothing": lambda: b"",
    "no model": lambda: archive({"a.txt": "x"}),
    "encrypted": lambda: zip_flags(archive(FILES), 8, 1),
    "unknown method": lambda: zip_flags(archive(FILES), 10, 99),
    "damaged": lambda: damaged(archive(FILES)),
    "a point": lambda: archive(FILES | {".": "x"}),
    "a slash": lambda: archive(FILES | {"/": "x"}),
    "a link": with_link,
    **{
        name: lambda name=name: archive(FILES | {name: "x"})  # type: ignore[misc]
        for name in ("../evil.txt", "/evil.txt", "a/../../evil.txt", "..\\evil.txt", "C:/evil.txt")
    },
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_a_bad_archive_is_a_finding_and_leaves_nothing(
    server: Server, tmp_path: Path, name: str
) -> None:
    server.answers[PATH] = BAD_ANSWERS[name]()
    with pytest.raises(loaders.LoadError, match="cannot download") as caught:
        load(server, fetch=True)
    assert f"https://{server.address}{PATH}" in str(caught.value)
    assert not list(tmp_path.rglob("evil.txt"))
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize(
    ("limit", "message"), [("bytes", "would be downloaded"), ("unpacked", "would be unpacked")]
)
def test_large_archives_are_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limit: str, message: str
) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("model.sdf", MODEL + " " * 100_000)
    monkeypatch.setattr(fuel, "MAX_BYTES", 100 if limit == "bytes" else 50_000)
    server.answers[PATH] = data.getvalue()
    with pytest.raises(loaders.LoadError, match=message):
        load(server, fetch=True)
    assert leftovers(tmp_path) == []


def test_an_archive_of_too_many_files_is_refused(server: Server, tmp_path: Path) -> None:
    server.answers[PATH] = archive(FILES)
    with pytest.raises(loaders.LoadError, match="more than 2 files"):
        load(server, fetch=True, limits=loaders.Limits(files=2))
    assert leftovers(tmp_path) == []


def test_the_archives_of_a_load_count_together(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = archive(FILES)
    monkeypatch.setattr(fuel, "MAX_BYTES", len(data) + 10)
    names = ("a", "b")
    server.answers |= {f"/1.0/o/models/{name}/tip/{name}.zip": data for name in names}
    uris = [f"https://{server.address}/1.0/o/models/{name}" for name in names]
    includes = "".join(
        f"<include><name>n{uri[-1]}</name><uri>{uri}</uri></include>" for uri in uris
    )
    with pytest.raises(loaders.LoadError, match="would be downloaded") as caught:
        loaders.load_string(
            f"<sdf version='1.9'><world name='w'>{includes}</world></sdf>",
            format="sdf", fetch=True, fetch_hosts=[server.address],
        )  # fmt: skip
    assert len(caught.value.diagnostics) == 1


def test_a_slow_server_is_left_after_a_time(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fuel, "MAX_SECONDS", 0.5)
    server.answers[PATH], server.pause = archive(FILES), 0.05
    start = time.monotonic()
    with pytest.raises(loaders.LoadError, match="take more than"):
        load(server, fetch=True)
    assert time.monotonic() - start < 5
    assert leftovers(tmp_path) == []


def test_a_server_that_never_answers_is_left_after_a_time(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It accepts the connection, and sends nothing in the handshake."""
    monkeypatch.setattr(fuel, "MAX_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        uri = f"https://{address}/1.0/o/models/m"
        with pytest.raises(loaders.LoadError, match="take more than"):
            load(server, uri, fetch=True, fetch_hosts=[address])


def test_what_a_killed_download_left_is_removed_by_the_next(server: Server, tmp_path: Path) -> None:
    server.answers[PATH], server.pause = archive(FILES), 0.1
    code = "import loaders, sys; loaders.load_string(sys.argv[1], format='sdf', fetch=True, fetch_hosts=[sys.argv[2]])"
    command = [sys.executable, "-c", code, server.world(URI), server.address]
    cache = tmp_path / "cache"
    with subprocess.Popen(command, env=os.environ) as process:
        while not (server.asked and list(cache.glob(".part-*"))) and process.poll() is None:
            time.sleep(0.01)
        load(server, URI.replace("Red", "Blue"), fetch=True, lenient=True)
        assert list(cache.glob(".part-*"))  # that of a running download stays
        process.kill()
    server.pause = 0.0
    assert list(cache.glob(".part-*"))
    load(server, fetch=True)
    assert not list(cache.glob(".part-*"))


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
    if importlib.util.find_spec("pydrake") is None:
        pytest.skip("pydrake is not installed: a witness that others wrote")
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
