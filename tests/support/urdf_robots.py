"""URDF robots, for tests."""

from __future__ import annotations

import loaders
from loaders.scene import Scene

SPHERE = "<collision><geometry><sphere radius='1'/></geometry></collision>"


LIMIT = "<limit lower='-1' upper='1' effort='5' velocity='1'/>"


ARM = f"""<link name='a'>{SPHERE}</link><link name='b'>{SPHERE}{SPHERE}</link><joint name='j' type='revolute'>
<parent link='a'/><child link='b'/>{LIMIT}</joint>"""


def robot(body: str) -> Scene:
    return loaders.load_string(f"<robot name='r'>{body}</robot>", format="urdf")


def codes(scene: Scene) -> list[str]:
    return [entry.code for entry in scene.diagnostics]
