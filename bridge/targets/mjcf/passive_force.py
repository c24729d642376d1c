"""Forces for which MJCF has no element, as a callback of the running MuJoCo."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from bridge.fluid import LinkForce, fluid_forces
from bridge.lowering.sources import Source, mechanism_of
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, BodyConnection, TendonConnection
from bridge.mechanism.force_laws import FrameMotion, bushing_wrench, tendon_force
from loaders import LoadOptions
from loaders.model import Bushing, TendonConstraint
from loaders.pose import Array, Pose

from .joint import ScalarJoint, joint_of_velocity


@dataclass(frozen=True, slots=True, eq=False)
class _TendonJoint:
    """One joint of a tendon: its position in the mechanism is MuJoCo's divided by ``ratio``."""

    qpos: int
    dof: int
    ratio: float
    coefficient: float


@dataclass(frozen=True, slots=True, eq=False)
class _FluidForce:
    """A force of a fluid on a MuJoCo body, and the joint on whose position it depends."""

    force: LinkForce
    body: int
    joint: _TendonJoint | None


@dataclass(frozen=True, slots=True, eq=False)
class PassiveForces:
    """Adds bushings, the damping of compliant tendons, and buoyancy, drag and lift to
    ``qfrc_passive`` of one model.

    It ignores all other models.
    """

    signature: int
    """MuJoCo's signature of the model to which it belongs."""
    bushings: tuple[tuple[Bushing, int, int], ...]
    """Each bushing with the ids of the MuJoCo bodies that have its frames."""
    tendons: tuple[tuple[TendonConstraint, tuple[_TendonJoint, ...]], ...]
    """The tendons whose damping the MJCF omits."""
    fluid: tuple[_FluidForce, ...] = ()
    """The forces of a fluid."""

    def __call__(self, model: Any, data: Any) -> None:
        """Add the forces for the current state.

        Args:
            model: A ``mujoco.MjModel``.
            data: Its ``mujoco.MjData``, after positions and velocities were computed.
        """
        if model.signature != self.signature:
            return
        for bushing, a, c in self.bushings:
            _apply_bushing(bushing, a, c, model, data)
        for tendon, joints in self.tendons:
            _apply_damping(tendon, joints, data)
        for force in self.fluid:
            _apply_fluid(force, model, data)


def passive_forces(
    source: Source, model: Any, **load_options: Unpack[LoadOptions]
) -> PassiveForces:
    """Return the forces for which MJCF has no element, as a callback for
    ``mujoco.set_mjcb_passive``.

    MuJoCo calls the callback for every model of the process; it has no effect on other models than
    ``model``.

    Args:
        source: What the model was made from: a path, a `loaders.Scene` or a `bridge.Mechanism`.
        model: The ``mujoco.MjModel`` compiled from the result of `to_mjcf` or `to_mjspec`.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: if the file is invalid.
        KeyError: if ``model`` lacks a body or joint of the source.
        TypeError: if an option is unknown.
    """
    load_options["quiet"] = True  # the export of the model has warned
    mechanism = mechanism_of(source, **load_options)
    bushings = [
        _bushing(connection.element, connection, mechanism, model)
        for connection in mechanism.force_elements
        if isinstance(connection.element, Bushing)
    ]
    tendons = (c for c in mechanism.constraints if isinstance(c, TendonConnection))
    damped = [
        (c.element, _tendon_joints(c, mechanism, model))
        for c in tendons
        if c.element.damping and math.isfinite(c.element.stiffness)
    ]
    return PassiveForces(
        signature=model.signature,
        bushings=tuple(bushings),
        tendons=tuple((tendon, joints) for tendon, joints in damped if joints),
        fluid=tuple(_fluid_force(force, mechanism, model) for force in fluid_forces(mechanism)),
    )


def _fluid_force(force: LinkForce, mechanism: Mechanism, model: Any) -> _FluidForce:
    joint = None
    if force.joint is not None:
        scalar_joint = joint_of_velocity(mechanism).get(
            mechanism.dof_index.get((force.joint, 0), -1)
        )
        joint = None if scalar_joint is None else _compiled_joint(scalar_joint, 1.0, model)
    return _FluidForce(force, _body_id(mechanism.body_index[force.link], mechanism, model), joint)


def _bushing(
    element: Bushing, connection: BodyConnection, mechanism: Mechanism, model: Any
) -> tuple[Bushing, int, int]:
    """Return the bushing with the frames of its connection, and the ids of its bodies."""
    bushing = dataclasses.replace(element, X_LA=connection.X_AP, X_LC=connection.X_BQ)
    return (
        bushing,
        _body_id(connection.body_a, mechanism, model),
        _body_id(connection.body_b, mechanism, model),
    )


def _body_id(body: int, mechanism: Mechanism, model: Any) -> int:
    return 0 if body == ROOT else int(model.body(mechanism.bodies[body].name).id)


def _tendon_joints(
    connection: TendonConnection, mechanism: Mechanism, model: Any
) -> tuple[_TendonJoint, ...]:
    """Return the joints of a tendon; none if one is not a hinge or slide of the tree, and the
    tendon not written.
    """
    scalar_joints = joint_of_velocity(mechanism)
    joints = []
    for dof, coefficient in zip(connection.dofs, connection.element.coefficients, strict=True):
        scalar_joint = None if dof is None else scalar_joints.get(dof)
        if scalar_joint is None:
            return ()
        joints.append(_compiled_joint(scalar_joint, coefficient, model))
    return tuple(joints)


def _compiled_joint(scalar_joint: ScalarJoint, coefficient: float, model: Any) -> _TendonJoint:
    joint = model.joint(scalar_joint.joint)
    return _TendonJoint(
        int(joint.qposadr[0]), int(joint.dofadr[0]), scalar_joint.ratio, coefficient
    )


def _apply_bushing(bushing: Bushing, a: int, c: int, model: Any, data: Any) -> None:
    import mujoco

    wrench = bushing_wrench(
        bushing, _motion(model, data, a, bushing.X_LA), _motion(model, data, c, bushing.X_LC)
    )
    for sign, body in ((-1.0, a), (1.0, c)):
        mujoco.mj_applyFT(
            model,
            data,
            sign * wrench.force,
            sign * wrench.torque,
            wrench.p_WQ,
            body,
            data.qfrc_passive,
        )


def _apply_fluid(item: _FluidForce, model: Any, data: Any) -> None:
    import mujoco

    position = 0.0 if item.joint is None else float(data.qpos[item.joint.qpos]) / item.joint.ratio
    wrench = item.force.wrench(
        _motion(model, data, item.body, item.force.X_LF), model.opt.gravity, position
    )
    mujoco.mj_applyFT(
        model, data, wrench.force, wrench.torque, wrench.p_WQ, item.body, data.qfrc_passive
    )


def _motion(model: Any, data: Any, body: int, X_LF: Pose) -> FrameMotion:
    """Return the motion of a frame on a body."""
    import mujoco

    X_WF = Pose.of(data.xmat[body].reshape(3, 3), data.xpos[body]) @ X_LF
    w_v: Array = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, w_v, 0)
    w, v = w_v[:3], w_v[3:]
    return FrameMotion(X_WF, w, v + np.cross(w, X_WF.p - data.xpos[body]))


def _apply_damping(tendon: TendonConstraint, joints: tuple[_TendonJoint, ...], data: Any) -> None:
    """Add the force of the tendon without its spring, which the MJCF has."""
    length = tendon.offset + sum(j.coefficient * data.qpos[j.qpos] / j.ratio for j in joints)
    rate = sum(j.coefficient * data.qvel[j.dof] / j.ratio for j in joints)
    spring = tendon_force(dataclasses.replace(tendon, damping=0.0), length, rate)
    for j in joints:
        data.qfrc_passive[j.dof] += (
            (tendon_force(tendon, length, rate) - spring) * j.coefficient / j.ratio
        )
