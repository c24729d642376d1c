"""Images of textures as PNG files."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from loaders.diagnostics import NOWHERE, Diagnostics, Fate, Where


def png_texture(file: str, target: str, diagnostics: Diagnostics, *, where: Where = NOWHERE) -> bytes | None:
    """Return an image file as PNG, or None with a diagnostic if it is missing or cannot be converted.

    Args:
        file: Path of the image, in any format that Pillow reads.
        target: The engine that the diagnostics are about.
        diagnostics: Receives the findings.
        where: The place in the source.
    """
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        diagnostics.add(
            Fate.NOTED,
            "texture.unreadable",
            "cannot read texture {file}: {reason}; leaving it out",
            where,
            target=target,
            file=path.name,
            reason=error.strerror or "unknown error",
        )
        return None
    png = data if data.startswith(b"\x89PNG") else _as_png(data)
    if png is None:
        diagnostics.add(
            Fate.NOTED,
            "texture.format",
            "cannot convert texture {file} to PNG; leaving it out",
            where,
            target=target,
            hint="convert the image to PNG",
            file=path.name,
        )
    return png


def has_transparent_pixels(png: bytes) -> bool:
    """Return whether any pixel of an image is more transparent than opaque; False if it cannot be read."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(png)) as image:
            return bool(np.asarray(image.convert("RGBA"))[:, :, 3].min() < 128)
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError):
        return False


def _as_png(data: bytes) -> bytes | None:
    from PIL import Image, UnidentifiedImageError

    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.convert("RGBA" if "A" in image.getbands() else "RGB").save(out, "PNG")
    except (OSError, UnidentifiedImageError):
        return None
    return out.getvalue()
