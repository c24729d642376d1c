"""Adapters of the simulators' own loaders, which show how PyBullet and MuJoCo themselves read a file.

They read the original file with default settings. Their names are matched with or without the scope of the model.
"""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any, TextIO, cast

import numpy as np

from bridge.installed_packages import version_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from loaders import Search
from loaders.diagnostics import Diagnostic
from loaders.scene_queries.scoped_names import SEPARATOR, local_name
from loaders.spatial import Array, Pose, SpatialInertia, quaternion_to_matrix

from .collision_pairs import forward
from .dofs import moving_links
from .protocol import Dof, JointParameters, NotReportedError

REPLY_TIMEOUT = 60.0
"""Time that the worker process may take for one reply [s]."""

_PYBULLET_CAUSES = {
    "limits": "PyBullet's loader reads a joint without limits, or of a type that it does not know, as another joint",
    "couplings": "PyBullet's loader ignores mimic joints",
    "joint motion": "PyBullet does not have this type of joint, or places its frame differently",
    "link poses": "PyBullet places a body by its center of mass, and joints of types that it does not know are fixed",
}
_URDF_CAUSES = _PYBULLET_CAUSES | {
    "mass": "loadURDF gives a link without <inertial> a mass of 1 kg",
    "center of mass": "loadURDF replaces the inertial of a link that has none",
    "inertia": "loadURDF computes inertias from collision shapes unless URDF_USE_INERTIA_FROM_FILE is given",
    "mass matrix": "loadURDF computes inertias from collision shapes unless URDF_USE_INERTIA_FROM_FILE is given",
    "bias forces": "loadURDF computes inertias from collision shapes unless URDF_USE_INERTIA_FROM_FILE is given",
}
_SDF_CAUSES = _PYBULLET_CAUSES | {
    "mass": "loadSDF reads an old version of SDFormat",
    "inertia": "loadSDF computes inertias from collision shapes",
    "joint motion": "loadSDF ignores relative_to and frames, and interprets poses as in SDFormat 1.4",
    "link poses": "loadSDF ignores relative_to and frames, and interprets poses as in SDFormat 1.4",
}
_MERGES = "MuJoCo's URDF reader merges links that are connected by fixed joints"
_MUJOCO_CAUSES = {
    "mass": _MERGES + ", and welds the root to the world",
    "center of mass": _MERGES,
    "inertia": _MERGES,
    "couplings": "MuJoCo's URDF reader ignores mimic joints",
    "joint motion": _MERGES + ", and welds the root to the world",
    "link poses": _MERGES + ", and welds the root to the world",
    "mass matrix": "MuJoCo's URDF reader welds the root to the world",
    "bias forces": "MuJoCo's URDF reader uses its default gravity of 9.81 m/s^2 and welds the root to the world",
}


class _Native:
    """Base class: matches names, and raises `NotReportedError` for what these loaders are not asked for."""

    name = ""
    reads_file = True
    likely_causes: Mapping[str, str] = {}
    """The likely cause of a difference, by the name of the quantity."""
    diagnostics: tuple[Diagnostic, ...] = ()
    refusal_is_difference = True
    """A file that the loader does not read counts as a difference."""

    def __init__(self, mechanism: Mechanism, _search: Search | None = None) -> None:
        self.mechanism = mechanism
        self.version = version_of(self.name.partition("-")[0]) or "unknown"
        self.refusal = ""
        self.links = _by_short_name(body.name for body in mechanism.bodies)
        self.joints = _by_short_name(joint.name for joint in mechanism.scene.joints)

    def _require_model(self) -> None:
        if self.refusal:
            raise NotReportedError(self.refusal)

    def couplings(self) -> dict[tuple[Dof, Dof], tuple[float, float]]:
        """See `Engine.couplings`; these loaders create none."""
        self._require_model()
        return {}

    def jacobians(self) -> dict[str, Array]:
        """See `Engine.jacobians`.

        Raises:
            NotReportedError: Always.
        """
        raise NotReportedError(f"{self.name} is not asked for Jacobians")

    def inverse_dynamics(self, _accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`.

        Raises:
            NotReportedError: Always.
        """
        raise NotReportedError(f"{self.name} is not asked for inverse dynamics")

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`.

        Raises:
            NotReportedError: Always.
        """
        raise NotReportedError(f"{self.name} creates no constraints")

    def velocities(self) -> Array:
        """See `Engine.velocities`.

        Raises:
            NotReportedError: Always.
        """
        raise NotReportedError(f"{self.name} is not asked for velocities")

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`.

        Raises:
            NotReportedError: Always.
        """
        raise NotReportedError(f"{self.name} is not asked for collidable pairs")

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`; these loaders do not take part in motion."""

    def step(self, count: int) -> None:
        """See `Engine.step`; these loaders do not take part in motion."""

    def close(self) -> None:
        """See `Engine.close`."""

    def _in_v_order(self, dofs: Mapping[str, int], M: Array) -> Array:
        """A vector or matrix in the mechanism's ``v_order``, with NaN for joints that the loader does not have."""
        indices = [dofs.get(name, -1) if component == 0 else -1 for name, component in self.mechanism.v_order]
        ordered = np.full((len(indices),) * M.ndim, math.nan)
        known = [k for k, index in enumerate(indices) if index >= 0]
        sources = [indices[k] for k in known]
        ordered[np.ix_(*[known] * M.ndim)] = M[np.ix_(*[sources] * M.ndim)]
        return ordered


def _by_short_name(names: Iterator[str]) -> dict[str, str]:
    """Scoped names by scoped name and by the last part of it."""
    by_short_name: dict[str, str] = {}
    for name in names:
        by_short_name.setdefault(name, name)
        by_short_name.setdefault(local_name(name), name)
    return by_short_name


def _scalars(values: Mapping[str, Position]) -> dict[str, float]:
    """The coordinates of joints with one coordinate, by unscoped name."""
    sized = {name: np.atleast_1d(np.asarray(value, dtype=np.float64)) for name, value in values.items()}
    return {local_name(name): float(x[0]) for name, x in sized.items() if len(x) == 1}


def _bases(q: Mapping[str, Position]) -> dict[str, list[float]]:
    """The poses of floating links, by unscoped name."""
    sized = {name: np.atleast_1d(np.asarray(value, dtype=np.float64)) for name, value in q.items()}
    return {local_name(name): x.tolist() for name, x in sized.items() if len(x) == 7}


# --- PyBullet --------------------------------------------------------------------------------------------------------


class _PyBulletNative(_Native):
    """A loader of PyBullet in a worker process."""

    loader = ""

    def __init__(self, mechanism: Mechanism, _search: Search | None = None) -> None:
        super().__init__(mechanism)
        command = [sys.executable, "-m", "bridge.parity.engines.native_worker", self.loader, mechanism.scene.source]
        self._worker = subprocess.Popen(  # noqa: S603 - a module of this package, run by this Python
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        reply = self._reply()
        self._bodies: list[dict[str, Any]] = [] if reply is None else reply.get("bodies", [])
        if reply is None:
            self.refusal = f"{self.loader} {self._exit_reason()} the file"
        elif not self._bodies:
            self.refusal = f"{self.loader} does not read the file: {reply.get('error', 'it returned no model')}"
        self._state: list[dict[str, Any]] = []

    def _reply(self) -> Any:
        """The next reply; None if the worker crashed, or was killed because it took too long."""
        replies = cast(TextIO, self._worker.stdout)
        timer = threading.Timer(REPLY_TIMEOUT, self._worker.kill)
        timer.start()
        try:
            line = replies.readline()
        finally:
            timer.cancel()
        return json.loads(line) if line else None

    def _exit_reason(self) -> str:
        """The end of the worker in words, to be continued by what it was working on."""
        killed = self._worker.wait() == -signal.SIGKILL
        return f"took more than {REPLY_TIMEOUT:g} s for" if killed else "crashed on"

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        if self.refusal:
            return
        gravity = self.mechanism.gravity.tolist()
        request = {"q": _scalars(q), "v": _scalars(v), "bases": _bases(q), "gravity": gravity}
        requests = cast(TextIO, self._worker.stdin)
        try:
            requests.write(json.dumps(request) + "\n")
            requests.flush()
            self._state = self._reply() or []
        except BrokenPipeError:
            self._state = []
        if not self._state:
            self.refusal = f"PyBullet {self._exit_reason()} a request for the state of what {self.loader} loaded"

    def _each(self) -> Iterator[tuple[str, dict[str, Any], Any]]:
        """Yield the scoped name of each link, its description, and the pose of its center of mass."""
        self._require_model()
        for body, state in zip(self._bodies, self._state, strict=True):
            for link, pose in zip(body["links"], state["poses"], strict=True):
                name = self.links.get(f"{body['model']}{SEPARATOR}{link['name']}", self.links.get(link["name"]))
                if name is not None:
                    yield name, link, pose

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`; computed from the centers of mass, which PyBullet reports in double precision."""
        return {name: _pose(*pose) @ _center(link).inverse() for name, link, pose in self._each()}

    def inertias(self) -> dict[str, SpatialInertia]:
        """See `Engine.inertias`."""
        moving = moving_links(self.mechanism)
        return {
            name: SpatialInertia.in_frame(link["mass"], _center(link), np.diag(link["moments"]))
            for name, link, _ in self._each()
            if name in moving
        }

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """See `Engine.joint_parameters`."""
        self._require_model()
        return {
            (self.joints[joint["name"]], 0): _parameters(joint)
            for body in self._bodies
            for joint in body["joints"]
            if joint["name"] in self.joints
        }

    def _dynamics(self, name: str) -> Array:
        self._require_model()
        if len(self._bodies) != 1 or name not in self._state[0]:
            raise NotReportedError(f"{self.name} is asked for dynamics only of a single body with a fixed base")
        names = [self.joints.get(joint["name"], "") for joint in self._bodies[0]["joints"]]
        dofs = {joint: index for index, joint in enumerate(names)}
        return self._in_v_order(dofs, np.array(self._state[0][name]))

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`; only for a body with a fixed base."""
        return self._dynamics("M")

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`; only for a body with a fixed base."""
        return self._dynamics("bias")

    def close(self) -> None:
        """See `Engine.close`."""
        self._worker.kill()
        self._worker.communicate()


class PyBulletUrdf(_PyBulletNative):
    """``loadURDF`` with default flags."""

    name = "pybullet-urdf"
    loader = "loadURDF"
    likely_causes = _URDF_CAUSES


class PyBulletSdf(_PyBulletNative):
    """``loadSDF`` with default settings."""

    name = "pybullet-sdf"
    loader = "loadSDF"
    likely_causes = _SDF_CAUSES


def _pose(p: list[float], xyzw: list[float]) -> Pose:
    x, y, z, w = xyzw
    return Pose.of(quaternion_to_matrix((w, x, y, z)), p)


def _center(link: Mapping[str, Any]) -> Pose:
    return _pose(link["p"], link["xyzw"])


def _parameters(joint: Mapping[str, float]) -> JointParameters:
    limited = joint["lower"] <= joint["upper"]
    lower, upper = (joint["lower"], joint["upper"]) if limited else (-math.inf, math.inf)
    return JointParameters(lower=lower, upper=upper, damping=joint["damping"], friction=None)


# --- MuJoCo ----------------------------------------------------------------------------------------------------------


class MujocoUrdf(_Native):
    """MuJoCo's URDF reader with default settings."""

    name = "mujoco-urdf"
    likely_causes = _MUJOCO_CAUSES

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
            (_scalars(q), data.qpos, m.jnt_qposadr),
            (_scalars(v), data.qvel, m.jnt_dofadr),
        ):
            for j in range(m.njnt):
                target[address[j]] = values.get(m.joint(j).name, target[address[j]])
        forward(self._mujoco, self.model, self._data)

    def _bodies(self) -> Iterator[tuple[str, int]]:
        self._require_model()
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
        self._require_model()
        names = [(self.model.joint(j).name, j) for j in range(self.model.njnt)]
        return {self.joints[name]: j for name, j in names if name in self.joints}

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """See `Engine.joint_parameters`."""
        m, parameters = self.model, {}
        for name, j in self._joints().items():
            lower, upper = m.jnt_range[j].tolist() if m.jnt_limited[j] else (-math.inf, math.inf)
            dof = int(m.jnt_dofadr[j])
            damping, friction = float(np.ravel(m.dof_damping[dof])[0]), float(m.dof_frictionloss[dof])
            parameters[name, 0] = JointParameters(lower=lower, upper=upper, damping=damping, friction=friction)
        return parameters

    def _dofs(self) -> dict[str, int]:
        return {name: int(self.model.jnt_dofadr[j]) for name, j in self._joints().items()}

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        dofs, columns = self._dofs(), []
        for unit in np.eye(self.model.nv):
            column = np.zeros(self.model.nv)
            self._mujoco.mj_mulM(self.model, self._data, column, unit)
            columns.append(column)
        return self._in_v_order(dofs, np.array(columns).reshape(self.model.nv, self.model.nv))

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        return self._in_v_order(self._dofs(), np.array(self._data.qfrc_bias))
