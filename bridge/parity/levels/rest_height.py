"""A model as one rigid thing above a plane, and where its lowest point is: by its shapes alone, no engine asked."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.geometry.tessellation import SupportFunction, reach_of_points, support_function
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body
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
)
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Pose, skew

CLEARANCE = 1e-3
"""How far above the plane it starts [m]."""
LIGHTEST = 1e-5
"""Mass below which a tree only stands for one without mass [kg]."""
GROUND = "ground of the proof"
"""The plane's link."""
SOFTNESS = (0.95 * 0.02) ** 2 * (1.0 - 0.9) / 0.9**2
"""Of MuJoCo's contacts [s^2], unless told otherwise: at rest a mass lies this times its weight by its mass deep.

From its ``solref`` of 0.02 s and its least impedance of 0.9 and greatest of 0.95: nothing that an engine here has by
itself is softer.
"""
G = 9.8
"""[m/s^2]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The heaviest tree of a model, its joints held, above a plane."""

    scene: Scene
    sinks: Mapping[str, float]
    """How deep each link may lie if it bears the whole weight [m]."""
    shapes: tuple[tuple[str, Pose, SupportFunction], ...]

    def lowest(self, poses: Mapping[str, Pose]) -> tuple[float, str]:
        """Height of the lowest point of all shapes over the plane [m], and its link."""
        heights = []
        for link, X_LG, reaches in self.shapes:
            X_WG = poses[link] @ X_LG
            heights.append((float(X_WG.p[2]) - reaches(-X_WG.R[2]), link))
        return min(heights)

    def size(self) -> float:
        """The longest edge of its bounding box [m]."""
        poses = {link.name: link.X_WL for link in self.scene.links}
        placed = [(poses[link] @ X_LG, reaches) for link, X_LG, reaches in self.shapes]
        edges = []
        for axis in np.eye(3):
            ends = [
                [sign * float(axis @ X.p) + reaches(sign * X.R.T @ axis) for X, reaches in placed] for sign in (1, -1)
            ]
            edges.append(max(ends[0]) + max(ends[1]))
        return max(edges)


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
    stood = Standing(scene=mechanism.scene, sinks=_sinks(links, poses), shapes=tuple(shapes))
    height, _ = stood.lowest(poses)
    if not math.isfinite(height):
        return "none of the shapes that touch can be read"
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


def _sinks(links: Sequence[Link], poses: Mapping[str, Pose]) -> dict[str, float]:
    """By the softness of an engine and by the stiffness of the link.

    A contact's softness counts for the inverse mass that the body has at the link's centre of mass, the mean over three
    directions: a lever makes it softer.
    """
    inertias = {link.name: link.inertia.moved(poses[link.name]) for link in links if link.inertia is not None}
    whole = functools.reduce(operator.add, inertias.values())
    inverse = np.linalg.pinv(whole.I_Lcm, hermitian=True)
    sinks = {}
    for link in links:
        lever = skew(inertias[link.name].p_LLcm - whole.p_LLcm) if link.name in inertias else np.zeros((3, 3))
        softness = SOFTNESS * (1.0 + whole.mass * float(np.trace(lever @ inverse @ lever.T)) / 3.0)
        springs = [c.surface.stiffness for c in link.collisions if c.surface.stiffness]
        sinks[link.name] = G * (softness + (whole.mass / min(springs) if springs else 0.0))
    return sinks


# --- how far shapes reach --------------------------------------------------------------------------------------------


def _reach(shape: Geometry) -> SupportFunction | None:
    """None for what has no lowest point."""
    if isinstance(shape, Mesh):
        data = read_mesh(shape, Diagnostics())
        return (lambda _d: -math.inf) if data is None else reach_of_points(data.vertices)
    return support_function(shape)
