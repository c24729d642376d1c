"""Test whether an accelerator loads MJCF files and moves them as MuJoCo does; print one line of
JSON for each file.

It runs in an environment with MJX or MuJoCo Warp and does not need this project:
``python docs/accelerators_probe.py mjx|warp FILE...``.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from typing import Any

import mujoco
import numpy as np

STEPS = 5
PACKAGES = {"mjx": ("mujoco", "mujoco-mjx", "jax"), "warp": ("mujoco", "mujoco-warp", "warp-lang")}


def start(model: Any) -> Any:
    """Return the state at the last key, if there is one, with small random velocities."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, model.nkey - 1)
    data.qvel[:] = 0.1 * np.random.default_rng(0).normal(size=model.nv)
    return data


def without_contacts(model: Any) -> Any:
    """Disable all collisions of a model and return it."""
    model.geom_contype[:] = 0
    model.geom_conaffinity[:] = 0
    return model


def mass_matrix(model: Any, data: Any) -> Any:
    """Compute the mass matrix by columns, which every version of MuJoCo supports."""
    columns = np.zeros((model.nv, model.nv))
    for i, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, columns[i], unit)
    return columns


def mjx(model: Any) -> tuple[Any, Any, Any]:
    """Step with MJX in double precision; return positions, velocities, and the initial mass
    matrix.
    """
    import jax

    jax.config.update("jax_enable_x64", True)
    from mujoco import mjx as accelerated

    accelerated.put_model(model)
    free = accelerated.put_model(without_contacts(model))
    data = accelerated.put_data(model, start(model))
    step = jax.jit(accelerated.step)
    data = step(free, data)
    M = np.array(accelerated.full_m(free, data))
    for _ in range(STEPS - 1):
        data = step(free, data)
    return np.array(data.qpos), np.array(data.qvel), M


def warp(model: Any) -> tuple[Any, Any, Any]:
    """Step with MuJoCo Warp in single precision; return positions and velocities."""
    import mujoco_warp as accelerated
    import warp as wp

    wp.config.quiet = True
    accelerated.put_model(model)
    begin = start(model)
    free = accelerated.put_model(without_contacts(model))
    data = accelerated.put_data(model, begin, nconmax=16, njmax=max(64, 4 * model.nv))
    for _ in range(STEPS):
        accelerated.step(free, data)
    return data.qpos.numpy()[0], data.qvel.numpy()[0], None


def relative(difference: Any, whole: Any) -> float:
    """Return the largest difference divided by the largest entry."""
    return float(np.abs(difference).max(initial=0.0) / np.abs(whole).max(initial=1e-12))


def probe(engine: str, path: str) -> dict[str, Any]:
    """Return the result for one file; ``refused`` is the reason if the engine does not load it."""
    model = mujoco.MjModel.from_xml_path(path)
    began = time.monotonic()
    size = {"path": path, "nbody": model.nbody, "nv": model.nv, "ngeom": model.ngeom}
    refused = ""
    try:
        qpos, qvel, M = {"mjx": mjx, "warp": warp}[engine](model)
    except NotImplementedError as error:
        refused = str(error)
        if engine == "warp" or "collisions" not in refused:
            return {**size, "refused": refused}
        qpos, qvel, M = mjx(without_contacts(model))
    without_contacts(model)
    data = start(model)
    mujoco.mj_forward(model, data)
    inertia = mass_matrix(model, data)
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    return {
        **size,
        "refused": refused,
        "qpos": float(np.abs(qpos - data.qpos).max(initial=0.0)),
        "qvel": float(
            np.abs(qvel - data.qvel).max(initial=0.0) / max(1.0, np.abs(data.qvel).max(initial=0.0))
        ),
        "M": None
        if M is None
        else float(
            np.abs(M - inertia).max(initial=0.0) / max(np.abs(inertia).max(initial=0.0), 1e-12)
        ),
        "seconds": time.monotonic() - began,
    }


def main(engine: str, paths: list[str]) -> None:
    """Probe one file after the other."""
    for path in paths:
        result = probe(engine, path)
        result["versions"] = {name: version(name) for name in PACKAGES[engine]}
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
