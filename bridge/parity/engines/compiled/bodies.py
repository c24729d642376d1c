"""Statements of a compiled MuJoCo model on links, joints, contacts and frames, and on how it is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from loaders.spatial import Array, quaternion_to_matrix

from .touched_geoms import touched_geoms
from .view import View, numbered, numbers

Stated = Iterator[tuple[str, tuple[str, ...], Array]]
"""The label of each element, the names that it is about, and its numbers."""

_SIZES = {0: (7, 6), 1: (4, 3)}
"""Number of positions and velocities of a joint, by its type; one of each for the others."""
_POSE = 7
"""Number of positions of a free joint."""
_IMAGE = 3
"""The type of a light that is a picture, which a scene does not have."""
_GEOM = (
    "condim", "priority", "solmix", "solref", "solimp", "margin", "gap", "friction", "fluid", "adhesion", "surfacevel",
)  # fmt: skip
_PAIR = ("dim", "solref", "solreffriction", "solimp", "margin", "gap", "friction", "adhesion")
_CAMERA = (
    "mode", "fovy", "ipd", "resolution", "sensorsize", "projection", "orthographic", "output",
)  # fmt: skip
_LIGHT = (
    "type", "mode", "pos", "dir", "active", "castshadow", "attenuation", "cutoff", "exponent", "ambient", "diffuse",
    "specular", "range", "bulbradius", "intensity", "softness",
)  # fmt: skip


def links(view: View) -> Stated:
    """Yield the fraction of its weight that holds each link, and the inertia of a link that is fixed to the world.

    Args:
        view: The compiled model.
    """
    model = view.model
    for body, name in view.links.items():
        yield f"gravity compensation of {name}", (name,), numbers(model, body, "body_gravcomp")
        if body and not model.body_weldid[body]:
            R = quaternion_to_matrix(model.body_iquat[body])
            I_Lcm = R @ np.diag(model.body_inertia[body]) @ R.T
            found = np.concatenate([[model.body_mass[body]], model.body_ipos[body], I_Lcm.ravel()])
            yield f"inertia of {name}", (name,), found


def joints(view: View) -> Stated:
    """Yield springs, damping, and the settings of friction and stops of each joint that has them.

    Args:
        view: The compiled model.
    """
    model = view.model
    for j, name in view.joints.items():
        q, v = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        size_q, size_v = _SIZES.get(int(model.jnt_type[j]), (1, 1))
        found = [numbers(model, j, "jnt_stiffness", "jnt_stiffnesspoly", "jnt_actgravcomp", "jnt_actfrclimited")]
        found.append(_reference(model.qpos0[q : q + size_q]))
        found += [numbers(model, k, "dof_damping", "dof_dampingpoly") for k in range(v, v + size_v)]
        if found[0].any():
            found.append(model.qpos_spring[q : q + size_q])
        if model.jnt_actfrclimited[j]:
            found.append(model.jnt_actfrcrange[j])
        if model.dof_frictionloss[v]:
            found.append(numbers(model, v, "dof_frictionloss", "dof_solref", "dof_solimp"))
        if model.jnt_limited[j]:
            found.append(numbers(model, j, "jnt_range", "jnt_margin", "jnt_solref", "jnt_solimp"))
        yield f"settings of {name}", (name,), np.concatenate(found)


def _reference(position: Array) -> Array:
    """Return the position in which the document draws a joint; of that of a free joint the rotation matrix."""
    if len(position) != _POSE:
        return position
    return np.concatenate([position[:3], quaternion_to_matrix(position[3:]).ravel()])


def contacts(view: View) -> Stated:
    """Yield the settings of each shape that collides, and of each pair for which the model states its own.

    Those of a shape end with the number of shapes that it may touch, those of a pair with the places of its shapes
    among those of their links.

    Args:
        view: The compiled model.
    """
    model = view.model
    geoms, touched = [g for g in range(model.ngeom) if view.solid[g]], touched_geoms(model, view.solid)
    names = [view.link(int(model.geom_bodyid[g])) for g in geoms]
    for g, name, label in zip(geoms, names, numbered([f"contact of {name}" for name in names]), strict=True):
        yield label, (name,), np.append(numbers(model, g, *(f"geom_{field}" for field in _GEOM)), touched[g])
    number = dict(zip(geoms, _counted(names), strict=True))
    ends = zip(model.pair_geom1.tolist(), model.pair_geom2.tolist(), strict=True)
    pairs = [sorted((view.link(int(model.geom_bodyid[g])), number.get(g, -1)) for g in pair) for pair in ends]
    labels = numbered([f"contact of {one} with {two}" for (one, _), (two, _) in pairs])
    for k, (label, pair) in enumerate(zip(labels, pairs, strict=True)):
        settings = numbers(model, k, *(f"pair_{field}" for field in _PAIR))
        yield label, tuple(name for name, _ in pair), np.append(settings, [place for _, place in pair])


def _counted(names: list[str]) -> list[int]:
    """Return for each name how often it was there before."""
    seen, found = Counter[str](), []
    for name in names:
        found.append(seen[name])
        seen[name] += 1
    return found


def frames(view: View) -> Stated:
    """Yield the pose of each site.

    Args:
        view: The compiled model.
    """
    for i in range(view.model.nsite):
        name = view.name_of("site", i)
        if name is not None:
            link = view.link(int(view.model.site_bodyid[i]))
            yield f"frame {name} of {link}", (name, link), view.pose("site", i)


def views(view: View) -> Stated:
    """Yield the settings of each camera and each light.

    Args:
        view: The compiled model.
    """
    model = view.model
    for i in range(model.ncam):
        name, target = view.name_of("camera", i), int(model.cam_targetbodyid[i])
        label = f"camera {name} of {view.link(int(model.cam_bodyid[i]))}"
        fields = (*_CAMERA, "intrinsic") if model.cam_sensorsize[i].any() else _CAMERA
        lens = numbers(model, i, *(f"cam_{field}" for field in fields))
        yield _aimed(label, target, view), (name or "",), np.concatenate([view.pose("cam", i), lens])
    for i in range(model.nlight):
        name, target = view.name_of("light", i), int(model.light_targetbodyid[i])
        if int(model.light_type[i]) != _IMAGE:
            label = f"light {name} of {view.link(int(model.light_bodyid[i]))}"
            yield _aimed(label, target, view), (name or "",), numbers(model, i, *(f"light_{f}" for f in _LIGHT))


def _aimed(label: str, target: int, view: View) -> str:
    return f"{label} towards {view.link(target)}" if target >= 0 else label
