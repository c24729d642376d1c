"""Joints that PyBullet cannot move, because nothing but rotors, which it lacks, resists their motion.

PyBullet's articulated-body algorithm divides by the inertia that a joint moves while all joints beyond it are free. Two
hinges about one line, with a massless link between them, have none at the first hinge: the second one gives way. Where
that inertia is zero PyBullet gives the joint no acceleration, whatever acts on it; measured on PyBullet 3.2.7.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.dynamics import mass_matrix
from loaders.diagnostics import NOWHERE
from loaders.spatial import Array

from .feature import Item

MAX_DOFS = 1000
"""Largest number of velocities that are examined, which takes cubic time."""
_ZERO = 1e-14
"""Part of the inertia of a joint with all joints beyond it locked, below which what it moves is zero."""


def locked_joints(mechanism: Mechanism) -> Iterator[Item]:
    """Yield the hinges and slides that have an inertia with the rotors of the mechanism, and none without them."""
    nv = len(mechanism.v_order)
    if nv > MAX_DOFS or not any(any(body.reflected_inertia) for body in mechanism.bodies):
        return
    positions = mechanism.positions_by_body({})
    without, complete = (
        articulated_inertias(mass_matrix(mechanism.bodies, positions, with_rotors=rotors)) for rotors in (False, True)
    )
    for body in mechanism.bodies:
        numbers = {
            body.v_start + primitive.dof_index
            for primitive in body.primitives
            if primitive.kind in (PrimitiveKind.HINGE, PrimitiveKind.SLIDE)
        }
        if any(complete[k] > 0.0 and not without[k] > 0.0 for k in numbers):
            where = body.source.where if body.source is not None else NOWHERE
            yield Item(str(body.joint), where, (str(body.joint),))


def articulated_inertias(M: Array) -> Array:
    """Return the inertia that each velocity moves while all velocities after it are free, shape (nv,).

    The velocities of the joints that a joint carries come after its own. One whose inertia is zero but for rounding has
    zero, and is not free for those before it.

    Args:
        M: Mass matrix.
    """
    A = np.array(M)
    inertias = np.zeros(len(A))
    for k in range(len(A) - 1, -1, -1):
        if A[k, k] > _ZERO * M[k, k]:
            inertias[k] = A[k, k]
            A[:k, :k] -= np.outer(A[:k, k], A[:k, k]) / A[k, k]
    return inertias
