"""Measure how time and memory grow with the number of one element, for each element of each format.

    python -m benchmarks.schema_growth [PART ...] [--size N] [--out FILE]

Each child of each element of SDFormat, URDF, MJCF, SRDF and Drake's directives, each kind of line of
OBJ, MTL and scripts of materials, each list of glTF, each element of COLLADA and the members of
archives are repeated N and N / 4 times, and N / 2, N / 8 and N / 16 times too if a stage takes more
than 0.1 s. The stages are loading, ``check``, each export and loading into PyBullet. A stage that
takes longer has an exponent: the power of the number that fits its processor times best. Memory is
what the process takes at most, beside what it takes before, for each byte of input from N / 4 to N.
``PART`` limits the elements to those whose name has it. A second call resumes the first. The exit
status is 1 if a power is above 1.2.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import gc
import io
import json
import math
import os
import re
import resource
import struct
import sys
import tempfile
import time
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import mujoco
import numpy as np
import pybullet

import bridge
import bridge.cli
import loaders
from loaders.diagnostics import ModelError
from tests.support.sdf_elements import SCHEMA

SIZE = 3200
"""Number of elements at which an input is measured first; half as many of MJCF, which MuJoCo compiles
too, in a time that grows as n * n for bodies.
"""
SHORT = 0.1
"""Processor time below which no power is computed [s]."""
LINEAR = 1.2
"""Largest power that counts as linear, within what the machine allows to measure."""
DOUBLINGS = 4
"""Number of times that the number of elements is doubled."""
MOST_LINKS = 1000
"""Largest number of links of a scene that is loaded into PyBullet, which takes minutes for more."""
DEPTH = 8
"""Largest depth of an element of SDFormat that is looked at."""

Files = Mapping[str, str | bytes]
"""Contents by name; the first is the main file."""
Maker = Callable[[int], Files]
"""Returns the files of an input with so many elements."""


def each(count: int, pattern: str) -> str:
    """Return a text so many times, with its number in place of ``#``."""
    return "".join(pattern.replace("#", str(i)) for i in range(count))


def nested(tags: list[str], inner: str, opened: Mapping[str, str]) -> str:
    """Return a text in elements.

    Args:
        tags: The elements, the outermost first.
        inner: The text.
        opened: What stands after the name of a tag and before its content, where it is not `` >``.
    """
    for tag in reversed(tags):
        inner = f"<{tag}{opened.get(tag, '>')}{inner}</{tag}>"
    return inner


# --- SDFormat -------------------------------------------------------------------------------------

BALL = "<geometry><sphere><radius>1</radius></sphere></geometry>"
SDF_OPENED = {
    "model": " name='o'><link name='base'/><link name='tip'/>",
    "joint": " name='o' type='revolute'><parent>base</parent><child>tip</child>",
    "sensor": " name='o' type='camera'>",
    "light": " name='o' type='point'>",
    "physics": " name='o' type='ode'>",
    "noise": " type='gaussian'>",
    "mimic": " joint='o'>",
    "heightmap": "><uri>h.png</uri>",
    "mesh": "><uri>a.obj</uri>",
    "polyline": "><point>0 0</point><point>1 0</point><point>0 1</point>",
}
"""How an element begins that others are in."""
SDF_REPEATED = {
    "link": "<link name='l#'/>",
    "joint": "<joint name='j#' type='fixed'><parent>world</parent><child>base</child></joint>",
    "frame": "<frame name='f#'/>",
    "visual": f"<visual name='v#'>{BALL}</visual>",
    "collision": f"<collision name='c#'>{BALL}</collision>",
    "sensor": "<sensor name='s#' type='imu'/>",
    "light": "<light name='s#' type='point'/>",
    "model": "<model name='m#'><link name='l'/></model>",
    "include": "<include><uri>part.sdf</uri><name>i#</name></include>",
    "plugin": "<plugin name='p#' filename='f'/>",
    "physics": "<physics name='p#' type='ode'/>",
    "mimic": "<mimic joint='o'/>",
    "heightmap": "<heightmap><uri>h.png</uri></heightmap>",
    **{
        tag: f"<{tag}>1 2 3</{tag}>"
        for tag in (
            *("gravity", "magnetic_field", "linear_velocity", "direction", "xyz", "radii"),
            *("normal", "scale", "pos", "size"),
        )
    },
    "plane/size": "<size>1 2</size>",
    "point": "<point># 0</point>",
    "pose": "<pose># 0 0 0 0 0</pose>",
    "polyline": "<polyline><point># 0</point><point>#.5 0</point><point># 1</point></polyline>",
    "mesh": "<mesh><uri>cube#.obj</uri></mesh>",
    "script": "<script><uri>s#.material</uri><name>M</name></script>",
}
"""An element that is repeated, where it needs more than a name."""


def sdf_inputs() -> Iterator[tuple[str, Maker]]:
    """Yield an input for each child of each element of SDFormat, by the shortest way to it."""
    ways = deque([("world", "model", ["model"]), ("", "world", ["world"])])
    seen = set()
    while ways:
        owner, tag, way = ways.popleft()
        if (owner, tag) in seen or len(way) > DEPTH:
            continue
        seen.add((owner, tag))
        for child in SCHEMA.get(f"{owner}/{tag}".lstrip("/"), "").split():
            yield f"{'/'.join(way)}/{child}", _sdf_maker(way, child)
            ways.append((tag, child, [*way, child]))


def _sdf_maker(way: list[str], child: str) -> Maker:
    opened = {tag: SDF_OPENED.get(tag, f" name='{tag}'>") for tag in way}
    pattern = SDF_REPEATED.get(child, f"<{child} name='n#'>1</{child}>")
    pattern = SDF_REPEATED.get(f"{way[-1]}/{child}", pattern)
    part = "<sdf version='1.12'><model name='m'><link name='l'/></model></sdf>"
    return lambda count: {
        "main.sdf": f"<sdf version='1.12'>{nested(way, each(count, pattern), opened)}</sdf>",
        "part.sdf": part,
    }


# --- URDF and SRDF --------------------------------------------------------------------------------

URDF = {
    "robot": "link joint material transmission gazebo sensor",
    "robot/link": "inertial visual collision",
    "robot/link/inertial": "origin mass inertia",
    "robot/link/visual": "origin geometry material",
    "robot/link/visual/material": "color texture",
    "robot/link/collision": "origin geometry",
    "robot/link/collision/geometry": "box sphere cylinder capsule mesh",
    "robot/joint": "origin parent child axis limit dynamics mimic calibration safety_controller",
    "robot/material": "color texture",
    "robot/transmission": "type joint actuator",
    "robot/transmission/joint": "hardwareInterface",
    "robot/transmission/actuator": "mechanicalReduction hardwareInterface",
    "robot/gazebo": "plugin sensor material mu1 gravity",
    "robot/gazebo/plugin": "robotNamespace legacyModeNS",
}
"""The children of each element of URDF."""
URDF_OPENED = {
    "robot": " name='r'><link name='base'/><link name='tip'/>"
    "<joint name='first' type='fixed'><parent link='base'/><child link='tip'/></joint>",
    "joint": " name='o' type='revolute'><parent link='base'/><child link='o'/>",
    "gazebo": " reference='tip'>",
}
URDF_REPEATED = {
    "link": "<link name='l#'/><joint name='jl#' type='fixed'><parent link='base'/>"
    "<child link='l#'/></joint>",
    "joint": "<link name='l#'/><joint name='j#' type='revolute'><parent link='base'/>"
    "<child link='l#'/></joint>",
    "sphere": "<sphere radius='1'/>",
    "box": "<box size='1 1 1'/>",
    "cylinder": "<cylinder radius='1' length='1'/>",
    "capsule": "<capsule radius='1' length='1'/>",
    "material": "<material name='m#'><color rgba='1 0 0 1'/></material>",
    "gazebo": "<gazebo reference='tip'><mu1>#</mu1></gazebo>",
    "visual": "<visual><geometry><sphere radius='1'/></geometry><material name='m#'/></visual>",
    "collision": "<collision name='c#'><geometry><sphere radius='1'/></geometry></collision>",
    "transmission": "<transmission name='t#'><type>a</type><joint name='first'/>"
    "<actuator name='a#'/></transmission>",
    "mimic": "<mimic joint='first'/>",
    "parent": "<parent link='base'/>",
    "child": "<child link='tip'/>",
    "mesh": "<mesh filename='cube#.obj'/>",
}
SRDF = {
    "group": "<group name='g#'><link name='base'/></group>",
    "group_state": "<group_state name='s#' group='g'><joint name='first' value='0'/></group_state>",
    "end_effector": "<end_effector name='e#' parent_link='base' group='g'/>",
    "virtual_joint": "<virtual_joint name='v#' type='fixed' parent_frame='w' child_link='base'/>",
    "disable_collisions": "<disable_collisions link1='base' link2='tip' reason='r#'/>",
    "disable_default_collisions": "<disable_default_collisions link='base'/>",
    "enable_collisions": "<enable_collisions link1='base' link2='tip'/>",
    "passive_joint": "<passive_joint name='first'/>",
    "link_sphere_approximation": "<link_sphere_approximation link='base'/>",
    "group/link": "<link name='base'/>",
    "group/joint": "<joint name='first'/>",
    "group/chain": "<chain base_link='base' tip_link='tip'/>",
    "group/group": "<group name='g#'/>",
    "group_state/joint": "<joint name='first' value='#'/>",
}


def urdf_inputs() -> Iterator[tuple[str, Maker]]:
    """Yield an input for each child of each element of URDF."""
    for owner, children in URDF.items():
        way = owner.split("/")
        opened = {tag: URDF_OPENED.get(tag, " name='o' type='o'>") for tag in way}
        for child in children.split():
            pattern = URDF_REPEATED.get(child, f"<{child} name='n#' value='1'>1</{child}>")
            yield (
                f"{owner}/{child}",
                lambda count, way=way, opened=opened, pattern=pattern: {
                    "main.urdf": nested(way, each(count, pattern), opened)
                },
            )


def srdf_inputs() -> Iterator[tuple[str, Maker]]:
    """Yield an input for each child of each element of SRDF."""
    for name, pattern in SRDF.items():
        owners = name.split("/")[:-1]
        opened = dict.fromkeys(owners, " name='g' group='g'>")
        yield (
            f"robot/{name}",
            lambda count, owners=owners, opened=opened, pattern=pattern: {
                "main.urdf": nested(["robot"], "", URDF_OPENED),
                "main.srdf": f"<robot name='r'><group name='g'><link name='base'/></group>"
                f"{nested(owners, each(count, pattern), opened)}</robot>",
            },
        )


# --- MJCF -----------------------------------------------------------------------------------------

MJCF_VALUES = {
    "name": "x#",
    "joint": "j",
    "tendon": "t",
    "site": "s",
    "actuator": "a",
    "camera": "v",
    "body1": "b",
    "body2": "c",
    "geom1": "g",
    "geom2": "h",
    "objtype": "body",
    "objname": "b",
    "size": "1",
    "data": "1",
}
"""Values of attributes, of which an element gets those that it has, and one of the ends."""
MJCF_ENDS = (
    {"joint", "tendon", "site", "actuator", "camera"},
    {"geom1", "body1"},
    {"geom2", "body2"},
)
"""Attributes of which an element gets the first."""
_SITES = "<site site='s'/><site site='e'/>"
MJCF_REPEATED = {
    "mujoco/default": "<default><default class='c#'/></default>",
    "material/layer": "<layer texture='f' role='rgb'/>",
    "asset/mesh": "<mesh name='x#' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>",
    "asset/hfield": "<hfield name='x#' nrow='2' ncol='2' size='1 1 1 1'/>",
    "asset/texture": "<texture name='x#' builtin='flat' width='1' height='1'/>",
    "asset/model": "<model name='x#' file='part.xml'/>",
    "worldbody/attach": "<attach model='m' prefix='x#'/>",
    "worldbody/body": "<body name='x#'/>",
    "worldbody/joint": "<body><joint name='x#'/><geom size='1'/></body>",
    "worldbody/freejoint": "<body pos='# 0 0'><freejoint name='x#'/><geom size='1'/></body>",
    "worldbody/replicate": "<replicate count='1'><body/></replicate>",
    "worldbody/composite": "<composite type='cable' prefix='x#' count='3 1 1' size='1' curve='s'>"
    "<geom type='capsule' size='.01'/></composite>",
    "worldbody/flexcomp": "<flexcomp name='x#' type='grid' count='2 2 1' spacing='1 1 1' dim='2'/>",
    "deformable/flex": "<flex name='x#' dim='1' body='b c' vertex='0 0 0 0 0 0' element='0 1'/>",
    "contact/pair": "<pair geom1='g' geom2='h' name='x#'/>",
    "contact/exclude": "<exclude body1='b' body2='c' name='x#'/>",
    "tendon/spatial": f"<spatial name='x#'>{_SITES}</spatial>",
    "spatial/site": _SITES,
    "spatial/geom": f"{_SITES}<geom geom='g'/>{_SITES}",
    "spatial/pulley": f"<pulley divisor='2'/>{_SITES}",
    "tendon/fixed": "<fixed name='x#'><joint joint='j' coef='1'/></fixed>",
    "equality/connect": "<connect name='x#' body1='b' anchor='0 0 0'/>",
    "equality/weld": "<weld name='x#' body1='b'/>",
    "equality/joint": "<joint name='x#' joint1='j'/>",
    "equality/tendon": "<tendon name='x#' tendon1='t'/>",
    "actuator/adhesion": "<adhesion name='x#' body='b' ctrlrange='0 1'/>",
    "actuator/dcmotor": "<dcmotor name='x#' joint='j' motorconst='1' resistance='1'/>",
    "sensor/camprojection": "<camprojection name='x#' site='s' camera='v'/>",
    "sensor/rangefinder": "<rangefinder name='x#' site='s'/>",
    "sensor/ballquat": "<ballquat name='x#' joint='q'/>",
    "sensor/ballangvel": "<ballangvel name='x#' joint='q'/>",
    "sensor/jointlimitpos": "<jointlimitpos name='x#' joint='i'/>",
    "sensor/jointlimitvel": "<jointlimitvel name='x#' joint='i'/>",
    "sensor/jointlimitfrc": "<jointlimitfrc name='x#' joint='i'/>",
    "sensor/insidesite": "<insidesite name='x#' site='s' objtype='body' objname='b'/>",
    **{
        f"sensor/{tag}": f"<{tag} name='x#' body='b'/>"
        for tag in ("subtreecom", "subtreelinvel", "subtreeangmom")
    },
    "sensor/contact": "<contact name='x#' geom1='g'/>",
    "sensor/user": "<user name='x#' dim='1'/>",
    "actuator/damper": "<damper name='x#' joint='j' ctrlrange='0 1'/>",
    "actuator/orientation": "<orientation name='x#' joint='q'/>",
    "custom/tuple": "<tuple name='x#'><element objtype='body' objname='b'/></tuple>",
    "tuple/element": "<element objtype='body' objname='b'/>",
    "custom/text": "<text name='x#' data='1'/>",
    "keyframe/key": "<key name='x#'/>",
}
"""An element that is repeated, by its last two tags, where it needs others."""
MJCF_REST = (
    "<asset><texture name='f' type='2d' builtin='flat' width='1' height='1'/>"
    "<model name='m' file='part.xml'/></asset><worldbody>"
    "<body name='b'><joint name='j'/><geom name='g' size='1'/><site name='s'/><camera name='v'/>"
    "<body name='c' pos='5 0 0'><joint name='i' limited='true' range='0 1'/>"
    "<geom name='h' size='1'/><site name='e'/>"
    "<body><joint name='q' type='ball'/><geom size='1'/></body></body></body></worldbody>"
    "<tendon><fixed name='t' limited='true' range='0 1'><joint joint='j' coef='1'/></fixed></tendon>"
    "<actuator><motor name='a' joint='j'/></actuator>"
)


def mjcf_inputs() -> Iterator[tuple[str, Maker]]:
    """Yield an input for each element of the schema of MuJoCo that may stand more than once."""
    stack: list[str] = []
    keys: dict[str, list[str]] = {}
    for line in mujoco.mj_printSchema(False, False).splitlines():
        found = re.match(r"^( *)(\S+) \(([!*?R])\)\s*(.*)$", line)
        if found:
            stack = [*stack[: len(found[1]) // 3], found[2].removeprefix("(world)")]
        if found and len(stack) > 1 and found[3] in "*R":
            keys["/".join(stack)] = found[4].split()
        elif not found and "/".join(stack) in keys:
            keys["/".join(stack)] += line.split()
    for path, names in keys.items():
        yield path, _mjcf_maker(path.split("/"), names)


def _mjcf_maker(path: list[str], keys: list[str]) -> Maker:
    way = ["mujoco", "worldbody", *path[2:]] if path[1] == "body" else path
    if way == ["mujoco", "worldbody"]:
        way = [*way, "body"]
    unwanted = {
        key for ends in MJCF_ENDS for key in [k for k in MJCF_VALUES if k in ends and k in keys][1:]
    }
    own = "".join(
        f" {key}='{value}'"
        for key, value in MJCF_VALUES.items()
        if key in keys and key not in unwanted
    )
    pattern = MJCF_REPEATED.get("/".join(way[-2:]), f"<{way[-1]}{own}/>")
    named = dict.fromkeys(("body", "frame", "tuple", "material", "spatial"), " name='o'>")
    opened = {"plugin": " plugin='p'>", "mesh": " name='o'>", "geom": " size='1'>", **named}
    return lambda count: {
        "main.xml": f"<mujoco>{nested(way[1:-1], each(count, pattern), opened)}{MJCF_REST}</mujoco>",
        "part.xml": "<mujoco><worldbody><body/></worldbody></mujoco>",
    }


# --- directives, meshes and what belongs to them --------------------------------------------------

DIRECTIVES = {
    "add_model": "- add_model: {name: m#, file: 'package://p/part.sdf'}\n",
    "add_model_instance": "- add_model_instance: {name: n#}\n",
    "add_frame": "- add_frame: {name: f#, X_PF: {base_frame: world}}\n",
    "add_weld": "- add_frame: {name: w#, X_PF: {base_frame: world}}\n"
    "- add_model: {name: x#, file: 'package://p/part.sdf'}\n"
    "- add_weld: {parent: w#, child: 'x#::l'}\n",
    "add_collision_filter_group": "- add_collision_filter_group: {name: g#, members: ['o::l']}\n",
    "add_directives": "- add_directives: {file: 'package://p/part.dmd.yaml', model_namespace: o}\n",
}
SIDE = {
    "script.material": "material M#\n{ technique { pass { diffuse 1 0 0 } } }\n",
    "script.pass": "technique { pass { diffuse 1 0 0 } }\n",
}
OBJ = {
    "v": "v # 0 0\n",
    "vt": "vt # 0\n",
    "vn": "vn 0 0 1\n",
    "f": "f 1 2 3\n",
    "g": "g g#\nf 1 2 3\n",
    "o": "o o#\nf 1 2 3\n",
    "s": "s #\n",
    "usemtl": "usemtl m#\nf 1 2 3\n",
    "mtllib": "mtllib m#.mtl\n",
}
MTL = {
    "newmtl": "newmtl m#\nKd 1 0 0\n",
    "Kd": "Kd # 0 0\n",
    "map_Kd": "map_Kd t#.png\n",
    "d": "d 1\n",
}
GLTF = {
    "nodes": {"mesh": 0},
    "meshes": {"primitives": [{"attributes": {"POSITION": 0}}]},
    "materials": {"name": "m"},
    "images": {"uri": "t.png"},
    "textures": {"source": 0},
    "samplers": {},
    "buffers": {"uri": "b.bin", "byteLength": 36},
    "bufferViews": {"buffer": 0, "byteLength": 36},
    "accessors": {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
    "animations": {"channels": [], "samplers": []},
    "skins": {"joints": [0]},
    "cameras": {"type": "perspective"},
    "scenes": {"nodes": [0]},
}
DAE = {
    "library_images": "<image id='i#'><init_from>t#.png</init_from></image>",
    "library_effects": "<effect id='e#'><profile_COMMON><technique sid='t'><lambert/>"
    "</technique></profile_COMMON></effect>",
    "library_materials": "<material id='m#'><instance_effect url='#e'/></material>",
    "library_geometries": "<geometry id='g#'><mesh/></geometry>",
    "library_nodes": "<node id='n#'/>",
    "library_visual_scenes": "<visual_scene id='v#'><node/></visual_scene>",
    "library_cameras": "<camera id='c#'/>",
    "library_lights": "<light id='l#'/>",
    "library_animations": "<animation id='a#'/>",
    "library_controllers": "<controller id='k#'/>",
}
CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
FACES = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def side_inputs() -> Iterator[tuple[str, Maker]]:
    """Yield an input for each kind of part of directives, scripts, meshes and archives."""
    part = "<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>"
    for name, pattern in DIRECTIVES.items():
        first = "directives:\n- add_model: {name: o, file: 'package://p/part.sdf'}\n"
        yield (
            f"directives/{name}",
            lambda count, first=first, pattern=pattern: {
                "main.dmd.yaml": first + each(count, pattern),
                "part.sdf": part,
                "part.dmd.yaml": "directives: []\n",
                "package.xml": "<package><name>p</name></package>",
            },
        )
    look = "<material><script><uri>m.material</uri><name>M0</name></script></material>"
    for name, pattern in SIDE.items():
        yield (
            name.replace(".", "/"),
            lambda count, name=name, pattern=pattern: {
                "main.sdf": "<sdf version='1.9'><model name='m'><link name='l'><visual name='v'>"
                f"{BALL}{look}</visual></link></model></sdf>",
                "m.material": each(count, pattern)
                if name == "script.material"
                else f"material M0\n{{ {each(count, pattern)} }}",
            },
        )
    for name, pattern in OBJ.items():
        yield (
            f"obj/{name}",
            lambda count, pattern=pattern: _with_mesh(
                "a.obj", CORNERS + each(count, pattern) + FACES
            ),
        )
    for name, pattern in MTL.items():
        yield (
            f"mtl/{name}",
            lambda count, pattern=pattern: {
                **_with_mesh("a.obj", f"mtllib a.mtl\n{CORNERS}usemtl m0\n{FACES}"),
                "a.mtl": f"newmtl m0\n{each(count, pattern)}",
            },
        )
    for name, item in GLTF.items():
        yield f"gltf/{name}", lambda count, name=name, item=item: _gltf(name, item, count)
    for name, pattern in DAE.items():
        yield (
            f"dae/{name}",
            lambda count, name=name, pattern=pattern: _with_mesh(
                "a.dae",
                "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
                f"<asset/><{name}>{each(count, pattern)}</{name}></COLLADA>",
            ),
        )
    yield "archive/member", _archive


def _with_mesh(name: str, text: str) -> dict[str, str | bytes]:
    shape = f"<geometry><mesh><uri>{name}</uri></mesh></geometry>"
    shapes = f"<visual name='v'>{shape}</visual><collision name='c'>{shape}</collision>"
    link = f"<link name='l'>{shapes}</link>"
    return {
        "main.sdf": f"<sdf version='1.9'><model name='m'>{link}</model></sdf>",
        name: text,
    }


def _gltf(name: str, item: object, count: int) -> Files:
    document: dict[str, object] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        **{key: [first] for key, first in GLTF.items() if key not in ("images", "textures")},
    }
    document[name] = [item] * count
    if name == "nodes":
        document["scenes"] = [{"nodes": list(range(count))}]
    corners = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    return {**_with_mesh("a.gltf", json.dumps(document)), "b.bin": corners}


def _archive(count: int) -> Files:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("main.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
        for i in range(count):
            archive.writestr(f"m{i}.obj", "v 0 0 0\n")
    return {"main.mjz": data.getvalue()}


FORMATS = {
    "sdf": sdf_inputs,
    "urdf": urdf_inputs,
    "srdf": srdf_inputs,
    "mjcf": mjcf_inputs,
    "": side_inputs,
}


def inputs() -> dict[str, Maker]:
    """Return every input by the name of its element."""
    return {
        f"{language} {name}".strip(): maker
        for language, made in FORMATS.items()
        for name, maker in made()
    }


# --- the stages -----------------------------------------------------------------------------------

TARGETS = ("mjcf", "sdf", "urdf", "directives")


def stages(main: Path) -> dict[str, float]:
    """Load, check and export a file, as far as it is valid; return the processor times [s]."""
    times: dict[str, float] = {}

    def timed(name: str, work: Callable[[], object]) -> object:
        start = time.process_time()
        try:
            return work()
        except ModelError:
            return None
        finally:
            times[name] = time.process_time() - start

    srdf = main.with_suffix(".srdf")
    options = {"srdf": srdf} if srdf.exists() else {}
    scene = timed("load", lambda: loaders.load(main, quiet=True, lenient=True, **options))
    words = ["check", "--lenient", str(main)]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        timed("check", lambda: bridge.cli.main(words))
    if scene is not None:
        for target in TARGETS:
            timed(target, lambda target=target: getattr(bridge, f"to_{target}")(scene, quiet=True))
    return times


def in_pybullet(main: Path) -> dict[str, float]:
    """Return the processor time of a load into PyBullet [s], as far as the file is valid."""
    with contextlib.suppress(ModelError):
        scene = loaders.load(main, quiet=True, lenient=True)
        if len(scene.links) <= MOST_LINKS:
            client = pybullet.connect(pybullet.DIRECT)
            start = time.process_time()
            with contextlib.suppress(ModelError):
                bridge.load_world_into_pybullet(scene, physicsClientId=client, quiet=True)
            return {"pybullet": time.process_time() - start}
    return {}


def written(files: Files, folder: Path) -> Path:
    """Write files into a folder, and return the path of the first."""
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
    return folder / next(iter(files))


def measured(files: Files) -> tuple[dict[str, float], int]:
    """Return the times of the stages [s] and the memory that they take at most [bytes], in a fork
    of this process.
    """
    with tempfile.TemporaryDirectory(prefix="sdfbridge-growth-") as scratch:
        main = written(files, Path(scratch))
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.environ["SDFBRIDGE_CACHE"] = f"{scratch}/cache"
                before = (
                    int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
                )
                times = stages(main)
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
                os.write(writer, json.dumps([times | in_pybullet(main), peak - before]).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as stream:
            found = stream.read()
        os.waitpid(child, 0)
    times, memory = json.loads(found)
    return times, memory


def bytes_of(files: Files) -> int:
    """Return the size of files."""
    return sum(len(content) for content in files.values())


def row(name: str, maker: Maker, size: int) -> dict[str, object]:
    """Return what an input takes: its name, the number of elements, its size, whether it loads, the
    time, the largest power of a stage, this stage, and the memory.
    """
    whole, small = maker(size), maker(size // 4)
    (times, memory), (times_of_small, memory_of_small) = measured(whole), measured(small)
    found = {size: times, size // 4: times_of_small}
    slow = {stage for each in found.values() for stage in each if each[stage] > SHORT}
    if slow:
        for doubling in range(1, DOUBLINGS + 1):
            count = size >> doubling
            found[count] = found.get(count) or measured(maker(count))[0]
    if any(_power(found, stage) > LINEAR for stage in slow):
        for count, earlier in found.items():
            again = measured(maker(count))[0]
            found[count] = {s: min(earlier[s], again.get(s, math.inf)) for s in earlier}
    powers = {stage: _power(found, stage) for stage in slow}
    worst = max(powers, key=lambda stage: powers[stage], default="")
    return {
        "element": name,
        "n": size,
        "bytes": bytes_of(whole),
        "loads": "yes" if "mjcf" in times else "no",
        "seconds": round(sum(times.values()), 2),
        "stage": worst,
        "power": round(powers[worst], 2) if worst else "",
        "memory": round((memory - memory_of_small) / (bytes_of(whole) - bytes_of(small))),
    }


def _power(times: Mapping[int, Mapping[str, float]], stage: str) -> float:
    """Return the power of the number of elements that fits the times of a stage best, without those
    too short to be measured.
    """
    points = [
        (math.log(count), math.log(each[stage]))
        for count, each in times.items()
        if each.get(stage, 0.0) > SHORT / 10.0
    ]
    return float(np.polyfit(*zip(*points, strict=True), 1)[0]) if len(points) > 1 else 0.0


def main(words: list[str] | None = None) -> int:
    """Measure the elements that are not measured yet, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.schema_growth", description=__doc__)
    parser.add_argument("part", nargs="*", help="part of the names of elements")
    parser.add_argument("--size", type=int, default=SIZE, help=f"number of elements ({SIZE})")
    parser.add_argument(
        "--out", type=Path, default=Path("out/growth.csv"), help="the table (out/growth.csv)"
    )
    options = parser.parse_args(words)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    known = {}
    if options.out.exists():
        with options.out.open(encoding="utf-8", newline="") as stream:
            known = {found["element"]: found for found in csv.DictReader(stream)}
    warm()
    for name, maker in inputs().items():
        is_asked = not options.part or any(part in name for part in options.part)
        if is_asked and name not in known:
            size = options.size // 2 if name.startswith("mjcf") else options.size
            known[name] = {key: str(value) for key, value in row(name, maker, size).items()}
            with options.out.open("w", encoding="utf-8", newline="") as stream:
                table = csv.DictWriter(stream, list(known[name]), lineterminator="\n")
                table.writeheader()
                table.writerows(known.values())
    return 1 if any(float(found["power"] or 0) > LINEAR for found in known.values()) else 0


def warm() -> None:
    """Import what all stages use, and leave what they made to no collection of garbage."""
    assets = Path(__file__).parents[1] / "assets"
    stages(assets / "double_pendulum.urdf")
    stages(assets / "arm" / "model.sdf")
    with tempfile.TemporaryDirectory() as scratch:
        stages(written(_archive(2), Path(scratch)))
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
