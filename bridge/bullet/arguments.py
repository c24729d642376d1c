"""The arguments of PyBullet's ``loadURDF``: where the file is, where the model is placed, and what is refused."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

from bridge.bullet.simulation.state import pose_from
from bridge.lowering.inputs import Source
from loaders.diagnostics import Diagnostics, Fate, Where
from loaders.scene_operations.finishing import MissingFileError
from loaders.search.given_folders import source_text
from loaders.search.robot_descriptions import SCHEME
from loaders.spatial import IDENTITY, Pose


def base_pose(position: Sequence[float] | None, xyzw: Sequence[float] | None) -> Pose:
    """Return the pose of ``basePosition`` and ``baseOrientation``; the identity if neither is given.

    Raises:
        ValueError: if a number is missing, superfluous or not finite, or if the quaternion is zero.
    """
    if position is None and xyzw is None:
        return IDENTITY
    p = _numbers("basePosition", (0.0, 0.0, 0.0) if position is None else position, "x, y, z")
    q = _numbers("baseOrientation", (0.0, 0.0, 0.0, 1.0) if xyzw is None else xyzw, "a quaternion x, y, z, w")
    if math.hypot(*q) < 1e-9:
        raise ValueError(
            f"invalid baseOrientation {tuple(q)}: a quaternion of zeros does not represent a rotation; "
            "the identity is [0, 0, 0, 1], and pybullet.getQuaternionFromEuler converts angles"
        )
    return pose_from(p, q)


def _numbers(name: str, values: Sequence[float], expected: str) -> list[float]:
    try:
        if any(isinstance(value, str) for value in values):
            raise TypeError("a word is no number")
        numbers = [float(value) for value in values]
    except (TypeError, ValueError) as error:
        raise ValueError(f"invalid {name} {values!r}; expected {expected}") from error
    if len(numbers) != expected.count(",") + 1 or not all(map(math.isfinite, numbers)):
        raise ValueError(f"invalid {name} {tuple(numbers)}; expected {expected}")
    return numbers


def refuse_maximal_coordinates(wanted: object) -> None:
    """Refuse ``useMaximalCoordinates``, with which PyBullet would solve joints as constraints.

    Raises:
        ValueError: if it is true.
    """
    if wanted:
        raise ValueError("useMaximalCoordinates is not supported, since joints would then drift; omit it or pass False")


def flag_bits(flags: object) -> int:
    """Return the caller's flags as bits.

    Raises:
        TypeError: if they are not a whole number.
    """
    if not isinstance(flags, int):
        raise TypeError(f"flags: expected PyBullet's flags, such as pybullet.URDF_ENABLE_SLEEPING, not {flags!r}")
    return flags


def find_source(source: Source, paths: Sequence[str | os.PathLike[str]]) -> Source:
    """Return a source; a relative path that is not there is searched in the folders, as ``loadURDF`` does.

    PyBullet cannot be asked for the folder of ``setAdditionalSearchPath``, so the caller passes it.

    Args:
        source: A path, a scene or a mechanism.
        paths: The folders.

    Raises:
        LoadError: if the file is in none of them; it is a `FileNotFoundError` too.
        ValueError: if the source is the text of a document.
    """
    if not isinstance(source, str | os.PathLike) or source_text(source, ()).startswith(SCHEME):
        return source
    if os.path.exists(source) or os.path.isabs(source):
        return source
    path = Path(source)
    found = [folder for folder in map(Path, paths) if (folder / path).exists()]
    if found:
        return found[0] / path
    diagnostics = Diagnostics()
    diagnostics.add(
        Fate.INVALID,
        "file.unreadable",
        "cannot read the file: it is neither in {present} nor in one of paths={folders}",
        Where(os.fspath(path)),
        hint="pass the folder that you gave to setAdditionalSearchPath, which PyBullet does not tell, in paths",
        present=str(Path.cwd()),
        folders=[os.fspath(folder) for folder in paths],
    )
    raise MissingFileError(tuple(diagnostics))
