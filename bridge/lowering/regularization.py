"""Masses and inertias that no engine can move, made such that it can: none at all, and those of no real body."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of, scalar_joints
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import Link
from loaders.spatial import IDENTITY, Array, Pose, SpatialInertia

from . import lower

MIN_MASS = 1e-9
"""Mass of what has none [kg]."""
THICKNESS = 1e-9
"""Moment of inertia about an axis about which there is none [kg m^2]."""
_ROUNDING = 1e-14
"""A moment of inertia [kg m^2] that is as good as none."""
_SINGULAR = 1e-12
"""Least eigenvalue of a mass matrix with ones on its diagonal that is as good as none."""
_MOST_FREEDOMS = 1000
"""Above it a mass matrix is not worth the time."""


@dataclass(slots=True)
class _Whole:
    """A body that moves, with all that is welded to it."""

    inertia: SpatialInertia
    """In the frame of the one that moves."""
    bearer: int
    """The first of them that has mass, else the one that moves."""

    def add(self, i: int, inertia: SpatialInertia) -> None:
        if inertia.mass != 0.0:
            self.bearer = i if self.inertia.mass == 0.0 else self.bearer
            self.inertia += inertia

    def is_thin(self) -> bool:
        """Whether there is an axis about which it has no moment of inertia."""
        return bool(np.linalg.eigvalsh(self.inertia.I_Lcm)[0] <= _ROUNDING)


def with_repaired_inertia(mechanism: Mechanism) -> Mechanism:
    """The mechanism, with the nearest inertia that a body can have for each link whose own none can; each is reported.

    Raises:
        ExportError: as `bridge.lower`.
    """
    scene, diagnostics, mended = mechanism.scene, Diagnostics(), {}
    for link in scene.links:
        if link.inertia is not None and link.inertia.defects():
            diagnostics.add(Fate.REPAIRED, "lower.repaired-inertia", told_repair(link, link.inertia), link.where)
            mended[link.name] = link.inertia.repaired()
    if not mended:
        return mechanism
    links = tuple(dataclasses.replace(link, inertia=mended.get(link.name, link.inertia)) for link in scene.links)
    found = lower(dataclasses.replace(scene, links=links))
    return dataclasses.replace(found, diagnostics=(*found.diagnostics, *diagnostics))


def told_repair(link: Link, inertia: SpatialInertia) -> str:
    """What is wrong with the inertia of a link, and what it gets."""
    mended = inertia.repaired()
    moments = ", ".join(f"{moment:.6g}" for moment in mended.principal_axes()[1])
    mass = f"{mended.mass:g} kg and " if mended.mass != inertia.mass else ""
    return f"link {link.name}: {'; '.join(inertia.defects())}; it gets {mass}{moments} kg m^2"


def with_minimum_inertia(mechanism: Mechanism) -> Mechanism:
    """The mechanism, with what its bodies lack, together with all that is welded to them; each lack is reported.

    Free bodies need mass and moments about every axis. What joints carry needs them only where joints turn it about
    axes about which neither it nor what lies between has any, as three joints do that meet in a point mass.
    """
    wholes, diagnostics = _wholes(mechanism.bodies), Diagnostics()
    lacks = [*_of_free(wholes, mechanism.bodies, diagnostics), *_of_carried(wholes, mechanism, diagnostics)]
    if not lacks:
        return mechanism
    found = list(mechanism.bodies)
    for bearer, lack in lacks:
        found[bearer] = dataclasses.replace(found[bearer], inertia=found[bearer].inertia + lack)
    return dataclasses.replace(mechanism, bodies=tuple(found), diagnostics=(*mechanism.diagnostics, *diagnostics))


def _wholes(bodies: Sequence[Body]) -> dict[int, _Whole]:
    """What moves as one with each body that moves against the one it hangs from."""
    wholes: dict[int, _Whole] = {}
    places: list[tuple[int, Pose]] = []
    for i, body in enumerate(bodies):
        place = (i, IDENTITY)
        if body.primitives:
            wholes[i] = _Whole(body.inertia, i)
        elif body.parent != ROOT and places[body.parent][0] in wholes:
            carrier, X_CP = places[body.parent]
            place = (carrier, X_CP @ body.X_PF @ body.X_BM.inverse())
            wholes[carrier].add(i, body.inertia.moved(place[1]))
        places.append(place)
    return wholes


def _of_free(
    wholes: dict[int, _Whole], bodies: Sequence[Body], diagnostics: Diagnostics
) -> Iterator[tuple[int, SpatialInertia]]:
    """What free bodies lack, and the body that gets it."""
    for i, whole in wholes.items():
        free, bearer = bodies[i], bodies[whole.bearer].name
        if kind_of(free) is not PrimitiveKind.FREE:
            continue
        hint = "give the link its mass and inertia, or hold it by a joint"
        if whole.inertia.mass == 0.0:
            diagnostics.add(
                Fate.ASSUMED,
                "lower.massless-free-link",
                ("link {free} moves freely, and neither it nor what is welded to it has mass; it gets {min_mass:g} kg"),
                free.link.where,
                hint=hint,
                subjects=(free.name,),
                free=free.name,
                min_mass=MIN_MASS,
            )
            yield whole.bearer, SpatialInertia.of(MIN_MASS, I_Lcm=THICKNESS * np.eye(3))
        elif whole.is_thin():
            diagnostics.add(
                Fate.ASSUMED,
                "lower.thin-link",
                ("link {free} can turn about an axis with no inertia about it; {bearer} gets {thickness:g} kg m^2"),
                free.link.where,
                hint=hint,
                subjects=(free.name,),
                free=free.name,
                bearer=bearer,
                thickness=THICKNESS,
            )
            yield whole.bearer, SpatialInertia.of(0.0, I_Lcm=THICKNESS * np.eye(3))


def _of_carried(
    wholes: dict[int, _Whole], mechanism: Mechanism, diagnostics: Diagnostics
) -> Iterator[tuple[int, SpatialInertia]]:
    """What bodies on joints lack that hang from others without mass, if the whole cannot be moved for want of it."""
    bodies = mechanism.bodies
    thin = [
        whole
        for i, whole in wholes.items()
        if kind_of(bodies[i]) is not PrimitiveKind.FREE
        and whole.inertia.mass > 0.0
        and _is_massless(bodies[i].parent, wholes, bodies)
        and whole.is_thin()
    ]
    if not thin or not _is_singular(mechanism):
        return
    for whole in thin:
        link = bodies[whole.bearer].link
        message = (
            f"link {link.name} and the joints that carry it can turn about an axis with no inertia about it; "
            f"it gets {THICKNESS:g} kg m^2"
        )
        hint = "give it its inertia, or mass and inertia to the links between"
        diagnostics.add(Fate.ASSUMED, "lower.thin-link", message, link.where, hint=hint)
        yield whole.bearer, SpatialInertia.of(0.0, I_Lcm=THICKNESS * np.eye(3))


def _is_massless(i: int, wholes: dict[int, _Whole], bodies: Sequence[Body]) -> bool:
    """Whether a body moves, and has no mass together with all that is welded to it."""
    while i != ROOT and i not in wholes:
        i = bodies[i].parent
    return i != ROOT and wholes[i].inertia.mass == 0.0


def _is_singular(mechanism: Mechanism) -> bool:
    """Whether some motion of links with mass takes no force, where a simulation starts or anywhere."""
    if len(mechanism.v_order) > _MOST_FREEDOMS:
        return False
    rng = np.random.default_rng(0)
    joints = scalar_joints(mechanism.bodies)
    by_chance = {joint: tuple(rng.uniform(-1.0, 1.0, body.nv)) for joint, body in joints.items()}
    return any(_least_eigenvalue(mechanism.mass_matrix(q)) < _SINGULAR for q in ({}, by_chance))


def _least_eigenvalue(M: Array) -> float:
    """Of a mass matrix scaled to ones on its diagonal, without what moves nothing."""
    moved = np.diag(M) > _ROUNDING
    scale = np.sqrt(np.diag(M)[moved])
    return float(np.linalg.eigvalsh(M[np.ix_(moved, moved)] / np.outer(scale, scale))[0])
