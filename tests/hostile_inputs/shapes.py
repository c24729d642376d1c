"""Hostile meshes and pictures: false counts, instances, names of files outside, other formats under
a known suffix.
"""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PIL import Image

from tests.hostile_inputs.case import (
    SECRET,
    TETRAHEDRON,
    Builder,
    Hostile,
    everywhere,
    mesh,
    terrain,
    texture,
)

UNREADABLE = everywhere("mesh.unreadable")
NO_TERRAIN = {"mjcf": "mjcf.heightmap", "bullet": "pybullet.shape-dropped"}


# --- meshes ---------------------------------------------------------------------------------------


def collada(nodes: str, scene: str = "<instance_node url='#n0'/>", extra: str = "") -> str:
    source = (
        "<source id='p'><float_array id='f' count='9'>0 0 0 1 0 0 0 1 "
        "0</float_array><technique_common>"
        "<accessor source='#f' count='3' stride='3'><param name='X' type='float'/><param name='Y' "
        "type='float'/>"
        "<param name='Z' type='float'/></accessor></technique_common></source>"
    )
    return (
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset/>"
        f"{extra}<library_geometries><geometry id='g'><mesh>{source}"
        "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='1' "
        "material='s'>"
        "<input semantic='VERTEX' source='#v' offset='0'/><p>0 1 "
        "2</p></triangles></mesh></geometry>"
        f"</library_geometries><library_nodes>{nodes}</library_nodes><library_visual_scenes><visual_scene id='s'>"
        f"<node id='root'>{scene}</node></visual_scene></library_visual_scenes><scene>"
        "<instance_visual_scene url='#s'/></scene></COLLADA>"
    )


def tenfold(levels: int) -> str:
    """Return nodes of which each places the next ten times."""
    places = (f"<instance_node url='#n{i + 1}'/>" * 10 for i in range(levels))
    deeper = "".join(f"<node id='n{i}'>{inner}</node>" for i, inner in enumerate(places))
    return f"{deeper}<node id='n{levels}'><instance_geometry url='#g'/></node>"


def gltf(**header: object) -> bytes:
    """Return a GLB file with a header and no buffer."""
    body = json.dumps({"asset": {"version": "2.0"}, **header}).encode()
    body += b" " * (-len(body) % 4)
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(body), len(body), b"JSON") + body


def triangle_gltf(
    count: object, *, nodes: int = 1, buffer: object = None, **accessor: object
) -> bytes:
    return gltf(
        accessors=[{"componentType": 5126, "count": count, "type": "VEC3", **accessor}],
        bufferViews=[{"buffer": 0, "byteLength": 36}],
        buffers=[buffer or {"byteLength": 36}],
        meshes=[{"primitives": [{"attributes": {"POSITION": 0}}]}],
        nodes=[{"mesh": 0}] * nodes,
        scenes=[{"nodes": list(range(nodes))}],
        scene=0,
    )


def stl(count: int, triangles: int) -> bytes:
    return bytes(80) + struct.pack("<I", count) + bytes(50) * triangles


def ply(elements: str, body: str = "") -> str:
    return f"ply\nformat ascii 1.0\n{elements}end_header\n{body}"


VERTICES = "element vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
FACES = "element face {}\nproperty list uchar int vertex_indices\n"
PLANE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"
MATERIALS = "".join(f"usemtl m{i}\nf 1 3 2\n" for i in range(20_000))


def outside(name: str, data: str | bytes, secret: str, content: str) -> Builder:
    """Return a builder of a mesh in the folder of a model, and a secret two folders above."""

    def build(folder: Path) -> str:
        (folder / secret).write_text(content)
        (folder / "a" / "b").mkdir(parents=True)
        return "a/b/" + mesh(name, data)(folder / "a" / "b")

    return build


LIMITED = everywhere("!file.limit")
MESHES = {
    "dae-instances": Hostile(mesh("x.dae", collada(tenfold(4))), **LIMITED, file="x.dae"),
    "dae-node-cycle": Hostile(
        mesh("x.dae", collada("<node id='n0'><instance_node url='#n0'/></node>")), **UNREADABLE
    ),
    "dae-doctype": Hostile(
        mesh("x.dae", f"<!DOCTYPE a [<!ENTITY b 'c'>]>{collada(tenfold(0))}"), **UNREADABLE
    ),
    "dae-depth": Hostile(mesh("x.dae", collada("<node>" * 5000 + "</node>" * 5000)), **UNREADABLE),
    "dae-count": Hostile(
        mesh("x.dae", collada(tenfold(0)).replace("count='9'", "count='999999999999'"))
    ),
    "dae-image-outside": Hostile(
        outside(
            "x.dae",
            collada(
                tenfold(0),
                extra=(
                    "<library_images><image "
                    "id='i'><init_from>../../secret.png</init_from></image></library_images>"
                ),
            ),
            "secret.png",
            SECRET,
        )
    ),
    "glb-instances": Hostile(
        mesh("x.glb", triangle_gltf(90_000, nodes=5_000)), **LIMITED, file="x.glb"
    ),
    "gltf-exceptions": Hostile(mesh("x.glb", triangle_gltf(3e9)), **UNREADABLE, file="x.glb"),
    "glb-count-as-text": Hostile(mesh("x.glb", triangle_gltf("many")), **UNREADABLE),
    "glb-count-huge": Hostile(mesh("x.glb", triangle_gltf(10**15)), **LIMITED),
    "glb-sparse": Hostile(mesh("x.glb", triangle_gltf(3, sparse={"count": 10**9})), **UNREADABLE),
    "glb-length": Hostile(
        mesh("x.glb", struct.pack("<4sIII4s", b"glTF", 2, 2**32 - 1, 2**32 - 1, b"JSON") + b"{}"),
        **UNREADABLE,
    ),
    "gltf-buffer-outside": Hostile(
        outside(
            "x.gltf",
            triangle_gltf(3, buffer={"byteLength": 36, "uri": "../../secret.bin"}, bufferView=0)[
                20:
            ],
            "secret.bin",
            SECRET * 9,
        ),
        **UNREADABLE,
    ),
    "gltf-buffer-of-the-network": Hostile(
        mesh(
            "x.gltf",
            triangle_gltf(
                3, buffer={"byteLength": 36, "uri": "http://127.0.0.1:9/a.bin"}, bufferView=0
            )[20:],
        ),
        **UNREADABLE,
    ),
    "gltf-depth": Hostile(mesh("x.gltf", '{"a":' * 100_000), **UNREADABLE),
    "gltf-no-object": Hostile(mesh("x.gltf", "[1]"), **UNREADABLE),
    "stl-count": Hostile(mesh("x.stl", stl(2**32 - 1, 1)), **UNREADABLE),
    "stl-count-none": Hostile(mesh("x.stl", stl(0, 0)), **UNREADABLE),
    "stl-text-open": Hostile(
        mesh("x.stl", "solid\n" + "facet normal 0 0 1\n" * 20_000), **UNREADABLE
    ),
    "ply-count": Hostile(
        mesh("x.ply", ply(VERTICES.format(10**12) + FACES.format(1))), **UNREADABLE
    ),
    "ply-faces": Hostile(
        mesh(
            "x.ply",
            ply(VERTICES.format(3) + FACES.format(10**12), "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"),
        ),
        **UNREADABLE,
    ),
    "ply-property": Hostile(
        mesh("x.ply", ply("element vertex 3\nproperty __import__ x\n")), **UNREADABLE
    ),
    "ply-elements": Hostile(mesh("x.ply", ply("element a 1\n" * 20_000)), **UNREADABLE),
    "off-regex": Hostile(mesh("x.off", "OFF" + "\n" * 1_000_000), **UNREADABLE, file="x.off"),
    "off-count": Hostile(mesh("x.off", "OFF\n1000000000000 1 0\n0 0 0\n"), **UNREADABLE),
    "obj-index": Hostile(
        mesh("x.obj", TETRAHEDRON.format("") + "f 1 2 999999999999999999999\n"), **UNREADABLE
    ),
    "obj-materials": Hostile(
        mesh("x.obj", TETRAHEDRON.format("") + MATERIALS), **LIMITED, file="x.obj"
    ),
    "obj-library-outside": Hostile(
        outside(
            "x.obj",
            "mtllib ../../secret.mtl\nusemtl red\n" + TETRAHEDRON.format(""),
            "secret.mtl",
            f"newmtl {SECRET}\n",
        )
    ),
    "obj-library-null": Hostile(mesh("x.obj", "mtllib a\0b.mtl\n" + TETRAHEDRON.format(""))),
    "obj-library-pipe": Hostile(
        mesh("x.obj", "mtllib /dev/stdin\nmtllib .\n" + TETRAHEDRON.format(""))
    ),
    "obj-long-line": Hostile(mesh("x.obj", TETRAHEDRON.format("") + "f" + " 1 2 3" * 5_000)),
    "mesh-degenerate": Hostile(
        mesh("x.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n"), **UNREADABLE, file="x.obj"
    ),
    "mesh-flat": Hostile(mesh("x.obj", PLANE), **everywhere("mesh.flat")),
    "mesh-huge": Hostile(
        mesh("x.obj", "v 1e300 0 0\nv 0 1e300 0\nv 0 0 1e300\nv 0 0 0\nf 1 2 3\nf 1 2 4\n"),
        **UNREADABLE,
    ),
    "mesh-nan": Hostile(mesh("x.obj", "v nan 0 0\nv inf 1 0\nv 0 0 1\nf 1 2 3\n"), **UNREADABLE),
    "scale-zero": Hostile(
        mesh("x.obj", TETRAHEDRON.format(""), scale="0 1 1"), **UNREADABLE, file="x.obj"
    ),
    "scale-tiny": Hostile(
        mesh("x.obj", TETRAHEDRON.format(""), scale="1e-30 1e-30 1e-30"), **UNREADABLE
    ),
    "mesh-gzip": Hostile(mesh("x.dae", b"\x1f\x8b\x08" + bytes(100)), **UNREADABLE),
    "mesh-zip": Hostile(mesh("x.dae", b"PK\x03\x04" + bytes(100)), **UNREADABLE),
    "mesh-suffix": Hostile(mesh("x.blend", b"BLENDER"), **UNREADABLE),
}


# --- pictures -------------------------------------------------------------------------------------


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(
    width: int, height: int, data: bytes, *, depth: int = 8, color: int = 0, more: bytes = b""
) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + more + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def rows(width: int, height: int) -> bytes:
    return zlib.compress(bytes((width + 1) * height), 9)


def large() -> bytes:
    """Return a picture of more pixels than a load may have, all black."""
    return png(13_000, 13_000, rows(13_000, 13_000))


def bomb(kind: bytes) -> bytes:
    """Return a small picture with a chunk of 80 MB of zeros."""
    return png(4, 4, rows(4, 4), more=chunk(kind, b"a\0\0" + zlib.compress(bytes(80_000_000), 9)))


def picture(kind: str, mode: str = "L", size: tuple[int, int] = (16, 16)) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size).save(out, kind)
    return out.getvalue()


def bmp(width: int, height: int) -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 1000, 0, 0, 54) + head + bytes(1000)


def segfault(folder: Path) -> str:
    """Write a textured mesh whose palette PNG has a broken stream; PyBullet's decoder crashes on
    it.
    """
    broken = png(257, 129, rows(257, 129)[:40], color=3, more=chunk(b"PLTE", bytes(range(9))))
    faces = "f 1/1 3/2 2/3\nf 1/1 2/2 4/3\nf 1/1 4/2 3/3\nf 2/1 3/2 4/3\n"
    obj = (
        f"mtllib c.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 "
        f"1\n{faces}"
    )
    return mesh("c.obj", obj, c__mtl="newmtl m\nmap_Kd p.png\n", p__png=broken)(folder)


def terrain_of(kind: str, mode: str = "L") -> Callable[[Path], str]:
    return terrain("h.png", picture(kind, mode))


BROKEN = everywhere("texture.format")
PICTURES = {
    "png-segfault": Hostile(segfault, **BROKEN),
    "eps-ghostscript": Hostile(
        terrain("h.png", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(x) (w) file\n"),
        **NO_TERRAIN,
        file="robot.sdf",
    ),
    "eps-texture": Hostile(
        texture("t.png", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"), **BROKEN
    ),
    "image-pillow": Hostile(
        terrain("h.jpg", b"icns" + struct.pack(">I", 99) + b"TOC " + bytes(91)),
        **NO_TERRAIN,
        file="robot.sdf",
    ),
    "image-png-raw": Hostile(
        texture("t.png", b"\x89PNG\r\n\x1a\nrubbish"), **BROKEN, file="robot.sdf"
    ),
    "image-bomb": Hostile(texture("t.bmp", bmp(20_000, 20_000)), **LIMITED, file="t.bmp"),
    "image-large": Hostile(terrain("h.png", large), **LIMITED, file="h.png"),
    "image-large-texture": Hostile(texture("t.png", large), **LIMITED),
    "image-claims": Hostile(texture("t.png", png(2**31 - 1, 2**31 - 1, b"")), **LIMITED),
    "image-no-size": Hostile(texture("t.png", png(0, 0, b"")), **BROKEN),
    "image-text-bomb": Hostile(
        texture("t.png", partial(bomb, b"zTXt")),
        **BROKEN,
    ),
    "image-profile-bomb": Hostile(texture("t.png", partial(bomb, b"iCCP"))),
    "image-jpeg-claims": Hostile(
        texture(
            "t.jpg",
            picture("JPEG").replace(struct.pack(">HH", 16, 16), struct.pack(">HH", 65_000, 65_000)),
        ),
        **LIMITED,
    ),
    "image-gif-claims": Hostile(
        texture(
            "t.png",
            picture("GIF").replace(struct.pack("<HH", 16, 16), struct.pack("<HH", 65_000, 65_000)),
        ),
        **LIMITED,
    ),
    "image-tiff-as-png": Hostile(terrain_of("TIFF")),
    "image-icns-as-png": Hostile(texture("t.png", picture("ICNS", "RGBA", (16, 16))), **BROKEN),
    "image-cmyk": Hostile(texture("t.jpg", picture("JPEG", "CMYK"))),
    "image-16-bit": Hostile(terrain_of("PNG", "I;16")),
    "image-one-pixel": Hostile(
        terrain("h.png", picture("PNG", size=(1, 1))), bullet="pybullet.shape-dropped"
    ),
    "png-hang": Hostile(terrain("h.png", png(256, 256, rows(256, 256)))),
    "heightmap-size": Hostile(
        terrain("h.png", picture("PNG"), "-1 1 1"), "!xml.out-of-range", file="robot.sdf"
    ),
    "heightmap-size-zero": Hostile(terrain("h.png", picture("PNG"), "0 1 1"), "!xml.out-of-range"),
    "heightmap-flat": Hostile(terrain("h.png", picture("PNG"), "1 1 0")),
    "heightmap-sampling": Hostile(terrain("h.png", picture("PNG"), sampling="1000000000")),
}

CASES = MESHES | PICTURES
