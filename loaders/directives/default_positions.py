"""Reader of ``default_joint_positions``: initial positions of the joints of a model."""

from __future__ import annotations

import dataclasses

from loaders.model import Joint, JointType, by_name
from loaders.node import Node
from loaders.safety.suggestions import closest
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import Pose, matrix_to_quaternion

from .yaml_nodes import expect, numbers

_SIZE = {JointType.FIXED: 0, JointType.UNIVERSAL: 2, JointType.REVOLUTE2: 2, JointType.PLANAR: 3, JointType.BALL: 3}
"""Number of positions in Drake, keyed by joint type; 1 for every other type."""


def read_positions(add_model: Node, model: str, scene: Scene) -> Scene:
    """Return the scene of a model with the initial positions in the directive.

    Args:
        add_model: The directive.
        model: Scoped name of the model.
        scene: The scene of the model.
    """
    node = add_model.peek("default_joint_positions")
    if node is None or not expect(node, "mapping"):
        return scene
    joints = by_name(scene.joints)
    for child in node.children:
        name = f"{model}{SEPARATOR}{child.tag}"
        joint = joints.get(name)
        if joint is None:
            close = closest(name, joints)
            hint = f"did you mean {close.removeprefix(model + SEPARATOR)}?" if close else ""
            child.invalid(
                "directives.unknown-joint",
                "unknown joint {joint!r} in model {model}",
                hint=hint,
                subjects=(model,),
                joint=child.tag,
                model=model,
            )
        else:
            joints[name] = _with_default_position(joint, child)
    return dataclasses.replace(scene, joints=tuple(joints.values()))


def _with_default_position(joint: Joint, node: Node) -> Joint:
    values = numbers(node)
    size = _SIZE.get(joint.type, 1)
    if len(values) != size:
        node.invalid(
            "directives.position-count",
            "{type} joint {joint} requires {size} positions, not {count}",
            subjects=(joint.name,),
            type=joint.type.value,
            joint=joint.name,
            size=size,
            count=len(values),
        )
        return joint
    if joint.type is JointType.BALL:  # Drake uses roll, pitch and yaw
        values = matrix_to_quaternion(Pose.from_xyz_rpy((0.0, 0.0, 0.0), values).R)
    return dataclasses.replace(joint, default_position=values)
