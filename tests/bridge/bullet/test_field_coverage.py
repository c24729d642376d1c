"""Every field of the canonical model, if changed, changes the state of PyBullet or the findings.

The scene and the changes are those of the MJCF audit. What PyBullet has is read back from the
running engine.
"""

from __future__ import annotations

import dataclasses

import pybullet
import pytest

from bridge import load_into_pybullet
from loaders import model as m
from loaders.diagnostics import ModelError
from loaders.scene import Scene
from tests.bridge.mjcf.test_field_coverage import FIELDS, SCENE, by_class, lost_fields

SILENT = {
    (m.Model, "X_WM"): "the poses of links are resolved; only names hang on the model's frame",
    (m.Model, "canonical_link"): "only names hang on it",
    (m.Model, "allow_auto_disable"): "nothing sleeps in PyBullet unless the caller asks",
    (m.Model, "enable_wind"): "there is no wind in the scene",
    (m.Link, "enable_wind"): "there is no wind in the scene",
    (m.Joint, "provide_feedback"): "PyBullet's user asks for it by enableJointForceTorqueSensor",
    (
        m.Joint,
        "gear_reference",
    ): "the two hinges are found by it; another one changes the diagnostics of lowering",
    (Scene, "name"): "of the file",
    (Scene, "magnetic_field"): "only magnetometers feel it, and PyBullet has no sensors",
    (Scene, "frames"): "asked by frame_pose, from the scene",
    (m.Frame, "name"): "asked by frame_pose, from the scene",
    (m.Frame, "link"): "asked by frame_pose, from the scene",
    (m.Frame, "X_LF"): "asked by frame_pose, from the scene",
    (m.Collision, "name"): "PyBullet numbers the shapes of a link",
    (m.Visual, "name"): "PyBullet numbers the shapes of a link",
    (m.Collision, "density"): "a mass was computed from it when it was read",
    (m.Material, "name"): "PyBullet's materials have no names",
    (m.Material, "ambient"): "PyBullet draws with one color, the diffuse",
    (m.Actuator, "name"): "PyBullet has no actuators; what they say of joints is reported",
    (m.Actuator, "interfaces"): "of the robot's hardware",
    (m.Plane, "size"): "for drawing only: PyBullet's planes are infinite",
    (m.FilterGroup, "name"): "the pairs are resolved",
    (m.FilterGroup, "groups"): "the members are resolved",
    (m.Surface, "restitution_threshold"): "nothing bounces here",
    (m.JointAxis, "spring_reference"): "there is no stiffness here",
    (m.Arc, "length"): "the limits of the joint are those of its axis",
    (m.Curve, "periodic"): "the limits of the joint are those of its axis",
    (m.Joint, "virtual"): "no joint here is fixed to the world; it decides what the base is",
    (m.Link, "virtual"): "it connects two joints, as every link does",
    (Scene, "wind"): "no link feels it here",
}
"""Fields that PyBullet's body does not depend on."""
REPORTED = {
    (m.Friction, "surface_radius"): "pybullet.contact-property",
    (m.Actuator, "gear_ratio"): "pybullet.rotor-inertia",
    (m.Actuator, "rotor_inertia"): "pybullet.rotor-inertia",
    **{
        (m.Keyframe, field.name): "pybullet.keyframes"
        for field in dataclasses.fields(m.Keyframe)[1:-1]
    },
}
"""Fields that the diagnostics report as dropped, whatever they hold."""
DROPPED_WHOLE = (m.Sensor, m.Light, m.Hydroelastic, m.Physics, m.Heightmap, m.Tendon, m.TendonPart)
"""Types that the diagnostics report as dropped, whatever they hold."""
AUDITED = [
    (c, f)
    for c, f in FIELDS
    if (c, f.name) not in SILENT and c not in DROPPED_WHOLE and c is not m.Mesh
]


@pytest.fixture(scope="module")
def client():
    found = pybullet.connect(pybullet.DIRECT)
    yield found
    pybullet.disconnect(found)


def outcome(scene, client):
    """All that PyBullet reports after loading and after one step, and the diagnostics; or why it
    was refused.
    """
    pybullet.resetSimulation(physicsClientId=client)
    try:
        loaded = load_into_pybullet(scene, physicsClientId=client, policy="sdformat")
    except ModelError as error:
        return str(error)
    bodies = [loaded] if isinstance(loaded, int) else list(loaded)
    found = [
        list(map(str, loaded.diagnostics)),
        loaded.constraints,
        [engine(body, client) for body in bodies],
    ]
    found.append(loaded.mechanism.collidable_pairs("sdformat"))
    loaded.apply_physics()
    parameters = pybullet.getPhysicsEngineParameters(client)
    found.append(
        [
            parameters[key]
            for key in ("gravityAccelerationX", "gravityAccelerationZ", "fixedTimeStep")
        ]
    )
    single = [name for name, value in loaded.positions().items() if isinstance(value, float)]
    loaded.set_positions(dict.fromkeys(single, 0.3))
    loaded.set_velocities(dict.fromkeys(single, 0.2))
    loaded.apply_efforts(dict.fromkeys(single, 1e3))
    loaded.step()
    return repr([*found, loaded.positions(), loaded.velocities()])


def engine(body, client):
    indices = range(-1, pybullet.getNumJoints(body, client))
    return (
        body.name,
        body.links,
        body.joints,
        [body.link_pose(name).to_vector() for name in body.links],
        [pybullet.getJointInfo(body, i, client) for i in indices[1:]],
        [pybullet.getDynamicsInfo(body, i, client) for i in indices],
        [without_files(pybullet.getCollisionShapeData(body, i, client)) for i in indices],
        without_files(pybullet.getVisualShapeData(body, physicsClientId=client)),
        [
            pybullet.getConstraintInfo(c, client)[:8]
            for ids in body.constraints.values()
            for c in ids
        ],
    )


def without_files(shapes):
    """Meshes by their content, which names their files, not by a folder that was temporary."""
    return [
        tuple(x.rpartition(b"/")[2] if isinstance(x, bytes) else x for x in shape)
        for shape in shapes
    ]


@pytest.fixture(scope="module")
def before(client):
    """The outcome of the unchanged scene."""
    return outcome(SCENE, client)


def test_the_scene_is_accepted_with_the_same_outcome_each_time(before, client):
    assert before.startswith("[")
    assert outcome(SCENE, client) == before


@pytest.mark.parametrize(("cls", "fields"), by_class(AUDITED))
def test_a_changed_field_changes_pybullet_or_the_diagnostics(client, before, cls, fields):
    reported = [REPORTED[cls, f.name] for f in fields if (cls, f.name) in REPORTED]
    assert [code for code in reported if code not in before] == []
    others = [f for f in fields if (cls, f.name) not in REPORTED]
    assert lost_fields(SCENE, cls, others, lambda scene, _: outcome(scene, client) != before) == []
