"""The viewer: a server on this machine that shows models in a web browser or in a notebook."""

from __future__ import annotations

import contextlib
import hmac
import io
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from html import escape
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from bridge.lowering.inputs import Source, mechanism_of, source_name
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.output import Form, write_sealed
from loaders import LoadOptions

from .drawn_model import DrawnModel
from .sliders import Sliders

if TYPE_CHECKING:
    import viser
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

DEFAULT_PORT = 8080
"""Port of the server; the next free one if it is taken."""
_HOST = "127.0.0.1"
"""Address of the server, which other machines cannot reach."""
_NAMES = (_HOST, "localhost")
"""Names of this machine in the address of the page."""
_HTTP_PORT = 80
"""Port that browsers leave out of an address."""
_STARTING = threading.Lock()
"""Held while a server starts."""
_DIRECTION = (1.15, -0.75, 0.5)
"""Direction from the models to the camera; its length is a share of the size of the models."""
_ASPECT = 1.2
"""Least width of a window over its height at which the camera of `_look_at` sees the models whole."""
_TELEPHONE = 480
"""Width of the window below which viser lays the controls over its lower part [pixels]."""
_LIFT = 0.27
"""Share of the height of such a window by which the models are moved up."""
_GAP = 0.25
"""Distance between models, as a share of their size."""


@contextlib.contextmanager
def _quiet_console() -> Iterator[None]:
    """Let nothing be printed: viser shows its address by rich, in a notebook as output of the cell."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        console.quiet = before


class Viewer:
    """Models in a web browser, with sliders for their joints.

    Everything comes from this machine: no other machine can connect, and the page needs no network. The server answers
    only requests with the random token in the address of the page.
    """

    def __init__(self, *, port: int = DEFAULT_PORT, dark: bool = False) -> None:
        """Start a server without models; see `view`.

        Raises:
            ImportError: if viser is not installed, or is a version whose server cannot be protected.
        """
        self._token = secrets.token_urlsafe(32)
        with _quiet_console():
            self._server = _new_server(port, self._token)
        self._models: dict[str, tuple[DrawnModel, Sliders]] = {}
        self._low = self._high = np.zeros(3)
        self._is_open = True
        self._add_surroundings(dark=dark)
        self._server.on_client_connect(self._fit_when_ready)

    @property
    def url(self) -> str:
        """Address of the page, with the token without which the server refuses to answer: keep it to yourself."""
        return f"http://{_HOST}:{self._server.get_port()}/{self._token}/"

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, each as in the list of the page."""
        return tuple(self._models)

    def add(self, source: Source, *, name: str = "", **load_options: Unpack[LoadOptions]) -> str:
        """Add a model, beside those that are there, and return its name.

        Args:
            source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
            name: Name on the page; empty for that of the scene.
            load_options: Options of `loaders.load`, if ``source`` is a path.

        Raises:
            LoadError: if the file has errors.
            ExportError: if the scene cannot be lowered.
        """
        mechanism = mechanism_of(source, **load_options)
        wanted = name or mechanism.scene.name or source_name(source)
        taken = wanted
        while taken in self._models:
            taken = f"{wanted} ({len(self._models) + 1})"
        drawn = DrawnModel(self._server, f"/model_{len(self._models)}", mechanism)
        if self._models:
            drawn.move(np.array((0.0, self._high[1] + _GAP * max(drawn.size, 1e-3) - drawn.low[1], 0.0)))
        self._look_at(drawn)
        self._models[taken] = drawn, self._panel(taken, mechanism, drawn)
        return taken

    def positions(self, model: str = "") -> dict[str, Position]:
        """Return the positions of a model's joints.

        Args:
            model: Name of the model; empty for the first.

        Raises:
            ValueError: if there is no such model.
        """
        return self._model(model)[1].positions

    def set_positions(self, positions: Mapping[str, Position], model: str = "") -> None:
        """Move joints of a model, and its sliders.

        Args:
            positions: Positions by joint, in the conventions of `bridge.Mechanism`; joints that are left out stay.
            model: Name of the model; empty for the first.

        Raises:
            ValueError: for an unknown model or joint, or a position of the wrong size.
        """
        self._model(model)[1].set(positions)

    def show(self, kind: str, *, visible: bool = True) -> None:
        """Show or hide a kind of item of every model.

        Args:
            kind: ``visuals``, ``collisions`` or ``frames``.
            visible: Whether to show them.

        Raises:
            ValueError: for an unknown kind.
        """
        if kind not in self._toggles:
            raise ValueError(f"unknown kind {kind!r}; expected one of: {', '.join(self._toggles)}")
        self._toggles[kind].value = visible
        for drawn, _ in self._models.values():
            drawn.show(kind, visible=visible)

    def to_html(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the present view as one page that needs neither this server nor a network, and return its path.

        The page can be turned and zoomed; it has no sliders.

        Args:
            path: The file to write.
            force: Whether to overwrite a file that sdfbridge did not write, or that was edited since.

        Raises:
            OutputFolderError: if there is such a file; a `FileExistsError`.
        """
        page = self._server.get_scene_serializer().as_html().encode()
        return write_sealed(path, page, Form.MARKUP, force=force)

    def open(self) -> bool:
        """Open the page in the web browser of this machine; return whether there is one."""
        import webbrowser

        return webbrowser.open(self.url)

    def wait(self) -> None:
        """Wait until the viewer is closed or the program is interrupted."""
        while self._is_open:
            time.sleep(0.2)

    def close(self) -> None:
        """Stop the server."""
        if self._is_open:
            self._is_open = False
            with _quiet_console():
                self._server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = self.url if self._is_open else "closed"
        return f"<Viewer {state}: {', '.join(self._models)[:60] or 'no models'}>"

    def _repr_html_(self) -> str:
        if not self._is_open:
            return f"<div>{escape(repr(self))}</div>"
        frame = f'<iframe src="{self.url}" style="width:100%;height:480px;border:0" title="sdfbridge"></iframe>'
        return f'{frame}<div><a href="{self.url}" target="_blank">{self.url}</a></div>'

    # --- the page -----------------------------------------------------------------------------------------------------

    def _model(self, name: str) -> tuple[DrawnModel, Sliders]:
        wanted = name or next(iter(self._models), "")
        if wanted not in self._models:
            raise ValueError(f"no model {wanted!r}; expected one of: {', '.join(self._models) or 'none'}")
        return self._models[wanted]

    def _add_surroundings(self, *, dark: bool) -> None:
        gui, scene = self._server.gui, self._server.scene
        self._theme(dark=dark)
        gui.main_panel.dock_right()
        scene.set_up_direction("+z")
        self._toggles: dict[str, Any] = {}
        for kind, label in (("visuals", "Visuals"), ("collisions", "Collisions"), ("frames", "Frames and names")):
            self._toggles[kind] = gui.add_checkbox(label, kind == "visuals")
            self._toggles[kind].on_update(lambda event, kind=kind: self.show(kind, visible=event.target.value))
        grid = scene.add_grid("/grid", infinite_grid=True, cell_size=0.1, section_size=1.0, fade_distance=25.0)
        ground = gui.add_checkbox("Grid", True)
        ground.on_update(lambda event: setattr(grid, "visible", event.target.value))
        dark_mode = gui.add_checkbox("Dark", dark)
        dark_mode.on_update(lambda event: self._theme(dark=event.target.value))

    def _theme(self, *, dark: bool) -> None:
        self._server.gui.configure_theme(
            control_width="medium", dark_mode=dark, show_logo=False, show_share_button=False
        )

    def _panel(self, name: str, mechanism: Mechanism, drawn: DrawnModel) -> Sliders:
        gui = self._server.gui
        if not any(link.visuals for link in mechanism.scene.links):
            self._toggles["collisions"].value = True
        with gui.add_folder(name[:60]):
            sliders = Sliders(gui, mechanism, drawn.place)
            if sliders.dofs:
                gui.add_button("Reset").on_click(lambda _: sliders.reset())
            else:
                gui.add_markdown("No joint of this model moves.")
        return sliders

    def _fit_when_ready(self, client: Any) -> None:
        """Fit the camera of a page. What it reports first may be before it goes to where it begins."""
        client.camera.on_update(self._fit)
        self._fit(client.camera)

    def _fit(self, camera: Any) -> None:
        """Step back where a window is narrow, and on a telephone move the models above the controls.

        A camera that has left the place where it begins is not moved.
        """
        start = self._server.initial_camera
        away = start.position - start.look_at
        distance = float(np.linalg.norm(away))
        aspect = camera.image_width / max(camera.image_height, 1)
        if aspect >= _ASPECT or np.linalg.norm(camera.position - start.position) > 1e-3 * distance:
            return
        share = _ASPECT / max(aspect, 0.1)
        lift = _LIFT if camera.image_width < _TELEPHONE else 0.0
        up = np.cross(np.cross(away, (0.0, 0.0, 1.0)), away)
        height = 2.0 * share * distance * np.tan(start.fov / 2.0)
        middle = start.look_at - lift * height * up / np.linalg.norm(up)
        camera.position = middle + share * away
        camera.look_at = middle

    def _look_at(self, drawn: DrawnModel) -> None:
        """Move the camera of the page so that it sees all models, the new one included."""
        if self._models:
            self._low, self._high = np.minimum(self._low, drawn.low), np.maximum(self._high, drawn.high)
        else:
            self._low, self._high = drawn.low, drawn.high
        middle = (self._low + self._high) / 2.0
        distance = max(float(np.linalg.norm(self._high - self._low)), 1e-2)
        camera = self._server.initial_camera
        camera.look_at, camera.position = middle, middle + distance * np.array(_DIRECTION)
        camera.fov, camera.near = np.radians(40.0), distance / 500.0


def view(
    *sources: Source,
    port: int = DEFAULT_PORT,
    dark: bool = False,
    open_browser: bool = False,
    **load_options: Unpack[LoadOptions],
) -> Viewer:
    """Show models in a web browser, with sliders for their joints, beside each other.

    In a notebook, the result shows itself; elsewhere, open its ``url``. The program goes on meanwhile: ``wait()`` keeps
    a script running.

    Args:
        sources: Paths, `loaders.Scene` or `bridge.Mechanism` objects.
        port: Port of the server; the next free one if it is taken, 0 for any.
        dark: Whether the page is dark at first.
        open_browser: Whether to open the page in the web browser of this machine.
        load_options: Options of `loaders.load`, for the sources that are paths.

    Raises:
        ImportError: if viser is not installed.
        LoadError: if a file has errors.
        ExportError: if a scene cannot be lowered.
    """
    viewer = Viewer(port=port, dark=dark)
    try:
        for source in sources:
            viewer.add(source, **load_options)
    except BaseException:
        viewer.close()
        raise
    if open_browser:
        viewer.open()
    return viewer


# --- the server -------------------------------------------------------------------------------------------------------


def _new_server(port: int, token: str) -> viser.ViserServer:
    """Start a server of viser that answers only requests with a token, and is never published.

    Any page in a browser can send requests to a server on this machine, and can give the machine a name of its own (DNS
    rebinding). Each request for a page or a web socket is therefore checked; see `_refusal`.

    Args:
        port: Port of the server; the next free one if it is taken, 0 for any.
        token: First part of the path of each request.

    Raises:
        ImportError: if viser is not installed, or is a version whose server cannot be protected.
    """
    try:
        import viser
    except ImportError as error:
        raise ImportError("the viewer needs viser: pip install 'sdfbridge[view]'") from error
    host = "".join(_HOST)
    with _STARTING, _checked_requests(host, token) as checked:
        server = viser.ViserServer(host=host, port=port, label="sdfbridge", verbose=False)
    if not checked:
        server.stop()
        raise ImportError(
            f"viser {viser.__version__} starts its server in an unknown way: its requests cannot be checked, and it was"
            " stopped; use a version that is known: pip install 'viser==1.1.1'"
        )
    _never_publish(server)
    return server


def _refusal(request: Request, port: int, token: str) -> str:
    """Return why a request is refused, with status 403; empty if it is answered.

    The page of another site sends another ``Origin``, or its own name as ``Host``, and knows no token. A program that
    is no browser sends no ``Origin``. The page of the viewer opens its web socket below its own path, with the token.

    Args:
        request: The request, for a page or a web socket.
        port: Port of the server.
        token: First part of the path of each request.
    """
    names = [name if port == _HTTP_PORT else f"{name}:{port}" for name in _NAMES]
    hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
    if len(hosts) != 1 or hosts[0].lower() not in names:
        return f"the address has another host or port; expected {' or '.join(names)}"
    if origins and (len(origins) != 1 or origins[0] not in [f"http://{name}" for name in names]):
        return "the request comes from a page of another site"
    given = _parts(request)[0].encode("utf-8", "backslashreplace")
    if not hmac.compare_digest(given, token.encode()):
        return "the address has no token, or a wrong one; expected the whole address that the viewer states"
    return ""


def _parts(request: Request) -> tuple[str, str]:
    """Return the first part of the path of a request, and the rest."""
    first, _, rest = request.path.partition("?")[0].removeprefix("/").partition("/")
    return first, rest


@contextlib.contextmanager
def _checked_requests(host: str, token: str) -> Iterator[list[bool]]:
    """Let the server that starts meanwhile check its requests; what is yielded gets an item as soon as it does.

    viser has no option for a check, hence this exchange of the function of websockets that starts the server. Servers
    of other threads that start at this moment stay as they are: their host is another object.

    Args:
        host: The object that viser gets as host of the server.
        token: First part of the path of each request.
    """
    from websockets.asyncio import server as sockets
    from websockets.http11 import Request

    checked: list[bool] = []
    serve: Any = sockets.serve

    def serve_checked(handler: Any, address: Any = None, *arguments: Any, **options: Any) -> Any:
        if address is not host:
            return serve(handler, address, *arguments, **options)
        answer: Callable[[ServerConnection, Request], Response | None] = options.pop("process_request")

        def process_request(connection: ServerConnection, request: Request) -> Response | None:
            if why := _refusal(request, connection.local_address[1], token):
                return connection.respond(HTTPStatus.FORBIDDEN, f"The viewer of sdfbridge refuses this: {why}.\n")
            return answer(connection, Request(f"/{_parts(request)[1]}", request.headers))

        checked.append(True)
        return serve(handler, address, *arguments, process_request=process_request, **options)

    sockets.serve = serve_checked  # type: ignore[misc, assignment]
    try:
        yield checked
    finally:
        sockets.serve = serve  # type: ignore[misc]


def _never_publish(server: viser.ViserServer) -> None:
    """Leave a server no way to a public address: viser would open a tunnel as soon as a page sends a message."""
    from viser import _messages

    for message in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        server._websock_server.unregister_handler(message)
    server.request_share_url = _refuse_to_publish  # type: ignore[method-assign]


def _refuse_to_publish(*_: object, **__: object) -> str | None:
    raise PermissionError("the viewer is never published; forward its port to see it on another machine")
