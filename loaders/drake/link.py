"""Drake's extensions of links, collisions and visuals."""

from __future__ import annotations

import math
from dataclasses import replace

from loaders.drake import codes
from loaders.model import Z_AXIS, Friction, Hydroelastic, Surface
from loaders.model.link import ROLES
from loaders.node import Node

from .dialect import SDF, URDF, Dialect, DrakeElement, direction

_FRICTION = ("mu_static", "mu_dynamic")
_FRICTION_TAGS = {
    "drake:proximity_properties": tuple(f"drake:{key}" for key in _FRICTION),
    "drake_compliance": ("static_friction", "dynamic_friction"),
}
"""Tags of the coefficients of friction in each element that may state them."""
_COMPLIANCE = {"drake:rigid_hydroelastic": "rigid", "drake:compliant_hydroelastic": "compliant"}
_CONTACT_ELEMENTS = ("drake:proximity_properties",)
ELEMENTS_OF_URDF = (*_CONTACT_ELEMENTS, "drake_compliance")
"""Children of a collision of URDF that `read_surface` reads."""


def read_surface(collision: Node, surface: Surface, dialect: Dialect) -> Surface:
    """Return the surface of a collision with Drake's properties, which override the standard ones.

    Args:
        collision: The ``<collision>``.
        surface: The surface from the standard elements.
        dialect: The dialect of the file.
    """
    if collision.lacks(ELEMENTS_OF_URDF if dialect is URDF else _CONTACT_ELEMENTS):
        return surface
    if dialect is URDF:
        surface = _read_drake_compliance(collision, surface)
    node = collision.child("drake:proximity_properties")
    if node is None:
        return surface
    element = DrakeElement(node, dialect)
    static, dynamic = (element.maybe(key, minimum=0.0) for key in _FRICTION)
    friction = _friction(element.node, static, dynamic)
    if friction is not None and surface.friction != Friction():
        node.report(codes.TWO_FRICTIONS)
    stiffness = element.maybe("point_contact_stiffness", above=0.0)
    return replace(
        surface,
        friction=friction or surface.friction,
        stiffness=surface.stiffness if stiffness is None else stiffness,
        dissipation=element.maybe("hunt_crossley_dissipation", minimum=0.0),
        relaxation_time=element.maybe("relaxation_time", minimum=0.0),
        hydroelastic=_read_hydroelastic(element),
    )


def states_friction(link: Node) -> bool:
    """Return whether a collision of a link states friction by Drake's elements, without marking
    anything as read.
    """
    nodes = [node for collision in link.children for node in collision.children]
    return any(node.has(tag) for node in nodes for tag in _FRICTION_TAGS.get(node.tag, ()))


def _friction(node: Node, static: float | None, dynamic: float | None) -> Friction | None:
    """Return Coulomb friction; a single coefficient is used for both static and dynamic
    friction.
    """
    if static is None and dynamic is None:
        return None
    at_rest = static if static is not None else dynamic
    sliding = dynamic if dynamic is not None else static
    assert at_rest is not None and sliding is not None  # noqa: S101, PT018 - at least one is given
    if sliding > at_rest:
        node.report(codes.FRICTION_ORDER, dynamic=sliding, static=at_rest)
    return Friction(mu=sliding, mu2=sliding, mu_static=at_rest if at_rest != sliding else None)


def _read_hydroelastic(element: DrakeElement) -> Hydroelastic | None:
    node = element.node
    kinds = [kind for tag, kind in _COMPLIANCE.items() if node.child(tag) is not None]
    if len(kinds) > 1:
        node.report(codes.RIGID_AND_COMPLIANT)
    if node.child("drake:soft_hydroelastic") is not None:
        node.report(codes.SOFT_HYDROELASTIC)
    kind = kinds[0] if kinds else None
    modulus = element.maybe("hydroelastic_modulus", above=0.0)
    if kind == "rigid" and modulus is not None:
        node.report(codes.RIGID_MODULUS)
        modulus = None
    properties = Hydroelastic(
        compliance=kind,
        resolution_hint=element.maybe("mesh_resolution_hint", above=0.0),
        modulus=modulus,
        margin=element.maybe("hydroelastic_margin", minimum=0.0),
    )
    return None if properties == Hydroelastic() else properties


def _read_drake_compliance(collision: Node, surface: Surface) -> Surface:
    """Return the surface with the friction of ``<drake_compliance>``, an older element of URDF."""
    node = collision.child("drake_compliance")
    if node is None:
        return surface
    for tag in ("youngs_modulus", "dissipation"):
        if (child := node.child(tag)) is not None:
            child.mark("@value")
            child.report(codes.OLD_COMPLIANCE, tag=tag)
    static, dynamic = (
        node.maybe_number(key, minimum=0.0) for key in ("static_friction", "dynamic_friction")
    )
    if (static is None) != (dynamic is None):
        node.report(codes.MISSING_FRICTION)
    return replace(surface, friction=_friction(node, static, dynamic) or surface.friction)


_RANGES = {
    "drake:youngs_modulus": (0.0, math.inf),
    "drake:poissons_ratio": (-1.0, 0.5),
    "drake:mass_density": (0.0, math.inf),
    "drake:mass_damping": (-math.ulp(0.0), math.inf),
    "drake:stiffness_damping": (-math.ulp(0.0), math.inf),
}
"""Open interval of valid values, keyed by tag."""
_MODELS = ("linear", "linear_corotated", "corotated", "neohookean")
_WALL = ("drake:point_on_plane", "drake:outward_normal")


def read_surface_velocity_axis(node: Node, dialect: Dialect) -> tuple[float, float, float]:
    """Return the unit axis, in the link, of the surface velocity of a conveyor, a
    ``drake:surface_velocity_axis``.
    """
    x, y, z = direction(node, dialect.axis, Z_AXIS).tolist()
    return x, y, z


def read_deformable(link: Node) -> tuple[tuple[str, str], ...]:
    """Return name and text of each property of a deformable body in SDFormat; empty for a rigid
    one.
    """
    node = link.child("drake:deformable_properties")
    if node is None:
        return ()
    node.report(codes.DEFORMABLE)
    properties = []
    for tag, (low, high) in _RANGES.items():
        value = node.maybe_number(tag)
        if value is None:
            continue
        if not low < value < high:
            node.report(codes.OUT_OF_RANGE_BETWEEN, tag=tag, value=value, low=low, high=high)
        properties.append((tag.removeprefix("drake:"), repr(value)))
    model = node.word("drake:material_model", "linear_corotated")
    if model not in _MODELS:
        node.report(codes.MATERIAL_MODEL, model=model, known=_MODELS)
    properties.append(("material_model", model))
    return (*properties, *_read_walls(node), *_check_shapes(link))


def _read_walls(node: Node) -> list[tuple[str, str]]:
    walls = []
    for wall in node.all("drake:wall_boundary_condition"):
        values = (value for tag in _WALL for value in wall.numbers(tag, 3))
        walls.append(("wall_boundary_condition", " ".join(map(repr, values))))
    return walls


def _check_shapes(link: Node) -> tuple[()]:
    count = sum(child.tag == "collision" for child in link.children)
    if count != 1:
        link.report(codes.DEFORMABLE_SHAPE, count=count)
    return ()


_VISUAL_ELEMENTS = (*(f"drake:{role}_properties" for role in ROLES), "drake:accepting_renderer")


def read_display(visual: Node, dialect: Dialect) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the roles of a visual, and the names of the only renderers that may draw it; no
    renderer is all of them.

    Args:
        visual: The ``<visual>``; with no role, which is reported, it is to be ignored.
        dialect: The dialect of the file.
    """
    if visual.lacks(_VISUAL_ELEMENTS):
        return ROLES, ()
    roles = tuple(role for role in ROLES if _is_enabled(visual, role))
    if not roles:
        visual.report(codes.NO_ROLE)
    return roles, _read_renderers(visual, roles, dialect)


def _is_enabled(visual: Node, role: str) -> bool:
    properties = visual.child(f"drake:{role}_properties")
    return properties is None or properties.flag("@enabled", True)


def _read_renderers(visual: Node, roles: tuple[str, ...], dialect: Dialect) -> tuple[str, ...]:
    names = []
    for node in visual.all("drake:accepting_renderer"):
        name = node.word(dialect.name)
        if name:
            names.append(name)
        elif dialect is SDF:
            node.report(codes.MISSING_RENDERER)
    if names and "perception" not in roles:
        visual.report(codes.IDLE_RENDERER)
    return tuple(dict.fromkeys(names))


def diffuse_map(material: Node, dialect: Dialect) -> Node | None:
    """Return the element with the file of the color texture; in a URDF it is invalid."""
    node = material.child("drake:diffuse_map")
    if node is not None and dialect is not SDF:
        node.report(codes.URDF_DIFFUSE_MAP)
        return None
    return node


def declares_convex(mesh: Node) -> bool:
    """Return whether a mesh is declared convex, which means its convex hull."""
    return mesh.child("drake:declare_convex") is not None
