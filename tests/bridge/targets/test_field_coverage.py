"""No field is lost without a diagnostic: each field, changed, changes what a target makes, or the
diagnostics.

A new field fails here until the target carries it, reports it, or this file says why it has no
meaning of its own. What PyBullet has is read back from the running engine.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pybullet
import pytest
import trimesh

from bridge import load_into_pybullet, load_world_into_pybullet
from bridge.geometry import convex_decomposition
from bridge.targets.mjcf import to_mjcf
from bridge.targets.sdf import to_sdf
from bridge.targets.target import BUILT_IN
from bridge.targets.urdf import to_urdf
from loaders import load_string
from loaders import model as m
from loaders.diagnostics import ModelError
from loaders.pose import IDENTITY
from loaders.scene import Scene
from tests.support.every_field import (
    CLASSES,
    I3,
    MESH_FIELDS,
    PARTS,
    SCENE,
    WHOLE,
    by_class,
    lost_fields,
    one_tree,
)
from tests.support.sdf_elements import leaves, nested, with_element

MJCF = {
    (m.Model, "enable_wind"): "there is no wind in the scene",
    (m.Link, "enable_wind"): "there is no wind in the scene",
    (Scene, "friction_rule"): "one coefficient is stated here; see `test_friction_rules.py`",
    (m.Joint, "virtual"): "MJCF has no joints to the world that allow no motion",
    (Scene, "source"): "provenance: is in README.md and FIDELITY.md of a folder",
    (Scene, "diagnostics"): "what reading found: is in README.md and FIDELITY.md of a folder",
    (m.Model, "placement_frame"): "reading has placed the model by it",
    (m.Sensor, "joint"): "a sensor stands in its joint",
    (m.Mesh, "uri"): "the file that it names counts",
    (m.Mesh, "reference"): "of COLLADA files only, see `tests/loaders/meshes/test_collada.py`",
    (m.Mesh, "turned"): "of COLLADA files only, see `tests/loaders/meshes/test_collada.py`",
    (m.Mesh, "data"): "see `tests/bridge/geometry/test_meshes.py`",
    (m.Heightmap, "data"): "no picture here",
    (m.Heightmap, "uri"): "the file that it names counts",
    (m.Heightmap, "path"): "no picture here",
    (m.Heightmap, "size"): "no picture here",
    (m.Heightmap, "position"): "no picture here",
    (m.Heightmap, "sampling"): "no picture here",
    (m.Plane, "size"): "for drawing only: planes for contact are infinite",
}
SDF = {
    (Scene, "collision_policy"): "it follows from what the document states about its links",
    (Scene, "friction_rule"): "it follows from the elements that state friction",
    (m.Joint, "virtual"): "it is written as the joint that it is",
    (Scene, "source"): "provenance: is in README.md and FIDELITY.md of a folder",
    (Scene, "diagnostics"): "what reading found: is in README.md and FIDELITY.md of a folder",
    (m.Model, "placement_frame"): "reading has placed the model by it",
    (m.Sensor, "joint"): "a sensor stands in its joint",
    (m.Heightmap, "path"): "no picture here",
    (m.Heightmap, "data"): "no picture here",
    (Scene, "contact_pairs"): "the diagnostics say that they are dropped",
    (Scene, "tendons"): "the diagnostics say that they are dropped",
}
URDF = {
    (Scene, "collision_policy"): "one link collides here; see `test_elements.py`",
    (Scene, "friction_rule"): "it follows from the elements that state friction",
    (m.Joint, "virtual"): "it is written as the joint that it is",
    (Scene, "source"): "provenance: is in README.md and FIDELITY.md of a folder",
    (Scene, "name"): "the robot has the name of its model",
    (Scene, "diagnostics"): "what reading found: is in README.md and FIDELITY.md of a folder",
    (m.Model, "placement_frame"): "reading has placed the model by it",
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
PYBULLET = MJCF | {
    (m.EngineElement, "engine"): "PyBullet has the elements of no other simulator",
    (m.Joint, "virtual"): "no joint here is fixed to the world; it decides what the base is",
    (m.Model, "X_WM"): "the poses of links are resolved; only names hang on the model's frame",
    (m.Model, "canonical_link"): "only names hang on it",
    (m.Model, "allow_auto_disable"): "nothing sleeps in PyBullet unless the caller asks",
    (m.Joint, "provide_feedback"): "PyBullet's user asks for it by enableJointForceTorqueSensor",
    (
        m.Joint,
        "gear_reference",
    ): "the two hinges are found by it; another one changes the diagnostics of lowering",
    (Scene, "name"): "of the file",
    (Scene, "magnetic_field"): "only magnetometers feel it, see `test_sensors.py`",
    (m.Joint, "sensors"): "the handle has them, see `test_sensors.py`",
    (Scene, "spherical_coordinates"): "satellite navigation reads it, see `test_sensors.py`",
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
    (m.FilterGroup, "name"): "the pairs are resolved",
    (m.FilterGroup, "groups"): "the members are resolved",
    (m.Surface, "restitution_threshold"): "nothing bounces here",
    (m.JointAxis, "spring_reference"): "there is no stiffness here",
    (m.Arc, "length"): "the limits of the joint are those of its axis",
    (m.Curve, "periodic"): "the limits of the joint are those of its axis",
    (m.Link, "virtual"): "it connects two joints, as every link does",
    (Scene, "wind"): "no link feels it here",
}
"""Fields that have no meaning of their own in a target, with the reason."""
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
NOT_CARRIED = (m.Tendon, m.TendonPart, m.EngineElement, m.ContactPair, m.WeldConstraint)
REFERENCES = ((Scene, "links"), (m.Link, "name"))
"""Fields without which joints name links that do not exist, so that the scene is refused."""


class Audit(NamedTuple):
    """What is asked of a target."""

    outcome: Callable[[Scene], Any]
    """Returns what the target makes of a scene, with the diagnostics."""
    silent: Mapping[tuple[type, str], str]
    dropped: Sequence[type] = ()
    """Types that the diagnostics report as dropped, whatever they hold."""
    reported: Mapping[tuple[type, str], str] = {}
    """Codes of the findings about fields that are dropped, whatever they hold."""
    refused: Sequence[tuple[type, str]] = ()
    """Fields whose other values may be refused."""
    scene: Scene = SCENE

    def fields(self):
        """Return the fields that are asked about, those of a mesh left out."""
        return [
            (cls, field)
            for cls in CLASSES
            for field in dataclasses.fields(cls)
            if field.type not in WHOLE
            and (cls, field.name) not in self.silent
            and cls is not m.Mesh
            and cls not in self.dropped
        ]


def mjcf(scene):
    written = to_mjcf(scene, actuators="position", policy="sdformat")
    return str(written), written.assets, written.diagnostics


def sdf(scene):
    written = to_sdf(scene)
    return str(written), written.assets, written.diagnostics


def urdf(scene):
    written = to_urdf(scene)
    return str(written), written.assets, written.diagnostics


def in_pybullet(scene):
    """All that PyBullet reports after loading and after one step, and the diagnostics."""
    client = pybullet.connect(pybullet.DIRECT)
    try:
        return loaded_and_moved(scene, client)
    finally:
        pybullet.disconnect(client)


def loaded_and_moved(scene, client):
    loaded = load_into_pybullet(scene, physicsClientId=client, policy="sdformat")
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


AUDITS = {
    "mjcf": Audit(mjcf, MJCF),
    "sdf": Audit(sdf, SDF, NOT_CARRIED),
    "urdf": Audit(
        urdf,
        URDF,
        (*NOT_CARRIED, m.Light, m.Keyframe, m.Physics),
        refused=REFERENCES,
        scene=one_tree(),
    ),
    "pybullet": Audit(
        in_pybullet,
        PYBULLET,
        (m.Sensor, m.Light, m.Hydroelastic, m.Physics, m.Heightmap, m.Tendon, m.TendonPart),
        REPORTED,
        refused=[(cls, field.name) for cls in CLASSES for field in dataclasses.fields(cls)],
    ),
}


QUICK = ("mjcf", "sdf")
"""Targets that are asked at once; the others are among the slow tests."""
slow = pytest.mark.slow


@pytest.fixture(scope="module")
def before():
    """The outcome of the unchanged scene, for each target."""
    return {name: audit.outcome(audit.scene) for name, audit in AUDITS.items()}


def test_the_scene_has_every_kind_of_thing():
    missing = set(CLASSES) - {type(part) for _, part in PARTS} - {m.Mesh}
    assert missing == set()


def test_every_target_is_asked():
    """Directives consist of models of SDFormat or URDF."""
    assert {*AUDITS} == {*BUILT_IN, "pybullet"} - {"directives"}


@pytest.mark.parametrize("name", AUDITS)
def test_the_same_scene_has_the_same_outcome_each_time(name, before):
    assert AUDITS[name].outcome(AUDITS[name].scene) == before[name]


@pytest.mark.parametrize(
    ("name", "cls", "fields"),
    [
        pytest.param(
            name,
            *case.values,
            id=f"{name}-{case.id}",
            marks=() if name in QUICK and number % 2 == 0 else slow,
        )
        for name, audit in AUDITS.items()
        for number, case in enumerate(by_class(audit.fields()))
    ],
)
def test_a_changed_field_changes_the_outcome(name, cls, fields, before):
    audit = AUDITS[name]

    def shows(scene, field):  # a refused scene shows nothing about most fields
        try:
            return audit.outcome(scene) != before[name]
        except ModelError:
            return (cls, field) in audit.refused

    reported = [audit.reported[cls, f.name] for f in fields if (cls, f.name) in audit.reported]
    assert [code for code in reported if code not in str(before[name])] == []
    others = [f for f in fields if (cls, f.name) not in audit.reported]
    assert lost_fields(audit.scene, cls, others, shows) == []


@pytest.fixture
def shape(tmp_path):
    """A mesh of two named parts, one of which is not convex, that asks to be taken apart."""
    parts = trimesh.Scene()
    ring = trimesh.creation.torus(1.0, 0.3).apply_translation((5, 0, 0))
    parts.add_geometry(ring, geom_name="ring", node_name="ring")
    parts.add_geometry(trimesh.creation.box((1, 2, 3)), geom_name="box", node_name="box")
    for name in ("a.glb", "b.glb"):
        parts.export(tmp_path / name)
        parts.apply_scale(2.0)
    mesh = m.Mesh(
        uri="a.glb",
        path=str(tmp_path / "a.glb"),
        submesh="ring",
        decomposition="convex_decomposition",
    )
    return m.Collision(name="c", X_LG=IDENTITY, geometry=mesh)


@pytest.mark.parametrize(
    ("outcome", "field"),
    [
        (outcome, field)
        for outcome in (mjcf, sdf, urdf)
        for field in MESH_FIELDS
        if (outcome, field) != (urdf, "submesh")  # whose loss is reported
    ],
)
def test_a_changed_field_of_a_mesh_changes_the_outcome(field, outcome, shape, monkeypatch):
    monkeypatch.setattr(
        convex_decomposition, "installed", lambda: False
    )  # what is asked of coacd is in a diagnostic then

    def with_mesh(mesh):
        shapes = (dataclasses.replace(shape, geometry=mesh),)
        link = m.Link(name="a", model="r", X_WL=IDENTITY, inertia=I3, collisions=shapes)
        return outcome(Scene(name="mesh", links=(link,), models=SCENE.models[:1]))

    mesh = shape.geometry
    other = dataclasses.replace(mesh, **{field: MESH_FIELDS[field](mesh)})
    assert with_mesh(other) != with_mesh(mesh)


# --- every element of a surface -------------------------------------------------------------------

TOUCHING = """<sdf version='1.12'><world name='w'><physics type='ode'><max_step_size>1e-3</max_step_size></physics><model name='m'>
<link name='a'><inertial><mass>2</mass></inertial><collision name='c'><geometry><sphere><radius>.1</radius></sphere></geometry>
{}</collision></link></model><model name='g'><static>true</static><link name='l'><collision name='c'><geometry><plane/></geometry>
</collision></link></model></world></sdf>"""
SURFACES = (
    "<surface><bounce><restitution_coefficient>.5</restitution_coefficient></bounce><friction><torsional>"
    "<patch_radius>.01</patch_radius></torsional></friction><contact><elastic_modulus>1e6</elastic_modulus></contact></surface>",
    "<surface><friction><torsional><surface_radius>.02</surface_radius><use_patch_radius>false</use_patch_radius>"
    "</torsional></friction></surface>",
)
"""Surfaces with the elements without which others mean nothing."""


def touching(surface: str, client: int) -> tuple[tuple[Any, ...], bool]:
    """What MuJoCo and PyBullet make of a surface and say about it, and whether it is valid."""
    scene = load_string(TOUCHING.format(surface), format="sdf", quiet=True, lenient=True)
    mjcf = to_mjcf(scene, quiet=True)
    world = load_world_into_pybullet(scene, physicsClientId=client, quiet=True)
    body, index = world.links["m::a"]
    dynamics = pybullet.getDynamicsInfo(int(body), index, client)
    world.remove()
    said = [tuple(map(str, (*scene.diagnostics, *found.diagnostics))) for found in (mjcf, world)]
    is_valid = not any(entry.code.startswith("xml.") for entry in scene.diagnostics)
    return ((str(mjcf), said[0]), (dynamics, said[1])), is_valid


@pytest.mark.parametrize("path", ["/".join(path) for path in leaves("collision", "surface")])
def test_every_element_of_a_surface_acts_or_is_named(path: str) -> None:
    """By the schema: some value of it changes what each target makes of it, or it is named."""
    client, name = pybullet.connect(pybullet.DIRECT), path.rpartition("/")[2]
    for base in SURFACES:
        before, _ = touching(base, client)
        for value in ("0.7", "2", "true", "0 0 1"):
            found, is_valid = touching(with_element(base, path, value), client)
            acts = (a != b or name in str(a) for a, b in zip(found, before, strict=True))
            if is_valid and all(acts):
                pybullet.disconnect(client)
                return
    pytest.fail(f"{path} changes nothing")


@pytest.mark.parametrize(
    ("path", "name"),
    [("friction/ode/mu2", "mu2"), ("friction/ode/fdir1", "fdir1"), ("friction/ode/slip1", "slip1"),
     ("friction/ode/slip2", "slip2"), ("friction/torsional/ode/slip", "torsional_slip"),
     ("contact/ode/min_depth", "min_depth"), ("contact/ode/max_vel", "max_velocity")],
)  # fmt: skip
def test_what_no_solver_has_is_named_at_its_collision(path: str, name: str) -> None:
    client = pybullet.connect(pybullet.DIRECT)
    value = "0 0 1" if name == "fdir1" else "0.7"
    (in_mujoco, in_pybullet), _ = touching(nested(f"surface/{path}", value), client)
    pybullet.disconnect(client)
    for _, said in (in_mujoco, in_pybullet):
        assert any(name in text and "m::a" in text for text in said), said
    assert any(f"{name} = {value}" in text for text in in_mujoco[1])
