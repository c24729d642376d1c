"""The bodies and joints of a compiled MuJoCo model that belong to the bodies of a mechanism.

A body of MJCF may have several joints, where a mechanism has a chain of massless virtual links. MuJoCo has no pose of a
virtual link; it is that of the body while the joints beyond the link are at zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body
from bridge.mjcf.body.virtual_links import carried_bodies
from bridge.mjcf.xml.element import Element
from loaders.mjcf.elements.equalities import shifted
from loaders.spatial import Array


class MismatchError(Exception):
    """The compiled model lacks a body or joint of the mechanism; the message states which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyIndices:
    """The places of one body of a mechanism in a compiled model."""

    body: int
    """Index of the body."""
    joints: tuple[int, ...]
    """Indices of the joints, one for each primitive."""
    beyond: tuple[int, ...]
    """The joints of the same body that move it against this link."""


def exported_indices(mechanism: Mechanism, model: Any) -> list[BodyIndices]:
    """Return the places of each body in the compiled export of a mechanism.

    Args:
        mechanism: The mechanism.
        model: The ``mujoco.MjModel``.
    """
    carried, taken = carried_bodies(mechanism), Counter[int]()
    indices = []
    for i, body in enumerate(mechanism.bodies):
        number = int(model.body(mechanism.bodies[carried.get(i, i)].name).id)
        first = int(model.body_jntadr[number]) + taken[number]
        joints = tuple(range(first, first + len(body.primitives)))
        taken[number] += len(joints)
        indices.append(_indices(number, joints, model))
    return indices


def original_indices(
    mechanism: Mechanism, model: Any, bodies: tuple[str, ...], joints: tuple[str, ...]
) -> list[BodyIndices]:
    """Return the places of each body of a mechanism in its original, compiled by MuJoCo.

    Args:
        mechanism: The mechanism.
        model: The ``mujoco.MjModel`` of the original.
        bodies: Name of each body of the original.
        joints: Name of each joint of the original.

    Raises:
        MismatchError: if the original has other bodies or joints.
    """
    known = {name: i for i, name in enumerate(bodies)}, {name: i for i, name in enumerate(joints)}
    indices = [_original(body, model, *known) for body in mechanism.bodies]
    seen = {i.body for i in indices}, {j for i in indices for j in i.joints}
    missing = [name for name, i in known[0].items() if i and i not in seen[0]]
    missing += [name for name, j in known[1].items() if j not in seen[1]]
    if missing:
        raise MismatchError(f"it has {missing[0]}, which the model does not have")
    return indices


def _original(body: Body, model: Any, bodies: dict[str, int], joints: dict[str, int]) -> BodyIndices:
    joint = None if body.source is None or not body.primitives else joints.get(body.source.name)
    number = bodies.get(body.name) if joint is None else int(model.jnt_bodyid[joint])
    if body.primitives and joint is None:
        raise MismatchError(f"its joint {body.joint} is fixed or missing")
    if number is None or (not body.link.virtual and bodies.get(body.name) != number):
        raise MismatchError(f"it does not have the link {body.name}")
    if joint is None and model.body_jntnum[number]:
        raise MismatchError(f"its link {body.name} moves; that of the model is fixed")
    return _indices(number, () if joint is None else (joint,), model)


def _indices(body: int, joints: tuple[int, ...], model: Any) -> BodyIndices:
    end = int(model.body_jntadr[body] + model.body_jntnum[body])
    beyond = tuple(range(joints[-1] + 1, end)) if joints else ()
    return BodyIndices(body=body, joints=joints, beyond=beyond)


def at_zero(qpos: Array, joints: tuple[int, ...], model: Any) -> Array:
    """Return a position of the model with some of its joints at zero.

    Args:
        qpos: The position.
        joints: Hinges, slides and balls.
        model: The ``mujoco.MjModel``.
    """
    changed = np.array(qpos)
    for joint in joints:
        start, is_ball = int(model.jnt_qposadr[joint]), int(model.jnt_type[joint]) == 1
        changed[start : start + (4 if is_ball else 1)] = (1.0, 0.0, 0.0, 0.0) if is_ball else 0.0
    return changed


def dofs_of(joints: tuple[int, ...], model: Any) -> list[int]:
    """Return the velocity components of hinges, slides and balls.

    Args:
        joints: The joints.
        model: The ``mujoco.MjModel``.
    """
    sizes = {j: 3 if int(model.jnt_type[j]) == 1 else 1 for j in joints}
    return [int(model.jnt_dofadr[j]) + k for j in joints for k in range(sizes[j])]


def equality_elements(root: Element) -> frozenset[int]:
    """Return the indices of the equalities of an export that write elements of MuJoCo, and no item of the scene.

    Args:
        root: The exported document, whose equalities have the order of the compiled model.
    """
    equalities = (child for section in root.children if section.tag == "equality" for child in section.children)
    return frozenset(k for k, equality in enumerate(equalities) if equality.is_stated)


def joint_equalities(mujoco: Any, model: Any, elements: Collection[int]) -> Iterator[tuple[int, int, float, float]]:
    """Yield both joints of each coupling, -1 for none, its offset and its factor, in positions of the joints.

    MuJoCo counts from the reference positions of the joints.

    Args:
        mujoco: The module.
        model: The ``mujoco.MjModel``.
        elements: Equalities that the scene holds as elements of MuJoCo: neither limits nor couplings of the scene.
    """
    of_joints = (k for k in range(model.neq) if model.eq_type[k] == mujoco.mjtEq.mjEQ_JOINT)
    for k in (k for k in of_joints if k not in elements):
        one, two, data = int(model.eq_obj1id[k]), int(model.eq_obj2id[k]), model.eq_data[k]
        reference = float(model.qpos0[model.jnt_qposadr[two]]) if two >= 0 else 0.0
        offset, factor = shifted(data[:5], -reference)[:2].tolist()
        yield one, two, offset + float(model.qpos0[model.jnt_qposadr[one]]), factor
