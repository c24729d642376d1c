"""The canonical model: the content of a file, independent of its format.

The model is flat, frozen data without behavior. Units are SI units and radians; poses are resolved, at the zero
configuration; names are scoped with ``::``; infinite limits are ``inf``. Frames are in monogram notation: W world,
M model, L link, J joint, F frame, G geometry, P and C the parent and child link of a joint. ``where`` is the place in
the source from which an item was read.
"""

from .common import WORLD, X_AXIS, Y_AXIS, Z_AXIS, Named, Rgba, Settings, by_name
from .constraints import (
    BallConstraint,
    Bushing,
    Constraint,
    DistanceConstraint,
    ForceElement,
    SpringDamper,
    TendonConstraint,
    WeldConstraint,
)
from .filters import ContactPair, FilterGroup, FilterRule
from .fluid_forces import Buoyancy, FluidDrag, FluidForce, Slopes, Wing
from .geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Empty, Geometry, Heightmap, Mesh, Plane, Polyline, Sphere
from .joints import Actuator, Arc, Coupling, Curve, Joint, JointAxis, JointType
from .keyframes import Keyframe
from .links import Collision, Frame, Light, Link, Model, Sensor, Visual
from .materials import Material
from .mujoco_elements import MujocoElement
from .scene_data import Physics, SceneData
from .surfaces import Friction, Hydroelastic, Surface
from .tendons import Tendon, TendonPart, TendonPartType

__all__ = [
    "Actuator",
    "Arc",
    "BallConstraint",
    "Box",
    "Buoyancy",
    "Bushing",
    "Capsule",
    "Collision",
    "Cone",
    "Constraint",
    "ContactPair",
    "Coupling",
    "Curve",
    "Cylinder",
    "DistanceConstraint",
    "Ellipsoid",
    "Empty",
    "FilterGroup",
    "FilterRule",
    "FluidDrag",
    "FluidForce",
    "ForceElement",
    "Frame",
    "Friction",
    "Geometry",
    "Heightmap",
    "Hydroelastic",
    "Joint",
    "JointAxis",
    "JointType",
    "Keyframe",
    "Light",
    "Link",
    "Material",
    "Mesh",
    "Model",
    "MujocoElement",
    "Named",
    "Physics",
    "Plane",
    "Polyline",
    "Rgba",
    "SceneData",
    "Sensor",
    "Settings",
    "Slopes",
    "Sphere",
    "SpringDamper",
    "Surface",
    "Tendon",
    "TendonConstraint",
    "TendonPart",
    "TendonPartType",
    "Visual",
    "WORLD",
    "WeldConstraint",
    "Wing",
    "X_AXIS",
    "Y_AXIS",
    "Z_AXIS",
    "by_name",
]
