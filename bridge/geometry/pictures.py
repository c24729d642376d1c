"""The one place where image files are decoded: regular files, known formats, a limited number of pixels.

Pillow would also run Ghostscript for a file that begins like PostScript, and decode pictures of any size.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loaders.files import FileError, read
from loaders.safety.fence import fenced
from loaders.safety.limits import limit_of, spend

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("BMP", "DDS", "GIF", "JPEG", "PNG", "PPM", "TGA", "TIFF", "WEBP")
"""Names, as in Pillow, of the formats that are read."""


class PictureError(Exception):
    """An image file is not read; the text states the reason."""


def picture_bytes(path: str) -> bytes:
    """Return the contents of an image file.

    Raises:
        PictureError: if the file does not exist, is not a regular file or is too large.
    """
    try:
        return read(path, option="mesh_file_bytes")
    except FileError as error:
        raise PictureError(error.reason) from error


@contextmanager
def decoded(data: bytes) -> Iterator[Image]:
    """Decode an image file for the duration of a block; exceptions in the block count as faults of the file.

    Args:
        data: Contents of the file.

    Raises:
        PictureError: if the format is unknown, the picture is damaged, or it has too many pixels.
        LimitError: if the call that is running has decoded too many pixels.
    """
    from PIL import Image

    with fenced(PictureError, "the image cannot be decoded"), Image.open(io.BytesIO(data), formats=FORMATS) as image:
        width, height = image.size
        if width * height > (most := limit_of("picture_pixels")):
            raise PictureError(f"the image has {width} x {height} pixels, more than the limit picture_pixels, {most}")
        spend("pixels", width * height)
        image.load()
        yield image
