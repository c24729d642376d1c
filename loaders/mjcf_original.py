"""The original of an MJCF model, compiled by MuJoCo itself: the witness of what the reader makes of it.

MuJoCo gets the same text and contents of files as when the model is read, under the same limits; never a path. What is
read of the compiled model does not take part.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Unpack

from .diagnostics import LoadError, Where
from .formats import PathLike, Search, context_of, diagnostics_of
from .loss_summary import limited
from .mjcf import compile_document
from .mjcf.compilation.source import Source
from .xml import model_in, parse, read_bytes


@contextmanager
def compile_original(source: PathLike, **search: Unpack[Search]) -> Iterator[Source]:
    """Compile an MJCF file, and yield the compiled model with the names of its elements.

    Args:
        source: The file.
        search: The options in `Search`.

    Raises:
        LoadError: if the file cannot be read, or MuJoCo refuses it.
        ValueError: if the file is not MJCF.
    """
    diagnostics = diagnostics_of(search, lenient=False)
    path = Path(model_in(str(source), Where(str(source)), diagnostics) or source)
    context = context_of(search, False, path, diagnostics).inside(path.resolve())
    root, compiled = None, None
    with limited(diagnostics, str(path)):
        data = read_bytes(path, diagnostics)
        root = None if data is None else parse(data, str(path), diagnostics)
        if root is not None and root.tag != "mujoco":
            raise ValueError(f"{path.name} is not MJCF")
        compiled = None if root is None else compile_document(root, context, whole=True)
    diagnostics.raise_for(LoadError, strict=False)
    if root is None or compiled is None:  # the readers return nothing only after reporting why
        raise LoadError(tuple(diagnostics))
    try:
        yield compiled
    finally:
        root.free()
