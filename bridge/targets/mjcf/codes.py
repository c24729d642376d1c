"""Codes of the MJCF export."""

from __future__ import annotations

from bridge.codes import ACCELERATIONS_WITHIN_LIMITS, SPEEDS_WITHIN_LIMITS
from loaders.code import (
    LOOKS_ONLY,
    NO_EFFECT,
    Chosen,
    Fate,
    Lost,
    approximated,
    assumed,
    dropped,
    invalid,
    noted,
    repaired,
)

_HELD_WITHIN = (
    "within {error} in 2 s of free motion at 1 ms for links of a few kilograms, more "
    "for heavier links"
)
"""End of the message about a soft constraint: its error, which the tests compare with MuJoCo's
motion."""

ACCELERATION_LIMIT = dropped(
    "mjcf.acceleration-limit",
    "joint {name}: {field} = {value} is left out; MuJoCo does not support acceleration limits",
    meaning="MuJoCo does not support acceleration limits of joints.",
    remedy="Limit the acceleration in the controller.",
    effect=ACCELERATIONS_WITHIN_LIMITS,
)
ACTUATOR = dropped(
    "mjcf.actuator",
    "actuator {actuator} drives joint {joint}, which is not a hinge or slide of the tree of bodies",
    meaning="An actuator drives a joint that is not a hinge or slide of the tree, so it is left "
    "out.",
    effect=NO_EFFECT,
)
ACTUATOR_INTERFACES = noted(
    "mjcf.actuator-interfaces",
    "actuator {actuator}: MJCF has no interfaces of actuators; the export omits {interfaces}",
    meaning="The hardware interfaces of an actuator have no counterpart in MuJoCo.",
)
ADDED_MASS = dropped(
    "mjcf.added-mass",
    "link {name}: {field} = {value} is left out; MuJoCo computes fluid forces from shapes, not "
    "from a matrix",
    meaning="MuJoCo does not support an added-mass matrix; its fluid forces follow from the "
    "shapes.",
    effect=Lost("added mass"),
)
ASSUMED_GAIN = assumed(
    "mjcf.assumed-gain",
    "the source states no gain for actuator {actuator}; it gets {gain:g}, which reacts within "
    "{time:.2g} s to the effective inertia of the joint",
    meaning="The source states no gain for the requested controller; the message states the gain "
    "that is used.",
    remedy="State the gains in the source, or tune the exported ones.",
    hint="tune the gain, or state it in the source",
)
ASSUMED_GAIN_OF_POSITION = ASSUMED_GAIN.variant(
    "the source moves the joint of actuator {actuator} to its position, whatever effort it takes; "
    "its gain is {gain:g}, the stiffest that a time step of {time_step:g} s can bear"
)
ASSUMED_GAIN_OF_SPEED = ASSUMED_GAIN.variant(
    "the source sets the speed of the joint of actuator {actuator}, whatever effort that takes; "
    "its gain is {gain:g}, the stiffest that a time step of {time_step:g} s can bear with the "
    "integrator implicitfast: each N m or N of load changes the speed by {inverse:.3g} rad/s or "
    "m/s",
    hint="keep the integrator, or state a gain in the source",
)
BALL_SOFT_CONSTRAINT = approximated(
    "mjcf.ball-soft-constraint",
    ("a soft constraint holds a point of {link_a} on a point of {link_b} " + _HELD_WITHIN),
    meaning="A ball constraint is enforced by MuJoCo's soft constraints; the message states the "
    "error.",
    remedy="Reduce the time step.",
)
BUSHING = dropped(
    "mjcf.bushing",
    "MuJoCo does not support the bushing between {link_a} (at {X_LA}) and {link_c} (at {X_LC}); "
    "torque stiffness {torque_stiffness}, damping {torque_damping}, force stiffness "
    "{force_stiffness}, damping {force_damping}",
    meaning="MuJoCo does not support bushings; the message has the parameters.",
    remedy="Call `mujoco.set_mjcb_passive(bridge.passive_forces(...))`.",
    hint="mujoco.set_mjcb_passive(bridge.passive_forces(...)) adds it",
    effect=Lost("forces between links"),
)
COLLIDE_WITHOUT_CONTACT = approximated(
    "mjcf.collide-without-contact",
    "collision {name}: {field} = {value} is left out; MuJoCo reports no contacts for a geom that "
    "collides with nothing",
    meaning="A shape that reports contacts without forces is exported as a geom that collides with "
    "nothing, so MuJoCo reports no contacts.",
)
CONTACT_DAMPING = approximated(
    "mjcf.contact-damping",
    "collision {link}/{collision}: the damping ratio {ratio:.3g} of its stiffness {stiffness:g} "
    "N/m, its damping and its mass is {written_ratio:.3g}, the largest that a time step can hold",
    meaning="The damping of a contact differs from the one that the source states, because the "
    "time step is too long for the spring: with less damping the contact would never come to rest.",
    remedy="Reduce the time step, or state less stiffness or more damping.",
    hint="reduce the time step",
)
CONTACT_DAMPING_RAISED = CONTACT_DAMPING.variant(
    "collision {link}/{collision}: the damping ratio {ratio:.3g} of its stiffness {stiffness:g} "
    "N/m, its damping and its mass is {written_ratio:.3g}, because with less the contact would not "
    "come to rest at a time step of {time_step:g} s; it is as stated with {resolving_step:.2g} s "
    "or less"
)
CONTACT_DISSIPATION = dropped(
    "mjcf.contact-dissipation",
    "collision {link}/{collision}: {parameter} = {value:g} is left out",
    meaning="The dissipation of a contact is exact at rest only, or cannot be written because no "
    "stiffness is stated.",
    remedy="State a stiffness, or one kind of damping only.",
    hint="state a stiffness, and neither a restitution nor another damping",
    effect=Lost("contact parameters"),
)
CONTACT_DISSIPATION_APPROXIMATED = CONTACT_DISSIPATION.variant(
    "collision {link}/{collision}: dissipation {dissipation:g} s/m damps as at rest under its own "
    "weight",
    fate=Fate.APPROXIMATED,
    hint="",
)
CONTACT_PAIR = dropped(
    "mjcf.contact-pair",
    "the contact pair of {collision_a} and {collision_b} is left out: one has no geom",
    meaning="A contact pair names a collision that has no geom.",
    effect=Lost("contact parameters"),
)
CONTACT_PAIRS = dropped(
    "mjcf.contact-pairs",
    "more than {limit:pair|pairs} of geoms may collide; no pair is written",
    meaning="More than 2000 pairs of geoms may collide, or have contacts with little damping, so "
    "no explicit pairs are written.",
    remedy="Reduce the number of shapes, or filter collisions.",
    hint="use fewer shapes, or collision filters",
    effect=Lost("contact parameters"),
)
CONTACT_PAIRS_BOUNCING = CONTACT_PAIRS.variant(
    "there are more than {limit:pair|pairs} of geoms with contacts of little damping; no pair is "
    "written, so that their friction has that damping and slows down sliding too little"
)
CONTACT_POLICY = noted(
    "mjcf.contact-policy",
    "the collision policy {policy} ignores {properties}",
    meaning="The collision policy ignores bitmasks and `self_collide`, which the source states.",
    remedy='Use `policy="sdformat"`.',
    hint='choose policy="sdformat"',
)
CONTACT_SOLVER = dropped(
    "mjcf.contact-solver",
    "collision {link}/{collision}: {parameter} = {value:g} is left out",
    meaning="A contact parameter belongs to another contact solver and is left out.",
    hint="state soft_cfm above 0 and no stiffness: together they become a spring and a damper",
    effect=NO_EFFECT,
)
CONTACT_SOLVER_FIELD = CONTACT_SOLVER.variant(
    "collision {name}: {field} = {value} is left out; it is a parameter of another solver", hint=""
)
CONTACT_STIFFNESS = approximated(
    "mjcf.contact-stiffness",
    "collision {link}/{collision}: contact stiffness {stiffness:g} N/m holds at each contact point "
    "with a rigid body, for the link's effective mass of {mass:.6g} kg at the zero configuration; "
    "damping ratio {written_ratio:.3g}; in contact the link moves like {mass_factor:.3g} times its "
    "mass; both are as stated with a time step of {resolving_step:.2g} s or less",
    meaning="A contact stiffness is exact for one mass only, is limited by the time step, or "
    "cannot be written because the link has no moving mass.",
    remedy='Use `contacts="pairs"`, or reduce the time step.',
    hint='contacts="pairs" writes it for each pair',
    effect=Lost("contact parameters"),
)
CONTACT_STIFFNESS_DROPPED = CONTACT_STIFFNESS.variant(
    "collision {link}/{collision}: contact stiffness {stiffness:g} N/m is left out, because MuJoCo "
    "scales it by the masses in contact and this link has no mass that moves",
    fate=Fate.DROPPED,
)
CONTACT_STIFFNESS_NONE = CONTACT_STIFFNESS.variant(
    "collision {link}/{collision}: contact stiffness {stiffness:g} N/m is left out, because it is "
    "not positive; the contact is as hard as MuJoCo's default",
    fate=Fate.DROPPED,
    hint="state a positive stiffness",
)
CONTACT_STIFFNESS_REDUCED = CONTACT_STIFFNESS.variant(
    "collision {link}/{collision}: contact stiffness {stiffness:g} N/m is {held:.3g} N/m, the "
    "largest that the time step of {time_step:g} s can hold for the link's effective mass of "
    "{mass:.6g} kg; damping ratio {written_ratio:.3g}; in contact the link moves like "
    "{mass_factor:.3g} times its mass",
    hint="reduce the time step",
)
CONTROL_RANGE = assumed(
    "mjcf.control-range",
    "the limits of joint {joint}, {effort:g} N m or N and {speed:g} rad/s or m/s, are too large "
    "for its inertia at a time step of {step:g} s; its control is limited to {limit:g}",
    meaning='The limits of a `"dcmotor"` exceed what its inertia allows in one time step, so the '
    "control range ends earlier.",
    remedy="State the true limits, or reduce the time step.",
    hint="state the true limits",
)
COUPLING = dropped(
    "mjcf.coupling",
    "joint {joint} cannot be coupled: MuJoCo couples hinges and slides only",
    meaning="MuJoCo couples hinges and slides only, so a coupling of other joints is left out.",
    effect=Lost("couplings"),
)
COUPLING_SOFT_CONSTRAINT = approximated(
    "mjcf.coupling-soft-constraint",
    ("joint {follower} follows {leader} by a soft constraint " + _HELD_WITHIN),
    meaning="A coupling is enforced by MuJoCo's soft constraints; the message states the error.",
    remedy="Reduce the time step.",
)
CURVE = noted(
    "mjcf.curve",
    "joint {joint} follows a curve of {length:g} m ({kind}); its limits are those of the axis",
    meaning="The ends of a curve do not limit a curvilinear joint; only the limits of its axis do.",
    remedy="State limits of the axis.",
)
DEFORMABLE = dropped(
    "mjcf.deformable",
    "link {name}: {field} = {value} is left out; the link is a rigid body",
    meaning="A deformable link is exported as a rigid body.",
    effect=Lost("deformation"),
)
DENSITY = noted(
    "mjcf.density",
    "collision {name}: {field} = {value} is left out; the mass is that of the link",
    meaning="The density of a shape does not change its mass: the inertia of the link is used.",
    remedy='Use `inertia="from_geometry"`.',
)
DISTANCE_SOFT_CONSTRAINT = approximated(
    "mjcf.distance-soft-constraint",
    ("a soft constraint holds the distance of {link_a} and {link_b} " + _HELD_WITHIN),
    meaning="A fixed distance is enforced by MuJoCo's soft constraints; the message states the "
    "error.",
    remedy="Reduce the time step.",
)
EMPTY_RANGE = dropped(
    "mjcf.empty-range",
    "joint {joint}: the lower limit {lower:g} is above the upper limit {upper:g}; the joint has no "
    "limits",
    meaning="The lower limit of a joint is above the upper limit, so the joint is exported without "
    "limits.",
    remedy="Exchange the limits in the source.",
    hint="swap the limits in the source",
    effect=Lost("limits"),
)
EMPTY_SHAPE = dropped(
    "mjcf.empty-shape",
    "link {link} has a {shape_type} whose size is not positive and finite, which MuJoCo refuses",
    meaning="A shape has no extent, so MuJoCo refuses it and it is left out.",
    remedy="Give the shape a positive size.",
    hint="give it a positive size",
    effect=Lost("shapes"),
)
FILTER_GROUPS = noted(
    "mjcf.filter-groups",
    "collision filter groups are written as the pairs of links that they exclude: {groups}",
    meaning="Collision filter groups are exported as the pairs of links that they exclude.",
)
FLUID_FORCE = dropped(
    "mjcf.fluid-force",
    "MJCF has no element for the force of a fluid on link {link}: {force}",
    meaning="MJCF has no element for buoyancy, drag by coefficients, or a wing; the message has "
    "the parameters. MuJoCo's own model of a fluid computes other forces, from shapes, and is "
    "exact for none of them.",
    remedy="Call `mujoco.set_mjcb_passive(bridge.passive_forces(...))`.",
    hint="mujoco.set_mjcb_passive(bridge.passive_forces(...)) adds it",
    effect=Lost("forces of a fluid"),
)
FORCE_TORQUE_AXES = approximated(
    "mjcf.force-torque-axes",
    "sensor {sensor} measures in the axes that the {frame} frame has at joint position 0, on the "
    "body of the other link; they turn with joint {joint}, so the reading at another position q is "
    "in the wrong axes",
    meaning="A force-torque sensor measures in the axes of a link, or of the sensor on it, and "
    "MuJoCo measures on the body of the other link of the joint. The axes agree at joint position "
    "0, and turn with the joint.",
    remedy="Turn the reading as the hint states, by the rotation R_PC of the child in the parent "
    "of the joint.",
)
FORCE_TORQUE_SIGN = approximated(
    "mjcf.force-torque-sign",
    "sensor {sensor} measures the force with the sign opposite to the source's",
    meaning="A force-torque sensor reads the opposite sign to the one that the source requests.",
    hint="negate the reading",
)
FREE_JOINT = approximated(
    "mjcf.free-joint",
    "joint {joint}: MuJoCo has one {quantity} for all directions, {value:g} is that of rotation",
    meaning="MuJoCo has one damping, friction, stiffness and inertia for all directions of a free "
    "joint.",
)
FRICTION_COMBINATION = approximated(
    "mjcf.friction-combination",
    "links {link_a} and {link_b}, with friction {a:g} and {b:g}, slide on each other with "
    "{larger:g}, the larger; by the rule of the source it is {rule_name}, {combined:g}; the "
    "friction of other pairs differs by less",
    meaning="MuJoCo uses the larger friction of two shapes, unlike the engine whose elements the "
    "source states.",
    remedy='Use `contacts="pairs"`.',
    hint='contacts="pairs" writes each pair',
)
FRICTION_DIRECTION = dropped(
    "mjcf.friction-direction",
    "collision {name}: mu2 = {mu2:g} is left out; the friction is {mu:g} in every direction",
    meaning="MuJoCo does not support different friction in two directions of a geom.",
    remedy="Write a `<pair>`, which has two sliding coefficients.",
    effect=Lost("contact parameters"),
)
FRICTION_DIRECTION_FIELD = FRICTION_DIRECTION.variant(
    "collision {name}: {field} = {value} is left out; the friction of a geom is the same in every "
    "direction"
)
HEIGHTMAP = dropped(
    "mjcf.heightmap",
    "cannot read the height map {uri} as an image: {reason}",
    meaning="The image of a height map cannot be read, so the shape is left out.",
    remedy="Use a PNG image.",
    hint="use an existing image in a format that Pillow reads",
    effect=Lost("shapes"),
)
HYDROELASTIC = dropped(
    "mjcf.hydroelastic",
    "collision {name}: {field} = {value} is left out; MuJoCo has point contacts",
    meaning="MuJoCo does not support hydroelastic contact; it uses point contact.",
    effect=Lost("contact parameters"),
)
IDLE_FOLLOWERS = noted(
    "mjcf.idle-followers",
    "joints that follow others have no actuator: {joints}",
    meaning="A joint that follows another has an effort limit and no gains; only its leader gets "
    "an actuator.",
    remedy="Give the joint controller gains to drive it too.",
    hint="give them controller gains",
)
IMPOSSIBLE_INERTIA = invalid(
    "mjcf.impossible-inertia",
    "link {link} has an inertia that no rigid body can have, which MuJoCo refuses: {defects}",
    meaning="The inertia of a link belongs to no real body, so MuJoCo refuses it.",
    remedy='Correct the inertia, or use `inertia="repair"`.',
    hint='correct it in the source, or use inertia="repair"',
)
INERTIA_FROM_GEOMETRY = assumed(
    "mjcf.inertia-from-geometry",
    "link {link} gets {mass:g} kg and its inertia from its collision shapes",
    meaning="The mass and inertia of a link are computed from its collision shapes, as requested "
    'by `inertia="from_geometry"`.',
)
JOINT_COORDINATE = noted(
    "mjcf.joint-coordinate",
    "the MJCF position of ball joint {joint} is about the axes of its body, which are turned by "
    "{angle:.6g} rad against those of the joint in the model",
    meaning="The MuJoCo position of a joint is a multiple of its position in the model, for "
    "example an angle instead of an arc length; or that of a ball joint is about other axes, those "
    "of the link.",
    remedy="Scale the value by the factor in the message; rotate the vector part of the quaternion "
    "of a ball joint.",
    hint="rotate the vector part of the quaternion into the axes of the link",
)
JOINT_COORDINATE_SCALED = JOINT_COORDINATE.variant(
    "the MJCF position of joint {joint} is {ratio:.6g} times the position of the model", hint=""
)
JOINT_FEEDBACK = noted(
    "mjcf.joint-feedback",
    "joint {joint}: provide_feedback is left out",
    meaning="A joint requests force feedback, which MuJoCo gives only through sensors.",
    remedy="Add a force and a torque sensor to the model.",
    hint="add a force and a torque sensor",
)
HOME_STANDS = noted(
    "mjcf.home-stands",
    "the lowest collision of the free robot on link {link} is initially {height:.4g} m above the "
    "ground {ground}; in the keyframe {key} it touches the ground",
    meaning="A free robot of several links would begin above the ground or in it: the keyframe "
    "that is named sets it down on the ground.",
    remedy="Start from the keyframe that is named.",
)
KEYFRAME_ACTUATOR = dropped(
    "mjcf.keyframe-actuator",
    "state {state}: controls of actuators that do not exist are ignored: {actuators}",
    meaning="A state names an actuator that the export does not have.",
    remedy="Correct the state, or remove the actuator from it.",
    effect=NO_EFFECT,
)
KEYFRAME_JOINT = dropped(
    "mjcf.keyframe-joint",
    "state {state}: joint {joint} has no position or velocity of {count:number|numbers}; it is "
    "ignored",
    meaning="A state names a joint that has no position or velocity of that size in MuJoCo.",
    remedy="Correct the state, or remove the joint from it.",
    effect=NO_EFFECT,
)
KEYFRAME_LIMITS = noted(
    "mjcf.keyframe-limits",
    "the keyframe {state} is outside the limits of {joints}; MuJoCo pushes them back",
    meaning="A state of the source is outside the joint limits.",
    hint="correct the state in the source",
)
KEYFRAME_POSE = dropped(
    "mjcf.keyframe-pose",
    "state {state}: the poses of links that are not kinematic or do not exist are ignored: {links}",
    meaning="A state poses a link that is not kinematic or does not exist.",
    remedy="Correct the state, or remove the link from it.",
    effect=NO_EFFECT,
)
LIGHT = dropped(
    "mjcf.light",
    "light {light} is of type {light_type}, which MuJoCo does not have",
    meaning="The type of a light is not supported by MuJoCo.",
    remedy="Use a directional, point or spot light.",
    effect=LOOKS_ONLY,
)
INITIAL_CONTROL = noted(
    "mjcf.initial-control",
    "key {key} has the first controls of the source, because MuJoCo starts with controls of zero: "
    "{controls}",
    meaning="The source states first targets of controllers, which a key of MuJoCo has.",
    remedy="Start from that key.",
)
LIGHT_JOINT = noted(
    "mjcf.light-joint",
    "joint {joint}: full effort, {effort:g} N m on an effective inertia of {inertia:.2g} kg m^2, "
    "turns it by {turn:.2g} rad in each time step, at which MuJoCo's integrator may fail; at most "
    "{max_effort:.2g} N m, or a time step of {max_step:.1g} s, avoids that",
    meaning="Full effort moves a joint so far in one time step that the integration may become "
    "unstable.",
    remedy='State the true effort limit or rotor inertia, or use `actuators="dcmotor"`.',
    hint="state the true effort and the inertia of the rotor, stay below full effort, or use "
    'actuators="dcmotor"',
)
LIGHT_JOINTS = LIGHT_JOINT.variant(
    LIGHT_JOINT.message + "; {others:more joint turns|more joints turn} too far"
)
LIGHT_PARAMETERS = noted(
    "mjcf.light-parameters",
    "light {light}: MuJoCo does not support {parameters}",
    meaning="Some parameters of a light, such as its range, are not supported by MuJoCo.",
)
LOCKED_JOINT = approximated(
    "mjcf.locked-joint",
    ("the limits of joint {joint} allow one position; a soft constraint holds it " + _HELD_WITHIN),
    meaning="The limits of a joint leave a single position, which an equality constraint holds.",
    hint="use a fixed joint",
)
LOOP_SOFT_CONSTRAINT = approximated(
    "mjcf.loop-soft-constraint",
    ("joint {joint} closes a kinematic loop by a soft constraint " + _HELD_WITHIN),
    meaning="A kinematic loop is closed by MuJoCo's soft constraints; the message states the "
    "error.",
    remedy="Reduce the time step.",
)
LOOP_SOFT_CONSTRAINT_OF_POINTS = LOOP_SOFT_CONSTRAINT.variant(
    "joint {joint} closes a kinematic loop by a soft constraint "
    + _HELD_WITHIN
    + "; it has no position"
)
MASSLESS_LINK = assumed(
    "mjcf.massless-link",
    "link {link} moves, but has no mass or inertia, which MuJoCo demands; it gets {mass:g} kg and "
    "moments {moments} kg m^2",
    meaning="A link that moves has no mass; it gets the smallest mass and inertia that MuJoCo "
    "accepts.",
    hint="give the link mass and inertia",
)
MATERIAL = noted(
    "mjcf.material",
    "material {material}: MuJoCo does not support {properties}",
    meaning="Some properties of a material, such as a texture map, are not supported by MuJoCo.",
)
MJX = noted(
    "mjcf.mjx",
    "MJX (3.17) does not support {features}; MuJoCo Warp does",
    meaning="MJX does not support the model; the message states why.",
    remedy="Use MuJoCo Warp, or change what the message names.",
    hint="use MuJoCo Warp, or change what is named",
)
MODEL_SCOPES = noted(
    "mjcf.model-scopes",
    "models and their canonical links are written only as prefixes of names: {models}",
    meaning="Nested models are exported only as prefixes of names.",
)
MOVING_PLANE = dropped(
    "mjcf.moving-plane",
    "link {link} can move and has a plane, which MuJoCo supports on static bodies only",
    meaning="A plane is on a link that moves, which MuJoCo does not support.",
    hint="use a box",
    effect=Lost("shapes"),
)
MUJOCO_ELEMENT = dropped(
    "mjcf.mujoco-element",
    "{section} {element} ({tag}) is left out: {reason}",
    meaning="A sensor, equality or soft body of MuJoCo names an item that is not in the document "
    "or has no limit.",
    effect=Lost("elements of MuJoCo"),
)
MUJOCO_INPUTS = dropped(
    "mjcf.mujoco-inputs",
    "<{tag}> of <mujoco_inputs> is left out: {reason}",
    meaning="An element of `<mujoco_inputs>` cannot be added to the document.",
    remedy="Correct it, or add it to the MJCF.",
    effect=Lost("elements of MuJoCo"),
)
NEVER_CLOSES = approximated(
    "mjcf.never-closes",
    "no position was found that closes constraint {constraint}; a soft constraint pulls it to its "
    "least distance, {distance:.3g} m",
    meaning="Two points that should coincide cannot meet within the joint limits; the constraint "
    "uses MuJoCo's default softness.",
    remedy="Move the points, or widen the limits.",
    hint="move the points to where they can meet",
)
NO_ACTUATORS = noted(
    "mjcf.no-actuators",
    "actuators are omitted by default: {actuators}",
    meaning="The model has actuators, which are not exported by default.",
    remedy='Use `actuators="motor"`.',
    hint='actuators="motor" writes them; so do dcmotor, position and velocity',
)
NO_INERTIA = invalid(
    "mjcf.no-inertia",
    "link {link} has no inertia",
    meaning='A link has no inertia, and `inertia="error"` was requested.',
    remedy='State the inertia, or use `inertia="keep"`.',
    hint='state it, or use inertia="keep"',
)
NO_SHAPE = noted(
    "mjcf.no-shape",
    "link {link} has a shape that is declared empty; it has no geom",
    meaning="A collision or visual has an empty geometry, so there is no geom.",
)
NO_SPEED_LINE = assumed(
    "mjcf.no-speed-line",
    "joint {joint} has no {missing} limit; the effort of its motor does not fall with speed",
    meaning='A `"dcmotor"` has no velocity or effort limit, so its effort does not fall with '
    "speed.",
    hint="state both limits of the joint",
)
FEWER_VERTICES = approximated(
    "mjcf.fewer-vertices",
    "the hull of mesh {mesh} has {fewer} of its {count:vertex|vertices} (maxhullvert), and lies up "
    "to {error:.2g} m within the whole hull",
    meaning="The hull of a mesh has fewer vertices, as the option `maxhullvert` asks.",
    remedy="State a larger `maxhullvert` if the error in the message is too large.",
)
NO_TEXTURE_COORDINATES = noted(
    "mjcf.no-texture-coordinates",
    "mesh {mesh} has no texture coordinates; MuJoCo maps the texture in its own way",
    meaning="A mesh with a texture has no texture coordinates; MuJoCo chooses them.",
    remedy="Use a mesh with texture coordinates.",
)
OPEN_AT_ZERO = noted(
    "mjcf.open-at-zero",
    "constraint {constraint} is open by {distance:.3g} m at the zero configuration; MuJoCo closes "
    "it in a few steps",
    meaning="Two points that should coincide are apart at the zero configuration.",
    remedy="Start from a configuration that closes the loop.",
    hint="start from positions that close it",
)
PARALLEL_AXES = assumed(
    "mjcf.parallel-axes",
    "the axes of joint {joint} are parallel, and no inertia separates its positions; MJCF joint "
    "{mjcf_joint} gets an armature of {armature:g} kg m^2",
    meaning="The axes of a universal or revolute2 joint are parallel, so that the mass matrix is "
    "singular; one axis gets an armature of 1e-12 kg m².",
    remedy="Turn one axis, or use a joint with one axis.",
    hint="turn an axis, or use a joint of one axis",
)
PHYSICS = noted(
    "mjcf.physics",
    "physics: {field} = {value} is left out; they are parameters of another engine",
    meaning="A physics setting of another engine has no counterpart in MuJoCo.",
    effect=Lost("settings of the solver"),
)
PHYSICS_OF_SOLVER = PHYSICS.variant(
    "physics: settings of another engine that act on its accuracy alone are left out: {names}"
)
PHYSICS_OF_MOTION = PHYSICS.variant(
    "{setting}{of} is left out, which acts on the motion in Gazebo", fate=Fate.DROPPED
)
PHYSICS_OF_CONTACT = PHYSICS.variant(
    "{setting}{of} is left out, which acts on contacts in Gazebo", fate=Fate.DROPPED
)
PHYSICS_ENGINE = PHYSICS.variant("physics: {field} = {value} is left out; the model runs in MuJoCo")
PHYSICS_MAX_CONTACTS = PHYSICS.variant(
    "physics: {field} = {value} is left out; MuJoCo determines the number of contacts"
)
PHYSICS_PACE = PHYSICS.variant(
    "physics: {field} = {value} is left out; in MuJoCo the caller determines the pace"
)
OTHER_COMMAND = dropped(
    "mjcf.other-command",
    "the first target, the range and the constant effort of actuator {actuator} are left out: they "
    "are for the control of its {commanded}, and an actuator of the type {kind} is written",
    meaning="What the source says of a control is for another quantity than the exported one.",
    remedy='Use `actuators="stated"`.',
    hint='actuators="stated" writes the kind that the source commands',
    effect=Lost("settings of controllers"),
)
PIVOTED_CONTACT = noted(
    "mjcf.pivoted-contact",
    "links that only turn about their center of mass may touch one another, {count} in all; MuJoCo "
    "takes the inverse mass there, which is zero, for the compliance of contacts, and its solver "
    "may fail",
    meaning="Links that only turn about their center of mass touch one another, for which MuJoCo's "
    "solver fails.",
    remedy='Set `solver="PGS"`, or `model.body_invweight0[body, 0]` to the inverse mass of the '
    "body.",
    hint='set solver="PGS" in <option>, or model.body_invweight0[body, 0] = 1 / '
    "model.body_mass[body]",
)
REFUSED = invalid(
    "mjcf.refused",
    "MuJoCo refuses the model: {reason}",
    meaning="MuJoCo refuses to compile the export; the message names the element and the links "
    "that use it.",
    remedy="Correct the shape, mesh or picture that the message names.",
    hint="change what the message names; if it names nothing of the source, report a bug",
)
REFUSED_ELEMENT = REFUSED.variant("MuJoCo refuses {kind} {name}: {reason}")
REFUSED_ELEMENT_OF_LINKS = REFUSED.variant("MuJoCo refuses {kind} {name} of {links}: {reason}")
REPAIRED_INERTIA = repaired(
    "mjcf.repaired-inertia",
    "link {link}: {defects}; repaired to {mass:g} kg and moments {moments:%.6g} kg m^2",
    meaning="An inertia that no body can have is replaced by the nearest valid one, as requested "
    'by `inertia="repair"`.',
    remedy="Correct the inertia in the source.",
)
RESTITUTION = approximated(
    "mjcf.restitution",
    "collision {link}/{collision}: restitution {restitution:g} becomes the damping of a soft "
    "contact; the error is 0.03 for a restitution above 0.2, and up to 0.1 (too high) below; two "
    "geoms bounce as the harder of both does; sliding on a geom of another model is slowed down by "
    "at most {rate:.2g} 1/s times the speed",
    meaning="Restitution is exported as the damping of a soft contact; the message states the "
    "error.",
)
RESTITUTION_THRESHOLD = dropped(
    "mjcf.restitution-threshold",
    "collision {name}: {field} = {value} is left out; the collision bounces at any speed",
    meaning="MuJoCo does not support a velocity threshold of restitution, so contacts bounce at "
    "any speed.",
    effect=Lost("contact parameters"),
)
RIGID_STOPS = approximated(
    "mjcf.rigid-stops",
    "joint {joint}: the time step cannot hold limits of stiffness {stiffness:g} and dissipation "
    "{dissipation:g}; they are as hard as MuJoCo's solver allows",
    meaning="The joint limits are stiffer than the time step can resolve; they are as stiff as "
    "MuJoCo's solver allows.",
    remedy="Reduce the time step.",
)
ROLLING_FRICTION = approximated(
    "mjcf.rolling-friction",
    "collision {link}/{collision}: rolling friction is a length of {length:g} m, within 15 % at "
    "more than {speed:.3g} rad/s and viscous below",
    meaning="Rolling friction is exact at fast rotation and viscous at slow rotation.",
)
SCREW_SOFT_CONSTRAINT = approximated(
    "mjcf.screw-soft-constraint",
    ("joint {joint} is a hinge and a slide, {slide}, coupled by a soft constraint " + _HELD_WITHIN),
    meaning="A screw joint is a hinge and a slide, coupled by MuJoCo's soft constraints.",
    remedy="Reduce the time step.",
)
SENSOR = dropped(
    "mjcf.sensor",
    "sensor {sensor} is on joint {joint}, which is not in the tree of bodies; MuJoCo cannot "
    "measure its {quantity}",
    meaning="The type of a sensor is not supported by MuJoCo, or its joint connects no body to the "
    "tree.",
    effect=NO_EFFECT,
)
SENSOR_TYPE = SENSOR.variant("sensor {sensor} is of type {sensor_type}, which MuJoCo does not have")
SENSOR_FIELD_OF_VIEW = SENSOR.variant(
    "camera {sensor} has a field of view of {view:g} rad; a pinhole, which is all that MuJoCo has, "
    "shows nothing from 3.1412 rad"
)
SENSOR_COLLISION = assumed(
    "mjcf.sensor-collision",
    "sensor {sensor} watches collisions that link {link} does not have: {collisions}; it watches "
    "{watched}",
    meaning="A contact sensor names collisions that its link does not have. It watches the others "
    "that it names, or the whole link if it names no other.",
    hint="name collisions of the link of the sensor",
)
SENSOR_PARAMETERS = noted(
    "mjcf.sensor-parameters",
    "sensor {sensor}: the export does not represent {parameters}",
    meaning="Some parameters of a sensor, such as noise or update rate, are not in the export.",
    remedy="Add them where you read the sensor.",
)
SENSOR_READING = approximated(
    "mjcf.sensor-reading",
    "sensor {sensor}: MuJoCo's sensors read {reading}",
    meaning="What the sensors of MuJoCo read is not what Gazebo publishes; `read()` of the export "
    "computes that.",
    remedy="Read the sensor by `read()` of the export.",
    hint="read(data) of the export returns what Gazebo publishes",
)
SENSOR_READING_FIXED = SENSOR_READING.variant(
    "sensor {sensor}: the accelerometer reads 0 in MuJoCo, because link {link} is fixed to the "
    "world (MJX and MuJoCo Warp read the reaction to gravity); Gazebo publishes {expected} m/s^2"
)
SENSOR_READING_SIGHT = SENSOR_READING.variant(
    "sensor {sensor}: a range finder of MuJoCo sees visuals and collisions alike, the sensor sees "
    "{seen} from {minimum:g} m; it reads -1 if it meets nothing, Gazebo publishes inf"
)
SENSOR_READING_CONE = SENSOR_READING.variant(
    "sensor {sensor} reads along one ray; the source measures in a cone of radius {radius} m"
)
SENSOR_READING_LENS = SENSOR_READING.variant(
    "camera {sensor} has a {lens} lens with a field of view of {view:g} rad; it becomes a pinhole"
)
SENSOR_READING_IMAGE = SENSOR_READING.variant(
    "camera {sensor} is of type {sensor_type}; MuJoCo renders its colors, depth and segmentation"
)
SENSOR_READING_DRAWN = SENSOR_READING.variant(
    "pictures of {cameras} show the rays of {lidars} in MuJoCo, also in depth",
    fate=Fate.NOTED,
    hint="switch off the flag mjVIS_RANGEFINDER of mjvOption; read(data, images=True) does so",
)
CAMERA_POSE = assumed(
    "mjcf.camera-pose",
    "camera {sensor}: <camera> states the pose {pose} within the sensor; the camera is at the "
    "sensor, where gz-sim has it, and Gazebo classic adds the pose",
    meaning="The pose of `<camera>` is ignored by gz-sim, and added to that of the sensor by "
    "Gazebo classic.",
    remedy="State the whole pose in the sensor.",
    hint="state the whole pose in <sensor>",
)
SPHERICAL_COORDINATES = noted(
    "mjcf.spherical-coordinates",
    "MuJoCo has no place on a planet: {settings}",
    meaning="`<spherical_coordinates>` is in no element of MuJoCo; `read()` of the export uses it "
    "for satellite navigation and for named references of orientations.",
)
DM_CONTROL = noted(
    "mjcf.dm-control",
    "dm_control refuses names with '/', which MuJoCo takes: {names}",
    meaning="The names contain a slash, which dm_control's `mjcf` module reserves for scopes.",
    remedy="Rename them, if dm_control shall read the file.",
)
SENSOR_RAYS = approximated(
    "mjcf.sensor-rays",
    "sensor {sensor} has {count:ray|rays}; one in {stride} is written, with its index in its name",
    meaning="A sensor has more than 100 rays, so only some of them are exported; `read()` of the "
    "export casts all.",
    remedy="Reduce the number of rays, or read the sensor by `read()` of the export.",
)
SEVERAL_JOINTS = noted(
    "mjcf.several-joints",
    "joint {joint} of type {type} becomes the joints {names} of one body; a reader of the MJCF "
    "file finds these",
    meaning="A universal, revolute2 or planar joint becomes two or three joints of one body, which "
    "move as it does. A reader of the MJCF file finds these, and not the joint of the source.",
)
SLEEP = noted(
    "mjcf.sleep",
    "model {name}: {field} = {value} is left out; MuJoCo does not put bodies to sleep by default",
    meaning="MuJoCo does not put a resting model to sleep by default.",
)
SLIP = dropped(
    "mjcf.slip",
    "collision {name}: {field} = {value} is left out; MuJoCo has no force-dependent slip",
    meaning="MuJoCo does not support force-dependent slip.",
    effect=Lost("contact parameters"),
)
STATIC_FRICTION = dropped(
    "mjcf.static-friction",
    "collision {name}: {field} = {value} is left out; MuJoCo has one coefficient, at rest and in "
    "motion",
    meaning="MuJoCo has one coefficient of friction, so the static coefficient is left out.",
    effect=Lost("contact parameters"),
)
SURFACE_VELOCITY = dropped(
    "mjcf.surface-velocity",
    "link {name}: {field} = {value} is left out; the surface does not move, because the source "
    "states no speed",
    meaning="The surface velocity of a link is left out, because the source states an axis and no "
    "speed.",
    remedy="Set `surfacevel` of its geoms, in MuJoCo 3.11 and later.",
    hint="set surfacevel of its geoms, in MuJoCo 3.11 and later",
    effect=Lost("contact parameters"),
)
TENDON = dropped(
    "mjcf.tendon",
    "the tendon over {joints} has a joint that is not a hinge or slide of the tree of bodies",
    meaning="A tendon contains a joint that is not a hinge or slide of the tree, so it is left "
    "out.",
    effect=Lost("tendons"),
)
TENDON_DAMPING = dropped(
    "mjcf.tendon-damping",
    "damping {damping:g} of tendon {tendon} is left out: MuJoCo's would act inside the bounds too",
    meaning="MuJoCo would apply the damping of a tendon inside of its bounds too, so the damping "
    "is left out.",
    remedy="Call `mujoco.set_mjcb_passive(bridge.passive_forces(...))`.",
    hint="mujoco.set_mjcb_passive(bridge.passive_forces(...)) adds it",
    effect=Lost("tendons"),
)
TENDON_SOFT_CONSTRAINT = approximated(
    "mjcf.tendon-soft-constraint",
    "tendon {tendon}: soft constraints enforce the bounds, which it exceeds by up to two time "
    "steps of motion",
    meaning="The rigid bounds of a tendon are enforced by MuJoCo's soft constraints; the message "
    "states the overshoot.",
    remedy="Reduce the time step.",
)
TEXTURE_TRANSPARENCY = noted(
    "mjcf.texture-transparency",
    "texture {file} has transparent parts, which MuJoCo draws as opaque",
    meaning="MuJoCo draws the transparent parts of a texture as opaque.",
    remedy="Split the mesh, and give the transparent part a transparent color.",
)
TIME_STEP = assumed(
    "mjcf.time-step",
    "invalid time step {time_step:g} s; using {default:g} s",
    meaning="The time step of the source is not positive and finite; the message states the one "
    "that is used.",
    remedy="State a positive time step.",
)
TOO_DEEP = invalid(
    "mjcf.too-deep",
    "link {link} is nested {depth:body|bodies} deep; MuJoCo's XML reader accepts {limit}",
    meaning="The model has more nested bodies than MuJoCo reads from XML.",
    remedy="Use `bridge.to_mjspec`.",
    hint="use bridge.to_mjspec, which builds such a model without XML",
)
TORSIONAL_FRICTION = approximated(
    "mjcf.torsional-friction",
    "collision {link}/{collision}: torsional friction becomes a length of {length:.6g} m, 3 pi/16 "
    "times coefficient times radius",
    meaning="A torsional friction coefficient and its patch radius are exported as a length.",
)
TORSIONAL_FRICTION_OF_SPHERE = TORSIONAL_FRICTION.variant(
    "collision {link}/{collision}: torsional friction becomes a length of {length:.3g} m, 3 pi/16 "
    "times coefficient times the radius of the patch, sqrt(R d), for the radius of the surface R = "
    "{radius:g} m and the depth d = {depth:.3g} m in which it rests on one point by its own weight"
)
VELOCITY_DECAY = dropped(
    "mjcf.velocity-decay",
    "link {name}: {field} = {value} is left out; MuJoCo damps joints, not links",
    meaning="MuJoCo does not support velocity decay of a link.",
    hint="use the damping of joints",
    effect=Lost("velocity decay"),
)
VELOCITY_LIMIT = approximated(
    "mjcf.velocity-limit",
    "the effort of the motor of joint {joint} is zero at {speed:g} rad/s or m/s; other forces can "
    "exceed that speed",
    meaning='MuJoCo does not support velocity limits; only the effort of a `"dcmotor"` actuator '
    "vanishes at the limit.",
    remedy='Use `actuators="dcmotor"`, or limit the speed in the controller.',
    effect=SPEEDS_WITHIN_LIMITS,
)
VELOCITY_LIMIT_DROPPED = VELOCITY_LIMIT.variant(
    "joint {name}: {field} = {value} is left out; MuJoCo does not support velocity limits",
    fate=Fate.DROPPED,
    hint='limit the speed in a controller, or use actuators="dcmotor", whose effort ends at the '
    "limit",
)
VIEW_TARGET = dropped(
    "mjcf.view-target",
    "{name} turns to the link {link}, which does not exist; it turns with its own link",
    meaning="A light or a camera turns to a link that does not exist.",
    remedy="Correct its target.",
    effect=LOOKS_ONLY,
)
VISUAL = noted(
    "mjcf.visual",
    "visual {name}: {field} = {value} is left out; every geom casts a shadow",
    meaning="MuJoCo cannot choose shadows or renderers for a single visual.",
)
VISUAL_IN_CAMERAS = VISUAL.variant(
    "visual {name}: {field} = {value} is left out; every camera sees a geom"
)
VISUAL_NAMES = noted(
    "mjcf.visual-names",
    "{count:visual is|visuals are} unnamed, because a name is not unique",
    meaning="Visuals that share their name with another shape are exported without a name.",
    remedy="Give each visual a unique name.",
)
WELDED_CONTACT = noted(
    "mjcf.welded-contact",
    "pairs of links that may collide but cannot move against each other do not collide in MuJoCo: "
    "{count}",
    meaning="Links that cannot move relative to each other do not collide in MuJoCo.",
)
WIND = dropped(
    "mjcf.wind",
    "the wind has no effect: the source states no density of the air, and MuJoCo's default is zero",
    meaning="The wind has no effect, because the source states no density of the air.",
    remedy="Set `density` and `viscosity` of `<option>`.",
    hint="set density and viscosity of <option>",
    effect=Lost("wind"),
)
WIND_OF_MODEL = WIND.variant(
    "model {name}: {field} = {value} is left out; MuJoCo has one wind for all bodies, which needs "
    "a density of the air",
    hint="",
)
WIND_OF_LINK = WIND.variant(
    "link {name}: {field} = {value} is left out; MuJoCo has one wind for all bodies, which needs a "
    "density of the air",
    hint="",
)
YIELDING_STOPS = approximated(
    "mjcf.yielding-stops",
    "joint {joint}: limit stiffness {stiffness:g} and dissipation {dissipation:g} are exact for "
    "the effective inertia of the joint at the zero configuration",
    meaning="Joint limits with a stated stiffness are exact only for the effective inertia at the "
    "zero configuration.",
)
ZERO_EFFORT = assumed(
    "mjcf.zero-effort",
    "joint {joint} has an effort limit of {effort:g}; its actuators have no effort limit",
    meaning="A joint has an effort limit of zero or less, which is read as no limit.",
    remedy="State the limit, or remove it.",
    hint="state the effort limit, or omit it",
    effect=Chosen("effort limits"),
)
ZERO_OUTSIDE_LIMITS = noted(
    "mjcf.zero-outside-limits",
    "zero is outside the limits of {joints}; the keyframe {key} is inside",
    meaning="The zero configuration is outside the joint limits.",
    remedy="Start from the keyframe that is named.",
)
