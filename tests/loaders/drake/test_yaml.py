"""Transforms in directives, and YAML documents that are refused or read with a diagnostic."""

from __future__ import annotations

import math
from xml.parsers import expat

import numpy as np
import pytest
import yaml

import loaders
from loaders.diagnostics import Diagnostics
from loaders.drake.yaml_nodes import parse, read_transform
from loaders.pose import Pose, rotation_about
from tests.support.directives_files import drake, errors, load, model

# Transforms in directives: the three kinds of rotation, and random values.


def read(text: str) -> tuple[Pose, list[str]]:
    diagnostics = Diagnostics()
    node = parse(text.encode(), "f", diagnostics)
    assert node is not None
    return read_transform(node), [entry.code for entry in diagnostics]


@pytest.mark.parametrize(
    ("rotation", "R"),
    [
        ("!Rpy {deg: [0, 0, 90]}", rotation_about((0.0, 0.0, 1.0), math.pi / 2.0)),
        (
            "!AngleAxis {angle_deg: 30, axis: [0, 2, 0]}",
            rotation_about((0.0, 1.0, 0.0), math.pi / 6.0),
        ),
        ("!Identity {}", np.eye(3)),
    ],
)
def test_rotations(rotation: str, R: np.ndarray) -> None:
    pose, codes = read(f"translation: [1, 2, 3]\nrotation: {rotation}")
    assert not codes
    np.testing.assert_allclose(pose.R, R, atol=1e-15)
    assert pose.p.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("rotation: !Uniform {}", "directives.random"),
        ("translation: !GaussianVector {mean: [0, 0, 0]}", "directives.random"),
        ("rotation: !Quaternion {}", "directives.rotation"),
        ("rotation: !AngleAxis {angle_deg: 30, axis: [0, 0, 0]}", "directives.rotation"),
    ],
)
def test_invalid_rotations(text: str, code: str) -> None:
    assert read(text)[1] == [code]


# YAML documents that are refused, or read with a diagnostic.


def test_an_empty_field_is_read_as_empty_and_reported(folder):
    text = f"directives:\n{model('a', extra=', default_joint_positions: ')}"
    with pytest.raises(RuntimeError):
        drake(folder, text)
    (entry,) = load(folder, text).diagnostics
    assert (entry.code, entry.where.line) == ("directives.nothing", 2)


HOSTILE = {
    "nothing": "",
    "no yaml": "directives: [",
    "a tab": "directives:\n\t- add_model: {}",
    "two documents": "directives: []\n---\ndirectives: []\n",
    "a key twice": "directives: []\ndirectives: []\n",
    "a list as a key": "? [a]\n: b\n",
    "deep": "directives: " + "[" * 5000,
    "itself": "directives: &a\n- *a\n",
    "no anchor": "directives: *a\n",
    "a bomb": "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(
        f"{c}: &{c} [{', '.join(['*' + p] * 10)}]\n"
        for p, c in zip("abcdefgh", "bcdefghi", strict=True)
    ),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_document_is_refused(folder, text):
    assert "directives.syntax" in errors(folder, text)


def test_no_tag_makes_an_object(folder):
    text = "directives:\n- add_model_instance: {name: !!python/object/apply:os.getcwd []}\n"
    assert "directives.kind" in errors(folder, text)


@pytest.mark.parametrize("escape", ["\\x07", "\\e", "\\uD800", "\\uFFFF", "\\0"])
def test_a_character_that_xml_cannot_hold_is_refused(folder, escape):
    """A parser of XML, expat, is the witness that no model in XML could refer to the name."""
    character = yaml.safe_load(f'"{escape}"')
    with pytest.raises((expat.ExpatError, UnicodeEncodeError)):
        expat.ParserCreate().Parse(f"<a b='{character}'/>".encode(), True)
    with pytest.raises(loaders.LoadError, match=r"directives\.syntax"):
        loaders.load_string(
            f'directives:\n- add_model: {{name: "{escape}", file: x}}\n', format="directives"
        )
