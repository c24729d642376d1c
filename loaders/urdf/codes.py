"""Codes of the readers of URDF, SRDF and xacro files."""

from __future__ import annotations

from loaders.code import NO_EFFECT, Fate, Lost, assumed, dropped, invalid, noted

SRDF_DUPLICATE_STATE = dropped(
    "srdf.duplicate-state",
    "state {state} of group {group} is defined twice; the second is ignored",
    meaning="Two states of a group have the same name; the second is not read.",
    hint="rename one of them",
    effect=NO_EFFECT,
)
SRDF_EMPTY_STATE = dropped(
    "srdf.empty-state",
    "state {state} has no joints; it is ignored",
    meaning="A state of a group names no joints.",
    remedy="Add joints or remove it.",
    effect=NO_EFFECT,
)
SRDF_NOT_USED = noted(
    "srdf.not-used",
    "{file} beside this file is not used",
    meaning="An SRDF with the name of the robot's file lies beside it and is not used.",
    remedy="Name it in `srdf` to use its collision filters and states.",
    hint="use srdf=... for its collision filters and states",
)
SRDF_PLANNING = noted(
    "srdf.planning",
    "ignored <{tag}>: it is for motion planning and has no effect on the mechanics",
    meaning="The element is for motion planning and does not affect the mechanics, so it is not "
    "read.",
)
SRDF_ROOT = invalid(
    "srdf.root",
    "unknown root element <{tag}> of an SRDF; expected <robot>",
    meaning="The root element is not `<robot>`, so the file is not SRDF.",
    remedy="Check that it is the right file.",
)
SRDF_SAME_LINK = assumed(
    "srdf.same-link",
    "link {link} never collides with itself; the element is ignored",
    meaning="A pair of disabled collisions names one link twice; a link never collides with "
    "itself.",
    remedy="Correct one of the names.",
)
SRDF_STATE_JOINT = dropped(
    "srdf.state-joint",
    "state {state}: joint {joint} is {type}; its position is not read",
    meaning="A state has a position of a fixed, floating or other joint, which is not read.",
    remedy="Set the position of such a joint in the simulator.",
    effect=NO_EFFECT,
)
SRDF_STATE_JOINT_FIXED = SRDF_STATE_JOINT.variant(fate=Fate.NOTED)
SRDF_STATE_VALUE = dropped(
    "srdf.state-value",
    "state {state}: invalid position {value!r} of joint {joint}; expected "
    "{count:finite number|finite numbers}",
    meaning="The position of a joint in a state is not a finite number, or three for a planar "
    "joint.",
    remedy="Correct the value.",
    effect=NO_EFFECT,
)
SRDF_UNKNOWN_JOINT = dropped(
    "srdf.unknown-joint",
    "state {state}: the robot has no joint {joint}; it is ignored",
    meaning="A state names a joint that the robot does not have, such as a virtual joint.",
    remedy="Correct the name.",
    effect=NO_EFFECT,
)
SRDF_UNKNOWN_LINK = dropped(
    "srdf.unknown-link",
    "unknown link {link!r}; the element is ignored",
    meaning="A pair of disabled collisions names an unknown link.",
    remedy="Correct the name.",
    effect=Lost("collidable pairs"),
)
ACTUATOR_IGNORED = dropped(
    "urdf.actuator-ignored",
    "joint {joint} has {count:axis|axes}; its actuator is ignored",
    meaning="A transmission drives a joint that has several axes or an effort limit of zero, so "
    "its actuator is left out.",
    remedy="Give the joint an effort limit, or remove the transmission.",
    effect=NO_EFFECT,
)
ACTUATOR_IGNORED_NO_EFFORT = ACTUATOR_IGNORED.variant(
    "joint {joint} has the effort limit 0; its actuator is ignored, as in Drake"
)
APPEARANCE = noted(
    "urdf.appearance",
    "ignored <{tag}>: it affects only Gazebo's rendering",
    meaning="The element only tells Gazebo how to draw, so it is not read.",
)
APPEARANCE_OF_COLLISION = APPEARANCE.variant(
    "ignored <{tag}>: it has no effect on motion or contact"
)
CANONICAL_BODY = noted(
    "urdf.canonical-body",
    "ignored <{tag}>: the canonical link is the root link",
    meaning="`<canonicalBody>` is not read: the canonical link is the root link.",
)
COLOUR_RANGE = assumed(
    "urdf.colour-range",
    "a color component lies outside 0..1; clipped",
    meaning="A color component is outside 0 to 1 and is clipped.",
    remedy="Write colors between 0 and 1.",
)
CONTINUOUS_LIMIT = assumed(
    "urdf.continuous-limit",
    "a continuous joint has no position limits; lower and upper are ignored",
    meaning="A continuous joint has position limits, which are ignored.",
    remedy="Remove the limits, or make the joint revolute.",
)
CONTROLLER_SETTING = noted(
    "urdf.controller-setting",
    "ignored <{tag}>: it is for controllers and has no effect on the mechanics",
    meaning="The element is for controllers and does not affect the mechanics, so it is not read.",
    effect=NO_EFFECT,
)
CONTROLLER_SETTING_SENSOR = CONTROLLER_SETTING.variant(
    "sensor {sensor} of ros2_control is left out, because no sensor of this name is in the file; "
    "interfaces: {interfaces}",
    fate=Fate.DROPPED,
)
CONTROLLER_SETTING_READ = CONTROLLER_SETTING.variant(
    "sensor {sensor} of ros2_control is the sensor of this name"
)
CONTROLLER_SETTING_OLD_VERSION = CONTROLLER_SETTING.variant(
    "{name} of <limit> is part of URDF since version 1.2; the version of this file is {version}",
    fate=Fate.ASSUMED,
    hint='state version="1.2" in <robot>',
)
CONTROLLER_SETTING_PARAMETER = CONTROLLER_SETTING.variant(
    "ignored <param> {name} of <{tag}>: it is for controllers and has no effect on the mechanics"
)
CONTROLLER_VALUE = dropped(
    "urdf.controller-value",
    "ignored <param> {name} of <{tag}>: {value!r} is no number",
    meaning="A parameter of a joint in `<ros2_control>` is no number, such as an expression of "
    "xacro that was not expanded; it is ignored. Other readers of URDF ignore the whole element.",
    remedy="State a number.",
    effect=Lost("controls"),
)
CONTROLLER_SETTING_HARDWARE = CONTROLLER_SETTING.variant("ignored <{tag}>: it describes hardware")
DUPLICATE_MATERIAL = assumed(
    "urdf.duplicate-material",
    "material {material!r} has several definitions; a reference by name uses the first one",
    meaning="A material is defined twice with different values; where it is only named, the first "
    "definition is used.",
    remedy="Rename one of the materials.",
)
DUPLICATE_NAME = assumed(
    "urdf.duplicate-name",
    "duplicate {tag} name {given} in link {link}; it is renamed to {name}",
    meaning="Two elements have the same name; links and joints cannot, shapes and actuators are "
    "renamed.",
    remedy="Rename one of them.",
)
DUPLICATE_NAME_INVALID = DUPLICATE_NAME.variant(
    "duplicate {tag} name {name}; the first is in {place}",
    fate=Fate.INVALID,
    hint="rename one of them",
)
DUPLICATE_NAME_EMBEDDED = DUPLICATE_NAME.variant(
    "duplicate name {name} of a <{tag}> in <gazebo>",
    fate=Fate.INVALID,
    hint="rename one of them",
    leniency="the element in <gazebo> is left out",
)
DUPLICATE_NAME_OF_ACTUATOR = DUPLICATE_NAME.variant(
    "duplicate actuator name {actuator}; it is renamed to {name}"
)
EMBEDDED_SDF = dropped(
    "urdf.embedded-sdf",
    "ignored <{tag}>: SDFormat elements in a URDF are not supported",
    meaning="A `<gazebo>` element contains a part of a model in SDFormat, which is left out.",
    remedy="Write the model in SDFormat.",
    effect=Lost("parts in SDFormat"),
)
ENGINE_SETTING = noted(
    "urdf.engine-setting",
    "ignored <{tag}>: it sets the solver of one engine",
    meaning="The element tunes the solver of one physics engine, so it is not read.",
)
ENGINE_SETTING_OF_PYBULLET = ENGINE_SETTING.variant(
    "ignored <{tag}>: it sets the solver of PyBullet"
)
GAZEBO_POSE = dropped(
    "urdf.gazebo-pose",
    "ignored <{tag}>: it is the initial pose in Gazebo; the root link is at the origin",
    meaning="A `<gazebo>` element states where Gazebo puts the robot; the root link stays at the "
    "origin.",
    remedy="Place the robot when you load it.",
    effect=Lost("initial pose"),
)
INERTIA_SCALING = dropped(
    "urdf.inertia-scaling",
    "ignored <{tag}>: only PyBullet scales inertias; they are not scaled",
    meaning="PyBullet's `inertia_scaling` is not read; inertias stay as written.",
    remedy="Write the scaled inertia.",
    effect=Lost("inertia"),
)
INFINITE_LIMIT = noted(
    "urdf.infinite-limit",
    "infinite {attribute}; some URDF readers refuse infinite values",
    meaning="A limit is infinite, which not every URDF reader accepts.",
    remedy="Use a continuous joint, or a large finite limit.",
)
INITIAL_VALUE = dropped(
    "urdf.initial-value",
    "the initial value {value:g} of {interface} is ignored: only a position can be set initially",
    meaning="A `<ros2_control>` states an initial velocity or effort, which the scene lacks.",
    remedy="Set it in the simulator.",
    effect=Lost("initial velocity"),
)
JOINT_TYPE = invalid(
    "urdf.joint-type",
    "{joint} has the unknown joint type {type!r}; expected one of: {known}",
    meaning="The joint type is unknown.",
    remedy="Use one of the types that the message lists.",
)
JOINT_TYPE_EXTENSION = noted(
    "urdf.joint-type-extension",
    "joint type {type} is not in the specification; using a ball joint",
    meaning="The joint type `ball` or `spherical` is not in the specification; it is read as a "
    "ball joint.",
)
LIMIT_IGNORED = dropped(
    "urdf.limit-ignored",
    "limits of a {type} joint are undefined; they are ignored",
    meaning="Limits that the type of the joint does not define, or no target has, are ignored.",
    remedy="Remove the limits, or keep to them in the controller.",
    effect=Lost("limits"),
)
LIMIT_IGNORED_RATE = LIMIT_IGNORED.variant(
    "{name} = {value} of <limit> is left out; no simulator has such a limit of a joint",
    hint="keep to it in the controller",
)
LOOP = invalid(
    "urdf.loop",
    "joint {joint} connects link {child} to itself",
    meaning="A joint connects a link with itself or closes a kinematic loop, which a URDF cannot "
    "express.",
    remedy="Remove the joint, or use SDFormat.",
    leniency="joint {joint} is left out",
)
LOOP_CLOSED = LOOP.variant(
    "joint {joint} closes a loop: links {parent} and {child} are already connected",
    hint="remove the joint, or use SDFormat, which allows loops",
    leniency="",
)
MIMIC = invalid(
    "urdf.mimic",
    "joint {follower} mimics the unknown joint {leader!r}",
    meaning="A joint mimics itself, an unknown joint, or a joint with another number of degrees of "
    "freedom.",
    remedy="Correct the name of the leader.",
    leniency="joint {follower} moves independently",
)
MIMIC_ITSELF = MIMIC.variant("joint {follower} cannot mimic itself")
MIMIC_FREEDOMS = MIMIC.variant(
    "joint {follower} with {dofs:degree|degrees} of freedom cannot mimic joint {leader} with "
    "{leader_dofs}",
    leniency="",
)
MIMIC_IGNORED = dropped(
    "urdf.mimic-ignored",
    "mimic requires joints with one degree of freedom; joint {follower} has {dofs}",
    meaning="A joint that has no single degree of freedom cannot mimic another joint.",
    remedy="Remove `<mimic>`.",
    effect=Lost("couplings"),
)
MIMIC_IGNORED_NO_AXIS = MIMIC_IGNORED.variant(
    "joint {follower} is {type}; it cannot mimic {leader}"
)
MISSING_INERTIA = assumed(
    "urdf.missing-inertia",
    "<inertial> requires an <inertia>; using a point mass",
    meaning="A link has no `<inertial>`.",
    remedy="Add mass and inertia to the link.",
)
MISSING_LIMIT = assumed(
    "urdf.missing-limit",
    "a {type} joint requires a <limit>; the joint is unlimited",
    meaning="A revolute or prismatic joint lacks a limit that the specification requires; the "
    "message states the value that is used.",
    remedy="State the limits, or make the joint continuous.",
    hint="add <limit>, or use the type continuous",
)
MISSING_LIMIT_INFINITY = MISSING_LIMIT.variant(
    "<limit> requires {attribute}; using infinity", hint=""
)
MISSING_LIMIT_RANGE = MISSING_LIMIT.variant(
    "<limit> has neither lower nor upper; the joint is unlimited, not locked at 0", hint=""
)
MISSING_LIMIT_ZERO = MISSING_LIMIT.variant(
    "<limit> has no {attribute}; using 0, the default of the specification", hint=""
)
MISSING_NAME = assumed(
    "urdf.missing-name",
    "<robot> requires a name; using {name!r}",
    meaning="The robot has no name; the message states the name that is used.",
    remedy="Add a name to `<robot>`.",
)
MUJOCO_OPTIONS = dropped(
    "urdf.mujoco-options",
    "<{tag}> of <mujoco> is ignored: it is part of MJCF, and not of a URDF",
    meaning="The `<mujoco>` of a URDF has an element or an attribute of the compiler that is not "
    "obeyed; its options, its folders of meshes and its bounds of masses are.",
    remedy="State it in MJCF.",
    effect=Lost("settings of MuJoCo"),
)
MUJOCO_OPTIONS_COMPILER = MUJOCO_OPTIONS.variant(
    'compiler {name}="{text}" of <mujoco> is not obeyed'
)
NO_LINKS = assumed(
    "urdf.no-links",
    "<robot> requires at least one <link>; the robot is empty",
    meaning="The robot has no links, so the scene is empty.",
    remedy="Add a link.",
)
NO_SHAPE = dropped(
    "urdf.no-shape",
    "<{tag}> has no known shape; it is ignored",
    meaning="A collision or visual has no known shape and is left out.",
    remedy="Use one of the shapes that the hint lists.",
    effect=Lost("shapes"),
)
NO_TEXTURE = noted(
    "urdf.no-texture",
    "<texture> has no filename; it is ignored",
    meaning="A `<texture>` names no file.",
    remedy="Add a file name, or remove the texture.",
)
PLANAR_DAMPING = noted(
    "urdf.planar-damping",
    "single damping is applied to each axis; Drake requires three numbers",
    meaning="A planar joint states one damping, which is used for each of its three axes.",
    remedy="Write three values, as Drake requires.",
)
PLANAR_FRICTION = assumed(
    "urdf.planar-friction",
    "friction of a planar joint is applied to each axis",
    meaning="A planar joint states one friction, which is used for each of its three axes.",
)
PLUGIN = noted(
    "urdf.plugin",
    "ignored <{tag}>: it loads code of another simulator",
    meaning="A plugin is code for another simulator, so it is not read.",
)
PLUGIN_NAMED = PLUGIN.variant("ignored <plugin> {plugin}: a plugin is code for another simulator")
QUATERNION_LENGTH = assumed(
    "urdf.quaternion-length",
    "the quaternion has the length {length:.9g}, not 1; using it divided by its length",
    meaning="A quaternion is not of unit length and is divided by its length.",
    remedy="Write the quaternion with more digits.",
)
REDUCTION = assumed(
    "urdf.reduction",
    "invalid mechanical reduction {value!r}; using 1",
    meaning="The mechanical reduction of a transmission is not a number other than zero; 1 is "
    "used.",
    remedy="Correct the reduction.",
)
REPEATED_MATERIAL = noted(
    "urdf.repeated-material",
    "duplicate material {material!r}",
    meaning="A material is defined again with the same values.",
    remedy="Remove the second definition.",
)
REVERSED_LIMIT = assumed(
    "urdf.reversed-limit",
    "lower limit {lower:g} exceeds upper limit {upper:g}; the joint is unlimited, as in PyBullet",
    meaning="The lower limit of a joint is above the upper limit; the joint is read as unlimited, "
    "as in PyBullet.",
    remedy="Exchange the limits.",
    harm=2,
)
ROBOT_ORIGIN = assumed(
    "urdf.robot-origin",
    "the <origin> in <robot> moves the robot by {distance:.6g} m and turns it by {angle:.6g} rad, "
    "as in libsdformat; other readers ignore it",
    meaning="A `<robot>` has an `<origin>`, which the specification lacks. It places the robot, as "
    "in libsdformat; Drake and MuJoCo ignore it.",
    remedy="Remove it, and place the robot when you load it.",
    hint="remove it, unless it shall place the robot",
    harm=1,
)
SECOND_SHAPE = dropped(
    "urdf.second-shape",
    "<geometry> has a second shape <{extra}>; using <{first}>",
    meaning="A geometry has more than one shape; only the first is used.",
    remedy="Make it a second collision or visual.",
    effect=Lost("shapes"),
)
SRDF = invalid(
    "urdf.srdf",
    "the file is an SRDF, which has no links",
    meaning="The file is an SRDF, which describes groups and collisions of the robot of a URDF.",
    remedy="Load the URDF, with `srdf=` or `--srdf` and this file.",
    hint="load its URDF, with srdf=...",
)
TRANSMISSION_EXTRA = dropped(
    "urdf.transmission-extra",
    "{type} must have one <{tag}>; using the first one",
    meaning="A simple transmission has more than one joint or actuator; only the first is used.",
    remedy="Write one transmission for each joint.",
    effect=NO_EFFECT,
)
TRANSMISSION_TYPE = dropped(
    "urdf.transmission-type",
    "transmission type {type!r} is not supported; expected {supported}",
    meaning="Only simple transmissions are supported; this one is left out.",
    remedy="Use `SimpleTransmission`.",
    effect=NO_EFFECT,
)
TWO_PARENTS = invalid(
    "urdf.two-parents",
    "link {link} has two parents: {first_parent} by {first}, {second_parent} by {second}",
    meaning="A link is the child of two joints, which a URDF cannot express.",
    remedy="Remove one of the joints, or use SDFormat.",
    hint="remove one of the joints, or use SDFormat, which allows loops",
)
TWO_ROTATIONS = invalid(
    "urdf.two-rotations",
    "<origin> has both rpy and quat_xyzw; expected one of them",
    meaning="An `<origin>` has both `rpy` and `quat_xyzw`; URDF allows one of them.",
    hint="remove one of them",
    leniency="rpy is used",
)
UNKNOWN_JOINT = dropped(
    "urdf.unknown-joint",
    "unknown joint {joint!r}; its actuator is ignored",
    meaning="A transmission names an unknown joint.",
    remedy="Correct the name.",
    effect=NO_EFFECT,
)
UNKNOWN_LINK = invalid(
    "urdf.unknown-link",
    "{joint} refers to the unknown link {end!r}",
    meaning="A joint names an unknown link.",
    remedy="Correct the name.",
    leniency="{joint} is left out",
)
UNKNOWN_MATERIAL = assumed(
    "urdf.unknown-material",
    "unknown material {material!r}, which has neither color nor texture",
    meaning="A material has no color and is not defined before.",
    remedy="Define the material, or state its color.",
)
UNKNOWN_MATERIAL_DEFINED = UNKNOWN_MATERIAL.variant(
    "material {material!r} has neither color nor texture"
)
NEGATIVE_DYNAMICS = assumed(
    "urdf.negative-dynamics",
    "negative {key} {value:g} adds energy to the joint; it is kept as written",
    meaning="The damping or friction of a joint is negative, so that the joint gains energy; it is "
    "kept as written, as urdfdom reads it.",
    remedy="Make the value positive.",
    hint="make it positive",
    harm=3,
)
UNKNOWN_REFERENCE = dropped(
    "urdf.unknown-reference",
    "<gazebo> refers to the unknown link or joint {reference!r}; it is ignored",
    meaning="A `<gazebo>` element refers to an unknown link or joint and has no effect.",
    remedy="Correct the reference.",
    effect=NO_EFFECT,
)
VERSION = invalid(
    "urdf.version",
    "unknown version {version!r} of URDF; expected 1.0, 1.1 or 1.2",
    meaning="The version of a `<robot>` is not 1.0, 1.1 or 1.2. One with another first number, or "
    "of another form, is refused, as by urdfdom; lenient loading reads it as the nearest version. "
    "A newer 1.x is read as 1.2.",
    hint="state the version of URDF that the file has, or none for 1.0",
    leniency="it is read as the nearest version",
)
VERSION_MINOR = VERSION.variant(
    "unknown version {version!r} of URDF; expected 1.0, 1.1 or 1.2; reading it as {used}",
    fate=Fate.ASSUMED,
)
WORLD_INERTIAL = assumed(
    "urdf.world-inertial",
    'link "world" is the world itself; its mass is ignored',
    meaning="The link `world` is the world itself, so its mass is ignored.",
    remedy="Remove the `<inertial>` of the link.",
)
ZERO_AXIS = invalid(
    "urdf.zero-axis",
    "the axis must not be a zero vector",
    meaning="The axis of a joint is zero.",
    remedy="Give the axis a direction, or remove it.",
    hint="remove <axis> to use the x axis",
)
ZERO_NORMAL = invalid(
    "urdf.zero-normal",
    "the normal of a plane must not be a zero vector",
    meaning="The normal of a plane is zero.",
    remedy="Give the normal a direction.",
)
ZERO_QUATERNION = invalid(
    "urdf.zero-quaternion",
    "the quaternion 0 0 0 0 is no rotation; expected one of length 1",
    meaning="A quaternion has only zeros, so it is no rotation.",
    remedy="Write `0 0 0 1` for no rotation.",
    hint="state 0 0 0 1 for no rotation",
    leniency="there is no rotation",
)
ZERO_SCALE = invalid(
    "urdf.zero-scale",
    "the scale {x:g} {y:g} {z:g} must not contain 0",
    meaning="The scale of a mesh has a component of zero, which makes the mesh flat.",
    remedy="Write a scale other than zero.",
)
XACRO_EXPANDED = noted(
    "xacro.expanded",
    "expanded by xacro; an element that a macro makes has its place in the macro",
    meaning="The file was expanded by xacro; other messages name places in its sources, also those "
    "in macros.",
)
XACRO_FAILED = invalid(
    "xacro.failed",
    "xacro cannot expand the file: {reason}",
    meaning="xacro cannot expand the file; the message has its error.",
    remedy="Correct the file.",
)
XACRO_FAILED_TRIED = XACRO_FAILED.variant(
    "xacro cannot expand the file: {reason}; tried {tried}",
    hint="add the folder of the package to paths or package_map",
)
XACRO_INCLUDE_NOT_FOUND = invalid(
    "xacro.include-not-found",
    "xacro cannot include a file: {reason}",
    meaning="A file that a xacro file includes, or its package, is not found; lenient loading "
    "leaves the include out.",
    remedy="Add the folder of the package to `paths` or `package_map`.",
    hint="add the folder of the package to paths or package_map",
    leniency="the include is left out",
)
XACRO_INCLUDE_NOT_FOUND_TRIED = XACRO_INCLUDE_NOT_FOUND.variant(
    "xacro cannot include a file: {reason}; tried {tried}"
)
XACRO_MISSING_ARGUMENT = invalid(
    "xacro.missing-argument",
    "the argument {name} has no value",
    meaning="An argument of a xacro file has no value; for lenient loading it is empty, and false "
    "as a condition.",
    remedy="Pass `xacro_args={'name': 'value'}`, or `name:=value` on the command line.",
)
XACRO_MISSING_ARGUMENT_EMPTY = XACRO_MISSING_ARGUMENT.variant(
    leniency="it is empty, and false as a condition"
)
XACRO_NOT_ALLOWED = invalid(
    "xacro.not-allowed",
    "xacro is not allowed: it runs Python code in the file",
    meaning="Expanding a xacro file runs code that it contains, which is not allowed by default.",
    remedy="Pass `allow_xacro=True` or `--xacro` if you trust the file.",
    hint="use allow_xacro=True if you trust the file",
)
XACRO_NOT_INSTALLED = invalid(
    "xacro.not-installed",
    "the Python package xacro is not installed",
    meaning="The package xacro is not installed.",
    remedy='Run `pip install "sdfbridge[xacro]"`.',
    hint='run pip install "sdfbridge[xacro]"',
)
XACRO_UNKNOWN_MACRO = invalid(
    "xacro.unknown-macro",
    "<{name}> calls a macro that no file defines",
    meaning="A macro is called that no file defines; lenient loading leaves the call out.",
    remedy="Correct the name, or include the file that defines it.",
    leniency="the call is left out",
)
