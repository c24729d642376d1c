"""Drake's plant of a file: read without network access, whatever the environment and the log level of Drake are."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bridge.mechanism import Mechanism
from loaders import Search
from loaders.scene import Scene

RAISED = (RuntimeError, ValueError, IndexError, OverflowError, MemoryError, SystemExit)
"""The Python exceptions for C++ exceptions and failed assertions."""
_MARKERS = ("model.config", "model.sdf", "package.xml")
"""Files that mark a folder as a package to which the model can refer by name."""
_NETWORK = "DRAKE_ALLOW_NETWORK"
_OWN_PACKAGE = "drake"
"""The package that comes with Drake; all others of its map are downloaded when they are needed."""


class UnsupportedModelError(Exception):
    """Drake does not read the file, or the adapter cannot compare what it reads; the message is the reason."""


def needs_steps(mechanism: Mechanism) -> bool:
    """Return whether Drake simulates a model in discrete time only: with couplings, constraints or locked joints."""
    axes = (axis for joint in mechanism.scene.joints for axis in joint.axes)
    is_locked = any(axis.lower == axis.upper for axis in axes)
    return is_locked or bool(mechanism.couplings or mechanism.scene.constraints)


def read_plant(scene: Scene, search: Search, step: float = 0.0, scene_graph: Any = None) -> Any:
    """Return Drake's plant of the scene's file.

    Nothing is downloaded. The gravity of the scene is set, because Drake ignores that of the file.

    Args:
        scene: The scene, of which the file and gravity are used.
        search: Where to find packages.
        step: Time step [s]; zero for continuous time, in which Drake takes no couplings and constraints.
        scene_graph: Receives the shapes; None to read none.

    Raises:
        UnsupportedModelError: If Drake does not read the file.
    """
    if not Path(scene.source).is_file():
        raise UnsupportedModelError("the model was not loaded from a file")
    from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant

    plant = MultibodyPlant(step)
    if scene_graph is not None:
        plant.RegisterAsSourceForSceneGraph(scene_graph)
    if step:
        plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
        plant.SetUseSampledOutputPorts(use_sampled_output_ports=False)  # leaves the discrete update alone
    try:
        _parser(plant, Path(scene.source).resolve(), search).AddModels(Path(scene.source))
        plant.Finalize()
    except RAISED as error:
        raise UnsupportedModelError(str(error) or type(error).__name__) from error
    gravity: Any = scene.gravity
    plant.mutable_gravity_field().set_gravity_vector(gravity)
    return plant


def _parser(plant: Any, source: Path, search: Search) -> Any:
    """Drake's parser with the packages of the search, and none that it would download."""
    from pydrake.multibody.parsing import Parser

    with _package_map_allowed():
        parser = Parser(plant)
    packages = parser.package_map()
    for name in packages.GetPackageNames():
        if name != _OWN_PACKAGE:
            packages.Remove(name)
    for name, folder in _packages(source, search):
        if not packages.Contains(name):
            packages.Add(name, folder)
    return parser


@contextmanager
def _package_map_allowed() -> Iterator[None]:
    """Let Drake build its package map, which it refuses if the environment forbids network access."""
    before = os.environ.get(_NETWORK)
    os.environ[_NETWORK] = "package_map"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_NETWORK]
        else:
            os.environ[_NETWORK] = before


def _packages(source: Path, search: Search) -> Iterator[tuple[str, Path]]:
    """Yield names and absolute folders of packages, in order of precedence.

    First come the packages of the user's map, then those in the user's folders, then those near the model.
    """
    for name, folder in (search.get("package_map") or {}).items():
        yield name, Path(folder).resolve()
    given = [Path(path).resolve() for path in search.get("paths", ())]
    for top in (*given, *source.parents[:3]):
        for folder in sorted(top.iterdir()) if top.is_dir() else ():
            if folder.is_dir() and any((folder / marker).is_file() for marker in _MARKERS):
                yield folder.name, folder


@contextmanager
def without_log() -> Iterator[None]:
    """Keep Drake from logging; nothing is concluded from its messages."""
    logger, silence = logging.getLogger("drake"), logging.NullHandler()
    propagates, logger.propagate = logger.propagate, False
    logger.addHandler(silence)
    try:
        yield
    finally:
        logger.removeHandler(silence)
        logger.propagate = propagates
