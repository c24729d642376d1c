"""The check of an export: the written files, read back, are the scene that they were written from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import loaders
from bridge.diff import Difference, differences
from bridge.diff.differences import TOLERANCE
from bridge.diff.mechanics import mechanical_error
from bridge.output import scratch_folder, write_folder
from loaders.diagnostics import Diagnostic, ExportError, Fate, LoadError
from loaders.safety.limits import raised_limits
from loaders.scene import Scene

_MAX_LISTED = 5


def read_back(
    files: Mapping[str, bytes],
    main: str,
    scene: Scene,
    code: str,
    *,
    skip: Iterable[tuple[str, str]] = (),
    package_map: Mapping[str, str] | None = None,
) -> tuple[Diagnostic, ...]:
    """Read the files of an export and compare them with the scene that they should say.

    Args:
        files: Content of each file, by its path in the folder.
        main: Path of the model's file.
        scene: The scene that the files should say.
        code: Code of the findings about an export that fails.
        skip: Pairs of a kind of item and a field that do not count.
        package_map: Folder, in the export, of each package that its URIs name.

    Returns:
        The reasons why the export fails; empty if it succeeds.
    """
    with scratch_folder() as scratch:
        folder = write_folder(scratch / "export", files)
        packages = {name: str(Path(folder, place)) for name, place in (package_map or {}).items()}
        try:
            found = _loaded(Path(folder, main), packages)
        except LoadError as error:
            return tuple(_failure(code, str(entry.message), entry.subjects) for entry in error.diagnostics)
        return tuple(_difference(code, entry) for entry in differences(scene, found, skip=skip))


def read_back_mechanics(
    files: Mapping[str, bytes],
    main: str,
    scene: Scene,
    names: Mapping[str, str],
    code: str,
    *,
    package_map: Mapping[str, str],
    as_source: Callable[[Scene], Scene],
) -> tuple[Diagnostic, ...]:
    """Read the files of an export and compare the mechanics of what they say with those of the exported scene.

    Args:
        files: Content of each file, by its path in the folder.
        main: Path of the main file.
        scene: The exported scene.
        names: Names in the files by name in the scene, where they differ.
        code: Code of the findings about an export that fails.
        package_map: Folder, in the export, of each package that its URIs name.
        as_source: Returns what was read, with the frames of links where the scene has them.

    Returns:
        The reasons why the export fails; empty if it succeeds.
    """
    with scratch_folder() as scratch:
        folder = write_folder(scratch / "export", files)
        packages = {name: str(Path(folder, place)) for name, place in package_map.items()}
        try:
            found = as_source(_loaded(Path(folder, main), packages))
            error = mechanical_error(scene, found, names, pairs=False)
        except LoadError as failed:
            return tuple(_failure(code, str(entry.message), entry.subjects) for entry in failed.diagnostics)
        except ExportError:  # the scene itself cannot move: there is nothing to compare
            return ()
    lost = [_failure(code, f"{name} is only in A", (name,)) for name in error.missing]
    problems = []
    for quantity in ("pose", "mass", "mass_matrix"):
        if getattr(error, quantity) > TOLERANCE:
            problems.append(f"the error of the {quantity.replace('_', ' ')} is {getattr(error, quantity):.3g}")
    return (*lost, *(_failure(code, problem, ()) for problem in problems))


def _loaded(path: Path, packages: Mapping[str, str]) -> Scene:
    """Read a file of the export, within the limits that its caller raised."""
    return loaders.load(str(path), quiet=True, package_map=packages, limits=raised_limits())


def require_equal(failures: tuple[Diagnostic, ...]) -> None:
    """Refuse an export that does not read back.

    Args:
        failures: The result of `read_back`.

    Raises:
        ExportError: if there are failures; it lists the first ones.
    """
    if failures:
        raise ExportError(failures[:_MAX_LISTED])


def _difference(code: str, entry: Difference) -> Diagnostic:
    return _failure(code, str(entry), (entry.name,))


def _failure(code: str, problem: str, subjects: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        code,
        Fate.INVALID,
        "the written file, read back, is not the exported model (A is the model, B the file): {problem}",
        hint="report a bug; check=False writes the files all the same",
        arguments={"problem": problem},
        subjects=tuple(subjects),
    )
