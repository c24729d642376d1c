"""Codes of the export to SDFormat."""

from __future__ import annotations

from loaders.code import Fate, approximated, dropped, invalid, noted

ACTUATOR = dropped(
    "sdfout.actuator",
    "SDFormat cannot state actuator {actuator}, because joint {joint} has another one or cannot "
    "have one",
    meaning="A joint has several actuators, or a type to which SDFormat gives none; the actuator "
    "is left out.",
)
ACTUATOR_PROPERTY = dropped(
    "sdfout.actuator-property",
    "SDFormat cannot state {properties} of actuator {actuator} of joint {joint}",
    meaning="SDFormat has no place for a property of an actuator: it is named after its joint and "
    "has the joint's limit.",
)
ACTUATOR_PROPERTY_NAME = ACTUATOR_PROPERTY.variant(fate=Fate.NOTED)
ADDED_ACTUATOR = noted(
    "sdfout.added-actuator",
    "Drake gives each joint of an SDFormat model an actuator; joints that have none in the source: "
    "{joints}",
    meaning="Drake gives each driven joint of an SDFormat model an actuator; it has no effect "
    "without a command.",
)
ADDED_SCOPE = noted(
    "sdfout.added-scope",
    "names imply models that the source does not have: {models}",
    meaning="Scoped names imply a model that the source does not have; it is added.",
)
ANCHOR = noted(
    "sdfout.anchor",
    "Drake's elements connect links only; link {link}, fixed to the world, stands for the world",
    meaning="An element of Drake connects a link to the world; a massless link fixed to the world "
    "stands for the world.",
)
COUPLING = dropped(
    "sdfout.coupling",
    "SDFormat cannot couple joint {follower} to joint {leader}, for one of them has no <axis>",
    meaning="A coupling of a joint without `<axis>` is left out.",
    remedy="Couple joints with one axis.",
)
COUPLING_LINE = COUPLING.variant(
    "SDFormat couples joint {follower} to joint {leader} by a line; the law of the source differs "
    "by up to {error:.3g} for {leader} from {low:.3g} to {high:.3g}",
    fate=Fate.APPROXIMATED,
)
DEFAULT_POSITION = dropped(
    "sdfout.default-position",
    "SDFormat has no initial positions of joints; joint {joint} starts at zero instead of "
    "{position}",
    meaning="SDFormat has no initial positions of joints; the joint starts at zero.",
    remedy="Write a directives file with `default_joint_positions` beside the model.",
    hint="write a directives file with default_joint_positions beside the model",
)
EMPTY_MODEL = noted(
    "sdfout.empty-model",
    "model {model} has no link, which SDFormat does not allow; it is left out",
    meaning="A model without links is left out.",
)
FIELD = noted(
    "sdfout.field",
    "SDFormat has no place for {field} of {kind} {owner}",
    meaning="SDFormat has no element for a value of the scene; it is left out.",
)
FIELD_DROPPED = FIELD.variant(fate=Fate.DROPPED)
FIELD_OF_SOLVER = FIELD.variant(
    "SDFormat has no place for settings of MuJoCo that act on its accuracy alone, or on no motion: "
    "{names}"
)
FIELD_OF_MOTION = FIELD_DROPPED.variant(
    "SDFormat has no place for {setting}{of}, which acts on the motion"
)
FIELD_OF_CONTACT = FIELD_DROPPED.variant(
    "SDFormat has no place for {setting}{of}, which acts on contacts"
)
FILTER_RULE = dropped(
    "sdfout.filter-rule",
    "the links of filter groups {a} and {b} may collide, because no model contains both",
    meaning="A rule between collision filter groups of several models of a world is left out: the "
    "links may collide.",
    remedy="Nest the models in one model.",
)
FLOATING_JOINT = noted(
    "sdfout.floating-joint",
    "SDFormat has no floating joint; link {link} moves freely because no joint holds it, under its "
    "own name",
    meaning="SDFormat has no floating joint; its child moves freely because no joint holds it.",
)
FLUID_FORCE = dropped(
    "sdfout.fluid-force",
    "the document has no place for the force of a fluid on link {link}, {force}; it is left out",
    meaning="Buoyancy, drag and lift are left out: SDFormat has no element for them. The message "
    "has the values.",
    remedy="Add the plugin to the document.",
    hint="add the plugin that exerts it to the document",
)
FRICTION = dropped(
    "sdfout.friction",
    "SDFormat cannot state {properties} of collision {collision} beside the rest of its friction",
    meaning="Drake's static friction excludes anisotropic, rolling and torsional friction.",
)
FRICTION_RULE = approximated(
    "sdfout.friction-rule",
    "{link_a} and {link_b} slide on each other with a friction of {found:g}, the smaller "
    "coefficient of the two, and by the rule of the source, {rule_name}, with {wanted:g}; the "
    "friction of other pairs differs by at most as much",
    meaning="The friction of two surfaces is the smaller coefficient in SDFormat, the larger one "
    "in MuJoCo and the product in PyBullet; the message states the largest difference.",
    remedy="State the coefficient of the pair for both surfaces.",
    hint="state the coefficient of the pair for both",
)
JOINT_FRAME = approximated(
    "sdfout.joint-frame",
    "the frames of joint {joint} on parent and child are {distance:.3g} m apart at the zero "
    "configuration; that on the child is used",
    meaning="The frames of a joint on parent and child do not coincide at the zero configuration.",
    remedy="Correct the poses of the scene.",
)
JOINT_PROPERTY = dropped(
    "sdfout.joint-property",
    "joint {joint} loses {properties}, which joints of type {type} cannot state",
    meaning="A property of a joint has no place in joints of its type; it is left out.",
)
KEYFRAME = dropped(
    "sdfout.keyframe",
    "SDFormat has no keyframes; {keyframe} with {positions} is left out",
    meaning="SDFormat has no keyframes; a keyframe is left out.",
)
MATERIAL = noted(
    "sdfout.material",
    "SDFormat cannot state {properties} of material {material}",
    meaning="A property of a material has no place in SDFormat.",
)
MISSING_FILE = noted(
    "sdfout.missing-file",
    "{uri} was not found; the document names it as the source does",
    meaning="A mesh or picture was not found; the document names it as the source does.",
    hint="add its folder to the search paths",
)
MODEL_CONFIG = invalid(
    "sdfout.model-config",
    "model.config describes one model, and {name} has {count}",
    meaning="`model.config` describes one model, and the scene has another number of models.",
    remedy="Leave `model.config` out, or write directives.",
    hint="leave model.config out, or write directives, with a file for each model",
)
NAME = noted(
    "sdfout.name",
    "names in SDFormat are unique in a model, without :: and never reserved, and start with the "
    "model in a world; the export renames {names:%s to %s}",
    meaning="Names that are not legal or not unique in SDFormat are changed; the result has the "
    "map.",
)
NO_INERTIA = noted(
    "sdfout.no-inertia",
    "SDFormat gives a link without inertia 1 kg; the mass 0 is written for {links}",
    meaning="A link without inertia gets the mass 0, because SDFormat gives 1 kg to a link that "
    "states none.",
    remedy="State masses in the source.",
    hint="state masses in the source, or weld the links to others; Gazebo refuses a mass of 0",
)
OUT_OF_SCOPE = dropped(
    "sdfout.out-of-scope",
    "SDFormat has no place for a {kind} between several models; that of {items} is left out",
    meaning="A constraint, force element or filter group between several models of a world is left "
    "out.",
    hint="nest the models in one model",
)
PAIRS_APART = dropped(
    "sdfout.pairs-apart",
    "by the rule of the source, {policy}, these links may touch, and by SDFormat's, which excludes "
    "the links of one joint and shapes without a common bit, they never do: {pairs}",
    meaning="Pairs of links may touch by the rule of the source, and never do by that of SDFormat: "
    "a joint connects them, or their bitmasks have no common bit.",
)
PAIRS_TOGETHER = dropped(
    "sdfout.pairs-together",
    "by the rule of the source, {policy}, these links never touch, and by SDFormat's, whose "
    "<self_collide> is stated for links and not for pairs, they may: {pairs}",
    meaning="Pairs of links never touch by the rule of the source, and may by that of SDFormat: "
    "`<self_collide>` is stated for links, not for pairs.",
    remedy="State bitmasks that exclude them.",
    hint="state bitmasks that exclude them (<collide_bitmask>)",
)
PUBLISHED_SENSOR = dropped(
    "sdfout.published-sensor",
    "the document has no place for sensor {sensor} of type {type}, which a plugin publishes; it is "
    "left out",
    meaning="Joint states and odometry come from plugins of Gazebo; SDFormat has no sensor for "
    "them.",
    remedy="Add the plugin to the document.",
)
READ_BACK = invalid(
    "sdfout.read-back",
    "the written file, read back, is not the exported model (A is the model, B the file): "
    "{problem}",
    meaning="The written file, read back, is not the exported model.",
    remedy="Report a bug.",
    hint="report a bug; check=False writes the files all the same",
)
REVERSED_JOINT = noted(
    "sdfout.reversed-joint",
    "SDFormat does not allow the world as child of joint {joint}; exchanged parent and child",
    meaning="The child of a joint is the world, which SDFormat does not allow; parent and child "
    "are exchanged.",
)
REVERSED_JOINT_MOTION = REVERSED_JOINT.variant(
    REVERSED_JOINT.message + ", so that its position is that of the inverse motion",
    fate=Fate.APPROXIMATED,
)
ROTOR_INERTIA = approximated(
    "sdfout.rotor-inertia",
    "the reflected inertia of joints is written as the rotor inertia of actuators, which Drake "
    "reads and Gazebo does not: {joints}",
    meaning="The reflected inertia of a joint is written as the rotor inertia of an actuator, "
    "which Drake alone reads.",
)
VERSION = dropped(
    "sdfout.version",
    "SDFormat {version} has no {elements}, which its readers ignore",
    meaning="The requested version of SDFormat lacks elements of the document, which its readers "
    "ignore.",
    remedy="Ask for a later version, or for the lowest that has them.",
    hint="ask for a later version, or for the lowest one that has them",
)
WORLD_LINK = noted(
    "sdfout.world-link",
    "SDFormat reserves the name world; link world becomes {name}, fixed to the world",
    meaning="A link named `world` gets another name and is fixed to the world.",
)
WORLD_SETTINGS = dropped(
    "sdfout.world-settings",
    "a document without a world cannot state {settings} of the world",
    meaning="Gravity, physics, lights and other settings of a world are left out of a document "
    "without a world.",
    remedy='Use `world="auto"`.',
    hint='use world="auto"',
)
