"""The canonical model: the content of a file, independent of its format.

The model is flat, frozen data without behavior. Units are SI units and radians; poses are resolved,
at the zero configuration; names are scoped with ``::``; infinite limits are ``inf``. Frames are in
monogram notation: W world, M model, L link, J joint, F frame, G geometry, P and C the parent and
child link of a joint. ``where`` is the place in the source from which an item was read.
"""

from .constraint import (
    BallConstraint,
    Buoyancy,
    Bushing,
    Constraint,
    DistanceConstraint,
    FluidDrag,
    FluidForce,
    ForceElement,
    Slopes,
    SpringDamper,
    Tendon,
    TendonConstraint,
    TendonPart,
    TendonPartType,
    WeldConstraint,
    Wing,
)
from .contact import ContactPair, FilterGroup, FilterRule, Friction, Hydroelastic, Surface
from .joint import (
    TRAITS,
    Actuator,
    Arc,
    Coupling,
    CouplingLaw,
    Curve,
    Joint,
    JointAxis,
    JointType,
    Motion,
)
from .link import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Frame,
    Geometry,
    Heightmap,
    Light,
    Link,
    Material,
    Mesh,
    Model,
    Plane,
    Polyline,
    Sensor,
    Sphere,
    Visual,
)
from .settings import (
    WORLD,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    EngineElement,
    EngineSettings,
    HasEngineSettings,
    Named,
    Rgba,
    Settings,
    by_name,
    of_engine,
    settings_of,
)
from .world import Keyframe, Physics, SceneData

__all__ = [
    "Actuator", "Arc", "BallConstraint", "Box", "Buoyancy", "Bushing", "Capsule", "Collision",
    "Cone", "Constraint", "ContactPair", "Coupling", "CouplingLaw", "Curve", "Cylinder",
    "DistanceConstraint", "Ellipsoid", "Empty", "FilterGroup", "FilterRule", "FluidDrag",
    "FluidForce", "ForceElement", "Frame", "Friction", "Geometry", "Heightmap", "Hydroelastic",
    "Joint", "JointAxis", "JointType", "Motion", "TRAITS", "Keyframe", "Light", "Link", "Material",
    "Mesh", "Model", "Named", "Physics", "Plane", "Polyline", "Rgba", "SceneData", "Sensor",
    "EngineElement", "EngineSettings", "HasEngineSettings", "Settings", "of_engine", "settings_of",
    "Slopes", "Sphere", "SpringDamper", "Surface", "Tendon", "TendonConstraint", "TendonPart",
    "TendonPartType", "Visual", "WORLD", "WeldConstraint", "Wing", "X_AXIS", "Y_AXIS", "Z_AXIS",
    "by_name",
]  # fmt: skip
