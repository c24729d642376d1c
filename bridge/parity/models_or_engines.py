"""`compare`: one model in several engines, or two models."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, Unpack, overload

from bridge.diff.files import FileComparison, Model, compare_files
from bridge.lowering.inputs import Source
from bridge.mechanism.coordinates import Position
from bridge.mechanism.mechanism import Base
from bridge.parity.comparison import Comparison
from bridge.parity.comparison import compare as compare_engines
from bridge.parity.engines.protocol import Factory
from bridge.parity.results.verdict import Level
from loaders import LoadOptions
from loaders.scene import Scene


class _Compare(Protocol):
    @overload
    def __call__(
        self, source: Model, engines: os.PathLike[str] | Scene, **load_options: Unpack[LoadOptions]
    ) -> FileComparison: ...

    @overload
    def __call__(
        self,
        source: Source,
        engines: str | Sequence[str | Factory] | None = None,
        *,
        levels: str | Sequence[Level | str] = ...,
        seed: int = ...,
        configurations: int = ...,
        positions: Mapping[str, Position] | None = ...,
        base: Base = ...,
        inertia: Literal["keep", "repair"] = ...,
        progress: Callable[[str], None] = ...,
        **load_options: Unpack[LoadOptions],
    ) -> Comparison: ...


@functools.wraps(compare_engines)
def _compare(source: Any, engines: Any = None, **options: Any) -> Any:
    if isinstance(engines, os.PathLike | Scene) or (isinstance(engines, str) and Path(engines).suffix):
        return compare_files(source, engines, **options)
    return compare_engines(source, engines, **options)


compare: _Compare = _compare
"""See `bridge.parity.comparison.compare`."""
