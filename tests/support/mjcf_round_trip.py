"""A model against its export: both compiled by MuJoCo, at the same state, compared quantity by
quantity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import bridge
from tests.support.mjcf_documents import document, random_qpos, read


def compiled(body: str, outside: str = "") -> tuple[Any, Any]:
    """The model as MuJoCo reads it, and as it reads our export of what we read."""
    import mujoco

    text = bridge.to_mjcf(read(body, outside), quiet=True)
    exported = mujoco.MjModel.from_xml_string(str(text), text.assets)
    return mujoco.MjModel.from_xml_string(document(body, outside)), exported


def differences(body: str, outside: str = "", seed: int = 0) -> dict[str, float]:
    """The largest differences, relative to the largest number of the original, at a random state
    and control.

    Both models have the same bodies and joints in the same order.
    """
    import mujoco

    original, exported = compiled(body, outside)
    sizes = [(m.nbody, m.njnt, m.nq, m.nv, m.nu) for m in (original, exported)]
    assert sizes[0] == sizes[1]
    rng = np.random.default_rng(seed)
    qpos, qvel, ctrl = (
        random_qpos(original, seed),
        rng.normal(size=original.nv),
        rng.uniform(0, 1, original.nu),
    )
    found = []
    for model in (original, exported):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, ctrl
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        try:
            mujoco.mj_fullM(model, data, M)
        except TypeError:
            mujoco.mj_fullM(model, M, data.qM)
        values = {
            "pose": data.xpos,
            "mass": M,
            "bias": data.qfrc_bias,
            "passive": data.qfrc_passive,
        }
        values = {key: np.array(value) for key, value in values.items()}
        values["actuator"] = np.array(data.qfrc_actuator)
        mujoco.mj_step(model, data)
        found.append(values | {"step": np.array(data.qvel)})
    first, second = found
    return {key: _relative(first[key], second[key]) for key in first}


def _relative(a: np.ndarray, b: np.ndarray) -> float:
    scale = max(float(np.abs(a).max(initial=0.0)), 1e-9)
    return float(np.abs(a - b).max(initial=0.0)) / scale


def differing_arrays(prefix: str, original: Any, exported: Any) -> list[str]:
    """The names of the arrays of one kind of element, such as ``cam``, that differ between two
    compiled models.
    """
    names = [name for name in dir(original) if name.startswith(f"{prefix}_")]
    assert names
    pairs = (
        (name, *(np.asarray(getattr(model, name)) for model in (original, exported)))
        for name in names
    )
    return [
        name
        for name, a, b in pairs
        if a.shape != b.shape or not np.allclose(a, b, rtol=1e-6, atol=1e-12)
    ]
