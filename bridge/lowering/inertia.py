"""Minimum and repaired inertias."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.codes import (
    LOWER_MASSLESS_FREE_LINK,
    LOWER_REPAIRED_INERTIA,
    LOWER_SINGULAR_POSITION,
    LOWER_THIN_LINK,
)
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import Position, coordinate_limits, kind_of, scalar_joints
from loaders.diagnostics import Diagnostics
from loaders.finish.finish import with_inertias
from loaders.inertia import SpatialInertia, exceeds
from loaders.model import Link
from loaders.pose import IDENTITY, Array, Pose
from loaders.scene import Scene

"""Template of the finding about one link; `repair_arguments` returns its arguments."""


def repair_arguments(link: Link, inertia: SpatialInertia) -> dict[str, Any]:
    """Return the arguments of `REPAIRED_INERTIA`.

    Args:
        link: The link.
        inertia: Its inertia as the source states it.
    """
    repaired = inertia.repaired()
    moments = tuple(repaired.principal_axes()[1].tolist())
    return {
        "link": link.name,
        "defects": tuple(inertia.defects()),
        "mass": repaired.mass,
        "moments": moments,
    }


def with_repaired_inertia(scene: Scene, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the nearest physical inertia for each link whose own is not physical.

    Args:
        scene: The scene to repair; it is returned itself if there is nothing to repair.
        diagnostics: Receives one finding for each link that is repaired.
    """
    repaired: dict[str, SpatialInertia] = {}
    for link in scene.links:
        if link.inertia is not None and link.inertia.defects():
            diagnostics.add(LOWER_REPAIRED_INERTIA, link, **repair_arguments(link, link.inertia))
            repaired[link.name] = link.inertia.repaired()
    return with_inertias(scene, repaired)


MIN_MASS = 1e-9
"""Mass given to a massless free body [kg]."""
MIN_MOMENT = 1e-9
"""Moment of inertia added about every axis of a body that has none about some axis [kg m^2]."""
_ZERO_MOMENT = 1e-14
"""Moment of inertia that counts as zero [kg m^2]."""
_SINGULAR = 1e-12
"""Smallest eigenvalue at which a mass matrix, scaled to ones on its diagonal, counts as
singular."""
_ALMOST_SINGULAR = 1e-6
"""Smallest eigenvalue at which joints can move a thousand times faster together than alone."""
_SHARE = 0.1
"""Part of the largest component of an eigenvector from which a joint takes part in its motion."""
_PARALLEL = 1e-6
"""Difference of unit vectors that count as parallel."""
_FREED_HINT = "add <inertial> with mass and inertia to the link"
"""Advice for a base that the caller freed."""
_FREE_HINT = "add <inertial> with mass and inertia to the link, or attach it by a joint"
_JOINTED_HINT = (
    "add <inertial> with inertia to the link, or with mass and inertia to the links that carry it"
)


@dataclass(slots=True)
class _WeldedInertia:
    """Inertia of a moving body and of all bodies that are welded to it."""

    inertia: SpatialInertia
    """Inertia of the moving body itself."""
    bearer: int
    """Index of the first of the bodies that has mass; of the moving body if none has."""
    mass: float
    """Mass of all [kg]."""
    others: list[tuple[SpatialInertia, Pose]]
    """Inertia of each other body that has mass, and its pose in the frame of the moving body."""

    def add(self, body: int, inertia: SpatialInertia, X_CB: Pose) -> None:
        if inertia.mass != 0.0:
            self.bearer = body if self.mass == 0.0 else self.bearer
            self.mass += inertia.mass
            self.others.append((inertia, X_CB))

    def is_thin(self) -> bool:
        """Return whether the moment of inertia of all is zero about some axis."""
        total = self.inertia
        for inertia, X_CB in self.others:
            total += inertia.moved(X_CB)
        if exceeds(total.I_Lcm, _ZERO_MOMENT):
            return False
        return bool(np.linalg.eigvalsh(total.I_Lcm)[0] <= _ZERO_MOMENT)


_Addition = tuple[int, SpatialInertia]
"""Index of a body, and the inertia to add to it."""


def with_minimum_inertia(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with the least inertia that every engine needs; each addition is
    reported.

    Positions at which almost nothing that the source states resists the motion of some joints are
    reported too.

    A free body, together with the bodies that are welded to it, needs mass, and moments of inertia
    about every axis. A jointed body needs moments of inertia only where the mass matrix would be
    singular without: where joints turn it about axes about which neither it nor a body between them
    has inertia, as three joints that meet in a point mass.
    """
    inertias, diagnostics, stated = _welded_inertias(mechanism.bodies), Diagnostics(), mechanism
    additions = [
        *_free_additions(inertias, mechanism, diagnostics),
        *_jointed_additions(inertias, mechanism, diagnostics),
    ]
    if additions:
        bodies = list(mechanism.bodies)
        for i, addition in additions:
            bodies[i] = dataclasses.replace(bodies[i], inertia=bodies[i].inertia + addition)
        mechanism = dataclasses.replace(mechanism, bodies=tuple(bodies))
    _report_singular_positions(inertias, stated, diagnostics)
    if not diagnostics:
        return mechanism
    return dataclasses.replace(mechanism, diagnostics=(*mechanism.diagnostics, *diagnostics))


def _welded_inertias(bodies: Sequence[Body]) -> dict[int, _WeldedInertia]:
    """Return the inertia that moves with each body that has degrees of freedom, by its index."""
    inertias: dict[int, _WeldedInertia] = {}
    placements: list[tuple[int, Pose]] = []  # moving ancestor C and X_CB of each body
    for i, body in enumerate(bodies):
        placement = (i, IDENTITY)
        if body.primitives:
            inertias[i] = _WeldedInertia(body.inertia, i, body.inertia.mass, [])
        elif body.parent != ROOT and placements[body.parent][0] in inertias:
            ancestor, X_CP = placements[body.parent]
            placement = (ancestor, X_CP @ body.X_PF @ body.X_BM.inverse())
            inertias[ancestor].add(i, body.inertia, placement[1])
        placements.append(placement)
    return inertias


def _free_additions(
    inertias: Mapping[int, _WeldedInertia], mechanism: Mechanism, diagnostics: Diagnostics
) -> Iterator[_Addition]:
    """Yield what free bodies need."""
    bodies = mechanism.bodies
    for i, welded in inertias.items():
        body = bodies[i]
        if kind_of(body) is not PrimitiveKind.FREE:
            continue
        if welded.mass == 0.0:
            diagnostics.add(
                LOWER_MASSLESS_FREE_LINK,
                body.link.where,
                hint=_FREED_HINT if mechanism.base == "free" else "",
                subjects=(body.name,),
                link=body.name,
                mass=MIN_MASS,
            )
            yield welded.bearer, SpatialInertia.of(MIN_MASS, I_Lcm=MIN_MOMENT * np.eye(3))
        elif welded.is_thin():
            yield _thin_addition(
                body, bodies[welded.bearer], welded.bearer, _FREE_HINT, diagnostics
            )


def _jointed_additions(
    inertias: Mapping[int, _WeldedInertia], mechanism: Mechanism, diagnostics: Diagnostics
) -> Iterator[_Addition]:
    """Yield what jointed bodies whose ancestors are massless need, if the mass matrix is
    singular.
    """
    bodies = mechanism.bodies
    thin = [
        welded
        for i, welded in inertias.items()
        if kind_of(bodies[i]) is not PrimitiveKind.FREE
        and _is_thin_on_massless(i, inertias, mechanism)
    ]
    if not thin or not _is_singular(mechanism):
        return
    for welded in thin:
        bearer = bodies[welded.bearer]
        yield _thin_addition(bearer, bearer, welded.bearer, _JOINTED_HINT, diagnostics)


def _thin_addition(
    body: Body, bearer: Body, index: int, hint: str, diagnostics: Diagnostics
) -> _Addition:
    """Report that a body has no inertia about some axis, and return what its bearer gets."""
    diagnostics.add(
        LOWER_THIN_LINK,
        body.link.where,
        hint=hint,
        subjects=tuple(dict.fromkeys((body.name, bearer.name))),
        link=body.name,
        bearer=bearer.name,
        moment=MIN_MOMENT,
    )
    return index, SpatialInertia.of(0.0, I_Lcm=MIN_MOMENT * np.eye(3))


def _is_thin_on_massless(
    i: int, inertias: Mapping[int, _WeldedInertia], mechanism: Mechanism
) -> bool:
    """Return whether a moving body has mass, but no inertia about some axis, and the moving body
    below it no mass.
    """
    welded, parent = inertias[i], mechanism.moving_ancestor(mechanism.bodies[i].parent)
    is_on_massless = parent != ROOT and inertias[parent].mass == 0.0
    return is_on_massless and welded.mass > 0.0 and welded.is_thin()


def _is_singular(mechanism: Mechanism) -> bool:
    """Return whether the mass matrix is singular, at the zero configuration or everywhere.

    Mechanisms that are too large for `Mechanism.mass_matrix_at_zero` count as regular.
    """
    at_zero = mechanism.mass_matrix_at_zero
    if at_zero is None:
        return False
    if _smallest_eigenvalue(at_zero.matrix) < _SINGULAR:
        return True
    rng = np.random.default_rng(0)
    joints = scalar_joints(mechanism.bodies)
    q = {joint: tuple(rng.uniform(-1.0, 1.0, body.nv)) for joint, body in joints.items()}
    return _smallest_eigenvalue(mechanism.mass_matrix(q)) < _SINGULAR


def _smallest_eigenvalue(M: Array) -> float:
    """Return the smallest eigenvalue of a mass matrix scaled to ones on its diagonal, without
    massless rows.
    """
    return float(np.linalg.eigvalsh(_scaled(M)[0])[0])


def _scaled(M: Array) -> tuple[Array, NDArray[np.intp]]:
    """Return a mass matrix scaled to ones on its diagonal, without massless rows, and the indices
    of the rows that are left.
    """
    (massive,) = np.nonzero(np.diag(M) > _ZERO_MOMENT)
    scale = np.sqrt(np.diag(M)[massive])
    return M[np.ix_(massive, massive)] / np.outer(scale, scale), massive


# --- positions at which the mass matrix is singular -----------------------------------------------


def _report_singular_positions(
    inertias: Mapping[int, _WeldedInertia], mechanism: Mechanism, diagnostics: Diagnostics
) -> None:
    """Report joints of which almost nothing resists the motion at the zero configuration, or where
    one of them aligns two others; not of mechanisms with loops or couplings.
    """
    if mechanism.closures or mechanism.couplings:
        return
    at_zero = mechanism.mass_matrix_at_zero if _has_light_joints(inertias, mechanism) else None
    if at_zero is None or not np.isfinite(at_zero.matrix).all():
        return
    joints = _unresisted(at_zero.matrix, mechanism)
    found = {f"{', '.join(joints)} at the zero configuration": joints} if joints else {}
    for joint, angle, q in _aligning_positions(inertias, mechanism):
        joints = _unresisted(mechanism.mass_matrix(q), mechanism)
        if joints:
            found[f"{', '.join(joints)} where {joint} is {angle:.4g}"] = [*joints, joint]
    named = dict.fromkeys(chain.from_iterable(found.values()))
    links = [
        mechanism.bodies[i].name
        for i, welded in inertias.items()
        if mechanism.bodies[i].joint in named and (welded.mass == 0.0 or welded.is_thin())
    ]
    if found:
        diagnostics.add(
            LOWER_SINGULAR_POSITION,
            subjects=(*named, *links),
            positions=tuple(found),
            links=tuple(links),
        )


def _has_light_joints(inertias: Mapping[int, _WeldedInertia], mechanism: Mechanism) -> bool:
    """Return whether a jointed body has no inertia about some axis and carries, or is carried by,
    another jointed body: otherwise no position makes the mass matrix singular.
    """
    thin = {i for i, welded in inertias.items() if welded.mass == 0.0 or welded.is_thin()}
    parents = {i: mechanism.moving_ancestor(mechanism.bodies[i].parent) for i in inertias}
    return any((i in thin) or (parent in thin) for i, parent in parents.items() if parent != ROOT)


def _unresisted(M: Array, mechanism: Mechanism) -> list[str]:
    """Return the joints that move together almost without kinetic energy; none if the mass matrix
    is regular, or if a free link takes part, whose mass is a matter of its own.
    """
    scaled, rows = _scaled(M)
    if not len(rows):
        return []
    values, vectors = np.linalg.eigh(scaled)
    if values[0] >= _ALMOST_SINGULAR:
        return []
    shares = np.abs(vectors[:, 0])
    moved = rows[shares > _SHARE * shares.max()]
    joints = dict.fromkeys(mechanism.v_order[row][0] for row in moved)
    return list(joints) if joints.keys() <= scalar_joints(mechanism.bodies).keys() else []


def _aligning_positions(
    inertias: Mapping[int, _WeldedInertia], mechanism: Mechanism
) -> Iterator[tuple[str, float, dict[str, Position]]]:
    """Yield each hinge that can align the axes of the hinges before and after it, where no link
    between the three has mass: its joint, the angle, and the positions in which all others are 0.
    """
    bodies = mechanism.bodies
    series = [_hinges_to(i, inertias, mechanism) for i in inertias if inertias[i].mass]
    series = [hinges for hinges in series if len(hinges) > 2]
    jacobians = mechanism.jacobians() if series else {}
    for hinges in series:
        rates = jacobians[bodies[hinges[-1][0]].name][:3]
        columns = [rates[:, bodies[i].v_start + hinge.dof_index] for i, hinge in hinges]
        for k in range(1, len(hinges) - 1):
            body, dof = bodies[hinges[k][0]], hinges[k][1].dof_index
            lower, upper = coordinate_limits(body, dof)
            for angle in _aligning_angles(*columns[k - 1 : k + 2]):
                q = [0.0] * body.nv
                q[dof] = angle
                if lower <= angle <= upper:
                    yield str(body.joint), angle, {str(body.joint): tuple(q)}


def _hinges_to(
    i: int, inertias: Mapping[int, _WeldedInertia], mechanism: Mechanism
) -> list[tuple[int, Primitive]]:
    """Return the hinges that move a body, with the indices of their bodies, from the last of its
    ancestors that has mass; none if other joints are among them.
    """
    hinges = list[tuple[int, Primitive]]()
    while i != ROOT and not (hinges and inertias[i].mass):
        hinges[:0] = [(i, primitive) for primitive in mechanism.bodies[i].primitives]
        i = mechanism.moving_ancestor(mechanism.bodies[i].parent)
    is_plain = all(p.kind is PrimitiveKind.HINGE and p.ratio == 1.0 for _, p in hinges)
    return hinges if is_plain else []


def _aligning_angles(first: Array, second: Array, third: Array) -> Iterator[float]:
    """Yield the angles about the second axis that make the third parallel to the first [rad].

    Args:
        first: Direction of the first axis, shape (3,).
        second: That of the second.
        third: That of the third, at the angle 0.
    """
    across_first, across_third = (np.cross(second, np.cross(a, second)) for a in (first, third))
    if np.linalg.norm(across_first) < _PARALLEL:
        return
    for sign in (1.0, -1.0):
        if abs(first @ second - sign * third @ second) < _PARALLEL:
            sine = second @ np.cross(across_third, sign * across_first)
            yield float(np.arctan2(sine, across_third @ (sign * across_first)))
