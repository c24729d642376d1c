"""The one place where image files are decoded: regular files, known formats, a limited number of pixels.

Pillow would also run Ghostscript for a file that begins like PostScript, and decode pictures of any size.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loaders.files import FileError, read
from loaders.safety.library_errors import raised_as
from loaders.safety.limits import is_past_limit, limit_of, refuse_past_limit, spend

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
        if error.code == "file.too-large":
            refuse_past_limit("mesh_file_bytes", path)
        raise PictureError(error.reason) from error


@contextmanager
def decoded(data: bytes, path: str) -> Iterator[Image]:
    """Decode an image file for the duration of a block; exceptions in the block count as faults of the file.

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
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):  # Pillow's own limits, which are higher
        raise _too_many_pixels(path) from None


def _too_many_pixels(path: str) -> PictureError:
    """Return the error about a picture that lenient loading leaves out.

    Raises:
        LimitError: if the call that is running is to refuse it.
    """
    refuse_past_limit("picture_pixels", path)
    return PictureError(f"the image has more pixels than the limit picture_pixels, {limit_of('picture_pixels')}")
