"""``sdfbridge doctor``: list installed versions."""

from __future__ import annotations

import platform
from argparse import Namespace

from bridge.cli.output import Output
from bridge.installed_packages import version_of
from bridge.parity import engine_names

_PACKAGES = ("mujoco", "pybullet", "drake", "numpy", "lxml", "trimesh", "coacd", "matplotlib", "jinja2", "xacro")


def doctor(options: Namespace, output: Output) -> int:
    """Print the versions of Python, sdfbridge and the packages that it uses.

    Returns:
        3 if MuJoCo or PyBullet is missing.
    """
    versions: dict[str, str | None] = {"python": platform.python_version()}
    versions |= {name: version_of(name) for name in ("sdfbridge", *_PACKAGES)}
    if options.json:
        output.json({"versions": versions, "engines": list(engine_names())})
    else:
        output.table(("package", "version"), [(name, text or "not installed") for name, text in versions.items()])
    return 0 if versions["mujoco"] and versions["pybullet"] else 3
