"""The data of a whole scene."""

from __future__ import annotations

from dataclasses import dataclass, field

from loaders.diagnostics import Diagnostic
from loaders.spatial import IDENTITY, Array, frozen

from .constraints import Constraint, ForceElement
from .filters import FilterGroup, FilterRule
from .joints import Actuator, Coupling, Joint
from .links import Frame, Light, Link, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Physics:
    """Hints for the integrator and the solver."""

    time_step: float = 0.001
    """[s]"""
    real_time_factor: float = 1.0
    real_time_update_rate: float = 1000.0
    max_contacts: int = 20
    engine: str = "ode"
    """The engine that the source was written for."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Settings of that engine: path below the physics, and text."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneData:
    """Everything that one file means, with what it includes."""

    name: str
    source: str = ""
    """The file that it was read from."""
    gravity: Array = field(default_factory=lambda: frozen((0.0, 0.0, -9.8)))
    """[m/s^2], shape (3,), in W."""
    physics: Physics = Physics()
    wind: Array = field(default_factory=lambda: IDENTITY.p)
    """Velocity of the air [m/s], shape (3,), in W."""
    magnetic_field: Array = field(default_factory=lambda: frozen((5.5645e-6, 22.8758e-6, -42.3884e-6)))
    """[T], shape (3,), in W."""
    models: tuple[Model, ...] = ()
    links: tuple[Link, ...] = ()
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    lights: tuple[Light, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    forces: tuple[ForceElement, ...] = ()
    filter_groups: tuple[FilterGroup, ...] = ()
    filter_rules: tuple[FilterRule, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
