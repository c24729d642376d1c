"""SceneData, Physics and Keyframe."""

from __future__ import annotations

from dataclasses import dataclass, field

from loaders.diagnostics import NOWHERE, Diagnostic, Where
from loaders.pose import IDENTITY, Array, frozen

from .constraint import Constraint, FluidForce, ForceElement, Tendon
from .contact import ContactPair, FilterGroup, FilterRule
from .joint import Actuator, Coupling, Joint
from .link import Frame, Light, Link, Model
from .settings import EngineElement, EngineSettings, Settings, of_engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyframe:
    """A named state of some joints, actuators and kinematic links; the others are at their initial
    state.
    """

    name: str
    """Scoped name, unique among the keyframes."""
    joints: tuple[str, ...]
    """Names of the joints."""
    positions: tuple[tuple[float, ...], ...]
    """Position of each of these joints [rad or m]: a quaternion for a ball joint, and for a
    floating joint the position and the quaternion of its link in the world."""
    velocities: tuple[tuple[float, ...], ...] = ()
    """Velocity of each of these joints [rad/s or m/s]: for a ball joint the angular velocity of the
    child in the parent, in the parent's joint frame; for a floating joint the linear and the
    angular velocity of its link, in the world. Empty if all are zero."""
    actuators: tuple[str, ...] = ()
    """Names of the actuators with given controls or internal states."""
    controls: tuple[tuple[float, ...], ...] = ()
    """Controls of each of these actuators."""
    activations: tuple[tuple[float, ...], ...] = ()
    """Internal states of each of these actuators; empty for an actuator without any."""
    links: tuple[str, ...] = ()
    """Names of the kinematic links with given poses."""
    poses: tuple[tuple[float, ...], ...] = ()
    """Position [m] and unit quaternion ``w x y z``, in the world, of each of these links."""
    where: Where = NOWHERE


_GRAVITY, _MAGNETIC_FIELD = frozen((0.0, 0.0, -9.8)), frozen((5.5645e-6, 22.8758e-6, -42.3884e-6))


@dataclass(frozen=True, slots=True, kw_only=True)
class Physics:
    """Settings of the integrator and the solver."""

    time_step: float = 0.001
    """Time step [s]."""
    real_time_factor: float = 1.0
    """Target ratio of simulated time to real time."""
    real_time_update_rate: float = 1000.0
    """Target rate of steps [Hz]."""
    max_contacts: int = 20
    """Maximum number of contacts between two bodies."""
    engine: str = "ode"
    """Engine for which the source was written."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Path, below the physics element, and text of each setting of that engine."""

    @property
    def engine_settings(self) -> EngineSettings:
        """The parameters, as settings of that engine."""
        return of_engine(self.engine, self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneData:
    """The content of one file and of the files that it includes."""

    name: str
    """Name of the world, or of the only model."""
    source: str = ""
    """File from which the scene was read."""
    gravity: Array = field(default_factory=lambda: _GRAVITY)
    """Gravity [m/s^2], shape (3,), in W."""
    physics: Physics = Physics()
    """Settings of the integrator and the solver."""
    wind: Array = field(default_factory=lambda: IDENTITY.p)
    """Wind velocity [m/s], shape (3,), in W."""
    magnetic_field: Array = field(default_factory=lambda: _MAGNETIC_FIELD)
    """Magnetic field [T], shape (3,), in W."""
    spherical_coordinates: Settings = ()
    """Tag and text of each setting of the place of W on a planet; empty if the source states
    none."""
    models: tuple[Model, ...] = ()
    links: tuple[Link, ...] = ()
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    lights: tuple[Light, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    forces: tuple[ForceElement, ...] = ()
    fluid_forces: tuple[FluidForce, ...] = ()
    filter_groups: tuple[FilterGroup, ...] = ()
    filter_rules: tuple[FilterRule, ...] = ()
    collision_policy: str | None = None
    """Rule for the pairs of links that no filter group names, if the source states one; see
    `loaders.collision_pairs`."""
    friction_rule: str | None = None
    """Rule for the coefficients of friction of two surfaces, if the elements that state them are
    those of one engine; see `loaders.engine_settings.FRICTION_RULES`."""
    keyframes: tuple[Keyframe, ...] = ()
    contact_pairs: tuple[ContactPair, ...] = ()
    tendons: tuple[Tendon, ...] = ()
    engine_elements: tuple[EngineElement, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
