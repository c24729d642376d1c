"""Checks of a scene: inertias, sizes and pairs of axes."""

from __future__ import annotations

import pytest

import loaders

URDF = """<robot name="r"><link name="l"><inertial><mass value="1"/>
<inertia ixx="{}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
JOINT = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/>
<joint name="j" type="universal"><parent>a</parent><child>b</child>
<axis><xyz>1 0 0</xyz></axis><axis2><xyz>{}</xyz></axis2></joint></model></sdf>"""


@pytest.mark.parametrize(("ixx", "codes"), [(1, []), (2, []), (3, ["model.impossible-inertia"])])
def test_inertias_must_be_physically_valid(ixx: float, codes: list[str]) -> None:
    scene = loaders.load_string(URDF.format(ixx), format="urdf")
    assert [entry.code for entry in scene.diagnostics] == codes
    assert all(entry.subjects == ("l",) for entry in scene.diagnostics)


@pytest.mark.parametrize(
    ("axis", "codes"),
    [("0 1 0", []), ("1 1 0", ["model.skew-axes"]), ("1 0 0", ["model.parallel-axes"])],
)
def test_axes_of_a_universal_joint_must_be_perpendicular(axis: str, codes: list[str]) -> None:
    scene = loaders.load_string(JOINT.format(axis), format="sdf")
    entries = [entry for entry in scene.diagnostics if entry.code.startswith("model.")]
    assert [entry.code for entry in entries] == codes
    assert all(entry.subjects == ("j",) for entry in entries)


@pytest.mark.parametrize(
    "shape", ["<box size='0 1 1'/>", "<sphere radius='0'/>", "<cylinder radius='1' length='0'/>"]
)
def test_a_shape_without_volume_is_noticed(shape: str) -> None:
    text = (
        f"<robot name='r'><link name='l'><collision "
        f"name='c'><geometry>{shape}</geometry></collision></link></robot>"
    )
    (entry,) = loaders.load_string(text, format="urdf", quiet=True).diagnostics
    assert (entry.code, entry.subjects) == ("model.zero-size", ("l", "l::c"))
