"""body: links, joints, sites and soft bodies.

The first joint of a body is the outermost. The position of a joint counts from its ``ref``, at
which the document draws the body; the scene is at the position zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from loaders.diagnostics import Where
from loaders.engine_settings import MUJOCO, SKIN
from loaders.model import (
    WORLD,
    EngineElement,
    Frame,
    Joint,
    JointAxis,
    JointType,
    Link,
    Model,
    Settings,
    of_engine,
)
from loaders.model.settings import Z_AXIS
from loaders.pose import IDENTITY, Pose, frozen, rotation_about
from loaders.scoped_names import MODEL_FRAME, SEPARATOR, UnusedNames, underscores_in_front

from .compiled_model import Source, inertias
from .geom import DEFAULT_COLOR, Shapes, color_textures, picture_of, shapes_by_body
from .settings import FRICTION, joint_settings, single, solver, text_of, unless


def read_frames(name: str, source: Source) -> tuple[Frame, ...]:
    """Return a frame for each site of a model, but for the one that stands for the frame of the
    model.

    Args:
        name: Name of the model.
        source: The compiled model.
    """
    if not source.names("site"):
        return ()
    left_out, bodies = _model_site(name, source), source.names("body")
    columns = zip(
        source.names("site"),
        source.model.site_bodyid,
        source.poses("site"),
        source.places("site"),
        strict=True,
    )
    frames: list[Frame] = []
    for i, (site, body, X_LF, where) in enumerate(columns):
        if i != left_out:
            link = bodies[body] if body else WORLD
            frames.append(Frame(name=site, link=link, X_LF=X_LF, where=where))
    return tuple(frames)


def read_model(name: str, links: Sequence[Link], where: Where, source: Source) -> Model:
    """Return the model, whose frame is that of the world unless a site of the MJCF export stands
    for it.

    Args:
        name: Its name.
        links: Its links.
        where: Its place in the source.
        source: The compiled model.
    """
    site = _model_site(name, source)
    if site is None:
        first = next((link.name for link in links if link.name != WORLD), None)
        return Model(name=name, X_WM=IDENTITY, canonical_link=first, where=where)
    link = source.link(int(source.model.site_bodyid[site]))
    X_WL = next((entry.X_WL for entry in links if entry.name == link), IDENTITY)
    canonical = None if link == WORLD else link
    return Model(
        name=name, X_WM=X_WL @ source.pose("site", site), canonical_link=canonical, where=where
    )


def _model_site(name: str, source: Source) -> int | None:
    sites = source.names("site")
    site = f"{name}{SEPARATOR}{MODEL_FRAME}"
    return sites.index(site) if site in sites else None


FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's types of joints."""
_DRIVES = frozenset({0, 1, 6})
"""MuJoCo's types of transmission that drive a joint: at the joint, in its parent, by a rotation."""


class Chain(NamedTuple):
    """The joints that connect a body to its parent."""

    X_PB: Pose
    """Pose of the body in its parent at the position zero."""
    joints: tuple[int, ...]
    """Indices of the joints, from the parent outwards."""
    frames: tuple[Pose, ...]
    """Pose of the frame of each joint in the body at the position zero."""


def chain_of(body: int, source: Source) -> Chain:
    """Return the joints of a body with their frames at the position zero."""
    model = source.model
    X_PB, count = source.poses("body")[body], model.body_jntnum[body]
    if not count:
        return Chain(X_PB=X_PB, joints=(), frames=())
    first = model.body_jntadr[body]
    if count == 1 and not reference_of(first, model):
        return Chain(X_PB=X_PB, joints=(first,), frames=(_anchor(first, model),))
    joints = tuple(range(first, first + count))
    references = [reference_of(j, model) for j in joints]
    moved = [_displacement(j, -q, model) for j, q in zip(joints, references, strict=True)]
    frames = []
    X_DB = IDENTITY  # the body at zero in the frame that the joints before have moved
    for j, X in reversed(list(zip(joints, moved, strict=True))):
        X_DB = X @ X_DB
        frames.append(X_DB.inverse() @ _anchor(j, model))
    return Chain(X_PB=X_PB @ X_DB, joints=joints, frames=tuple(reversed(frames)))


def reference_of(j: int, model: Any) -> float:
    """Return the position of a joint at which the document draws its body; 0 for a ball or a free
    joint.
    """
    return 0.0 if model.jnt_type[j] <= BALL else float(model.qpos0[model.jnt_qposadr[j]])


def _anchor(j: int, model: Any) -> Pose:
    x, y, z = model.jnt_pos[j]
    kind = model.jnt_type[j]
    if not (x or y or z) or kind == FREE or (kind == SLIDE and reference_of(j, model) != 0.0):
        return IDENTITY
    return Pose(IDENTITY.R, frozen((x, y, z)))


def _displacement(j: int, q: float, model: Any) -> Pose:
    """Return the motion of a hinge or a slide by a coordinate."""
    if q == 0.0:
        return IDENTITY
    if model.jnt_type[j] == SLIDE:
        return Pose.of(p=[q * c for c in model.jnt_axis[j]])
    anchor = _anchor(j, model)
    return anchor @ Pose.of(rotation_about(model.jnt_axis[j], q)) @ anchor.inverse()


def joints_of(body: int, chain: Chain, links: Sequence[str], source: Source) -> list[Joint]:
    """Return the joints of a body; a fixed one if it has none.

    Args:
        body: Index of the body.
        chain: Its joints.
        links: The parent link, the virtual links, and the link of the body.
        source: The model.
    """
    if not chain.joints:
        return [_fixed(links[0], links[-1], chain.X_PB, source.places("body")[body])]
    joints = []
    for k, (j, X_CJ) in enumerate(zip(chain.joints, chain.frames, strict=True)):
        X_PJ = chain.X_PB @ X_CJ if k == 0 else X_CJ
        joints.append(_joint(j, links[k], links[k + 1], X_PJ, X_CJ, source))
    return joints


def _fixed(parent: str, child: str, X_PB: Pose, where: Where) -> Joint:
    name, kind = f"{child}_fixed", JointType.FIXED
    return Joint(
        name=name, type=kind, parent=parent, child=child, X_PJ=X_PB, X_CJ=IDENTITY, where=where
    )


def _joint(j: int, parent: str, child: str, X_PJ: Pose, X_CJ: Pose, source: Source) -> Joint:
    model, kind = source.model, source.model.jnt_type[j]
    axis, settings = _axis(j, kind, source), joint_settings(j, model)
    name, where = source.names("joint")[j], source.places("joint")[j]
    if kind == FREE:
        return _floating(name, child, axis, settings, where)
    reference = reference_of(j, model)
    return Joint(
        name=name,
        type=_type(kind, axis),
        parent=parent,
        child=child,
        X_PJ=X_PJ,
        X_CJ=X_CJ,
        axes=(axis,),
        default_position=(reference,) if reference else (),
        engine_settings=of_engine(MUJOCO, settings),
        where=where,
    )


def _floating(name: str, child: str, axis: JointAxis, settings: Settings, where: Where) -> Joint:
    """Return a floating joint, whose two axes hold for every direction; without axes if it has no
    dynamics.
    """
    has_dynamics = any((axis.damping, axis.friction, axis.spring_stiffness, axis.inertia, settings))
    return Joint(
        name=name,
        type=JointType.FLOATING,
        parent=WORLD,
        child=child,
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
        axes=(axis, axis) if has_dynamics else (),
        engine_settings=of_engine(MUJOCO, settings),
        where=where,
    )


def _type(kind: int, axis: JointAxis) -> JointType:
    if kind == BALL:
        return JointType.BALL
    if kind == SLIDE:
        return JointType.PRISMATIC
    return (
        JointType.REVOLUTE
        if math.isfinite(axis.lower) or math.isfinite(axis.upper)
        else JointType.CONTINUOUS
    )


def _axis(j: int, kind: int, source: Source) -> JointAxis:
    model = source.model
    dof, is_turning = model.jnt_dofadr[j], kind <= BALL
    lower, upper = (
        (-math.inf, math.inf) if is_turning or not model.jnt_limited[j] else model.jnt_range[j]
    )
    return JointAxis(
        xyz=Z_AXIS if is_turning else frozen(model.jnt_axis[j]),
        lower=lower,
        upper=upper,
        effort=max(map(abs, model.jnt_actfrcrange[j])) if model.jnt_actfrclimited[j] else math.inf,
        damping=model.dof_damping[dof],
        friction=model.dof_frictionloss[dof],
        inertia=model.dof_armature[dof] + source.rotors(_DRIVES).get(j, 0.0),
        spring_stiffness=model.jnt_stiffness[j],
        spring_reference=0.0 if is_turning else model.qpos_spring[model.jnt_qposadr[j]],
    )


_NO_SHAPES: Shapes = ((), ())


def read_links(name: str, source: Source) -> tuple[list[Link], list[Joint]]:
    """Return the links and the joints of a model, each body after its parent.

    Geoms of the world belong to a link named ``world``.

    Args:
        name: Name of the model.
        source: The compiled model.
    """
    shapes, model = shapes_by_body(source), source.model
    names, places, massive = source.names("body"), source.places("body"), inertias(model)
    unused = UnusedNames(names, underscores_in_front)
    links: list[Link] = []
    joints: list[Joint] = []
    poses = [IDENTITY]
    if 0 in shapes:
        links.append(
            Link(
                name=WORLD, model=name, X_WL=IDENTITY, collisions=shapes[0][0], visuals=shapes[0][1]
            )
        )
    for body in range(1, model.nbody):
        chain = chain_of(body, source)
        X_WB = poses[model.body_parentid[body]] @ chain.X_PB
        poses.append(X_WB)
        collisions, visuals = shapes.get(body, _NO_SHAPES)
        compensation = model.body_gravcomp[body]
        link = Link(
            name=names[body],
            model=name,
            X_WL=X_WB,
            inertia=massive[body],
            collisions=collisions,
            visuals=visuals,
            gravity=compensation != 1.0,
            engine_settings=of_engine(MUJOCO, _settings(body, compensation, model)),
            kinematic=model.body_mocapid[body] >= 0,
            where=places[body],
        )
        virtual = [_virtual(link, j, unused, source) for j in chain.joints[:-1]]
        links += [*virtual, link]
        if not link.kinematic:
            parent = source.link(model.body_parentid[body])
            joints += joints_of(
                body, chain, [parent, *(v.name for v in virtual), link.name], source
            )
    return links, joints


def _settings(body: int, compensation: float, model: Any) -> Settings:
    """Return a part of the gravity that a body compensates, unless it is all, and its principal
    axes and moments.

    The axes and moments are stated if they are not those of the link. The inertia determines them
    within rounding only, and not at all where moments are equal. MuJoCo's motion depends on their
    choice: fluids act on a box along them, and they decide whether it neglects a small offset of
    the center of mass.
    """
    part = (("gravcomp", text_of(compensation)),) if compensation not in {0.0, 1.0} else ()
    axes = model.body_iquat[body]
    if not any(axes[1:]):
        return part
    moments = model.body_inertia[body]
    return (*part, ("inertial/quat", text_of(axes)), ("inertial/diaginertia", text_of(moments)))


def _virtual(link: Link, j: int, unused: UnusedNames, source: Source) -> Link:
    """Return the massless link that a joint carries which is not the last one of its body."""
    name = unused.claim(f"{link.name}_{source.names('joint')[j]}")
    return Link(
        name=name, model=link.model, X_WL=link.X_WL, virtual=True, where=source.where("joint", j)
    )


_SELF_COLLISION = ("none", "narrow", "bvh", "sap", "auto")
_AUTO = 4
"""Number of ``auto``, the default of self-collision."""
_ELASTIC_2D = ("none", "bend", "stretch", "both")
_ORDERS = ("full", "trilinear", "quadratic")
"""Value of ``dof`` by the order of the interpolation between nodes."""
_SECTIONS = ("circle", "box")
_LISTS = {
    "vertex": "vert",
    "element": "elem",
    "texcoord": "texcoord",
    "elemtexcoord": "elemtexcoord",
    "nodecoord": "node",
}
"""Field of the specification of each attribute that is a list of numbers."""


def read_soft_bodies(source: Source) -> tuple[EngineElement, ...]:
    """Return each soft body as an element of MuJoCo; its particles are links."""
    return tuple(_soft_body(i, flex, source) for i, flex in enumerate(source.compiled.flexes))


def _soft_body(i: int, flex: Any, source: Source) -> EngineElement:
    bodies = [("body", name) for name in flex.vertbody] + [("node", name) for name in flex.nodebody]
    return EngineElement(
        engine=MUJOCO,
        name=flex.name or f"flex_{i}",
        section="deformable",
        tag="flex",
        settings=tuple(_soft_body_settings(flex)),
        references=tuple(bodies),
        where=source.where("flex", i),
    )


def _soft_body_settings(flex: Any) -> Iterator[tuple[str, str]]:
    yield "dim", str(int(flex.dim))
    yield from unless("radius", flex.radius, 0.005)
    yield from unless("rgba", [round(float(c), 7) for c in flex.rgba], DEFAULT_COLOR)
    yield from unless("group", flex.group, 0)
    if flex.flatskin:
        yield "flatskin", "true"
    for name, field in _LISTS.items():
        values = list(getattr(flex, field))
        if values and (name != "nodecoord" or any(values)):
            yield (
                name,
                " ".join(str(x) for x in values) if name.startswith("elem") else text_of(values),
            )
    if len(flex.nodebody):
        yield "cellcount", " ".join(str(int(x)) for x in getattr(flex, "cellcount", ()))
        yield "dof", _ORDERS[int(flex.order)]
    yield from _contact(flex)
    yield from unless("edge/stiffness", flex.edgestiffness, 0.0)
    yield from unless("edge/damping", flex.edgedamping, 0.0)
    for name, default in (("young", 0.0), ("poisson", 0.0), ("damping", 0.0), ("thickness", -1.0)):
        yield from unless(f"elasticity/{name}", getattr(flex, name), default)
    if any(getattr(flex, "sectionsize", ())):
        yield "elasticity/section", _SECTIONS[int(flex.section)]
        yield "elasticity/sectionsize", text_of(flex.sectionsize)
    if flex.elastic2d:
        yield "elasticity/elastic2d", _ELASTIC_2D[int(flex.elastic2d)]


_NUMBERS_OF_SKIN = {"inflate": 0.0, "group": 0}
"""Default of each number of a skin."""


def read_skins(source: Source) -> tuple[EngineElement, ...]:
    """Return each skin as an element of MuJoCo, with the links that move it in the order of its
    bones.
    """
    return tuple(_skin(i, source) for i in range(source.model.nskin))


def _skin(i: int, source: Source) -> EngineElement:
    model = source.compiled.model
    bones = range(model.skin_boneadr[i], model.skin_boneadr[i] + model.skin_bonenum[i])
    return EngineElement(
        engine=MUJOCO,
        name=model.skin(i).name or f"skin_{i}",
        section=SKIN,
        tag="skin",
        settings=(
            *_surface_of_skin(i, model),
            *(setting for k, bone in enumerate(bones) for setting in _bone(k, bone, model)),
            *_material_of_skin(i, source),
        ),
        references=tuple(("body", source.link(model.skin_bonebodyid[bone])) for bone in bones),
        where=source.where("skin", i),
    )


def _surface_of_skin(i: int, model: Any) -> Iterator[tuple[str, str]]:
    vertices = slice(model.skin_vertadr[i], model.skin_vertadr[i] + model.skin_vertnum[i])
    faces = slice(model.skin_faceadr[i], model.skin_faceadr[i] + model.skin_facenum[i])
    for name, default in _NUMBERS_OF_SKIN.items():
        yield from unless(name, single(getattr(model, f"skin_{name}")[i]), default)
    yield from unless("rgba", [single(c) for c in model.skin_rgba[i]], DEFAULT_COLOR)
    yield "vertex", _numbers(model.skin_vert[vertices])
    yield "face", _numbers(model.skin_face[faces])
    first = model.skin_texcoordadr[i]
    if first >= 0:
        coordinates = model.skin_texcoord[first : first + model.skin_vertnum[i]]
        yield "texcoord", _numbers(coordinates)


def _bone(k: int, bone: int, model: Any) -> Settings:
    first, count = model.skin_bonevertadr[bone], model.skin_bonevertnum[bone]
    return (
        (f"{k}/bindpos", _numbers(model.skin_bonebindpos[bone])),
        (f"{k}/bindquat", _numbers(model.skin_bonebindquat[bone])),
        (f"{k}/vertid", _numbers(model.skin_bonevertid[first : first + count])),
        (f"{k}/vertweight", _numbers(model.skin_bonevertweight[first : first + count])),
    )


def _material_of_skin(i: int, source: Source) -> Iterator[tuple[str, str]]:
    """Yield the numbers of the material of a skin, and what its texture states."""
    model = source.compiled.model
    material = model.skin_matid[i]
    if material < 0:
        return
    yield "material/name", source.names("material")[material]
    for key in ("rgba", "specular", "shininess", "emission", "reflectance", "texrepeat"):
        yield f"material/{key}", _numbers(getattr(model, f"mat_{key}")[material])
    if model.mat_texuniform[material]:
        yield "material/texuniform", "true"
    textures = color_textures(source.model.mat_texid[material])
    stated = picture_of(textures[0], source) if textures else ()
    yield from ((f"texture/{key}", text) for key, text in stated)


def _numbers(values: Any) -> str:
    """Return numbers in single precision as text with every digit."""
    return " ".join(map(str, np.ravel(values)))


def _contact(flex: Any) -> Settings:
    self_collision = int(flex.selfcollide)
    found = [
        *unless("contype", flex.contype, 1),
        *unless("conaffinity", flex.conaffinity, 1),
        *unless("condim", flex.condim, 3),
        *unless("priority", flex.priority, 0),
        *unless("friction", flex.friction.tolist(), FRICTION),
        *unless("solmix", flex.solmix, 1.0),
        *solver(flex.solref.tolist(), flex.solimp.tolist()),
        *unless("margin", flex.margin, 0.0),
        *unless("gap", flex.gap, 0.0),
    ]
    if self_collision != _AUTO:
        found.append(("selfcollide", _SELF_COLLISION[self_collision]))
    found += unless("activelayers", flex.activelayers, 1)
    found += [(name, "true") for name in ("internal", "passive") if getattr(flex, name, False)]
    return tuple((f"contact/{name}", text) for name, text in found)
