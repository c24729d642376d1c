"""Kinematic loops: the joint at which each is opened, and what closes it again.

A ball joint that only connects is closed by a pin, such a hinge by two, a weld by a weld. For every other joint the
link at one of its ends is split: the joint keeps its place in a tree and carries a part of the link, with an equal
share of the inertia, which a weld holds to the rest. So it keeps what it has: its position, limits, damping and drive.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import WORLD, Joint, JointAxis, JointType, Link, by_name
from loaders.scene import Scene
from loaders.scene_queries.connectivity import connected_components, is_weld, static_links
from loaders.scene_queries.scoped_names import local_name
from loaders.spatial import IDENTITY, Pose, SpatialInertia, frozen

NO_EDGES = frozenset({JointType.FLOATING, JointType.GEARBOX})
"""Joints that hold nothing together: the one constrains nothing, the other couples two other joints."""
_PINNED = {JointType.BALL: 4, JointType.REVOLUTE: 3, JointType.CONTINUOUS: 3}
"""Joints that pins can close, if they only connect; the higher, the sooner."""
_WELD_OF_BODIES, _SPLIT, _WELD = 2, 1, 0
"""A weld between links with mass is easy to hold; one that carries a mere frame stays, as does one to the world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A scene whose joints make trees, and what closes its loops."""

    scene: Scene
    """With the parts of links that are split, and joints that carry them."""
    tree: tuple[Joint, ...]
    closures: tuple[Joint, ...]
    """Welds, hinges and balls between links of ``scene``, named after the joint that each loop is opened at."""


@dataclass(frozen=True, slots=True)
class _SplitLink:
    """A link that is split for a joint, and the link welded to it whose inertia is shared; itself, mostly."""

    joint: Joint
    end: str
    bearer: str | None


def cut_loops(scene: Scene, diagnostics: Diagnostics) -> Opened:
    """Open every loop, deterministically and in near-linear time.

    Of each loop the joint that is easiest to hold as a constraint is chosen, the last in the scene among equals.
    """
    movable = [joint for joint in scene.joints if joint.type not in NO_EDGES]
    ranks = _Ranks(scene)
    kept = _kept(scene, sorted(movable, key=ranks.of))
    left = [joint for joint in movable if joint.name not in kept]
    if not left:
        return Opened(scene=scene, tree=tuple(movable), closures=())
    bearers = _InertiaCarriers(scene, kept)
    loops = [joint for joint in left if not bearers.is_dead(joint)]
    cuts = {cut.joint.name: cut for joint in loops for cut in bearers.cut(joint, ranks.of(joint))}
    _report_dead(scene, [joint for joint in left if bearers.is_dead(joint)], diagnostics)
    for joint in loops:
        _report(joint, cuts.get(joint.name), diagnostics)
    return _split(scene, kept, loops, list(cuts.values()))


def _report(joint: Joint, cut: _SplitLink | None, diagnostics: Diagnostics) -> None:
    if cut is None:
        how = "it becomes a constraint, not a degree of freedom"
    else:
        how = f"it carries a part of link {cut.end}, which a constraint welds to the rest"
    diagnostics.add(
        Fate.NOTED,
        "lower.loop",
        "joint {joint} closes a kinematic loop; {how}",
        joint.where,
        subjects=(joint.name,),
        joint=joint.name,
        how=how,
    )


def _report_dead(scene: Scene, dead: list[Joint], diagnostics: Diagnostics) -> None:
    static = {WORLD, *static_links(scene)}
    for joint in dead:
        if not (is_weld(joint) and {joint.parent, joint.child} <= static):
            diagnostics.add(
                Fate.NOTED,
                "lower.static-joint",
                "joint {joint} does not move: its links are static, or welded together",
                joint.where,
                subjects=(joint.name,),
                joint=joint.name,
            )


# --- where to open ---------------------------------------------------------------------------------------------------


class _Ranks:
    """How well each joint can be left out: the higher, the sooner."""

    def __init__(self, scene: Scene) -> None:
        self._used = {name for c in scene.couplings for name in (c.follower, c.leader)}
        self._used |= {actuator.joint for actuator in scene.actuators}
        self._used |= {name for c in scene.constraints for name in getattr(c, "joints", ())}
        self._references = {joint.gear_reference for joint in scene.joints if joint.type is JointType.GEARBOX}
        self._heavy = {link.name for link in scene.links if _has_mass(link)}

    def of(self, joint: Joint) -> int:
        bare = self._only_connects(joint)
        if joint.type is JointType.FIXED:
            return _WELD_OF_BODIES if bare and {joint.parent, joint.child} <= self._heavy else _WELD
        return _PINNED.get(joint.type, _SPLIT) if bare else _SPLIT

    def _only_connects(self, joint: Joint) -> bool:
        """Whether nothing acts along it, measures it or starts it elsewhere."""
        geared = joint.parent in self._references
        said = joint.name in self._used or joint.sensors or joint.provide_feedback or any(joint.default_position)
        return not (geared or said or any(_acts(axis) for axis in joint.axes))


def _acts(axis: JointAxis) -> bool:
    limited = axis.lower > -math.inf or axis.upper < math.inf
    return limited or bool(axis.damping or axis.friction or axis.spring_stiffness)


def _kept(scene: Scene, ranked: Iterable[Joint]) -> set[str]:
    """Names of the joints that make trees."""
    sets = _Partition([WORLD, *(link.name for link in scene.links)])
    for name in static_links(scene):
        sets.join(name, WORLD)
    return {joint.name for joint in ranked if sets.join(joint.parent, joint.child)}


class _Partition:
    """Disjoint sets of names, joined as edges are found."""

    def __init__(self, names: Iterable[str]) -> None:
        self._parent = {name: name for name in names}

    def find(self, name: str) -> str:
        root = name
        while self._parent[root] != root:
            root = self._parent[root]
        while self._parent[name] != root:
            self._parent[name], name = root, self._parent[name]
        return root

    def join(self, a: str, b: str) -> bool:
        """Join the sets of both; False if they are one already."""
        a, b = self.find(a), self.find(b)
        self._parent[a] = b
        return a != b


# --- links that are split --------------------------------------------------------------------------------------------


def _has_mass(link: Link) -> bool:
    if link.inertia is None or link.inertia.mass <= 0.0:
        return False
    return bool(link.inertia.I_Lcm.diagonal().min() > 0.0)


class _InertiaCarriers:
    """Who shares its inertia with the part of a link that a joint carries."""

    def __init__(self, scene: Scene, kept: set[str]) -> None:
        heavy = {link.name for link in scene.links if _has_mass(link)}
        groups = connected_components(scene, lambda joint: is_weld(joint) and joint.name in kept)
        self._group = {name: group for group in groups for name in group}
        self._still = self._group[WORLD]
        self._heaviest = {id(group): next((name for name in group if name in heavy), None) for group in groups}
        self._heavy = heavy

    def is_dead(self, joint: Joint) -> bool:
        """Whether welds hold both ends together anyway."""
        return self._group[joint.parent] is self._group[joint.child]

    def cut(self, joint: Joint, rank: int) -> Iterator[_SplitLink]:
        """The link to split, the child if it can be; none where a weld or pins close the loop."""
        if is_weld(joint) or rank > _SPLIT:
            return
        ends = [end for end in (joint.child, joint.parent) if self._group[end] is not self._still]
        end = next((end for end in ends if self._of(end)), ends[0])
        if self._of(end) or joint.type not in _PINNED:
            yield _SplitLink(joint, end, self._of(end))

    def _of(self, end: str) -> str | None:
        return end if end in self._heavy else self._heaviest[id(self._group[end])]


def _split(scene: Scene, kept: set[str], loops: list[Joint], cuts: list[_SplitLink]) -> Opened:
    links = by_name(scene.links)
    count = Counter(cut.bearer for cut in cuts)
    shared = {name: _shared(link, 1 + count[name]) if count[name] else link for name, link in links.items()}
    parts: dict[str, Link] = {}
    carrying: dict[str, Joint] = {}
    welds: dict[str, Joint] = {}
    for cut in cuts:
        part = _part(cut, shared, {*links, *parts})
        parts[part.name] = part
        carrying[cut.joint.name], welds[cut.joint.name] = _carried(cut, part.name)
    joints = tuple(carrying.get(joint.name, joint) for joint in scene.joints)
    return Opened(
        scene=dataclasses.replace(scene, links=(*shared.values(), *parts.values()), joints=joints),
        tree=tuple(joint for joint in joints if joint.name in kept or joint.name in carrying),
        closures=tuple(welds.get(joint.name, joint) for joint in loops),
    )


def _shared(link: Link, count: int) -> Link:
    """One of ``count`` equal parts of a link's inertia, in the same place."""
    whole = link.inertia
    if whole is None:
        return link
    return dataclasses.replace(
        link, inertia=SpatialInertia(whole.mass / count, whole.p_LLcm, frozen(whole.I_Lcm / count))
    )


def _part(cut: _SplitLink, shared: dict[str, Link], taken: set[str]) -> Link:
    """The part of a link that a joint carries: it has nothing but inertia."""
    link, name = shared[cut.end], f"{cut.end}_at_{local_name(cut.joint.name)}"
    while name in taken:
        name += "_"
    inertia, gravity = None, link.gravity
    if cut.bearer is not None:
        bearer = shared[cut.bearer]
        X_LB = link.X_WL.inverse() @ bearer.X_WL
        inertia, gravity = bearer.inertia, bearer.gravity
        if inertia is not None and cut.bearer != cut.end:
            inertia = inertia.moved(X_LB)
    return dataclasses.replace(
        link,
        name=name,
        X_WL=_at_zero(cut, shared),
        inertia=inertia,
        gravity=gravity,
        collisions=(),
        visuals=(),
        sensors=(),
    )


def _at_zero(cut: _SplitLink, links: dict[str, Link]) -> Pose:
    """Where the joint has the part at its zero: on the link, unless the source has the loop open there."""
    joint = cut.joint
    if cut.end == joint.child:
        X_OJ, X_LJ, other = joint.X_PJ, joint.X_CJ, joint.parent
    else:
        X_OJ, X_LJ, other = joint.X_CJ, joint.X_PJ, joint.child
    X_WO = IDENTITY if other == WORLD and WORLD not in links else links[other].X_WL
    return X_WO @ X_OJ @ X_LJ.inverse()


def _carried(cut: _SplitLink, part: str) -> tuple[Joint, Joint]:
    """The joint with the part in the place of the link, and the weld of both, where the joint is."""
    joint, is_child = cut.joint, cut.end == cut.joint.child
    carrying = dataclasses.replace(joint, child=part) if is_child else dataclasses.replace(joint, parent=part)
    X_LJ = joint.X_CJ if is_child else joint.X_PJ
    weld = Joint(
        name=joint.name, type=JointType.FIXED, parent=cut.end, child=part, X_PJ=X_LJ, X_CJ=X_LJ, where=joint.where
    )
    return carrying, weld
