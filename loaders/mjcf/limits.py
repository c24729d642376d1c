"""Limits that hold before MuJoCo compiles, and all inputs that it gets."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from loaders import codes as loaders_codes
from loaders.context import MAX_INCLUDE_DEPTH, Context
from loaders.files.read_file import real_path
from loaders.limits import how_to_raise, limit_of
from loaders.mjcf import codes
from loaders.node import Node, detach_all
from loaders.numbers import whole_number
from loaders.xml import model_in, parse, read_bytes

from .asset import Assets, FileFinder
from .document import Contents, LineMap, expand_includes

MAX_DEPTH = 400
"""Largest number of nested elements; MuJoCo refuses about 500."""
MAX_ATTRIBUTES = 500
"""Largest number of attributes of an element; MuJoCo compares each with all before it, and knows
less than 100."""
MAX_SIZE = 10_000_000
"""Largest product of the numbers of an attribute that makes data, such as the rows and columns of a
height field."""
MAX_VERTICES = 300_000
"""Largest number of vertices of a mesh that MuJoCo makes; their convex hull takes some seconds."""
MAX_STEPS = 100_000
"""Largest number of steps in which MuJoCo looks for the range of the length of an actuator; its
default are 1,000."""
MAX_TAXELS = 1_000_000
"""Largest number of cells of a plugin's sensor."""
MAX_MEMORY = 4 * 2**30
"""Largest number of bytes that a document may ask for as the memory of the simulation."""
MAX_CHAIN = 1023
"""Largest depth of bodies in MuJoCo 3.17, which compiles the model before it refuses more."""
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60}
_MEMORY = re.compile(r"\s*(\d+)([KMGTPE]?)\s*$", re.IGNORECASE)
_GRID = "mujoco.sensor.touch_grid"
"""Name of the plugin of a sensor that ends the process if it has no size."""
_DISTANCE_FIELD = "mujoco.sdf."
"""Beginning of the names of the plugins that are signed distance fields."""
_SMALLEST, _LARGEST = 1e-3, 1e3
"""Limits of the lengths [m] of a signed distance field; MuJoCo samples it on a grid, and crashes if
one is zero."""
_COUNTS = {"composite": ("count",), "flexcomp": ("count", "cellcount")}
_SIZES = {"hfield": ("nrow", "ncol"), "size": ("nuserdata", "nkey"), "flexcomp": ("subdiv",)}
_STATEFUL = frozenset({"sensor", "actuator"})
_DATA_SIZES = frozenset({"actdim", "dim", "nsample", "num"})
"""Attributes of sensors and actuators that ask for so many numbers."""
_DATA = frozenset({"keyframe", "rangefinder", "size"})
"""Other elements that ask for numbers."""
_CHAIN = 40
"""A cable of n parts counts as n * n / 40 more elements: its parts are a chain, for which MuJoCo
needs time as n^3."""
_RENAMED = 40
"""A named element in a replica of n copies counts as n * n / 40 more elements: MuJoCo, which names
each copy, compares its name with those of all others."""
_CROWDS = {"attach": 5, "replicate": 10, "muscle": 40, "body": 800, "frame": 800, "default": 800}
"""MuJoCo's time for n elements of a kind grows as n * n, and as n ** 3 for attached models, so
that they count as n * n / these more elements. 5,000 bodies take 1 to 2 s, and so do 700 replicas
and 500 attached models; 1,400 muscles, of which each is moved for its range, take 7 s."""
_COUNTED = frozenset(
    {
        "plugin",
        "instance",
        "replicate",
        "attach",
        "mesh",
        "lengthrange",
        "muscle",
        "config",
        "flex",
        *_COUNTS,
        *_SIZES,
    }
)
"""Elements that make others, or data, or with which MuJoCo may crash."""
_MEASURED = _COUNTED - {"mesh"} | {"skin"}
"""The same without meshes, which rarely make data, but with skins, which are taken out of the
document."""
_NOT_A_NUMBER = re.compile(r"[+-]?nan(\(\w*\))?$", re.IGNORECASE)
_LARGE_EXPONENT = re.compile(r"e\+?\d{3}")
_DROPPED_SIZES = ("njmax", "nconmax", "nstack", "nemax")
_NUMERIC = frozenset({
    "act", "actrange", "anchor", "armature", "axis", "axisangle", "biasprm", "coef", "cranklength",
    "ctrl", "ctrlrange", "damping", "density", "diaginertia", "dynprm", "elevation", "euler",
    "forcerange", "friction", "frictionloss", "fromto", "fullinertia", "gainprm", "gap", "gear",
    "gravity", "kp", "kv", "lengthrange", "margin", "mass", "mpos", "mquat", "offset", "polycoef",
    "pos", "qpos", "quat", "qvel", "range", "ref", "refpos", "refquat", "relpose", "scale", "size",
    "solimp", "solref", "springdamper", "springlength", "springref", "stiffness", "timestep",
    "vertex", "viscosity", "wind", "xyaxes", "zaxis",
})  # fmt: skip
"""Attributes that hold only numbers."""
_LIMITS = frozenset({"ctrlrange", "forcerange", "range"})
"""Attributes that may be infinite."""


class Size(NamedTuple):
    """The size of the model that a document makes."""

    elements: int = 0
    """Number of elements."""
    depth: int = 0
    """Largest number of bodies that are nested, those of attached models included."""


NOTHING = Size()


def check(root: Node, models: Mapping[str, Size], contents: Contents, *, is_main: bool) -> Size:
    """Report what is too large or not a number; return the size of the model that the document
    makes.

    Args:
        root: The root element, without includes.
        models: Size of each attached model, by its name.
        contents: What the elements had before their files were read, and skins taken out.
        is_main: Whether no model attaches the document, so that nobody needs the depth of its
            bodies.
    """
    most = limit_of("mjcf_elements")
    if len(contents.keys) >= MAX_ATTRIBUTES:
        _check_attributes(root)
    if _may_be_infinite(contents.values):
        for node in root.walk():
            _check_numbers(node)
    if is_main and len(contents.nodes) <= min(most, MAX_DEPTH) and _makes_nothing(contents):
        size = Size(elements=len(contents.nodes))
    else:
        size = _measured(root, models, most)
    if not (contents.tags.isdisjoint(_DATA) and contents.keys.isdisjoint(_DATA_SIZES)):
        _check_data(root, size.elements)
    return Size(min(size.elements, most), size.depth)


def check_part(root: Node) -> None:
    """Report what is too large or not a number in elements of MJCF that are part of another file.

    Args:
        root: The element that contains them.
    """
    nodes = list(root.walk())
    check(root, {}, Contents.of(nodes, {node.tag for node in nodes}), is_main=True)
    keys = ("width", "height")
    for node in (node for node in nodes if node.tag == "texture"):
        size = math.prod(_product(node.attributes.get(key, "1")) for key in keys)
        if size > MAX_SIZE:
            node.report(codes.TOO_LARGE_ITEMS, keys=keys, tag=node.tag, size=size, limit=MAX_SIZE)


def _makes_nothing(contents: Contents) -> bool:
    """Return whether `_measured` counts each element of a document as one."""
    tags, keys = contents.tags, contents.keys
    return tags.isdisjoint(_MEASURED) and not ("mesh" in tags and "builtin" in keys)


def _measured(root: Node, models: Mapping[str, Size], most: int) -> Size:
    """Report what is too large; return the size of the model that a document makes.

    Args:
        root: The root element, without includes.
        models: Size of each attached model, by its name.
        most: Largest number of elements.
    """
    total = deepest = 0
    crowds: dict[str, int] = {}
    unsized: list[Node] = []
    pending = [(root, 1, 0, 1, 0)]
    while pending:
        node, copies, renamed, depth, bodies = pending.pop()
        total += _added_to(crowds, node.tag, copies)
        if node.tag in _COUNTED:
            _check_sizes(node)
            unsized += [node] * _lacks_a_grid(node)
            own = _copies(node)
            total += _added_to(crowds, "body", copies * _particles(node))
            copies *= own
            if node.tag == "replicate":  # which renames what the replicas in it have made
                renamed = renamed * own + own * own
            if node.tag == "composite":
                total += copies * own // _CHAIN
                if total <= most:
                    _check_cable(node, own)
            if node.tag == "attach":
                attached = models.get(node.attributes.get("model", ""), NOTHING)
                total += copies * attached.elements
                deepest = max(deepest, bodies + attached.depth)
        inner = [child for child in node.children if child.children or child.tag in _COUNTED]
        total += copies * (1 + len(node.children) - len(inner))
        if renamed:
            leaves = [each for each in node.children if not each.children]
            total += (
                renamed * sum("name" in each.attributes for each in (node, *leaves)) // _RENAMED
            )
        if total > most or (depth > MAX_DEPTH and node.children):
            _report_excess(node, total, most)
            break
        if node.tag == "body":
            bodies += 1
            deepest = max(deepest, bodies)
        pending.extend((child, copies, renamed, depth + 1, bodies) for child in inner)
    detach_all(unsized)
    _check_depth(root, deepest, models)
    return Size(total, deepest)


def _added_to(crowds: dict[str, int], tag: str, copies: int) -> int:
    """Return as how many more elements copies of an element count, and add them to their kind."""
    if tag not in _CROWDS:
        return 0
    before = crowds.get(tag, 0)
    crowds[tag] = before + copies
    return int(crowds[tag] ** 2 - before**2) // _CROWDS[tag]


def _check_depth(root: Node, depth: int, models: Mapping[str, Size]) -> None:
    """Report bodies that are nested deeper than MuJoCo allows, which it says after it has compiled
    them.
    """
    if depth > MAX_CHAIN and all(size.depth <= MAX_CHAIN for size in models.values()):
        root.report(codes.TOO_LARGE, depth=depth, limit=MAX_CHAIN)


def _check_cable(node: Node, parts: int) -> None:
    """Report a cable that is longer than MuJoCo allows, which says so after half a minute or
    more.
    """
    if parts > MAX_CHAIN:
        node.report(codes.TOO_LARGE_CABLE, parts=parts, limit=MAX_CHAIN)


def _check_data(root: Node, total: int) -> None:
    """Report sensors, actuators, keyframes and data of the user that ask for too many numbers.

    Args:
        root: The root element, without includes.
        total: Number of elements that the document makes.
    """
    sections = [section for section in root.children if section.tag in _STATEFUL]
    nodes = [node for section in sections for node in section.children]
    stated = (
        _numbers(node.attributes[key])
        for node in nodes
        for key in _DATA_SIZES & node.attributes.keys()
    )
    size = sum(max(0.0, *numbers) for numbers in stated if numbers)
    size += sum(
        _rays(root) for node in nodes if node.tag == "rangefinder" and "camera" in node.attributes
    )
    size += total * _keyframes(root)
    size += total * max(
        (_of_user(section) for section in root.children if section.tag == "size"), default=0.0
    )
    if size > MAX_SIZE:
        root.report(codes.TOO_LARGE_DATA, size=size, limit=MAX_SIZE)


def _keyframes(root: Node) -> float:
    """Return the number of keyframes; each has the state of the whole model."""
    stated = [
        _product(section.attributes.get("nkey", ""))
        for section in root.children
        if section.tag == "size"
    ]
    written = sum(len(section.children) for section in root.children if section.tag == "keyframe")
    return max(*stated, written) if stated else written


def _of_user(node: Node) -> float:
    sizes = [_product(text) for key, text in node.attributes.items() if key.startswith("nuser_")]
    return max(sizes, default=0.0)


def _rays(root: Node) -> float:
    """Return the largest number of pixels of a camera."""
    cameras = (node for node in root.walk() if node.tag == "camera")
    return max((_product(node.attributes.get("resolution", "")) for node in cameras), default=0.0)


def _may_be_infinite(values: str) -> bool:
    """Return whether a text may have a number that is infinite or none."""
    lower = values.lower()
    return "nan" in lower or "inf" in lower or _LARGE_EXPONENT.search(lower) is not None


def _report_excess(node: Node, total: int, most: int) -> None:
    if total > most:
        hint = f"reduce the counts, or {how_to_raise('mjcf_elements')}"
        node.report(codes.TOO_LARGE_ELEMENTS, hint=hint, limit=most)
    else:
        node.report(codes.TOO_LARGE_DEPTH, limit=MAX_DEPTH)


def _check_attributes(root: Node) -> None:
    """Report the elements with too many attributes."""
    for node in [node for node in root.walk() if len(node.attributes) > MAX_ATTRIBUTES]:
        count = len(node.attributes)
        node.report(codes.TOO_LARGE_ATTRIBUTES, tag=node.tag, count=count, limit=MAX_ATTRIBUTES)


def _copies(node: Node) -> int:
    """Return how many copies of its content an element makes."""
    if node.tag == "replicate":
        return max(1, math.ceil(_product(node.attributes.get("count", "1"))))
    if node.tag not in _COUNTS:
        return 1
    return max(
        1,
        math.ceil(math.prod(_product(node.attributes.get(key, "1")) for key in _COUNTS[node.tag])),
    )


def _particles(node: Node) -> int:
    """Return how many bodies the particles of a soft body are; 0 for any other element."""
    key = node.attributes
    if node.tag != "flexcomp" or key.get("rigid") == "true" or key.get("dof", "full") != "full":
        return 0
    return max(len(key.get("point", "").split()) // 3, math.ceil(_product(key.get("count", "1"))))


def _check_sizes(node: Node) -> None:
    if node.tag == "mesh":
        if "builtin" in node.attributes:
            _check_mesh(node)
        return
    keys = _SIZES.get(node.tag, ())
    size = math.prod(_product(" ".join(node.attributes.get(key, "").split()[:2])) for key in keys)
    if node.tag == "size":
        _drop_sizes(node)
    if node.tag == "lengthrange":
        _check_length_range(node)
    if node.tag == "config":
        _check_plugin(node)
    if node.tag == "flex":
        _check_flex(node)
    if size > MAX_SIZE:
        node.report(codes.TOO_LARGE_ITEMS, keys=keys, tag=node.tag, size=size, limit=MAX_SIZE)


def _check_mesh(node: Node) -> None:
    """Report a mesh of too many vertices that MuJoCo makes: rows and columns, or the square of one
    number.
    """
    first, second = ([*_numbers(node.attributes.get("params", "")), 1.0, 1.0])[:2]
    kind = node.attributes["builtin"]
    if kind == "cone":
        size = first
    elif kind in {"plate", "wedge"}:
        size = first * second
    else:
        size = first * first
    if abs(size) > MAX_VERTICES:
        node.report(codes.TOO_LARGE_VERTICES, builtin=kind, size=abs(size), limit=MAX_VERTICES)


def _check_flex(node: Node) -> None:
    """Report a soft body with nodes whose vertices are all of one body, on which MuJoCo 3.17
    crashes.
    """
    if "node" in node.attributes and len(node.attributes.get("body", "").split()) == 1:
        node.report(codes.REFUSED)


def _check_length_range(node: Node) -> None:
    """Report a search for the ranges of actuators that takes too many steps."""
    total, step = (
        ([*_numbers(node.attributes.get(key, "")), default])[0]
        for key, default in (("inttotal", 10.0), ("timestep", 0.01))
    )
    if not 0.0 < total <= MAX_STEPS * step:
        node.report(codes.TOO_LARGE_STEPS, limit=MAX_STEPS)


def _check_plugin(node: Node) -> None:
    """Report a setting of a plugin with which its code runs for long, takes much memory or
    crashes.
    """
    numbers = _numbers(node.attributes.get("value", ""))
    key, lengths = node.attributes.get("key", ""), [abs(x) for x in numbers if x]
    is_field = _plugin_of(node).startswith(_DISTANCE_FIELD)
    if any(not math.isfinite(x) for x in numbers):
        node.report(codes.NOT_FINITE, key=key, tag=node.tag)
        node.attributes["value"] = _finite(node.attributes["value"])
    elif key in {"size", "nchannel"} and math.prod(lengths) > MAX_TAXELS:
        size = math.prod(lengths)
        node.report(codes.TOO_LARGE_CELLS, key=key, size=size, limit=MAX_TAXELS)
    elif is_field and key not in _ANGLES and not all(_SMALLEST <= x <= _LARGEST for x in numbers):
        node.report(codes.TOO_LARGE_FIELD, key=key, smallest=_SMALLEST, largest=_LARGEST)


def _lacks_a_grid(node: Node) -> bool:
    """Return whether an element is a sensor of a plugin without a size, on which MuJoCo ends the
    process; report it.
    """
    if node.tag not in {"plugin", "instance"}:
        return False
    parent = node.parent
    states_none = "instance" in node.attributes or (
        parent is not None and parent.tag == "extension"
    )
    plugin = node.attributes.get("plugin", "") if node.tag == "plugin" else _plugin_of(node)
    if plugin != _GRID or states_none:
        return False
    sizes = [
        each
        for each in node.children
        if each.tag == "config" and each.attributes.get("key") == "size"
    ]
    if any(each.attributes.get("value", "").strip() for each in sizes):
        return False
    node.report(codes.REFUSED_NO_SIZE, plugin=plugin)
    return True


_ANGLES = frozenset({"alpha", "innerdiameter", "teeth"})
"""Settings of signed distance fields that may be zero."""


def _plugin_of(node: Node) -> str:
    """Return the name of the plugin of a ``<config>``; that of an instance stands at its
    definition.
    """
    owner = node.parent
    while owner is not None and "plugin" not in owner.attributes:
        owner = owner.parent
    return "" if owner is None else owner.attributes["plugin"]


def _drop_sizes(node: Node) -> None:
    """Take away the sizes of memory, with which a document could ask for any amount, but for one
    within its limit.
    """
    keys = _DROPPED_SIZES if _memory(node) <= MAX_MEMORY else ("memory", *_DROPPED_SIZES)
    dropped = tuple(f"size/{key}" for key in keys if node.attributes.pop(key, None) is not None)
    if dropped:
        node.report(codes.NOT_CARRIED, names=dropped)


def _memory(node: Node) -> int:
    """Return the number of bytes that an element asks for; 0 if it states none, or none that MuJoCo
    understands.
    """
    found = _MEMORY.match(node.attributes.get("memory", ""))
    return whole_number(found[1]) * _UNITS[found[2].upper()] if found else 0


def _check_numbers(node: Node) -> None:
    for key in node.attributes.keys() & _NUMERIC:
        numbers = _numbers(node.attributes[key])
        if any(math.isnan(number) for number in numbers):
            node.report(codes.NOT_FINITE_NAN, key=key, tag=node.tag)
            node.attributes[key] = _finite(node.attributes[key])
        elif key not in _LIMITS and any(math.isinf(number) for number in numbers):
            node.report(codes.NOT_FINITE, key=key, tag=node.tag)
            node.attributes[key] = _finite(node.attributes[key])


def _finite(text: str) -> str:
    """Return numbers with 1 in the place of those that are infinite or none, so that MuJoCo can
    read the rest.
    """
    words = ((word, _numbers(word)) for word in text.split())
    return " ".join(
        "1" if numbers and not math.isfinite(numbers[0]) else word for word, numbers in words
    )


def _product(text: str) -> float:
    """Return the product of the numbers above 1 in a text; 1 if there is none, or if they are not
    numbers.
    """
    return min(math.prod(max(1.0, abs(x)) for x in _numbers(text) if not math.isnan(x)), 1e300)


def _numbers(text: str) -> list[float]:
    numbers = []
    for word in text.split():
        try:
            numbers.append(float(word))
        except ValueError:
            if _NOT_A_NUMBER.match(word):
                numbers.append(math.nan)
    return numbers


_OPENING = "mujoco"
_MISSING = "model_missing.xml"
"""Name of the empty model that takes the place of those that cannot be read."""


@dataclass(slots=True, eq=False)
class Inputs:
    """The texts and files of one load."""

    context: Context
    """The context of the load."""
    whole: bool = False
    """Whether every file is read, and not only those on which a number of the compiled model
    depends."""
    assets: Assets = field(default_factory=Assets)
    """The files."""
    models: dict[str, str] = field(default_factory=dict)
    """Texts of the attached models, by the name that MuJoCo gets."""
    lines: LineMap = field(default_factory=LineMap)
    """The element of each line."""
    files: FileFinder = field(init=False)
    """The search for files, which begins at the main file."""
    _sizes: dict[str, Size] = field(default_factory=dict)
    """The size of what each document makes, by its file."""
    _names: dict[str, str] = field(default_factory=dict)
    """Name that MuJoCo gets of each attached file."""

    def add(self, root: Node, chain: tuple[Path, ...] = ()) -> str:
        """Prepare a document, with the models that it attaches, and return its text.

        Args:
            root: Its root element.
            chain: Real paths of the models that attach it, outermost first.
        """
        folder, diagnostics = os.path.dirname(root.file) or os.curdir, self.context.diagnostics
        if not chain:
            self.files = FileFinder(self.context, folder)
        nodes = list(root.walk())
        tags = {node.tag for node in nodes}
        if "include" in tags:
            expand_includes(root, folder, self.context, self.files)
            nodes = list(root.walk())
            tags = {node.tag for node in nodes}
        models = _models(nodes) if "model" in tags else []
        if (
            not chain
        ):  # MuJoCo reads the files of soft bodies, and of models to attach, before it compiles
            self.assets.defers = not (self.whole or models or "flexcomp" in tags)
        sizes = {name: self._attach(node, folder, chain) for name, node in models}
        contents = Contents.of(nodes, tags)
        self.assets.collect(root, nodes, folder, self.files)
        size = self._sizes[root.file] = check(root, sizes, contents, is_main=not chain)
        diagnostics.spend("elements", size.elements)
        return self.lines.write(root, contents)

    def _attach(self, node: Node, folder: str, chain: tuple[Path, ...]) -> Size:
        """Read a model to attach; return the size of what it makes."""
        file = node.word("@file")
        if not file:
            return self._empty_model(node)
        path = self.files.find(file, folder, node)
        real = None if path is None else Path(real_path(path))
        if path is None or real is None:
            return self._unreadable(node, file)
        path = model_in(path, node.where, node.diagnostics)
        if path is None:
            return self._empty_model(node)
        if real in chain or real in self.context.including or len(chain) >= MAX_INCLUDE_DEPTH:
            node.report(
                loaders_codes.FILE_INCLUDE_CYCLE_ATTACHED,
                chain=" -> ".join(p.name for p in (*chain, real)),
            )
            return NOTHING
        if path not in self._names:
            data = read_bytes(path, node.diagnostics)
            root = None if data is None else parse(data, path, node.diagnostics)
            if root is None or root.tag != _OPENING:
                return self._unreadable(node, path)
            name = self._names[path] = f"model_{len(self._names)}.xml"
            self.models[name] = self.add(root, (*chain, real))
        node.attributes["file"] = self._names[path]
        return self._sizes[path]

    def _unreadable(self, node: Node, file: str) -> Size:
        """Report a model that cannot be read."""
        node.report(codes.INCLUDE_UNREADABLE, file=file)
        return self._empty_model(node)

    def _empty_model(self, node: Node) -> Size:
        """Give MuJoCo an empty model in place of one with an error, so that it finds what else is
        wrong.
        """
        if _MISSING not in self.models:
            empty = parse(b"<mujoco/>", node.file, node.diagnostics)
            self.models[_MISSING] = (
                "" if empty is None else self.lines.write(empty, Contents.of([empty], {empty.tag}))
            )
        node.attributes["file"] = _MISSING
        return NOTHING


def _models(nodes: list[Node]) -> list[tuple[str, Node]]:
    """Return the models that a document declares for attachment, by name."""
    declared = [
        node
        for node in nodes
        if node.tag == "model" and node.parent is not None and node.parent.tag == "asset"
    ]
    return [(node.attributes.get("name", ""), node) for node in declared]
