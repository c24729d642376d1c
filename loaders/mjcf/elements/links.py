"""Links: the bodies of a compiled model, with their inertia and shapes."""

from __future__ import annotations

from collections.abc import Iterator

from loaders.mjcf.compilation.rows import inertias
from loaders.mjcf.compilation.source import Source, unique
from loaders.model import WORLD, Joint, Link
from loaders.spatial import IDENTITY

from .geoms import shapes_by_body
from .joints import Chain, chain_of, joints_of
from .settings import text_of, unless


def read_links(name: str, source: Source) -> tuple[list[Link], list[Joint]]:
    """Return the links and the joints of a model, each body after its parent.

    Geoms of the world belong to a link named ``world``.

    Args:
        name: Name of the model.
        source: The compiled model.
    """
    shapes = shapes_by_body(source)
    taken = set(source.names("body"))
    links, joints = [], []
    poses = [IDENTITY]
    massive = inertias(source.model)
    if 0 in shapes:
        links.append(Link(name=WORLD, model=name, X_WL=IDENTITY, collisions=shapes[0][0], visuals=shapes[0][1]))
    for body in range(1, source.model.nbody):
        chain = chain_of(body, source)
        X_WB = poses[source.model.body_parentid[body]] @ chain.X_PB
        poses.append(X_WB)
        collisions, visuals = shapes.get(body, ((), ()))
        link = Link(
            name=source.names("body")[body],
            model=name,
            X_WL=X_WB,
            inertia=massive[body],
            collisions=collisions,
            visuals=visuals,
            gravity=bool(source.model.body_gravcomp[body] != 1.0),
            mujoco=(*unless("gravcomp", _compensation(body, source), 0.0), *_axes(body, source)),
            kinematic=bool(source.model.body_mocapid[body] >= 0),
            where=source.where("body", body),
        )
        virtual = [_virtual(link, j, taken, source) for j in chain.joints[:-1]]
        links += [*virtual, link]
        joints += _connections(body, chain, [*(v.name for v in virtual), link.name], source)
    return links, joints


def _compensation(body: int, source: Source) -> float:
    """Return the part of the gravity that a body compensates; 0 if it is all, which is a field of the link."""
    part = float(source.model.body_gravcomp[body])
    return 0.0 if part == 1.0 else part


def _axes(body: int, source: Source) -> Iterator[tuple[str, str]]:
    """Yield the principal axes and moments of a body, if they are not those of its link.

    The inertia determines them within rounding only, and not at all where moments are equal. MuJoCo's motion depends
    on their choice: fluids act on a box along them, and they decide whether it neglects a small offset of the center of
    mass.
    """
    model = source.model
    quaternion = model.body_iquat[body]
    if any(quaternion[1:]):
        yield "inertial/quat", text_of(quaternion)
        yield "inertial/diaginertia", text_of(model.body_inertia[body])


def _virtual(link: Link, j: int, taken: set[str], source: Source) -> Link:
    """Return the massless link that a joint carries which is not the last one of its body."""
    name = unique(f"{link.name}_{source.names('joint')[j]}", taken)
    return Link(name=name, model=link.model, X_WL=link.X_WL, virtual=True, where=source.where("joint", j))


def _connections(body: int, chain: Chain, links: list[str], source: Source) -> list[Joint]:
    if source.model.body_mocapid[body] >= 0:
        return []
    parent = source.link(int(source.model.body_parentid[body]))
    return joints_of(body, chain, [parent, *links], source)
