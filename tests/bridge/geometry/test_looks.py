"""Looks that files state, as both simulators have them."""

import base64
import io
import json
import re
import struct

import mujoco
import numpy as np
import pybullet
import pytest
import trimesh
from PIL import Image

import bridge
import loaders
from benchmarks.mjcf_schema import attributes
from docs.make_looks_table import TABLE, statements, table
from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.meshes.mesh_data import srgb
from loaders.model import Mesh
from loaders.model.link import DEFAULT_COLOR
from loaders.picture import surfaces
from tests.support.sdf_elements import SCHEMA
from tests.support.seeds import spread

GRAY, WHITE, BLACK, RED = DEFAULT_COLOR, (1, 1, 1, 1), (0, 0, 0, 1), (1, 0, 0, 1)
YELLOW, CLEAR = (1, 1, 0, 1), (1, 0, 0, 0.3)
CORNERS = np.array(((0, -0.5, -0.5), (0, 0.5, -0.5), (0, 0.5, 0.5), (0, -0.5, 0.5)))
UV = np.array(((0, 0), (1, 0), (1, 1), (0, 1)))
PICTURE = "a.png"


def picture() -> bytes:
    """Left half red, right half green, with a blue square at the top left."""
    pixels = np.zeros((64, 64, 3), np.uint8)
    pixels[:, :32], pixels[:, 32:], pixels[:16, :16] = (220, 30, 30), (30, 180, 30), (30, 30, 220)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def obj(material: str, *, colors: str = "") -> dict[str, str]:
    """Return a square with a material, or with colors of its vertices, which stand for it."""
    rows = colors.split(",") if colors else [""] * 4
    lines = [f"v {x} {y} {z} {row}" for (x, y, z), row in zip(CORNERS, rows, strict=True)]
    lines += [f"vt {u} {v}" for u, v in UV] if not colors else []
    lines += ["f 1/1 2/2 3/3 4/4" if not colors else "f 1 2 3 4"]
    head = "" if colors else "mtllib a.mtl\nusemtl m\n"
    return {"a.obj": head + "\n".join(lines), "a.mtl": f"newmtl m\n{material}\n"}


def gltf(material: dict[str, object], *, colors: object = None) -> dict[str, str]:
    """Return a square with a material, and with colors of its vertices."""
    columns = [CORNERS @ ((1, 0, 0), (0, 0, -1), (0, 1, 0)), UV * (1, -1) + (0, 1)]
    columns += [np.asarray(colors)] if colors is not None else []
    data = b"".join(np.asarray(column, "<f4").tobytes() for column in columns)
    starts = np.cumsum([0, *(4 * column.size for column in columns)]).tolist()
    names = ("POSITION", "TEXCOORD_0", "COLOR_0")
    views = [
        {"buffer": 0, "byteOffset": start, "byteLength": 4 * column.size}
        for start, column in zip(starts, columns, strict=False)
    ]
    accessors = [
        {"bufferView": i, "componentType": 5126, "count": 4, "type": f"VEC{column.shape[1]}"}
        for i, column in enumerate(columns)
    ]
    indices = np.array((0, 1, 2, 0, 2, 3), "<u2").tobytes()
    views.append({"buffer": 0, "byteOffset": starts[-1], "byteLength": len(indices)})
    accessors.append(
        {"bufferView": len(columns), "componentType": 5123, "count": 6, "type": "SCALAR"}
    )
    attributes = dict(zip(names, range(len(columns)), strict=False))
    uri = "data:application/octet-stream;base64," + base64.b64encode(data + indices).decode()
    inside = "data:image/png;base64," + base64.b64encode(picture()).decode()
    header = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [
            {"primitives": [{"attributes": attributes, "indices": len(columns), "material": 0}]}
        ],
        "materials": [material],
        "images": [{"uri": PICTURE}, {"uri": inside}],
        "textures": [{"source": 0}, {"source": 1}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data + indices), "uri": uri}],
    }
    return {"a.gltf": json.dumps(header)}


def pbr(factor: object = None, texture: object = None, **others: object) -> dict[str, object]:
    stated = {"baseColorFactor": factor, "baseColorTexture": texture}
    return {
        "pbrMetallicRoughness": {k: v for k, v in stated.items() if v is not None},
        **others,
    }


TEXTURE = "<texture texture='p' texcoord='UV'/>"


def source(name: str, numbers: str, width: int) -> str:
    params = "<param type='float'/>" * width
    return (
        f"<source id='{name}'><float_array id='{name}a' count='{4 * width}'>{numbers}"
        f"</float_array><technique_common><accessor source='#{name}a' count='4' stride='{width}'>"
        f"{params}</accessor></technique_common></source>"
    )


def dae(shading: str, *, bound: bool = True, extra: str = "") -> dict[str, str]:
    """Return a square with an effect; its texture uses the second set of coordinates."""

    def numbers(values: object) -> str:
        return " ".join(map(str, np.ravel(values)))

    sources = source("gp", numbers(CORNERS), 3) + source("gt", numbers(UV), 2)
    sources += source("gu", "0.9 0.1 " * 4, 2)
    bind = "<bind_vertex_input semantic='UV' input_semantic='TEXCOORD' input_set='1'/>"
    return {
        "a.dae": f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified></asset>
<library_images><image id="i"><init_from>{PICTURE}</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
<newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
<newparam sid="p"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="c">{shading}</technique>{extra}</profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>{sources}
<vertices id="gv"><input semantic="POSITION" source="#gp"/></vertices>
<triangles count="2" material="M"><input semantic="VERTEX" source="#gv" offset="0"/>
<input semantic="TEXCOORD" source="#gu" offset="1" set="0"/>
<input semantic="TEXCOORD" source="#gt" offset="1" set="1"/>
<p>0 0 1 1 2 2 0 0 2 2 3 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="v"><node><instance_geometry url="#g"><bind_material>
<technique_common><instance_material symbol="M" target="#m">{bind if bound else ""}
</instance_material></technique_common></bind_material></instance_geometry></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#v"/></scene></COLLADA>"""
    }


def phong(diffuse: str, rest: str = "", before: str = "") -> str:
    return f"<phong>{before}<diffuse>{diffuse}</diffuse>{rest}</phong>"


def transparent(mode: str, color: str, amount: str) -> str:
    return (
        f"<transparent opaque='{mode}'><color>{color}</color></transparent>"
        f"<transparency><float>{amount}</float></transparency>"
    )


C_RED, C_BLACK = "<color>1 0 0 1</color>", "<color>0 0 0 1</color>"
GLOW = "<emission><color>1 1 0 1</color></emission>"
HALF = tuple(srgb((0.5, 0.0, 0.0)).tolist())
CELLS = {
    # files, color, whether there is a texture, codes of the findings
    "mtl: Kd": (obj("Kd 1 0 0"), RED, False, []),
    "mtl: two libraries": (
        {
            "a.obj": obj("")["a.obj"].replace("a.mtl", "none.mtl b.mtl\nmtllib a.mtl"),
            "a.mtl": "newmtl m\nKd 1 0 0\n",
            "b.mtl": "newmtl other\nKd 0 0 1\n",
        },
        RED,
        False,
        [],
    ),
    "mtl: no library": ({"a.obj": obj("")["a.obj"]}, GRAY, False, ["mesh.looks"]),
    "mtl: nothing": (obj(""), GRAY, False, []),
    "mtl: d": (obj("Kd 1 0 0\nd 0.3"), CLEAR, False, []),
    "mtl: Tr": (obj("Kd 1 0 0\nTr 0.7"), CLEAR, False, []),
    "mtl: d before Tr": (obj("Kd 1 0 0\nTr 1\nd 0.3"), CLEAR, False, []),
    "mtl: d 0": (obj("Kd 1 0 0\nd 0"), RED, False, []),
    "mtl: Tr 1": (obj("Kd 1 0 0\nTr 1"), RED, False, []),
    "mtl: Ke": (obj("Kd 0 0 0\nKe 1 1 0"), YELLOW, False, []),
    "mtl: map_Ke": (obj(f"Kd 0 0 0\nKe 1 1 1\nmap_Ke {PICTURE}"), WHITE, True, []),
    "mtl: map_Kd": (obj(f"map_Kd {PICTURE}"), WHITE, True, []),
    "mtl: map_Kd, Kd": (obj(f"Kd 0.3 0.3 0.3\nmap_Kd {PICTURE}"), (0.3, 0.3, 0.3, 1), True, []),
    "mtl: map_d": (obj("Kd 1 0 0\nmap_d b.png"), RED, False, ["mesh.looks"]),
    "mtl: Ka": (obj("Kd 0 0 0\nKa 0 0 1"), BLACK, False, ["mesh.looks"]),
    "mtl: gray Ka": (obj("Kd 0 0 0\nKa 1 1 1"), BLACK, False, []),
    "mtl: map_Ka": (obj(f"Kd 1 1 1\nmap_Ka {PICTURE}"), WHITE, False, ["mesh.looks"]),
    "mtl: colors of vertices": (obj("", colors="1 0 0,1 0 0,1 0 0,1 0 0"), RED, False, []),
    "mtl: other colors": (obj("", colors="1 0 0,1 0 0,0 0 1,0 0 1"), WHITE, True, []),
    "gltf: factor": (gltf(pbr((0.5, 0, 0, 1))), (*HALF, 1), False, []),
    "gltf: nothing": (gltf({}), WHITE, False, []),
    "gltf: opaque": (gltf(pbr((1, 0, 0, 0.3))), RED, False, []),
    "gltf: blend": (gltf(pbr((1, 0, 0, 0.3), alphaMode="BLEND")), CLEAR, False, []),
    "gltf: emissive": (gltf(pbr((0, 0, 0, 1), emissiveFactor=(1, 1, 0))), YELLOW, False, []),
    "gltf: texture": (gltf(pbr(texture={"index": 0})), WHITE, True, []),
    "gltf: texture inside": (gltf(pbr(texture={"index": 1})), WHITE, True, []),
    "gltf: colors of vertices": (gltf({}, colors=((1, 0, 0, 1),) * 4), RED, False, []),
    "dae: color": (dae(phong(C_RED)), RED, False, []),
    "dae: diffuse alpha": (dae(phong("<color>1 0 0 0.3</color>")), CLEAR, False, []),
    "dae: A_ONE": (dae(phong(C_RED, transparent("A_ONE", "1 1 1 1", "0.3"))), CLEAR, False, []),
    "dae: A_ZERO": (dae(phong(C_RED, transparent("A_ZERO", "0 0 0 1", "0.7"))), CLEAR, False, []),
    "dae: RGB_ZERO": (
        dae(phong(C_RED, transparent("RGB_ZERO", "0.7 0.7 0.7 1", "1"))),
        CLEAR,
        False,
        [],
    ),
    "dae: RGB_ONE": (
        dae(phong(C_RED, transparent("RGB_ONE", "0 1 0 1", "1"))),
        (1, 0, 0, 0.71516),
        False,
        [],
    ),
    "dae: all clear": (dae(phong(C_RED, transparent("A_ONE", "1 1 1 1", "0"))), RED, False, []),
    "dae: emission": (dae(phong(C_BLACK, before=GLOW)), YELLOW, False, []),
    "dae: ambient": (
        dae(phong(C_BLACK, before="<ambient><color>1 0 0 1</color></ambient>")),
        BLACK,
        False,
        ["mesh.looks"],
    ),
    "dae: constant": (dae(f"<constant>{GLOW}</constant>"), YELLOW, False, []),
    "dae: texture": (dae(phong(TEXTURE)), WHITE, True, []),
    "dae: setparam": (
        {
            "a.dae": dae(phong(C_RED))["a.dae"].replace(
                '<instance_effect url="#e"/>',
                '<instance_effect url="#e"><setparam ref="c"><float4>0 0 1 1</float4>'
                "</setparam></instance_effect>",
            )
        },
        RED,
        False,
        ["mesh.looks"],
    ),
    "dae: texture of emission": (
        dae(phong(C_BLACK, before=f"<emission>{TEXTURE}</emission>")),
        WHITE,
        True,
        [],
    ),
}


def write(folder, files):
    (folder / PICTURE).write_bytes(picture())
    (folder / "b.png").write_bytes(picture())
    for name, content in files.items():
        (folder / name).write_text(content)
    return next(iter(files))


def sdf(folder, mesh, look=""):
    path = folder / "robot.sdf"
    path.write_text(
        "<sdf version='1.9'><model name='m'><static>true</static><link name='l'><visual name='v'>"
        f"<geometry><mesh><uri>{mesh}</uri></mesh></geometry>{look}</visual></link></model></sdf>"
    )
    return path


def urdf(folder, mesh, look=""):
    path = folder / "robot.urdf"
    path.write_text(
        "<robot name='r'><link name='l'><visual><geometry>"
        f"<mesh filename='{mesh}'/></geometry>{look}</visual></link></robot>"
    )
    return path


def in_mujoco(path):
    """Return the color of the geom, and whether it has a texture."""
    text = bridge.to_mjcf(path, quiet=True)
    model = mujoco.MjModel.from_xml_string(text, text.assets)
    assert model.ngeom == 1
    material = model.geom_matid[0]
    rgba = model.geom_rgba[0] if material < 0 else model.mat_rgba[material]
    has_texture = bool(material >= 0 and (model.mat_texid[material] >= 0).any())
    return rgba, has_texture, text.diagnostics


def in_pybullet(path):
    """Return the color of the shape, and whether it has a texture."""
    pybullet.connect(pybullet.DIRECT)
    try:
        body = bridge.load_into_pybullet(path, quiet=True)
        (shape,) = pybullet.getVisualShapeData(int(body))
    finally:
        pybullet.disconnect()
    return shape[7], shape[4].endswith(b".obj"), body.diagnostics


def in_pictures(path):
    """Return the color of the surface in the viewer and in pictures, and whether it has a
    texture.
    """
    scene = loaders.load(path, quiet=True)
    (surface,) = surfaces(scene.links[0].visuals[0])
    return surface.rgba, bool(surface.texture or surface.picture), ()


@pytest.mark.parametrize("drawn", [in_mujoco, in_pybullet, in_pictures])
@pytest.mark.parametrize("cell", CELLS)
def test_what_a_mesh_file_states_is_drawn(tmp_path, cell, drawn):
    files, color, textured, codes = CELLS[cell]
    rgba, has_texture, findings = drawn(sdf(tmp_path, write(tmp_path, files)))
    np.testing.assert_allclose(rgba, color, atol=1e-6)
    assert has_texture is textured
    assert [entry.code for entry in findings] == (codes if drawn is not in_pictures else [])


PLAIN = obj(f"Kd 1 1 1\nmap_Kd {PICTURE}")
YELLOW_SDF = "<material><diffuse>1 1 0 1</diffuse></material>"
STATED = {
    "sdf: nothing": (sdf, "", WHITE, True),
    "sdf: empty": (sdf, "<material/>", WHITE, True),
    "sdf: specular": (sdf, "<material><specular>1 1 1 1</specular></material>", WHITE, True),
    "sdf: gray ambient": (sdf, "<material><ambient>.1 .1 .1 1</ambient></material>", WHITE, True),
    "sdf: ambient": (sdf, "<material><ambient>1 0 0 1</ambient></material>", WHITE, True),
    "sdf: diffuse": (sdf, YELLOW_SDF, YELLOW, False),
    "sdf: transparency": (sdf, "<transparency>0.5</transparency>", (1, 1, 1, 0.5), True),
    "urdf: nothing": (urdf, "", WHITE, True),
    "urdf: color": (urdf, "<material name='y'><color rgba='1 1 0 1'/></material>", YELLOW, True),
}


@pytest.mark.parametrize("drawn", [in_mujoco, in_pybullet, in_pictures])
@pytest.mark.parametrize("cell", STATED)
def test_what_the_model_states_has_precedence_in_the_way_of_its_format(tmp_path, cell, drawn):
    written, look, color, textured = STATED[cell]
    rgba, has_texture, _ = drawn(written(tmp_path, write(tmp_path, PLAIN), look))
    np.testing.assert_allclose(rgba, color, atol=1e-6)
    assert has_texture is textured


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (obj(f"map_Kd -s 2 3 1 -o .5 .25 0 {PICTURE}"), UV * (2, 3) + (0.5, 0.25)),
        (obj(f"map_Kd -s 2 {PICTURE}"), UV * (2, 1)),
        (obj(f"map_Kd -clamp on -mm 0 1 {PICTURE}"), UV),
        (dae(phong(TEXTURE)), UV),
        (dae(phong(TEXTURE), bound=False), np.full((4, 2), (0.9, 0.1))),
    ],
)
def test_sets_and_transforms_of_coordinates_are_carried_out(tmp_path, files, expected):
    name = write(tmp_path, files)
    data = read_mesh(Mesh(uri=name, path=str(tmp_path / name)), Diagnostics())
    (part,) = data.parts
    for corner, uv in zip(CORNERS, expected, strict=True):
        index = np.abs(part.vertices - corner).sum(axis=1).argmin()
        np.testing.assert_allclose(part.uv[index], uv, atol=1e-6)


@pytest.mark.parametrize(
    ("moved", "expected"),
    [
        ({"scale": [2, 3]}, np.add(UV * (2, 3), (0, -2))),
        ({"offset": [0.5, 0.25]}, np.add(UV, (0.5, -0.25))),
        ({"rotation": np.pi / 2}, np.column_stack((1 - UV[:, 1], 1 + UV[:, 0]))),
    ],
)
def test_a_transform_of_gltf_has_v_downward(tmp_path, moved, expected):
    texture = {"index": 0, "extensions": {"KHR_texture_transform": moved}}
    name = write(tmp_path, gltf(pbr(texture=texture)))
    (part,) = read_mesh(Mesh(uri=name, path=str(tmp_path / name)), Diagnostics()).parts
    for corner, uv in zip(CORNERS, expected, strict=True):
        index = np.abs(part.vertices - corner).sum(axis=1).argmin()
        np.testing.assert_allclose(part.uv[index], uv, atol=1e-6)


def test_integers_are_texture_coordinates_of_gltf_too(tmp_path):
    header = json.loads(gltf(pbr(texture={"index": 0}))["a.gltf"])
    numbers = (65535 * (UV * (1, -1) + (0, 1))).astype("<u2").tobytes()
    uri = "data:application/octet-stream;base64," + base64.b64encode(numbers).decode()
    header["buffers"].append({"byteLength": len(numbers), "uri": uri})
    header["bufferViews"][1] = {"buffer": 1, "byteLength": len(numbers)}
    header["accessors"][1] |= {"componentType": 5123, "normalized": True}
    (tmp_path / "a.gltf").write_text(json.dumps(header))
    (part,) = read_mesh(Mesh(uri="a", path=str(tmp_path / "a.gltf")), Diagnostics()).parts
    np.testing.assert_allclose(part.uv, UV, atol=1e-9)


STL_TRIANGLE = struct.pack("<I12fH", 1, *(0, 0, 1), *(0, 0, 0), *(1, 0, 0), *(0, 1, 0), 0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.stl", b"COLOR=\xff\x00\x00\xff".ljust(80) + STL_TRIANGLE),
        ("a.stl", b"".ljust(80) + STL_TRIANGLE[:-2] + struct.pack("<H", 1 << 15 | 31)),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\ncomment TextureFile a.png\nelement vertex 3\n"
            b"property float x\nproperty float y\nproperty float z\nelement face 1\n"
            b"property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        ),
        ("a.gltf", gltf({"extensions": {"KHR_materials_transmission": {"transmissionFactor": 1}}})),
    ],
)
def test_what_is_not_read_is_counted(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content[name].encode())
    found = Diagnostics()
    read_mesh(Mesh(uri=name, path=str(path)), found)
    assert [entry.code for entry in found if entry.code == "mesh.looks"] == ["mesh.looks"]


def test_a_texture_that_does_not_repeat_is_noted_only_where_it_would(tmp_path):
    name = write(tmp_path, obj(f"map_Kd -clamp on -s 2 2 {PICTURE}"))
    found = Diagnostics()
    read_mesh(Mesh(uri=name, path=str(tmp_path / name)), found)
    assert [entry.code for entry in found] == ["mesh.looks"]


def test_an_open_surface_with_two_sides_has_both(tmp_path):
    for double, count in ((True, 4), (False, 2)):
        name = write(tmp_path, gltf({"doubleSided": double}))
        text = bridge.to_mjcf(sdf(tmp_path, name), quiet=True)
        model = mujoco.MjModel.from_xml_string(text, text.assets)
        assert model.nmeshface == count
        sides = {tuple(np.round(normal)) for normal in model.mesh_normal}
        assert sides == ({(1, 0, 0), (-1, 0, 0)} if double else {(1, 0, 0)})


def test_colors_of_faces_stay_apart(tmp_path):
    (tmp_path / "a.ply").write_text(
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
        "property float z\nelement face 2\nproperty list uchar int vertex_indices\n"
        "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n"
        "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 255 0 0\n3 0 2 3 0 0 255\n"
    )
    mesh = Mesh(uri="a.ply", path=str(tmp_path / "a.ply"))
    (part,) = read_mesh(mesh, Diagnostics()).parts
    with Image.open(io.BytesIO(part.picture)) as image:
        colors = {color for _, color in image.getcolors()}
    assert {(255, 0, 0), (0, 0, 255)} <= colors <= {(255, 0, 0), (0, 0, 255), (0, 0, 0)}


def test_colors_of_many_vertices_are_those_of_their_faces(tmp_path):
    ball = trimesh.creation.icosphere(subdivisions=4)
    ball.visual.vertex_colors = np.column_stack(
        ((127.5 * (ball.vertices + 1)).astype(np.uint8), np.full(len(ball.vertices), 255))
    )
    ball.export(tmp_path / "ball.ply")
    mesh = Mesh(uri="ball.ply", path=str(tmp_path / "ball.ply"))
    (part,) = read_mesh(mesh, Diagnostics()).parts
    pixels = np.asarray(Image.open(io.BytesIO(part.picture)), dtype=float)
    height, width, _ = pixels.shape
    u, v = part.uv[part.faces[:, 0]].T
    drawn = pixels[((1 - v) * height).astype(int), (u * width).astype(int)]
    stated = 127.5 * (part.vertices[part.faces].mean(axis=1) + 1)
    assert np.abs(drawn - stated).max() < 2.0 + 16.0 * (len(part.faces) > 4096)
    np.testing.assert_allclose(part.vertices[part.faces].mean(), ball.triangles.mean(), atol=1e-6)


def test_light_becomes_a_color_by_the_curve_of_the_standard():
    light = np.array((0.0, 0.0031308, 0.2140, 0.5, 1.0))
    np.testing.assert_allclose(srgb(light), (0.0, 0.04045, 0.5, 0.7354, 1.0), atol=1e-4)


# --- documents ------------------------------------------------------------------------------------

TWO_PARTS = {
    "a.obj": "mtllib a.mtl\nv 0 0 0\nv 0 1 0\nv 0 1 1\nv 0 0 1\nv 0 1 2\nv 0 0 2\nvt 0 0\nvt 1 0\n"
    "vt 1 1\nusemtl m\nf 1/1 2/2 3/3\nf 1/1 3/3 4/2\nusemtl n\nf 4 3 5\nf 4 5 6\n",
    "a.mtl": f"newmtl m\nKd 1 1 1\nmap_Kd {PICTURE}\nnewmtl n\nKd 0 0 1\nd 0.5\n",
}
DRAWN = [
    "mtl: Kd", "mtl: nothing", "mtl: d", "mtl: Ke", "mtl: map_Kd, Kd", "mtl: other colors",
    "gltf: blend", "gltf: texture inside", "dae: texture", "dae: texture of emission",
]  # fmt: skip
SOURCES = {
    "sdf": (sdf, ""),
    "sdf, color": (sdf, YELLOW_SDF),
    "sdf, transparency": (sdf, "<transparency>0.25</transparency>"),
    "sdf, emission": (sdf, "<material><emissive>0 1 0 1</emissive></material>"),
    "sdf, ambient": (sdf, "<material><ambient>0 1 0 1</ambient></material>"),
    "urdf": (urdf, ""),
    "urdf, color": (urdf, "<material name='y'><color rgba='1 1 0 0.5'/></material>"),
}


LIGHT = slice(7, 10)


def in_scene(path):
    """Return for each triangle that is drawn its middle, color, emitted light, whether it has a
    texture, and the middle of its texture coordinates.
    """
    rows = []
    for visual in loaders.load(path, quiet=True).links[0].visuals:
        for surface in surfaces(visual):
            middles = surface.vertices[surface.faces].mean(axis=1) @ visual.X_LG.R.T + visual.X_LG.p
            uv = None if surface.uv is None else surface.uv[surface.faces].mean(axis=1)
            rows += [
                (
                    *middle,
                    *surface.rgba,
                    *(surface.emissive or (0.0, 0.0, 0.0))[:3],
                    surface.texture is not None or surface.picture is not None,
                    *((0.0, 0.0) if uv is None else uv[i]),
                )
                for i, middle in enumerate(middles)
            ]
    return np.array(sorted(rows))


@pytest.mark.parametrize("form", ["sdf", "urdf"])
@pytest.mark.parametrize("stated", SOURCES)
@pytest.mark.parametrize("cell", spread([*DRAWN, "two parts"], 2))
def test_a_document_draws_what_its_source_draws(tmp_path, cell, stated, form):
    files = TWO_PARTS if cell == "two parts" else CELLS[cell][0]
    write_source, look = SOURCES[stated]
    source = write_source(tmp_path, write(tmp_path, files), look)
    export = bridge.export_sdf if form == "sdf" else bridge.export_urdf
    result = export(source, tmp_path / "out", quiet=True)
    found, wanted = in_scene(result.path), in_scene(source)
    if form == "urdf" and "emission" in stated:  # noted: URDF has no emitted light
        assert any(entry.arguments.get("field") == "emissive" for entry in result.diagnostics)
        found[:, LIGHT], wanted[:, LIGHT] = 0.0, 0.0
    np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize("stated", ["sdf, color", "sdf, transparency"])
@pytest.mark.parametrize("cell", ["mtl: nothing", "mtl: Kd", "mtl: d", "mtl: map_Kd, Kd"])
def test_pybullet_draws_a_written_urdf_in_the_colors_of_its_source(tmp_path, cell, stated):
    write_source, look = SOURCES[stated]
    source = write_source(tmp_path, write(tmp_path, CELLS[cell][0]), look)
    written = bridge.export_urdf(source, tmp_path / "out", quiet=True).path
    rgba, has_texture, _ = in_pybullet(source)
    pybullet.connect(pybullet.DIRECT)
    try:
        (shape,) = pybullet.getVisualShapeData(pybullet.loadURDF(str(written)))
    finally:
        pybullet.disconnect()
    np.testing.assert_allclose(shape[7], rgba, atol=1e-6)
    (visual,) = (v for link in loaders.load(written, quiet=True).links for v in link.visuals)
    (part,) = read_mesh(visual.geometry, Diagnostics()).parts
    assert (part.texture is not None) is has_texture


def test_each_shape_of_a_document_states_a_color(tmp_path):
    shapes = {
        "box": "<box><size>1 1 1</size></box>",
        "plane": "<plane/>",
        "cone": "<cone><radius>1</radius><length>1</length></cone>",
        "mesh": "<mesh><uri>a.obj</uri></mesh>",
    }
    write(tmp_path, obj(""))
    source = tmp_path / "robot.sdf"
    visuals = (f"<visual name='{k}'><geometry>{v}</geometry></visual>" for k, v in shapes.items())
    source.write_text(
        f"<sdf version='1.9'><model name='m'><link name='l'>{''.join(visuals)}</link></model></sdf>"
    )
    for form, text in (("sdf", bridge.to_sdf), ("urdf", bridge.to_urdf)):
        read = loaders.load_string(text(source, quiet=True), format=form, quiet=True)
        assert {v.material and v.material.diffuse for v in read.links[0].visuals} == {GRAY}


def test_the_table_of_statements_has_the_whole_schema():
    """What is not in it is neither looks nor read by anyone."""
    named = {(each.form, name) for each in statements() for name in re.findall(r"\w+", each.name)}
    sdf_names = [*SCHEMA["visual/material"].split(), *SCHEMA["pbr/metal"].split()]
    assert {name for name in sdf_names if ("sdf", name) not in named} <= {"pbr", "metal"}
    mjcf_names = [key for path, key in attributes() if path in {"asset/material", "asset/texture"}]
    assert len(mjcf_names) > 20
    left = {name for name in mjcf_names if ("mjcf", name) not in named}
    sides = {"fileleft", "fileup", "filedown", "filefront", "fileback"}
    assert left <= sides | {"width", "height", "nchannel", "content_type", "embed", "texture"}


@pytest.mark.slow
def test_the_table_of_statements_is_what_is_found():
    assert TABLE.read_text() == table(), "run python docs/make_looks_table.py"


def drawn_triangles(corners, rgba, image, uv):
    """Return for each triangle its middle, color with opacity, and the texel at its middle."""
    texels = np.ones((len(corners), 3))
    if image is not None:
        pixels = np.asarray(image.convert("RGB")) / 255.0
        u, v = uv.mean(axis=1).T % 1.0
        rows, columns = (1.0 - v) * len(pixels), u * pixels.shape[1]
        texels = pixels[rows.astype(int), columns.astype(int)]
    colors = np.broadcast_to(rgba, (len(corners), 4))
    return np.column_stack((corners.mean(axis=1), colors, texels)).tolist()


def in_trimesh(visual):
    """Return the triangles of a visual with the mesh as trimesh reads it."""
    rows = []
    for part in trimesh.load_scene(visual.geometry.path, process=False).geometry.values():
        look = getattr(part.visual, "material", trimesh.visual.material.SimpleMaterial())
        rgba = visual.material.diffuse if visual.material else np.array(look.diffuse) / 255.0
        uv = part.visual.uv[part.faces] if look.image else None
        rows += drawn_triangles(part.triangles, rgba, look.image, uv)
    return rows


def in_source(visual):
    """Return the same of a source."""
    rows = []
    for each in surfaces(visual):
        image = Image.open(each.texture) if each.texture else None
        uv = each.uv[each.faces] if image else None
        rows += drawn_triangles(each.vertices[each.faces], each.rgba, image, uv)
    return rows


@pytest.mark.parametrize("cell", ["mtl: map_Kd", "mtl: map_Kd, Kd", "two parts"])
def test_trimesh_reads_the_looks_of_meshes_that_a_urdf_has_anew(tmp_path, cell):
    files = TWO_PARTS if cell == "two parts" else CELLS[cell][0]
    source = sdf(tmp_path, write(tmp_path, files), "<transparency>0.25</transparency>")
    written = bridge.export_urdf(source, tmp_path / "out", quiet=True).path
    found, wanted = (
        sorted(row for v in loaders.load(path, quiet=True).links[0].visuals for row in rows_of(v))
        for path, rows_of in ((written, in_trimesh), (source, in_source))
    )
    np.testing.assert_allclose(found, wanted, atol=0.01)
    for mesh in (tmp_path / "out").rglob("*.obj"):  # without normals Drake's renderer refuses it
        assert cell != "two parts" or "vn 1 0 0" in mesh.read_text().splitlines()


def test_drake_reads_the_colors_of_a_written_sdformat(tmp_path):
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.geometry import Role
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    looks = [
        "<material><diffuse>1 0.5 0 1</diffuse></material>",
        "<material><ambient>0 0.5 1 1</ambient></material>",
        "<material><diffuse>0 1 0 0.5</diffuse></material>",
        "<material><script><uri>file://media</uri><name>Gazebo/Red</name></script></material>",
        "",
    ]
    visuals = "".join(
        f"<visual name='v{i}'><geometry><sphere><radius>{i + 1}</radius></sphere></geometry>{look}"
        "</visual>"
        for i, look in enumerate(looks)
    )
    source = tmp_path / "a.sdf"
    source.write_text(
        f"<sdf version='1.9'><model name='m'><link name='l'>{visuals}</link></model></sdf>"
    )
    written = bridge.export_sdf(source, tmp_path / "out", quiet=True).path
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.001)
    parsing.Parser(plant).AddModels(str(written))
    inspector = graph.model_inspector()
    found = {}
    for shape in inspector.GetAllGeometryIds(Role.kPerception):
        color = inspector.GetPerceptionProperties(shape).GetProperty("phong", "diffuse")
        found[inspector.GetShape(shape).radius()] = color.rgba
    wanted = {
        visual.geometry.radius: surface.rgba
        for visual in loaders.load(source, quiet=True).links[0].visuals
        for surface in surfaces(visual)
    }
    assert found.keys() == wanted.keys()
    for radius, color in wanted.items():
        np.testing.assert_allclose(found[radius], color, atol=1e-6, err_msg=looks[int(radius) - 1])
