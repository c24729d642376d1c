"""The rest scenario: a model as one rigid body above a plane, and the height of its lowest point from its shapes."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bridge.geometry.support import SupportFunction, support_function, support_of_points
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
"""Initial height of the lowest point above the plane [m]."""
MIN_MASS = 1e-5
"""Mass up to which a tree of links counts as massless [kg]."""
GROUND = "parity ground"
"""The name of the link with the plane."""
CONTACT_SOFTNESS = (0.95 * 0.02) ** 2 * (1.0 - 0.9) / 0.9**2
"""Penetration at rest over the weight per inverse mass, of MuJoCo's default contacts [s^2].

It follows from the default ``solref`` time constant of 0.02 s and ``solimp`` impedances of 0.9 and 0.95. No default
contact of another engine is softer.
"""
G = 9.8
"""Gravity in all contact scenarios [m/s^2]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestScenario:
    """The heaviest tree of a model as one rigid body above a plane.

    Attributes:
        scene: The scene to simulate.
        allowed_penetration: Penetration of each link if it carries the whole weight [m].
        shapes: Link, pose on the link and support function of each collision shape.
    """

    scene: Scene
    allowed_penetration: Mapping[str, float]
    shapes: tuple[tuple[str, Pose, SupportFunction], ...]

    def lowest(self, poses: Mapping[str, Pose]) -> tuple[float, str]:
        """Return the height of the lowest point of all shapes above the plane [m], and its link."""
        heights = []
        for link, X_LG, support in self.shapes:
            X_WG = poses[link] @ X_LG
            heights.append((float(X_WG.p[2]) - support(-X_WG.R[2]), link))
        return min(heights)

    def size(self) -> float:
        """Return the longest edge of the bounding box [m]."""
        poses = {link.name: link.X_WL for link in self.scene.links}
        placed = [(poses[link] @ X_LG, support) for link, X_LG, support in self.shapes]
        edges = []
        for axis in np.eye(3):
            ends = [
                [sign * float(axis @ X.p) + support(sign * X.R.T @ axis) for X, support in placed] for sign in (1, -1)
            ]
            edges.append(max(ends[0]) + max(ends[1]))
        return max(edges)


def rest_scenario(mechanism: Mechanism) -> RestScenario | str:
    """Return the rest scenario of a model, or the reason why there is none."""
    tree = _heaviest_tree(mechanism)
    if not tree:
        return "no tree of links has both mass and collision shapes"
    links = [dataclasses.replace(body.link, inertia=body.inertia) for body in tree]
    shapes = []
    for link in links:
        for collision in filter(_collides, link.collisions):
            support = _support(collision.geometry)
            if support is None:
                return f"the {type(collision.geometry).__name__.lower()} of link {link.name} has no lowest point"
            shapes.append((link.name, collision.X_LG, support))
    poses = mechanism.link_poses({})
    penetration = _allowed_penetration(links, poses)
    scenario = RestScenario(scene=mechanism.scene, allowed_penetration=penetration, shapes=tuple(shapes))
    height, _ = scenario.lowest(poses)
    if not math.isfinite(height):
        return "none of the meshes of the collision shapes can be read"
    lift = Pose.of(p=(0.0, 0.0, CLEARANCE - height))
    return dataclasses.replace(scenario, scene=_rigid_scene(links, {name: lift @ pose for name, pose in poses.items()}))


def _collides(collision: Collision) -> bool:
    surface = collision.surface
    return bool(surface.collide_bitmask) and not surface.collide_without_contact


def _heaviest_tree(mechanism: Mechanism) -> list[Body]:
    """The heaviest tree that has collision shapes and can fall; empty if there is none."""
    trees: list[list[Body]] = []
    tree_of: list[int] = []
    for body in mechanism.bodies:
        tree_of.append(len(trees) if body.parent == ROOT else tree_of[body.parent])
        if body.parent == ROOT:
            trees.append([])
        trees[tree_of[-1]].append(body)
    suitable = [
        tree for tree in trees
        if tree[0].joint is not None and tree[0].link.gravity and sum(b.inertia.mass for b in tree) > MIN_MASS
        and any(_collides(c) and not isinstance(c.geometry, Empty) for b in tree for c in b.link.collisions)
    ]  # fmt: skip
    return max(suitable, key=lambda tree: sum(body.inertia.mass for body in tree), default=[])


def _rigid_scene(links: list[Link], poses: Mapping[str, Pose]) -> Scene:
    """All links welded to the first one, which is free, without collisions among them."""
    names = [link.name for link in links]
    root = poses[names[0]]
    moved = [
        dataclasses.replace(
            link, model="rigid", X_WL=poses[link.name], visuals=(), sensors=(), gravity=True, kinematic=False
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
        Model(name="rigid", X_WM=IDENTITY, canonical_link=names[0]),
    )
    return Scene(
        name="rest", models=models, links=(ground, *moved), joints=tuple(welds), physics=Physics(),
        filter_groups=(FilterGroup(name="rigid", links=tuple(names)),),
        filter_rules=(FilterRule(a="rigid", b="rigid"),),
    )  # fmt: skip


def _allowed_penetration(links: Sequence[Link], poses: Mapping[str, Pose]) -> dict[str, float]:
    """The penetration that the softness of the engines and the stiffness of each link allow [m].

    The softness of a contact is multiplied by the inverse mass of the body at the link's center of mass, averaged over
    three directions, which grows with the distance from the center of mass of the body.
    """
    inertias = {link.name: link.inertia.moved(poses[link.name]) for link in links if link.inertia is not None}
    total = functools.reduce(operator.add, inertias.values())
    inverse = np.linalg.pinv(total.I_Lcm, hermitian=True)
    penetration = {}
    for link in links:
        lever = skew(inertias[link.name].p_LLcm - total.p_LLcm) if link.name in inertias else np.zeros((3, 3))
        softness = CONTACT_SOFTNESS * (1.0 + total.mass * float(np.trace(lever @ inverse @ lever.T)) / 3.0)
        springs = [c.surface.stiffness for c in link.collisions if c.surface.stiffness]
        penetration[link.name] = G * (softness + (total.mass / min(springs) if springs else 0.0))
    return penetration


# --- shapes ----------------------------------------------------------------------------------------------------------


def _support(shape: Geometry) -> SupportFunction | None:
    """The support function of a shape; None if it has no lowest point."""
    if isinstance(shape, Mesh):
        data = read_mesh(shape, Diagnostics())
        return (lambda _d: -math.inf) if data is None else support_of_points(data.vertices)
    return support_function(shape)
