"""A compiled model with names and places of its elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from loaders.diagnostics import Diagnostics, Where
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Heightmap, Mesh
from loaders.node import Node
from loaders.pose import Array, Pose, quaternion_to_matrix
from loaders.scoped_names import UnusedNames, underscores_in_front

from .asset import Assets
from .compiler import Compiled
from .document import LineMap

_list_of = np.ndarray.tolist
_KINDS = {
    "actuator": (
        "actearly", "actlimited", "actnum", "actrange", "biasprm", "biastype", "ctrladr",
        "ctrllimited", "ctrlnum", "ctrlrange", "ctrlspec", "damping", "dampingpoly", "delay",
        "dynprm", "dyntype", "forcelimited", "forcerange", "gainprm", "gaintype", "gear", "group",
        "history", "lengthrange", "outadr", "plugin", "trnid",
    ),
    "body": (
        "gravcomp", "inertia", "ipos", "iquat", "jntadr", "jntnum", "mass", "mocapid", "parentid",
    ),
    "cam": (
        "bodyid", "fovy", "ipd", "mode", "output", "projection", "resolution", "sensorsize",
        "targetbodyid",
    ),
    "dof": ("armature", "damping", "dampingpoly", "frictionloss"),
    "eq": ("active0", "data", "obj1id", "obj2id", "objtype", "solimp", "solref"),
    "geom": (
        "bodyid", "conaffinity", "condim", "contype", "dataid", "friction", "gap", "group",
        "margin", "matid", "priority", "rgba", "size", "solimp", "solmix", "solref", "type",
    ),
    "jnt": (
        "actfrclimited", "actfrcrange", "actgravcomp", "axis", "dofadr", "limited", "margin", "pos",
        "qposadr", "range", "stiffness", "stiffnesspoly", "type",
    ),
    "light": (
        "active", "ambient", "attenuation", "bodyid", "bulbradius", "castshadow", "cutoff",
        "diffuse", "dir", "exponent", "intensity", "mode", "pos", "range", "softness", "specular",
        "targetbodyid", "type",
    ),
    "mat": ("emission", "rgba", "shininess", "specular", "texid"),
    "mesh": ("pos", "quat", "scale"),
    "tendon": (
        "actfrclimited", "actfrcrange", "adr", "armature", "damping", "dampingpoly", "frictionloss",
        "lengthspring", "limited", "margin", "num", "range", "stiffness", "stiffnesspoly",
    ),
    "wrap": ("objid", "prm", "type"),
}  # fmt: skip
"""Arrays that a scene needs, of the kinds that many models have."""
_COUNTS = (
    "nbody", "ncam", "neq", "ngeom", "nhfield", "nkey", "nlight", "nmat", "nmesh", "npair",
    "nplugin", "nsensor", "nskin", "ntendon", "ntex", "flg_adhesion", "flg_surfacevel", "names",
    "opt",
)  # fmt: skip
"""Attributes other than arrays; most are the numbers of elements of a kind."""
_FEW = (
    "actuator_armature", "actuator_trntype", "eq_type", "exclude_signature", "name_actuatoradr",
    "name_bodyadr", "name_geomadr", "name_jntadr", "name_siteadr", "name_tendonadr", "qpos0",
    "qpos_spring", "site_bodyid",
)  # fmt: skip
"""Arrays that every model is asked for."""
_GROUPS = (_FEW, *(tuple(f"{kind}_{name}" for name in names) for kind, names in _KINDS.items()))
_TOGETHER = {name: group for group in (_COUNTS, *_GROUPS) for name in group}
"""The attributes that are read together, by the name of each: one call takes less time than
many."""


class Rows:
    """A compiled model whose arrays become lists when they are first read.

    Attributes that are no arrays are those of the model. An array that the installed version of
    MuJoCo does not have is an ``AttributeError``.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        model, known = self._model, self.__dict__
        group = _TOGETHER.get(name)
        if group is None:
            value = getattr(model, name)
            known[name] = value.tolist() if isinstance(value, np.ndarray) else value
            return known[name]
        names, values_of = _reader(group, model.__class__)
        values = values_of(model)
        known.update(zip(names, values if group is _COUNTS else map(_list_of, values), strict=True))
        if name not in names:
            raise AttributeError(f"this version of MuJoCo has no {name}")
        return known[name]

    def has(self, name: str) -> bool:
        """Return whether an array has a number other than zero, which takes less time than to make
        a list of it.

        Args:
            name: Name of the array.
        """
        return bool(np.count_nonzero(getattr(self._model, name)))

    def poses(self, kind: str) -> list[Pose]:
        """Return the pose that each element of a kind has in its body; the lists of its numbers are
        not kept.

        Args:
            kind: The kind as in the names of the arrays.
        """
        return poses(getattr(self._model, f"{kind}_pos"), getattr(self._model, f"{kind}_quat"))


@cache
def _reader(
    group: tuple[str, ...], kind: type
) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the names of a group that a type of models has, and a function that returns their
    values.
    """
    names = tuple(name for name in group if hasattr(kind, name))
    return names, attrgetter(*names)


def poses(positions: Array, quaternions: Array) -> list[Pose]:
    """Return the poses with the given positions and unit quaternions ``w x y z``.

    Args:
        positions: Positions [m], shape (n, 3).
        quaternions: Quaternions, shape (n, 4).
    """
    return [Pose.from_vector(row) for row in np.hstack((positions, quaternions))]


def inertias(rows: Rows) -> list[SpatialInertia | None]:
    """Return the inertia of each body; None if it has neither mass nor moments.

    Args:
        rows: The compiled model.
    """
    return [
        _inertia(mass, center, axes, moments) if mass or any(moments) else None
        for mass, center, axes, moments in zip(
            rows.body_mass, rows.body_ipos, rows.body_iquat, rows.body_inertia, strict=True
        )
    ]


def _inertia(
    mass: float, center: list[float], axes: list[float], moments: list[float]
) -> SpatialInertia:
    """Return an inertia, given the quaternion of its principal axes and its principal moments."""
    R = quaternion_to_matrix(axes)
    terms = (R * moments)[:, np.newaxis, :] * R
    upper = np.triu(terms.sum(axis=2))
    return SpatialInertia.of(mass, center, upper + np.triu(upper, 1).T)


_ABBREVIATIONS = {"joint": "jnt", "camera": "cam", "material": "mat", "texture": "tex"}
_PREFIXES = {"eq": "equality"}


@dataclass(slots=True, kw_only=True, eq=False)
class Source:
    """A compiled model with its texts and files; nobody changes anything but the diagnostics."""

    compiled: Compiled
    """The compiled model."""
    lines: LineMap
    """The element of each line."""
    assets: Assets
    """The files of the model."""
    diagnostics: Diagnostics
    """Findings of the load."""
    file: str
    """The main file."""
    model: Rows = field(init=False)
    """The ``mujoco.MjModel``, its arrays as lists."""
    meshes: dict[int, tuple[Mesh, Pose]] = field(default_factory=dict)
    """The meshes that were converted, with the pose of each in the frame of its geom, by index."""
    hfields: dict[int, tuple[Heightmap, tuple[str, ...]]] = field(default_factory=dict)
    """The height fields that were converted, with what is approximate about each, by index."""
    _rotors: dict[frozenset[int], dict[int, float]] = field(default_factory=dict)
    _names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _stated: dict[str, list[str]] = field(default_factory=dict)
    _poses: dict[str, list[Pose]] = field(default_factory=dict)
    _nodes: dict[str, list[Node | None]] = field(default_factory=dict)
    _in_order: dict[str, list[Node | None]] = field(init=False)
    """The elements of each kind in the order of the document, which MuJoCo keeps in general."""
    _paths: dict[Node, str] = field(default_factory=dict)
    _places: dict[str, list[Where]] = field(default_factory=dict)
    _nowhere: Where = field(init=False)
    """The main file, for what has no known place in it."""

    def __post_init__(self) -> None:
        self.model = Rows(self.compiled.model)
        self._nowhere = Where(self.file)
        self._in_order = self.lines.in_order()

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of all elements of a kind; one without a name is ``body_3``, by its
        index.

        Args:
            kind: The kind as in the arrays of the model: ``body``, ``joint``, ``geom``, ``eq``.
        """
        if kind not in self._names:
            self._names[kind] = self._read_names(kind)
        return self._names[kind]

    def stated_names(self, kind: str) -> list[str]:
        """Return the names of all elements of a kind as the document states them; empty for one
        without a name.

        Args:
            kind: See `names`.
        """
        if kind not in self._stated:
            addresses = getattr(self.model, f"name_{_ABBREVIATIONS.get(kind, kind)}adr")
            data: bytes = self.model.names  # one name after another, each with a zero at its end
            stated = (
                data[addresses[0] : data.index(b"\0", addresses[-1])].decode().split("\0")
                if addresses
                else []
            )
            self._stated[kind] = stated
        return self._stated[kind]

    def _read_names(self, kind: str) -> tuple[str, ...]:
        stated = self.stated_names(kind)
        if "" not in stated:
            return tuple(stated)
        prefix, unused = _PREFIXES.get(kind, kind), UnusedNames(stated, underscores_in_front)
        names = [name or f"{prefix}_{i}" for i, name in enumerate(stated)]
        if len(set(names)) < len(names):  # a made name is taken
            names = [name or unused.claim(f"{prefix}_{i}") for i, name in enumerate(stated)]
        return tuple(names)

    def node(self, kind: str, index: int) -> Node | None:
        """Return the element from which an element of the model was made; None if unknown."""
        nodes = self._nodes_of(kind)
        return nodes[index] if 0 <= index < len(nodes) else None

    def _nodes_of(self, kind: str) -> list[Node | None]:
        """Return the element of each element of a kind, as far as known."""
        if kind not in self._nodes:
            bodies, nodes = self._in_order.get("body"), self._in_order.get(kind)
            is_known = nodes is not None and self._are(nodes, kind)
            if (
                nodes is None
                or not is_known
                or (nodes is not bodies and self._nodes_of("body") is not bodies)
            ):
                nodes = self.lines.nodes_of(self.compiled.lines(kind))
            self._nodes[kind] = nodes
        return self._nodes[kind]

    def _are(self, nodes: list[Node | None], kind: str) -> bool:
        """Return whether elements have the names of a kind in the compiled model, as not if bodies
        are fused.
        """
        names = self.stated_names(kind)
        if len(nodes) != len(names):
            return False
        pairs = zip(nodes, names, strict=True)
        return not [
            name
            for node, name in pairs
            if node is not None and node.attributes.get("name", "") != name
        ]

    def where(self, kind: str, index: int) -> Where:
        """Return the place in the source of an element of the model."""
        return self.places(kind)[index]

    def places(self, kind: str) -> list[Where]:
        """Return the place in the source of each element of a kind."""
        if kind not in self._places:
            nodes = self._nodes_of(kind)
            places = [self._nowhere if node is None else self._where(node) for node in nodes]
            missing = len(self.names(kind)) - len(places)
            self._places[kind] = places + [self._nowhere] * missing if missing else places
        return self._places[kind]

    def _where(self, node: Node) -> Where:
        """Return `Node.where`; the path of each ancestor is made once."""
        parent, name = node.parent, node.attributes.get("name")
        above = "" if parent is None else self._paths.get(parent) or self._path(parent)
        path = f"{above}/{node.tag}[{name}]" if name else f"{above}/{node.tag}"
        return Where(node.file, node.line, path)

    def _path(self, node: Node) -> str:
        """Return the path of an element as in `Node.where`; that of each ancestor is made once."""
        chain: list[Node] = []
        item: Node | None = node
        while item is not None and item not in self._paths:
            chain.append(item)
            item = item.parent
        path = "" if item is None else self._paths[item]
        for item in reversed(chain):
            name = item.attributes.get("name")
            path = self._paths[item] = (
                f"{path}/{item.tag}[{name}]" if name else f"{path}/{item.tag}"
            )
        return path

    def link(self, body: int) -> str:
        """Return the name of the link of a body."""
        return self.names("body")[body] if body else WORLD

    def rotors(self, transmissions: frozenset[int]) -> dict[int, float]:
        """Return the reflected inertia that actuators add, by the index of what they drive [kg m^2
        or kg].

        MuJoCo has it since version 3.9, and adds it to every degree of freedom of a joint.

        Args:
            transmissions: MuJoCo's types of transmission, of joints or of tendons.
        """
        if transmissions not in self._rotors:
            found = self._rotors[transmissions] = {}
            for i, inertia in enumerate(getattr(self.model, "actuator_armature", ())):
                target, other = self.model.actuator_trnid[i]
                if inertia and other < 0 and self.model.actuator_trntype[i] in transmissions:
                    gear = self.model.actuator_gear[self._output(i)][0]
                    found[target] = found.get(target, 0.0) + gear**2 * inertia
        return self._rotors[transmissions]

    def _output(self, i: int) -> int:
        """Return the row of the first output of an actuator, which versions with armature but not
        this lack.
        """
        rows = getattr(self.model, "actuator_outadr", None)
        return i if rows is None else int(rows[i])

    def pose(self, kind: str, index: int) -> Pose:
        """Return the pose that an element of the model has in its body."""
        return self.poses(kind)[index]

    def poses(self, kind: str) -> list[Pose]:
        """Return the pose that each element of a kind has in its body."""
        if kind not in self._poses:
            self._poses[kind] = self.model.poses(kind)
        return self._poses[kind]
