"""A file is read only if it lies where its path led when it was checked, whoever changes links and
folders in between.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.output.folder import exchange
from loaders.diagnostics import ModelError

OBJ = "# {0}\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl m\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
MTL = "# {0}\nnewmtl m\nKd 1 1 1\n"
MESH = "<geometry><mesh><uri>meshes/a.obj</uri></mesh></geometry>"
DOCUMENTS = {
    "robot.sdf": f"<sdf version='1.9'><model name='m'><link name='l'><visual name='v'>{MESH}"
    "</visual></link></model></sdf>",
    "robot.urdf": "<robot name='m'><link name='l'><visual><geometry><mesh filename='meshes/a.obj'/>"
    "</geometry></visual></link></robot>",
    "robot.xml": "<mujoco><asset><mesh name='a' file='meshes/a.obj'/></asset><worldbody><body>"
    "<geom type='mesh' mesh='a'/></body></worldbody></mujoco>",
    "robot.dmd.yaml": "directives:\n- add_model: {name: a, file: file://robot.sdf}\n",
}
PLACES = {
    "mesh": "model/meshes/a.obj",
    "library": "model/meshes/a.mtl",
    "folder": "model/meshes",
    "folder of the model": "model",
}
"""What is exchanged for a link to a file or folder outside, by path."""


def made(folder: Path, what: str) -> tuple[Path, Path]:
    """Make a model, a secret folder of the same structure, and return what can be exchanged."""
    for top, mark in (("model", "INSIDE"), ("secret", "SECRET")):
        (folder / top / "meshes").mkdir(parents=True)
        (folder / top / "meshes" / "a.obj").write_text(OBJ.format(mark))
        (folder / top / "meshes" / "a.mtl").write_text(MTL.format(mark))
    for name, text in DOCUMENTS.items():
        (folder / "model" / name).write_text(text)
    link = folder / "link"
    link.symlink_to(folder / PLACES[what].replace("model", "secret", 1))
    return folder / PLACES[what], link


def outcome(main: Path, out: Path) -> str:
    """Return what came of an export."""
    try:
        scene = loaders.load(main, quiet=True)
        bridge.export_sdf(scene, out, quiet=True, force=True)
    except ModelError:
        return "refused"
    except OSError as error:
        if out.parent in Path(str(error.filename)).parents:
            raise
        return "gone"
    text = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    return "secret" if b"SECRET" in text else "inside" if b"INSIDE" in text else "left out"


_watchers: list[Callable[[str], None]] = []


def _tell(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _watchers:
        watcher = _watchers.pop()
        watcher(str(arguments[0]))
        _watchers.append(watcher)


@contextmanager
def before_each_opening(watcher: Callable[[str], None]) -> Iterator[None]:
    """Call a function with the name of each file that Python is about to open."""
    if _tell not in _hooked:
        sys.addaudithook(_tell)
        _hooked.append(_tell)
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.clear()


_hooked: list[object] = []


pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems exchange no paths in one step"
)
PAIRS = [
    pytest.param(what, name, marks=() if i == j else pytest.mark.slow)
    for i, what in enumerate(PLACES)
    for j, name in enumerate(DOCUMENTS)
]


@pytest.mark.parametrize(("what", "name"), PAIRS)
def test_what_is_exchanged_before_any_opening_is_not_read(
    tmp_path: Path, what: str, name: str
) -> None:
    """The exchange precedes the n-th opening of a file below the model, for each n."""
    count = turn = 0

    def look(path: str) -> None:
        nonlocal count
        if path.startswith(str(tmp_path / "model")):
            count += 1
            if count == turn:
                exchange(*pair)

    found = set()
    pair = made(tmp_path, what)
    with before_each_opening(look):
        while count >= turn:
            count, turn = 0, turn + 1
            found.add(outcome(tmp_path / "model" / name, tmp_path / f"out{turn}"))
            if pair[0].is_symlink():
                exchange(*pair)
    assert turn > 2
    assert "secret" not in found
    assert "inside" in found


SWAPPER = """
import ctypes, os, random, sys, time
exchange, (a, b) = ctypes.CDLL(None).renameat2, map(os.fsencode, sys.argv[1:])
while True:
    exchange(-100, a, -100, b, 2)
    end = time.perf_counter() + random.choice((3e-5, 1e-4, 3e-4, 1e-3))
    while time.perf_counter() < end:
        pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", PLACES)
def test_a_process_that_exchanges_paths_all_the_time_gets_nothing(
    tmp_path: Path, what: str
) -> None:
    pair = made(tmp_path, what)
    swapper = subprocess.Popen([sys.executable, "-c", SWAPPER, *map(str, pair)])
    found: list[str] = []
    end = time.process_time() + 2.0
    try:
        while time.process_time() < end:
            main = tmp_path / "model" / list(DOCUMENTS)[len(found) % len(DOCUMENTS)]
            found.append(outcome(main, tmp_path / "out"))
    finally:
        swapper.kill()
        swapper.wait()
    assert "secret" not in found
    assert len(found) > 20
