"""A mechanism as PyBullet's bodies: one articulation for each, one segment for each of its links.

PyBullet puts a link's frame where its joint is and gives every joint at most one axis. Hence a segment's frame S is
the joint frame M of the link that it carries, and a joint of several primitives is a chain of segments, massless but
for the last. What the source calls a link keeps its own frame by its offset, ``X_SL``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, Primitive, PrimitiveKind
from bridge.mechanism.coordinates import default_position, kind_of
from bridge.mechanism.target_names import primitive_names
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import WORLD
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import outermost_scope, root_model
from loaders.spatial import IDENTITY, Pose, SpatialInertia

from .inertia_guards import guarded
from .partitioning import Piece, fitting
from .segments import BASE, TARGET, Part, Segment
from .urdf_names import Names

_MASSLESS = SpatialInertia.of(0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Articulation:
    """One body of PyBullet's."""

    model: str
    """Name of the outermost model that it belongs to."""
    mechanism: Mechanism
    """What of the whole mechanism it holds."""
    is_fixed: bool
    X_WS: Pose
    """Placement of the base segment."""
    segments: tuple[Segment, ...]
    """The segment at PyBullet's index ``i`` is number ``i + 1``."""
    drives: tuple[tuple[int, ...], ...]
    """For each body of the mechanism, PyBullet's indices of its primitives; empty if it is welded or free."""
    places: dict[str, tuple[int, Pose]]
    """For each link, PyBullet's index of its segment and ``X_SL``."""
    joints: dict[str, int]
    """PyBullet's indices by joint name; a joint of several primitives also by its own name, for the last of them."""
    seam: str | None
    """The link, on another body, of which the base is the other part; see `bridge.bullet.urdf.partitioning`."""

    @property
    def has_ball(self) -> bool:
        """Whether one of its joints is a ball."""
        return any(kind_of(body) is PrimitiveKind.BALL for body in self.mechanism.bodies)

    @property
    def is_free(self) -> bool:
        """Whether its base moves."""
        return not self.is_fixed


def articulate(mechanism: Mechanism, diagnostics: Diagnostics) -> list[Articulation]:
    """The bodies that PyBullet needs: one for each free tree, and one for what a model fixes to the world."""
    found = []
    for model, indices in _groups(mechanism):
        pieces = fitting(mechanism, indices, model, diagnostics)
        found += [_build(piece, model, diagnostics) for piece in pieces]
    return found


# --- what becomes one body -------------------------------------------------------------------------------------------


def _groups(mechanism: Mechanism) -> list[tuple[str, list[int]]]:
    """Outermost model and body indices of each PyBullet body, in the order of the mechanism."""
    tops = _top_models(mechanism.scene)
    groups: dict[tuple[str, int], list[int]] = {}
    for i in range(len(mechanism.bodies)):
        root = mechanism.root_of(i)
        body = mechanism.bodies[root]
        key = (tops.get(body.link.model, body.link.model), root if kind_of(body) is PrimitiveKind.FREE else ROOT)
        groups.setdefault(key, []).append(i)
    return [(model, indices) for (model, _), indices in groups.items()]


def _top_models(scene: Scene) -> dict[str, str]:
    """The outermost model of each model."""
    root = root_model(scene)
    return {model.name: outermost_scope(model.name) if root is None else root.name for model in scene.models}


# --- segments --------------------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A segment while links are still being added to it."""

    name: str
    joint: str = ""
    parent: int = BASE
    X_PJ: Pose = IDENTITY
    primitive: Primitive | None = None
    leads: bool = True
    inertia: SpatialInertia = _MASSLESS
    parts: list[Part] = field(default_factory=list)

    def carry(self, body: Body, X_SL: Pose) -> None:
        """Add a link of the scene."""
        self.parts.append(Part(body.link, X_SL))
        added = body.inertia.moved(X_SL)
        self.inertia = self.inertia + added if len(self.parts) > 1 else added

    def finished(self) -> Segment:
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return Segment(**(values | {"parts": tuple(self.parts)}))


@dataclass(slots=True)
class _Drafts:
    """An articulation in the making."""

    mechanism: Mechanism
    names: Names
    X_WS: Pose = IDENTITY
    segments: list[_Draft] = field(default_factory=list)
    drives: list[tuple[int, ...]] = field(default_factory=list)
    places: dict[str, tuple[int, Pose]] = field(default_factory=dict)
    joints: dict[str, int] = field(default_factory=dict)

    def place(self, body: Body, index: int, X_SL: Pose) -> None:
        self.segments[index + 1].carry(body, X_SL)
        self.places[body.name] = (index, X_SL)

    def carrier(self, body: Body) -> tuple[int, Pose]:
        """PyBullet's index of the segment that a body hangs from, and its ``X_SF``."""
        if body.parent == ROOT:
            return BASE, self.X_WS.inverse() @ body.X_PF
        index, X_SP = self.places[self.mechanism.bodies[body.parent].name]
        return index, X_SP @ body.X_PF

    def hang(self, body: Body) -> None:
        """Add a body by a chain of one segment for each of its primitives, or by a weld."""
        parent, X_PJ = self.carrier(body)
        steps: tuple[Primitive | None, ...] = body.primitives or (None,)
        names = primitive_names(body) if body.primitives else (body.joint or f"{body.name}_weld",)
        first = len(self.segments) - 1
        leaders = set(_leaders(body.primitives))
        for k, (step, name) in enumerate(zip(steps, names, strict=True)):
            index = len(self.segments) - 1
            last = k == len(steps) - 1
            joint = self.names.joint(name, exact=name == body.joint)
            link = self.names.link(body.name, exact=True) if last else self.names.link(f"{name}_link")
            draft = _Draft(name=link, joint=joint, parent=parent, X_PJ=X_PJ, primitive=step, leads=k in leaders)
            self.segments.append(draft)
            self.joints[name] = index
            parent, X_PJ = index, IDENTITY
        if body.joint is not None:
            self.joints.setdefault(body.joint, len(self.segments) - 2)
        self.drives.append(tuple(range(first, first + len(body.primitives))))
        self.place(body, len(self.segments) - 2, body.X_BM.inverse())


def _leaders(primitives: tuple[Primitive, ...]) -> Iterator[int]:
    """The primitives that stand for their component: the first hinge, else the first slide."""
    for component in dict.fromkeys(p.dof_index for p in primitives):
        sharing = [k for k, p in enumerate(primitives) if p.dof_index == component]
        yield min(sharing, key=lambda k: primitives[k].kind is not PrimitiveKind.HINGE)


def _build(piece: Piece, model: str, diagnostics: Diagnostics) -> Articulation:
    mechanism = piece.mechanism
    drafts = _Drafts(mechanism, Names(_reserved(mechanism), diagnostics))
    is_free = kind_of(mechanism.bodies[0]) is PrimitiveKind.FREE
    anchor = _anchor(mechanism)
    drafts.segments.append(_base(drafts, anchor))
    for i, body in enumerate(mechanism.bodies):
        if body is anchor:
            drafts.drives.append(())
            drafts.place(body, BASE, IDENTITY)
        elif i in piece.folded:
            index, X_SF = drafts.carrier(body)
            drafts.drives.append(())
            drafts.place(body, index, X_SF @ body.X_BM.inverse())
        else:
            drafts.hang(body)
    segments = guarded(tuple(draft.finished() for draft in drafts.segments), is_free, diagnostics)
    _report_askew(drafts, is_free, diagnostics)
    return Articulation(
        model=model,
        mechanism=mechanism,
        is_fixed=not is_free,
        X_WS=drafts.X_WS,
        segments=segments,
        drives=tuple(drafts.drives),
        places=drafts.places,
        joints=drafts.joints,
        seam=piece.seam,
    )


def _reserved(mechanism: Mechanism) -> Iterable[str]:
    for body in mechanism.bodies:
        yield body.name
        if body.joint is not None:
            yield body.joint


def _anchor(mechanism: Mechanism) -> Body | None:
    """The link that is PyBullet's base: the free one; the first, if none has a joint to the world; the world's own."""
    roots = [body for body in mechanism.bodies if body.parent == ROOT]
    if kind_of(roots[0]) is PrimitiveKind.FREE or all(body.joint is None for body in roots):
        return roots[0]
    return next((body for body in roots if body.joint is None and body.name == WORLD), None)


def _base(drafts: _Drafts, anchor: Body | None) -> _Draft:
    """The base segment: the anchor where it stands, or an empty link in the world's frame."""
    if anchor is None:
        return _Draft(name=drafts.names.link(WORLD))
    drafts.X_WS = Pose.from_vector(default_position(anchor)) if kind_of(anchor) is PrimitiveKind.FREE else anchor.X_PF
    return _Draft(name=drafts.names.link(anchor.name, exact=True))


def _report_askew(drafts: _Drafts, is_free: bool, diagnostics: Diagnostics) -> None:
    if not is_free and drafts.mechanism.v_order and not drafts.X_WS.is_close(Pose.of(p=drafts.X_WS.p)):
        base = drafts.segments[0]
        message = f"the fixed base {base.name} stands askew, which calculateInverseDynamics of PyBullet forgets"
        hint = "use bias_forces and inverse_dynamics of the handle"
        diagnostics.add(Fate.NOTED, "pybullet.rotated-fixed-base", message, target=TARGET, hint=hint)
