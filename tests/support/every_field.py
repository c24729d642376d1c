"""A scene in which every field of the canonical model means something, and another value of each.

The fields are taken from the dataclasses, so that a new one cannot be forgotten.
"""

import dataclasses
import math

import numpy as np
import pytest

from loaders import model as m
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene

I3 = SpatialInertia.of(1.0, I_Lcm=np.diag((0.3, 0.4, 0.5)))
Z = frozen((0.0, 0.0, 1.0))


def tree():
    """A scene in which every field means something."""
    surface = m.Surface(
        hydroelastic=m.Hydroelastic(compliance="rigid"),
        friction=m.Friction(torsional=0.1, patch_radius=0.2),
    )
    shapes = (
        m.Box(size=(1, 1, 1)),
        m.Sphere(radius=1),
        m.Cylinder(radius=1, length=1),
        m.Capsule(radius=1, length=1),
        m.Cone(radius=1, length=1),
        m.Ellipsoid(radii=(1, 2, 3)),
        m.Polyline(outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),)),
    )
    collisions = tuple(
        m.Collision(name=f"c{i}", X_LG=IDENTITY, geometry=shape, surface=surface)
        for i, shape in enumerate(shapes)
    )
    material = m.Material(name="paint", diffuse=(1.0, 0.0, 0.0, 1.0))
    spin = m.Collision(
        name="spin",
        X_LG=IDENTITY,
        geometry=m.Sphere(radius=1),
        surface=m.Surface(
            friction=m.Friction(torsional=0.1, surface_radius=0.2, use_patch_radius=False)
        ),
    )
    floor = m.Collision(name="floor", X_LG=IDENTITY, geometry=m.Plane())
    hill = m.Visual(name="hill", X_LG=IDENTITY, geometry=m.Heightmap(uri="hill.png", path=None))
    visual = m.Visual(name="v", X_LG=IDENTITY, geometry=m.Sphere(radius=1), material=material)
    imu = m.Sensor(name="imu", type="imu", X_LS=IDENTITY, parameters=(("noise", "1"),))
    camera = m.Sensor(
        name="eye",
        type="camera",
        X_LS=IDENTITY,
        target="b",
        engine_settings=(("mujoco", (("mode", "targetbody"),)),),
    )
    torque = m.Sensor(name="ft", type="force_torque", X_LS=IDENTITY, joint="hinge")

    def link(name, **more):
        return m.Link(name=name, model="r", X_WL=IDENTITY, **({"inertia": I3} | more))

    links = (
        link("loose", visuals=(m.Visual(name="none", X_LG=IDENTITY, geometry=m.Empty()),)),
        link("a", collisions=collisions, visuals=(visual, hill), sensors=(imu, camera)),
        link("b", collisions=(spin,)),
        *(link(name) for name in "cdefg"),
        link("v", virtual=True, inertia=None),
        link("w"),
        link(
            "h", collisions=(m.Collision(name="end", X_LG=IDENTITY, geometry=m.Sphere(radius=1)),)
        ),
        m.Link(name="ground", model="static", X_WL=IDENTITY, collisions=(floor,)),
        link("free"),
        link("puppet", kinematic=True),
    )

    def joint(name, kind, parent, child, count=1, **more):
        axes = tuple(m.JointAxis(xyz=frozen(np.roll((0.0, 0.0, 1.0), i))) for i in range(count))
        return m.Joint(
            name=name,
            type=kind,
            parent=parent,
            child=child,
            X_PJ=IDENTITY,
            X_CJ=IDENTITY,
            axes=axes,
            **more,
        )

    curve = m.Curve(
        initial_tangent=frozen((1, 0, 0)), plane_normal=Z, arcs=(m.Arc(length=1.0, curvature=1.0),)
    )
    T = m.JointType
    joints = (
        joint("hinge", T.REVOLUTE, "a", "b", sensors=(torque,)),
        joint("screw", T.SCREW, "b", "c"),
        joint("other", T.REVOLUTE, "a", "d"),
        joint("gears", T.GEARBOX, "b", "d", 2, gear_reference="a"),
        joint("arc", T.CURVILINEAR, "c", "e", curve=curve),
        joint("slide", T.PRISMATIC, "a", "f"),
        joint("slide2", T.PRISMATIC, "f", "g"),
        joint("planar", T.PLANAR, "g", "h", 3),
        joint("outer", T.REVOLUTE, "a", "v"),
        joint("floating", T.FLOATING, m.WORLD, "free", 2),
        joint("inner", T.PRISMATIC, "v", "w"),
    )
    p = frozen((0.1, 0.0, 0.0))
    ends = {"link_A": "a", "link_B": "b", "p_AP": p, "p_BQ": p}
    flex = frozen((1.0, 1.0, 1.0))
    return Scene(
        name="audit",
        models=(
            m.Model(name="r", X_WM=IDENTITY, canonical_link="a"),
            m.Model(name="static", X_WM=IDENTITY, canonical_link="ground", static=True),
        ),
        links=links,
        joints=joints,
        frames=(m.Frame(name="tip", link="a", X_LF=IDENTITY),),
        lights=(
            m.Light(name="sun", type="directional", link="world", X_LLight=IDENTITY),
            m.Light(name="lamp", type="spot", link="a", X_LLight=IDENTITY),
            m.Light(
                name="eye",
                type="point",
                link="a",
                X_LLight=IDENTITY,
                target="b",
                engine_settings=(("mujoco", (("mode", "targetbody"),)),),
            ),
        ),
        couplings=(
            m.Coupling(follower="slide2", leader="slide"),
            m.Coupling(follower="planar", leader="other"),
        ),
        actuators=(
            m.Actuator(name="drive", joint="hinge", rotor_inertia=0.1, effort=5.0),
            m.Actuator(
                name="general",
                joint="other",
                engine_settings=(("mujoco", (("dyntype", "filter"),)),),
            ),
            m.Actuator(
                name="pull",
                joint="",
                tendon="path",
                engine_settings=(("mujoco", (("gaintype", "fixed"),)),),
            ),
        ),
        tendons=tendons(),
        contact_pairs=(
            m.ContactPair(link_A="a", collision_A="c0", link_B="b", collision_B="spin"),
            m.ContactPair(link_A="a", collision_A="c1", link_B="h", collision_B="end"),
        ),
        constraints=(
            m.BallConstraint(**ends),
            m.WeldConstraint(link_A="a", link_B="b", X_AP=IDENTITY, X_BQ=IDENTITY),
            m.DistanceConstraint(**ends, distance=1.0),
            m.DistanceConstraint(**ends, distance=1.0, stiffness=10.0),
            m.TendonConstraint(
                joints=("hinge", "slide"), coefficients=(1.0, 2.0), lower=-1.0, upper=1.0
            ),
            *(
                m.TendonConstraint(
                    joints=("hinge", "slide"),
                    coefficients=(1.0, 2.0),
                    offset=offset,
                    lower=-0.1,
                    upper=0.1,
                    stiffness=10.0,
                    damping=1.0,
                )
                for offset in (0.0, -3.0)
            ),
        ),
        forces=(
            m.SpringDamper(**ends, free_length=1.0, stiffness=2.0, damping=3.0),
            m.Bushing(
                link_A="a",
                X_LA=Pose.of(p=(0.0, 0.1, 0.0)),
                link_C="b",
                X_LC=Pose.of(p=(0.1, 0.2, 0.3)),
                torque_stiffness=flex,
                torque_damping=flex,
                force_stiffness=flex,
                force_damping=flex,
            ),
        ),
        fluid_forces=(
            m.Buoyancy(link="a", layers=((0.0, 1.0),)),
            m.FluidDrag(link="a"),
            m.Wing(link="a", joint="hinge"),
        ),
        filter_groups=(
            m.FilterGroup(name="g", links=("a", "b")),
            m.FilterGroup(name="h", links=("ground",)),
        ),
        filter_rules=(m.FilterRule(a="g", b="h"),),
        engine_elements=(
            m.EngineElement(
                engine="mujoco",
                name="at",
                section="sensor",
                tag="jointpos",
                settings=(("cutoff", "1"),),
                references=(("joint", "hinge"),),
            ),
        ),
        keyframes=(
            m.Keyframe(
                name="bent",
                joints=("hinge",),
                positions=((0.5,),),
                velocities=((0.25,),),
                actuators=("general",),
                controls=((0.75,),),
                activations=((0.125,),),
                links=("puppet",),
                poses=((0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0),),
            ),
        ),
    )


def tendons():
    """A sum of joint positions, and a path with every kind of part."""
    T = m.TendonPartType
    sums = tuple(m.TendonPart(type=T.JOINT, joint=name, value=2.0) for name in ("hinge", "slide"))
    path = (
        m.TendonPart(type=T.POINT, link="a"),
        m.TendonPart(type=T.SPHERE, link="b", value=0.1, p_LS=frozen((0.2, 0.0, 0.0)), link_S="b"),
        m.TendonPart(type=T.POINT, link="c", X_LP=Pose.of(p=(0.0, 0.0, 1.0))),
        m.TendonPart(type=T.PULLEY, value=2.0),
        m.TendonPart(type=T.POINT, link="a"),
        m.TendonPart(type=T.POINT, link="d", X_LP=Pose.of(p=(0.0, 1.0, 1.0))),
    )
    return m.Tendon(name="sum", parts=sums), m.Tendon(name="path", parts=path)


LINKS = tuple(dataclasses.replace(link, gravity=False) for link in tree().links)
OTHER = {
    (m.Link, "model"): "static",
    (m.Link, "inertia"): None,
    (m.Link, "self_collide"): True,
    (m.Link, "added_mass"): np.eye(6),
    (m.Link, "surface_velocity_axis"): (1.0, 0.0, 0.0),
    (m.Link, "deformable"): (("young", "1"),),
    (m.Frame, "link"): "b",
    (m.Wing, "slopes"): m.Slopes(lift=2.0),
    (m.Wing, "stalled"): m.Slopes(lift=2.0),
    (m.Link, "engine_settings"): (("mujoco", (("gravcomp", "0.5"),)),),
    (m.Material, "engine_settings"): (("mujoco", (("reflectance", "0.5"),)),),
    (m.Joint, "engine_settings"): (("mujoco", (("margin", "0.1"),)),),
    (m.Coupling, "higher"): (0.3,),
    (m.Coupling, "engine_settings"): (("mujoco", (("solref", "0.1 1"),)),),
    (m.Surface, "engine_settings"): (("mujoco", (("margin", "0.1"),)),),
    (m.BallConstraint, "engine_settings"): (("mujoco", (("solref", "0.1 1"),)),),
    (m.WeldConstraint, "engine_settings"): (("mujoco", (("solref", "0.1 1"),)),),
    (m.ContactPair, "engine_settings"): (("mujoco", (("margin", "0.1"),)),),
    (m.ContactPair, "collision_A"): "c2",
    (m.ContactPair, "collision_B"): "none",
    (m.Tendon, "engine_settings"): (("mujoco", (("margin", "0.1"),)),),
    (m.Tendon, "rest"): (0.5, 0.6),
    (m.TendonPart, "type"): m.TendonPartType.CYLINDER,
    (Scene, "friction_rule"): "product",
    (m.TendonPart, "joint"): "other",
    (m.TendonPart, "link"): "d",
    (m.TendonPart, "link_S"): "c",
    (m.TendonPart, "p_LS"): frozen((0.0, 0.3, 0.0)),
    (m.Actuator, "tendon"): "sum",
    (m.Actuator, "control"): (-2.0, 2.0),
    (m.Actuator, "target"): 0.3,
    (m.Actuator, "min_effort"): -2.5,
    (m.Actuator, "feedforward"): 1.5,
    (m.Actuator, "imposes_velocity"): True,
    (m.Actuator, "engine_settings"): (("mujoco", (("dyntype", "filterexact"),)),),
    (m.Light, "link"): "b",
    (m.Light, "target"): "c",
    (m.Light, "engine_settings"): (("mujoco", (("mode", "targetbodycom"),)),),
    (m.Sensor, "target"): "c",
    (m.Sensor, "engine_settings"): (("mujoco", (("mode", "targetbodycom"),)),),
    (m.Light, "type"): "point",
    (m.Sensor, "type"): "magnetometer",
    (m.Sensor, "joint"): "other",
    (m.Model, "canonical_link"): "b",
    (m.Joint, "type"): m.JointType.BALL,
    (m.Joint, "parent"): "loose",
    (m.Joint, "child"): "loose",
    (m.Joint, "gear_reference"): "f",
    (m.Joint, "curve"): None,
    (m.Joint, "default_position"): (0.5,),
    (m.Coupling, "follower"): "other",
    (m.Coupling, "leader"): "other",
    (m.Coupling, "follower_axis"): 1,
    (m.Coupling, "leader_axis"): 1,
    (m.Actuator, "joint"): "other",
    (m.Actuator, "p_gain"): 7.0,
    (m.Actuator, "d_gain"): 7.0,
    (m.TendonConstraint, "joints"): ("other", "slide"),
    (m.FilterGroup, "name"): "k",
    (m.FilterGroup, "links"): ("a",),
    (m.FilterRule, "a"): "h",
    (m.FilterRule, "b"): "g",
    (m.Collision, "geometry"): m.Sphere(radius=9),
    (m.Visual, "geometry"): m.Sphere(radius=9),
    (m.Visual, "material"): None,
    (m.Surface, "hydroelastic"): None,
    (m.Material, "maps"): (("normal", "normal.png"),),
    (Scene, "spherical_coordinates"): (("latitude_deg", "47"),),
    (m.Physics, "parameters"): (("ode/solver/iters", "50"),),
    (m.Actuator, "interfaces"): ("hardware/EffortJointInterface",),
    (m.FilterGroup, "groups"): ("h",),
    (m.Joint, "axes"): (m.JointAxis(xyz=frozen((0.0, 1.0, 0.0))),),
    (m.Joint, "sensors"): (),
    (m.Link, "collisions"): (),
    (m.Link, "visuals"): (),
    (m.Link, "sensors"): (),
    (Scene, "links"): LINKS,
    (m.Surface, "collide_bitmask"): 2,
    (m.Surface, "category_bitmask"): 2,
    (m.Hydroelastic, "compliance"): "compliant",
    (m.Material, "name"): None,
    (m.Material, "texture"): "missing.png",
    (m.Plane, "normal"): (0.0, 1.0, 0.0),
    (m.Cone, "length"): 2.0,
    (m.Polyline, "outlines"): (((0.0, 0.0), (2.0, 0.0), (0.0, 1.0)),),
}
"""Another value, where the kind of the field does not suggest one."""
LINK_ENDS = {"link_A", "link_B", "link_C"}
FRESH = {"float": 0.123, "tuple": (0.1, 0.2, 0.3, 0.4), "str": "other"}


def another(owner, field):
    """A different, legal value of a field."""
    value = getattr(owner, field.name)
    if (type(owner), field.name) in OTHER:
        return OTHER[type(owner), field.name]
    if field.name in LINK_ENDS:
        return "c"
    if value is None:
        kind = str(field.type)
        return FRESH["float" if "float" in kind else "tuple" if "Rgba" in kind else "str"]
    return changed(value)


def turned(array):
    rolled = np.roll(array, 1)
    return frozen(array + 1.0 if np.array_equal(rolled, array) else rolled)


CHANGES = {
    bool: lambda value: not value,
    str: lambda value: value + "_x",
    int: lambda value: value + 1,
    float: lambda value: 5.0 if math.isinf(value) else value * 1.25 + 0.125,
    Pose: lambda X: X @ Pose.of(p=(0.01, 0.0, 0.0)),
    SpatialInertia: lambda value: SpatialInertia(value.mass * 2, value.p_LLcm, value.I_Lcm),
    np.ndarray: turned,
}


def changed(value):
    if type(value) in CHANGES:
        return CHANGES[type(value)](value)
    assert isinstance(value, tuple), f"no other value is known for {value!r}; add one to OTHER"
    if not value:
        return ("new",)
    if dataclasses.is_dataclass(value[0]):
        return value[:-1]
    if isinstance(value[0], tuple):
        return (*value[:-1], changed(value[-1]))
    return (changed(value[0]), *value[1:])


def is_part(cls):
    """Return whether a class is the scene or a dataclass of the model."""
    return cls is Scene or (
        dataclasses.is_dataclass(cls) and cls.__module__.startswith(f"{m.__name__}.")
    )


def parts(value, path=()):
    """Every dataclass of the model in the scene, with the way to it."""
    if is_part(type(value)):
        yield path, value
        for field in dataclasses.fields(value):
            yield from parts(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from parts(item, (*path, i))


def put(value, path, new):
    """The scene with one value replaced."""
    if not path:
        return new
    step, *rest = path
    if isinstance(step, int):
        return (*value[:step], put(value[step], rest, new), *value[step + 1 :])
    return dataclasses.replace(value, **{step: put(getattr(value, step), rest, new)})


SCENE = tree()
PARTS = list(parts(SCENE))
WHOLE = ("Where", "Friction", "Surface", "Physics")
"""Types of fields whose own fields are tried."""
_BASES = (m.SceneData, m.CouplingLaw)
"""Classes of which others are made."""
CLASSES = [
    Scene,
    *(c for c in vars(m).values() if isinstance(c, type) and is_part(c) and c not in _BASES),
]


MESH_FIELDS = {
    "path": lambda mesh: mesh.path.replace("a.glb", "b.glb"),
    "scale": lambda mesh: (1.0, 2.0, 1.0),
    "submesh": lambda mesh: "box",
    "center": lambda mesh: True,
    "convex": lambda mesh: True,
    "decomposition": lambda mesh: None,
    "max_convex_hulls": lambda mesh: 3,
    "voxel_resolution": lambda mesh: 5,
}


def lost_fields(scene, cls, fields, shows):
    """The fields of a class of which no changed value shows, whichever part of the scene has it.

    ``shows`` gets the changed scene and the name of the field.
    """
    owners = [(path, part) for path, part in parts(scene) if type(part) is cls]

    def changes(field):
        for path, part in owners:
            other = dataclasses.replace(part, **{field.name: another(part, field)})
            yield put(scene, path, other)

    return [f.name for f in fields if not any(shows(one, f.name) for one in changes(f))]


def by_class(fields):
    """The fields of each class, as parameters of a test."""
    classes = dict.fromkeys(cls for cls, _ in fields)
    return [
        pytest.param(cls, [f for owner, f in fields if owner is cls], id=cls.__name__)
        for cls in classes
    ]


def one_tree() -> Scene:
    """The scene without its gearbox joint, as one tree."""
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
