"""``drake:proximity_properties`` and ``drake_compliance`` of a collision."""

from __future__ import annotations

from dataclasses import replace

from loaders.diagnostics import Fate
from loaders.model import Friction, Hydroelastic, Surface
from loaders.node import Node

from .dialect import URDF, Dialect, Element

_FRICTION = ("mu_static", "mu_dynamic")
_COMPLIANCE = {"drake:rigid_hydroelastic": "rigid", "drake:compliant_hydroelastic": "compliant"}
_ELEMENTS = ("drake:proximity_properties",)
ELEMENTS_OF_URDF = (*_ELEMENTS, "drake_compliance")
"""Children of a collision of URDF that `read_surface` reads."""


def read_surface(collision: Node, surface: Surface, dialect: Dialect) -> Surface:
    """Return the surface of a collision with Drake's properties, which override the standard ones.

    Args:
        collision: The ``<collision>``.
        surface: The surface from the standard elements.
        dialect: The dialect of the file.
    """
    if collision.lacks(ELEMENTS_OF_URDF if dialect is URDF else _ELEMENTS):
        return surface
    if dialect is URDF:
        surface = _read_drake_compliance(collision, surface)
    node = collision.child("drake:proximity_properties")
    if node is None:
        return surface
    element = Element(node, dialect)
    friction = _read_friction(element)
    if friction is not None and surface.friction != Friction():
        message = "both drake:proximity_properties and the standard elements give friction; using the former"
        node.report(Fate.ASSUMED, "drake.two-frictions", message, hint="remove one of them")
    return replace(
        surface,
        friction=friction or surface.friction,
        stiffness=_first_given(element.maybe("point_contact_stiffness", above=0.0), surface.stiffness),
        dissipation=element.maybe("hunt_crossley_dissipation", minimum=0.0),
        relaxation_time=element.maybe("relaxation_time", minimum=0.0),
        hydroelastic=_read_hydroelastic(element),
    )


def _first_given(value: float | None, default: float | None) -> float | None:
    return default if value is None else value


def _read_friction(element: Element) -> Friction | None:
    static, dynamic = (element.maybe(key, minimum=0.0) for key in _FRICTION)
    return _friction(element.node, static, dynamic)


def _friction(node: Node, static: float | None, dynamic: float | None) -> Friction | None:
    """Return Coulomb friction; a single coefficient is used for both static and dynamic friction."""
    if static is None and dynamic is None:
        return None
    at_rest = static if static is not None else dynamic
    sliding = dynamic if dynamic is not None else static
    assert at_rest is not None and sliding is not None  # noqa: S101, PT018 - at least one is given
    if sliding > at_rest:
        node.invalid(
            "drake.friction-order",
            "the dynamic friction {dynamic:g} is greater than the static friction {static:g}",
            dynamic=sliding,
            static=at_rest,
        )
    return Friction(mu=sliding, mu2=sliding, mu_static=at_rest if at_rest != sliding else None)


def _read_hydroelastic(element: Element) -> Hydroelastic | None:
    node = element.node
    kinds = [kind for tag, kind in _COMPLIANCE.items() if node.child(tag) is not None]
    if len(kinds) > 1:
        node.invalid("drake.rigid-and-compliant", "a shape cannot be both rigid and compliant")
    if node.child("drake:soft_hydroelastic") is not None:
        hint = "write <drake:compliant_hydroelastic>"
        node.invalid("drake.soft-hydroelastic", "<drake:soft_hydroelastic> is obsolete", hint=hint)
    kind = kinds[0] if kinds else None
    modulus = element.maybe("hydroelastic_modulus", above=0.0)
    if kind == "rigid" and modulus is not None:
        node.report(Fate.ASSUMED, "drake.rigid-modulus", "a rigid shape has no hydroelastic modulus; ignored")
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
            child.skip("@value")
            child.report(
                Fate.DROPPED,
                "drake.old-compliance",
                "<{tag}> is obsolete; ignored",
                hint="use <drake:proximity_properties>",
                tag=tag,
            )
    static, dynamic = (node.maybe_number(key, minimum=0.0) for key in ("static_friction", "dynamic_friction"))
    if (static is None) != (dynamic is None):
        node.invalid("drake.missing", "<drake_compliance> requires both <static_friction> and <dynamic_friction>")
    return replace(surface, friction=_friction(node, static, dynamic) or surface.friction)
