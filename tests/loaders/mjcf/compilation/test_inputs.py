"""Models that a document attaches."""

from __future__ import annotations

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
