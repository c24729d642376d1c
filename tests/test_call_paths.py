"""The modules that an argument passes through on its way from the public functions to the
engines.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pybullet
import pytest

import bridge
from bridge.targets.pybullet import load
from tests.support.source_tree import PACKAGES, ROOT
from tests.test_layers import ORDER, parts_of

MOST_MODULES = 20
SOURCE = ROOT / "assets" / "leg.sdf"

INTERFACES = {
    ("loaders.drake.joint", "loaders.sdf.reader"),
    ("loaders.drake.constraint", "loaders.sdf.reader"),
    ("loaders.limits", "loaders.collision_pairs"),
    ("loaders.text", "loaders.diagnostics"),
    ("loaders.deferred", "loaders.sdf.reader"),
    ("loaders.finish.finish", "loaders.formats"),
    ("bridge.targets.folder", "bridge.targets.sdf.document"),
    ("bridge.targets.folder", "bridge.targets.sdf.normal_form"),
    ("bridge.targets.folder", "bridge.targets.mjcf.folder"),
    ("bridge.lowering.transform", "bridge.targets.options"),
    ("bridge.targets.report", "bridge.targets.sdf.normal_form"),
    ("bridge.targets.elements", "bridge.targets.mjcf.contact_parameters"),
    ("bridge.targets.elements", "bridge.targets.pybullet.contact"),
}
"""Calls of an object or a function that a layer above passes in: Drake's elements look names of the
including format up, limits count what a set of pairs yields, a summary writes the findings that it
gets, a deferred function calls the one that it names, the end of a load reads the source again to
say what lenient loading would leave out, and the export of a document asks for that of its format,
the walk over the fields for what a target lacks, and the report of friction for the rule of a
target.
"""

Call = tuple[FrameType, FrameType]


def load_into_pybullet(out: Path) -> None:
    load._PREPARED.clear()  # a source that was loaded before is not read again
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bridge.load_into_pybullet(str(SOURCE), physicsClientId=client)
    finally:
        pybullet.disconnect(physicsClientId=client)


def export_mjcf(out: Path) -> None:
    bridge.export_mjcf(str(SOURCE), out)


def export_sdf(out: Path) -> None:
    bridge.export_sdf(str(SOURCE), out)


ENTRIES = (load_into_pybullet, export_mjcf, export_sdf)


@contextmanager
def observed_calls(see: Callable[[FrameType], None]) -> Iterator[None]:
    """Show each frame of a function of the project when it begins."""

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and module_of(frame).partition(".")[0] in PACKAGES:
            see(frame)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)


def module_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def takes_the_source(frame: FrameType) -> bool:
    """Whether an argument of a call is the path of the source."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = (frame.f_locals.get(name) for name in names)
    return any(isinstance(value, (str, Path)) and str(value) == str(SOURCE) for value in values)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_a_path_passes_through_at_most_twenty_modules(
    entry: Callable[[Path], None], tmp_path: Path
) -> None:
    modules: set[str] = set()

    def see(frame: FrameType) -> None:
        if takes_the_source(frame):
            modules.add(module_of(frame))

    with observed_calls(see):
        entry(tmp_path / "out")
    assert "loaders.files.read_file" in modules  # the path reached the function that opens the file
    assert len(modules) <= MOST_MODULES, sorted(modules)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_no_call_goes_up_to_a_layer_above(entry: Callable[[Path], None], tmp_path: Path) -> None:
    layers = {
        package: {part: i for i, parts in enumerate(order) for part in parts}
        for package, order in ORDER.items()
    }
    upward: set[tuple[str, str]] = set()
    count = 0

    def see(frame: FrameType) -> None:
        nonlocal count
        caller = frame.f_back
        if caller is None or module_of(caller).partition(".")[0] not in PACKAGES:
            return
        ends = (module_of(caller), module_of(frame))
        package, a, b = parts_of(ends)
        count += ends[0] != ends[1]
        if package in layers and a != b and layers[package][a] < layers[package][b]:
            upward.add(ends)

    with observed_calls(see), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entry(tmp_path / "out")
    assert count > 1000
    assert upward - INTERFACES == set()
