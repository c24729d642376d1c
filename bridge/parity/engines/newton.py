"""Models in Newton, in single precision: the export, or the original as Newton itself reads it.

Newton expresses the velocity of a free body by that of its center of mass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Position, initial_positions, kind_of
from bridge.parity.engine import (
    DivergedError,
    Dof,
    JointParameters,
    NotReportedError,
    Settings,
    moving_links,
    without_sentinel,
)
from bridge.parity.engines.mujoco.accelerated import quiet
from bridge.parity.engines.native import OwnVelocities
from bridge.targets.mjcf.context import write
from bridge.targets.mjcf.document import build
from bridge.targets.options import MjcfExportOptions
from loaders import Search
from loaders.deferred import cached_property
from loaders.inertia import SpatialInertia
from loaders.pose import Array, Pose, quaternion_to_matrix, skew
from loaders.text import counted

_REFUSALS = (ValueError, RuntimeError, LookupError, TypeError, OSError)
"""The errors that Newton's readers raise on a file that they do not read."""
_WELDS = "Newton's URDF reader welds the root to the world"
_ADDED = (
    "Newton adds 1e-6 kg m^2 to an inertia that has a principal moment of zero or violates the "
    "triangle inequality, in single precision"
)
_CAUSES: Mapping[str, str] = {
    **dict.fromkeys(("inertia", "mass matrix", "bias forces"), _ADDED),
    "limits": "Newton takes limits of 0 to 0 for none",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joint:
    """A joint of Newton and the body of the mechanism that it moves.

    Attributes:
        body: The body of the mechanism.
        position: Index of its first position in Newton.
        velocity: Index of its first velocity in Newton.
        child: Index of the body in Newton.
    """

    body: Body
    position: int
    velocity: int
    child: int

    @property
    def is_free(self) -> bool:
        """True for a free body."""
        return kind_of(self.body) is PrimitiveKind.FREE


class _Newton(OwnVelocities):
    """A model in Newton, for L0 and L1."""

    unit_roundoff = float(np.finfo(np.float32).eps) / 2.0
    solves_constraints = False
    _computed: tuple[Array, Array] | None = None
    """Mass matrix and bias forces in the current state, once computed."""

    def __init__(self, mechanism: Mechanism, search: Search | None = None) -> None:
        super().__init__(mechanism, search)
        self._search: Search = search or {}
        self._initial: Mapping[str, Position] = {}
        with quiet():
            import newton

            self._newton: Any = newton
            try:
                builder = newton.ModelBuilder()
                self._read(builder)
                self._model: Any = builder.finalize()
                self._state: Any = self._model.state()
                self._next: Any = self._model.state()
            except _REFUSALS as error:
                self.refusal = f"Newton does not read the model: {str(error).partition(chr(10))[0]}"
                return
        names = [_last(label, self.links) for label in self._model.body_label]
        self._bodies = {self.links[name]: i for i, name in enumerate(names) if name}
        self._joints = list(self._matched())
        covered = sum(joint.body.nv for joint in self._joints)
        if covered != len(mechanism.v_order) or covered != self._model.joint_dof_count:
            self.refusal = (
                f"Newton has {counted(self._model.joint_dof_count, 'degree')} of freedom, of which "
                f"{covered} are hinges, slides and free bodies of the model, which has "
                f"{len(mechanism.v_order)}"
            )

    def _read(self, builder: Any) -> None:
        """Add the model to a builder of Newton."""
        raise NotImplementedError

    def _matched(self) -> Iterator[_Joint]:
        """Yield the joints that move one body of the mechanism alike."""
        m = self._model
        starts = (m.joint_q_start.numpy(), m.joint_qd_start.numpy())
        by_index = {i: name for name, i in self._bodies.items()}
        bodies = {body.name: body for body in self.mechanism.bodies}
        for k, child in enumerate(m.joint_child.numpy().tolist()):
            body = bodies.get(by_index.get(child, ""))
            count = int(starts[1][k + 1] - starts[1][k])
            is_known = body is not None and kind_of(body) is not PrimitiveKind.BALL
            if body is not None and is_known and count and body.nv == count and count in {1, 6}:
                q, v = int(starts[0][k]), int(starts[1][k])
                yield _Joint(body=body, position=q, velocity=v, child=child)

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        if self.refusal:
            return
        positions = self._positions_by_name(q)
        self._computed = None
        joint_q = np.array(self._model.joint_q.numpy(), dtype=np.float64)
        for joint in self._joints:
            numbers = positions[joint.body.name]
            if joint.is_free:  # Newton writes quaternions x y z w
                numbers = (*numbers[:3], *numbers[4:], numbers[3])
            joint_q[joint.position : joint.position + len(numbers)] = numbers
        m, state = self._model, self._state
        with quiet():
            state.joint_q.assign(joint_q.astype(np.float32))
            self._newton.eval_fk(m, state.joint_q, state.joint_qd, state)
            self._velocity = self.mechanism.velocities(v)
            self._B, self._rate = self._maps()
            state.joint_qd.assign((self._B @ self._velocity).astype(np.float32))
            self._newton.eval_fk(m, state.joint_q, state.joint_qd, state)

    def _maps(self) -> tuple[Array, Array]:
        """Return the matrix B, and the rate of B times the velocities."""
        size = len(self._velocity)
        B, rate = np.zeros((size, size)), np.zeros(size)
        poses, coms = self._poses(), self._model.body_com.numpy().astype(np.float64)
        for joint in self._joints:
            row, column = joint.velocity, joint.body.v_start
            B[row : row + joint.body.nv, column : column + joint.body.nv] = np.eye(joint.body.nv)
            if joint.is_free:
                r = poses[joint.child].R @ coms[joint.child]
                w = self._velocity[column + 3 : column + 6]
                B[row : row + 3, column + 3 : column + 6] = -skew(r)
                rate[row : row + 3] = np.cross(w, np.cross(w, r))
        return B, rate

    def _poses(self) -> list[Pose]:
        numbers = self._state.body_q.numpy().astype(np.float64)
        return [
            Pose.of(quaternion_to_matrix((w, x, y, z)), (px, py, pz))
            for px, py, pz, x, y, z, w in numbers.tolist()
        ]

    def link_poses(self) -> dict[str, Pose]:
        self._require_model()
        poses = self._poses()
        return {name: poses[i] for name, i in self._bodies.items()}

    def inertias(self) -> dict[str, SpatialInertia]:
        self._require_model()
        m, moving = self._model, moving_links(self.mechanism)
        mass, com, moments = (
            x.numpy().astype(np.float64) for x in (m.body_mass, m.body_com, m.body_inertia)
        )
        return {
            name: SpatialInertia.of(float(mass[i]), com[i], moments[i])
            for name, i in self._bodies.items()
            if name in moving
        }

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        self._require_model()
        m = self._model
        lower, upper, damping, friction = (
            x.numpy().astype(np.float64)
            for x in (m.joint_limit_lower, m.joint_limit_upper, m.joint_damping, m.joint_friction)
        )
        return {
            (str(joint.body.joint), 0): JointParameters(
                lower=without_sentinel(float(lower[joint.velocity])),
                upper=without_sentinel(float(upper[joint.velocity])),
                damping=float(damping[joint.velocity]),
                friction=float(friction[joint.velocity]),
            )
            for joint in self._joints
            if not joint.is_free
        }

    def _passive(self) -> tuple[Array, Array]:
        """Return mass matrix and bias forces in the coordinates of Newton."""
        if self._computed is not None:
            return self._computed
        import warp

        m, count = self._model, self._model.joint_dof_count
        articulations, largest = m.articulation_count, m.max_dofs_per_articulation
        with quiet():
            H = warp.zeros((articulations, largest, largest), dtype=float)
            coriolis, gravity = (warp.zeros(count, dtype=float) for _ in range(2))
            self._newton.eval_inverse_dynamics_passive(
                m, self._state, mass_matrix=H, coriolis_force=coriolis, gravity_force=gravity
            )
            blocks = H.numpy().astype(np.float64)
            bias = (coriolis.numpy() + gravity.numpy()).astype(np.float64)
        M, starts = np.zeros((count, count)), m.joint_qd_start.numpy()
        joints = m.articulation_start.numpy()
        for k in range(articulations):
            a, b = int(starts[joints[k]]), int(starts[joints[k + 1]])
            M[a:b, a:b] = blocks[k, : b - a, : b - a]
        self._computed = M, bias
        return self._computed

    def _own_mass_matrix(self) -> Array:
        M, _ = self._passive()
        return M

    def _own_bias_forces(self) -> Array:
        _, bias = self._passive()
        return bias

    def settings(self) -> Settings:
        """See `Engine.settings`; Newton has no time step and is not asked for effort limits."""
        self._require_model()
        self.set_state(self._initial, {})
        gravity = np.ravel(self._model.gravity.numpy())[:3].astype(np.float64)
        poses = self.link_poses()
        return Settings(gravity=gravity, time_step=None, initial_poses=poses, efforts=None)

    def couplings(self) -> dict[Any, Any]:
        """Refuse to answer where the model has couplings."""
        if self.mechanism.couplings:
            raise NotReportedError("Newton is not asked for couplings")
        return {}


class NewtonEngine(_Newton):
    """The export of a mechanism in Newton."""

    name = "newton"
    likely_causes = _CAUSES
    reads_file = False
    refusal_is_difference = False

    def __init__(self, mechanism: Mechanism) -> None:
        options = MjcfExportOptions(policy=mechanism.default_policy)
        self._text = write(build(mechanism, options).root)
        super().__init__(mechanism)
        if not self.refusal:  # Newton reads no gravity from a file
            self._model.set_gravity(tuple(float(g) for g in mechanism.gravity))
            self._initial = initial_positions(mechanism)

    def _read(self, builder: Any) -> None:
        builder.add_mjcf(self._text, parse_meshes=False, parse_visuals=False)

    def set_step(self, seconds: float) -> None:
        self._step = seconds

    def step(self, count: int) -> None:
        """See `Engine.step`; by Newton's solver on MuJoCo Warp, with explicit dampers.

        Raises:
            DivergedError: If the motion leaves the finite numbers.
        """
        self._require_model()
        self._computed = None
        with quiet():
            solver = self._solver
            for _ in range(count):
                solver.step(self._state, self._next, self._control, None, self._step)
                self._state, self._next = self._next, self._state
            position, velocity = (
                x.numpy().astype(np.float64) for x in (self._state.joint_q, self._state.joint_qd)
            )
        if not (np.isfinite(position).all() and np.isfinite(velocity).all()):
            raise DivergedError("the motion in Newton diverges")
        self._velocity = np.zeros(len(self.mechanism.v_order))
        self._B, _ = self._maps()
        self._velocity = np.linalg.solve(self._B, velocity)
        self._B, self._rate = self._maps()

    @cached_property
    def _solver(self) -> Any:
        import mujoco

        self._control: Any = self._model.control()
        solver = self._newton.solvers.SolverMuJoCo(
            self._model, integrator="euler", disable_contacts=True
        )
        solver.mjw_model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
        return solver

    def positions(self) -> dict[str, Position]:
        self._require_model()
        numbers = self._state.joint_q.numpy().astype(np.float64).tolist()
        found: dict[str, Position] = {}
        for joint in self._joints:
            values = numbers[joint.position : joint.position + (7 if joint.is_free else 1)]
            if joint.is_free:
                values = [*values[:3], values[6], *values[3:6]]
            found[str(joint.body.joint)] = tuple(values)
        return found

    def velocities(self) -> Array:
        self._require_model()
        return np.array(self._velocity)


class NewtonMjcf(_Newton):
    """Newton's reader of MJCF with default settings, without meshes."""

    name = "newton-mjcf"

    def _read(self, builder: Any) -> None:
        builder.add_mjcf(self.mechanism.scene.source, parse_meshes=False, parse_visuals=False)


class NewtonUrdf(_Newton):
    """Newton's reader of URDF with default settings."""

    name = "newton-urdf"
    likely_causes: Mapping[str, str] = dict.fromkeys(
        ("mass", "center of mass", "inertia", "mass matrix", "bias forces", "reading"), _WELDS
    )

    def _read(self, builder: Any) -> None:
        folders = [str(folder) for folder in self._search.get("paths") or ()]
        source = self.mechanism.scene.source
        builder.add_urdf(source, hide_visuals=True, package_dirs=folders or None)


def _last(label: str, known: Mapping[str, str]) -> str:
    """Return the known name at the end of a label, which is a path; empty if there is none."""
    parts = label.split("/")
    names = ("/".join(parts[k:]) for k in range(len(parts)))
    return next((name for name in names if name in known), "")
