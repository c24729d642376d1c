"""MJCF as read, against MuJoCo's own compiled model: numbers, every array, and models that combine
features.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from benchmarks.mjcf_schema import behaviour, differences
from tests.support.mjcf_arrays import comparison
from tests.support.mjcf_documents import BALL, document, largest_pose_error, problems, read, written
from tests.support.seeds import spread

# MJCF as read, against MuJoCo's own compiled model.

TREES = {
    "chain": '<body name="a" pos="1 2 3" euler="30 40 50"><joint axis="1 2 3" pos="0.1 0.2 0.3"/>{}'
    '<body pos="1 0 0" xyaxes="0 1 0 -1 0 0"><joint type="slide" axis="1 1 0"/>{}</body></body>',
    "several joints": '<body><joint axis="1 0 0" pos="0.1 0 0"/><joint type="slide" axis="0 1 0"/>'
    '<joint axis="0 0 1" pos="0 0.2 0"/>{}</body>',
    "references": '<body pos="1 0 0"><joint axis="1 0 0" pos="0 0.1 0" ref="20"/><joint '
    'type="slide" ref="0.3"/>'
    '<joint axis="0 1 0" ref="-40"/>{}<body pos="0 0 1"><joint ref="10"/>{}</body></body>',
    "free and ball": '<body pos="1 0 0"><freejoint/>{}'
    '<body pos="0 1 0"><joint type="ball" pos="0 0 0.1"/>{}</body></body>',
    "slides and ball": '<body><joint type="slide"/><joint type="ball" pos="0.1 0 0"/>{}</body>',
    "frames": '<frame pos="1 0 0" zaxis="1 1 0"><body><joint/>{}</body></frame>',
    "mocap": '<body mocap="true" pos="0 0 1">{}</body>',
    "replicas": '<replicate count="3" offset="1 0 0" euler="0 0 10">'
    '<body name="r"><joint axis="1 0 0"/>{}</body></replicate>',
    "nothing": "",
}


@pytest.mark.parametrize("body", TREES.values(), ids=TREES)
def test_links_are_where_mujoco_has_its_bodies(body: str) -> None:
    import mujoco

    body = body.replace("{}", BALL)
    model = mujoco.MjModel.from_xml_string(document(body))
    assert largest_pose_error(read(body), model, seed=1) < 1e-12


def test_bodies_and_joints_without_a_name_are_numbered() -> None:
    scene = read(f'<body><joint/>{BALL}<body name="arm"><joint type="slide"/>{BALL}</body></body>')
    assert [link.name for link in scene.links] == ["body_1", "arm"]
    assert [joint.name for joint in scene.joints] == ["joint_0", "joint_1"]


def test_names_that_only_mjcf_allows_are_kept() -> None:
    scene = read(f'<body name="a/b::c d"><joint name="a/b::c d"/>{BALL}</body>')
    assert [item.name for item in (*scene.links, *scene.joints)] == ["a/b::c d"] * 2


def test_shapes_of_the_world_belong_to_a_link_of_the_world() -> None:
    import mujoco

    floor = '<geom type="plane" size="0 0 1"/>'
    scene = read(f"{floor}<body><joint/>{BALL}</body>")
    assert scene.links[0].name == "world"
    assert mujoco.MjModel.from_xml_string(document(floor)).nbody == 1


def test_a_file_is_recognized_by_its_root_element(tmp_path: Path) -> None:
    scene = loaders.load(written(tmp_path, document(f"<body>{BALL}</body>", name="robot")))
    assert scene.name == scene.models[0].name == "robot"
    assert scene.physics.engine == "mujoco"


def test_what_mujoco_refuses_is_an_error_at_its_line_in_the_included_file(tmp_path: Path) -> None:
    text = '<mujoco>\n<include file="arm.xml"/>\n</mujoco>'
    arm = "<mujocoinclude>\n\n<worldbody>\n<body><joint/></body></worldbody></mujocoinclude>"
    (problem,) = problems(written(tmp_path, text, arm_xml=arm))
    assert problem.code == "mjcf-in.refused"
    assert (Path(problem.where.file).name, problem.where.line) == ("arm.xml", 4)
    assert "mass and inertia" in problem.message


def test_several_errors_are_reported_at_once(tmp_path: Path) -> None:
    text = '<mujoco>\n<include file="a.xml"/>\n<include file="b.xml"/>'
    text += '<worldbody>\n<body pos="nan 0 0"/></worldbody></mujoco>'
    codes = [(problem.code, problem.where.line) for problem in problems(written(tmp_path, text))]
    assert ("mjcf-in.include", 2) in codes
    assert ("mjcf-in.include", 3) in codes
    assert ("mjcf-in.not-finite", 4) in codes


# Every array of a compiled model is that of the original, or a diagnostic names what is lost.


class Case(NamedTuple):
    """A document, and what its export loses."""

    body: str = ""
    """Content of the world."""
    sections: str = ""
    """The other sections."""
    lost: str = ""
    """Arrays that differ, separated by spaces; those of a group of arrays end with a star."""
    named: tuple[str, ...] = ()
    """Words of the diagnostics that name what is lost."""


ARM = (
    '<body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-60 60"/><geom name="g" '
    'size="0.1"/>'
    '<site name="s"/>'
    '<body name="b" pos="0.5 0 0"><joint name="ball" type="ball"/><geom name="h" '
    'size="0.1"/><site name="t"/></body>'
    "</body>"
)
ROD = (
    '<body name="rod"><joint type="ball"/><geom type="capsule" fromto="0 0 0 0.2 0 0" '
    'size="0.02"/>{}</body>'
)
FLEXCOMP = (
    '<body name="h" pos="0 0 1"><flexcomp name="f" radius="0.01" mass="1" {}>{}</flexcomp></body>'
)
APART = '<contact selfcollide="none"/>'
GRID = 'type="grid" dim="3" count="3 3 3" spacing="0.1 0.1 0.1"'
NODES = "".join(
    f'<body name="n{i}" pos="{i >> 2 & 1} {i >> 1 & 1} {i & 1}"><joint type="slide" axis="1 0 '
    f'0"/><joint type="slide"/>'
    '<joint type="slide" axis="0 1 0"/><inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 '
    '1e-4"/></body>'
    for i in range(8)
)
FLEX = (
    '<deformable><flex name="f" dim="{}" element="{}" body="h h h h" cellcount="1 1 1" '
    'dof="trilinear" '
    'vertex="0.1 0.1 0.1 0.9 0.1 0.1 0.1 0.9 0.1 0.1 0.1 0.9" node="n0 n1 n2 n3 n4 n5 n6 '
    'n7">{}</flex></deformable>'
)
CABLE = (
    '<body name="w" pos="0 0 1"><composite type="cable" prefix="C" count="5 1 1" size="1" '
    'curve="s" initial="ball">{}'
    "<geom type={}/></composite></body>"
)
ROUND = '"capsule" size="0.02"'
_CORD, _GROUP = "mujoco.elasticity.cable", ("joint/group",)
_MADE = "jnt_group"
INSTANCE = (
    f'<extension><plugin plugin="{_CORD}"><instance name="i"><config key="twist" '
    f'value="1e6"/></instance></plugin>'
    "</extension>"
)
PLUGIN = '<extension><plugin plugin="{}"/></extension>'
TORUS = '<config key="radius1" value="0.35"/><config key="radius2" value="0.15"/>'
FIELD = (
    f'<extension><plugin plugin="mujoco.sdf.torus"><instance '
    f'name="i">{TORUS}</instance></plugin></extension>'
    '<asset><mesh name="m"><plugin instance="i"/></mesh></asset>'
)
GRID_OF_TOUCH = (
    '<plugin name="q" plugin="mujoco.sensor.touch_grid" objtype="site" objname="s"><config '
    'key="size" value="7 7"/>'
    '<config key="fov" value="45 45"/><config key="gamma" value="0"/><config key="nchannel" '
    'value="1"/></plugin>'
)
MESH = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
IN_MESH = ARM.replace('<site name="s"/>', '<site name="s" type="mesh" mesh="m" pos="0.1 0 0"/>')
_OF_SITE = "site_dataid site_size site_type"
_OF_SENSORS = "nsensor* sensor_*"

ACTUATORS = {
    kind: Case(ARM, f"<actuator>{text}</actuator>")
    for kind, text in {
        "a position": '<position joint="j" kp="3"/>',
        "a speed": '<velocity joint="j" kv="3"/>',
        "an integrated speed": '<intvelocity joint="j" actrange="-1 1"/>',
        "a pressure": '<cylinder joint="j" timeconst="0.2"/>',
        "a declared speed": '<general joint="j" input="vel"/>',
        "a declared position of an affine gain": (
            '<general joint="j" gaintype="affine" gainprm="1 2 3" input="pos"/>'
        ),
        "an orientation of a joint": '<orientation joint="ball" kp="2" input="quat"/>',
        "an orientation of a site": '<orientation site="t" refsite="s" kp="2"/>',
        "an orientation of a site with a range": (
            '<orientation site="t" refsite="s" kp="2" kv="1" forcerange="0 1"/>'
        ),
    }.items()
}
SOFT_BODIES = {
    "nodes of a grid": Case(FLEXCOMP.format(f'{GRID} dof="trilinear"', APART)),
    "nodes of cells": Case(FLEXCOMP.format(f'{GRID} dof="quadratic" cellcount="1 1 2"', APART)),
    "nodes of one body each": Case(f'{NODES}<body name="h"/>', FLEX.format(3, "0 1 2 3", APART)),
    "a surface with nodes": Case(
        f'{NODES}<body name="h"/>',
        FLEX.format(2, "0 1 2 1 2 3", f'{APART}<elasticity young="1e4" poisson="0.2"/>'),
    ),
    "strain of a cell": Case(
        f'{NODES}<body name="h"/>',
        FLEX.format(3, "0 1 2 3", APART)
        + '<equality><flexstrain name="e" flex="f" cell="0 0 0" active="false" solref="0.05 1"/></equality>',
    ),
    "sections of a rope": Case(
        FLEXCOMP.format(
            'type="grid" dim="1" count="4 1 1" spacing="0.1 1 1"',
            f'{APART}<elasticity young="1e5" poisson="0.3" section="box" sectionsize="0.01 0.02"/>',
        )
    ),
    "springs of a rope": Case(
        FLEXCOMP.format(
            'type="grid" dim="1" count="4 1 1" spacing="0.1 1 1"',
            f'{APART}<edge stiffness="10" damping="0.1"/>',
        )
    ),
    "a plugin of a soft body": Case(
        FLEXCOMP.format(
            'type="grid" dim="2" count="3 3 1" spacing="0.1 0.1 1"',
            (
                f'{APART}<edge damping="0.1"/><plugin plugin="{_CORD}"><config key="twist" '
                f'value="1"/></plugin>'
            ),
        ),
        PLUGIN.format(_CORD),
        "body_plugin",
        (_CORD, "body f_0"),
    ),
}
CABLES = {
    "a cable": Case(CABLE.format("", ROUND), "", _MADE, _GROUP),
    "a cable whose parent filter is off": Case(
        CABLE.format("", ROUND), '<option><flag filterparent="disable"/></option>', _MADE, _GROUP
    ),
    "settings of a cable": Case(
        CABLE.format(
            '<joint kind="main" damping="0.1" stiffness="2" armature="0.1"/>',
            '"cylinder" size="0.02"',
        ),
        "",
        _MADE,
        _GROUP,
    ),
    "a skin of a cable": Case(
        CABLE.format("", '"box" size="0.02 0.02 0.02"'),
        "",
        _MADE,
        _GROUP,
    ),
    "a plugin of a cable": Case(
        CABLE.format(f'<plugin plugin="{_CORD}"><config key="bend" value="1e6"/></plugin>', ROUND),
        PLUGIN.format(_CORD),
        f"{_MADE} body_plugin",
        (_CORD, "body CB_1"),
    ),
}
PLUGINS = {
    "a body": Case(
        ROD.format(f'<plugin plugin="{_CORD}"><config key="twist" value="1e6"/></plugin>'),
        PLUGIN.format(_CORD),
        "body_plugin",
        (_CORD, "body rod"),
    ),
    "an instance": Case(
        ROD.format('<plugin instance="i"/>'), INSTANCE, "body_plugin", (_CORD, "body rod")
    ),
    "an instance of no element": Case(ARM, INSTANCE, "", (_CORD, "no element")),
    "an actuator": Case(
        ARM,
        PLUGIN.format("mujoco.pid")
        + '<actuator><motor joint="j"/><plugin name="p" joint="j" plugin="mujoco.pid" actdim="1"><config key="ki" '
        'value="1"/></plugin></actuator>',
        "actuator_* key_act key_ctrl na nactuator nJmom nout nu",
        ("mujoco.pid", "actuator p"),
    ),
    "a sensor": Case(
        ARM,
        PLUGIN.format("mujoco.sensor.touch_grid")
        + f'<sensor><jointpos joint="j"/>{GRID_OF_TOUCH}</sensor>',
        _OF_SENSORS,
        ("mujoco.sensor.touch_grid", "sensor q"),
    ),
    "a geom": Case(
        '<body><freejoint/><geom name="g" type="sdf" mesh="m"><plugin instance="i"/></geom></body>',
        FIELD,
        "touching* seen* dof_length",
        ("mujoco.sdf.torus", "geom g"),
    ),
}
SITES = {
    "a mesh": Case(IN_MESH, MESH, _OF_SITE, ("site/mesh",)),
    "touch in a mesh": Case(
        IN_MESH,
        f'{MESH}<sensor><touch name="q" site="s"/></sensor>',
        f"{_OF_SITE} {_OF_SENSORS}",
        ("sensor q",),
    ),
    "a body in a mesh": Case(
        IN_MESH,
        f'{MESH}<sensor><insidesite name="q" site="s" objtype="body" objname="b"/></sensor>',
        f"{_OF_SITE} {_OF_SENSORS}",
        ("sensor q",),
    ),
    "contacts in a mesh": Case(
        IN_MESH,
        f'{MESH}<sensor><contact name="q" site="s"/></sensor>',
        f"{_OF_SITE} {_OF_SENSORS}",
        ("sensor q",),
    ),
    "a tactile sensor": Case(
        ARM,
        f'{MESH}<sensor><tactile name="q" geom="g" mesh="m"/></sensor>',
        _OF_SENSORS,
        ("sensor q",),
    ),
}
FILTERS = {
    "an exclude of a pair that no mask lets touch": Case(
        ARM.replace('name="h"', 'name="h" contype="0" conaffinity="0"'),
        '<contact><exclude body1="a" body2="b"/></contact>',
    ),
    "an exclude of parent and child": Case(
        ARM, '<contact><exclude body1="a" body2="b"/></contact>'
    ),
    "a parent filter that is off": Case(
        ARM,
        (
            '<option><flag filterparent="disable"/></option><contact><exclude body1="a" '
            'body2="b"/></contact>'
        ),
    ),
}
CASES = {
    f"{group}: {name}": case
    for group, cases in {
        "actuator": ACTUATORS,
        "soft body": SOFT_BODIES,
        "cable": CABLES,
        "plugin": PLUGINS,
        "site": SITES,
        "filter": FILTERS,
    }.items()
    for name, case in cases.items()
}
CORNERS = [(0, 0, 0), (0.3, 0, 0), (0, 0.4, 0), (0, 0, 0.5)]


def _document(case: Case) -> str:
    return f'<mujoco model="m">{case.sections}<worldbody>{case.body}</worldbody></mujoco>'


def _is_named(array: str, names: list[str]) -> bool:
    return any(
        array == name or (name.endswith("*") and array.startswith(name[:-1])) for name in names
    )


@pytest.mark.parametrize("case", spread(CASES.values(), 2), ids=CASES)
def test_each_array_is_the_same_or_a_diagnostic_names_what_is_lost(
    case: Case, tmp_path: Path
) -> None:
    """Some documents need a MuJoCo that has their elements."""
    found = comparison(tmp_path, _document(case))
    if found is None:
        pytest.skip("this MuJoCo refuses the document")
    lost = case.lost.split()
    assert {array for array in found.arrays if not _is_named(array, lost)} == set()
    assert [word for word in case.named if word not in found.diagnostics] == []


GMSH = """$MeshFormat
{} 0 8
$EndMeshFormat
$Nodes
{}$EndNodes
$Elements
{}$EndElements
"""
POINTS = "".join(f"{x} {y} {z}\n" for x, y, z in CORNERS)
NUMBERED = "".join(f"{i} {x} {y} {z}\n" for i, (x, y, z) in enumerate(CORNERS, 1))
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
FILES = {
    "gmsh tetrahedra": (
        'type="gmsh" dim="3" file="f.msh"',
        GMSH.format(
            "4.1", f"1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n{POINTS}", "1 1 1 1\n3 1 4 1\n1 1 2 3 4\n"
        ),
    ),
    "gmsh triangles": (
        'type="gmsh" dim="2" file="f.msh"',
        GMSH.format(
            "4.1", f"1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n{POINTS}", "1 2 1 2\n2 1 2 2\n1 1 2 3\n2 2 3 4\n"
        ),
    ),
    "gmsh of version 2": (
        'type="gmsh" dim="3" file="f.msh" dof="trilinear"',
        GMSH.format("2.2", f"4\n{NUMBERED}", "1\n1 4 0 1 2 3 4\n"),
    ),
    "mesh": ('type="mesh" dim="2" file="f.obj" scale="2 1 1" quat="1 1 0 0"', OBJ),
    "mesh of tetrahedra": ('type="mesh" dim="3" file="f.obj" origin="0.05 0.05 0.05"', OBJ),
    "mesh with nodes": (
        'type="mesh" dim="3" file="f.obj" origin="0.05 0.05 0.05" dof="trilinear"',
        OBJ,
    ),
}


@pytest.mark.parametrize(("attributes", "content"), FILES.values(), ids=FILES)
def test_a_soft_body_of_a_file_is_the_same(attributes: str, content: str, tmp_path: Path) -> None:
    name = "f_msh" if "msh" in attributes else "f_obj"
    found = comparison(
        tmp_path, _document(Case(FLEXCOMP.format(attributes, APART))), **{name: content.encode()}
    )
    if found is None:
        pytest.skip("this MuJoCo refuses the document")
    assert found.arrays == set()


@pytest.mark.parametrize("inertia", ["", 'inertia="convex"', 'refpos="1 0 0" refquat="1 1 0 0"'])
@pytest.mark.parametrize("weight", ["", "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"])
def test_a_mesh_of_mujoco_without_triangles_is_its_convex_hull(
    inertia: str, weight: str, tmp_path: Path
) -> None:
    """Its frame may be another one, since its inertia is that of a hull; so shapes are compared in
    the world.
    """
    points = [*CORNERS, (0.1, 0.1, 0.1)]
    data = struct.pack("<4i", len(points), 0, 0, 0) + b"".join(
        struct.pack("<3f", *point) for point in points
    )
    asset = f'<asset><mesh name="m" file="f.msh" {inertia}/></asset>'
    body = (
        f'<body name="b"><freejoint/>{weight}<geom type="mesh" mesh="m" euler="10 20 30"/></body>'
    )
    found = comparison(tmp_path, _document(Case(body, asset)), f_msh=data)
    assert found is not None
    assert {
        name for name in found.arrays if not name.startswith(("touching", "seen", "dof_length"))
    } == set()
    original = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    mjcf = bridge.to_mjcf(loaders.load(tmp_path / "robot.xml", quiet=True), quiet=True)
    exported = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
    np.testing.assert_allclose(_hull(exported), _hull(original), atol=2e-6)


def _hull(model: mujoco.MjModel) -> list[tuple[float, ...]]:
    """Return the vertices of the hull of the first geom that touches, in the world, in order."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    g = next(g for g in range(model.ngeom) if model.geom_contype[g])
    mesh = model.geom_dataid[g]
    start = model.mesh_vertadr[mesh]
    graph = model.mesh_graph[model.mesh_graphadr[mesh] :]
    corners = graph[2 + graph[0] : 2 + 2 * graph[0]]
    points = (
        model.mesh_vert[start + corners] @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
    )
    return sorted(map(tuple, np.round(points, 6).tolist()))


# Models written by hand that combine features of MJCF, each against its export, both run by MuJoCo.
#
# They have contacts, constraints, sensors, cameras and keyframes, so that nothing that MuJoCo
# computes may differ. Classes come through an include, and a model is attached.

FOLDER = Path(__file__).parent / "models"
PARTS = {"included_classes", "attached_arm"}
MODELS = sorted(path.stem for path in FOLDER.glob("*.xml") if path.stem not in PARTS)


@pytest.mark.parametrize("name", MODELS)
def test_an_export_behaves_as_the_original(name: str) -> None:
    path = FOLDER / f"{name}.xml"
    mjcf = bridge.to_mjcf(loaders.load(path, quiet=True), quiet=True)
    original, exported = (
        mujoco.MjModel.from_xml_path(str(path)),
        mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets),
    )
    assert differences(behaviour(original), behaviour(exported)) == []


def test_the_models_have_what_they_are_for() -> None:
    """No kind of element that MuJoCo counts is in none of them, but for plugins."""
    counted = (
        "neq",
        "ntendon",
        "nu",
        "nsensor",
        "nkey",
        "npair",
        "nexclude",
        "nmocap",
        "nflex",
        "nmesh",
        "ncam",
        "nlight",
    )
    models = [mujoco.MjModel.from_xml_path(str(FOLDER / f"{name}.xml")) for name in MODELS]
    assert [name for name in counted if not any(getattr(model, name) for model in models)] == []
