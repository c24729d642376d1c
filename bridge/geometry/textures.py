"""Images of textures as files that engines read, converted once and kept in the cache.

A picture becomes a PNG file, or stays a JPEG file if the engine
reads that. Each is decoded and written anew, so that an engine never sees a file that is damaged.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bridge.codes import TEXTURE_FORMAT, TEXTURE_UNREADABLE
from loaders.diagnostics import NOWHERE, Diagnostics, Where
from loaders.files.images import PictureError, decoded, in_8_bits, picture_bytes
from loaders.limits import metered

from .cache import (
    Conversion,
    FileState,
    cache_folder,
    has_members,
    read_record,
    record_path,
    states_of,
    stored,
    write_record,
)

_VERSION = "6"
"""Version of the conversion and of its record."""
_SUBFOLDER = "pictures"
PNG = ".png"
JPEG = ".jpg"
_STARTS = {b"\x89PNG": PNG, b"\xff\xd8\xff": JPEG}
"""Formats that engines read, by the first bytes of the file."""
_JPEG_MODES = ("L", "RGB")
"""Colors of JPEG files that every engine reads; others, for print, become PNG."""
_WRITERS = {PNG: "PNG", JPEG: "JPEG"}
"""Name of each format in Pillow."""
_QUALITY = 92
"""Quality of a JPEG file that is scaled."""
_LEVEL = 6
"""Level of PNG compression: a photograph becomes a quarter smaller than at level 1, in 1.6 times
the time, which the cache needs once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that an engine reads.

    Attributes:
        data: Content of the file.
        suffix: Suffix of its format.
        digest: Hash of the content.
        has_transparent_pixels: Whether any pixel is more transparent than opaque.
        pixels: Number of its pixels.
    """

    data: bytes
    suffix: str
    digest: str
    has_transparent_pixels: bool
    pixels: int


def engine_picture(
    file: str,
    target: str,
    diagnostics: Diagnostics,
    *,
    where: Where = NOWHERE,
    formats: tuple[str, ...] = (PNG,),
    largest: int | None = None,
) -> Picture | None:
    """Return an image file in a format of the engine, or None with a diagnostic if it is missing or
    unreadable.

    Args:
        file: Path of the image, in a format of `loaders.files.images.FORMATS`.
        target: The engine that the diagnostics are about.
        diagnostics: Receives the findings.
        where: The place in the source.
        formats: Suffixes of the formats that the engine reads, with that of PNG.
        largest: Largest width and height [pixels], to which larger pictures are scaled; None for
            any.
    """
    try:
        picture = _cached(file, formats, largest)
    except (OSError, PictureError) as error:
        diagnostics.add(
            TEXTURE_UNREADABLE,
            where,
            target=target,
            file=Path(file).name,
            reason=getattr(error, "strerror", None) or error,
        )
        return None
    if picture is None:
        diagnostics.add(TEXTURE_FORMAT, where, target=target, file=Path(file).name)
    return picture


def _cached(file: str, formats: tuple[str, ...], largest: int | None) -> Picture | None:
    """Return a picture from the cache, or convert it.

    Raises:
        OSError: if the image does not exist.
        PictureError: if its file cannot be read.
    """
    path = os.path.abspath(file)
    record = None
    with suppress(OSError):
        record = record_path(str(cache_folder() / _SUBFOLDER), _VERSION, path, formats, largest)
        known = read_record(record, _is_part)
        if known is not None:
            return _read(known)
    (source,) = states_of([path])
    with metered() as costs:
        picture = _converted(path, formats, largest)
    if picture is not None and record is not None:
        with suppress(OSError):
            _store(picture, source, costs, record)
    return picture


def _is_part(part: Any) -> bool:
    return has_members(
        part, file=str, suffix=str, digest=str, has_transparent_pixels=bool, pixels=int
    )


def _read(conversion: Conversion) -> Picture:
    part = conversion.parts[0]
    data = Path(part["file"]).read_bytes()
    return Picture(
        data=data,
        suffix=part["suffix"],
        digest=part["digest"],
        has_transparent_pixels=part["has_transparent_pixels"],
        pixels=part["pixels"],
    )


def _store(picture: Picture, source: FileState, costs: Mapping[str, int], record: str) -> None:
    """Write a picture and the record of its conversion; a picture that is unchanged stays where it
    is.

    Raises:
        OSError: if they cannot be written.
    """
    kept = picture.digest == source.digest
    file = source.path if kept else str(stored(picture.data, picture.suffix, _SUBFOLDER))
    part = {
        "file": file,
        "suffix": picture.suffix,
        "digest": picture.digest,
        "has_transparent_pixels": picture.has_transparent_pixels,
        "pixels": picture.pixels,
    }
    files = (source,) if kept else (source, *states_of([file]))
    write_record(Conversion(parts=(part,), findings=(), files=files, costs=costs), record)


def _converted(path: str, formats: tuple[str, ...], largest: int | None) -> Picture | None:
    """Return a picture in one of the formats; None if it cannot be decoded."""
    data = picture_bytes(path)
    suffix = next((suffix for start, suffix in _STARTS.items() if data.startswith(start)), "")
    out = io.BytesIO()
    try:
        with decoded(data, path) as image:
            has_alpha = "A" in image.getbands() or (suffix == PNG and "transparency" in image.info)
            is_scaled = largest is not None and max(image.size) > largest
            stays_jpeg = suffix == JPEG and suffix in formats and image.mode in _JPEG_MODES
            if stays_jpeg and not is_scaled:
                image.save(out, "JPEG", quality="keep")
                pixels = image.width * image.height
            else:
                suffix = JPEG if stays_jpeg else PNG
                drawn = in_8_bits(image).convert("RGBA" if has_alpha else "RGB")
                if largest is not None:
                    drawn.thumbnail((largest, largest))
                drawn.save(out, _WRITERS[suffix], quality=_QUALITY, compress_level=_LEVEL)
                pixels = drawn.width * drawn.height
            is_transparent = has_alpha and bool(
                np.asarray(image.convert("RGBA"))[:, :, 3].min() < 128
            )
    except PictureError:
        return None
    data = out.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    return Picture(
        data=data,
        suffix=suffix,
        digest=digest,
        has_transparent_pixels=is_transparent,
        pixels=pixels,
    )
