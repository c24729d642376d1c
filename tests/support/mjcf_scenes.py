"""Scenes for the tests of the MJCF exporter: links, joints, trees, chains and loops, made by
functions.
"""

import numpy as np

from loaders.diagnostics import Where
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    FilterGroup,
    FilterRule,
    Joint,
    JointAxis,
    JointType,
    Link,
    Model,
    Sphere,
    Surface,
    Visual,
)
from loaders.pose import IDENTITY, Pose, frozen, quaternion_to_matrix
from loaders.scene import Scene

UNIT = SpatialInertia.of(1.0, I_Lcm=np.eye(3))


X_LG = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))


def scene_of(*links, joints=(), **more):
    names = dict.fromkeys(link.model for link in links)
    models = tuple(
        Model(
            name=name,
            X_WM=IDENTITY,
            canonical_link=next(link.name for link in links if link.model == name),
            static=name == "ground",
        )
        for name in names
    )
    return Scene(
        name="demo", **({"models": models, "links": links, "joints": tuple(joints)} | more)
    )


def link(name, *, model="m", p=(0.0, 0.0, 0.0), **more):
    return Link(name=name, model=model, X_WL=Pose.of(p=p), **({"inertia": UNIT} | more))


def hinge(name, parent, child, kind=JointType.REVOLUTE, **axis):
    axes = (JointAxis(xyz=frozen((0.0, 0.0, 1.0)), **axis),) if kind is not JointType.FIXED else ()
    return Joint(
        name=name, type=kind, parent=parent, child=child, X_PJ=IDENTITY, X_CJ=IDENTITY, axes=axes
    )


def codes(found):
    """Return the codes of diagnostics, or of a result that has them."""
    return [entry.code for entry in getattr(found, "diagnostics", found)]


SHAPES = [
    (Box(size=(0.2, 0.4, 0.6)), "BOX", (0.1, 0.2, 0.3)),
    (Sphere(radius=0.3), "SPHERE", (0.3,)),
    (Cylinder(radius=0.1, length=0.5), "CYLINDER", (0.1, 0.25)),
    (Capsule(radius=0.1, length=0.5), "CAPSULE", (0.1, 0.25)),
    (Ellipsoid(radii=(0.1, 0.2, 0.3)), "ELLIPSOID", (0.1, 0.2, 0.3)),
]


def extent(model, geom):
    """Lowest and highest corner of a mesh geom, in the body."""
    g = model.geom(geom)
    mesh = int(g.dataid[0])
    start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    points = model.mesh_vert[start : start + count] @ quaternion_to_matrix(g.quat).T + g.pos
    return points.min(axis=0), points.max(axis=0)


def ball(name, **surface):
    return Collision(
        name=name, X_LG=IDENTITY, geometry=Sphere(radius=0.1), surface=Surface(**surface)
    )


def two_robots(seed):
    """Two robots of random shape, one of which stands on the world, and a ground."""
    rng = np.random.default_rng(seed)
    links, joints = [link("floor", model="ground", collisions=(ball("floor"),))], []
    for robot in ("r", "s"):
        for i in range(6):
            name = f"{robot}{i}"
            shapes = (ball(name),) if rng.random() < 0.8 else ()
            links.append(link(name, model=robot, collisions=shapes))
            kind = JointType.FIXED if rng.random() < 0.4 else JointType.REVOLUTE
            if i:
                joints.append(hinge(f"j{name}", f"{robot}{rng.integers(0, i)}", name, kind))
            elif robot == "r":
                joints.append(hinge("stand", WORLD, name, kind))
    groups = tuple(FilterGroup(name=f"g{k}", links=(f"r{k}", f"s{k + 1}")) for k in range(3))
    rules = (FilterRule(a="g0", b="g0"), FilterRule(a="g1", b="g2"))
    return scene_of(*links, joints=joints, filter_groups=groups, filter_rules=rules)


MASKS = [
    (0x1, 0x2),
    (0x3, 0x2),
    (0xFFFF, 0x10),
    (0x0, 0xFFFF),
    (0x80000000, 0xC0000000),
    (0xFFFF, 0xFFFF),
]


def leg():
    links = [
        link(
            f"l{i}",
            collisions=(ball(f"c{i}"),),
            visuals=(Visual(name=f"v{i}", X_LG=X_LG, geometry=Sphere(radius=0.2)),),
        )
        for i in range(5)
    ]
    joints = [
        hinge(
            f"FL{i}_hip_joint",
            f"l{i - 1}",
            f"l{i}",
            lower=-1.0,
            upper=2.0,
            damping=0.3,
            effort=20.0,
        )
        for i in range(1, 5)
    ]
    return scene_of(*links, joints=joints)


def cone_scene():
    shape = Collision(
        name="c", X_LG=IDENTITY, geometry=Cone(radius=0.5, length=2.0), where=Where("robot.sdf", 9)
    )
    return scene_of(link("a", collisions=(shape,)), joints=(hinge("j", WORLD, "a", velocity=2.0),))


TYPES = (
    JointType.REVOLUTE,
    JointType.CONTINUOUS,
    JointType.PRISMATIC,
    JointType.UNIVERSAL,
    JointType.REVOLUTE2,
    JointType.PLANAR,
    JointType.BALL,
    JointType.SCREW,
    JointType.FIXED,
)


FREEDOMS = {
    JointType.UNIVERSAL: 2,
    JointType.REVOLUTE2: 2,
    JointType.PLANAR: 3,
    JointType.BALL: 0,
    JointType.FIXED: 0,
}


def pose(rng):
    return Pose.from_vector([*rng.normal(size=3), *rng.normal(size=4)])


def solid(rng):
    A = rng.normal(size=(3, 3))
    spread = A @ A.T
    return SpatialInertia.of(
        rng.uniform(0.5, 3.0), rng.normal(size=3), np.trace(spread) * np.eye(3) - spread
    )


def axes(kind, rng):
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    return tuple(JointAxis(xyz=frozen(xyz)) for xyz in R[: FREEDOMS.get(kind, 1)])


def random_tree(seed, kinds=TYPES, size=9, backwards=True):
    """A random tree that floats or stands, some of its joints pointing towards the root."""
    rng = np.random.default_rng(seed)
    links = [Link(name="l0", model="m", X_WL=pose(rng), inertia=solid(rng))]
    joints = []
    if rng.random() < 0.5:
        X_CJ = pose(rng)
        joints.append(
            Joint(
                name="j0",
                type=JointType.FIXED,
                parent=WORLD,
                child="l0",
                X_PJ=links[0].X_WL @ X_CJ,
                X_CJ=X_CJ,
            )
        )
    for i in range(1, size):
        above = links[int(rng.integers(0, i))]
        kind = kinds[int(rng.integers(len(kinds)))]
        X_PJ, X_CJ = pose(rng), pose(rng)
        ends = {"parent": above.name, "child": f"l{i}", "X_PJ": X_PJ, "X_CJ": X_CJ}
        if backwards and rng.random() < 0.3:
            ends = {"parent": f"l{i}", "child": above.name, "X_PJ": X_CJ, "X_CJ": X_PJ}
        links.append(
            Link(
                name=f"l{i}", model="m", X_WL=above.X_WL @ X_PJ @ X_CJ.inverse(), inertia=solid(rng)
            )
        )
        joints.append(Joint(name=f"j{i}", type=kind, axes=axes(kind, rng), pitch=0.3, **ends))
    model = Model(name="m", X_WM=IDENTITY, canonical_link="l0")
    return Scene(name="m", models=(model,), links=tuple(links), joints=tuple(joints))


def random_q(mechanism, rng):
    q = {}
    for body in mechanism.bodies:
        kinds = {primitive.kind for primitive in body.primitives}
        if "free" in kinds:
            q[body.joint] = [*rng.normal(size=3), *rng.normal(size=4)]
        elif "ball" in kinds:
            q[body.joint] = rng.normal(size=4)
        elif kinds:
            q[body.joint] = rng.uniform(-2.0, 2.0, len(body.reflected_inertia))
    return q


SCALAR = tuple(kind for kind in TYPES if kind is not JointType.BALL)


def one_joint(axis=None, kind=JointType.REVOLUTE, inertia=None, **joint):
    base = Link(
        name="base", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3))
    )
    inertia = inertia or SpatialInertia.of(2.0, (0.1, 0.2, 0.3), np.diag((0.3, 0.4, 0.5)))
    arm = Link(name="arm", model="m", X_WL=IDENTITY, inertia=inertia, where=Where("arm.sdf", 12))
    hold = Joint(
        name="hold", type=JointType.FIXED, parent=WORLD, child="base", X_PJ=IDENTITY, X_CJ=IDENTITY
    )
    axis = axis or JointAxis(xyz=frozen((0.0, 0.0, 1.0)))
    elbow = Joint(
        name="elbow",
        type=kind,
        parent="base",
        child="arm",
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(axis,),
        where=Where("arm.sdf", 20),
        **joint,
    )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="base")
    return Scene(name="m", models=(model,), links=(base, arm), joints=(hold, elbow))


def z_axis(**values):
    return JointAxis(xyz=frozen((0.0, 0.0, 1.0)), **values)


def four_bar(kind=JointType.REVOLUTE):
    """A parallelogram in the xz plane, standing; the last joint closes the loop."""

    def bar(name, x, z, dx, dz):
        com = (dx / 2, 0.0, dz / 2)
        return Link(
            name=name,
            model="m",
            X_WL=Pose.of(p=(x, 0, z)),
            inertia=SpatialInertia.of(1.0, com, 0.02 * np.eye(3)),
        )

    y = (JointAxis(xyz=frozen((0.0, 1.0, 0.0))),)

    def hinge(name, parent, child, p, c, type=JointType.REVOLUTE):
        return Joint(
            name=name,
            type=type,
            parent=parent,
            child=child,
            X_PJ=Pose.of(p=p),
            X_CJ=Pose.of(p=c),
            axes=y,
        )

    links = (bar("left", 0, 0, 0.3, 0.4), bar("top", 0.3, 0.4, 1, 0), bar("right", 1, 0, 0.3, 0.4))
    joints = (
        hinge("a", WORLD, "left", (0, 0, 0), (0, 0, 0)),
        hinge("b", "left", "top", (0.3, 0, 0.4), (0, 0, 0)),
        hinge("c", WORLD, "right", (1, 0, 0), (0, 0, 0)),
        hinge("d", "top", "right", (1, 0, 0), (0.3, 0, 0.4), kind),
    )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="left")
    return Scene(name="m", models=(model,), links=links, joints=joints)


IMPOSSIBLE = SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 1.0, 3.0)))


def chain(length):
    links = [
        Link(name="l0", model="m", X_WL=IDENTITY, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3)))
    ]
    joints = []
    for i in range(1, length):
        X_PJ = Pose.of(p=(0.0, 0.0, 0.1))
        X_WL = Pose.of(p=(0.0, 0.0, 0.1 * i))
        links.append(
            Link(
                name=f"l{i}", model="m", X_WL=X_WL, inertia=SpatialInertia.of(1.0, I_Lcm=np.eye(3))
            )
        )
        joints.append(
            Joint(
                name=f"j{i}",
                type=JointType.REVOLUTE,
                parent=f"l{i - 1}",
                child=f"l{i}",
                X_PJ=X_PJ,
                X_CJ=IDENTITY,
                axes=(JointAxis(xyz=frozen((1.0, 0.0, 0.0)), lower=-1.0, upper=1.0, damping=0.1),),
            )
        )
    model = Model(name="m", X_WM=IDENTITY, canonical_link="l0")
    return Scene(name="m", models=(model,), links=tuple(links), joints=tuple(joints))
