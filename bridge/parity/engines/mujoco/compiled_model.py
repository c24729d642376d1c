"""The content of a compiled model, by the names of the scene.

A body of MJCF may have several joints, where a mechanism has a chain of massless virtual links.
MuJoCo has no pose of a virtual link; it is that of the body while the joints beyond the link are at
zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.geometry.shapes import supports_of_points
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body
from bridge.parity.engine import Statements
from bridge.targets.mjcf.context import MjcfElement
from bridge.targets.mjcf.joint import carried_bodies
from loaders.diagnostics import Fate
from loaders.mjcf.constraint import shifted
from loaders.model import WORLD, CouplingLaw
from loaders.pose import Array, Pose, quaternion_to_matrix

from .shapes import idle_actuators, is_off, touched_geoms

_OF_CONTROLS = frozenset({"ctrllimited", "ctrlrange"})
_OF_OUTPUTS = frozenset({"gear", "lengthrange"})
"""Arrays with a row for each control, or each output, of an actuator, without their prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A compiled model, reduced to the elements that a scene has or should have.

    Attributes:
        mujoco: The module.
        model: The ``mujoco.MjModel``.
        kinds: Names of the members of MuJoCo's enumerations of objects, equalities and sensors, by
            number.
        links: Name of the link of each body that has one.
        joints: Name of each joint, by its index.
        solid: Whether each geom collides.
        drawn: Whether each geom is drawn.
        name_of: Returns the name of an element of a kind, such as ``tendon``; None if a scene does
            not have it.
        options: Options of the model in place of those that an engine has changed, by name.
    """

    mujoco: Any
    model: Any
    kinds: Mapping[str, Mapping[int, str]]
    links: Mapping[int, str]
    joints: Mapping[int, str]
    solid: tuple[bool, ...]
    drawn: tuple[bool, ...]
    name_of: Callable[[str, int], str | None]
    options: Mapping[str, Any]

    def switches_off(self, flag: str) -> bool:
        """Return whether the model switches something off; see `is_off`."""
        return is_off(self.mujoco, self.model, flag)

    def link(self, body: int) -> str:
        """Return the name of the link of a body; that of the next one towards the world if it has
        none.
        """
        while body and body not in self.links:
            body = int(self.model.body_parentid[body])
        return self.links[body] if body else WORLD

    def item(self, kind: int, index: int) -> tuple[str, Array]:
        """Return the name of an element that another one refers to, and its pose in its link if its
        name may change.

        Args:
            kind: MuJoCo's number of the kind of objects.
            index: Its index; negative for none.
        """
        word = self.kinds["mjtObj"].get(kind, "")
        if index < 0 or word == "unknown":
            return "", np.empty(0)
        if word in {"body", "xbody"}:
            return f"{word} {self.link(index)}", np.empty(0)
        if word in {"geom", "site"}:
            label = f"{word} of {self.link(int(getattr(self.model, f'{word}_bodyid')[index]))}"
            is_mesh = (
                word == "geom" and int(self.model.geom_dataid[index]) >= 0
            )  # whose frame MuJoCo chooses
            return label, np.empty(0) if is_mesh else self.pose(word, index)
        if word == "joint":
            return f"joint {self.joints.get(index, '')}", np.empty(0)
        return f"{word} {self.name_of(word, index) or ''}", np.empty(0)

    def pose(self, kind: str, index: int) -> Array:
        """Return position and rotation matrix of an element in its body, shape (12,)."""
        model = self.model
        quaternion = getattr(model, f"{kind}_quat")[index]
        return np.concatenate(
            [getattr(model, f"{kind}_pos")[index], quaternion_to_matrix(quaternion).ravel()]
        )


def numbers(model: Any, index: int, *names: str) -> Array:
    """Return the rows of some arrays, one after another; an array that the version of MuJoCo lacks
    is left out.

    Args:
        model: The ``mujoco.MjModel``.
        index: The row.
        names: Names of the arrays.
    """
    rows = [np.ravel(getattr(model, name)[index]) for name in names if hasattr(model, name)]
    return np.concatenate(rows).astype(np.float64) if rows else np.empty(0)


def actuator_numbers(model: Any, i: int, *fields: str) -> Array:
    """Return all numbers of an actuator in some arrays, with those of each of its controls and
    outputs.

    Args:
        model: The ``mujoco.MjModel``.
        i: The actuator.
        fields: Names of the arrays without their prefix; one that the version of MuJoCo lacks is
            left out.
    """
    found = [
        numbers(model, k, f"actuator_{field}")
        for field in fields
        for k in actuator_rows(model, i, field)
    ]
    return np.concatenate(found) if found else np.empty(0)


def actuator_rows(model: Any, i: int, field: str) -> range:
    """Return the rows of an actuator in an array; one in versions of MuJoCo in which each has one
    control.

    Args:
        model: The ``mujoco.MjModel``.
        i: The actuator.
        field: Name of the array without its prefix.
    """
    counted = ""
    if field in _OF_CONTROLS:
        counted = "ctrl"
    elif field in _OF_OUTPUTS:
        counted = "out"
    if not counted or not hasattr(model, f"actuator_{counted}adr"):
        return range(i, i + 1)
    start = int(getattr(model, f"actuator_{counted}adr")[i])
    return range(start, start + int(getattr(model, f"actuator_{counted}num")[i]))


def numbered(labels: list[str]) -> list[str]:
    """Return labels in which each one that was there before has its number."""
    seen, result = Counter[str](), []
    for label in labels:
        seen[label] += 1
        result.append(f"{label} ({seen[label]})" if seen[label] > 1 else label)
    return result


Stated = Iterator[tuple[str, tuple[str, ...], Array]]
"""The label of each element, the names that it is about, and its numbers."""

_SIZES = {0: (7, 6), 1: (4, 3)}
"""Number of positions and velocities of a joint, by its type; one of each for the others."""
_POSE = 7
"""Number of positions of a free joint."""
_IMAGE = 3
"""The type of a light that is a picture, which a scene does not have."""
_GEOM = (
    "condim", "priority", "solmix", "solref", "solimp", "margin", "gap", "friction", "fluid",
    "adhesion", "surfacevel",
)  # fmt: skip
_IN_FLUIDS = ("fluid",)
"""Settings that act on a geom that touches nothing, too."""
_PAIR = ("dim", "solref", "solreffriction", "solimp", "margin", "gap", "friction", "adhesion")
_CAMERA = (
    "mode", "fovy", "ipd", "resolution", "sensorsize", "projection", "orthographic", "output",
)  # fmt: skip
_LIGHT = (
    "type", "mode", "pos", "dir", "active", "castshadow", "attenuation", "cutoff", "exponent",
    "ambient", "diffuse", "specular", "range", "bulbradius", "intensity", "softness",
)  # fmt: skip


def links(view: View) -> Stated:
    """Yield the fraction of its weight that holds each link, and the inertia of a link that is
    fixed to the world.

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
        found = [
            numbers(
                model,
                j,
                "jnt_stiffness",
                "jnt_stiffnesspoly",
                "jnt_actgravcomp",
                "jnt_actfrclimited",
            )
        ]
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
    """Return the position in which the document draws a joint; of that of a free joint the rotation
    matrix.
    """
    if len(position) != _POSE:
        return position
    return np.concatenate([position[:3], quaternion_to_matrix(position[3:]).ravel()])


def contacts(view: View) -> Stated:
    """Yield the settings of each shape that collides, and of each pair for which the model states
    its own.

    Those of a shape end with the number of shapes that it may touch, those of a pair with the
    places of its shapes among those of their links.

    Args:
        view: The compiled model.
    """
    model = view.model
    geoms, touched = (
        [g for g in range(model.ngeom) if view.solid[g]],
        touched_geoms(view.mujoco, model, view.solid),
    )
    touching = _touching(view)
    names = [view.link(int(model.geom_bodyid[g])) for g in geoms]
    for g, name, label in zip(
        geoms, names, numbered([f"contact of {name}" for name in names]), strict=True
    ):
        fields = _GEOM if touching[g] else _IN_FLUIDS
        yield (
            label,
            (name,),
            np.append(numbers(model, g, *(f"geom_{field}" for field in fields)), touched[g]),
        )
    number = dict(zip(geoms, _counted(names), strict=True))
    ends = zip(model.pair_geom1.tolist(), model.pair_geom2.tolist(), strict=True)
    pairs = [
        sorted((view.link(int(model.geom_bodyid[g])), number.get(g, -1)) for g in pair)
        for pair in ends
        if not view.switches_off("contact")
    ]
    labels = numbered([f"contact of {one} with {two}" for (one, _), (two, _) in pairs])
    for k, (label, pair) in enumerate(zip(labels, pairs, strict=True)):
        settings = numbers(model, k, *(f"pair_{field}" for field in _PAIR))
        yield (
            label,
            tuple(name for name, _ in pair),
            np.append(settings, [place for _, place in pair]),
        )


def _touching(view: View) -> Array:
    """Return whether each geom can touch anything, by its bitmasks or a pair, shape (ngeom,)."""
    model = view.model
    touching = (model.geom_contype | model.geom_conaffinity) != 0
    touching[model.pair_geom1] = touching[model.pair_geom2] = True
    return np.asarray(touching & (not view.switches_off("contact")))


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
        yield (
            _aimed(label, target, view),
            (name or "",),
            np.concatenate([view.pose("cam", i), lens]),
        )
    for i in range(model.nlight):
        name, target = view.name_of("light", i), int(model.light_targetbodyid[i])
        if int(model.light_type[i]) != _IMAGE:
            label = f"light {name} of {view.link(int(model.light_bodyid[i]))}"
            yield (
                _aimed(label, target, view),
                (name or "",),
                numbers(model, i, *(f"light_{f}" for f in _LIGHT)),
            )


def _aimed(label: str, target: int, view: View) -> str:
    return f"{label} towards {view.link(target)}" if target >= 0 else label


_PLANE, _HFIELD, _SPHERE, _CAPSULE, _CYLINDER, _MESH, _SDF = 0, 1, 2, 3, 5, 7, 8
"""MuJoCo's types of geoms."""
_ENDLESS = 50.0
"""Half of the extent with which a scene draws a plane without end [m]."""
_FILES = frozenset({_HFIELD, _MESH, _SDF})
NUMBER_OF_SIZES = {_SPHERE: 1, _CAPSULE: 2, _CYLINDER: 2}
"""Number of sizes that a type has; three for the others."""
_COLOR = (0.5, 0.5, 0.5, 1.0)
"""The color of a geom without one; such a geom has that of its material."""
_NO_MATERIAL = (0.0, 0.5, 0.5)
"""Emission, specularity and shininess with which MuJoCo draws a geom without material."""


def shapes(view: View) -> Stated:
    """Yield type, size and pose of each shape that collides or is drawn, and its color if it is
    drawn.

    Args:
        view: The compiled model.
    """
    for label, link, g in _shapes(view):
        is_drawn = label.startswith("drawing")
        yield (
            label,
            (link,),
            np.concatenate([_form(g, is_drawn, view), _look(g, view) if is_drawn else np.empty(0)]),
        )


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
    """Return the vertices of the triangles of a mesh, shape (n, 3) [m]; an export does not have
    others.
    """
    model = view.model
    first, start, count = (
        int(numbers[mesh])
        for numbers in (model.mesh_vertadr, model.mesh_faceadr, model.mesh_facenum)
    )
    used = np.unique(model.mesh_face[start : start + count])
    return np.asarray(model.mesh_vert[first + used], dtype=np.float64)


def height_fields(view: View) -> Stated:
    """Yield the edges of each height field that collides or is drawn, and its heights, row by row
    [m].

    Args:
        view: The compiled model.
    """
    model = view.model
    for label, link, g in _shapes(view):
        if int(model.geom_type[g]) == _HFIELD:
            field = int(model.geom_dataid[g])
            start, count = (
                int(model.hfield_adr[field]),
                int(model.hfield_nrow[field]) * int(model.hfield_ncol[field]),
            )
            x, y, top, _ = model.hfield_size[field].tolist()
            heights = top * np.asarray(model.hfield_data[start : start + count], dtype=np.float64)
            yield label, (link,), np.concatenate([[x, y], heights])


def _shapes(view: View) -> Iterator[tuple[str, str, int]]:
    """Yield the label of each shape that collides, and of each one that is drawn, with its link and
    its geom.
    """
    for what, chosen in (("shape", view.solid), ("drawing", view.drawn)):
        geoms = [g for g, is_chosen in enumerate(chosen) if is_chosen]
        links = [view.link(int(view.model.geom_bodyid[g])) for g in geoms]
        yield from zip(numbered([f"{what} of {link}" for link in links]), links, geoms, strict=True)


def _form(g: int, is_drawn: bool, view: View) -> Array:
    """Return the type of a geom, and its size and pose unless they are those of a file; a plane
    touches without end.
    """
    model, kind = view.model, int(view.model.geom_type[g])
    if kind == _HFIELD:
        return np.array([kind, *view.pose("geom", g)])
    if kind in _FILES:
        return np.array([_MESH])
    if kind == _PLANE:
        size = [x or _ENDLESS for x in model.geom_size[g][:2].tolist()] if is_drawn else []
        return np.array([kind, *size, *view.pose("geom", g)])
    return np.array(
        [kind, *model.geom_size[g][: NUMBER_OF_SIZES.get(kind, 3)], *view.pose("geom", g)]
    )


def _look(g: int, view: View) -> Array:
    """Return color, emission, specularity and shininess, and whether there is a texture."""
    model, material = view.model, int(view.model.geom_matid[g])
    color: Sequence[float] = model.geom_rgba[g].tolist()
    if material < 0:
        return np.array([*color, *_NO_MATERIAL, False])
    if np.allclose(color, _COLOR, rtol=0.0, atol=1e-6):
        color = model.mat_rgba[material].tolist()
    names = [view.name_of("texture", int(t)) for t in np.ravel(model.mat_texid[material]) if t >= 0]
    light = (
        model.mat_emission[material],
        model.mat_specular[material],
        model.mat_shininess[material],
    )
    return np.array([*color, *light, any(names)])


_JOINT, _PULLEY, _SITE, _WRAP_SPHERE = 1, 2, 3, 4
"""MuJoCo's types of parts of tendons; what is beyond is a cylinder."""
_DATA = {"joint": slice(5), "tendon": slice(5), "flexstrain": slice(3), "weld": slice(10, 11)}
"""The numbers of an equality that no point or frame shows, by its kind."""
_TARGETS = {0: "joint", 1: "joint", 2: "site", 3: "tendon", 4: "site", 5: "body", 6: "joint"}
"""Kind of what an actuator drives, by the type of its transmission."""
_SENSOR = (
    "datatype", "needstage", "dim", "intprm", "cutoff", "noise", "delay", "interval", "history",
)  # fmt: skip
_OF_REGIONS = frozenset({"touch", "insidesite", "contact"})
"""Sensors that measure within the shape of a site."""
_FLEX = (
    "dim", "interp", "contype", "conaffinity", "condim", "priority", "solmix", "solref", "solimp",
    "friction", "margin", "gap", "internal", "passive", "selfcollide", "activelayers",
    "edgestiffness", "edgedamping", "radius", "damping", "size", "rigid", "cellnum", "edgeequality",
    "flatskin", "rgba",
)  # fmt: skip
_FLEX_DATA = (
    "flex_stiffness", "flex_bending", "flex_vert", "flex_vert0", "flex_node0", "flexedge_length0",
)  # fmt: skip
_COMPARED = frozenset({"gravity", "timestep"})
"""Options that are quantities of their own."""
_TOLERANCE = 1e-8
"""The unit of tolerances, which would be too small to be told apart."""
_GRAVITY_OFF = 1 << 7
"""MuJoCo's ``mjDSBL_GRAVITY``; a scene states no gravity in its place."""


def tendons(view: View) -> Stated:
    """Yield the path of each tendon, its springs, and the settings of friction and stops if it has
    them.

    Args:
        view: The compiled model.
    """
    model = view.model
    for t in range(model.ntendon):
        first, name = int(model.tendon_adr[t]), view.name_of("tendon", t) or ""
        parts = [_part(k, view) for k in range(first, first + int(model.tendon_num[t]))]
        found = [
            numbers(
                model,
                t,
                "tendon_stiffness",
                "tendon_stiffnesspoly",
                "tendon_damping",
                "tendon_dampingpoly",
            )
        ]
        if numbers(model, t, "tendon_stiffness", "tendon_stiffnesspoly").any():
            found.append(model.tendon_lengthspring[t])
        if model.tendon_frictionloss[t]:
            found.append(
                numbers(model, t, "tendon_frictionloss", "tendon_solref_fri", "tendon_solimp_fri")
            )
        if model.tendon_limited[t]:
            found.append(
                numbers(
                    model,
                    t,
                    "tendon_range",
                    "tendon_margin",
                    "tendon_solref_lim",
                    "tendon_solimp_lim",
                )
            )
        if model.tendon_actfrclimited[t]:
            found.append(model.tendon_actfrcrange[t])
        label = f"tendon {name} by {', '.join(label for label, _ in parts)}"
        yield label, (name,), np.concatenate([*found, *(data for _, data in parts)])


def _part(k: int, view: View) -> tuple[str, Array]:
    """Return a part of a tendon: its label, and its numbers."""
    model, kind, i = view.model, int(view.model.wrap_type[k]), int(view.model.wrap_objid[k])
    value = float(model.wrap_prm[k])
    if kind == _PULLEY:
        return "pulley", np.array([value])
    if kind == _JOINT:
        return view.joints.get(i, ""), np.array([value])
    if kind == _SITE:
        return view.link(int(model.site_bodyid[i])), model.site_pos[i]
    label, side = (
        f"{'sphere' if kind == _WRAP_SPHERE else 'cylinder'} of "
        f"{view.link(int(model.geom_bodyid[i]))}",
        np.empty(0),
    )
    if value >= 0.0:
        site = round(value)
        label, side = (
            f"{label} beside {view.link(int(model.site_bodyid[site]))}",
            model.site_pos[site],
        )
    return label, np.concatenate(
        [view.pose("geom", i), model.geom_size[i][:1], side]
    )  # wraps as if it had no ends


def equalities(view: View) -> Stated:
    """Yield the settings of each equality that no flag switches off, in the order of each kind and
    what it holds.

    Args:
        view: The compiled model.
    """
    if view.switches_off("equality"):
        return
    model, labels, found = view.model, [], []
    for k in range(model.neq):
        kind = view.kinds["mjtEq"][int(model.eq_type[k])]
        ends = [_end(kind, int(end[k]), k, view) for end in (model.eq_obj1id, model.eq_obj2id)]
        labels.append(f"equality {kind} of {', '.join(filter(None, ends))}")
        data = model.eq_data[k][_DATA[kind]] if kind in _DATA else np.empty(0)
        held = held_frames(kind, k, view) if kind in {"connect", "weld"} else np.empty(0)
        found.append(
            np.concatenate([numbers(model, k, "eq_active0", "eq_solref", "eq_solimp"), data, held])
        )
    for label, numbers_of in zip(numbered(labels), found, strict=True):
        yield label, (), numbers_of


def held_frames(kind: str, k: int, view: View) -> Array:
    """Return what an equality holds together: the points in both bodies, or the point in body 2,
    and body 2 in body 1.

    Args:
        kind: ``connect`` or ``weld``.
        k: The equality.
        view: The compiled model.
    """
    model, data = view.model, view.model.eq_data[k]
    if view.kinds["mjtObj"][int(model.eq_objtype[k])] == "site":
        one, two = (_site(int(end[k]), view) for end in (model.eq_obj1id, model.eq_obj2id))
    elif kind == "connect":
        one, two = Pose.of(p=data[:3]), Pose.of(p=data[3:6])
    else:
        one, two = Pose.of(quaternion_to_matrix(data[6:10]), data[3:6]), Pose.of(p=data[:3])
    if kind == "connect":
        return np.concatenate([one.p, two.p])
    X_12 = one @ two.inverse()
    return np.concatenate([two.p, X_12.p, X_12.R.ravel()])


def _site(i: int, view: View) -> Pose:
    return Pose.of(quaternion_to_matrix(view.model.site_quat[i]), view.model.site_pos[i])


def _end(kind: str, i: int, k: int, view: View) -> str:
    model = view.model
    if kind in {"connect", "weld"}:
        is_site = view.kinds["mjtObj"][int(model.eq_objtype[k])] == "site"
        return view.link(int(model.site_bodyid[i]) if is_site else i)
    if i < 0:
        return ""
    if kind == "joint":
        return view.joints.get(i, "")
    return view.name_of("tendon" if kind == "tendon" else "flex", i) or ""


def actuators(view: View) -> Stated:
    """Yield the target of each actuator that no flag switches off, and the settings that do not
    belong to its law.

    Args:
        view: The compiled model.
    """
    model = view.model
    kinds = {word: number for number, word in view.kinds["mjtObj"].items()}
    for i, kind in enumerate(model.actuator_trntype.tolist()):
        name = view.name_of("actuator", i)
        if name is None or kind not in _TARGETS:
            continue
        items = [
            view.item(kinds[_TARGETS[kind]], int(target)) for target in model.actuator_trnid[i]
        ]
        items = items if _TARGETS[kind] == "site" else items[:1]
        settings = [actuator_numbers(model, i, "actearly", "group", "lengthrange", "cranklength")]
        for row in actuator_rows(model, i, "ctrlrange"):
            is_limited = bool(model.actuator_ctrllimited[row])
            settings.append(np.append(model.actuator_ctrlrange[row] * is_limited, is_limited))
        label = f"actuator {name} on {', '.join(filter(None, (label for label, _ in items)))}"
        yield label, (name,), np.concatenate([*settings, *(data for _, data in items)])


def sensors(view: View) -> Stated:
    """Yield what each sensor measures, and its settings; not of actuators that a scene lacks.

    Args:
        view: The compiled model.
    """
    model, labels, found, names = view.model, [], [], []
    for i in range(model.nsensor):
        name, of = view.name_of("sensor", i), int(model.sensor_objid[i])
        is_of_actuator = view.kinds["mjtObj"].get(int(model.sensor_objtype[i])) == "actuator"
        is_idle = is_of_actuator and view.name_of("actuator", of) is None
        if name is not None and not is_idle:
            one = view.item(int(model.sensor_objtype[i]), of)
            two = view.item(int(model.sensor_reftype[i]), int(model.sensor_refid[i]))
            kind = view.kinds["mjtSensor"][int(model.sensor_type[i])]
            labels.append(f"sensor {' '.join(filter(None, (kind, one[0], two[0])))}")
            settings = numbers(model, i, *(f"sensor_{field}" for field in _SENSOR))
            found.append(np.concatenate([settings, one[1], two[1], _region(kind, i, view)]))
            names.append(name)
    for label, name, settings in zip(numbered(labels), names, found, strict=True):
        yield label, (name,), settings


def _region(kind: str, i: int, view: View) -> Array:
    """Return type and size of the site within which a sensor measures; nothing for other
    sensors.
    """
    model = view.model
    ends = (
        (model.sensor_objtype[i], model.sensor_objid[i]),
        (model.sensor_reftype[i], model.sensor_refid[i]),
    )
    sites = [
        int(index) for number, index in ends if view.kinds["mjtObj"].get(int(number)) == "site"
    ]
    if kind not in _OF_REGIONS or not sites:
        return np.empty(0)
    shape = int(model.site_type[sites[0]])
    return np.array([shape, *model.site_size[sites[0]][: NUMBER_OF_SIZES.get(shape, 3)]])


def soft_bodies(view: View) -> Stated:
    """Yield the settings of each soft body, and the numbers of their elements.

    Args:
        view: The compiled model.
    """
    model = view.model
    for i in range(model.nflex):
        name = view.name_of("flex", i) or ""
        yield f"soft body {name}", (name,), numbers(model, i, *(f"flex_{field}" for field in _FLEX))
    for field in _FLEX_DATA if model.nflex else ():
        if hasattr(model, field):
            yield field, (), np.ravel(getattr(model, field)).astype(np.float64)


def keyframes(view: View) -> Stated:
    """Yield positions, velocities, controls and states of each keyframe.

    Args:
        view: The compiled model.
    """
    model = view.model
    for k in range(model.nkey):
        name = view.name_of("key", k)
        if name is None:
            continue
        yield (
            f"keyframe {name}",
            (name,),
            numbers(model, k, "key_qpos", "key_qvel", "key_mpos", "key_mquat"),
        )
        for i in range(len(model.actuator_trntype)):
            actuator = view.name_of("actuator", i)
            if actuator is not None:
                first, states = int(model.actuator_actadr[i]), int(model.actuator_actnum[i])
                act = model.key_act[k][first : first + states]
                found = np.concatenate(
                    [model.key_ctrl[k][list(actuator_rows(model, i, "ctrlrange"))], act]
                )
                yield f"keyframe {name} of {actuator}", (name, actuator), found


def options(view: View) -> Stated:
    """Yield each option of the simulation.

    Args:
        view: The compiled model.
    """
    option = view.model.opt
    for name in dir(option):
        value = getattr(option, name)
        if name.startswith("_") or callable(value) or name in _COMPARED:
            continue
        value = view.options.get(name, value)
        value = int(value) & ~_GRAVITY_OFF if name == "disableflags" else value
        value = value / _TOLERANCE if name.endswith("tolerance") else value
        yield f"option {name}", (), np.ravel(np.asarray(value, dtype=np.float64))


class MismatchError(Exception):
    """The compiled model lacks a body or joint of the mechanism; the message states which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyIndices:
    """The places of one body of a mechanism in a compiled model."""

    body: int
    """Index of the body."""
    joints: tuple[int, ...]
    """Indices of the joints, one for each primitive."""
    beyond: tuple[int, ...]
    """The joints of the same body that move it against this link."""


def exported_indices(mechanism: Mechanism, model: Any) -> list[BodyIndices]:
    """Return the places of each body in the compiled export of a mechanism.

    Args:
        mechanism: The mechanism.
        model: The ``mujoco.MjModel``.
    """
    carried, taken = carried_bodies(mechanism), Counter[int]()
    indices = []
    for i, body in enumerate(mechanism.bodies):
        number = int(model.body(mechanism.bodies[carried.get(i, i)].name).id)
        first = int(model.body_jntadr[number]) + taken[number]
        joints = tuple(range(first, first + len(body.primitives)))
        taken[number] += len(joints)
        indices.append(_indices(number, joints, model))
    return indices


def original_indices(
    mechanism: Mechanism, model: Any, bodies: tuple[str, ...], joints: tuple[str, ...]
) -> list[BodyIndices]:
    """Return the places of each body of a mechanism in its original, compiled by MuJoCo.

    Args:
        mechanism: The mechanism.
        model: The ``mujoco.MjModel`` of the original.
        bodies: Name of each body of the original.
        joints: Name of each joint of the original.

    Raises:
        MismatchError: if the original has other bodies or joints.
    """
    known = {name: i for i, name in enumerate(bodies)}, {name: i for i, name in enumerate(joints)}
    indices = [_original(body, model, *known) for body in mechanism.bodies]
    seen = {i.body for i in indices}, {j for i in indices for j in i.joints}
    missing = [name for name, i in known[0].items() if i and i not in seen[0]]
    missing += [name for name, j in known[1].items() if j not in seen[1]]
    if missing:
        raise MismatchError(f"it has {missing[0]}, which the model does not have")
    return indices


def _original(
    body: Body, model: Any, bodies: dict[str, int], joints: dict[str, int]
) -> BodyIndices:
    joint = None if body.source is None or not body.primitives else joints.get(body.source.name)
    number = bodies.get(body.name) if joint is None else int(model.jnt_bodyid[joint])
    if body.primitives and joint is None:
        raise MismatchError(f"its joint {body.joint} is fixed or missing")
    if number is None or (not body.link.virtual and bodies.get(body.name) != number):
        raise MismatchError(f"it does not have the link {body.name}")
    if joint is None and model.body_jntnum[number]:
        raise MismatchError(f"its link {body.name} moves; that of the model is fixed")
    return _indices(number, () if joint is None else (joint,), model)


def _indices(body: int, joints: tuple[int, ...], model: Any) -> BodyIndices:
    end = int(model.body_jntadr[body] + model.body_jntnum[body])
    beyond = tuple(range(joints[-1] + 1, end)) if joints else ()
    return BodyIndices(body=body, joints=joints, beyond=beyond)


def at_zero(qpos: Array, joints: tuple[int, ...], model: Any) -> Array:
    """Return a position of the model with some of its joints at zero.

    Args:
        qpos: The position.
        joints: Hinges, slides and balls.
        model: The ``mujoco.MjModel``.
    """
    changed = np.array(qpos)
    for joint in joints:
        start, is_ball = int(model.jnt_qposadr[joint]), int(model.jnt_type[joint]) == 1
        changed[start : start + (4 if is_ball else 1)] = (1.0, 0.0, 0.0, 0.0) if is_ball else 0.0
    return changed


def dofs_of(joints: tuple[int, ...], model: Any) -> list[int]:
    """Return the velocity components of hinges, slides and balls.

    Args:
        joints: The joints.
        model: The ``mujoco.MjModel``.
    """
    sizes = {j: 3 if int(model.jnt_type[j]) == 1 else 1 for j in joints}
    return [int(model.jnt_dofadr[j]) + k for j in joints for k in range(sizes[j])]


def equality_elements(root: MjcfElement) -> frozenset[int]:
    """Return the indices of the equalities of an export that write elements of MuJoCo, and no item
    of the scene.

    Args:
        root: The exported document, whose equalities have the order of the compiled model.
    """
    sections = [section for section in root.children if section.tag == "equality"]
    equalities = [child for section in sections for child in section.children]
    return frozenset(k for k, equality in enumerate(equalities) if equality.is_stated)


def joint_equalities(
    mujoco: Any, model: Any, elements: Collection[int]
) -> Iterator[tuple[int, int, CouplingLaw]]:
    """Yield both joints of each coupling that acts, -1 for none, and its law, in positions of the
    joints.

    MuJoCo counts from the reference positions of the joints.

    Args:
        mujoco: The module.
        model: The ``mujoco.MjModel``.
        elements: Equalities that the scene holds as elements of MuJoCo: neither limits nor
            couplings of the scene.
    """
    if is_off(mujoco, model, "equality"):
        return
    of_joints = (k for k in range(model.neq) if model.eq_type[k] == mujoco.mjtEq.mjEQ_JOINT)
    for k in (k for k in of_joints if k not in elements and model.eq_active0[k]):
        one, two, data = int(model.eq_obj1id[k]), int(model.eq_obj2id[k]), model.eq_data[k]
        reference = float(model.qpos0[model.jnt_qposadr[two]]) if two >= 0 else 0.0
        coefficients = shifted(data[:5], -reference)
        coefficients[0] += model.qpos0[model.jnt_qposadr[one]]
        yield one, two, CouplingLaw.of(coefficients)


NAMED = ("site", "tendon", "actuator", "sensor", "camera", "light", "key", "flex", "texture")
"""Kinds of elements that are compared by name."""
_DROPPED = frozenset({"actuator", "sensor"})
"""Kinds of elements that a scene may lack."""
_ENUMERATIONS = {"mjtObj": "mjOBJ_", "mjtEq": "mjEQ_", "mjtSensor": "mjSENS_"}
_PARTS = (
    links, joints, shapes, contacts, frames, views, tendons, equalities, actuators, sensors,
    soft_bodies, keyframes, options,
)  # fmt: skip


def statements(view: View) -> Statements:
    """Return what a compiled model states beside its mechanics.

    Args:
        view: The compiled model.
    """
    return _by_label(_PARTS, view)


def forms(view: View) -> Statements:
    """Return the meshes and the height fields of a compiled model, whose numbers are rounded in an
    export.

    Args:
        view: The compiled model.
    """
    return _by_label((meshes, height_fields), view)


def _by_label(parts: Sequence[Callable[[View], Stated]], view: View) -> Statements:
    stated = [row for part in parts for row in part(view)]
    return {(label, names): found for label, names, found in stated}


def exported_names(
    mujoco: Any, model: Any, mechanism: Mechanism, changed: Mapping[str, str]
) -> _NameOf:
    """Return the function that names the elements of an export as the scene does.

    Args:
        mujoco: The module.
        model: The compiled export.
        mechanism: The mechanism.
        changed: MJCF names by canonical name, where they differ.
    """
    canonical, scene = {new: old for old, new in changed.items()}, mechanism.scene
    held = {
        "site": {f.name for f in scene.frames},
        "key": {keyframe.name for keyframe in scene.keyframes},
    }

    def name_of(kind: str, index: int) -> str | None:
        found = mujoco.mj_id2name(
            model, int(getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")), index
        )
        name = canonical.get(found, found) if found else f"{kind}_{index}"
        return name if kind not in held or name in held[kind] else None

    return name_of


def original_names(
    mechanism: Mechanism, names: Mapping[str, Sequence[str]], pictures: Collection[str] = ()
) -> _NameOf:
    """Return the function that names the elements of an original; what the reader says it drops has
    no name.

    Args:
        mechanism: The mechanism.
        names: The names of the elements, by kind.
        pictures: Names of the textures.
    """
    entries = (entry for entry in mechanism.scene.diagnostics if entry.fate is Fate.DROPPED)
    dropped = frozenset(
        str(entry.arguments["name"]) for entry in entries if "name" in entry.arguments
    )

    def name_of(kind: str, index: int) -> str | None:
        name = names[kind][index]
        is_lost = (
            name not in pictures if kind == "texture" else kind in _DROPPED and name in dropped
        )
        return None if is_lost else name

    return name_of


def view_of(
    mujoco: Any,
    model: Any,
    mechanism: Mechanism,
    indices: Sequence[BodyIndices],
    roles: Sequence[tuple[bool, bool]],
    name_of: _NameOf,
    options_of: Mapping[str, Any],
) -> View:
    """Return the view of a compiled model.

    Args:
        mujoco: The module.
        model: The compiled model.
        mechanism: The mechanism.
        indices: The places of its bodies in the model.
        roles: Whether each geom collides, and whether it is drawn.
        name_of: The names of elements, see `View`, which has none of actuators that are off.
        options_of: Options in place of those of the model.
    """
    idle = idle_actuators(mujoco, model)

    def acting_name(kind: str, index: int) -> str | None:
        return None if kind == "actuator" and index in idle else name_of(kind, index)

    pairs = list(zip(mechanism.bodies, indices, strict=True))
    kinds = {}
    for enumeration, prefix in _ENUMERATIONS.items():
        members = getattr(mujoco, enumeration).__members__.items()
        kinds[enumeration] = {int(m.value): n.removeprefix(prefix).lower() for n, m in members}
    return View(
        mujoco=mujoco,
        model=model,
        kinds=kinds,
        links={i.body: body.name for body, i in pairs},
        joints={j: str(body.joint) for body, i in pairs for j in i.joints},
        solid=tuple(collides for collides, _ in roles),
        drawn=tuple(is_drawn for _, is_drawn in roles),
        name_of=acting_name,
        options=options_of,
    )


_NameOf = Callable[[str, int], str | None]
