"""A mechanism as an MJCF document."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, PrimitiveKind
from bridge.mechanism.coordinates import kind_of
from bridge.mjcf.body.inertial import inertials
from bridge.mjcf.body.joint_limit_compliance import inverse_inertias
from bridge.mjcf.body.joints import Carrier, carriers, joints
from bridge.mjcf.body.keyframe import keyframe
from bridge.mjcf.body.sensors import sensors
from bridge.mjcf.body.sites_and_lights import frames, lights
from bridge.mjcf.constraint.actuators import actuators
from bridge.mjcf.constraint.equality import equalities
from bridge.mjcf.constraint.tendons import tendons
from bridge.mjcf.geom.assets import AssetLibrary, name_colors
from bridge.mjcf.geom.collision_filters import filters
from bridge.mjcf.geom.contact_compliance import inverse_masses
from bridge.mjcf.geom.contact_parameters import DEFAULT_FRICTION
from bridge.mjcf.geom.excludes import contacts
from bridge.mjcf.geom.geoms import collision_names, geoms, shape_names
from bridge.mjcf.postprocess.defaults import defaults
from bridge.mjcf.postprocess.mjx_support import accelerators
from bridge.mjcf.postprocess.submodels import arrange
from bridge.mjcf.postprocess.unsupported_fields import ledger
from bridge.mjcf.xml.context import Context, Document, Options, Placed
from bridge.mjcf.xml.element import Element
from bridge.mjcf.xml.number_format import placement
from loaders.diagnostics import Diagnostic, Diagnostics, ExportError
from loaders.model import WORLD
from loaders.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A finished document: its tree, its assets, what was lost, which names had to change, and its shapes."""

    root: Element
    assets: dict[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    names: dict[str, str]
    shapes: tuple[Placed, ...]


def build(mechanism: Mechanism, options: Options) -> Built:
    """The document of a mechanism.

    Raises:
        ExportError: if MuJoCo cannot hold the model as asked; with every reason.
    """
    context = Context(
        mechanism=mechanism,
        options=options,
        diagnostics=Diagnostics(mechanism.diagnostics),
        document=Document(mechanism.scene.name),
        filters=filters(mechanism, options.collision_policy),
        inverse_inertias=inverse_inertias(mechanism),
        inverse_masses=inverse_masses(mechanism),
        collision_names=collision_names(mechanism.scene),
        shape_names=shape_names(mechanism.scene),
        index=dict(mechanism.body_index),
    )
    _settings(context)
    by_component = carriers(mechanism)
    _bodies(by_component, context)
    frames(context)
    contacts(context)
    tendons(by_component, context)
    equalities(by_component, context)
    actuators(by_component, context)
    sensors(context)
    lights(context)
    name_colors(context)
    arrange(context)
    keyframe(context)
    ledger(context)
    accelerators(context)
    _nest(context)
    defaults(context)
    context.diagnostics.raise_for(ExportError, strict=False)
    return Built(
        root=context.document.root(),
        assets=context.assets,
        diagnostics=tuple(context.diagnostics),
        names=dict(context.names.changed),
        shapes=tuple(context.shapes),
    )


def _settings(context: Context) -> None:
    """Angles in radians, gravity always as the scene has it."""
    scene = context.mechanism.scene
    context.document["compiler"].set(angle="radian")
    context.document["option"].set(
        timestep=context.time_step,
        gravity=scene.gravity.tolist(),
        wind=scene.wind.tolist() if scene.wind.any() else None,
        magnetic=_magnetic(context),
        integrator="implicitfast",
        cone="elliptic" if _round(context) else None,
    )


def _round(context: Context) -> bool:
    """Whether friction needs a round cone: MuJoCo's pyramid mixes sliding, spinning and rolling.

    And it yields the more the larger its friction is: above one, boxes sink into the ground, and fall through it.
    """
    frictions = [c.surface.friction for link in context.mechanism.scene.links for c in link.collisions]
    spun = any(f.torsional is not None or f.rolling is not None for f in frictions)
    rough = any(f.mu > DEFAULT_FRICTION[0] for f in frictions)
    return spun or rough or (context.options.contacts == "pairs" and bool(frictions))


def _magnetic(context: Context) -> list[float] | None:
    """The magnetic field, where the source states one or a sensor reads it."""
    scene = context.mechanism.scene
    sensed = any(sensor.type == "magnetometer" for link in scene.links for sensor in link.sensors)
    stated = scene.magnetic_field.tolist() != Scene(name="").magnetic_field.tolist()
    return scene.magnetic_field.tolist() if sensed or stated else None


def _bodies(by_component: dict[int, Carrier], context: Context) -> None:
    """The element of each body with all that is its own; bodies are nested once everything else is in them."""
    library = AssetLibrary(context)
    mass = inertials(context)
    for i, body in enumerate(context.mechanism.bodies):
        element = _body(body, context)
        context.document.bodies.append(element)
        inertial = mass[i]
        if inertial is not None and element.tag == "body":
            element.children.append(inertial)
        element.children.extend(joints(i, by_component, context))
        element.children.extend(
            geoms(body.link, moving=context.mechanism.moving_ancestor(i) != ROOT, library=library, context=context)
        )
    context.document["compiler"].set(assetdir="assets" if context.assets else None)


def _body(body: Body, context: Context) -> Element:
    """The body, where the zero configuration has it in its parent; a link named ``world`` is the world itself."""
    if body.name == WORLD:
        return context.document["worldbody"]
    X_PB = body.link.X_WL if kind_of(body) is PrimitiveKind.FREE else body.X_PF @ body.X_BM.inverse()
    return Element(
        "body",
        name=body.name,
        **placement(X_PB),
        mocap=body.is_kinematic or None,
        gravcomp=None if body.link.gravity else 1.0,
    )


def _nest(context: Context) -> None:
    for i, body in enumerate(context.mechanism.bodies):
        element = context.document.bodies[i]
        if element.tag == "body":
            context.document.body(body.parent).children.append(element)
