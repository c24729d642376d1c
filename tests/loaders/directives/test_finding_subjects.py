"""Subjects of findings about directives and their model files are names in the whole scene."""

from __future__ import annotations

import pytest

import loaders
from tests.support.directives_files import ARM, load, model, write

LIMITED = ARM.replace("<axis>", "<nonsense/><axis>")


@pytest.fixture
def limited(folder):
    """A folder with a model that has an unknown element in its joint j1."""
    write(folder, LIMITED, "limited.sdf")
    return folder


def subjects(diagnostics, code):
    (entry,) = (entry for entry in diagnostics if entry.code == code)
    return entry.subjects


def test_a_finding_of_a_model_file_has_the_scope_of_the_model(limited):
    scene = load(limited, "directives:\n" + model("m", "limited.sdf"))
    assert subjects(scene.diagnostics, "xml.unread") == ("m::j1",)
    assert {"m::j1"} <= {joint.name for joint in scene.joints}


def test_a_finding_of_a_file_that_is_used_twice_names_both_models(limited):
    scene = load(limited, "directives:\n" + model("m", "limited.sdf") + model("n", "limited.sdf"))
    assert subjects(scene.diagnostics, "xml.unread") == ("m::j1", "n::j1")


def test_a_finding_of_a_model_in_a_namespace_has_both_scopes(limited):
    write(limited, "directives:\n" + model("m", "limited.sdf"), "inner.dmd.yaml")
    include = "- add_directives: {file: 'package://p/inner.dmd.yaml', model_namespace: left}\n"
    scene = load(limited, "directives:\n- add_model_instance: {name: left}\n" + include)
    assert subjects(scene.diagnostics, "xml.unread") == ("left::m::j1",)


def test_a_finding_about_the_model_itself_names_the_model_as_in_the_scene(folder):
    write(folder, ARM.replace("</model>", "<nonsense/></model>"), "limited.sdf")
    scene = load(folder, "directives:\n" + model("m", "limited.sdf"))
    assert subjects(scene.diagnostics, "xml.unread") == ("m",)


@pytest.mark.parametrize(("frame", "full"), [("a::l0", "a::l0"), ("l0", "a::l0"), ("z", "z")])
def test_a_finding_about_a_weld_names_its_frames(folder, frame, full):
    weld = f"- add_weld: {{parent: world, child: '{frame}', bogus: 1}}\n"
    with pytest.raises(loaders.LoadError) as caught:
        load(folder, "directives:\n" + model("a") + weld)
    assert subjects(caught.value.diagnostics, "directives.unknown-field") == ("world", full)
