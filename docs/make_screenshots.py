"""Take screenshots of site, report, viewer and notebook output, at three widths and in both color
schemes.

Run it from the root of the project after ``make docs``, with the test extra and Chromium installed:
``python docs/make_screenshots.py [FOLDER]``. The pictures in FOLDER, by default
``out/screenshots``, are to be looked at when a page changes. Nothing but this machine is asked.
"""

from __future__ import annotations

import dataclasses
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import bridge  # noqa: E402
import sdfbridge  # noqa: E402
from bridge.demo import draw, side_by_side  # noqa: E402
from bridge.parity import Comparison  # noqa: E402
from bridge.parity.engine import factory_of  # noqa: E402
from tests.support.chromium import EXECUTABLE, Chromium  # noqa: E402

WIDTHS = (420, 1280, 1900)
PAGES = (
    "index",
    "questions",
    "gallery",
    "viewing",
    "diagnostics",
    "mapping",
    "tutorials/pybullet",
    "reference/sdfbridge",
    "parity",
    "proof",
)
"""Pages of the site."""
ARM = ROOT / "assets" / "arm" / "model.sdf"
POSE = {"waist": 0.6, "shoulder": 0.4, "elbow": 0.8}
_SETTLING = 4.0
"""Time between two pictures of the viewer that are to be equal; without a graphics card it draws
slowly [s].
"""
_PATIENCE = 15
"""Largest number of such pictures."""

_WARNING = (
    "document.querySelectorAll('.mantine-Notification-closeButton').forEach(button => "
    "button.click())"
)
"""Closes the remark of the page that this machine draws without a graphics card."""


def with_a_fault() -> Comparison:
    """Return a comparison of the arm in which MuJoCo runs a heavier forearm."""
    scene = sdfbridge.load(ARM)
    links = tuple(
        dataclasses.replace(k, inertia=dataclasses.replace(k.inertia, mass=1.01 * k.inertia.mass))
        if k.inertia and k.name == "forearm"
        else k
        for k in scene.links
    )
    heavier = bridge.lower(dataclasses.replace(scene, links=links))

    def mujoco(_: object) -> object:
        return factory_of("mujoco")(heavier)

    return bridge.compare(scene, (mujoco, "pybullet"), configurations=3)  # type: ignore[arg-type]


def notebook(folder: Path, report: Comparison) -> Path:
    """Write a page that shows results as a notebook does.

    Args:
        folder: The folder to write to.
        report: A comparison to show.
    """
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    scene = sdfbridge.load(ARM)
    robot = sdfbridge.load_into_pybullet(scene, physicsClientId=client, quiet=True)
    shown = (scene, sdfbridge.lower(scene), report, report.diagnostics, robot)
    cells = "".join(
        f'<p style="opacity:.6">{type(item).__name__}</p>{item._repr_html_()}' for item in shown
    )
    pybullet.disconnect(client)
    style = (
        ":root{color-scheme:light dark}body{font:14px "
        "sans-serif;margin:1.5rem;background:Canvas;color:CanvasText}"
    )
    page = folder / "notebook.html"
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><style>{style}</style>{cells}', encoding="utf-8"
    )
    return page


def documents(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the address of every page that is a file.

    Args:
        folder: A folder for the pages that are written.
    """
    for page in PAGES:
        yield f"site-{page.replace('/', '-')}", (ROOT / "out" / "docs" / f"{page}.html").as_uri()
    found = with_a_fault()
    png = side_by_side(
        draw(ARM, [{}, POSE]), ["zero configuration", "waist 0.6, shoulder 0.4, elbow 0.8"]
    )
    pictures = {"MuJoCo and PyBullet at the same joint positions": png} if png else {}
    yield "report", found.to_html(folder / "report.html", pictures).as_uri()
    yield "notebook", notebook(folder, found).as_uri()


def settled(browser: Chromium, picture: Path) -> None:
    """Take a screenshot of the window once nothing moves any more.

    Args:
        browser: The browser.
        picture: The file.
    """
    before = b""
    for _ in range(_PATIENCE):
        time.sleep(_SETTLING)
        browser.screenshot(picture)
        if picture.read_bytes() == before:
            return
        before = picture.read_bytes()


def main(folder: Path) -> None:
    """Take all screenshots.

    Args:
        folder: The folder to write to.
    """
    if EXECUTABLE is None:
        raise SystemExit("Chromium is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, Chromium(Path(scratch, "browser")) as browser:
        for name, address in documents(Path(scratch)):
            for width in WIDTHS:
                for dark in (False, True):
                    browser.open(address, width=width, dark=dark)
                    browser.screenshot(
                        folder / f"{name}-{width}-{'dark' if dark else 'light'}.png", whole=True
                    )
        for dark in (False, True):
            with sdfbridge.view(ARM, ROOT / "assets" / "leg.sdf", port=0, dark=dark) as viewer:
                viewer.set_positions(POSE)
                for width in WIDTHS:
                    browser.open(viewer.url, width=width, height=800, dark=dark)
                    browser.until(lambda: browser.run("document.body.innerText.includes('Reset')"))
                    browser.run(_WARNING)
                    settled(browser, folder / f"viewer-{width}-{'dark' if dark else 'light'}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "out" / "screenshots")
