"""No field is lost without a diagnostic: each field, changed, changes the document, its assets or
the diagnostics.
"""

import dataclasses

import pytest

from bridge.targets.sdf import to_sdf
from loaders import model as m
from loaders.diagnostics import ModelError
from loaders.scene import Scene
from tests.bridge.mjcf.test_field_coverage import (
    CLASSES,
    MESH_FIELDS,
    SCENE,
    WHOLE,
    by_class,
    lost_fields,
    shape,
)

__all__ = ["shape"]

SILENT = {
    (Scene, "source"): "provenance: is in README.md and FIDELITY.md of a folder",
    (Scene, "diagnostics"): "what reading found: is in README.md and FIDELITY.md of a folder",
    (m.Model, "placement_frame"): "reading has placed the model by it",
    (m.Joint, "virtual"): "it is written as the joint that it is",
    (m.Sensor, "joint"): "a sensor stands in its joint",
    (m.Heightmap, "path"): "no picture here",
    (m.Heightmap, "data"): "no picture here",
    (Scene, "contact_pairs"): "the diagnostics say that they are dropped",
    (Scene, "tendons"): "the diagnostics say that they are dropped",
}
WHOLE_DROPPED = (m.Tendon, m.TendonPart, m.EngineElement, m.ContactPair, m.WeldConstraint)
"""Types of which the diagnostics say that they are dropped, whatever they hold."""
FIELDS = [
    (cls, field)
    for cls in CLASSES
    for field in dataclasses.fields(cls)
    if field.type not in WHOLE
    and (cls, field.name) not in SILENT
    and cls is not m.Mesh
    and cls not in WHOLE_DROPPED
]


def outcome(scene):
    """The document, the assets and the diagnostics, or why there is none."""
    try:
        sdf = to_sdf(scene)
    except ModelError as error:
        return str(error)
    return str(sdf), sdf.assets, sdf.diagnostics


@pytest.fixture(scope="module")
def before():
    """The outcome of the unchanged scene."""
    return outcome(SCENE)


def test_the_scene_is_accepted_with_the_same_outcome_each_time(before):
    assert not isinstance(before, str)
    assert outcome(SCENE) == before


@pytest.mark.parametrize("field", MESH_FIELDS)
def test_a_changed_field_of_a_mesh_changes_the_document(field, shape):
    def with_mesh(mesh):
        link = m.Link(
            name="a",
            model="r",
            X_WL=SCENE.links[0].X_WL,
            collisions=(dataclasses.replace(shape, geometry=mesh),),
        )
        return outcome(Scene(name="mesh", links=(link,), models=SCENE.models[:1]))

    mesh = shape.geometry
    assert with_mesh(dataclasses.replace(mesh, **{field: MESH_FIELDS[field](mesh)})) != with_mesh(
        mesh
    )


@pytest.mark.parametrize(("cls", "fields"), by_class(FIELDS))
def test_a_changed_field_changes_the_document_or_the_diagnostics(before, cls, fields):
    def shows(scene, _):
        found = outcome(scene)
        return not isinstance(found, str) and found != before

    assert lost_fields(SCENE, cls, fields, shows) == []
