"""Statements of a compiled MuJoCo model on the shapes of its links, and on how they are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bridge.geometry.support import supports_of_points
from loaders.spatial import Array, Pose, quaternion_to_matrix

from .bodies import Stated
from .view import View, numbered

_PLANE, _HFIELD, _SPHERE, _CAPSULE, _CYLINDER, _MESH, _SDF = 0, 1, 2, 3, 5, 7, 8
"""MuJoCo's types of geoms."""
_ENDLESS = 50.0
"""Half of the extent with which a scene draws a plane without end [m]."""
_FILES = frozenset({_HFIELD, _MESH, _SDF})
NUMBER_OF_SIZES = {_SPHERE: 1, _CAPSULE: 2, _CYLINDER: 2}
"""Number of sizes that a type has; three for the others."""
_COLOR = (0.5, 0.5, 0.5, 1.0)
"""The color of a geom that states none, in place of which it has that of its material."""
_NO_MATERIAL = (0.0, 0.5, 0.5)
"""Emission, specularity and shininess with which MuJoCo draws a geom without material."""


def shapes(view: View) -> Stated:
    """Yield type, size and pose of each shape that collides or is drawn, and its color if it is drawn.

    Args:
        view: The compiled model.
    """
    for label, link, g in _shapes(view):
        is_drawn = label.startswith("drawing")
        yield label, (link,), np.concatenate([_form(g, is_drawn, view), _look(g, view) if is_drawn else np.empty(0)])


def meshes(view: View) -> Stated:
    """Yield the support of the triangles of each mesh that collides or is drawn, in its link [m].

    Args:
        view: The compiled model.
    """
    model = view.model
    for label, link, g in _shapes(view):
        if int(model.geom_type[g]) == _MESH:
            vertices = _vertices(int(model.geom_dataid[g]), view)
            X_LG = Pose.of(quaternion_to_matrix(model.geom_quat[g]), model.geom_pos[g])
            yield label, (link,), supports_of_points(vertices, X_LG)


def _vertices(mesh: int, view: View) -> Array:
    """Return the vertices of the triangles of a mesh, shape (n, 3) [m]; an export does not have others."""
    model = view.model
    first, start, count = (
        int(numbers[mesh]) for numbers in (model.mesh_vertadr, model.mesh_faceadr, model.mesh_facenum)
    )
    used = np.unique(model.mesh_face[start : start + count])
    return np.asarray(model.mesh_vert[first + used], dtype=np.float64)


def height_fields(view: View) -> Stated:
    """Yield the edges of each height field that collides or is drawn, and its heights, row by row [m].

    Args:
        view: The compiled model.
    """
    model = view.model
    for label, link, g in _shapes(view):
        if int(model.geom_type[g]) == _HFIELD:
            field = int(model.geom_dataid[g])
            start, count = int(model.hfield_adr[field]), int(model.hfield_nrow[field]) * int(model.hfield_ncol[field])
            x, y, top, _ = model.hfield_size[field].tolist()
            heights = top * np.asarray(model.hfield_data[start : start + count], dtype=np.float64)
            yield label, (link,), np.concatenate([[x, y], heights])


def _shapes(view: View) -> Iterator[tuple[str, str, int]]:
    """Yield the label of each shape that collides, and of each one that is drawn, with its link and its geom."""
    for what, chosen in (("shape", view.solid), ("drawing", view.drawn)):
        geoms = [g for g, is_chosen in enumerate(chosen) if is_chosen]
        links = [view.link(int(view.model.geom_bodyid[g])) for g in geoms]
        yield from zip(numbered([f"{what} of {link}" for link in links]), links, geoms, strict=True)


def _form(g: int, is_drawn: bool, view: View) -> Array:
    """Return the type of a geom, and its size and pose unless they are those of a file; a plane touches without end."""
    model, kind = view.model, int(view.model.geom_type[g])
    if kind == _HFIELD:
        return np.array([kind, *view.pose("geom", g)])
    if kind in _FILES:
        return np.array([_MESH])
    if kind == _PLANE:
        size = [x or _ENDLESS for x in model.geom_size[g][:2].tolist()] if is_drawn else []
        return np.array([kind, *size, *view.pose("geom", g)])
    return np.array([kind, *model.geom_size[g][: NUMBER_OF_SIZES.get(kind, 3)], *view.pose("geom", g)])


def _look(g: int, view: View) -> Array:
    """Return color, emission, specularity and shininess of a geom, and whether it has a texture of a file."""
    model, material = view.model, int(view.model.geom_matid[g])
    color: Sequence[float] = model.geom_rgba[g].tolist()
    if material < 0:
        return np.array([*color, *_NO_MATERIAL, False])
    if np.allclose(color, _COLOR, rtol=0.0, atol=1e-6):
        color = model.mat_rgba[material].tolist()
    names = [view.name_of("texture", int(t)) for t in np.ravel(model.mat_texid[material]) if t >= 0]
    light = (model.mat_emission[material], model.mat_specular[material], model.mat_shininess[material])
    return np.array([*color, *light, any(names)])
