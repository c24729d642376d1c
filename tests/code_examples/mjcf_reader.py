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
    "mjcf-in.file": robot('<body name="b"><site file="x"/></body>'),
    "mjcf-in.fluid": robot(BODY, '<option density="1"/>'),
    "mjcf-in.gravcomp": robot(f'<body name="b" gravcomp="0.5">{BALL}</body>', "", "b"),
    "mjcf-in.include": robot('<include file="gone.xml"/>'),
    "mjcf-in.included-twice": robot('<include file="a.xml"/><include file="a.xml"/>', a_xml="<mujocoinclude/>"),
    "mjcf-in.joint-dynamics": robot(f'<body><joint name="j" armature="1"/>{BALL}</body>', "", "j"),
    "mjcf-in.mesh-frame": robot(MESH, mesh('file="m.obj" refquat="1 2 3 4" scale="1 2 3"'), "g", m_obj=TETRAHEDRON),
    "mjcf-in.not-carried": robot(BODY, '<actuator><motor name="drive" joint="j"/></actuator>', "drive"),
    "mjcf-in.not-finite": robot('<body name="b" pos="nan 0 0"/>'),
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
