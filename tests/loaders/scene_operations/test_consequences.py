"""A warning that would be untrue of the corrected file is not shown beside the error that causes
it.
"""

from __future__ import annotations

import pytest

import loaders

SDF = "<sdf version='1.9'><model name='m'>{}</model></sdf>"
MOMENTS = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>{}</iyy><izz>0.1</izz></inertia></inertial>"


def others(text: str, kind: str) -> list[str]:
    with pytest.raises(loaders.LoadError) as error:
        loaders.load_string(text, format=kind)
    return [entry.code for entry in error.value.others]


def test_an_inertia_with_an_invalid_number_is_not_judged() -> None:
    assert others(SDF.format(f"<link name='a'>{MOMENTS.format('nan')}</link>"), "sdf") == []


def test_the_inertia_of_another_link_is_judged() -> None:
    links = (
        f"<link name='a'>{MOMENTS.format('nan')}</link><link name='b'>{MOMENTS.format('9')}</link>"
    )
    assert others(SDF.format(links), "sdf") == ["model.impossible-inertia"]


def test_links_that_an_invalid_joint_connects_are_not_called_separate() -> None:
    joint = "<joint name='j' type='fixed'><parent link='a'/></joint>"
    assert others(f"<robot name='r'><link name='a'/><link name='b'/>{joint}</robot>", "urdf") == []
    lone = (
        "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint><link "
        "name='c'><visual><geometry>"
    )
    lone += "<sphere radius='x'/></geometry></visual></link>"
    assert others(f"<robot name='r'><link name='a'/><link name='b'/>{lone}</robot>", "urdf") == [
        "urdf.several-roots"
    ]
