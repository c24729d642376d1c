"""Forces that MJCF has no element for, as a callback of the running MuJoCo."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.lowering.inputs import Source, mechanism_of
from bridge.mechanism import Mechanism
from bridge.mechanism.force_laws import Motion, bushing_wrench, tendon_force
from bridge.mjcf.body.joints import carriers
from loaders.model import WORLD, Bushing, TendonConstraint
from loaders.spatial import Array, Pose


@dataclass(frozen=True, slots=True, eq=False)
class _Pull:
    """One joint of a tendon: the model's position is MuJoCo's over ``ratio``."""

    qpos: int
    dof: int
    ratio: float
    coefficient: float


@dataclass(frozen=True, slots=True, eq=False)
class PassiveForces:
    """Adds bushings and the damping of yielding tendons to ``qfrc_passive`` of one model; leaves all others alone."""

    signature: int
    """MuJoCo's own mark of the model that it belongs to."""
    bushings: tuple[tuple[Bushing, int, int], ...]
    """Each with the numbers of the bodies that have its frames."""
    tendons: tuple[tuple[TendonConstraint, tuple[_Pull, ...]], ...]
    """Those whose damping the MJCF leaves out."""

    def __call__(self, model: Any, data: Any) -> None:
        """Add the forces for the present state.

        Args:
            model: A ``mujoco.MjModel``.
            data: Its ``mujoco.MjData``, after positions and velocities were computed.
        """
        if model.signature != self.signature:
            return
        for bushing, a, c in self.bushings:
            _bear(bushing, a, c, model, data)
        for tendon, pulls in self.tendons:
            _damp(tendon, pulls, data)


def passive_forces(source: Source, model: Any, **load_options: Any) -> PassiveForces:
    """What MJCF has no element for, to be given to ``mujoco.set_mjcb_passive``.

    A callback serves every model of the process; this one does nothing for others than ``model``.

    Args:
        source: What the model was made from: a path, a `loaders.Scene` or a `bridge.Mechanism`.
        model: The ``mujoco.MjModel`` that `to_mjcf` or `to_mjspec` led to.
        load_options: For `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: if the file is wrong.
        KeyError: if ``model`` has no body or joint of a name that the source has.
    """
    mechanism = mechanism_of(source, **load_options)
    bushings = [
        (force, _body(model, force.link_A), _body(model, force.link_C))
        for force in mechanism.scene.forces
        if isinstance(force, Bushing)
    ]
    tendons = [(t, _pulls(t, mechanism, model)) for t in mechanism.scene.constraints if isinstance(t, TendonConstraint)]
    damped = tuple((t, p) for t, p in tendons if p and t.damping and math.isfinite(t.stiffness))
    return PassiveForces(signature=model.signature, bushings=tuple(bushings), tendons=damped)


def _body(model: Any, link: str) -> int:
    return 0 if link == WORLD else int(model.body(link).id)


def _pulls(tendon: TendonConstraint, mechanism: Mechanism, model: Any) -> tuple[_Pull, ...]:
    """The joints of a tendon; none if one of them is no hinge or slide of the tree, and the tendon left out."""
    found, component = carriers(mechanism), {key: v for v, key in enumerate(mechanism.v_order)}
    drawn = [found.get(component.get((name, 0), -1)) for name in tendon.joints]
    pulls = []
    for carrier, coefficient in zip(drawn, tendon.coefficients, strict=True):
        if carrier is None:
            return ()
        joint = model.joint(carrier.joint)
        pulls.append(_Pull(int(joint.qposadr[0]), int(joint.dofadr[0]), carrier.ratio, coefficient))
    return tuple(pulls)


def _bear(bushing: Bushing, a: int, c: int, model: Any, data: Any) -> None:
    import mujoco

    wrench = bushing_wrench(bushing, _motion(model, data, a, bushing.X_LA), _motion(model, data, c, bushing.X_LC))
    for sign, body in ((-1.0, a), (1.0, c)):
        mujoco.mj_applyFT(model, data, sign * wrench.force, sign * wrench.torque, wrench.p_WQ, body, data.qfrc_passive)


def _motion(model: Any, data: Any, body: int, X_LF: Pose) -> Motion:
    """How a frame on a body moves."""
    import mujoco

    X_WF = Pose.of(data.xmat[body].reshape(3, 3), data.xpos[body]) @ X_LF
    w_v: Array = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, w_v, 0)
    w, v = w_v[:3], w_v[3:]
    return Motion(X_WF, w, v + np.cross(w, X_WF.p - data.xpos[body]))


def _damp(tendon: TendonConstraint, pulls: tuple[_Pull, ...], data: Any) -> None:
    """Add what is not the spring, which the MJCF has."""
    length = tendon.offset + sum(p.coefficient * data.qpos[p.qpos] / p.ratio for p in pulls)
    rate = sum(p.coefficient * data.qvel[p.dof] / p.ratio for p in pulls)
    spring = tendon_force(dataclasses.replace(tendon, damping=0.0), length, rate)
    for p in pulls:
        data.qfrc_passive[p.dof] += (tendon_force(tendon, length, rate) - spring) * p.coefficient / p.ratio
