"""URDF robots, for tests."""

from __future__ import annotations

import loaders
from loaders.scene import Scene

SPHERE = "<collision><geometry><sphere radius='1'/></geometry></collision>"


LIMIT = "<limit lower='-1' upper='1' effort='5' velocity='1'/>"


ARM = f"""<link name='a'>{SPHERE}</link><link name='b'>{SPHERE}{SPHERE}</link><joint name='j' type='revolute'>
<parent link='a'/><child link='b'/>{LIMIT}</joint>"""


_INERTIA = '<inertia ixx=".1" iyy=".12" izz=".13" ixy="0" ixz="0" iyz="0"/>'


HINGE_AND_SLIDE = f"""<robot name="r">
<link name="base">
<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="2"/>{_INERTIA}</inertial>
<collision><origin xyz="0 0 .1"/><geometry><box size=".2 .3 .4"/></geometry></collision>
</link>
<link name="a"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>{_INERTIA}</inertial>
<collision><geometry><sphere radius=".1"/></geometry></collision></link>
<link name="b"><inertial><origin xyz="0 0.1 0"/><mass value="1.5"/>{_INERTIA}</inertial></link>
<joint name="h" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 0 .5"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1.5" effort="10" velocity="3"/><dynamics damping=".3" friction=".2"/></joint>
<joint name="s" type="prismatic"><parent link="a"/><child link="b"/><origin xyz=".3 0 0"/><axis xyz="1 0 0"/>
<limit lower="-.2" upper=".4" effort="11" velocity="4"/><dynamics damping=".5" friction=".1"/></joint>
</robot>"""
"""A base with a hinge and a slide on it, each with limits, damping and friction."""


def robot(body: str) -> Scene:
    return loaders.load_string(f"<robot name='r'>{body}</robot>", format="urdf")


def codes(scene: Scene) -> list[str]:
    return [entry.code for entry in scene.diagnostics]
