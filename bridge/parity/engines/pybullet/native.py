"""Adapters of the simulators' own loaders, which show how PyBullet and MuJoCo themselves read a
file.
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

from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engine import Dof, JointParameters, NotReportedError, moving_links
from bridge.parity.engines.native import NativeEngine, scalar_joints
from bridge.targets.pybullet.state import pose_from
from loaders import Search
from loaders.inertia import SpatialInertia
from loaders.pose import Array, Pose
from loaders.scoped_names import SEPARATOR, local_name

REPLY_TIMEOUT = 60.0
"""Time that the worker process may take for one reply [s]."""

_PYBULLET_CAUSES = {
    "limits": (
        "PyBullet's loader reads a joint without limits, or of a type that it does not "
        "know, as another joint"
    ),
    "couplings": "PyBullet's loader ignores mimic joints",
    "joint motion": "PyBullet does not have this type of joint, or places its frame differently",
    "link poses": (
        "PyBullet places a body by its center of mass, and joints of types that it does "
        "not know are fixed"
    ),
}
_URDF_CAUSES = _PYBULLET_CAUSES | {
    "mass": "loadURDF gives a link without <inertial> a mass of 1 kg",
    "center of mass": "loadURDF replaces the inertial of a link that has none",
    "inertia": (
        "loadURDF computes inertias from collision shapes unless "
        "URDF_USE_INERTIA_FROM_FILE is given"
    ),
    "mass matrix": (
        "loadURDF computes inertias from collision shapes unless "
        "URDF_USE_INERTIA_FROM_FILE is given"
    ),
    "bias forces": (
        "loadURDF computes inertias from collision shapes unless "
        "URDF_USE_INERTIA_FROM_FILE is given"
    ),
}
_SDF_CAUSES = _PYBULLET_CAUSES | {
    "mass": "loadSDF reads an old version of SDFormat",
    "inertia": "loadSDF computes inertias from collision shapes",
    "joint motion": (
        "loadSDF ignores relative_to and frames, and interprets poses as in SDFormat 1.4"
    ),
    "link poses": "loadSDF ignores relative_to and frames, and interprets poses as in SDFormat 1.4",
}


def _bases(q: Mapping[str, Position]) -> dict[str, list[float]]:
    """Return the poses of floating links, by unscoped name."""
    sized = {name: np.atleast_1d(np.asarray(value, dtype=np.float64)) for name, value in q.items()}
    return {local_name(name): x.tolist() for name, x in sized.items() if len(x) == 7}


# --- PyBullet -------------------------------------------------------------------------------------


class _PyBulletNative(NativeEngine):
    """A loader of PyBullet in a worker process."""

    loader = ""

    def __init__(self, mechanism: Mechanism, _search: Search | None = None) -> None:
        super().__init__(mechanism)
        command = [
            sys.executable,
            "-m",
            "bridge.parity.engines.pybullet.native_worker",
            self.loader,
            mechanism.scene.source,
        ]
        self._worker = subprocess.Popen(  # noqa: S603 - a module of this package, run by this Python
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        reply = self._reply()
        self._bodies: list[dict[str, Any]] = [] if reply is None else reply.get("bodies", [])
        if reply is None:
            self.refusal = f"{self.loader} {self._exit_reason()} the file"
        elif not self._bodies:
            self.refusal = (
                f"{self.loader} does not read the file: "
                f"{reply.get('error', 'it returned no model')}"
            )
        self._state: list[dict[str, Any]] = []

    def _reply(self) -> Any:
        """Return the next reply; None if the worker crashed, or was killed because it took too
        long.
        """
        replies = cast(TextIO, self._worker.stdout)
        timer = threading.Timer(REPLY_TIMEOUT, self._worker.kill)
        timer.start()
        try:
            line = replies.readline()
        finally:
            timer.cancel()
        return json.loads(line) if line else None

    def _exit_reason(self) -> str:
        """Return the end of the worker in words, to be continued by what it was working on."""
        killed = self._worker.wait() == -signal.SIGKILL
        return f"took more than {REPLY_TIMEOUT:g} s for" if killed else "crashed on"

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        if self.refusal:
            return
        gravity = self.mechanism.gravity.tolist()
        request = {
            "q": scalar_joints(q),
            "v": scalar_joints(v),
            "bases": _bases(q),
            "gravity": gravity,
        }
        requests = cast(TextIO, self._worker.stdin)
        try:
            requests.write(json.dumps(request) + "\n")
            requests.flush()
            self._state = self._reply() or []
        except BrokenPipeError:
            self._state = []
        if not self._state:
            self.refusal = (
                f"PyBullet {self._exit_reason()} a request for the state of what "
                f"{self.loader} loaded"
            )

    def _each(self) -> Iterator[tuple[str, dict[str, Any], Any]]:
        """Yield the scoped name of each link, its description, and the pose of its center of
        mass.
        """
        self._require_model()
        for body, state in zip(self._bodies, self._state, strict=True):
            for link, pose in zip(body["links"], state["poses"], strict=True):
                name = self.links.get(
                    f"{body['model']}{SEPARATOR}{link['name']}", self.links.get(link["name"])
                )
                if name is not None:
                    yield name, link, pose

    def link_poses(self) -> dict[str, Pose]:
        """See `Engine.link_poses`; computed from the centers of mass, which PyBullet reports in
        double precision.
        """
        return {
            name: pose_from(*pose) @ _center(link).inverse() for name, link, pose in self._each()
        }

    def inertias(self) -> dict[str, SpatialInertia]:
        moving = moving_links(self.mechanism)
        return {
            name: SpatialInertia.in_frame(link["mass"], _center(link), np.diag(link["moments"]))
            for name, link, _ in self._each()
            if name in moving
        }

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        self._require_model()
        joints = [joint for body in self._bodies for joint in body["joints"]]
        known = [joint for joint in joints if joint["name"] in self.joints]
        return {(self.joints[joint["name"]], 0): _parameters(joint) for joint in known}

    def _dynamics(self, name: str) -> Array:
        self._require_model()
        if len(self._bodies) != 1 or name not in self._state[0]:
            raise NotReportedError(
                f"{self.name} is asked for dynamics only of a single body with a fixed base"
            )
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


def _center(link: Mapping[str, Any]) -> Pose:
    return pose_from(link["p"], link["xyzw"])


def _parameters(joint: Mapping[str, float]) -> JointParameters:
    limited = joint["lower"] <= joint["upper"]
    lower, upper = (joint["lower"], joint["upper"]) if limited else (-math.inf, math.inf)
    return JointParameters(lower=lower, upper=upper, damping=joint["damping"], friction=None)
