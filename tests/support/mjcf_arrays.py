"""All arrays of a compiled model against those of the model of its export."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import bridge
import loaders

_OTHER = re.compile(
    r"name_|.*adr$|names|paths|text|nbuffer|narena|nnames|npaths|.*bvh|noct|oct_|.*_user$|n?user|signature"
    r"|(n?mesh|n?tex|n?mat|n?plugin|n?numeric|n?text|n?tuple)_?|npolygonmax|.*_matid$|body_(sameframe|geomnum)|site_group"
    r"|geom_(dataid|sameframe|plugin|group)|ngeom$"
)
"""Arrays that follow from the names, files, pictures and data of users, or from the split of geoms
by their purpose.
"""
_SEEN = ("geom_bodyid", "geom_pos", "geom_quat", "geom_size", "geom_type")
_SHOWN_GROUPS = 3


class Comparison(NamedTuple):
    """A document against its export."""

    arrays: frozenset[str]
    """The arrays and options that differ."""
    diagnostics: str
    """What reader and writer report, joined."""


def comparison(folder: Path, text: str, **files: bytes) -> Comparison | None:
    """Compare a document with its export; None if MuJoCo refuses it.

    Args:
        folder: A folder for the files.
        text: The document.
        files: Contents of the files beside it; an underscore stands for a dot.
    """
    import mujoco

    for name, data in files.items():
        (folder / name.replace("_", ".")).write_bytes(data)
    path = folder / "robot.xml"
    path.write_text(text, encoding="utf-8")
    try:
        original = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return None
    scene = loaders.load(path, quiet=True)
    mjcf = bridge.to_mjcf(scene, quiet=True)
    exported = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    one, other = _arrays(original, is_export=False), _arrays(exported, is_export=True)
    differing = {
        name for name in one if name not in other or not _are_equal(one[name], other[name])
    }
    return Comparison(
        frozenset(differing), "\n".join(map(str, (*scene.diagnostics, *mjcf.diagnostics)))
    )


def _arrays(model: Any, *, is_export: bool) -> dict[str, Any]:
    """Return the arrays and options of a compiled model; those of geoms apart for contacts and for
    looks.
    """
    names = [name for name in dir(model) if not (name.startswith("_") or _OTHER.match(name))]
    found = {name: getattr(model, name) for name in names if not callable(getattr(model, name))}
    found = {
        name: np.asarray(value)
        for name, value in found.items()
        if isinstance(value, int | float | np.ndarray)
    }
    solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    solid[model.pair_geom1] = solid[model.pair_geom2] = True
    seen = ~solid if is_export else model.geom_group < _SHOWN_GROUPS
    geoms = {name: found.pop(name) for name in list(found) if name.startswith("geom_")}
    found |= {
        f"touching {name}": values[solid] for name, values in geoms.items() if name != "geom_rgba"
    }
    found |= {f"seen {name}": geoms[name][seen] for name in _SEEN} | {
        "seen color": _colors(model)[seen]
    }
    option = model.opt
    return found | {
        f"option {name}": np.asarray(getattr(option, name))
        for name in dir(option)
        if name[0] != "_"
    }


def _colors(model: Any) -> Any:
    """Return the color of each geom, which that of its material replaces if it is the default."""
    gray = np.all(np.isclose(model.geom_rgba, (0.5, 0.5, 0.5, 1.0)), axis=1) & (
        model.geom_matid >= 0
    )
    return np.where(
        gray[:, None], model.mat_rgba[model.geom_matid] if model.nmat else 0.0, model.geom_rgba
    )


def _are_equal(a: Any, b: Any) -> bool:
    if a.shape != b.shape:
        return False
    scale = float(np.abs(a[np.isfinite(a)]).max(initial=0.0)) if a.dtype.kind in "fiu" else 0.0
    return bool(np.allclose(a, b, rtol=0.0, atol=1e-9 + 1e-7 * scale, equal_nan=True))
