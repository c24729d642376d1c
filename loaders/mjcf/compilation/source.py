"""A compiled model with the names of its elements and their places in the source."""

from __future__ import annotations

from dataclasses import dataclass, field

from loaders.diagnostics import Diagnostics, Where, make_where
from loaders.model import WORLD, Heightmap, Mesh
from loaders.node import Node
from loaders.spatial import Pose

from .assets import Assets
from .compiler import Compiled
from .rows import Rows
from .text import LineMap

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
        """Return the names of all elements of a kind; one without a name is ``body_3``, by its index.

        Args:
            kind: The kind as in the arrays of the model: ``body``, ``joint``, ``geom``, ``eq``.
        """
        if kind not in self._names:
            self._names[kind] = self._read_names(kind)
        return self._names[kind]

    def stated_names(self, kind: str) -> list[str]:
        """Return the names of all elements of a kind as the document states them; empty for one without a name.

        Args:
            kind: See `names`.
        """
        if kind not in self._stated:
            addresses = getattr(self.model, f"name_{_ABBREVIATIONS.get(kind, kind)}adr")
            data: bytes = self.model.names  # one name after another, each with a zero at its end
            stated = data[addresses[0] : data.index(b"\0", addresses[-1])].decode().split("\0") if addresses else []
            self._stated[kind] = stated
        return self._stated[kind]

    def _read_names(self, kind: str) -> tuple[str, ...]:
        stated = self.stated_names(kind)
        if "" not in stated:
            return tuple(stated)
        prefix, taken = _PREFIXES.get(kind, kind), set(stated)
        names = [name or f"{prefix}_{i}" for i, name in enumerate(stated)]
        if len(set(names)) < len(names):  # a made name is taken
            names = [name or unique(f"{prefix}_{i}", taken) for i, name in enumerate(stated)]
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
            if nodes is None or not is_known or (nodes is not bodies and self._nodes_of("body") is not bodies):
                nodes = self.lines.nodes_of(self.compiled.lines(kind))
            self._nodes[kind] = nodes
        return self._nodes[kind]

    def _are(self, nodes: list[Node | None], kind: str) -> bool:
        """Return whether elements have the names of a kind in the compiled model, as not if bodies are fused."""
        names = self.stated_names(kind)
        if len(nodes) != len(names):
            return False
        pairs = zip(nodes, names, strict=True)
        return not [name for node, name in pairs if node is not None and node.attributes.get("name", "") != name]

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
        return make_where(node.file, node.line, path)

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
            path = self._paths[item] = f"{path}/{item.tag}[{name}]" if name else f"{path}/{item.tag}"
        return path

    def link(self, body: int) -> str:
        """Return the name of the link of a body."""
        return self.names("body")[body] if body else WORLD

    def rotors(self, transmissions: frozenset[int]) -> dict[int, float]:
        """Return the reflected inertia that actuators add, by the index of what they drive [kg m^2 or kg].

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
        """Return the row of the first output of an actuator, which versions with armature but not this lack."""
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


def unique(name: str, taken: set[str]) -> str:
    """Return a name with underscores in front until it is not taken, and take it.

    Args:
        name: The preferred name.
        taken: The names that are taken; the result is added.
    """
    while name in taken:
        name = f"_{name}"
    taken.add(name)
    return name
