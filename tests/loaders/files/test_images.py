"""Image files: damaged and huge ones, and the gray levels of height maps."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import bridge
from bridge.geometry.textures import engine_picture
from loaders.diagnostics import Diagnostics
from loaders.files.images import (
    FORMATS,
    PictureError,
    decoded,
    gray_levels,
    picture_bytes,
    red_levels,
)
from tests.support.mujoco_oracle import compiled

# Image files: damaged, huge, and not what they seem. Pillow writes the sound pictures.


def encoded(kind: str, size: tuple[int, int] = (8, 8)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, (10, 20, 30)).save(stream, kind)
    return stream.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def palette_png(stream: bytes) -> bytes:
    """A palette PNG of 257 x 129 pixels whose data stream is given; decoders in C may run off its
    end.
    """
    header = struct.pack(">IIBBBBB", 257, 129, 8, 3, 0, 0, 0)
    parts = (
        chunk(b"IHDR", header),
        chunk(b"PLTE", bytes(768)),
        chunk(b"IDAT", stream),
        chunk(b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def refusal(data: bytes) -> str:
    with pytest.raises(PictureError) as caught, decoded(data, "a.png"):
        pass
    return str(caught.value)


@pytest.mark.parametrize("kind", FORMATS)
def test_sound_pictures_are_decoded(kind: str) -> None:
    with decoded(encoded(kind), "a.png") as image:
        assert image.size == (8, 8)


def test_postscript_never_reaches_an_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow runs the program ``gs`` for a file that begins so, whatever its name."""
    monkeypatch.setattr(
        "subprocess.check_call", lambda *_, **__: pytest.fail("a program was started")
    )
    text = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\nshowpage\n"
    assert "UnidentifiedImageError" in refusal(text)


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded() -> None:
    header = struct.pack(
        "<2sIHHIIiiHHIIiiII", b"BM", 54, 0, 0, 54, 40, 8192, 4097, 1, 24, 0, 0, 0, 0, 0, 0
    )
    assert "more pixels than the limit" in refusal(header)
    claims = struct.pack(
        "<2sIHHIIiiHHIIiiII", b"BM", 54, 0, 0, 54, 40, 20000, 20000, 1, 24, 0, 0, 0, 0, 0, 0
    )
    assert "more pixels than the limit picture_pixels" in refusal(claims)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\x89PNG\r\n\x1a\nrubbish", encoded("PNG")[:-30], encoded("JPEG")[:150], b"\xff\xd8\xff",
        palette_png(b""), palette_png(b"rubbish"), palette_png(zlib.compress(bytes(100))[:-6]),
        palette_png(zlib.compress(b"\x09" + bytes(257))), encoded("TIFF")[:60], encoded("GIF")[:30], b"RIFF....WEBP",
    ],
)  # fmt: skip
def test_a_damaged_picture_is_a_finding_for_every_reader(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(data)
    diagnostics = Diagnostics()
    assert engine_picture(str(file), "mjcf", diagnostics) is None
    assert [entry.code for entry in diagnostics] == ["texture.format"]
    with pytest.raises(PictureError):
        gray_levels(str(file))


def test_an_engine_sees_only_what_was_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(encoded("PNG") + b"something appended")
    picture = engine_picture(str(file), "mjcf", Diagnostics())
    assert picture is not None
    assert b"appended" not in picture.data
    text = (
        "<sdf version='1.9'><model name='m'><static>1</static><link name='l'><visual name='v'>"
        "<geometry><box/></geometry>"
        f"<material><pbr><metal><albedo_map>{file}</albedo_map></metal></pbr></material></visual></link></model></sdf>"
    )
    (tmp_path / "m.sdf").write_text(text)
    assert compiled(bridge.to_mjcf(str(tmp_path / "m.sdf"))).ntex == 1


def test_a_file_that_is_no_picture_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PictureError):
        picture_bytes(str(tmp_path))
    (tmp_path / "zero.png").symlink_to("/dev/zero")
    with pytest.raises(PictureError, match="device"):
        picture_bytes(str(tmp_path / "zero.png"))


# The gray levels of height maps are those of the picture, of 8 or 16 bits.


@pytest.mark.parametrize(("kind", "top"), [(np.uint8, 255), (np.uint16, 65535)])
def test_levels_of_8_and_of_16_bits_are_kept(kind: type, top: int, tmp_path: Path) -> None:
    levels = np.array([[0, 1, 77], [top - 1, top, 12]], dtype=kind)
    Image.fromarray(levels).save(tmp_path / "hill.png")
    gray = gray_levels(str(tmp_path / "hill.png"))
    assert gray.max_level == top
    np.testing.assert_array_equal(gray.levels, levels)
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(gray.png()))), levels)


def test_a_color_picture_counts_by_its_luminance(tmp_path: Path) -> None:
    Image.new("RGB", (2, 2), (90, 90, 90)).save(tmp_path / "hill.png")
    assert gray_levels(str(tmp_path / "hill.png")).levels.tolist() == [[90, 90], [90, 90]]


def test_a_picture_that_was_not_found_is_an_error() -> None:
    with pytest.raises(PictureError, match="not found"):
        gray_levels(None)


@pytest.mark.parametrize("mode", ["L", "LA", "1", "RGB", "RGBA", "P", "I;16"])
def test_the_levels_that_mujoco_reads(mode: str, tmp_path: Path) -> None:
    """MuJoCo takes the red channel, and of 16 bits the upper 8; its first row is the last one of
    the picture.
    """
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(1)
    colors = Image.fromarray(rng.integers(0, 256, (4, 5, 4)).astype(np.uint8), "RGBA")
    deep = Image.fromarray(rng.integers(0, 65536, (4, 5)).astype(np.uint16))
    picture = (
        deep
        if mode == "I;16"
        else colors
        if mode == "RGBA"
        else colors.convert("RGB").convert(mode)
    )
    picture.save(tmp_path / "hill.png")
    levels, is_whole = red_levels(str(tmp_path / "hill.png"))
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>'
        '<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>',
        {"h.png": (tmp_path / "hill.png").read_bytes()},
    )
    rows = levels.levels[::-1] - levels.levels.min()
    np.testing.assert_allclose(model.hfield_data, (rows / rows.max()).ravel(), atol=1e-6)
    assert is_whole == (mode in {"L", "LA", "1"})


def test_red_levels_of_a_picture_that_was_not_found_are_an_error() -> None:
    with pytest.raises(PictureError, match="not found"):
        red_levels(None)
