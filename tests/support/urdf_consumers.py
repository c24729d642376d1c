"""Link poses of a URDF, as readers that other people wrote compute them; also a script for another
interpreter.

python urdf_consumers.py READER FILE POSITIONS prints the poses as JSON, by link; POSITIONS is JSON,
by joint.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

Poses = dict[str, list[list[float]]]
"""Pose of each link in the root link, a matrix of 4 by 4."""


def pinocchio(path: str, q: dict[str, float]) -> Poses:
    """Poses by pinocchio."""
    import numpy as np
    import pinocchio as pin

    model = pin.buildModelFromUrdf(path)
    data = model.createData()
    position = pin.neutral(model)
    for name, value in q.items():
        joint = model.joints[model.getJointId(name)]
        position[joint.idx_q : joint.idx_q + joint.nq] = (
            value if joint.nq == 1 else (np.cos(value), np.sin(value))
        )
    pin.framesForwardKinematics(model, data, position)
    bodies = [
        (i, frame) for i, frame in enumerate(model.frames) if frame.type == pin.FrameType.BODY
    ]
    return {
        frame.name: data.oMf[i].homogeneous.tolist()
        for i, frame in bodies
        if frame.name != "universe"
    }


def yourdfpy(path: str, q: dict[str, float]) -> Poses:
    """Poses by yourdfpy."""
    from yourdfpy import URDF

    robot = URDF.load(path, load_meshes=False, build_scene_graph=True)
    robot.update_cfg({name: q[name] for name in robot.actuated_joint_names if name in q})
    return {name: robot.get_transform(name, robot.base_link).tolist() for name in robot.link_map}


def dartpy(path: str, q: dict[str, float]) -> Poses:
    """Poses by DART."""
    import dartpy as dart

    robot = dart.utils.DartLoader().parseSkeleton(path)
    for i in range(robot.getNumJoints()):
        joint = robot.getJoint(i)
        if joint.getName() in q:
            joint.setPosition(0, q[joint.getName()])
    bodies = (robot.getBodyNode(i) for i in range(robot.getNumBodyNodes()))
    return {body.getName(): body.getWorldTransform().matrix().tolist() for body in bodies}


READERS: dict[str, Callable[[str, dict[str, float]], Poses]] = {
    "pinocchio": pinocchio,
    "yourdfpy": yourdfpy,
    "dartpy": dartpy,
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(READERS[sys.argv[1]](sys.argv[2], json.loads(sys.argv[3]))) + "\n")
