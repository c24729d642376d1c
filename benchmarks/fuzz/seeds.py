"""The files that fuzzing starts from: small, and together they use most of what a reader knows."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("seed_files")

_POINTS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))


@cache
def stl() -> bytes:
    """Return a tetrahedron as binary STL."""
    faces = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(x for i in face for x in _POINTS[i]), 0) for face in _FACES
    )
    return b"\0" * 80 + struct.pack("<I", len(_FACES)) + faces


@cache
def glb() -> bytes:
    """Return a tetrahedron as binary glTF."""
    points = struct.pack("<12f", *(x for point in _POINTS for x in point))
    faces = struct.pack("<12H", *(i for face in _FACES for i in face))
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(points + faces)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(faces)},
        ],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": 4,
                "type": "VEC3",
                "min": [0, 0, 0],
                "max": [1, 1, 1],
            },
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(points + faces), 0x004E4942) + points + faces
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


@cache
def picture(form: str) -> bytes:
    """Return a small picture.

    Args:
        form: A format that Pillow writes, for example ``PNG``.
    """
    from PIL import Image

    image = Image.linear_gradient("L").resize((17, 17))
    if form in {"JPEG", "BMP", "GIF"}:
        image = image.convert("RGB")
    if form == "GIF":
        image = image.quantize(16)
    stream = io.BytesIO()
    image.save(stream, "PNG" if form == "PNG-P" else form)
    return stream.getvalue()


@cache
def files() -> dict[str, bytes]:
    """Return the folder that every case starts from: content by path."""
    paths = (path for path in sorted(_FOLDER.rglob("*")) if path.is_file())
    content = {path.relative_to(_FOLDER).as_posix(): path.read_bytes() for path in paths}
    content |= {"mesh.stl": stl(), "mesh.glb": glb()}
    content |= {"texture.png": picture("PNG"), "height.png": picture("PNG")}
    return content | {"robot.mjz": archive(content)}


def archive(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of the MJCF file and of what it names, in part compressed.

    Args:
        files: The content of files by path.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as zipped:
        for name in (
            "mujoco.xml",
            "mujoco_part.xml",
            "mesh.obj",
            "mesh.stl",
            "height.png",
            "texture.png",
        ):
            method = zipfile.ZIP_STORED if name == "mujoco.xml" else zipfile.ZIP_DEFLATED
            member = "model.xml" if name == "mujoco.xml" else name
            zipped.writestr(zipfile.ZipInfo(member), files[name], method)  # without the time of now
    return stream.getvalue()
