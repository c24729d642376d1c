"""How a loaded body shows itself in a notebook: a picture by PyBullet's own renderer, and what it is in a line."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge.pictures import Image, bullet_image, framed
from loaders.spatial import Array

from .console import captured

if TYPE_CHECKING:
    from .handle import Body


class Pictured:
    """What shows itself in a notebook: a body, or a sequence of them."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """A table of the bodies, below a picture of them and all that is near, as the simulation stands."""
        shown: Any = self
        bodies: list[Body] = [shown] if isinstance(self, int) else list(shown)
        rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(body))}</tr>" for body in bodies)
        heads = "".join(f"<th>{head}</th>" for head in ("id", "model", "links", "joints", "diagnostics"))
        return f"{_figure(bodies)}<table><tr>{heads}</tr>{rows}</table>"


def _cells(body: Body) -> tuple[str, ...]:
    fates = Counter(entry.fate.value for entry in body.diagnostics)
    said = ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())) or "none"
    number = str(int(body)) if _is_loaded(body) else "removed"
    return number, escape(body.name), str(len(body.links)), str(len(body.joints)), said


def _is_loaded(body: Body) -> bool:
    try:
        return body.state.client.is_connected()
    except RuntimeError:
        return False


def _figure(bodies: Sequence[Body]) -> str:
    """An image element; empty if nothing is left to draw."""
    loaded = [body for body in bodies if _is_loaded(body)]
    if not loaded:
        return ""
    client = loaded[0].state.client
    with captured([]):
        image = bullet_image(client.modes, client.id, framed(np.concatenate([_corners(body) for body in loaded])))
    encoded = base64.b64encode(png(image)).decode()
    return f'<img alt="{escape(", ".join(body.name for body in loaded))}" src="data:image/png;base64,{encoded}"/>'


_ENDLESS = 1e6
"""A box that reaches further is that of a plane [m]."""


def _corners(body: Body) -> Array:
    """Of the boxes around the body's links, shape (n, 3)."""
    client = body.state.client
    boxes = [client.getAABB(int(body), index) for index in sorted({-1, *body.links.values()})]
    boxes = [box for box in boxes if np.abs(box).max() < _ENDLESS]
    boxes += [(p, p) for p in (body.link_pose(name).p for name in body.links)]
    return np.array([corner for low, high in boxes for corner in product(*zip(low, high, strict=True))])


def png(image: Image) -> bytes:
    """An image as PNG."""
    height, width = image.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(image))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
