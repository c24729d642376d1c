"""Minimal inputs for the codes of the XML reader, of files, of resources and of the checks of a
scene.
"""

from __future__ import annotations

import importlib
import os
import struct
import sys
import types
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

import loaders
from bridge.geometry.mesh import mesh_asset
from loaders import Diagnostic, Limits
from loaders.diagnostics import Diagnostics
from loaders.finish.mesh_check import check_mesh_sizes, check_meshes
from tests.code_examples.sdf import ENDS, LINK, SHAPE, TWO, model
from tests.support.code_example import Example, findings, reading


def urdf(body: str) -> str:
    return f"<robot name='r'>{body}</robot>"


def visual(geometry: str) -> str:
    return model(f"<link name='a'><visual name='v'><geometry>{geometry}</geometry></visual></link>")


def triangle(size: float = 1.0) -> bytes:
    """A binary STL file with one triangle."""
    numbers = (0, 0, 1, 0, 0, 0, size, 0, 0, 0, size, 0)
    return bytes(80) + struct.pack("<I12fH", 1, *map(float, numbers), 0)


def collada(asset: str = "", binding: str = "", library: str = "") -> str:
    """A COLLADA file with one triangle."""
    source = (
        "<source id='p'><float_array id='f' count='9'>0 0 0 1 0 0 0 1 "
        "0</float_array><technique_common>"
        "<accessor source='#f' count='3' stride='3'><param name='X' type='float'/><param name='Y' "
        "type='float'/>"
        "<param name='Z' type='float'/></accessor></technique_common></source>"
    )
    return (
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
        f"<asset>{asset}</asset>{library}"
        f"<library_geometries><geometry id='g'><mesh>{source}"
        "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='1' "
        "material='s'>"
        "<input semantic='VERTEX' source='#v' offset='0'/><p>0 1 "
        "2</p></triangles></mesh></geometry>"
        "</library_geometries><library_visual_scenes><visual_scene id='s'><node id='n'>"
        f"<instance_geometry url='#g'>{binding}</instance_geometry></node></visual_scene>"
        "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>"
    )


EMBEDDED = (
    '{"asset": {"version": "2.0"}, "images": [{"uri": "data:image/png;base64,iVBORw0KGgo="}], '
    '"textures": [{"source": 0}], '
    '"materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}], '
    '"scenes": [{"nodes": '
    '[0]}], "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": '
    '0}, "material": 0}]}], "accessors": '
    '[{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "max": [1, 1, 0], '
    '"min": [0, 0, 0]}], '
    '"bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": '
    '"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}'
)
EFFECTS = (
    "<library_effects><effect id='e'><profile_COMMON><technique sid='t'><phong><diffuse>"
    "<color>1 0 0 "
    "1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>"
    "<library_materials><material id='m'>"
    "<instance_effect url='#none'/></material></library_materials>"
)
BROKEN = (
    "<bind_material><technique_common><instance_material symbol='s' "
    "target='#m'/></technique_common></bind_material>"
)
OBJ = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"


def meshes(name: str, content: str | bytes, files: dict[str, str] | None = None) -> Example:
    """A mesh to read."""

    def diagnose(folder: Path) -> Iterable[Diagnostic]:
        for path, text in (files or {}).items():
            (folder / path).write_text(text)
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        diagnostics = Diagnostics()
        loaders.meshes.read_mesh(loaders.model.Mesh(uri=name, path=str(path)), diagnostics)
        return diagnostics

    return Example(diagnose)


def large_mesh(folder: Path) -> Iterable[Diagnostic]:
    """A mesh of a kilometer on a robot of a meter."""
    (folder / "a.stl").write_bytes(triangle(1000.0))
    mesh = "<visual name='v'><geometry><mesh><uri>a.stl</uri></mesh></geometry></visual>"
    links = f"<link name='a'>{mesh}</link><link name='b'><pose>1 0 0 0 0 0</pose></link>"
    (folder / "main.sdf").write_text(
        model(f"{links}<joint name='j' type='revolute'>{ENDS}<axis/></joint>")
    )
    diagnostics = Diagnostics()
    scene = loaders.load(folder / "main.sdf")
    check_mesh_sizes(scene, check_meshes(scene, diagnostics), diagnostics)
    return diagnostics


def with_srdf_beside(folder: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    """Put an SRDF beside the file of the robot."""
    (folder / "r.srdf").write_text(urdf(""))


def without_xacro(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the import of xacro fail."""
    monkeypatch.setitem(sys.modules, "xacro", None)


def embedded(folder: Path) -> Iterable[Diagnostic]:
    """A texture in a mesh file, without a cache in which it could become a file."""
    path = folder / "a.gltf"
    path.write_text(EMBEDDED)
    diagnostics = Diagnostics()
    mesh_asset(loaders.model.Mesh(uri="a.gltf", path=str(path)), "mjcf", diagnostics)
    return diagnostics


def empty_robot_descriptions(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a package robot_descriptions without robots into place."""
    package = types.ModuleType("robot_descriptions")
    package.__path__ = []  # type: ignore[attr-defined]
    package.__spec__ = importlib.machinery.ModuleSpec("robot_descriptions", None, is_package=True)
    monkeypatch.setitem(sys.modules, "robot_descriptions", package)


def odd_reader(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package whose reader returns no scene."""
    metadata = folder / "odd-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n", encoding="utf-8"
    )
    (metadata / "entry_points.txt").write_text(
        "[sdfbridge.readers]\nodd = builtins:len\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(folder)


def axes(kind: str, first: str, second: str) -> str:
    return model(
        f"{TWO}<joint name='j' "
        f"type='{kind}'>{ENDS}<axis><xyz>{first}</xyz></axis><axis2><xyz>{second}</xyz></axis2>"
        "</joint>"
    )


INERTIA = "<inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>9</izz></inertia></inertial>"
XACRO = "<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'>{}</robot>"
PLANNING = {"allow_xacro": True}

XML = {
    "xml.doctype": reading("<!DOCTYPE sdf [<!ENTITY a 'b'>]><sdf version='1.9'/>"),
    "xml.foreign": reading(model("<link name='a'><gui:color xmlns:gui='x'/></link>"), "a"),
    "xml.mended": reading(model(LINK + "<!-- a -- b -->")),
    "xml.missing": reading(
        urdf("<link name='a'/><joint name='j' type='fixed'><parent link='a'/></joint>"),
        "j",
        name="r.urdf",
    ),
    "xml.not-a-flag": reading(model("<static>perhaps</static>" + LINK), "m"),
    "xml.not-a-number": reading(
        model("<link name='a'><inertial><mass>heavy</mass></inertial></link>"), "a"
    ),
    "xml.not-a-vector": reading(visual("<box><size>1 2</size></box>"), "a::v"),
    "xml.not-finite": reading(
        model("<link name='a'><inertial><mass>nan</mass></inertial></link>"), "a"
    ),
    "xml.not-whole": reading(
        model(
            f"<link name='a'><collision "
            f"name='c'>{SHAPE}<surface><contact><collide_bitmask>1.5</collide_bitmask>"
            "</contact></surface></collision></link>"
        ),
        "a::c",
    ),
    "xml.out-of-range": reading(
        model(
            "<link name='a'><sensor name='s' "
            "type='camera'><camera><horizontal_fov>7</horizontal_fov></camera></sensor>"
            "</link>"
        ),
        "a::s",
    ),
    "xml.repeated-element": reading(model("<link name='a'><inertial/><inertial/></link>"), "a"),
    "xml.syntax": reading("<sdf version='1.9'><model></sdf>"),
    "xml.trailing-text": reading(visual("<sphere><radius>1 2</radius></sphere>"), "a::v"),
    "xml.unread-pose": reading(
        model("<link name='a'><pose unit='mm'>1 0 0 0 0 0</pose></link>"), "a"
    ),
    "xml.unread": reading(model("<link name='a'><inertiall/></link>"), "a"),
}
FILES = {
    "file.archive": Example(
        lambda folder: findings(lambda: loaders.load(folder / "robot.mjz").diagnostics),
        (),
        lambda folder, _: (folder / "robot.mjz").write_bytes(b"PK"),
    ),
    "file.compressed": reading(b"\x1f\x8b\x08\x00"),
    "file.include-cycle": reading(
        model(LINK + "<include><uri>loop.dmd.yaml</uri></include>"),
        files={"loop.dmd.yaml": "directives:\n- add_model: {name: x, file: main.sdf}\n"},
    ),
    "file.limit": reading(model(LINK), limits=Limits(elements=2)),
    "file.not-regular": Example(
        lambda folder: findings(lambda: loaders.load(folder / "pipe.sdf").diagnostics),
        (),
        lambda folder, _: os.mkfifo(folder / "pipe.sdf"),
    ),
    "file.reader": reading("<odd/>", setup=odd_reader),
    "file.too-large": reading(model(LINK), limits=Limits(text_file_bytes=10)),
    "file.unknown-format": reading("<html/>"),
    "file.unlisted": reading(
        model("<link name='a'><none/><none/></link>"), limits=Limits(diagnostics=1)
    ),
    "file.unreadable": Example(
        lambda folder: findings(lambda: loaders.load(folder / "none.sdf").diagnostics), ()
    ),
    "rd.not-found": Example(
        lambda _: findings(lambda: loaders.load("rd://no_such_description").diagnostics),
        setup=empty_robot_descriptions,
    ),
    "resource.not-found": reading(visual("<mesh><uri>none.stl</uri></mesh>"), "a::v"),
    "resource.outside": replace(
        reading(
            visual("<mesh><uri>../../outside.stl</uri></mesh>"), "a::v", name="deep/er/main.sdf"
        ),
        setup=lambda folder, _: (folder / "outside.stl").write_bytes(triangle()) and None,
    ),
}
CHECKS = {
    "model.shape-size": reading(visual("<sphere><radius>1e300</radius></sphere>"), "a", "a::v"),
    "model.zero-size": reading(visual("<sphere><radius>0</radius></sphere>"), "a", "a::v"),
    "model.impossible-inertia": reading(model(f"<link name='a'>{INERTIA}</link>"), "a"),
    "model.parallel-axes": reading(axes("universal", "0 0 1", "0 0 1"), "j"),
    "model.repaired-inertia": reading(model(f"<link name='a'>{INERTIA}</link>"), "a", lenient=True),
    "model.skew-axes": reading(axes("universal", "1 0 0", "1 1 0"), "j"),
}
MESHES = {
    "mesh.embedded-texture": Example(
        embedded,
        (),
        lambda _, monkeypatch: monkeypatch.setenv("SDFBRIDGE_CACHE", "/dev/null/none"),
    ),
    "mesh.implausible-size": Example(large_mesh),
    "mesh.incomplete": meshes("a.dae", collada(binding=BROKEN, library=EFFECTS)),
    "mesh.looks": meshes("a.obj", OBJ, {"m.mtl": "newmtl m\nKd 1 0 0\nmap_d a.png\n"}),
    "mesh.mended": meshes("a.dae", collada().replace("<mesh>", "<mesh name='<b>'>")),
    "mesh.missing-texture": meshes("a.obj", OBJ, {"m.mtl": "newmtl m\nmap_Kd none.png\n"}),
    "mesh.outside": meshes("a.obj", OBJ.replace("m.mtl", "../../m.mtl")),
    "mesh.unreadable": meshes("a.stl", b"no mesh"),
    "mesh.up-axis": meshes("a.dae", collada("<up_axis>Y_UP</up_axis>")),
}
EXPANSION = {
    "srdf.duplicate-state": (
        "<group_state name='s' group='g'><joint name='j' value='0'/></group_state>"
    )
    * 2,
    "srdf.empty-state": "<group_state name='s' group='g'/>",
    "srdf.planning": "<group name='g'/>",
    "srdf.same-link": "<disable_collisions link1='a' link2='a'/>",
    "srdf.state-joint": "<group_state name='s'><joint name='weld' value='0'/></group_state>",
    "srdf.state-value": "<group_state name='s'><joint name='j' value='high'/></group_state>",
    "srdf.unknown-joint": "<group_state name='s'><joint name='wheel' value='0'/></group_state>",
    "srdf.unknown-link": "<disable_collisions link1='a' link2='z'/>",
}


THREE_LINKS = (
    "<link name='a'/><link name='b'/><link name='c'/>"
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    "<joint name='weld' type='fixed'><parent link='b'/><child link='c'/></joint>"
)


def srdf(content: str) -> Example:
    """A robot with an SRDF file."""

    def diagnose(folder: Path) -> Iterable[Diagnostic]:
        (folder / "r.urdf").write_text(urdf(THREE_LINKS))
        (folder / "r.srdf").write_text(content)
        return findings(lambda: loaders.load(folder / "r.urdf", srdf=folder / "r.srdf").diagnostics)

    return Example(diagnose)


ROBOTS = {
    **{code: srdf(urdf(body)) for code, body in EXPANSION.items()},
    "srdf.root": srdf("<sdf/>"),
    "srdf.not-used": reading(urdf(THREE_LINKS), name="r.urdf", setup=with_srdf_beside),
    "xacro.expanded": reading(
        XACRO.format("<link name='a'/>"), name="r.urdf.xacro", allow_xacro=True
    ),
    "xacro.failed": reading(
        XACRO.format("<link name='${none}'/>"), name="r.urdf.xacro", allow_xacro=True
    ),
    "xacro.include-not-found": reading(
        XACRO.format("<xacro:include filename='$(find none)/a.xacro'/>"),
        name="r.urdf.xacro",
        allow_xacro=True,
    ),
    "xacro.missing-argument": reading(
        XACRO.format("<link name='$(arg name)'/>"), name="r.urdf.xacro", allow_xacro=True
    ),
    "xacro.not-allowed": reading(XACRO.format(""), name="r.urdf.xacro"),
    "xacro.not-installed": reading(
        XACRO.format(""), name="r.urdf.xacro", allow_xacro=True, setup=without_xacro
    ),
    "xacro.unknown-macro": reading(
        XACRO.format("<link name='a'/><xacro:none/>"), name="r.urdf.xacro", allow_xacro=True
    ),
}


def _overridden(text: str, *subjects: str) -> Example:
    return reading(
        model(LINK), *subjects, files={"o.toml": text}, setup=_in_folder, overrides="o.toml"
    )


def _in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


OVERRIDES = {
    "overrides.applied": _overridden("[links.a]\ngravity = false", "a"),
    "overrides.key": _overridden("[links.a]\ngravty = false"),
    "overrides.name": _overridden("[links.b]\ngravity = false"),
    "overrides.syntax": _overridden("[links"),
    "overrides.value": _overridden("[links.a]\ngravity = 0"),
}

EXAMPLES: dict[str, Example] = XML | FILES | CHECKS | MESHES | ROBOTS | OVERRIDES
