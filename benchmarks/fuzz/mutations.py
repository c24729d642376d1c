"""Mutations of seed files: of trees for XML and YAML, of bytes for meshes and pictures. All are
drawn by one seed.
"""

from __future__ import annotations

import copy
import random
import struct
from collections.abc import Callable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

ElementTree.register_namespace("xacro", "http://www.ros.org/wiki/xacro")

NUMBERS = (
    "nan",
    "inf",
    "-inf",
    "-0",
    "0",
    "1e308",
    "1e-320",
    "-1",
    "1e300",
    "0x1p99999",
    "9" * 400,
    "1e",
    "1,5",
    "",
    " ",
    "0x1F",
    "1_000",
    "٣",
    "1e-300",
    "2147483648",
    "-2147483649",
    "4294967296",
    "1.5.2",
    "NaN(1)",
    "+-1",
    "1 2",
)
WORDS = (
    "",
    "world",
    "__model__",
    "::",
    "a::b",
    "..",
    "../..",
    "model://..",
    "model://../../etc/passwd",
    "package://p/../..",
    "file:///etc/passwd",
    "/etc/passwd",
    "/dev/zero",
    "model://*",
    "a**b",
    "http://x/y",
    "\u202e",
    "\x7f",
    "é" * 300,
    "x" * 5000,
    "{}",
    "{name}",
    "%s%n",
    "<b>",
    "&amp;",
    "${1/0}",
    "$(find p)",
    "base",
    "tip",
    "elbow",
    "j",
    "mesh.stl",
    "mesh.dae",
    "mesh.glb",
    "mesh.ply",
    "mesh.off",
    "world.sdf",
    "robot.urdf",
    "scene.dmd.yaml",
    ".",
    "/",
    "\\",
    "C:\\x",
    "true",
    "1",
    "null",
    "~",
    "!!python/object:os.system",
    "link",
    "joint",
    "it",
    "CON",
    "nul",
    "a\nb",
    "\t",
)
TAGS = (
    "link",
    "joint",
    "model",
    "frame",
    "include",
    "pose",
    "inertial",
    "mass",
    "inertia",
    "collision",
    "visual",
    "geometry",
    "box",
    "size",
    "sphere",
    "radius",
    "mesh",
    "uri",
    "scale",
    "heightmap",
    "polyline",
    "point",
    "axis",
    "axis2",
    "xyz",
    "limit",
    "lower",
    "upper",
    "sensor",
    "ray",
    "camera",
    "light",
    "material",
    "script",
    "plugin",
    "state",
    "gripper",
    "experimental:params",
    "drake:joint",
    "drake:mimic",
    "drake:linear_bushing_rpy",
    "drake:proximity_properties",
    "drake:ball_constraint",
    "placement_frame",
    "static",
    "submesh",
    "mimic",
    "origin",
    "actuator",
    "transmission",
)
MJCF_TAGS = (
    "body",
    "geom",
    "joint",
    "freejoint",
    "site",
    "inertial",
    "worldbody",
    "asset",
    "mesh",
    "hfield",
    "texture",
    "material",
    "default",
    "include",
    "replicate",
    "attach",
    "model",
    "frame",
    "composite",
    "flexcomp",
    "actuator",
    "motor",
    "position",
    "general",
    "equality",
    "weld",
    "connect",
    "tendon",
    "spatial",
    "fixed",
    "contact",
    "pair",
    "exclude",
    "keyframe",
    "key",
    "option",
    "compiler",
    "size",
    "plugin",
    "extension",
    "sensor",
    "camera",
    "light",
    "lengthrange",
    "instance",
    "config",
    "skin",
    "flex",
    "muscle",
    "rangefinder",
)
MJCF_ATTRIBUTES = (
    "name",
    "file",
    "class",
    "childclass",
    "size",
    "pos",
    "quat",
    "euler",
    "fromto",
    "range",
    "type",
    "mesh",
    "hfield",
    "count",
    "offset",
    "prefix",
    "model",
    "body",
    "joint",
    "joint1",
    "mass",
    "density",
    "diaginertia",
    "fullinertia",
    "axis",
    "ref",
    "scale",
    "vertex",
    "face",
    "meshdir",
    "gear",
    "ctrlrange",
    "limited",
    "material",
    "contype",
    "qpos",
    "mpos",
    "mquat",
    "nkey",
    "inttotal",
    "key",
    "value",
    "target",
    "mode",
    "resolution",
    "sensorsize",
    "focal",
    "fovy",
)


def mutate_xml(text: str, rng: random.Random) -> bytes:
    """Return an XML document with a few mutations of its tree, and sometimes of its bytes.

    Args:
        text: The seed document.
        rng: The source of chance.
    """
    root = ElementTree.fromstring(text.replace("drake:", "drake_"))
    for _ in range(rng.choice((1, 1, 2, 3, 5, 10))):
        parents = [(parent, child) for parent in root.iter() for child in parent]
        if not parents:
            break
        rng.choice(_XML)(rng.choice(parents), root, rng)
    document = ElementTree.tostring(root, encoding="unicode").replace("drake_", "drake:")
    data = document.encode("utf-8", "surrogatepass")
    return mutate_bytes(data, rng) if rng.random() < 0.1 else data


Edge = tuple[Element, Element]
_MOST_ADDED = 20_000
"""Largest number of elements that one mutation adds."""


def _tags(root: Element) -> tuple[str, ...]:
    return MJCF_TAGS if root.tag == "mujoco" else TAGS


def _delete(edge: Edge, _root: Element, _rng: random.Random) -> None:
    edge[0].remove(edge[1])


def _repeat(edge: Edge, _root: Element, rng: random.Random) -> None:
    count = rng.choice((1, 2, 50))
    size = sum(1 for _ in edge[1].iter())
    for _ in range(
        min(count, _MOST_ADDED // size)
    ):  # copies: a shared element would grow in each of its places
        edge[0].append(copy.deepcopy(edge[1]))


def _move(edge: Edge, root: Element, rng: random.Random) -> None:
    below = set(edge[1].iter())
    targets = [node for node in root.iter() if node not in below]
    edge[0].remove(edge[1])
    rng.choice(targets).append(edge[1])


def _rename(edge: Edge, root: Element, rng: random.Random) -> None:
    edge[1].tag = (
        rng.choice(_tags(root))
        .replace("drake:", "drake_")
        .replace("experimental:", "experimental_")
    )


def _text(edge: Edge, _root: Element, rng: random.Random) -> None:
    words = (edge[1].text or "").split() or ["0"]
    words[rng.randrange(len(words))] = _legal(rng.choice(NUMBERS + WORDS))
    edge[1].text = (
        " ".join(words) if rng.random() < 0.8 else " ".join(words * rng.choice((2, 7, 1000)))
    )


def _attribute(edge: Edge, root: Element, rng: random.Random) -> None:
    node = edge[1]
    common = (
        MJCF_ATTRIBUTES
        if root.tag == "mujoco"
        else ("name", "type", "relative_to", "value", "xyz", "link")
    )
    names = [*node.attrib, *common]
    name = rng.choice(names)
    if rng.random() < 0.2:
        node.attrib.pop(name, None)
    else:
        node.set(name, _legal(rng.choice(NUMBERS + WORDS)))


def _nest(edge: Edge, _root: Element, rng: random.Random) -> None:
    node = edge[1]
    for _ in range(rng.choice((1, 10, 300))):
        node = ElementTree.SubElement(node, edge[1].tag, edge[1].attrib)


def _add(edge: Edge, root: Element, rng: random.Random) -> None:
    tag = (
        rng.choice(_tags(root))
        .replace("drake:", "drake_")
        .replace("experimental:", "experimental_")
    )
    ElementTree.SubElement(edge[1], tag, name=_legal(rng.choice(WORDS))).text = _legal(
        rng.choice(NUMBERS + WORDS)
    )


def _include_itself(edge: Edge, _root: Element, rng: random.Random) -> None:
    include = ElementTree.SubElement(edge[0], "include")
    ElementTree.SubElement(include, "uri").text = rng.choice(
        ("world.sdf", "other", "robot.urdf", "model://other")
    )
    if rng.random() < 0.5:
        include.set("merge", "true")


def _version(_edge: Edge, root: Element, rng: random.Random) -> None:
    root.set(
        "version",
        rng.choice(("1.0", "1.2", "1.4", "1.5", "1.7", "1.12", "2.0", "", "9" * 5000, "1.-1")),
    )


_XML: tuple[Callable[[Edge, Element, random.Random], None], ...] = (
    _delete,
    _repeat,
    _move,
    _rename,
    _text,
    _text,
    _text,
    _attribute,
    _attribute,
    _nest,
    _add,
    _include_itself,
    _version,
)


def _legal(text: str) -> str:
    """Leave out what no XML document can hold, so that the document is refused for better
    reasons.
    """
    return "".join(c for c in text if c in "\t\n" or ord(c) >= 32)


def mutate_yaml(text: str, rng: random.Random) -> bytes:
    """Return a YAML document with a few mutations of its tree or of its bytes.

    Args:
        text: The seed document.
        rng: The source of chance.
    """
    lines = text.splitlines()
    for _ in range(rng.choice((1, 1, 2, 4))):
        i = rng.randrange(len(lines))
        word = rng.choice(NUMBERS + WORDS)
        action = rng.randrange(7)
        if action == 0:
            del lines[i]
        elif action == 1:
            lines.insert(i, lines[rng.randrange(len(lines))])
        elif action == 2:
            lines[i] = lines[i].partition(":")[0] + ": " + word
        elif action == 3:
            lines[i] = lines[i].replace("0", word, 1)
        elif action == 4:
            lines[i] += f" &a{rng.randrange(3)} [{word!r}, *a{rng.randrange(3)}]"
        elif action == 5:
            lines[i] = "  " * rng.randrange(6) + lines[i].strip()
        else:
            lines[i] = lines[i].replace(
                "robot.urdf", rng.choice(("scene.dmd.yaml", "world.sdf", "other.dmd.yaml", word))
            )
        lines = lines or [""]
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    return mutate_bytes(data, rng) if rng.random() < 0.2 else data


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return data with a few mutations: flips, cuts, copies, extreme numbers.

    Args:
        data: The seed.
        rng: The source of chance.
    """
    content = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        i = rng.randrange(len(content) + 1)
        action = rng.randrange(7)
        if action == 0:
            content[i : i + 1] = bytes([rng.randrange(256)])
        elif action == 1:
            del content[i : i + rng.choice((1, 4, 64, len(content)))]
        elif action == 2:
            j = rng.randrange(len(content) + 1)
            content[i:i] = content[j : j + rng.choice((4, 64, 1024))]
        elif action == 3:
            content[i : i + 4] = struct.pack(
                "<I", rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, 10**6))
            )
        elif action == 4:
            content[i : i + 4] = struct.pack(
                "<f", rng.choice((float("nan"), float("inf"), 1e38, -0.0, 1e-40))
            )
        elif action == 5:
            content[i:i] = rng.choice((b"\n", b"\0", b" ", b"9", b"-", b"<", b"\xff")) * rng.choice(
                (1, 10, 5000)
            )
        else:
            content[i:i] = rng.choice(NUMBERS + WORDS).encode("utf-8", "surrogatepass")
    return bytes(content)
