"""A process that runs PyBullet's own loaders, which can crash: one request per line on stdin, one
reply per line.

The first argument is ``loadURDF`` or ``loadSDF``, the second one the file. The first reply
describes what was loaded.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from bridge.stdout_capture import capture_stdout
from bridge.targets.pybullet.client import DynamicsInfo, JointInfo, named

_FEW = 4
"""Number of PyBullet's last messages that a refusal has."""
_PLACE = re.compile(r"b3(?:Warning|Error|Printf)\[[^\]]*\]:?$")
"""A place in PyBullet's source, which follows a message that does not end its line."""
_SCALAR = {0, 1}
"""PyBullet's joint types with one coordinate: revolute and prismatic."""
_FIXED = 4
"""PyBullet's type of fixed joints."""


def main(arguments: Sequence[str]) -> None:
    """Load the file, describe it, and reply to requests until stdin is closed."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # keeps what PyBullet prints out of the replies
    import pybullet as p

    p.connect(p.DIRECT)
    printed: list[str] = []
    try:
        with capture_stdout(printed):
            loaded = getattr(p, arguments[0])(arguments[1])
    except p.error as error:
        _reply(replies, {"error": "; ".join([str(error).rstrip("."), *_reasons(printed)])})
        return
    bodies = [loaded] if isinstance(loaded, int) else list(loaded)
    _reply(replies, {"bodies": [_description(p, body) for body in bodies]})
    for line in sys.stdin:
        _reply(replies, [_state(p, body, json.loads(line)) for body in bodies])


def _reasons(printed: list[str]) -> list[str]:
    """Return the last messages of PyBullet, without places in its source and without what it sets
    by default.
    """
    messages = (_PLACE.sub("", text) for text in printed if not text.startswith("No inertial data"))
    return list(filter(None, messages))[-_FEW:]


def _reply(replies: TextIO, answer: Any) -> None:
    replies.write(json.dumps(answer) + "\n")
    replies.flush()


def _description(p: Any, body: int) -> dict[str, Any]:
    """Return the links and joints of a body."""
    infos = _joint_infos(p, body)
    base, model = map(_text, p.getBodyInfo(body))
    names = [base, *(_text(info.link_name) for info in infos)]
    links = [
        _link(name, named(DynamicsInfo, p.getDynamicsInfo(body, i)))
        for i, name in enumerate(names, start=-1)
    ]
    joints = [
        {
            "name": _text(info.name),
            "lower": info.lower,
            "upper": info.upper,
            "damping": info.damping,
        }
        for info in infos
        if info.type in _SCALAR
    ]
    return {"model": model, "links": links, "joints": joints}


def _link(name: str, dynamics: DynamicsInfo) -> dict[str, Any]:
    position, orientation = dynamics.inertial_position, dynamics.inertial_orientation
    return {
        "name": name,
        "mass": dynamics.mass,
        "moments": dynamics.moments,
        "p": position,
        "xyzw": orientation,
    }


def _joint_infos(p: Any, body: int) -> list[JointInfo]:
    return [named(JointInfo, p.getJointInfo(body, index)) for index in range(p.getNumJoints(body))]


def _text(name: bytes) -> str:
    return name.decode(errors="replace")


def _state(p: Any, body: int, request: dict[str, Any]) -> dict[str, Any]:
    """Poses of the centers of mass and, for a body with a fixed base, mass matrix and bias
    forces.
    """
    infos = _joint_infos(p, body)
    q, v = [], []
    for index, info in enumerate(infos):
        if info.type in _SCALAR:
            name = _text(info.name)
            q.append(request["q"].get(name, 0.0))
            v.append(request["v"].get(name, 0.0))
            p.resetJointState(body, index, q[-1], v[-1])
    _place_base(p, body, request["bases"])
    p.setGravity(*request["gravity"])
    poses = [p.getBasePositionAndOrientation(body)]
    poses += [
        p.getLinkState(body, index, computeForwardKinematics=1)[:2] for index in range(len(infos))
    ]
    reply: dict[str, Any] = {"poses": poses}
    is_fixed = named(DynamicsInfo, p.getDynamicsInfo(body, -1)).mass == 0.0
    if q and is_fixed and all(info.type in {*_SCALAR, _FIXED} for info in infos):
        reply["M"] = p.calculateMassMatrix(body, q)
        reply["bias"] = p.calculateInverseDynamics(body, q, v, [0.0] * len(q))
    return reply


def _place_base(p: Any, body: int, bases: dict[str, list[float]]) -> None:
    """Set the pose of a floating base; PyBullet takes that of its center of mass."""
    base = _text(p.getBodyInfo(body)[0])
    if base in bases:
        *position, w, x, y, z = bases[base]
        dynamics = named(DynamicsInfo, p.getDynamicsInfo(body, -1))
        center = dynamics.inertial_position, dynamics.inertial_orientation
        p.resetBasePositionAndOrientation(
            body, *p.multiplyTransforms(position, (x, y, z, w), *center)
        )


if __name__ == "__main__":
    main(sys.argv[1:])
