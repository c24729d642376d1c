"""Codes of `bridge.load_into_pybullet`."""

from __future__ import annotations

from bridge.codes import ACCELERATIONS_WITHIN_LIMITS, SPEEDS_WITHIN_LIMITS
from loaders.code import Fate, Lost, approximated, assumed, dropped, invalid, noted

ACCELERATION_LIMIT = dropped(
    "pybullet.acceleration-limit",
    "PyBullet does not support acceleration limits: {names}",
    meaning="PyBullet does not support acceleration limits of joints.",
    remedy="Limit the acceleration in the controller.",
    effect=ACCELERATIONS_WITHIN_LIMITS,
)
ADDED_MASS = dropped(
    "pybullet.added-mass",
    "PyBullet does not support added mass: {names}",
    meaning="PyBullet does not support an added-mass matrix.",
    effect=Lost("added mass"),
)
APPEARANCE = noted(
    "pybullet.appearance",
    "PyBullet draws visuals without specular color and without textures other than the color map: "
    "{names}",
    meaning="Shininess and textures other than the color texture are not drawn.",
)
BALL_CONSTRAINT = approximated(
    "pybullet.ball-constraint",
    "the solver holds a {part} of {link_A} and one of {link_B} together, within 1e-4 m in 1 s at 1 "
    "kHz for links of a few kilograms, more for heavier links",
    meaning="PyBullet's solver enforces a ball constraint, within 1e-4 m in 1 s at 1 kHz.",
    remedy="Reduce the time step.",
    hint="use a smaller time step",
)
BALL_LIMIT = dropped(
    "pybullet.ball-limit",
    "PyBullet does not support limits and friction of ball joints: {names}",
    meaning="PyBullet does not support limits or dry friction of ball joints.",
    effect=Lost("limits"),
)
BALL_WITHOUT_INERTIA = assumed(
    "pybullet.ball-without-inertia",
    "ball joint {joint} rotates a link without inertia, which becomes NaN in PyBullet; using "
    "{inertia:g} kg m^2",
    meaning="A link on a ball joint has no inertia; it gets 1e-9 kg m², because PyBullet's state "
    "would become NaN.",
    remedy="Give the link an inertia.",
    hint="give the link its mass and inertia",
)
BASE_WITHOUT_INERTIA = assumed(
    "pybullet.base-without-inertia",
    "link {link} moves freely but has no inertia, which can become NaN in PyBullet; using "
    "{inertia:g} kg m^2",
    meaning="A free base link has no inertia; it gets 1e-12 kg m².",
    remedy="Give the link an inertia.",
    hint="give the link its mass and inertia",
)
BITMASK_PER_LINK = approximated(
    "pybullet.bitmask-per-link",
    "the collisions of link {link} have different bitmasks; in PyBullet the link collides wherever "
    "any of them may",
    meaning="The collisions of one link have different bitmasks; the link collides with whatever "
    "any of them may hit.",
    remedy="Split the link.",
    hint="divide the link",
)
BUSHING = approximated(
    "pybullet.bushing",
    "PyBullet does not support bushings; they act explicitly, once per step: {names}",
    meaning="A bushing is a force that is computed at each step.",
    remedy="Advance the simulation with `step()` of the handle.",
    hint="call step(), or apply_passive_forces() before every stepSimulation",
    harm=1,
)
CONSOLE = noted(
    "pybullet.console",
    "PyBullet printed: {line}",
    meaning="PyBullet printed this text while it loaded the model.",
)
CONTACT_COMBINATION = noted(
    "pybullet.contact-combination",
    "PyBullet combines the contact parameters of a pair by its own rules: {rules}",
    meaning="PyBullet combines the contact parameters of two surfaces by its own rule, which the "
    "message states.",
    remedy="Give a rigid ground a friction and a restitution of 1.",
    hint="against a rigid surface with friction and restitution 1 the file's values hold",
)
CONTACT_PAIR = approximated(
    "pybullet.contact-pair",
    "the links of a pair may touch with all their shapes, with the parameters of the shapes: "
    "{names}",
    meaning="The links of a contact pair may touch with all their shapes.",
)
CONTACT_POLICY = noted(
    "pybullet.contact-policy",
    "the collision policy {policy} ignores {properties}",
    meaning="The collision policy ignores bitmasks and `self_collide`, which the source states.",
    remedy='Use `policy="sdformat"`.',
    hint='choose policy="sdformat"',
)
CONTACT_PROPERTY = dropped(
    "pybullet.contact-property",
    "PyBullet does not support contact parameter {parameter}; it is ignored for "
    "{count:collision|collisions}: {collisions}",
    meaning="Some contact parameters have no counterpart in PyBullet.",
    effect=Lost("contact parameters"),
)
CONTROL_RANGE = noted(
    "pybullet.control-range",
    "PyBullet has no actuators with a range of control: {names}",
    meaning="PyBullet has no actuators with a range of control.",
)
CONTROLLER_GAINS = approximated(
    "pybullet.controller-gains",
    "the gains of PyBullet's motors have another meaning; controllers act explicitly, once per "
    "step: {names}",
    meaning="The controllers of the model differ from PyBullet's motors; their forces are computed "
    "at each step.",
    remedy="Call `apply_control()` of the handle.",
    hint="call apply_control() before every step; without arguments it has the first targets",
)
COUPLING = dropped(
    "pybullet.coupling",
    "PyBullet does not support coupling joint {joint} with {leader}, because one is a ball or free "
    "joint",
    meaning="A coupling with a ball or free joint is not supported by PyBullet and is left out.",
    effect=Lost("couplings"),
    harm=2,
)
COUPLING_ACROSS_BODIES = approximated(
    "pybullet.coupling-across-bodies",
    "joint {joint} follows {leader} of another body; PyBullet couples the velocities only, and the "
    "positions drift apart slowly",
    meaning="A coupling between two PyBullet bodies couples velocities only, so that positions "
    "drift apart slowly.",
    remedy="Join the models.",
)
CUT_LINKS = approximated(
    "pybullet.cut-links",
    "links of model {model} are split between two bodies each, which the solver holds together "
    "with an error: {links}",
    meaning="A moving link is split across two PyBullet bodies with half of its inertia each, "
    "which the solver holds together.",
    remedy="Check `gaps()` of the handle, and reduce the time step.",
    hint="measure the separation with link_separation(); it decreases with the square of the time "
    "step",
)
DEFORMABLE = dropped(
    "pybullet.deformable",
    "deformable links are rigid in PyBullet: {names}",
    meaning="A deformable link is loaded as a rigid body.",
    remedy="Load it with `loadSoftBody`.",
    effect=Lost("deformation"),
)
DRY_FRICTION = approximated(
    "pybullet.dry-friction",
    "PyBullet stores dry friction as an impulse per step, for the time step at loading: {names}",
    meaning="Dry friction of joints is right only for the time step at loading.",
    remedy="Set the time step before loading, or use `step()` of the handle.",
    hint="set the time step before loading, or call step() or adapt_friction() after a change",
)
EFFORT_LIMIT = noted(
    "pybullet.effort-limit",
    "PyBullet reports but does not enforce effort limits: {names}",
    meaning="PyBullet reports effort limits in `getJointInfo` but does not enforce them.",
    remedy="Use `apply_efforts` of the handle, or `force=` of PyBullet's motors.",
    hint="call apply_efforts(), which clips to them, or pass them to PyBullet's motors as force=",
)
EMISSION = noted(
    "pybullet.emission",
    "mesh {mesh} emits light, which PyBullet does not draw",
    meaning="A material of a mesh file emits light beside its color, which is not drawn.",
    remedy="State the color that is to be seen as the diffuse color.",
)
EMPTY_RANGE = dropped(
    "pybullet.empty-range",
    "joints whose lower limit lies above the upper limit have no limits: {names}",
    meaning="The lower limit of a joint is above the upper limit, so the joint has no limits.",
    hint="exchange the limits in the source",
    effect=Lost("limits"),
)
FLAG_IGNORED = noted(
    "pybullet.flag-ignored",
    "flags ignored: {flags}",
    meaning="A flag that would change the model is ignored.",
    remedy="Use the option `policy` instead.",
)
FLOATING_DYNAMICS = dropped(
    "pybullet.floating-dynamics",
    "PyBullet does not support damping, friction and springs of free links: {names}",
    meaning="PyBullet does not support damping, friction and springs of free links.",
    effect=Lost("dynamics of free links"),
)
FLUID_FORCE = approximated(
    "pybullet.fluid-force",
    "PyBullet does not support fluids; buoyancy, drag and lift act explicitly, once per step: "
    "{names}",
    meaning="Buoyancy, drag or lift of a fluid is a force that is computed at each step.",
    remedy="Advance the simulation with `step()` of the handle.",
    hint="call step(), or apply_passive_forces() before every stepSimulation",
    harm=1,
)
FOLDED_LINKS = noted(
    "pybullet.folded-links",
    "{count:welded link is|welded links are} merged with what carries them, because a PyBullet "
    "body has at most {max_joints:joint|joints}: {links:%s (with %s)}",
    meaning="Welded links are merged with the link that carries them, so that the body fits into "
    "PyBullet.",
    remedy="Ask for poses by the name of the link.",
    hint="ask for their poses by name; they have no PyBullet index",
)
FRICTION_PRODUCT = approximated(
    "pybullet.friction-product",
    "PyBullet multiplies the friction coefficients of a pair: {link_a} and {link_b} slide on each "
    "other with {found:.3g}, and by the rule of the source, {rule_name}, with {wanted:.3g}; the "
    "friction of no other pair differs by more than {difference:.3g}",
    meaning="PyBullet multiplies the friction coefficients of two surfaces; the message states the "
    "largest difference from the rule of the source.",
    remedy="Give the ground a friction of 1.",
    hint="give the ground a coefficient of 1, against which the file's values hold",
)
GEAR = approximated(
    "pybullet.gear",
    "joint {joint} follows {leader} by a gear of the solver, within 5e-6 in 1 s at 1 kHz for links "
    "of a few kilograms, more for heavier links",
    meaning="PyBullet's solver enforces a coupling as a gear: within 5e-6 in 1 s at 1 kHz, if it "
    "is the only one.",
    remedy="Reduce the time step.",
)
GEAR_OF_SEVERAL = GEAR.variant(
    "joint {joint} follows {leader} by one of {count:gear|gears}, of which the solver meets each "
    "as well as its iterations allow",
    hint="set numSolverIterations of setPhysicsEngineParameter higher",
)
GEAR_OF_TANGENT = GEAR.variant(
    "joint {joint} follows {leader} by a curve; step() sets a gear of the solver to its tangent "
    "before each step, and with stepSimulation() alone the position differs by up to {error:.3g} "
    "for {leader} from {low:.3g} to {high:.3g}",
    hint="advance the simulation with step() of the handle",
)
HULL_MARGIN = approximated(
    "pybullet.hull-margin",
    "PyBullet inflates {count:convex hull|convex hulls} on links by {margin:g} m: {collisions}",
    meaning="PyBullet inflates the convex hulls of links by 1 mm.",
    remedy="Use primitive shapes.",
    hint="use primitives, which have no margin; PyBullet removes the margin of bases only",
)
INACTIVE_CONSTRAINT = dropped(
    "pybullet.inactive-constraint",
    "constraints that the source switches off are left out: {names}",
    meaning="A constraint that the source switches off is left out.",
    effect=Lost("constraints that are switched off"),
)
KEYFRAMES = noted(
    "pybullet.keyframes",
    "PyBullet has no named states: {names}",
    meaning="PyBullet has no named states of a model.",
    remedy="Set one with `robot.set_positions(dict(zip(key.joints, key.positions)))`, for a key of "
    "`robot.mechanism.keyframes`.",
    hint="set one with set_positions(dict(zip(key.joints, key.positions))) for a key of "
    "robot.mechanism.keyframes",
)
LENT_INERTIA = noted(
    "pybullet.lent-inertia",
    "base link {base} has no mass; PyBullet's base takes the inertia of {lender}, which is welded "
    "to it",
    meaning="A free base link without mass gets, as PyBullet's base, the inertia of a link that is "
    "welded to it.",
    remedy="Change that mass at link index -1.",
)
LIGHT = noted(
    "pybullet.light",
    "PyBullet does not support lights of a file; {count:light is|lights are} ignored: {names}",
    meaning="PyBullet does not support lights in a model.",
)
LIMITED_DAMPING = approximated(
    "pybullet.limited-damping",
    "PyBullet computes joint damping explicitly, which is unstable for some joints at a time step "
    "of {step:.3g} s; their damping is limited to what stops a joint within one step, and under a "
    "constant force it moves up to {factor:.3g} times as fast: {names}",
    meaning="PyBullet computes joint damping explicitly; at its present time step the damping of "
    "the file would make the joints named diverge, and is limited to what stops them within one "
    "step.",
    remedy="Set a shorter time step with `apply_physics()` or `pybullet.setTimeStep`; `step()` of "
    'the handle adapts the damping to it. `damping="exact"` keeps the numbers of the file.',
    harm=1,
)
LINK_WITHOUT_GRAVITY = approximated(
    "pybullet.link-without-gravity",
    "gravity acts on every link in PyBullet; the weight of links without gravity is compensated "
    "once per step: {names}",
    meaning="The weight of a link without gravity is compensated by a force at each step.",
    remedy="Advance the simulation with `step()` of the handle.",
    hint="call step(), or apply_passive_forces() before every stepSimulation",
    harm=1,
)
LOAD_FAILED = invalid(
    "pybullet.load-failed",
    "PyBullet cannot load model {model}: {output}",
    meaning="PyBullet refused the body; the message has its output.",
    remedy="Report the model as a bug.",
    hint="report this as a bug, with the model",
)
LOCKED_JOINT = dropped(
    "pybullet.locked-joint",
    ("PyBullet does not move joints whose motion nothing but rotor inertia resists: {names}"),
    meaning="Only a rotor gives the joint an inertia, such as the first of two hinges about one "
    "line with a massless link between them. PyBullet has no rotors, and does not move the joint, "
    "whatever acts on it.",
    remedy="Give the link of the joint, or the link between two joints, an inertia about the axis.",
    hint="give the link of each joint an inertia about its axis",
    effect=Lost("joint motion"),
    harm=2,
)
LONG_PATH = invalid(
    "pybullet.long-path",
    "the path of the temporary folder has {length:byte|bytes}, too many for PyBullet",
    meaning="The path of the temporary folder is too long for PyBullet.",
    remedy="Set `TMPDIR` to a folder with a shorter path.",
    hint="set TMPDIR to a shorter path",
)
LOOP = approximated(
    "pybullet.loop",
    "joint {joint} closes a loop by a constraint of the solver, within {accuracy}",
    meaning="PyBullet's solver closes a kinematic loop; the message states the error.",
    remedy="Reduce the time step.",
    hint="use a smaller time step",
)
MERGED_FILTERS = approximated(
    "pybullet.merged-filters",
    "merged links collide although the model excludes the pair: {pairs:%s and %s}",
    meaning="Links that PyBullet merged into one also collide where the model excludes one of "
    "them.",
    hint="weld fewer links",
)
MOVED_PRODUCTS = noted(
    "pybullet.moved-products",
    "PyBullet's base {base} would be turned by {angle:.1f} degrees; {holder}, which is welded to "
    "it, holds its products of inertia",
    meaning="The small products of inertia of a free base would turn PyBullet's frame of the base; "
    "a heavier link that is welded to it holds them. The motion is exact.",
    remedy="Read the inertias of both links by `mechanism_from_pybullet()` of the handle.",
    hint="the physics is unchanged; read the inertias of both links by mechanism_from_pybullet() "
    "of the handle",
)
MUJOCO_ELEMENT = dropped(
    "pybullet.mujoco-element",
    "PyBullet does not have elements of MuJoCo: {names}",
    meaning="PyBullet does not have constraints of one joint or of tendons, nor MuJoCo's soft "
    "bodies.",
    effect=Lost("elements of MuJoCo"),
)
MUJOCO_SENSOR = noted(
    "pybullet.mujoco-sensor",
    "PyBullet does not have sensors of MuJoCo: {names}",
    meaning="PyBullet does not have the sensors of MuJoCo.",
)
MUJOCO_SETTINGS = dropped(
    "pybullet.mujoco-settings",
    "PyBullet lacks {setting}{of}, which acts on the motion",
    meaning="A setting of MuJoCo that acts on the motion or on contacts is left out.",
    remedy="Leave the setting out of the source, if its default will do.",
    effect=Lost("settings of MuJoCo"),
)
MUJOCO_SETTINGS_OF_CONTACT = MUJOCO_SETTINGS.variant(
    "PyBullet lacks {setting}{of}, which acts on contacts"
)
MUJOCO_SETTINGS_OF_ACTUATORS = MUJOCO_SETTINGS.variant(
    "PyBullet has no actuators with the laws of MuJoCo: {names}"
)
MUJOCO_SOLVER = noted(
    "pybullet.mujoco-solver",
    "PyBullet lacks settings of MuJoCo that act on its accuracy alone, or on no motion: {names}",
    meaning="Settings of MuJoCo's solver are left out.",
)
NAME_SHORTENED = approximated(
    "pybullet.name-shortened",
    "a name of {size:byte|bytes} is too long for PyBullet; shortened to {start}...{end}",
    meaning="A name is longer than PyBullet allows and is shortened there.",
    remedy="Use names of at most 1000 bytes.",
)
NO_TEXTURE_COORDINATES = noted(
    "pybullet.no-texture-coordinates",
    "mesh {mesh} has no texture coordinates; its texture {texture} is not drawn",
    meaning="A mesh with a texture has no texture coordinates, so the texture is not drawn.",
    remedy="Use a mesh with texture coordinates.",
)
PHYSICS = noted(
    "pybullet.physics",
    "parameters of the file's physics solver are ignored: {names}",
    meaning="The physics settings are for another engine and are not applied.",
    remedy="Call `setPhysicsEngineParameter`.",
    effect=Lost("settings of the solver"),
)
PHYSICS_OF_MOTION = PHYSICS.variant(
    "PyBullet lacks {setting}{of}, which acts on the motion in Gazebo", fate=Fate.DROPPED
)
PHYSICS_OF_CONTACT = PHYSICS.variant(
    "PyBullet lacks {setting}{of}, which acts on contacts in Gazebo", fate=Fate.DROPPED
)
REFUSED_INERTIA = noted(
    "pybullet.refused-inertia",
    "PyBullet's calculateMassMatrix, calculateInverseDynamics, calculateJacobian and "
    "calculateInverseKinematics refuse {model}, because no body has the inertia of {links}",
    meaning="The principal moments of a link are negative, or one is larger than the sum of the "
    "others. PyBullet simulates the body, but its dynamics queries refuse it.",
    remedy="Use `robot.mass_matrix()`, `robot.inverse_dynamics()` and `robot.bias_forces()`, which "
    "answer; correct the inertia; or load with `lenient=True`, which repairs it.",
    hint="robot.mass_matrix() and robot.inverse_dynamics() answer; lenient=True repairs inertias",
)
RESTITUTION = approximated(
    "pybullet.restitution",
    "after a bounce a ball is faster than its restitution states, by up to 0.09 of its speed "
    "before, depending on when in the step it touches; a body that touches at several points is "
    "slower: {collisions}",
    meaning="After a bounce, bodies are up to 0.09 of their speed too fast in PyBullet.",
)
RIGID_DISTANCE = approximated(
    "pybullet.rigid-distance",
    "PyBullet does not support distance constraints; forces enforce them once per step, within "
    "5e-4 m in 1 s at 1 kHz for links of a few kilograms, and correct the effect of motors and "
    "contacts one step later: {names}",
    meaning="A fixed distance is held by forces at each step, within 5e-4 m in 1 s at 1 kHz.",
    remedy="Advance the simulation with `step()` of the handle.",
    hint="call step(), or apply_passive_forces() before every stepSimulation",
    harm=1,
)
RIGID_TENDON = approximated(
    "pybullet.rigid-tendon",
    "PyBullet does not support constraints of several joints; forces enforce tendons once per "
    "step, and correct the effect of motors and contacts one step later: {names}",
    meaning="A rigid tendon is held by forces that are computed at each step.",
    remedy="Advance the simulation with `step()` of the handle.",
    hint="call step(), or apply_passive_forces() before every stepSimulation",
    harm=1,
)
ROTATED_FIXED_BASE = noted(
    "pybullet.rotated-fixed-base",
    "fixed base {link} is rotated; PyBullet's calculateInverseDynamics ignores that rotation",
    meaning="PyBullet's `calculateInverseDynamics` ignores the rotation of a fixed base.",
    remedy="Use the inverse dynamics of the handle.",
    hint="use bias_forces and inverse_dynamics of the handle",
)
ROTOR_INERTIA = dropped(
    "pybullet.rotor-inertia",
    "PyBullet does not support rotor inertia; joints with it have less effective inertia: {names}",
    meaning="PyBullet does not support rotor inertia; the message states how much of the inertia "
    "at each joint is missing.",
    remedy="Add it to the link where everything that carries the link is fixed.",
    hint="add it to the link if everything that carries the link is fixed",
    effect=Lost("rotor inertia"),
)
SENSOR = noted(
    "pybullet.sensor",
    "PyBullet has no reading for {count:sensor|sensors}: {names}",
    meaning="The handle of PyBullet cannot compute what a sensor publishes.",
)
SENSOR_READING = noted(
    "pybullet.sensor-reading",
    "what PyBullet reads differs from what Gazebo publishes: {names}",
    meaning="What the handle of PyBullet reads for a sensor is not quite what Gazebo publishes.",
)
SENSOR_PARAMETERS = noted(
    "pybullet.sensor-parameters",
    "parameters of sensors are not used: {names}",
    meaning="Some parameters of a sensor, such as noise or update rate, are not used.",
    remedy="Add them where you read the sensor.",
)
SEVERAL_BODIES = noted(
    "pybullet.several-bodies",
    "model {model} needs {count:PyBullet body|PyBullet bodies}, because a body has at most "
    "{max_joints:joint|joints}",
    meaning="A model with more joints than one PyBullet body holds is loaded as several bodies.",
    remedy="Use the handle, which finds links and joints by name.",
    hint="use the sequence of bodies as one mechanism, by names",
)
SHAPE_AS_HULL = approximated(
    "pybullet.shape-as-hull",
    "PyBullet does not support collision shape {shape}; using a convex hull that lies up to "
    "{error:.2g} m inside, inflated by PyBullet's margin of {margin:g} m",
    meaning="A shape that PyBullet lacks, such as an ellipsoid, collides as a convex hull; the "
    "message states the error.",
)
SHAPE_DROPPED = dropped(
    "pybullet.shape-dropped",
    "the height map {uri} is on a moving link, where PyBullet does not support it; it is ignored",
    meaning="A height map on a moving link, or one whose image cannot be read, is left out.",
    hint="use a mesh",
    effect=Lost("shapes"),
)
SHAPE_DROPPED_UNREADABLE_HEIGHTMAP = SHAPE_DROPPED.variant(
    "cannot use the height map {uri}: {reason}; it is ignored",
    hint="use an image of at least 2 x 2 pixels in a format that Pillow reads",
)
SOFT_STOP = dropped(
    "pybullet.soft-stop",
    "PyBullet does not support stiffness and dissipation of joint limits; the limits are rigid: "
    "{names}",
    meaning="PyBullet does not support joint limits that yield; its limits are rigid.",
    effect=Lost("stops"),
)
SPRING = approximated(
    "pybullet.spring",
    "PyBullet does not support joint springs; they act explicitly, once per step: {names}",
    meaning="The spring of a joint is a force that is computed at each step.",
    remedy="Advance the simulation with `step()` of the handle.",
    hint="call step(), or apply_passive_forces() before every stepSimulation",
    harm=1,
)
SPRING_DAMPER = approximated(
    "pybullet.spring-damper",
    "PyBullet does not support springs between links; they act explicitly, once per step: {names}",
    meaning="A spring-damper is a force that is computed at each step.",
    remedy="Advance the simulation with `step()` of the handle.",
    hint="call step(), or apply_passive_forces() before every stepSimulation",
    harm=1,
)
START_OUTSIDE_LIMITS = noted(
    "pybullet.start-outside-limits",
    "PyBullet pushes joints that start outside their limits: {names}",
    meaning="A robot starts at zero where its file states no other position. Limits of a joint "
    "that exclude this position push the joint as soon as the simulation starts.",
    remedy="Start at home: `robot.set_positions(sdfbridge.lower(scene).home_positions())`.",
    hint="start within them: robot.set_positions(sdfbridge.lower(scene).home_positions())",
)
STATED_TENDON = dropped(
    "pybullet.stated-tendon",
    "PyBullet does not support tendons of MuJoCo: {names}",
    meaning="PyBullet does not support tendons of MuJoCo.",
    effect=Lost("tendons"),
)
STIFF_DAMPING = approximated(
    "pybullet.stiff-damping",
    "PyBullet computes joint damping explicitly, which is unstable at a time step of {step:.3g} s "
    "and stable below {max_step:.3g} s: {names}",
    meaning="PyBullet computes joint damping explicitly; at its present time step that is "
    "unstable, and the joints named diverge.",
    remedy="Call `apply_physics()`, if the file's time step is short enough, or "
    "`pybullet.setTimeStep` with a step below the one stated.",
    harm=3,
)
SURFACE_PER_LINK = approximated(
    "pybullet.surface-per-link",
    "the collisions of link {link} have different contact parameters; PyBullet uses those of the "
    "first for all",
    meaning="The collisions of one link have different contact parameters; those of the first are "
    "used.",
    remedy="Split the link.",
    hint="divide the link",
)
SURFACE_VELOCITY = dropped(
    "pybullet.surface-velocity",
    "PyBullet does not support conveyor surfaces: {names}",
    meaning="PyBullet does not support surface velocities.",
    effect=Lost("contact parameters"),
)
TENDON = approximated(
    "pybullet.tendon",
    "PyBullet does not support tendons; compliant tendons act explicitly, once per step: {names}",
    meaning="An elastic tendon is a force that is computed at each step.",
    remedy="Advance the simulation with `step()` of the handle.",
    hint="call step(), or apply_passive_forces() before every stepSimulation",
    harm=1,
)
TENDON_JOINT = dropped(
    "pybullet.tendon-joint",
    "tendons are ignored if a joint is not a single degree of freedom of a tree: {names}",
    meaning="A tendon contains a joint that is not a single degree of freedom of the tree, so it "
    "is left out.",
    effect=Lost("tendons"),
)
TEXTURE_SIZE = approximated(
    "pybullet.texture-size",
    "textures are drawn at most {size:pixel|pixels} wide and high: PyBullet keeps a copy of "
    "the picture for each visual, and all of them would take more than 400 MB",
    meaning="The textures of a model are scaled, because PyBullet would need too much memory.",
)
TEXTURE_TRANSPARENCY = noted(
    "pybullet.texture-transparency",
    "texture {file} has transparent parts, which PyBullet draws as opaque",
    meaning="PyBullet draws the transparent parts of a texture as opaque.",
    remedy="Split the mesh, and give the transparent part a transparent color.",
)
THIN_SHAPE = approximated(
    "pybullet.thin-shape",
    "PyBullet touches {count:a box or cylinder|boxes and cylinders} on links early, by up to "
    "{error:.2g} m, because {count:it is|they are} thinner than {thickness:g} m: {collisions}",
    meaning="PyBullet makes boxes and cylinders of links thicker that are thinner than 2 mm, but "
    "not boxes that touch boxes or planes.",
    remedy="Make them 2 mm thick, or weld them to the world as a file of their own.",
    hint="make them as thick as that; those of a base are exact",
)
TOO_MANY_JOINTS = invalid(
    "pybullet.too-many-joints",
    "model {model} exceeds PyBullet's maximum of {max_joints:joint|joints} and "
    "{max_coordinates:coordinate|coordinates} for a body, and has too few links with mass and "
    "inertia to be split",
    meaning="The model exceeds the 127 joints or 121 coordinates of one PyBullet body, and has too "
    "few links with mass where it could be split.",
    remedy="Give the links mass and inertia, or weld joints that need not move.",
    hint="give masses to links, divide the model, or weld joints that need not move",
)
TURNED_BASE = noted(
    "pybullet.turned-base",
    "PyBullet's frame of base {link} has the principal axes of its inertia, turned by {angle:.1f} "
    "degrees from the link; the motion is exact",
    meaning="PyBullet's frame of a free base has the principal axes of the link's inertia; they "
    "are more than one degree from the axes of the link. The motion is exact.",
    remedy="Use `base_pose`, `set_base_pose` and the functions beside them of the handle in place "
    "of `getBasePositionAndOrientation` and `resetBasePositionAndOrientation`.",
)
VELOCITY_DECAY = dropped(
    "pybullet.velocity-decay",
    "PyBullet does not support velocity decay of single links: {names}",
    meaning="PyBullet does not support velocity decay of a single link.",
    remedy="Call `changeDynamics` with `linearDamping` and `angularDamping`.",
    effect=Lost("velocity decay"),
)
VELOCITY_LIMIT = dropped(
    "pybullet.velocity-limit",
    "PyBullet reports but does not enforce velocity limits: {names}",
    meaning="PyBullet reports velocity limits in `getJointInfo` but does not enforce them.",
    remedy="Limit your commands.",
    effect=SPEEDS_WITHIN_LIMITS,
)
VISUAL_ROLES = noted(
    "pybullet.visual-roles",
    "PyBullet draws every visual, in all renderers and with shadows; visuals that state otherwise: "
    "{names}",
    meaning="PyBullet draws every visual, whatever its role.",
)
WIND = dropped(
    "pybullet.wind",
    "PyBullet does not support wind: {names}",
    meaning="PyBullet does not support wind.",
    effect=Lost("wind"),
)
