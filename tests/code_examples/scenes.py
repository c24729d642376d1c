"""Minimal scenes for the examples of lowering, of shapes, of the MJCF export and of PyBullet."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from PIL import Image

from loaders import Scene
from loaders import model as m
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.scenes import UNIT_BOX, joint, link, scene

T = m.JointType
ORIGIN = frozen((0.0, 0.0, 0.0))
NEAR = frozen((0.1, 0.0, 0.0))
FAR = frozen((9.0, 0.0, 0.0))
POINT = SpatialInertia.of(1.0)
BULK = SpatialInertia.of(1.0, I_Lcm=np.diag((0.1, 0.1, 0.1)))
NOTHING = SpatialInertia.of(0.0)
ENDLESS = SpatialInertia.of(float("inf"))
IMPOSSIBLE = SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 1.0, 9.0)))
BALL = m.Sphere(radius=0.5)
FLEX = dict.fromkeys(
    ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping"),
    frozen((1.0, 1.0, 1.0)),
)


def one(**fields: Any) -> Scene:
    """A free link."""
    return scene([link("a", **fields)])


def hinge(
    kind: m.JointType = T.REVOLUTE, fields: dict[str, Any] | None = None, **axis: Any
) -> Scene:
    """A link on a joint to the world."""
    return scene([link("a")], [joint("j", m.WORLD, "a", kind, axis=axis, **(fields or {}))])


def posed(position: float, joint: str = "j", actuator: str = "", **fields: Any) -> Scene:
    """A hinge with limits of -1 and 1 rad and a state named ``up``, which may state the control of
    an actuator.
    """
    controls: dict[str, Any] = (
        {"actuators": (actuator,), "controls": ((1.0,),), "activations": ((),)} if actuator else {}
    )
    state = m.Keyframe(name="up", joints=(joint,), positions=((position,),), **controls, **fields)
    return dataclasses.replace(hinge(lower=-1.0, upper=1.0), keyframes=(state,))


def driven(axis: dict[str, Any] | None = None, **fields: Any) -> Scene:
    """A hinge with an actuator."""
    return dataclasses.replace(
        hinge(**(axis or {})), actuators=(m.Actuator(name="motor", joint="j", **fields),)
    )


def chain(*kinds: m.JointType, **fields: Any) -> Scene:
    """Links a, b, c... with joints ab, bc... between them; a is welded to the world."""
    names = "abcdefgh"[: len(kinds) + 1]
    joints = [
        joint(f"{p}{c}", p, c, kind)
        for p, c, kind in zip(names[:-1], names[1:], kinds, strict=True)
    ]
    return scene(
        [link(name) for name in names], [joint("weld", m.WORLD, "a", T.FIXED), *joints], **fields
    )


def shape(geometry: m.Geometry, **surface: Any) -> m.Collision:
    return m.Collision(name="c", X_LG=IDENTITY, geometry=geometry, surface=m.Surface(**surface))


def touching(geometry: m.Geometry = BALL, **surface: Any) -> Scene:
    """A free link with a collision."""
    return one(collisions=(shape(geometry, **surface),))


def pivoted() -> Scene:
    """Two cubes that touch, each of which turns about its center of mass."""
    inertia = SpatialInertia.of(0.3, I_Lcm=1e-4 * np.eye(3))
    links = [
        link(name, inertia=inertia, shape=m.Box(size=(0.05, 0.05, 0.05))) for name in ("a", "b")
    ]
    places = [IDENTITY, Pose.of(p=(0.0, 0.0, 0.05))]
    return scene(
        links,
        [joint(f"j{x.name}", m.WORLD, x.name, X_PJ=X) for x, X in zip(links, places, strict=True)],
    )


def kept_apart() -> Scene:
    """Two links of MJCF with a link between them, which a rule excludes from contact."""
    links = [link("a", shape=UNIT_BOX), link("between"), link("b", shape=UNIT_BOX)]
    groups = tuple(m.FilterGroup(name=name.upper(), links=(name,)) for name in "ab")
    return scene(
        links,
        [joint("j", "a", "between"), joint("k", "between", "b")],
        physics=m.Physics(engine="mujoco"),
        filter_groups=groups,
        filter_rules=(m.FilterRule(a="A", b="B"),),
    )


def of_two_frictions() -> Scene:
    """Two links of MJCF on one joint, which may touch, with other coefficients of friction."""
    frictions = (m.Friction(mu=mu, mu2=mu) for mu in (0.2, 0.8))
    links = [
        link(name, collisions=(shape(UNIT_BOX, friction=friction),))
        for name, friction in zip("ab", frictions, strict=True)
    ]
    joints = [joint("held", m.WORLD, "a", m.JointType.FIXED), joint("j", "a", "b")]
    return scene(links, joints, physics=m.Physics(engine="mujoco"))


def rubbing(**friction: Any) -> Scene:
    return touching(friction=m.Friction(**friction))


def seen(geometry: m.Geometry = BALL, **fields: Any) -> Scene:
    """A free link with a visual."""
    return one(visuals=(m.Visual(name="v", X_LG=IDENTITY, geometry=geometry, **fields),))


def sensing(kind: str, **fields: Any) -> Scene:
    return one(sensors=(m.Sensor(type=kind, X_LS=IDENTITY, **({"name": "s"} | fields)),))


def lit(kind: str, **fields: Any) -> Scene:
    return dataclasses.replace(
        one(), lights=(m.Light(name="lamp", type=kind, link="a", X_LLight=IDENTITY, **fields),)
    )


def strung(*joints: str, **fields: Any) -> Scene:
    tendon = m.TendonConstraint(
        joints=joints, coefficients=(1.0,) * len(joints), lower=-1.0, upper=1.0, **fields
    )
    return chain(T.REVOLUTE, T.REVOLUTE, T.BALL, constraints=(tendon,))


def held(p: Any = NEAR) -> Scene:
    """Two hinges whose links share a point."""
    ball = m.BallConstraint(link_A="a", link_B="b", p_AP=ORIGIN, p_BQ=p)
    return chain(T.REVOLUTE, constraints=(ball,))


def distance(**fields: Any) -> Scene:
    constraint = m.DistanceConstraint(
        link_A="a", link_B=m.WORLD, p_AP=NEAR, p_BQ=FAR, distance=8.9, **fields
    )
    return scene([link("a")], constraints=(constraint,))


def sprung() -> Scene:
    spring = m.SpringDamper(
        link_A="a", link_B=m.WORLD, p_AP=NEAR, p_BQ=FAR, free_length=1.0, stiffness=1.0, damping=0.0
    )
    return scene([link("a")], forces=(spring,))


def immersed() -> Scene:
    """A link with buoyancy."""
    return scene([link("a", shape=UNIT_BOX)], fluid_forces=(m.Buoyancy(link="a"),))


def measured() -> Scene:
    """A joint whose state a plugin publishes."""
    state = m.Sensor(name="j_state", type="joint_state", X_LS=IDENTITY, joint="j")
    return scene([link("a"), link("b")], [joint("j", "a", "b", sensors=(state,))])


def bushed() -> Scene:
    return scene(
        [link("a")],
        forces=(m.Bushing(link_A="a", X_LA=IDENTITY, link_C=m.WORLD, X_LC=IDENTITY, **FLEX),),
    )


def coupled(follower: str, leader: str, *kinds: m.JointType, **fields: Any) -> Scene:
    return chain(*kinds, couplings=(m.Coupling(follower=follower, leader=leader),), **fields)


def looped() -> Scene:
    """Links a, b and c in a loop of hinges, welded to the world by a."""
    open_ = chain(T.REVOLUTE, T.REVOLUTE)
    return dataclasses.replace(open_, joints=(*open_.joints, joint("ca", "c", "a")))


def curved(arcs: int) -> dict[str, Any]:
    curve = m.Curve(
        initial_tangent=frozen((1.0, 0.0, 0.0)),
        plane_normal=frozen((0.0, 0.0, 1.0)),
        arcs=(m.Arc(length=1.0, curvature=1.0),) * arcs,
    )
    return {"curve": curve}


def arc(radius: float) -> m.Curve:
    """A quarter of a circle."""
    (curve,) = curved(1).values()
    return dataclasses.replace(
        curve, arcs=(m.Arc(length=radius * np.pi / 2, curvature=1.0 / radius),)
    )


def geared(reference: str = "base") -> Scene:
    """Two wheels on a base, coupled by a gearbox of ratio 2."""
    gears = joint("gears", "a", "b", T.GEARBOX, gear_ratio=2.0, gear_reference=reference)
    wheels = [joint("left", "base", "a", T.CONTINUOUS), joint("right", "base", "b", T.CONTINUOUS)]
    return scene([link("base"), link("a"), link("b")], [*wheels, gears])


def universal(*axes: tuple[float, float, float], kind: m.JointType = T.UNIVERSAL) -> Scene:
    xyz = tuple(m.JointAxis(xyz=frozen(each)) for each in axes)
    return scene([link("a", inertia=POINT)], [joint("j", m.WORLD, "a", kind, axes=xyz)])


def nested(**fields: Any) -> Scene:
    """A model n in a model m."""
    models = tuple(
        m.Model(name=n, X_WM=IDENTITY, canonical_link=k) for n, k in (("m", "a"), ("m::n", "n::b"))
    )
    return scene([link("a"), link("n::b", model="m::n")], models=models, **fields)


def in_model(**fields: Any) -> Scene:
    return dataclasses.replace(
        one(), models=(m.Model(name="m", X_WM=IDENTITY, canonical_link="a", **fields),)
    )


# --- meshes and images ----------------------------------------------------------------------------


def written(mesh: trimesh.Trimesh, **fields: Any) -> Any:
    """A function that writes a mesh to a folder, for a scene with a collision of that mesh."""

    def build(folder: Path) -> Scene:
        mesh.export(folder / "mesh.stl")
        return touching(m.Mesh(uri="mesh.stl", path=str(folder / "mesh.stl"), **fields))

    return build


def hollow() -> trimesh.Trimesh:
    """An L of two boxes, as one surface that is not convex."""
    outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 0.2), (0.2, 0.2), (0.2, 2.0), (0.0, 2.0)]
    vertices = np.array([(x, y, z) for z in (0.0, 1.0) for x, y in outline])
    ends = [(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 5, 4)]
    sides = [
        f
        for i in range(6)
        for f in ((i, (i + 1) % 6, 6 + (i + 1) % 6), (i, 6 + (i + 1) % 6, 6 + i))
    ]
    tops = [(6 + a, 6 + c, 6 + b) for a, b, c in ends]
    return trimesh.Trimesh(vertices, [*ends, *tops, *sides], process=False)


def textured(content: bytes | None, mode: str = "") -> Any:
    """A function that writes an image, for a scene with a visual of that texture."""

    def build(folder: Path) -> Scene:
        if mode:
            Image.new(mode, (2, 2)).save(folder / "t.png")
        elif content is not None:
            (folder / "t.png").write_bytes(content)
        return seen(UNIT_BOX, material=m.Material(texture=str(folder / "t.png")))

    return build


def glowing(folder: Path) -> Scene:
    """A mesh whose material emits light beside its color."""
    (folder / "a.mtl").write_text("newmtl m\nKd 0.5 0 0\nKe 0 0.5 0\n")
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (folder / "a.obj").write_text(f"mtllib a.mtl\nusemtl m\n{corners}f 1 2 3\nf 1 2 4\n")
    return seen(m.Mesh(uri="a.obj", path=str(folder / "a.obj")))


def bare_textured(folder: Path) -> Scene:
    """A mesh without texture coordinates, with a texture."""
    Image.new("RGB", (2, 2)).save(folder / "t.png")
    trimesh.creation.box().export(folder / "mesh.stl")
    mesh = m.Mesh(uri="mesh.stl", path=str(folder / "mesh.stl"))
    return seen(mesh, material=m.Material(texture=str(folder / "t.png")))


def jointed_mesh(folder: Path) -> Scene:
    """A link on a hinge that collides as a mesh."""
    part = written(trimesh.creation.box())(folder).links[0]
    return scene([part], [joint("j", m.WORLD, "a")])


def touching_in_mujoco() -> Scene:
    """A base that is fixed to the world, and a link on it that may touch it in MuJoCo only."""
    links = [link("base", shape=UNIT_BOX), link("arm", shape=UNIT_BOX)]
    joints = [joint("held", m.WORLD, "base", m.JointType.FIXED), joint("j", "base", "arm")]
    return scene(links, joints, physics=m.Physics(engine="mujoco"))
