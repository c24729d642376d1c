"""A motion of a model in a running simulator, recorded to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np

from bridge.lowering.sources import Source, mechanism_of
from bridge.mechanism.coordinates import Position, all_positions, initial_positions
from bridge.parity.engine import as_exported, default_engines, factory_of
from bridge.viewer import Recording, Viewer
from bridge.viewer.viewer import DEFAULT_PORT
from loaders import LoadOptions
from loaders.pose import Array, Pose

_PICTURES = 60
"""Number of states that are recorded in a second."""


def record_motion(
    source: Source,
    engine: str = "mujoco",
    *,
    seconds: float = 2.0,
    positions: Mapping[str, Position] | None = None,
    **load_options: Unpack[LoadOptions],
) -> Recording:
    """Let a model move freely in a simulator, from rest, under gravity and its own springs and
    dampers, and return its motion.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        engine: Name of the simulator, as for `compare`.
        seconds: Duration [s].
        positions: Positions by joint at the start; those that are left out are the initial ones.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: if the file has errors.
        ValueError: for an unknown engine or joint, or a duration that is not positive.
        EngineMissingError: if the engine is not installed.
        DivergedError: if the motion leaves the finite numbers.
    """
    if not 0.0 < seconds < np.inf:
        raise ValueError(f"expected a positive number of seconds, not {seconds}")
    mechanism = mechanism_of(source, **load_options)
    running = as_exported(factory_of(engine))(mechanism)
    step = mechanism.physics.time_step
    count = max(round(1.0 / (_PICTURES * step)), 1)
    states: list[dict[str, Position]] = []
    poses: list[dict[str, Pose]] = []
    contacts: list[Array] = []
    try:
        start = {**initial_positions(mechanism), **(positions or {})}
        running.set_step(step)
        running.set_state(all_positions(mechanism, start), {})
        pictures = int(np.ceil(seconds / (count * step)))
        for k in range(pictures + 1):
            if k:
                running.step(count)
            states.append(running.positions())
            poses.append(running.link_poses())
            contacts.append(running.contact_points())
    finally:
        running.close()
    times: Array = np.arange(pictures + 1, dtype=np.float64) * count * step
    return Recording(times=times, poses=poses, positions=states, contacts=contacts)


def view_motion(
    source: Source,
    engines: Sequence[str] | None = None,
    *,
    seconds: float = 2.0,
    positions: Mapping[str, Position] | None = None,
    overlay: bool = False,
    port: int = DEFAULT_PORT,
    dark: bool = False,
    **load_options: Unpack[LoadOptions],
) -> Viewer:
    """Show the motion of a model in several simulators in a web browser, beside each other, with
    one slider of time.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        engines: Names of the simulators, as for `compare`; None for MuJoCo and PyBullet, where
            installed.
        seconds: Duration [s].
        positions: Positions by joint at the start; those that are left out are the initial ones.
        overlay: Whether to draw the models in one place, all but the first in orange, half
            transparent.
        port: Port of the server; the next free one if it is taken, 0 for any.
        dark: Whether the page is dark at first.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        ImportError: if viser is not installed.
        LoadError: if the file has errors.
        ValueError: for an unknown engine or joint, or a duration that is not positive.
        EngineMissingError: if an engine is not installed.
        DivergedError: if a motion leaves the finite numbers.
    """
    mechanism = mechanism_of(source, **load_options)
    motions = {
        engine: record_motion(mechanism, engine, seconds=seconds, positions=positions)
        for engine in engines or default_engines()
    }
    viewer = Viewer(port=port, dark=dark)
    first = ""
    for engine, motion in motions.items():
        over = first if overlay else ""
        added = viewer.add(mechanism, name=engine, over=over, motion=motion)
        first = first or added
    return viewer
