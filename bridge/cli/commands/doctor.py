"""``sdfbridge doctor``: list installed versions."""

from __future__ import annotations

import platform
from argparse import Namespace

from bridge.cli.output import Output
from bridge.installed_packages import version_of
from bridge.parity import engine_names

_ENGINES = ("mujoco", "pybullet", "drake", "dartpy")
_LIBRARIES = ("numpy", "lxml", "trimesh")
_OF_EXTRAS = ("cloudpickle", "coacd", "dask", "distributed", "jinja2", "matplotlib", "viser", "xacro")
_MODELS = ("robot_descriptions",)
_PACKAGES = (*_ENGINES, *_LIBRARIES, *_OF_EXTRAS, *_MODELS)


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
