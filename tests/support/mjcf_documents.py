"""MJCF documents for the tests of the reader, and MuJoCo's own answer for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import bridge
import loaders
from loaders import Diagnostic, LoadError, Scene
from loaders.limits import Limits

BALL = '<geom size="0.1"/>'
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def beside_a_body(inside: str = "", outside: str = "") -> str:
    """A free body with this content, a body ``t`` to which things turn, and content of the
    world.
    """
    return (
        f'<body name="b" pos="0 0 1"><freejoint/>{BALL}{inside}</body><body '
        f'name="t">{BALL}</body>{outside}'
    )


def document(body: str = "", outside: str = "", name: str = "m") -> str:
    """A document with this content of its ``<worldbody>``, and these sections before it."""
    return f'<mujoco model="{name}">{outside}<worldbody>{body}</worldbody></mujoco>'


def read(body: str = "", outside: str = "") -> Scene:
    """The scene of a document."""
    return loaders.load_string(document(body, outside), format="mjcf", quiet=True)


def problems(path: Path, limits: Limits | None = None) -> tuple[Diagnostic, ...]:
    """The errors of a file."""
    try:
        loaders.load(path, quiet=True, limits=limits or Limits())
    except LoadError as error:
        return error.diagnostics
    return ()


def written(folder: Path, text: str, name: str = "robot.xml", **files: str) -> Path:
    """A file, and others beside it; a double underscore in a keyword is a slash, a single one
    before xml a dot.
    """
    for key, content in files.items():
        path = folder / key.replace("__", "/").replace("_xml", ".xml").replace("_obj", ".obj")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def random_qpos(model: Any, seed: int = 0) -> np.ndarray:
    """A position of a compiled model: free and ball joints turned, all others within 1.5 of their
    reference.
    """
    rng = np.random.default_rng(seed)
    q = np.array(model.qpos0)
    for j in range(model.njnt):
        start, kind = model.jnt_qposadr[j], int(model.jnt_type[j])
        if kind < 2:
            first = start + (3 if kind == 0 else 0)
            x = rng.normal(size=4)
            q[first : first + 4] = x / np.linalg.norm(x)
        else:
            q[start] += rng.uniform(-1.5, 1.5)
    return q


def joint_positions(model: Any, q: np.ndarray, known: set[str]) -> dict[str, Any]:
    """The position by joint; a free joint whose name the mechanism does not use is under the name
    of its link.
    """
    positions = {}
    for j in range(model.njnt):
        start, size = model.jnt_qposadr[j], {0: 7, 1: 4}.get(int(model.jnt_type[j]), 1)
        name, body = model.joint(j).name or f"joint_{j}", model.jnt_bodyid[j]
        link = model.body(body).name or f"body_{body}"
        value = q[start : start + size].tolist()
        positions[name if name in known else link] = value if size > 1 else value[0]
    return positions


def largest_pose_error(scene: Scene, model: Any, seed: int = 0) -> float:
    """The largest difference of a body's pose in MuJoCo and in the mechanism of the scene, at a
    random position.
    """
    import mujoco

    data, mechanism = mujoco.MjData(model), bridge.lower(scene)
    data.qpos[:] = random_qpos(model, seed)
    mujoco.mj_kinematics(model, data)
    poses = mechanism.link_poses(
        joint_positions(model, data.qpos, {joint for joint, _ in mechanism.v_order})
    )
    errors = [0.0]
    for b in range(1, model.nbody):
        X = poses[model.body(b).name or f"body_{b}"]
        errors += [np.abs(X.p - data.xpos[b]).max(), np.abs(X.R - data.xmat[b].reshape(3, 3)).max()]
    return float(max(errors))
