"""Soft bodies: particles that are links, and what MuJoCo computes between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loaders.mjcf.compilation.source import Source
from loaders.mjcf.elements.settings import FRICTION, solver, text_of, unless
from loaders.model import MujocoElement, Settings

_SELF_COLLISION = ("none", "narrow", "bvh", "sap", "auto")
_ELASTIC_2D = ("none", "bend", "stretch", "both")
_ORDERS = ("full", "trilinear", "quadratic")
"""Value of ``dof`` by the order of the interpolation between nodes."""
_SECTIONS = ("circle", "box")
_COLOR = [0.5, 0.5, 0.5, 1.0]
_LISTS = {
    "vertex": "vert", "element": "elem", "texcoord": "texcoord", "elemtexcoord": "elemtexcoord", "nodecoord": "node",
}  # fmt: skip
"""Field of the specification of each attribute that is a list of numbers."""


def read_soft_bodies(source: Source) -> tuple[MujocoElement, ...]:
    """Return each soft body as an element of MuJoCo; its particles are links."""
    return tuple(_soft_body(i, flex, source) for i, flex in enumerate(source.compiled.flexes))


def _soft_body(i: int, flex: Any, source: Source) -> MujocoElement:
    bodies = [("body", name) for name in flex.vertbody] + [("node", name) for name in flex.nodebody]
    return MujocoElement(
        name=flex.name or f"flex_{i}",
        section="deformable",
        tag="flex",
        settings=tuple(_settings(flex)),
        references=tuple(bodies),
        where=source.where("flex", i),
    )


def _settings(flex: Any) -> Iterator[tuple[str, str]]:
    yield "dim", str(int(flex.dim))
    yield from unless("radius", flex.radius, 0.005)
    yield from unless("rgba", [round(float(c), 7) for c in flex.rgba], _COLOR)
    yield from unless("group", flex.group, 0)
    if flex.flatskin:
        yield "flatskin", "true"
    for name, field in _LISTS.items():
        values = list(getattr(flex, field))
        if values and (name != "nodecoord" or any(values)):
            yield name, " ".join(str(x) for x in values) if name.startswith("elem") else text_of(values)
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


def _contact(flex: Any) -> Settings:
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
        *([("selfcollide", _SELF_COLLISION[int(flex.selfcollide)])] if int(flex.selfcollide) != 4 else []),
        *unless("activelayers", flex.activelayers, 1),
        *([("internal", "true")] if getattr(flex, "internal", False) else []),
        *([("passive", "true")] if getattr(flex, "passive", 0) else []),
    ]
    return tuple((f"contact/{name}", text) for name, text in found)
