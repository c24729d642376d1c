"""No field is lost without a diagnostic: each field, changed, changes the document, its assets or
the diagnostics.
"""

import dataclasses

import pytest

from bridge.targets.urdf import to_urdf
from loaders import model as m
from loaders.diagnostics import ModelError
from loaders.pose import IDENTITY, frozen
from loaders.scene import Scene
from tests.bridge.mjcf.test_field_coverage import (
    CLASSES,
    MESH_FIELDS,
    WHOLE,
    by_class,
    lost_fields,
    shape,
    tree,
)

__all__ = ["shape"]

SILENT = {
    (Scene, "source"): "provenance: is in README.md and FIDELITY.md of a folder",
    (Scene, "name"): "the robot has the name of its model",
    (Scene, "diagnostics"): "what reading found: is in README.md and FIDELITY.md of a folder",
    (m.Model, "placement_frame"): "reading has placed the model by it",
    (m.Joint, "virtual"): "it is written as the joint that it is",
    (m.Model, "X_WM"): "the frame of the model is that of its root link",
    (m.Model, "canonical_link"): "the frame of the model is that of its root link",
    (
        m.Link,
        "virtual",
    ): "URDF has no joints of several axes, so that a link between them is one of the robot's",
    (m.Sensor, "joint"): "a sensor stands in its joint",
    (m.Joint, "gear_ratio"): "only gearbox joints use it, which become couplings",
    (m.Joint, "gear_reference"): "only gearbox joints use it, which become couplings",
    (m.Link, "X_WL"): "the joints state the poses, and only that of a free root is its own",
    (Scene, "lights"): "the diagnostics say that they are dropped",
    (Scene, "contact_pairs"): "the diagnostics say that they are dropped",
    (Scene, "tendons"): "the diagnostics say that they are dropped",
    (m.Coupling, "follower_axis"): "both joints have one axis",
    (m.Coupling, "leader_axis"): "both joints have one axis",
    **{
        (cls, field.name): "the diagnostics say that the shape is left out"
        for cls in (m.Cone, m.Heightmap, m.Polyline)
        for field in dataclasses.fields(cls)
    },
}
WHOLE_DROPPED = (
    m.Tendon,
    m.TendonPart,
    m.EngineElement,
    m.ContactPair,
    m.WeldConstraint,
    m.Light,
    m.Keyframe,
    m.Physics,
)
"""Types of which the diagnostics say that they are dropped, whatever they hold."""


def one_tree() -> Scene:
    """The scene of the audit of MJCF without its gearbox joint, as one tree."""
    scene = tree()
    joints = [joint for joint in scene.joints if joint.name != "gears"]
    for name in ("a", "loose", "ground", "puppet"):
        weld = m.Joint(
            name=f"{name}_weld",
            type=m.JointType.FIXED,
            parent=m.WORLD,
            child=name,
            X_PJ=IDENTITY,
            X_CJ=IDENTITY,
        )
        joints.append(weld)
    x, y = (frozen(v) for v in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    universal = m.Joint(
        name="universal",
        type=m.JointType.UNIVERSAL,
        parent="h",
        child="u",
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(m.JointAxis(xyz=x), m.JointAxis(xyz=y)),
    )
    closing = m.Joint(
        name="closing",
        type=m.JointType.BALL,
        parent="h",
        child="e",
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(),
    )
    links = (*scene.links, m.Link(name="u", model="r", X_WL=IDENTITY))
    return dataclasses.replace(scene, joints=(*joints, universal, closing), links=links)


REFERENCES = {"Scene": ("links",), "Link": ("name",)}
"""Fields without which joints name links that do not exist, so that the scene is refused."""
SCENE = one_tree()
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
        urdf = to_urdf(scene)
    except ModelError as error:
        return str(error)
    return str(urdf), urdf.assets, urdf.diagnostics


@pytest.fixture(scope="module")
def before():
    """The outcome of the unchanged scene."""
    return outcome(SCENE)


def test_the_scene_is_accepted_with_the_same_outcome_each_time(before):
    assert not isinstance(before, str)
    assert outcome(SCENE) == before


@pytest.mark.parametrize(
    "field", [field for field in MESH_FIELDS if field != "submesh"]
)  # whose loss is reported
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
    def shows(scene, name):
        found = outcome(scene)
        return found != before and (
            not isinstance(found, str) or name in REFERENCES.get(cls.__name__, ())
        )

    assert lost_fields(SCENE, cls, fields, shows) == []
