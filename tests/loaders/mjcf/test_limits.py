"""What is too large or not a number never reaches MuJoCo, nor does an attached model without limit."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import loaders
from tests.support.mjcf_documents import (
    BALL,
    TETRAHEDRON,
    document,
    largest_pose_error,
    problems,
    written,
)

# What is too large or not a number never reaches MuJoCo.

REPLICA = '<replicate count="{0}" offset="1 0 0">' * 3 + f"<body>{BALL}</body>" + "</replicate>" * 3
HINGE = f'<body><joint name="j"/>{BALL}</body>'
LARGE = {
    "replicas": document(REPLICA.format(1000)),
    "named replicas": document(
        f'<replicate count="1500" offset="1 0 0"><body name="b">{BALL}</body></replicate>'
    ),
    "named replicas of replicas": document(
        '<replicate count="1400" offset="1 0 0"><replicate count="2"><body name="b">'
        f"{BALL}</body></replicate></replicate>"
    ),
    "many replicas": document(f'<replicate count="2" offset="1 0 0">{BALL}</replicate>' * 1000),
    "many bodies": document(f"<body><joint/>{BALL}</body>" * 8000),
    "many classes": document(
        outside="<default class='main'>"
        + "".join(f"<default class='c{i}'><geom size='1'/></default>" for i in range(8000))
        + "</default>"
    ),
    "particles": document('<flexcomp name="f" type="grid" count="1000 1000 10"/>'),
    "particles that are bodies": document('<flexcomp name="f" type="grid" count="100 100 1"/>'),
    "points that are bodies": document(
        f'<flexcomp name="f" type="direct" dim="1" point="{"0 0 0 " * 8000}" element="0 1"/>'
    ),
    "composite": document('<body><composite type="cable" count="999999 1 1"/></body>'),
    "long cable": document('<body><composite type="cable" count="1024 1 1"/></body>'),
    "cable": document('<body><composite type="cable" count="2000 1 1"/></body>'),
    "field": document(
        outside='<asset><hfield name="h" nrow="99999" ncol="99999" size="1 1 1 1"/></asset>'
    ),
    "user data": document(outside='<size nuserdata="2000000000"/>'),
    "user data of geoms": document(BALL * 500, '<size nuser_geom="9000000"/>'),
    "cone": document(outside='<asset><mesh name="s" builtin="cone" params="999999 1"/></asset>'),
    "plate": document(outside='<asset><mesh name="s" builtin="plate" params="9999 9999"/></asset>'),
    "torus": document(
        outside='<asset><mesh name="s" builtin="supertorus" params="9999 0.2 1 1"/></asset>'
    ),
    "sensor": document(f"<body>{BALL}</body>", '<sensor><user dim="2000000000"/></sensor>'),
    "history": document(
        HINGE, '<actuator><motor joint="j" delay="1" nsample="16000000"/></actuator>'
    ),
    "states": document(
        HINGE, '<actuator><general joint="j" dyntype="user" actdim="2000000000"/></actuator>'
    ),
    "search for ranges": document(
        HINGE,
        (
            '<compiler><lengthrange inttotal="1e9" timestep="1e-9"/></compiler><actuator><muscle '
            'joint="j"/></actuator>'
        ),
    ),
    "muscles": document(HINGE, "<actuator>" + '<muscle joint="j"/>' * 1500 + "</actuator>"),
    "grid of a plugin": document(
        f'<body>{BALL}<site name="s"/></body>',
        '<extension><plugin plugin="mujoco.sensor.touch_grid"/></extension><sensor><plugin '
        'name="q" objtype="site" '
        'objname="s" plugin="mujoco.sensor.touch_grid"><config key="size" value="60000 '
        '60000"/></plugin></sensor>',
    ),
    "field of no size": document(
        outside='<extension><plugin plugin="mujoco.sdf.torus"><instance name="t"><config '
        'key="radius1" value="0"/>'
        '</instance></plugin></extension><asset><mesh name="t"><plugin '
        'instance="t"/></mesh></asset>'
    ),
    "keyframes": document(HINGE * 1000, "<keyframe>" + "<key/>" * 5000 + "</keyframe>"),
    "rays": document(
        f'<body><camera name="c" resolution="40000 40000"/>{BALL}</body>',
        '<sensor><rangefinder camera="c"/></sensor>',
    ),
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_a_small_document_that_makes_much_is_refused(text: str, tmp_path: Path) -> None:
    assert [problem.code for problem in problems(written(tmp_path, text))] == ["mjcf-in.too-large"]


def test_an_element_of_thousands_of_attributes_is_refused(tmp_path: Path) -> None:
    """MuJoCo compares each attribute with all before it; it would be asked for 20 errors."""
    attributes = " ".join(f'a{i}="1"' for i in range(9_000))
    start = time.process_time()
    found = problems(written(tmp_path, document(f"<geom {attributes}/>")))
    assert [problem.code for problem in found] == ["mjcf-in.too-large"]
    assert time.process_time() - start < 5.0


def test_deep_nesting_by_includes_is_refused(tmp_path: Path) -> None:
    deep = (
        "<mujocoinclude>"
        + "<body>" * 220
        + '<include file="{}.xml"/>'
        + "</body>" * 220
        + "</mujocoinclude>"
    )
    files = {f"p{i}_xml": deep.format(f"p{i + 1}") for i in range(3)}
    path = written(tmp_path, document('<include file="p0.xml"/>'), **files)
    assert "mjcf-in.too-large" in [problem.code for problem in problems(path)]


@pytest.mark.parametrize(
    ("count", "depth", "is_refused"), [(4, 60, False), (9, 240, True), (30, 240, True)]
)
def test_models_that_attach_one_another_at_their_deepest_body_are_refused_at_once(
    count: int, depth: int, is_refused: bool, tmp_path: Path
) -> None:
    """MuJoCo 3.17 allows 1,023 nested bodies, and compiles more before it refuses them, in time of
    the cube.
    """
    files = {}
    for i in range(count):
        is_last = i == count - 1
        asset = "" if is_last else f'<asset><model name="n" file="m{i + 1}.xml"/></asset>'
        inside = BALL if is_last else f'{BALL}<attach model="n" body="b" prefix="p"/>'
        files[f"m{i}_xml"] = document(
            f'<body name="b">{"<body>" * (depth - 1)}{inside}{"</body>" * depth}', asset
        )
    path = written(tmp_path, files["m0_xml"], **files)
    start = time.process_time()
    assert [problem.code for problem in problems(path)] == ["mjcf-in.too-large"] * is_refused
    assert time.process_time() - start < 5.0


def test_a_billion_attachments_are_refused(tmp_path: Path) -> None:
    """Ten models, each of which attaches the next one ten times."""
    attach = "".join(f'<attach model="n" body="b" prefix="p{i}"/>' for i in range(10))
    files = {}
    for i in range(10):
        inside = attach if i < 9 else BALL
        asset = f'<asset><model name="n" file="m{i + 1}.xml"/></asset>' if i < 9 else ""
        files[f"m{i}_xml"] = document(f'<body name="b"><joint/>{BALL}{inside}</body>', asset)
    path = written(tmp_path, files["m0_xml"], **files)
    assert "mjcf-in.too-large" in [problem.code for problem in problems(path)]


@pytest.mark.parametrize("attribute", ["pos", "quat", "euler", "gravcomp"])
def test_what_is_not_a_number_is_refused(attribute: str, tmp_path: Path) -> None:
    path = written(tmp_path, document(f'<body {attribute}="nan 0 0">{BALL}</body>'))
    assert problems(path)[0].code in {"mjcf-in.not-finite", "mjcf-in.refused"}


@pytest.mark.parametrize("number", ["nan", "-NaN", "nan(0x1)"])
@pytest.mark.parametrize("attribute", ["springdamper", "damping", "ref"])
def test_no_spelling_of_not_a_number_is_accepted(
    attribute: str, number: str, tmp_path: Path
) -> None:
    path = written(tmp_path, document(f'<body><joint {attribute}="{number} 1"/>{BALL}</body>'))
    assert [problem.code for problem in problems(path)] == ["mjcf-in.not-finite"]


@pytest.mark.parametrize("number", ["inf", "-inf", "1e400"])
def test_only_limits_may_be_infinite(number: str, tmp_path: Path) -> None:
    path = written(
        tmp_path, document(f'<body pos="0 {number} 0"><joint range="-inf 1"/>{BALL}</body>')
    )
    assert [problem.code for problem in problems(path)] == ["mjcf-in.not-finite"]


@pytest.mark.parametrize(("count", "is_read"), [(300, True), (600, False)])
def test_many_attached_models_are_too_large(count: int, is_read: bool, tmp_path: Path) -> None:
    attached = "".join(f'<attach model="m" prefix="p{i}_"/>' for i in range(count))
    asset = '<asset><model name="m" file="part.xml"/></asset>'
    part = f"<mujoco><worldbody><body>{BALL}</body></worldbody></mujoco>"
    file = written(tmp_path, document(attached, asset), **{"part.xml": part})
    found = [entry.code for entry in problems(file) if entry.severity == "error"]
    assert found == ([] if is_read else ["mjcf-in.too-large"])


def test_many_replicates_that_make_one_copy_each_are_not_too_large(tmp_path: Path) -> None:
    inside = (
        '<replicate count="1" offset="1 0 0">' * 25 + f"<body>{BALL}</body>" + "</replicate>" * 25
    )
    assert not problems(written(tmp_path, document(inside)))


def test_a_setting_of_a_plugin_that_is_not_a_number_is_refused(tmp_path: Path) -> None:
    instance = '<instance name="c"><config key="bend" value="nan"/></instance>'
    extension = (
        f'<extension><plugin plugin="mujoco.elasticity.cable">{instance}</plugin></extension>'
    )
    path = written(tmp_path, document(HINGE, extension))
    assert [problem.code for problem in problems(path)] == ["mjcf-in.not-finite"]


def test_plausible_settings_of_plugins_are_let_through(tmp_path: Path) -> None:
    torus = '<config key="radius1" value="0.35"/><config key="radius2" value="0.15"/>'
    extension = (
        f'<extension><plugin plugin="mujoco.sdf.torus"><instance '
        f'name="t">{torus}</instance></plugin></extension>'
    )
    asset = '<asset><mesh name="t"><plugin instance="t"/></mesh></asset>'
    body = '<body><geom type="sdf" mesh="t"><plugin instance="t"/></geom></body>'
    path = written(
        tmp_path,
        document(body, f'<compiler><lengthrange inttotal="20"/></compiler>{extension}{asset}'),
    )
    assert problems(path) == ()


@pytest.mark.parametrize(
    ("memory", "is_kept"), [("20M", True), ("4g", True), ("4194305K", False), ("9E", False)]
)
def test_stated_memory_is_kept_up_to_its_limit(memory: str, is_kept: bool, tmp_path: Path) -> None:
    found = loaders.load(
        written(tmp_path, document(BALL, f'<size memory="{memory}" njmax="9"/>')), quiet=True
    )
    assert (("size/memory", memory) in found.physics.parameters) is is_kept
    (note,) = [entry for entry in found.diagnostics if entry.code == "mjcf-in.not-carried"]
    assert note.arguments["names"] == ("size/njmax",) if is_kept else ("size/memory", "size/njmax")


@pytest.mark.parametrize("memory", ["0", "1", "1K"])
def test_too_little_memory_is_an_error_of_mujoco_or_enough(memory: str, tmp_path: Path) -> None:
    path = written(tmp_path, document(f"<body><joint/>{BALL}</body>", f'<size memory="{memory}"/>'))
    assert {problem.code for problem in problems(path)} <= {"mjcf-in.refused"}


@pytest.mark.parametrize("memory", ["1.5G", "-5", "much"])
def test_memory_that_is_no_number_of_bytes_is_refused(memory: str, tmp_path: Path) -> None:
    path = written(tmp_path, document(BALL, f'<size memory="{memory}"/>'))
    assert [problem.code for problem in problems(path)] == ["mjcf-in.refused"]


@pytest.mark.parametrize("body", ["h", "world"])
def test_a_soft_body_with_which_mujoco_ends_the_process_is_refused(
    body: str, tmp_path: Path
) -> None:
    """MuJoCo 3.17 reads memory that is not its own if a flex with nodes has one body for all
    vertices.
    """
    nodes = "".join(
        f'<body name="n{i}" pos="{i >> 2 & 1} {i >> 1 & 1} {i & 1}"><joint/>{BALL}</body>'
        for i in range(8)
    )
    flex = (
        f'<deformable><flex name="f" dim="3" body="{{}}" vertex="{"0.1 0.1 0.1 " * 4}" element="0 '
        f'1 2 3" '
        'node="n0 n1 n2 n3 n4 n5 n6 n7" cellcount="1 1 1" dof="trilinear"/></deformable>'
    )
    path = written(tmp_path, document(f'<body name="h"/>{nodes}', flex.format(body)))
    assert [(entry.code, entry.where.line) for entry in problems(path)] == [("mjcf-in.refused", 1)]


@pytest.mark.parametrize(
    "size", ["", '<config key="size" value=" "/>'], ids=["no size", "an empty size"]
)
@pytest.mark.parametrize("is_instance", [False, True], ids=["sensor", "instance"])
def test_a_grid_without_size_on_which_mujoco_ends_the_process_is_refused(
    size: str, is_instance: bool, tmp_path: Path
) -> None:
    config = f'{size}<config key="fov" value="45 45"/>'
    instance = f'<instance name="i">{config}</instance>' if is_instance else ""
    name, own = (
        ('instance="i"', "") if is_instance else ('plugin="mujoco.sensor.touch_grid"', config)
    )
    text = document(
        f'<body>{BALL}<site name="s"/></body>',
        f'<extension><plugin plugin="mujoco.sensor.touch_grid">{instance}</plugin></extension>'
        f'<sensor><plugin name="q" objtype="site" objname="s" {name}>{own}</plugin></sensor>',
    )
    path = tmp_path / "robot.xml"
    path.write_text(text)
    with pytest.raises(loaders.LoadError, match="it has no size"):
        loaders.load(path)


# Models that a document attaches.

HAND = document(
    f'<body name="palm"><joint name="turn"/>{BALL}</body>', '<compiler angle="radian"/>'
)


def attaching(name: str = "hand.xml") -> str:
    asset = f'<asset><model name="hand" file="{name}"/></asset>'
    return document(
        (
            f'<body name="arm">{BALL}<frame pos="1 0 0"><attach model="hand" body="palm" '
            f'prefix="h_"/></frame></body>'
        ),
        asset,
    )


def test_an_attached_model_is_part_of_the_scene(tmp_path: Path) -> None:
    import mujoco

    path = written(tmp_path, attaching(), hand_xml=HAND)
    scene = loaders.load(path)
    assert [link.name for link in scene.links] == ["arm", "h_palm"]
    assert largest_pose_error(scene, mujoco.MjModel.from_xml_path(str(path))) < 1e-12


def test_its_files_and_lines_are_its_own(tmp_path: Path) -> None:
    hand = document(
        '\n\n<body name="palm"><geom type="mesh" mesh="m"/></body>',
        '<asset><mesh name="m" file="m.obj"/></asset>',
    )
    path = written(
        tmp_path, attaching("parts/hand.xml"), parts__hand_xml=hand, parts__m_obj=TETRAHEDRON
    )
    palm = loaders.load(path, quiet=True).links[1]
    assert (Path(palm.where.file).name, palm.where.line) == ("hand.xml", 3)
    assert palm.collisions


def test_models_that_attach_themselves_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, attaching("robot.xml"))
    assert "file.include-cycle" in [problem.code for problem in problems(path)]


@pytest.mark.parametrize(
    "attributes", ["name='a'", "name='a' file=''"], ids=["no file", "an empty name"]
)
def test_a_model_to_attach_without_a_file_is_one_error(attributes: str) -> None:
    """MuJoCo itself raises "Caught an unknown exception"."""
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load_string(
            f"<mujoco><asset><model {attributes}/></asset></mujoco>", format="mujoco"
        )
    assert [problem.code for problem in caught.value.diagnostics] == ["xml.missing"]
