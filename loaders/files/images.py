"""Decoding of images within limits, and gray levels of height maps.

Pillow would also run Ghostscript for a file that begins like PostScript, and decode pictures of any
size.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loaders import codes
from loaders.limits import FileError, is_past_limit, limit_of, raised_as, refuse_past_limit, spend

from .read_file import read

if TYPE_CHECKING:
    from PIL.Image import Image


FORMATS = ("BMP", "DDS", "GIF", "JPEG", "PNG", "PPM", "TGA", "TIFF", "WEBP")
"""Names, as in Pillow, of the formats that are read."""


class PictureError(Exception):
    """An image file is not read; the text states the reason."""


def picture_bytes(path: str) -> bytes:
    """Return the contents of an image file.

    Raises:
        PictureError: if the file does not exist, or is not a regular file.
        LimitError: if it is too large.
    """
    try:
        return read(path, option="mesh_file_bytes")
    except FileError as error:
        if error.code.name == codes.FILE_TOO_LARGE.name:
            refuse_past_limit("mesh_file_bytes", path)
        raise PictureError(error.reason) from error


@contextmanager
def decoded(data: bytes, path: str) -> Iterator[Image]:
    """Decode an image file for the duration of a block; exceptions in the block count as faults of
    the file.

    Args:
        data: Contents of the file.
        path: The file.

    Raises:
        PictureError: if the format is unknown, or the picture is damaged.
        LimitError: if it has too many pixels, or the call that is running has decoded too many.
    """
    with raised_as(PictureError, "the image cannot be decoded"), _opened(data, path) as image:
        width, height = image.size
        if is_past_limit("picture_pixels", width * height):
            raise _too_many_pixels(path)
        spend("pixels", width * height)
        image.load()
        yield image


def _opened(data: bytes, path: str) -> Image:
    from PIL import Image

    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except (
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ):  # Pillow's own limits, which are higher
        raise _too_many_pixels(path) from None


def _too_many_pixels(path: str) -> PictureError:
    """Return the error about a picture that lenient loading leaves out.

    Raises:
        LimitError: if the call that is running is to refuse it.
    """
    refuse_past_limit("picture_pixels", path)
    return PictureError(
        f"the image has more pixels than the limit picture_pixels, {limit_of('picture_pixels')}"
    )


def in_8_bits(image: Image) -> Image:
    """Return an image whose channels have at most 8 bits: gray levels of 16 are the only others
    that Pillow has, and it cuts them off at 255.
    """
    if not image.mode.startswith("I"):
        return image
    from PIL import Image as Images

    levels = np.asarray(image.convert("I"), dtype=np.int32)
    return Images.fromarray(np.clip(np.rint(levels / 257.0), 0, 255).astype(np.uint8))


_GRAY = frozenset({"1", "L", "LA"})
"""Pillow's names of the modes of images with one channel of at most 8 bits, and opacity."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GrayLevels:
    """Gray levels of an image.

    Attributes:
        levels: Levels, shape (rows, columns), from the row at the largest y to that at the
            smallest.
        max_level: The level of full height: 255 or 65535.
    """

    levels: NDArray[np.int32]
    max_level: int

    def png(self) -> bytes:
        """Return a PNG file with the same levels."""
        from PIL import Image

        stream = io.BytesIO()
        Image.fromarray(self.levels.astype(np.uint8 if self.max_level == 255 else np.uint16)).save(
            stream, "PNG"
        )
        return stream.getvalue()


def gray_levels(path: str | None) -> GrayLevels:
    """Return the gray levels of an image file.

    Args:
        path: Path of the image, in a format of `loaders.files.images.FORMATS`; None if it was not
            found.

    Raises:
        PictureError: if there is no image, or it cannot be read.
    """
    if path is None:
        raise PictureError("the file was not found")
    with decoded(picture_bytes(path), path) as image:
        has_16_bits = image.mode.startswith("I")
        levels = np.asarray(image.convert("I" if has_16_bits else "L"), dtype=np.int32)
    return GrayLevels(levels=levels, max_level=65535 if has_16_bits else 255)


def red_levels(path: str | None) -> tuple[GrayLevels, bool]:
    """Return the levels that MuJoCo reads, and whether the image has no others.

    They are those of the red channel, and of levels of 16 bits the upper 8.

    Args:
        path: Path of the image, as for `gray_levels`.

    Raises:
        PictureError: if there is no image, or it cannot be read.
    """
    if path is None:
        raise PictureError("the file was not found")
    with decoded(picture_bytes(path), path) as image:
        if image.mode.startswith("I"):
            levels = np.asarray(image.convert("I"), dtype=np.int32) >> 8
        else:
            levels = np.asarray(image.convert("RGB"), dtype=np.int32)[..., 0]
        return GrayLevels(levels=levels, max_level=255), image.mode in _GRAY
