"""Versions of installed packages, by the name that is imported.

A distribution may have another name than its package: ``pybullet-arm64`` provides ``pybullet``.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

INSTALL_PYBULLET = (
    "pip install 'sdfbridge[pybullet]' compiles it where PyPI has no wheel for this Python and "
    "platform, and conda-forge has builds: conda install -c conda-forge pybullet"
)
"""Advice to a user who lacks PyBullet, which the dependencies name only where PyPI has a wheel."""

REFUSED = {("mujoco", "4.0.0"): "its solver has a bug; try: pip install 'mujoco>=3.14,!=4.0.0,<5'"}
"""Why a version of a package is not used, and what to do; keyed by package and version."""


def refusal_of(package: str) -> str | None:
    """Return why the installed version of a package is refused, with what to do; None if it is
    used or not installed.

    Args:
        package: The name of the distribution.
    """
    version = version_of(package)
    reason = REFUSED.get((package, version or ""))
    return None if reason is None else f"{package} {version} is refused: {reason}"


def is_installed(package: str) -> bool:
    """Return whether a package can be imported; it is not imported."""
    return find_spec(package) is not None


def version_of(package: str) -> str | None:
    """Return the version of the distribution that provides a package; None if none is installed.

    Args:
        package: The name that is imported, or that of the distribution.
    """
    version = _version_of_distribution(package)
    if version is not None:
        return version
    return next(
        filter(None, map(_version_of_distribution, _distributions().get(package, ()))), None
    )


def _version_of_distribution(name: str) -> str | None:
    from importlib import (
        metadata,
    )  # takes half as long to import as numpy, and few commands need a version

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


@cache
def own_version() -> str:
    """Return the version of sdfbridge; of a source tree that is not installed, the one that its
    project file states.
    """
    version = _version_of_distribution("sdfbridge")
    return version or _stated_version(Path(__file__).resolve().parents[1] / "pyproject.toml")


@cache
def own_version_and_commit() -> str:
    """Return the version of sdfbridge; of a working copy with the commit of git."""
    root = Path(__file__).resolve().parents[1]
    commit = ""
    if (root / ".git").exists():
        with suppress(OSError, subprocess.SubprocessError):
            commit = subprocess.run(  # noqa: S603 - git of the path, on this package
                ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"],  # noqa: S607
                capture_output=True,
                text=True,
                timeout=5,
                check=True,
            ).stdout.strip()
    return f"{own_version()} (commit {commit})" if commit else own_version()


def _stated_version(project: Path) -> str:
    """Return the version in a project file; ``unknown`` if there is none."""
    import tomllib

    stated = tomllib.loads(project.read_text(encoding="utf-8")) if project.is_file() else {}
    return str(stated.get("project", {}).get("version", "unknown"))


@cache
def _distributions() -> dict[str, list[str]]:
    """Return the distributions of each package; looking at all of them takes some milliseconds."""
    from importlib import metadata

    return dict(metadata.packages_distributions())
