"""A headless Chromium, for tests and for screenshots, driven by its own protocol through a
WebSocket.
"""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
EXECUTABLE = next(filter(None, map(shutil.which, _NAMES)), None)
"""The first browser of this machine that can be driven; None if there is none."""
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--no-first-run",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--no-proxy-server",
    "--disable-quic",
    "--disable-component-update",
    "--disable-sync",
)
"""Options of Chromium."""
_TIMEOUT = 60.0
"""Time after which nothing more is expected to happen [s]."""


class Chromium:
    """One page of a headless Chromium."""

    def __init__(self, folder: Path, *, names: Sequence[str] = ()) -> None:
        """Start the browser, which has no network but this machine.

        Args:
            folder: An empty folder for its files.
            names: Names of hosts that it takes for this machine.
        """
        from websockets.sync.client import connect

        own = [f"MAP {name} 127.0.0.1" for name in names]
        self._process = subprocess.Popen(
            [
                str(EXECUTABLE),
                *_FLAGS,
                f"--host-resolver-rules={', '.join((*own, 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'))}",
                f"--user-data-dir={folder}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._numbers = itertools.count(1)
        try:
            port, path = self._address(folder / "DevToolsActivePort")
            self._socket = connect(f"ws://127.0.0.1:{port}{path}", max_size=None)
            target = self._call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)[
                "sessionId"
            ]
            self._call("Page.enable")
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    _session = ""

    def _address(self, file: Path) -> tuple[str, str]:
        self.until(lambda: file.exists() and file.read_text().count("\n") == 1)
        port, path = file.read_text().split("\n")
        return port, path

    def until(self, holds: Callable[[], Any]) -> Any:
        """Wait until something holds, and return what it returned."""
        end = time.monotonic() + _TIMEOUT
        while time.monotonic() < end:
            if result := holds():
                return result
            time.sleep(0.05)
        raise TimeoutError("the browser did not do what was expected")

    def _call(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        self._socket.send(
            json.dumps(message | ({"sessionId": self._session} if self._session else {}))
        )
        while True:
            answer = json.loads(self._socket.recv(timeout=_TIMEOUT))
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def open(self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Open a page and wait until it is loaded.

        Args:
            url: Address.
            width: Width of the window [pixels].
            height: Height of the window [pixels].
            dark: Whether the user prefers dark colors.
        """
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._call("Page.navigate", url=url)
        self.until(
            lambda: self.run(
                "document.readyState === 'complete' && location.href !== 'about:blank'"
            )
        )

    def run(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        found = self._call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"])
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key of the keyboard, such as ``c`` or a space."""
        code = "Space" if key == " " else f"Key{key.upper()}"
        number = ord(key.upper())
        for kind in ("keyDown", "keyUp"):
            pressed = {"key": key, "code": code, "windowsVirtualKeyCode": number}
            self._call("Input.dispatchKeyEvent", type=kind, **pressed)

    def screenshot(self, path: Path, *, whole: bool = False, most: int = 4000) -> None:
        """Write a picture of the window as PNG.

        Args:
            path: The file.
            whole: Whether to take the whole page instead.
            most: Largest height of a whole page [pixels].
        """
        options: dict[str, Any] = {"format": "png"}
        if whole:
            size = self._call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {
                "x": 0,
                "y": 0,
                "width": size["width"],
                "height": min(size["height"], most),
                "scale": 1,
            }
            options |= {"captureBeyondViewport": True, "clip": clip}
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", **options)["data"]))

    def close(self) -> None:
        """End the browser."""
        self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()
