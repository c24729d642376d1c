"""Draft."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pybullet
import pytest
import trimesh

from tests.support import pybullet_queries as queries

GEOMETRY = {
    "box": '<box size="0.2 0.3 0.4"/>',
    "sphere": '<sphere radius="0.2"/>',
    "cylinder": '<cylinder radius="0.1" length="0.4"/>',
    "capsule": '<capsule radius="0.1" length="0.3"/>',
    "convex": '<mesh filename="convex.obj" scale="0.5 0.5 0.5"/>',
    "concave": '<mesh filename="concave.stl"/>',
}
INERTIA = {
    "aligned": 'ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"',
    "turned": 'ixx="0.02" ixy="0.004" ixz="-0.003" iyy="0.03" iyz="0.002" izz="0.04"',
}


def meshes(folder: Path) -> None:
    trimesh.creation.cylinder(radius=0.3, height=0.6, sections=9).export(folder / "convex.obj")
    corner = np.array([(0, 0), (0.4, 0), (0.4, 0.1), (0.1, 0.1), (0.1, 0.4), (0, 0.4)]) - 0.15
    faces = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])
    trimesh.creation.extrude_triangulation(corner, faces, 0.2).export(folder / "concave.stl")


def urdf(shape: str, inertia: str, *, fixed: bool) -> str:
    """A chain of links with one shape each, moved by every type of joint.

    A mesh of a held link collides as it is; ``loadURDF`` needs an attribute for that.
    """
    link = f"""<inertial><origin xyz="0.05 -0.02 0.1" rpy="0.1 0.2 -0.3"/><mass value="1.5"/>
      <inertia {INERTIA[inertia]}/></inertial>
      <visual><origin xyz="0 0 0.1" rpy="0.3 0 0"/><geometry>{GEOMETRY[shape]}</geometry>
      <material name="m"><color rgba="0.2 0.4 0.6 1"/></material></visual>
      <collision><origin xyz="0 0 0.1" rpy="0.3 0 0"/><geometry>{GEOMETRY[shape]}</geometry></collision>"""
    limit = '<limit lower="-1.5" upper="1.2" effort="30" velocity="4"/>'
    joints = [
        ("revolute", '<axis xyz="0 0.6 0.8"/><dynamics damping="0.02"/>' + limit),
        ("fixed", ""),
        ("prismatic", '<axis xyz="1 0 0"/>' + limit),
        ("continuous", '<axis xyz="0 0 -1"/><limit effort="10" velocity="3"/>'),
        ("revolute", '<axis xyz="0 1 0"/>' + limit),
    ]
    text = [f'<link name="l0">{link}</link>']
    for number, (kind, more) in enumerate(joints, start=1):
        parent = (0, 0, 1, 1, 3, 4)[number]
        text.append(
            f'<link name="l{number}">{link}</link><joint name="j{number}" type="{kind}">'
            f'<parent link="l{parent}"/><child link="l{number}"/>'
            f'<origin xyz="0.1 0.{number} 0.5" rpy="0.4 -0.{number} 0.2"/>{more}</joint>'
        )
    if fixed and "mesh" in GEOMETRY[shape]:
        text[0] = text[0].replace("<collision>", '<collision concave="yes">')
    return f'<robot name="r">{"".join(text)}</robot>'


@pytest.mark.parametrize("fixed", [True, False], ids=["fixed", "free"])
@pytest.mark.parametrize("inertia", INERTIA)
@pytest.mark.parametrize("shape", GEOMETRY)
def test_queries_answer_as_of_a_body_of_loadurdf(tmp_path, shape, inertia, fixed):
    meshes(tmp_path)
    path = tmp_path / "r.urdf"
    path.write_text(urdf(shape, inertia, fixed=fixed))
    with queries.both(path, fixed=fixed) as (native, own, setting):
        found = queries.outcomes(native, own, setting)
    assert [str(one) for one in found if not one.is_same] == []


def test_the_table_has_every_function_of_pybullet_once():
    functions = [name for name in dir(pybullet) if callable(getattr(pybullet, name))]
    asked = [name for query in queries.QUERIES for name in query.functions]
    others = [name for names in queries.OTHERS.values() for name in names]
    assert sorted([*asked, *queries.STATED, *others]) == sorted(functions)
