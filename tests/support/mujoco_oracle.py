"""MuJoCo as a witness: it runs what was written, and answers under our names, in our
coordinates.
"""

import copy

import mujoco
import numpy as np

from bridge.mechanism.bodies import PrimitiveKind, primitive_names
from bridge.mechanism.coordinates import kind_of, primitive_positions
from loaders.pose import Pose, quaternion_to_matrix

DIRECT = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT


def compiled(mjcf):
    """The compiled model; any warning of MuJoCo's is a failure."""
    return quietly(lambda: mujoco.MjModel.from_xml_string(str(mjcf), getattr(mjcf, "assets", {})))


def quietly(act):
    """What ``act`` returns; any warning of MuJoCo's is a failure."""
    warnings = []
    mujoco.set_mju_user_warning(lambda *text: warnings.append(text))
    try:
        result = act()
    finally:
        mujoco.set_mju_user_warning(None)
    assert warnings == []
    return result


class Running:
    """A compiled model at given positions of ours."""

    def __init__(self, model, mechanism):
        self.model, self.mechanism = model, mechanism
        self.data = mujoco.MjData(model)
        self.S = np.zeros((model.nv, len(mechanism.v_order)))

    def set(self, q, v=None):
        positions = self.mechanism.positions_by_body(q)
        self.S[:] = 0.0
        for body, position in zip(self.mechanism.bodies, positions, strict=True):
            moves = zip(
                primitive_names(body),
                body.primitives,
                primitive_positions(body, position),
                strict=True,
            )
            for name, primitive, displacement in moves:
                self._set_joint(body, name, primitive, displacement)
        self.data.qvel[:] = 0.0 if v is None else self.S @ v
        mujoco.mj_forward(self.model, self.data)
        return self

    def _set_joint(self, body, name, primitive, displacement):
        joint = self.model.joint(name)
        dof, component = int(joint.dofadr[0]), body.v_start + primitive.dof_index
        if kind_of(body) is PrimitiveKind.FREE:
            self.data.joint(name).qpos[:] = displacement
            R_WB = quaternion_to_matrix(displacement[3:])
            self.S[dof : dof + 3, component : component + 3] = np.eye(3)
            self.S[dof + 3 : dof + 6, component + 3 : component + 6] = R_WB.T
        elif kind_of(body) is PrimitiveKind.BALL:
            w, *v = displacement
            self.data.joint(name).qpos[:] = [w, *(body.X_BM.R @ v)]
            R_FM = quaternion_to_matrix(displacement)
            R_Bv = -body.X_BM.R if body.reversed else body.X_BM.R @ R_FM.T
            self.S[dof : dof + 3, component : component + 3] = R_Bv
        else:
            self.data.joint(name).qpos[:] = displacement
            self.S[dof, component] = primitive.ratio

    def poses(self):
        """``X_WL`` of every link."""
        return {
            body.name: Pose.of(
                self.data.body(body.name).xmat.reshape(3, 3), self.data.body(body.name).xpos
            )
            for body in self.mechanism.bodies
        }

    def mass_matrix(self):
        """In our order of velocities, projected on our freedoms."""
        nv = self.model.nv
        M = np.empty((nv, nv))
        for i in range(nv):
            mujoco.mj_mulM(self.model, self.data, M[i], np.eye(nv)[i])
        return self.S.T @ M @ self.S

    def bias_forces(self):
        """Coriolis, centrifugal and gravity terms; only where the map of velocities is constant."""
        return self.S.T @ self.data.qfrc_bias


def can_touch(model):
    """Pairs of bodies whose geoms MuJoCo lets touch, asked of MuJoCo itself: every geom a ball in
    one place.
    """
    model = copy.copy(model)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    model.geom_type[:] = mujoco.mjtGeom.mjGEOM_SPHERE
    model.geom_size[:], model.geom_rbound[:] = 1.0, 1.0
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    data.geom_xpos[:] = np.linspace(0.0, 1e-3, model.ngeom)[:, None]
    mujoco.mj_collision(model, data)
    geoms = (contact.geom for contact in data.contact[: data.ncon])
    return {frozenset(model.body(model.geom_bodyid[geom]).name for geom in pair) for pair in geoms}
