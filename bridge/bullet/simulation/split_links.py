"""Links split across several PyBullet bodies: realign the halves and measure their separation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bridge.mechanism import Mechanism
from loaders.spatial import IDENTITY, SpatialInertia

from .efforts import motion_of
from .state import State


class Separation(NamedTuple):
    """Distance and angle between the two halves of a split link."""

    distance: float
    """Distance between their origins [m]."""
    angle: float
    """Angle between their orientations [rad]."""


def align_split_links(states: Sequence[State]) -> None:
    """Give every base that is half of a link the pose and velocity of the other half."""
    for state, link, base in _split_links(states):
        _, motion = motion_of(states, link, IDENTITY)
        state.set_positions({base: tuple(motion.X_WF.to_vector())})
        state.set_velocities({base: (*motion.v.tolist(), *motion.w.tolist())})


def link_separation(states: Sequence[State]) -> dict[str, Separation]:
    """Return the separation of the halves of split links, by the name of the half that is a base."""
    separations = {}
    for state, link, base in _split_links(states):
        X = motion_of(states, link, IDENTITY)[1].X_WF.inverse() @ state.link_pose(base)
        chord = float(np.linalg.norm(X.R - np.eye(3))) / math.sqrt(8.0)
        separations[base] = Separation(float(np.linalg.norm(X.p)), 2.0 * math.asin(min(1.0, chord)))
    return separations


def _split_links(states: Sequence[State]) -> Iterator[tuple[State, str, str]]:
    """Yield each body whose base is half of a link, with the names of the link and of the base."""
    for state in states:
        if state.articulation.split_link is not None:
            yield state, state.articulation.split_link, state.articulation.mechanism.bodies[0].name


def merge_partitions(mechanism: Mechanism, partitions: Iterable[tuple[str | None, Mechanism]]) -> Mechanism:
    """Return a mechanism with the inertias of its partitions and without rotor inertia.

    The inertia of a split link is the sum of those of its halves.

    Args:
        mechanism: The whole mechanism.
        partitions: The partitions, each with the name of the link whose other half is its base, or None.
    """
    inertias: dict[str, SpatialInertia] = {}
    for split_link, part in partitions:
        for i, body in enumerate(part.bodies):
            name = split_link if split_link is not None and i == 0 else body.name
            inertias[name] = inertias[name] + body.inertia if name in inertias else body.inertia
    bodies = tuple(
        dataclasses.replace(body, inertia=inertias[body.name], reflected_inertia=(0.0,) * body.nv)
        for body in mechanism.bodies
    )
    return dataclasses.replace(mechanism, bodies=bodies)
