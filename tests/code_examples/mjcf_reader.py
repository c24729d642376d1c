"""Minimal MJCF inputs, one for each code of the reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.code_example import Example, Setup, reading
from tests.support.mjcf_documents import BALL, TETRAHEDRON, document

BODY = f'<body name="b"><joint name="j"/>{BALL}</body>'
MESH = '<body name="b"><geom name="g" type="mesh" mesh="m"/></body>'

PID = (
    '<extension><plugin plugin="mujoco.pid"/></extension>'
    '<actuator><plugin name="m" joint="j" plugin="mujoco.pid"/></actuator>'
)
DC_MOTOR = (
    '<actuator><dcmotor name="m" joint="j" motorconst="1" resistance="1" input="pos '
    'vel"/></actuator>'
)


def robot(body: str = BODY, outside: str = "", *subjects: str, **files: str) -> Example:
    names = {name.replace("_", "."): text for name, text in files.items()}
    return reading(document(body, outside), *subjects, name="robot.xml", files=names)


def mesh(attributes: str) -> str:
    return f'<asset><mesh name="m" {attributes}/></asset>'


def _needs(tag: str) -> Setup:
    """Skip an example if the schema of the installed MuJoCo does not have an element, or what came
    with it.
    """

    def setup(_folder: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
        import mujoco

        if tag not in mujoco.mj_printSchema(False, False).split():
            pytest.skip(f"MuJoCo {mujoco.__version__} has no <{tag}>")

    return setup


EXAMPLES = {
    "mjcf-in.actuator": robot(BODY, PID, "m"),
    "mjcf-in.controls": reading(
        document(BODY, DC_MOTOR), "m", name="robot.xml", setup=_needs("orientation")
    ),
    "mjcf-in.file": robot('<body name="b"><site file="x"/></body>'),
    "mjcf-in.include": robot('<include file="gone.xml"/>'),
    "mjcf-in.included-twice": robot(
        '<include file="a.xml"/><include file="a.xml"/>', a_xml="<mujocoinclude/>"
    ),
    "mjcf-in.mesh-frame": robot(
        MESH, mesh('file="m.obj" refquat="1 2 3 4" scale="1 2 3"'), "g", m_obj=TETRAHEDRON
    ),
    "mjcf-in.not-carried": robot(
        BODY.replace("<joint", '<joint range="-1 1" limited="false"', 1), "", "j"
    ),
    "mjcf-in.not-finite": robot('<body name="b" pos="nan 0 0"/>'),
    "mjcf-in.unused-asset": robot(BODY, '<asset><material name="idle"/></asset>'),
    "mjcf-in.options": reading(
        '<sdf version="1.9"><world name="w"><include><uri>b.xml</uri></include></world></sdf>',
        name="w.sdf",
        files={"b.xml": document(BODY, '<option timestep="0.01"/>')},
    ),
    "mjcf-in.plugin": robot(
        (
            '<body><plugin plugin="mujoco.elasticity.cable"/><geom type="capsule" size="0.1 '
            '0.1"/></body>'
        ),
        '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>',
    ),
    "mjcf-in.refused": robot('<body name="b" posture="1"/>'),
    "mjcf-in.shape": robot(
        '<body name="b"><geom name="g" type="hfield" hfield="h"/></body>',
        '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 0 1"/></asset>',
        "b",
    ),
    "mjcf-in.skin": robot(BODY, '<deformable><skin file="s.skn"/></deformable>'),
    "mjcf-in.too-large": robot('<replicate count="99999">' + BALL + "</replicate>"),
    "mjcf-in.warning": robot('<body name="b"><geom size="1" user="nan"/></body>'),
}
