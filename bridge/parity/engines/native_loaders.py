"""The simulators' own readers as engines, so that a user sees what those make of a file: PyBullet's and MuJoCo's.

They read the original file with default settings. Names are theirs, found again with or without the model's scope.
"""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any, TextIO, cast

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from loaders import Search
from loaders.diagnostics import Diagnostic
from loaders.scene_queries.scoped_names import SEPARATOR, local_name
from loaders.spatial import Array, Pose, SpatialInertia, quaternion_to_matrix

from .dofs import moving_links
from .protocol import Freedom, JointParameters, NotReportedError

PATIENCE = 60.0
"""How long a child may take over one answer [s]."""

_OF_BULLET = {
    "limits": "a joint without limits, or one that it does not know, is another there",
    "couplings": "PyBullet's loader ignores mimic joints",
    "joint motion": "PyBullet has no such joint, or puts its frame elsewhere",
    "link poses": "PyBullet places a body by its centre of mass, and joints that it does not know are fixed",
}
_OF_URDF = _OF_BULLET | {
    "mass": "a link without inertial weighs 1 kg in loadURDF",
    "centre of mass": "loadURDF reads no inertial of a link that has none",
    "inertia": "loadURDF computes inertias from collision shapes unless URDF_USE_INERTIA_FROM_FILE is given",
    "mass matrix": "loadURDF computes inertias from collision shapes unless URDF_USE_INERTIA_FROM_FILE is given",
    "bias forces": "loadURDF computes inertias from collision shapes unless URDF_USE_INERTIA_FROM_FILE is given",
}
_OF_SDF = _OF_BULLET | {
    "mass": "loadSDF reads the first models of an old version of SDFormat",
    "inertia": "loadSDF computes inertias from collision shapes",
    "joint motion": "loadSDF knows no relative_to and no frames, and takes poses as those of SDFormat 1.4",
    "link poses": "loadSDF knows no relative_to and no frames, and takes poses as those of SDFormat 1.4",
}
_OF_MUJOCO = {
    "mass": "MuJoCo's URDF reader makes links of fixed joints one, and welds the root to the world",
    "centre of mass": "MuJoCo's URDF reader makes links of fixed joints one",
    "inertia": "MuJoCo's URDF reader makes links of fixed joints one",
    "couplings": "MuJoCo's URDF reader ignores mimic joints",
    "joint motion": "MuJoCo's URDF reader makes links of fixed joints one, and welds the root to the world",
    "link poses": "MuJoCo's URDF reader makes links of fixed joints one, and welds the root to the world",
    "mass matrix": "MuJoCo's URDF reader welds the root to the world",
    "bias forces": "gravity is MuJoCo's own, 9.81 m/s^2, and the root is welded to the world",
}


class _Native:
    """What all have in common: a file, names, and silence about what such a reader does not tell."""

    name = ""
    reads_file = True
    suspects: Mapping[str, str] = {}
    """The likely cause of a difference, by quantity."""
    diagnostics: tuple[Diagnostic, ...] = ()
    blamed = True
    """A file that it does not read is its fault."""

    def __init__(self, mechanism: Mechanism, _search: Search | None = None) -> None:
        self.mechanism = mechanism
        self.version = metadata.version(self.name.partition("-")[0])
        self.refusal = ""
        self.links = _by_short_name(body.name for body in mechanism.bodies)
        self.joints = _by_short_name(joint.name for joint in mechanism.scene.joints)

    def _answers(self) -> None:
        if self.refusal:
            raise NotReportedError(self.refusal)

    def couplings(self) -> dict[tuple[Freedom, Freedom], tuple[float, float]]:
        """See `Engine.couplings`: these readers make none."""
        self._answers()
        return {}

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`."""
        raise NotReportedError(f"{self.name} is not asked for Jacobians")

    def inverse_dynamics(self, _accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`."""
        raise NotReportedError(f"{self.name} is not asked for inverse dynamics")

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`."""
        raise NotReportedError(f"{self.name} makes no constraints")

    def velocities(self) -> Array:
        """See `Engine.velocities`."""
        raise NotReportedError(f"{self.name} is not asked for velocities")

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`."""
        raise NotReportedError(f"{self.name} is not asked for pairs")

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`; this one does not move."""

    def step(self, count: int) -> None:
        """See `Engine.step`; this one does not move."""

    def close(self) -> None:
        """See `Engine.close`."""

    def _in_order(self, held: Mapping[str, int], M: Array) -> Array:
        """Rows and columns by our order of velocities; what is not held is no number."""
        numbers = [held.get(name, -1) if component == 0 else -1 for name, component in self.mechanism.v_order]
        found = np.full((len(numbers),) * M.ndim, math.nan)
        known = [k for k, number in enumerate(numbers) if number >= 0]
        picked = [numbers[k] for k in known]
        found[np.ix_(*[known] * M.ndim)] = M[np.ix_(*[picked] * M.ndim)]
        return found


def _by_short_name(names: Iterator[str]) -> dict[str, str]:
    """Our names by what they are called in their model; the full name counts too."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name, name)
        found.setdefault(local_name(name), name)
    return found


def _numbers(values: Mapping[str, Position]) -> dict[str, float]:
    """Of joints with one number."""
    sized = {name: np.atleast_1d(np.asarray(value, dtype=np.float64)) for name, value in values.items()}
    return {local_name(name): float(x[0]) for name, x in sized.items() if len(x) == 1}


def _bases(q: Mapping[str, Position]) -> dict[str, list[float]]:
    """Of links that float."""
    sized = {name: np.atleast_1d(np.asarray(value, dtype=np.float64)) for name, value in q.items()}
    return {local_name(name): x.tolist() for name, x in sized.items() if len(x) == 7}


# --- PyBullet --------------------------------------------------------------------------------------------------------


class _PyBulletNative(_Native):
    """A loader of PyBullet's, in a child process."""

    loader = ""

    def __init__(self, mechanism: Mechanism, _search: Search | None = None) -> None:
        super().__init__(mechanism)
        command = [sys.executable, "-m", "bridge.parity.engines.native_worker", self.loader, mechanism.scene.source]
        self._child = subprocess.Popen(  # noqa: S603 - our own module, by this Python
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        answer = self._reply()
        self._bodies: list[dict[str, Any]] = [] if answer is None else answer.get("bodies", [])
        if answer is None:
            self.refusal = f"{self.loader} {self._end()} the file"
        elif not self._bodies:
            self.refusal = f"{self.loader} does not read the file: {answer.get('error', 'it found no model')}"
        self._state: list[dict[str, Any]] = []

    def _reply(self) -> Any:
        """The next answer; None if the child has died, or is ended because it took too long."""
        answers = cast(TextIO, self._child.stdout)
        patience = threading.Timer(PATIENCE, self._child.kill)
        patience.start()
        try:
            line = answers.readline()
        finally:
            patience.cancel()
        return json.loads(line) if line else None

    def _end(self) -> str:
        """How a child that answers no more ended."""
        slow = self._child.wait() == -signal.SIGKILL
        return f"took more than {PATIENCE:g} s over" if slow else "crashed on"

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        if self.refusal:
            return
        gravity = self.mechanism.scene.gravity.tolist()
        asked = {"q": _numbers(q), "v": _numbers(v), "bases": _bases(q), "gravity": gravity}
        questions = cast(TextIO, self._child.stdin)
        try:
            questions.write(json.dumps(asked) + "\n")
            questions.flush()
            self._state = self._reply() or []
        except BrokenPipeError:
            self._state = []
        if not self._state:
            self.refusal = f"PyBullet {self._end()} the question for the state of what {self.loader} loaded"

    def _each(self) -> Iterator[tuple[str, dict[str, Any], Any]]:
        """Our name, what was told of the link, and the pose of its centre of mass."""
        self._answers()
        for body, state in zip(self._bodies, self._state, strict=True):
            for link, pose in zip(body["links"], state["poses"], strict=True):
                name = self.links.get(f"{body['model']}{SEPARATOR}{link['name']}", self.links.get(link["name"]))
                if name is not None:
                    yield name, link, pose

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`; by the centres of mass, which PyBullet has in double precision."""
        return {name: _pose(*pose) @ _centre(link).inverse() for name, link, pose in self._each()}

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`."""
        moving = moving_links(self.mechanism)
        return {
            name: SpatialInertia.in_frame(link["mass"], _centre(link), np.diag(link["moments"]))
            for name, link, _ in self._each()
            if name in moving
        }

    def joint_parameters(self) -> dict[Freedom, JointParameters]:
        """See `Engine.joint_parameters`."""
        self._answers()
        return {
            (self.joints[joint["name"]], 0): _parameters(joint)
            for body in self._bodies
            for joint in body["joints"]
            if joint["name"] in self.joints
        }

    def _dynamics(self, name: str) -> Array:
        self._answers()
        if len(self._bodies) != 1 or name not in self._state[0]:
            raise NotReportedError(f"{self.name} is asked for that of one body that stands still")
        names = [self.joints.get(joint["name"], "") for joint in self._bodies[0]["joints"]]
        held = {joint: number for number, joint in enumerate(names)}
        return self._in_order(held, np.array(self._state[0][name]))

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`; of a body that stands still."""
        return self._dynamics("M")

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`; of a body that stands still."""
        return self._dynamics("bias")

    def close(self) -> None:
        """See `Engine.close`."""
        self._child.kill()
        self._child.communicate()


class PyBulletUrdf(_PyBulletNative):
    """``loadURDF`` with default flags."""

    name = "pybullet-urdf"
    loader = "loadURDF"
    suspects = _OF_URDF


class PyBulletSdf(_PyBulletNative):
    """``loadSDF`` with default settings."""

    name = "pybullet-sdf"
    loader = "loadSDF"
    suspects = _OF_SDF


def _pose(p: list[float], xyzw: list[float]) -> Pose:
    x, y, z, w = xyzw
    return Pose.of(quaternion_to_matrix((w, x, y, z)), p)


def _centre(link: Mapping[str, Any]) -> Pose:
    return _pose(link["p"], link["xyzw"])


def _parameters(joint: Mapping[str, float]) -> JointParameters:
    limited = joint["lower"] <= joint["upper"]
    lower, upper = (joint["lower"], joint["upper"]) if limited else (-math.inf, math.inf)
    return JointParameters(lower=lower, upper=upper, damping=joint["damping"], friction=None)


# --- MuJoCo ----------------------------------------------------------------------------------------------------------


class MujocoUrdf(_Native):
    """MuJoCo's own reader of URDF."""

    name = "mujoco-urdf"
    suspects = _OF_MUJOCO

    def __init__(self, mechanism: Mechanism, _search: Search | None = None) -> None:
        import mujoco

        super().__init__(mechanism)
        self._mujoco: Any = mujoco
        try:
            self.model: Any = mujoco.MjModel.from_xml_path(mechanism.scene.source)
            self._data: Any = mujoco.MjData(self.model)
        except ValueError as error:
            self.refusal = f"MuJoCo does not read the file: {str(error).partition(chr(10))[0]}"

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        if self.refusal:
            return
        self._mujoco.mj_resetData(self.model, self._data)
        m, data = self.model, self._data
        for values, target, address in (
            (_numbers(q), data.qpos, m.jnt_qposadr),
            (_numbers(v), data.qvel, m.jnt_dofadr),
        ):
            for j in range(m.njnt):
                target[address[j]] = values.get(m.joint(j).name, target[address[j]])
        self._mujoco.mj_forward(self.model, self._data)

    def _bodies(self) -> Iterator[tuple[str, int]]:
        self._answers()
        for i in range(1, self.model.nbody):
            if self.model.body(i).name in self.links:
                yield self.links[self.model.body(i).name], i

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`."""
        return {name: Pose.of(self._data.xmat[i].reshape(3, 3), self._data.xpos[i]) for name, i in self._bodies()}

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`."""
        bodies, moving = list(self._bodies()), moving_links(self.mechanism)
        m = self.model
        return {
            name: SpatialInertia.in_frame(
                float(m.body_mass[i]),
                Pose.of(quaternion_to_matrix(m.body_iquat[i]), m.body_ipos[i]),
                np.diag(m.body_inertia[i]),
            )
            for name, i in bodies
            if name in moving
        }

    def _joints(self) -> dict[str, int]:
        self._answers()
        names = [(self.model.joint(j).name, j) for j in range(self.model.njnt)]
        return {self.joints[name]: j for name, j in names if name in self.joints}

    def joint_parameters(self) -> dict[Freedom, JointParameters]:
        """See `Engine.joint_parameters`."""
        m, found = self.model, {}
        for name, j in self._joints().items():
            lower, upper = m.jnt_range[j].tolist() if m.jnt_limited[j] else (-math.inf, math.inf)
            dof = int(m.jnt_dofadr[j])
            damping, friction = float(np.ravel(m.dof_damping[dof])[0]), float(m.dof_frictionloss[dof])
            found[name, 0] = JointParameters(lower=lower, upper=upper, damping=damping, friction=friction)
        return found

    def _dofs(self) -> dict[str, int]:
        return {name: int(self.model.jnt_dofadr[j]) for name, j in self._joints().items()}

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        dofs, columns = self._dofs(), []
        for unit in np.eye(self.model.nv):
            column = np.zeros(self.model.nv)
            self._mujoco.mj_mulM(self.model, self._data, column, unit)
            columns.append(column)
        return self._in_order(dofs, np.array(columns).reshape(self.model.nv, self.model.nv))

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        return self._in_order(self._dofs(), np.array(self._data.qfrc_bias))
