"""Minimal MJCF inputs, one for each code of the reader."""

from __future__ import annotations

from tests.support.code_example import Example, reading
from tests.support.mjcf_documents import BALL, TETRAHEDRON, document

BODY = f'<body name="b"><joint name="j"/>{BALL}</body>'
MESH = '<body name="b"><geom name="g" type="mesh" mesh="m"/></body>'


def robot(body: str = BODY, outside: str = "", *subjects: str, **files: str) -> Example:
    names = {name.replace("_", "."): text for name, text in files.items()}
    return reading(document(body, outside), *subjects, name="robot.xml", files=names)


def mesh(attributes: str) -> str:
    return f'<asset><mesh name="m" {attributes}/></asset>'


EXAMPLES = {
    "mjcf-in.actuator": robot(BODY, '<actuator><motor name="m" joint="j" delay="0.1" nsample="9"/></actuator>', "m"),
    "mjcf-in.equality": robot(BODY, '<equality><joint name="e" joint1="j"/></equality>', "e"),
    "mjcf-in.file": robot('<body name="b"><site file="x"/></body>'),
    "mjcf-in.include": robot('<include file="gone.xml"/>'),
    "mjcf-in.included-twice": robot('<include file="a.xml"/><include file="a.xml"/>', a_xml="<mujocoinclude/>"),
    "mjcf-in.keyframe": robot(BODY, '<keyframe><key name="k" qvel="1"/></keyframe>', "k"),
    "mjcf-in.mesh-frame": robot(MESH, mesh('file="m.obj" refquat="1 2 3 4" scale="1 2 3"'), "g", m_obj=TETRAHEDRON),
    "mjcf-in.not-carried": robot(BODY, '<sensor><jointpos name="q" joint="j"/></sensor>', "q"),
    "mjcf-in.not-finite": robot('<body name="b" pos="nan 0 0"/>'),
    "mjcf-in.options": reading(
        '<sdf version="1.9"><world name="w"><include><uri>b.xml</uri></include></world></sdf>',
        name="w.sdf",
        files={"b.xml": document(BODY, '<option timestep="0.01"/>')},
    ),
    "mjcf-in.plugin": robot(
        '<body><plugin plugin="mujoco.elasticity.cable"/><geom type="capsule" size="0.1 0.1"/></body>',
        '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>',
    ),
    "mjcf-in.refused": robot('<body name="b" posture="1"/>'),
    "mjcf-in.shape": robot(MESH, mesh('vertex="0 0 0 1 0 0 0 1 0 0 0 1"'), "b"),
    "mjcf-in.skin": robot(BODY, '<deformable><skin file="s.skn"/></deformable>'),
    "mjcf-in.soft-body": robot(
        '<flexcomp name="f" type="grid" count="3 3 1" spacing="1 1 1" radius="0.1" mass="1">'
        '<edge equality="true"/></flexcomp>'
    ),
    "mjcf-in.too-large": robot('<replicate count="99999">' + BALL + "</replicate>"),
    "mjcf-in.warning": robot(BODY, '<compiler settotalmass="3"/>'),
}
