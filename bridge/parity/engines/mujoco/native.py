"""MJCF and URDF as MuJoCo itself reads them.

The mechanism provides only names; every number is that of the compiled original. MuJoCo gets the
text and the contents of files, under the limits of a load, never a path.

MuJoCo gets the same text and contents of files as when the model is read, under the same limits;
never a path. What is read of the compiled model does not take part.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Coordinates, Position, kind_of
from bridge.parity.engine import (
    ActuatorTrial,
    BaseEngine,
    Dof,
    JointParameters,
    NotReportedError,
    Statements,
    Surfaces,
    add_violation,
    frame_distance,
    moving_links,
    scalar_dofs,
)
from bridge.parity.engines.native import NativeEngine, scalar_joints
from loaders.diagnostics import LoadError, Where, limited
from loaders.engine_settings import FRICTIONLESS, MUJOCO
from loaders.formats import PathLike, Search, context_of, diagnostics_of
from loaders.inertia import SpatialInertia
from loaders.mjcf.compiled_model import Source
from loaders.mjcf.constraint import shifted
from loaders.mjcf.geom import file_of_mesh
from loaders.mjcf.reader import compile_document
from loaders.model import CouplingLaw, settings_of
from loaders.pose import Array, Pose, quaternion_to_matrix
from loaders.xml import model_in, parse, read_bytes

from .compiled_model import (
    NAMED,
    MismatchError,
    original_indices,
    original_names,
)
from .engine import MujocoEngine
from .shapes import Roles, acting_model, forward, geoms_in_tendons, idle_actuators

_MERGES = "MuJoCo's URDF reader merges links that are connected by fixed joints"
_MUJOCO_CAUSES = {
    "mass": _MERGES + ", and welds the root to the world",
    "center of mass": _MERGES,
    "inertia": _MERGES,
    "couplings": "MuJoCo's URDF reader ignores mimic joints",
    "joint motion": _MERGES + ", and welds the root to the world",
    "link poses": _MERGES + ", and welds the root to the world",
    "mass matrix": "MuJoCo's URDF reader welds the root to the world",
    "bias forces": (
        "MuJoCo's URDF reader uses its default gravity of 9.81 m/s^2 and welds the "
        "root to the world"
    ),
}


# --- MuJoCo ---------------------------------------------------------------------------------------


class MujocoUrdf(NativeEngine):
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
        if self.refusal:
            return
        self._mujoco.mj_resetData(self.model, self._data)
        m, data = self.model, self._data
        for values, target, address in (
            (scalar_joints(q), data.qpos, m.jnt_qposadr),
            (scalar_joints(v), data.qvel, m.jnt_dofadr),
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
        return {
            name: Pose.of(self._data.xmat[i].reshape(3, 3), self._data.xpos[i])
            for name, i in self._bodies()
        }

    def inertias(self) -> dict[str, SpatialInertia]:
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
        m, parameters = self.model, {}
        for name, j in self._joints().items():
            lower, upper = m.jnt_range[j].tolist() if m.jnt_limited[j] else (-math.inf, math.inf)
            dof = int(m.jnt_dofadr[j])
            damping, friction = (
                float(np.ravel(m.dof_damping[dof])[0]),
                float(m.dof_frictionloss[dof]),
            )
            parameters[name, 0] = JointParameters(
                lower=lower, upper=upper, damping=damping, friction=friction
            )
        return parameters

    def _dofs(self) -> dict[str, int]:
        return {name: int(self.model.jnt_dofadr[j]) for name, j in self._joints().items()}

    def mass_matrix(self) -> Array:
        dofs, columns = self._dofs(), []
        for unit in np.eye(self.model.nv):
            column = np.zeros(self.model.nv)
            self._mujoco.mj_mulM(self.model, self._data, column, unit)
            columns.append(column)
        return self._in_v_order(dofs, np.array(columns).reshape(self.model.nv, self.model.nv))

    def bias_forces(self) -> Array:
        return self._in_v_order(self._dofs(), np.array(self._data.qfrc_bias))


@contextmanager
def compile_original(source: PathLike, **search: Unpack[Search]) -> Iterator[Source]:
    """Compile an MJCF file, and yield the compiled model with the names of its elements.

    Args:
        source: The file.
        search: The options in `Search`.

    Raises:
        LoadError: if the file cannot be read, or MuJoCo refuses it.
        ValueError: if the file is not MJCF.
    """
    diagnostics = diagnostics_of(search, lenient=False)
    path = Path(model_in(str(source), Where(str(source)), diagnostics) or source)
    context = context_of(search, False, path, diagnostics).inside(path.resolve())
    root, compiled = None, None
    with limited(diagnostics, str(path)):
        data = read_bytes(path, diagnostics)
        root = None if data is None else parse(data, str(path), diagnostics)
        if root is not None and root.tag != "mujoco":
            raise ValueError(f"{path.name} is not MJCF")
        compiled = None if root is None else compile_document(root, context, whole=True)
    diagnostics.raise_for(LoadError, strict=False)
    if root is None or compiled is None:  # the readers return nothing only after reporting why
        raise LoadError(tuple(diagnostics))
    yield compiled


_CONNECT, _WELD, _JOINT = range(3)
"""MuJoCo's types of equality constraints."""
_IDENTITY = (1.0, 0.0, 0.0, 0.0)
_SHOWN_GROUPS = 3
_HFIELD, _MESH = 1, 7
"""MuJoCo's types of geoms with a file."""
_SITE = 6
"""MuJoCo's number of the kind of a site."""


class MujocoNative(MujocoEngine):
    """The original MJCF file of a mechanism in MuJoCo, for L0 and L1.

    Attributes:
        refusal: Why the original cannot be compared; empty if it can.
        refusal_is_difference: Whether the refusal is a difference.
    """

    name = "mujoco-native"
    target = ""
    reads_file = True

    def __init__(self, mechanism: Mechanism, search: Search | None = None) -> None:
        """Compile the file of a mechanism.

        Args:
            mechanism: The mechanism.
            search: The options of the load.
        """
        import mujoco

        BaseEngine.__init__(self, mechanism)
        self._mujoco = mujoco
        self.version = str(mujoco.__version__)
        self._data = self.model = None
        self._positions, self.warnings = [], []
        try:
            with compile_original(mechanism.scene.source, **(search or {})) as source:
                self.model, self._names = source.compiled.model, source.names("body")
                joints, self._names_by_kind = (
                    source.names("joint"),
                    {kind: source.names(kind) for kind in NAMED},
                )
                self._pictures = frozenset(
                    name
                    for name in source.names("texture")
                    if name is not None and getattr(source.assets.textures.get(name), "path", True)
                )
                self._missing = _missing_geoms(source)
                meshes = range(len(source.compiled.meshes))
                self._inline = frozenset(i for i in meshes if file_of_mesh(i, source) is None)
                self._has_moved_meshes = any(
                    any(mesh.refpos) or mesh.refquat != _IDENTITY for mesh in source.compiled.meshes
                )
        except (LoadError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            self.refusal = (
                f"MuJoCo does not take part: the original is no MJCF file that can be "
                f"read: {reason}"
            )
            return
        self._data, self._options = mujoco.MjData(self.model), {}
        try:
            self._indices = original_indices(mechanism, self.model, self._names, joints)
        except MismatchError as error:
            self.refusal = f"MuJoCo compiles another mechanism: {error}"
            self.refusal_is_difference = True

    def sensor_readings(self) -> dict[str, Array]:
        """See `Engine.sensor_readings`; MuJoCo's own reader knows no sensors of other formats."""
        return dict(BaseEngine.sensor_readings(self))

    def sensor_forces(self) -> dict[str, Array]:
        return dict(BaseEngine.sensor_forces(self))

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        if not self.refusal:
            super().set_state(q, v)

    def _qpos(self, q: Mapping[str, Position]) -> Array:
        """Return the positions in the coordinates of the original, in which those of the model are
        stated.
        """
        positions = np.array(self.model.qpos0)
        by_body = self.mechanism.positions_by_body(q)
        for indices, numbers in zip(self._indices, by_body, strict=True):
            for joint in indices.joints:
                start = int(self.model.jnt_qposadr[joint])
                positions[start : start + len(numbers)] = numbers
        return positions

    @staticmethod
    def _ball_map(_body: Body, position: Coordinates) -> Array:
        rotation: Array = quaternion_to_matrix(position).T
        return rotation

    def positions(self) -> dict[str, Position]:
        starts = {
            str(body.joint): (int(self.model.jnt_qposadr[indices.joints[0]]), _size(body))
            for body, indices in zip(self.mechanism.bodies, self._indices, strict=True)
            if indices.joints
        }
        return {
            joint: tuple(self._data.qpos[a : a + n].tolist()) for joint, (a, n) in starts.items()
        }

    def _locked(self) -> dict[int, float]:
        """Return nothing: the scene holds equalities of one joint as elements of MuJoCo, not as
        limits.
        """
        return {}

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        """See `Engine.couplings`; MuJoCo counts both positions from the pose in which the document
        draws the bodies.
        """
        dofs = {self._joint(scalar): dof for dof, scalar in scalar_dofs(self.mechanism).items()}
        found = {}
        for k in self._active(_JOINT):
            one, two = int(self.model.eq_obj1id[k]), int(self.model.eq_obj2id[k])
            if one in dofs and two in dofs:
                reference = self.model.qpos0[self.model.jnt_qposadr[[one, two]]].tolist()
                coefficients = shifted(self.model.eq_data[k][:5], -reference[1])
                coefficients[0] += reference[0]
                found[dofs[one], dofs[two]] = CouplingLaw.of(coefficients)
        return found

    def violations(self) -> dict[str, float]:
        """See `Engine.violations`; of the points and frames that the constraints of the original
        hold together.
        """
        qpos = {
            dof: float(self._data.qpos[self.model.jnt_qposadr[self._joint(s)]])
            for dof, s in scalar_dofs(self.mechanism).items()
        }
        found = {}
        for (follower, leader), law in self.couplings().items():
            found[follower[0]] = abs(qpos[follower] - float(law.at(qpos[leader])))
        for k in (*self._active(_CONNECT), *self._active(_WELD)):
            is_weld = bool(self.model.eq_type[k] == _WELD)
            names = [self._names[self._body(k, end)] for end in (0, 1)]
            add_violation(
                found,
                ", ".join(names),
                frame_distance(self._end(k, 0), self._end(k, 1), welded=is_weld),
            )
        return found

    def _active(self, kind: int) -> list[int]:
        m = self.model
        if self._is_off("equality"):
            return []
        return [k for k in range(m.neq) if m.eq_type[k] == kind and m.eq_active0[k]]

    def _body(self, k: int, end: int) -> int:
        number = int((self.model.eq_obj1id, self.model.eq_obj2id)[end][k])
        return int(self.model.site_bodyid[number]) if self.model.eq_objtype[k] == _SITE else number

    def _end(self, k: int, end: int) -> Pose:
        """One of the frames that a constraint holds together, as MuJoCo documents ``eq_data``."""
        if self.model.eq_objtype[k] == _SITE:
            return self._site(int((self.model.eq_obj1id, self.model.eq_obj2id)[end][k]))
        body, data = self._body(k, end), self.model.eq_data[k]
        X_WB = Pose.of(self._data.xmat[body].reshape(3, 3), self._data.xpos[body])
        if self.model.eq_type[k] == _CONNECT:
            return X_WB @ Pose.of(p=data[3 * end : 3 * end + 3])
        if end:
            return X_WB @ Pose.of(p=data[:3])
        return X_WB @ Pose.of(quaternion_to_matrix(data[6:10]), data[3:6])

    def _initial_data(self) -> Any:
        """Return data at MuJoCo's initial position; the keys of a file are states, and none is the
        initial one.

        A scene starts with followers where their leaders put them, unless the file states a
        reference position.
        """
        data, scalars = self._mujoco.MjData(self.model), scalar_dofs(self.mechanism)
        address = {
            dof: int(self.model.jnt_qposadr[self._joint(scalar)]) for dof, scalar in scalars.items()
        }
        couplings = {
            ends: law for ends, law in self.couplings().items() if not data.qpos[address[ends[0]]]
        }
        for _ in couplings:  # a leader may follow another joint
            for (follower, leader), law in couplings.items():
                data.qpos[address[follower]] = law.at(data.qpos[address[leader]])
        return data

    def running_statements(self) -> tuple[Statements, Statements]:
        """Return nothing: `compiled_statements` has what this engine runs."""
        return {}, {}

    def stop_compliance(self) -> dict[Dof, float]:
        """Refuse to answer: the stops of an MJCF file are as soft as MuJoCo's defaults.

        Raises:
            NotReportedError: Always.
        """
        raise NotReportedError(
            "the stops of an MJCF file are as soft as MuJoCo's solver makes them"
        )

    def actuator_efforts(self, trials: Mapping[str, ActuatorTrial]) -> dict[str, Array]:
        """Refuse to answer: an MJCF file states laws of actuators, see `actuator_laws`.

        Raises:
            NotReportedError: If there are any trials.
        """
        if not trials:
            return {}
        raise NotReportedError("an MJCF file states laws of actuators")

    def servos(self) -> dict[str, Array]:
        """See `Engine.servos`; the gains are slopes of the forces of the running original."""
        names = self._names_by_kind["actuator"]
        drives = self._mujoco.mjtTrn
        joints = {int(drives.mjTRN_JOINT), int(drives.mjTRN_JOINTINPARENT)}
        model, found = self._acting(), {}
        idle = idle_actuators(self._mujoco, model)
        for i, kind in enumerate(model.actuator_trntype):
            if i in idle:
                continue
            joint = int(model.actuator_trnid[i][0])
            moves = self._mujoco.mjtJoint(model.jnt_type[joint]) if int(kind) in joints else None
            if moves in {self._mujoco.mjtJoint.mjJNT_HINGE, self._mujoco.mjtJoint.mjJNT_SLIDE}:
                found[str(names[i])] = servo_in_mujoco(self._mujoco, model, i, joint)
        return found

    def surfaces(self) -> Surfaces:
        """Return the shapes of the original and their friction.

        Raises:
            NotReportedError: if the document moves the vertices of a mesh, so that the pose of its
            file is not known.
        """
        if self._has_moved_meshes:
            raise NotReportedError("the file moves the vertices of a mesh by refpos or refquat")
        return self._surfaces(self._acting(), self._inline)

    def _roles(self) -> Roles:
        """Return whether each geom collides, and is drawn: MuJoCo's viewer shows three groups of
        six at first.
        """
        m = self.model
        collides = (m.geom_contype != 0) | (m.geom_conaffinity != 0)
        collides[m.pair_geom1] = collides[m.pair_geom2] = True
        drawn = ~collides | (m.geom_group < _SHOWN_GROUPS)
        wrapped = [g for g in geoms_in_tendons(self._mujoco, m) if m.geom_group[g] >= _SHOWN_GROUPS]
        drawn[wrapped] = False
        return list(zip(collides.tolist(), drawn.tolist(), strict=True))

    def _carried_roles(self) -> Roles:
        return [
            (False, False) if g in self._missing else role for g, role in enumerate(self._roles())
        ]

    def _acting(self) -> Any:
        """Return the original with what acts; if the mechanism leaves out friction that all
        contacts are without, so does the original.
        """
        scene, model = self.mechanism.scene, self.model
        surfaces = (shape.surface for link in scene.links for shape in link.collisions)
        solid = [collides for collides, _ in self._carried_roles()]
        is_smooth = bool((model.geom_condim[np.array(solid, dtype=bool)] == 1).all()) and not any(
            FRICTIONLESS in settings_of(surface, MUJOCO) for surface in surfaces
        )
        is_smooth = is_smooth and not self._is_off("contact")
        return acting_model(self._mujoco, model, is_smooth=is_smooth)

    def _name_of(self) -> Callable[[str, int], str | None]:
        return original_names(self.mechanism, self._names_by_kind, self._pictures)


def servo_in_mujoco(mujoco: Any, model: Any, i: int, joint: int) -> Array:
    """Return the effort, gains and range of `Engine.servos` of an actuator that drives a joint.

    It is a servo if its force without limits is linear, and the control is a position or a
    velocity that the joint is to have.

    Args:
        mujoco: The module.
        model: The compiled model.
        i: The actuator.
        joint: The hinge or slide that it drives.
    """
    output = getattr(model, "actuator_outadr", range(i + 1))[i]
    gear = float(model.actuator_gear[output][0])
    first = getattr(model, "actuator_ctrladr", range(i + 1))[i]
    limited = bool(model.actuator_forcelimited[i])
    effort = float(np.abs(model.actuator_forcerange[i]).max()) if limited else math.inf
    is_driven = bool(getattr(model, "actuator_ctrlnum", np.ones(i + 1))[i])
    is_limited = is_driven and model.actuator_ctrllimited[first]
    control = model.actuator_ctrlrange[first] if is_limited else (-math.inf, math.inf)
    free = copy.copy(model)
    free.actuator_forcelimited[:] = free.actuator_ctrllimited[:] = 0
    data = mujoco.MjData(free)

    def force(q: float, v: float, u: float) -> float:
        mujoco.mj_resetData(free, data)
        data.qpos[free.jnt_qposadr[joint]] += q
        data.qvel[free.jnt_dofadr[joint]] = v
        data.act[:] = data.ctrl[:] = 0.0
        if free.actuator_actnum[i]:
            data.act[free.actuator_actadr[i]] = u
        elif is_driven:
            data.ctrl[first] = u
        mujoco.mj_forward(free, data)
        return float(data.actuator_force[output])

    none, up = force(0.0, 0.0, 0.0), (gear or 1.0)
    gain = force(0.0, 0.0, 1.0) - none
    p, d = none - force(1.0 / up, 0.0, 0.0), none - force(0.0, 1.0 / up, 0.0)
    is_linear = math.isclose(force(2.0 / up, 3.0 / up, 4.0), none + 4.0 * gain - 2.0 * p - 3.0 * d)
    follows = any(math.isclose(gain, abs(slope), rel_tol=1e-9) for slope in (p, d) if slope)
    gains = (p * gear**2, d * gear**2) if gain and is_linear and follows else (0.0, 0.0)
    return np.array((effort * abs(gear) if gear else effort, *gains, *control))


def _size(body: Body) -> int:
    return {PrimitiveKind.FREE: 7, PrimitiveKind.BALL: 4}.get(
        kind_of(body) or PrimitiveKind.HINGE, 1
    )


def _missing_geoms(source: Source) -> frozenset[int]:
    """Return the geoms whose file was not found; MuJoCo got a small shape instead, and a scene
    lacks them.
    """
    files, model = source.assets.files, source.compiled.model
    named = {
        _MESH: [mesh.file for mesh in source.compiled.meshes],
        _HFIELD: source.compiled.hfields,
    }
    is_lost = {
        (kind, i): file in files and not files[file].path
        for kind in named
        for i, file in enumerate(named[kind])
    }
    pairs = zip(model.geom_type.tolist(), model.geom_dataid.tolist(), strict=True)
    return frozenset(g for g, pair in enumerate(pairs) if is_lost.get(pair))
