"""Links: the bodies of a compiled model, with their inertia and shapes."""

from __future__ import annotations

from typing import Any

from loaders.mjcf.compilation.rows import inertias
from loaders.mjcf.compilation.source import Source, unique
from loaders.model import WORLD, Joint, Link, Settings
from loaders.reading.makers import maker
from loaders.spatial import IDENTITY

from .geoms import Shapes, shapes_by_body
from .joints import chain_of, joints_of
from .settings import text_of

_Link = maker(Link)
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
    taken = set(names)
    links: list[Link] = []
    joints: list[Joint] = []
    poses = [IDENTITY]
    if 0 in shapes:
        links.append(_Link(name=WORLD, model=name, X_WL=IDENTITY, collisions=shapes[0][0], visuals=shapes[0][1]))
    for body in range(1, model.nbody):
        chain = chain_of(body, source)
        X_WB = poses[model.body_parentid[body]] @ chain.X_PB
        poses.append(X_WB)
        collisions, visuals = shapes.get(body, _NO_SHAPES)
        compensation = model.body_gravcomp[body]
        link = _Link(
            name=names[body],
            model=name,
            X_WL=X_WB,
            inertia=massive[body],
            collisions=collisions,
            visuals=visuals,
            gravity=compensation != 1.0,
            mujoco=_settings(body, compensation, model),
            kinematic=model.body_mocapid[body] >= 0,
            where=places[body],
        )
        virtual = [_virtual(link, j, taken, source) for j in chain.joints[:-1]]
        links += [*virtual, link]
        if not link.kinematic:
            parent = source.link(model.body_parentid[body])
            joints += joints_of(body, chain, [parent, *(v.name for v in virtual), link.name], source)
    return links, joints


def _settings(body: int, compensation: float, model: Any) -> Settings:
    """Return a part of the gravity that a body compensates, unless it is all, and its principal axes and moments.

    The axes and moments are stated if they are not those of the link. The inertia determines them within rounding only,
    and not at all where moments are equal. MuJoCo's motion depends on their choice: fluids act on a box along them, and
    they decide whether it neglects a small offset of the center of mass.
    """
    part = (("gravcomp", text_of(compensation)),) if compensation not in {0.0, 1.0} else ()
    axes = model.body_iquat[body]
    if not any(axes[1:]):
        return part
    moments = model.body_inertia[body]
    return (*part, ("inertial/quat", text_of(axes)), ("inertial/diaginertia", text_of(moments)))


def _virtual(link: Link, j: int, taken: set[str], source: Source) -> Link:
    """Return the massless link that a joint carries which is not the last one of its body."""
    name = unique(f"{link.name}_{source.names('joint')[j]}", taken)
    return _Link(name=name, model=link.model, X_WL=link.X_WL, virtual=True, where=source.where("joint", j))
