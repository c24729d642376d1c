"""Warnings that are only the consequence of an error, and would be untrue of the corrected file."""

from __future__ import annotations

from collections.abc import Iterable

from loaders.diagnostics import Diagnostic

_JOINTS_LEFT_OUT = "urdf.several-roots"
"""Code of the finding that links are not connected, which a joint with an error may connect."""
_SCENE_CHECKS = "model."
"""Start of the codes of the checks of a scene, in which harmless values stand for invalid ones."""


def without_consequences(others: Iterable[Diagnostic], errors: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the findings that hold whatever the errors are.

    A check of the scene does not hold for a link or a joint that has an error inside, since the value with the error
    was replaced by a harmless one.

    Args:
        others: Warnings and notes of a load that failed.
        errors: Its errors.
    """
    places = {(error.where.file, error.where.path) for error in errors}
    invalid = {(file, part) for file, path in places for part in _enclosing(path)}
    has_joint_error = any("/joint" in path for _, path in places)
    return tuple(
        entry
        for entry in others
        if not (entry.code.startswith(_SCENE_CHECKS) and (entry.where.file, entry.where.path) in invalid)
        and not (entry.code == _JOINTS_LEFT_OUT and has_joint_error)
    )


def _enclosing(path: str) -> list[str]:
    """Return the paths of the elements around an element."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(2, len(parts))]
