"""PyBullet's own loaders, in a process of their own because they crash: one question a line on stdin, one answer back.

The first argument is ``loadURDF`` or ``loadSDF``, the second the file. The first answer tells what was loaded.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

_FREE = {0, 1}
"""Types of joints that have one number: hinge and slide."""


def main(arguments: Sequence[str]) -> None:
    """Load, tell what is there, and answer until nobody asks."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what PyBullet prints must not stand among the answers
    import pybullet as p

    p.connect(p.DIRECT)
    try:
        loaded = getattr(p, arguments[0])(arguments[1])
    except p.error as error:
        _reply(replies, {"error": str(error)})
        return
    bodies = [loaded] if isinstance(loaded, int) else list(loaded)
    _reply(replies, {"bodies": [_told(p, body) for body in bodies]})
    for line in sys.stdin:
        _reply(replies, [_state(p, body, json.loads(line)) for body in bodies])


def _reply(replies: TextIO, answer: Any) -> None:
    replies.write(json.dumps(answer) + "\n")
    replies.flush()


def _told(p: Any, body: int) -> dict[str, Any]:
    infos = [p.getJointInfo(body, index) for index in range(p.getNumJoints(body))]
    base, model = (name.decode(errors="replace") for name in p.getBodyInfo(body))
    names = [base, *(info[12].decode(errors="replace") for info in infos)]
    links = []
    for index, name in enumerate(names, start=-1):
        dynamics = p.getDynamicsInfo(body, index)
        links.append({"name": name, "mass": dynamics[0], "moments": dynamics[2], "p": dynamics[3], "xyzw": dynamics[4]})
    joints = [
        {"name": info[1].decode(errors="replace"), "lower": info[8], "upper": info[9], "damping": info[6]}
        for info in infos
        if info[2] in _FREE
    ]
    return {"model": model, "links": links, "joints": joints}


def _state(p: Any, body: int, asked: dict[str, Any]) -> dict[str, Any]:
    """Poses of the centres of mass and, of a body that stands still, mass matrix and bias forces."""
    infos = [p.getJointInfo(body, index) for index in range(p.getNumJoints(body))]
    q, v = [], []
    for index, info in enumerate(infos):
        if info[2] in _FREE:
            name = info[1].decode(errors="replace")
            q.append(asked["q"].get(name, 0.0))
            v.append(asked["v"].get(name, 0.0))
            p.resetJointState(body, index, q[-1], v[-1])
    _place(p, body, asked["bases"])
    p.setGravity(*asked["gravity"])
    poses = [p.getBasePositionAndOrientation(body)]
    poses += [p.getLinkState(body, index, computeForwardKinematics=1)[:2] for index in range(len(infos))]
    answer: dict[str, Any] = {"poses": poses}
    if q and p.getDynamicsInfo(body, -1)[0] == 0.0 and all(info[2] in {*_FREE, 4} for info in infos):
        answer["M"] = p.calculateMassMatrix(body, q)
        answer["bias"] = p.calculateInverseDynamics(body, q, v, [0.0] * len(q))
    return answer


def _place(p: Any, body: int, bases: dict[str, list[float]]) -> None:
    """Put a base that floats in our model where it says; PyBullet places the centre of mass."""
    base = p.getBodyInfo(body)[0].decode(errors="replace")
    if base in bases:
        *position, w, x, y, z = bases[base]
        centre = p.getDynamicsInfo(body, -1)[3:5]
        p.resetBasePositionAndOrientation(body, *p.multiplyTransforms(position, (x, y, z, w), *centre))


if __name__ == "__main__":
    main(sys.argv[1:])
