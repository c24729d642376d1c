"""Codes of the export to URDF."""

from __future__ import annotations

from loaders.code import Fate, approximated, dropped, invalid, noted

ACTUATOR = dropped(
    "urdfout.actuator",
    "URDF cannot state actuator {actuator}, as it drives no joint with one axis that may exert "
    "effort; it is left out",
    meaning="An actuator drives a tendon, or a joint with several axes or without effort; it is "
    "left out.",
)
ACTUATOR_PROPERTY = dropped(
    "urdfout.actuator-property",
    "the document cannot state {properties} of actuator {actuator} of joint {joint}",
    meaning="A transmission has no place for a property of an actuator; its effort limit is that "
    "of the joint.",
)
ANCHOR = noted(
    "urdfout.anchor",
    "Drake's elements connect links only; link {link}, fixed to the world, stands for the world",
    meaning="An element of Drake refers to the world; a massless link fixed to the world stands "
    "for it.",
)
CHAIN = approximated(
    "urdfout.chain",
    "joint {joint} of type {type} becomes a chain of {count:joint|joints} with one axis and links "
    "without mass between them, which simulators without such links refuse",
    meaning="A joint of several degrees of freedom becomes a chain of joints with one axis, and "
    "links without mass.",
    remedy="Allow Drake's joints, or use a reader with such joints.",
)
CONSTRAINT = dropped(
    "urdfout.constraint",
    "the document cannot state a {kind} of {items}; it is left out",
    meaning="A constraint has no element, or refers to a joint that has not one axis; it is left "
    "out.",
)
COUPLING = dropped(
    "urdfout.coupling",
    "URDF cannot couple joint {follower} to joint {leader}; the coupling is left out",
    meaning="A coupling of a joint with several axes, or a second one of the same joint, is left "
    "out.",
    hint="couple each joint with one axis to one other",
)
COUPLING_LINE = COUPLING.variant(
    "URDF couples joint {follower} to joint {leader} by a line; the law of the source differs by "
    "up to {error:.3g} for {leader} from {low:.3g} to {high:.3g}",
    fate=Fate.APPROXIMATED,
    hint="",
)
FIELD = dropped(
    "urdfout.field",
    "the document has no place for {field} of {kind} {owner}",
    meaning="Neither URDF nor the extensions in use have a place for a value; it is left out.",
    remedy="Allow more `extensions`, or write SDFormat.",
)
FIELD_NOTED = FIELD.variant(fate=Fate.NOTED)
FIELD_OF_SOLVER = FIELD_NOTED.variant(
    "the document has no place for settings of MuJoCo that act on its accuracy alone, or on no "
    "motion: {names}"
)
FIELD_OF_MOTION = FIELD.variant(
    "the document has no place for {setting}{of}, which acts on the motion"
)
FIELD_OF_CONTACT = FIELD.variant(
    "the document has no place for {setting}{of}, which acts on contacts"
)
FLUID_FORCE = dropped(
    "urdfout.fluid-force",
    "the document has no place for the force of a fluid on link {link}, {force}; it is left out",
    meaning="Buoyancy, drag and lift are left out: URDF has no element for them. The message has "
    "the values.",
    remedy="Add the plugin to the document.",
    hint="add the plugin that exerts it to the document",
)
FRAME_LINK = noted(
    "urdfout.frame-link",
    "massless links represent frames: {links}",
    meaning="Massless links represent frames.",
)
GEARBOX = approximated(
    "urdfout.gearbox",
    "URDF has no gearboxes; in place of {gearbox} joint {follower} mimics joint {leader} with the "
    "ratio {ratio:g}, and its links {parent} and {child} are no neighbors, which may touch",
    meaning="URDF has no gearboxes. One of the two revolute joints that a gearbox couples mimics "
    "the other one, as in simulators here.",
)
IDLE_GEARBOX = dropped(
    "urdfout.idle-gearbox",
    "URDF has no gearboxes, and no revolute joints connect {reference} to {parent} and to {child}, "
    "so that gearbox {gearbox} couples nothing; it is left out",
    meaning="A gearbox is left out: it couples nothing, because its reference link is not "
    "connected to both of its links by revolute joints.",
    remedy="Add the missing revolute joint, or correct `gearbox_reference_body`.",
    hint="add the missing revolute joint, or correct gearbox_reference_body",
)
FRICTION_RULE = approximated(
    "urdfout.friction-rule",
    "{link_a} and {link_b} slide on each other with a friction of {found:g} in Gazebo, the smaller "
    "coefficient of the two, and by the rule of the source, {rule_name}, with {wanted:g}; the "
    "friction of other pairs differs by at most as much",
    meaning="The friction of two surfaces is the larger coefficient in MuJoCo, and in readers of "
    "URDF the smaller one (Gazebo), the product (PyBullet) or 2ab/(a+b) (Drake).",
    remedy="State the coefficient of the pair for both surfaces.",
    hint="state the coefficient of the pair for both",
)
JOINED_LINKS = dropped(
    "urdfout.joined-links",
    "links {a} and {b} may touch by the rule of the source, {policy}; by Drake's rules links that "
    "a joint connects never do",
    meaning="Two links may touch by the rule of the source, and never do by Drake's: one joint "
    "connects them.",
    remedy="Write SDFormat.",
)
JOINT_PROPERTY = dropped(
    "urdfout.joint-property",
    "joint {joint} loses {properties}, which joints of type {type} cannot state",
    meaning="A property of a joint has no place in joints of its type; it is left out.",
)
JOINT_TYPE = invalid(
    "urdfout.joint-type",
    "URDF cannot represent joint {joint} of type {type}: {reason}",
    meaning="URDF has no such joint.",
    hint="write SDFormat",
)
LINK_FRAME = noted(
    "urdfout.link-frame",
    "URDF places the frame of a link at its joint; frames of links moved there: {links}",
    meaning="The frame of a link moves to its joint, where URDF requires it; the result has the "
    "map.",
)
LOOP = dropped(
    "urdfout.loop",
    "joint {joint} closes a loop of links, and URDF has trees only; {outcome}",
    meaning="A joint closes a loop of links; it is left out, or a ball constraint of Drake stands "
    "for it.",
    hint="write SDFormat",
)
LOOP_OF_BALL = LOOP.variant(fate=Fate.NOTED, hint="")
MATERIAL = noted(
    "urdfout.material",
    "the document cannot state {properties} of material {material}",
    meaning="A property of a material has no place in URDF.",
)
MERGED_MODELS = approximated(
    "urdfout.merged-models",
    "a URDF has one model; {models} become one, to which SDFormat's rule for collisions in a model "
    "applies",
    meaning="Several models become one; SDFormat's rule that links of one model do not collide now "
    "applies to all.",
)
MERGED_MODELS_NOTED = MERGED_MODELS.variant(fate=Fate.NOTED)
MISSING_FILE = noted(
    "urdfout.missing-file",
    "{uri} was not found; the document names it as the source does",
    meaning="A mesh or picture was not found; the document names it as the source does.",
    hint="add its folder to the search paths",
)
NAME = noted(
    "urdfout.name",
    "names in a URDF are unique and have no scopes; the export renames {names:%s to %s}",
    meaning="Names that are not legal or not unique in URDF are changed; the result has the map.",
)
NO_INERTIA = noted(
    "urdfout.no-inertia",
    "PyBullet gives a link without inertia 1 kg; the mass 0 is written for {links}",
    meaning="PyBullet gives a link without `<inertial>` 1 kg; the mass 0 is written for links that "
    "are not the root.",
)
PAIRS_APART = dropped(
    "urdfout.pairs-apart",
    "by the rule of the source, {policy}, these links may touch; readers of a URDF exclude the "
    "links of one joint: {pairs}",
    meaning="Pairs of links may touch by the rule of the source; readers of a URDF exclude the "
    "links of one joint.",
)
PAIRS_TOGETHER = dropped(
    "urdfout.pairs-together",
    "by the rule of the source, {policy}, these links never touch; a URDF without Drake's "
    "extensions does not state it: {pairs}",
    meaning="Pairs of links never touch by the rule of the source; a URDF without Drake's "
    "extensions does not state it.",
    remedy="Write an SRDF file (`write_srdf`), or Drake's extensions.",
    hint="write an SRDF file (write_srdf), or Drake's extensions",
)
PUBLISHED_SENSOR = dropped(
    "urdfout.published-sensor",
    "the document has no place for sensor {sensor} of type {type}, which a plugin publishes; it is "
    "left out",
    meaning="Joint states and odometry come from plugins of Gazebo; a document has no sensor for "
    "them.",
    remedy="Add the plugin to the document.",
)
READ_BACK = invalid(
    "urdfout.read-back",
    "the written file, read back, is not the exported model (A is the model, B the file): "
    "{problem}",
    meaning="The written file, read back, is not the exported model.",
    remedy="Report a bug.",
    hint="report a bug; check=False writes the files all the same",
)
REVERSED_JOINT = noted(
    "urdfout.reversed-joint",
    "joint {joint} leads towards the root; exchanged parent and child",
    meaning="A joint leads towards the root; its parent and child are exchanged.",
)
REVERSED_JOINT_MOTION = REVERSED_JOINT.variant(
    REVERSED_JOINT.message + ", so that its position is that of the inverse motion",
    fate=Fate.APPROXIMATED,
)
ROOT_POSE = approximated(
    "urdfout.root-pose",
    "link {link} is free and not at the origin; the <origin> of the robot states its pose, which "
    "only libsdformat and sdfbridge read",
    meaning="A free root link is not at the origin; most readers ignore the element that states "
    "its pose.",
    hint="pass the pose to the simulator that loads the document",
)
ROTOR_INERTIA = approximated(
    "urdfout.rotor-inertia",
    "the reflected inertia of joints is written as the rotor inertia of actuators, which Drake "
    "reads and other readers do not: {joints}",
    meaning="The reflected inertia of a joint is written as the rotor inertia of an actuator, "
    "which Drake alone reads.",
)
SEVERAL_ROOTS = invalid(
    "urdfout.several-roots",
    "a URDF has one tree, and this model has {count}; roots: {roots}",
    meaning="The model is not one tree.",
    hint="export a folder, with a file for each tree; connect them by joints; or write SDFormat",
)
SHAPE = approximated(
    "urdfout.shape",
    "the document cannot state the shape of {kind} {name} of link {link}, a {shape}; {outcome}",
    meaning="URDF has no such shape, and not all readers for which the document is written know "
    "it; a mesh is written, a box for a plane, or it is left out.",
    remedy="Use a mesh.",
)
SHAPE_DROPPED = SHAPE.variant(fate=Fate.DROPPED, hint="use a mesh")
SHAPE_OF_VISUAL = SHAPE.variant(fate=Fate.NOTED)
SHAPE_OF_VISUAL_OMITTED = SHAPE_OF_VISUAL.variant(hint="use a mesh")
STATIC = noted(
    "urdfout.static",
    "URDF has no static models; fixed joints hold links: {links}",
    meaning="Fixed joints take the place of a static model.",
)
SURFACE = dropped(
    "urdfout.surface",
    "the document cannot state {properties} of collision {collision}",
    meaning="A contact property has no place, or differs between the collisions of a link; it is "
    "left out.",
)
