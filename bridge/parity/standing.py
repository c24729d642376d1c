"""A model as one rigid thing above a plane, and where its lowest point is: by its shapes alone, no engine asked."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

from bridge.bodies import ROOT, Body
from bridge.mechanism import Mechanism
from bridge.shapes import Reach, reach, reach_of_points
from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import (
    Collision,
    Empty,
    FilterGroup,
    FilterRule,
    Geometry,
    Joint,
    JointType,
    Link,
    Mesh,
    Model,
    Physics,
    Plane,
    Scene,
)
from loaders.spatial import IDENTITY, Pose

CLEARANCE = 1e-3
"""How far above the plane it starts [m]."""
LIGHTEST = 1e-5
"""Mass below which a tree only stands for one without mass [kg]."""
GROUND = "ground of the proof"
"""The plane's link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The heaviest tree of a model, its joints held, above a plane."""

    scene: Scene
    yielding: float
    """How deep its own stiffness lets it sink, at most [m]."""
    shapes: tuple[tuple[str, Pose, Reach], ...]

    def lowest(self, poses: Mapping[str, Pose]) -> tuple[float, str]:
        """Height of the lowest point of all shapes over the plane [m], and its link."""
        heights = []
        for link, X_LG, reaches in self.shapes:
            X_WG = poses[link] @ X_LG
            heights.append((float(X_WG.p[2]) - reaches(-X_WG.R[2]), link))
        return min(heights)


def standing(mechanism: Mechanism) -> Standing | str:
    """The model above a plane, or why it cannot stand there."""
    tree = _heaviest(mechanism)
    if not tree:
        return "no tree of links has both mass and shapes that touch"
    links = [dataclasses.replace(body.link, inertia=body.inertia) for body in tree]
    shapes = []
    for link in links:
        for collision in filter(_touches, link.collisions):
            reaches = _reach(collision.geometry)
            if reaches is None:
                return f"{type(collision.geometry).__name__.lower()} of {link.name} has no lowest point"
            shapes.append((link.name, collision.X_LG, reaches))
    poses = mechanism.link_poses({})
    stood = Standing(scene=mechanism.scene, yielding=_yielding(links), shapes=tuple(shapes))
    height, _ = stood.lowest(poses)
    lift = Pose.of(p=(0.0, 0.0, CLEARANCE - height))
    return dataclasses.replace(stood, scene=_held(links, {name: lift @ pose for name, pose in poses.items()}))


def _touches(collision: Collision) -> bool:
    surface = collision.surface
    return bool(surface.collide_bitmask) and not surface.collide_without_contact


def _heaviest(mechanism: Mechanism) -> list[Body]:
    trees: list[list[Body]] = []
    of: list[int] = []
    for body in mechanism.bodies:
        of.append(len(trees) if body.parent == ROOT else of[body.parent])
        if body.parent == ROOT:
            trees.append([])
        trees[of[-1]].append(body)
    standing = [
        tree for tree in trees
        if tree[0].joint is not None and tree[0].link.gravity and sum(b.inertia.mass for b in tree) > LIGHTEST
        and any(_touches(c) and not isinstance(c.geometry, Empty) for b in tree for c in b.link.collisions)
    ]  # fmt: skip
    return max(standing, key=lambda tree: sum(body.inertia.mass for body in tree), default=[])


def _held(links: list[Link], poses: Mapping[str, Pose]) -> Scene:
    """All links welded to the first, which is free; none touches another."""
    names = [link.name for link in links]
    root = poses[names[0]]
    moved = [
        dataclasses.replace(
            link, model="held", X_WL=poses[link.name], visuals=(), sensors=(), gravity=True, kinematic=False
        )
        for link in links
    ]
    welds = [
        Joint(name=f"weld {name}", type=JointType.FIXED, parent=names[0], child=name,
              X_PJ=root.inverse() @ poses[name], X_CJ=IDENTITY)
        for name in names[1:]
    ]  # fmt: skip
    plane = Collision(name="plane", X_LG=IDENTITY, geometry=Plane())
    ground = Link(name=GROUND, model=GROUND, X_WL=IDENTITY, collisions=(plane,))
    models = (
        Model(name=GROUND, X_WM=IDENTITY, canonical_link=GROUND, static=True),
        Model(name="held", X_WM=IDENTITY, canonical_link=names[0]),
    )
    return Scene(
        name="standing", models=models, links=(ground, *moved), joints=tuple(welds), physics=Physics(),
        filter_groups=(FilterGroup(name="held", links=tuple(names)),), filter_rules=(FilterRule(a="held", b="held"),),
    )  # fmt: skip


def _yielding(links: list[Link]) -> float:
    weight = 9.8 * sum(link.inertia.mass for link in links if link.inertia is not None)
    surfaces = [collision.surface for link in links for collision in link.collisions]
    springs = [surface.stiffness for surface in surfaces if surface.stiffness]
    return 2.0 * weight / min(springs) if springs else 0.0


# --- how far shapes reach --------------------------------------------------------------------------------------------


def _reach(shape: Geometry) -> Reach | None:
    """None for what has no lowest point."""
    if isinstance(shape, Mesh):
        data = read_mesh(shape, Diagnostics())
        return (lambda _d: -math.inf) if data is None else reach_of_points(data.vertices)
    return reach(shape)
