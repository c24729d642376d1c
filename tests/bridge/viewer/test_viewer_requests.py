"""Which requests the server of the viewer answers, by clients of HTTP and of web sockets that are
not ours.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

import sdfbridge
from bridge.viewer import Viewer
from bridge.viewer import viewer as module
from tests.support.chromium import EXECUTABLE, Chromium

LEG = Path(__file__).parents[3] / "assets" / "leg.sdf"
viser = pytest.importorskip("viser")
UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Protocol": f"viser-v{viser.__version__}",
}
"""Fields of a request for a web socket (RFC 6455, section 1.3)."""
WAYS = pytest.mark.parametrize(
    ("fields", "answered"), [({}, 200), (UPGRADE, 101)], ids=["page", "web socket"]
)


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with sdfbridge.view(LEG, port=0) as opened:
        yield opened


def status(url: str, *fields: tuple[str, str], path: str = "") -> int:
    """Return the status with which a server answers a request that has just these fields."""
    address = urlsplit(url)
    with contextlib.closing(
        http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    ) as connection:
        connection.putrequest(
            "GET", path or address.path or "/", skip_host=True, skip_accept_encoding=True
        )
        for name, value in fields:
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse().status


@WAYS
@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST"])
@pytest.mark.parametrize("has_origin", [False, True])
def test_the_page_and_its_web_socket_are_answered(
    viewer: Viewer, fields: dict[str, str], answered: int, name: str, has_origin: bool
) -> None:
    port = urlsplit(viewer.url).port
    origin = [("Origin", f"http://{name.lower()}:{port}")] if has_origin else []
    assert status(viewer.url, ("Host", f"{name}:{port}"), *origin, *fields.items()) == answered


@WAYS
@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example", "null", "", "http://127.0.0.1", "http://127.0.0.1:1", "https://127.0.0.1:PORT", "file://",
        "http://127.0.0.1:PORT.evil.example", "http://localhost.evil.example:PORT", "http://evil.example:PORT",
    ],
)  # fmt: skip
def test_pages_of_other_sites_are_refused(
    viewer: Viewer, fields: dict[str, str], answered: int, origin: str
) -> None:
    host = urlsplit(viewer.url).netloc
    stated = origin.replace("PORT", str(urlsplit(viewer.url).port))
    assert status(viewer.url, ("Host", host), ("Origin", stated), *fields.items()) == 403
    assert (
        status(viewer.url, ("Host", host), *[("Origin", f"http://{host}")] * 2, *fields.items())
        == 403
    )


@WAYS
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil.example:PORT",
        "",
        None,
    ],
)
def test_other_names_of_this_machine_are_refused(
    viewer: Viewer, fields: dict[str, str], answered: int, host: str | None
) -> None:
    stated = (
        [] if host is None else [("Host", host.replace("PORT", str(urlsplit(viewer.url).port)))]
    )
    assert status(viewer.url, *stated, *fields.items()) == 403
    assert (
        status(
            viewer.url,
            ("Host", urlsplit(viewer.url).netloc),
            *(stated or [("Host", "x")]),
            *fields.items(),
        )
        == 403
    )


@WAYS
@pytest.mark.parametrize(
    "path", ["/", "/index.html", "/?token=TOKEN", "//TOKEN/", "/x/TOKEN/", "/TOKENx/", "/%ff/", "/TOKE/", "http://a/TOKEN/"]
)  # fmt: skip
def test_requests_without_the_token_are_refused(
    viewer: Viewer, fields: dict[str, str], answered: int, path: str
) -> None:
    address = urlsplit(viewer.url)
    token = address.path.strip("/")
    stated = path.replace("TOKEN", token).replace("TOKE", token[:-1])
    assert status(viewer.url, ("Host", address.netloc), *fields.items(), path=stated) == 403


def test_each_viewer_has_a_token_of_its_own_that_cannot_be_guessed(viewer: Viewer) -> None:
    with Viewer(port=0) as other:
        first, second = (urlsplit(each.url).path.strip("/") for each in (viewer, other))
        address = urlsplit(other.url)
        assert status(other.url, ("Host", address.netloc), path=f"/{first}/") == 403
    assert first != second
    assert min(len(first), len(second)) >= 43  # 256 bits, 6 in each character


def test_paths_below_the_token_are_files_of_the_page(viewer: Viewer) -> None:
    host, path = ("Host", urlsplit(viewer.url).netloc), urlsplit(viewer.url).path
    assert status(viewer.url, host, path=path + "index.html") == 200
    assert status(viewer.url, host, path=path.rstrip("/")) == 200
    assert status(viewer.url, host, path=path + "?websocket=ws://" + host[1] + path) == 200
    assert status(viewer.url, host, path=path + "../../__init__.py") == 404


def test_a_link_with_a_state_shows_it_and_what_is_no_state_is_left_out(viewer: Viewer) -> None:
    host = ("Host", urlsplit(viewer.url).netloc)
    viewer.set_positions({"knee": (-0.125, 0.0)})
    link = viewer.link
    viewer.set_positions({"knee": (0.0, 0.0)})

    def knee() -> float:
        return float(np.ravel(viewer.positions()["knee"])[0])

    foreign = ("Origin", "https://evil.example")
    assert status(link, host, foreign, path=link.partition(host[1])[2]) == 403
    for text in ("[]", "{", "3", '{"positions":{"leg":{"knee":"x"}}}', '{"time":[]}', "%00"):
        path = urlsplit(viewer.url).path + "?state=" + text
        assert status(viewer.url, host, path=path) == 200
    time.sleep(0.2)
    assert knee() == 0.0
    assert status(link, host, path=link.partition(host[1])[2]) == 200
    end = time.monotonic() + 10.0
    while knee() != -0.125 and time.monotonic() < end:
        time.sleep(0.02)
    assert knee() == -0.125
    viewer.set_positions({"knee": (0.0, 0.0)})


def test_damaged_and_large_messages_change_nothing(viewer: Viewer) -> None:
    """Also those of the page, which has the token."""
    import msgspec
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    sliders, before = viewer._models["leg"][1], viewer.positions()
    moves = [
        {
            "type": "GuiUpdateMessage",
            "uuid": sliders.handles[0]._impl.uuid,
            "updates": {"value": value},
        }
        for value in ("a" * 100_000, [0.5] * 1000, None, {}, math.nan, math.inf, -math.inf)
    ]
    packed = [msgspec.msgpack.encode(move) for move in moves]
    damaged = (
        b"",
        b"\xc1",
        b"\xdd\xff\xff\xff\xff",
        b"\x91" * 200_000 + b"\xc0",
        bytes(51 << 20),
        "{}",
    )
    url = viewer.url.rstrip("/").replace("http:", "ws:")
    for messages in (packed, *([message] for message in damaged)):
        with (
            contextlib.suppress(ConnectionClosed),
            connect(url, subprotocols=[UPGRADE["Sec-WebSocket-Protocol"]], max_size=None) as socket,
        ):
            for message in messages:
                socket.send(message)
            socket.send(msgspec.msgpack.encode({"type": "Unknown"}))
            while True:
                socket.recv(timeout=30)
    address = urlsplit(viewer.url)
    assert status(viewer.url, ("Host", address.netloc), path=address.path) == 200
    assert viewer.positions() == before


def test_a_client_moves_joints_and_cannot_publish_the_server(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import msgspec
    from websockets.sync.client import connect

    tunnels: list[tuple[object, ...]] = []

    def no_tunnel(*arguments: object) -> None:
        tunnels.append(arguments)
        raise ConnectionError

    monkeypatch.setattr("viser._viser.ViserTunnel", no_tunnel)

    def first_angle() -> float:
        return float(np.ravel(viewer.positions()["knee"])[0])

    sliders = viewer._models["leg"][1]
    slider = next(
        handle
        for handle, dof in zip(sliders.handles, sliders.dofs, strict=True)
        if dof.joint == "knee"
    )
    moved = {"type": "GuiUpdateMessage", "uuid": slider._impl.uuid, "updates": {"value": -0.25}}
    url = viewer.url.rstrip("/").replace("http:", "ws:")  # as the page makes it
    with connect(url, subprotocols=[UPGRADE["Sec-WebSocket-Protocol"]], max_size=None) as socket:
        for message in ({"type": "ShareUrlRequest"}, {"type": "ShareUrlDisconnect"}, moved):
            socket.send(msgspec.msgpack.encode(message))
        end = time.monotonic() + 30.0
        while first_angle() != -0.25 and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.2)
    assert first_angle() == -0.25
    assert tunnels == []
    with pytest.raises(PermissionError, match="never published"):
        viewer._server.request_share_url()
    assert tunnels == []


def test_the_server_acts_on_no_message_but_those_of_controls_and_camera(viewer: Viewer) -> None:
    """Each of these was read: none opens a connection, starts a process, or reads or writes a
    file.
    """
    handled = {message.__name__ for message in viewer._server._websock_server._incoming_handlers}
    assert handled == {
        "CommandTriggerMessage",
        "FileTransferPart",
        "FileTransferStartUpload",
        "GuiButtonHoldMessage",
        "GuiFormDirtyMessage",
        "GuiFormSubmitMessage",
        "GuiUpdateMessage",
        "SceneNodeClickMessage",
        "SceneNodeDragMessage",
        "ScenePointerMessage",
        "TransformControlsDragEndMessage",
        "TransformControlsDragStartMessage",
        "TransformControlsUpdateMessage",
    }


def test_other_servers_of_viser_stay_as_they_are(viewer: Viewer) -> None:
    with module._STARTING, module._checked_requests("".join(module._HOST), "token", print):
        during = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    after = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    for server in (during, after):
        url = f"http://127.0.0.1:{server.get_port()}"
        assert status(url, ("Host", "robot.example")) == 200
        server.stop()


def test_a_version_of_viser_whose_requests_cannot_be_checked_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[viser.ViserServer] = []
    plain = viser.ViserServer

    def start(**options: Any) -> viser.ViserServer:
        started.append(plain(**options))
        return started[-1]

    monkeypatch.setattr(module, "_checked_requests", lambda *_: contextlib.nullcontext([]))
    monkeypatch.setattr(viser, "ViserServer", start)
    with pytest.raises(ImportError, match="cannot be checked, and it was stopped"):
        Viewer(port=0)
    with pytest.raises(ConnectionRefusedError):
        status(f"http://127.0.0.1:{started[0].get_port()}", ("Host", "127.0.0.1"))


# A page of another origin in a real browser, which tries all ways to another server that pages have.

FOREIGN = """<!doctype html><title>foreign</title><body><script>
window.attempts = async (urls, protocol) => {
  const answers = {};
  for (const url of urls) {
    const socket = new Promise(done => {
      const opened = new WebSocket(url.replace("http", "ws"), [protocol]);
      opened.onopen = () => done("open"); opened.onmessage = () => done("message");
      opened.onerror = () => done("refused");
    });
    const read = fetch(url).then(answer => answer.text()).catch(() => "refused");
    const posted = fetch(url, {method: "POST", mode: "no-cors", body: "x"}).then(() => "sent", () => "sent");
    const frame = document.createElement("iframe");
    const loaded = new Promise(done => { frame.onload = () => done(); frame.onerror = () => done(); });
    frame.src = url; document.body.append(frame); await loaded;
    let inner = "refused";
    try { inner = frame.contentDocument.body.innerText; } catch (error) {}
    const script = new Promise(done => {
      const element = document.createElement("script");
      element.onload = () => done("run"); element.onerror = () => done("refused");
      element.src = url; document.body.append(element);
    });
    await posted;
    answers[url] = [await socket, await read, inner || "refused", await script];
  }
  return answers;
};
</script></body>"""


@contextlib.contextmanager
def foreign_site() -> Iterator[int]:
    """Serve the foreign page on this machine; yield the port."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(FOREIGN.encode())

        def log_message(self, *_: object) -> None:
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site.server_address[1]
    finally:
        site.shutdown()
        thread.join()
        site.server_close()


def attempts_of(page: Chromium, urls: list[str]) -> dict[str, list[str]]:
    """What the page that is open gets of each address: by web socket, fetch, frame and script."""
    protocol = f"viser-v{viser.__version__}"
    found: dict[str, list[str]] = page.run(f"attempts({json.dumps(urls)}, {json.dumps(protocol)})")
    return found


REFUSED = ["refused"] * 4


@pytest.mark.slow
@pytest.mark.skipif(EXECUTABLE is None, reason="there is no browser")
def test_a_foreign_page_in_a_browser_reads_and_moves_nothing(
    viewer: Viewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even one that has learned the token, or one whose own name leads to this machine (DNS
    rebinding). A server of viser without checks lets the same page in.
    """
    asked: list[object] = []
    monkeypatch.setattr(viser.ViserServer, "request_share_url", lambda *_: asked.append(1))
    before, clients = viewer.positions(), len(viewer._server.get_clients())
    address = urlsplit(viewer.url)
    urls = [
        viewer.url,
        f"http://{address.netloc}/",
        f"http://localhost:{address.port}{address.path}",
        f"http://evil.example:{address.port}{address.path}",
    ]
    plain = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    names = ["evil.example", "localhost"]
    try:
        with foreign_site() as port, Chromium(tmp_path / "browser", names=names) as page:
            for name in ("127.0.0.1", "evil.example"):
                page.open(f"http://{name}:{port}/")
                tried = urls if name == "127.0.0.1" else urls[-1:]
                assert attempts_of(page, tried) == dict.fromkeys(tried, REFUSED)
            unchecked = f"http://127.0.0.1:{plain.get_port()}/"
            assert attempts_of(page, [unchecked])[unchecked][0] == "open"
    finally:
        plain.stop()
    assert len(viewer._server.get_clients()) == clients
    assert (viewer.positions(), asked) == (before, [])


@pytest.mark.slow
@pytest.mark.skipif(EXECUTABLE is None, reason="there is no browser")
def test_a_page_whose_name_is_that_of_the_viewer_but_for_the_machine_is_refused(
    viewer: Viewer, tmp_path: Path
) -> None:
    """The browser takes it for the same site: only the check of the host's name is left."""
    address = urlsplit(viewer.url)
    with Chromium(tmp_path / "browser", names=["evil.example"]) as page:
        page.open(f"http://evil.example:{address.port}{address.path}")
        shown = page.run("document.body.innerText")
        assert "another host" in shown
        assert "token" not in shown
        own = page.run(f"fetch('{address.path}').then(answer => answer.status)")
        assert own == 403
