"""Importing this module lets MuJoCo open SDFormat files: it calls `bridge.mujoco_plugin.register`.

``register(package_map=..., paths=..., actuators=..., base=...)`` changes the options.
"""

from __future__ import annotations

from .location import require_own_packages

require_own_packages()

from bridge.mujoco_plugin import register  # noqa: E402

__all__ = ["register"]

register()
