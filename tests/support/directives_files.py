"""Directives and their models, for tests."""

from __future__ import annotations

import pytest

import loaders
from tests.support.drake_oracle import DrakePlant

SHAPE = '<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>'


MASS = "<inertial><mass>1</mass></inertial>"


ARM = (
    '<sdf version="1.11"><model name="arm"><pose>0 0 1 0 0 0</pose>'
    + "".join(
        f'<link name="l{i}"><pose>0 0 {0.3 * i} 0 0 {0.1 * i}</pose>{MASS}{SHAPE}</link>'
        for i in range(3)
    )
    + "".join(
        (
            f'<joint name="j{i}" '
            f'type="{kind}"><parent>l{i - 1}</parent><child>l{i}</child>{axis}</joint>'
        )
        for i, kind, axis in ((1, "revolute", "<axis><xyz>0 1 0</xyz></axis>"), (2, "ball", ""))
    )
    + '<frame name="tip" attached_to="l2"><pose>0.1 0.2 0.3 0.4 0 0</pose></frame>'
    "<drake:collision_filter_group "
    'name="ends"><drake:member>l0</drake:member><drake:member>l2</drake:member>'
    "</drake:collision_filter_group></model></sdf>"
)


BOX = f'<sdf version="1.11"><model name="box"><link name="body">{MASS}{SHAPE}</link></model></sdf>'


ROBOT = (
    '<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
    'izz="1" ixy="0" ixz="0"'
    ' iyz="0"/></inertial></link></robot>'
)


def write(folder, text, name="scene.dmd.yaml"):
    path = folder / name
    path.write_text(text)
    return path


def load(folder, text, **options):
    return loaders.load(write(folder, text), package_map={"p": folder}, **options)


def drake(folder, text):
    return DrakePlant(write(folder, text), packages={"p": folder})


def errors(folder, text):
    with pytest.raises(loaders.LoadError) as caught:
        load(folder, text)
    return {entry.code: entry.where for entry in caught.value.diagnostics}


def model(name, file="arm.sdf", extra=""):
    return f"- add_model: {{name: {name}, file: 'package://p/{file}'{extra}}}\n"
