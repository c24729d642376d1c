"""Codes of Drake's extensions and of directives."""

from __future__ import annotations

from loaders.code import NO_EFFECT, Fate, Lost, assumed, dropped, invalid, noted

DIRECTIVES_DUPLICATE_FRAME = invalid(
    "directives.duplicate-frame",
    "duplicate frame name {frame}",
    meaning="Two frames have the same full name.",
    remedy="Rename one of them.",
)
DIRECTIVES_DUPLICATE_MODEL = invalid(
    "directives.duplicate-model",
    "duplicate model name {model}",
    meaning="Two models or model instances have the same full name.",
    remedy="Rename one of them.",
)
DIRECTIVES_DUPLICATE_WELD = invalid(
    "directives.duplicate-weld",
    "{parent} and {child} are on links that a joint connects already, or a joint is named {joint}",
    meaning="A weld connects two links that a joint connects already, or its joint would have the "
    "name of another one.",
    hint="remove the weld, or weld the child by another frame",
)
DIRECTIVES_IGNORED_NAMESPACE = dropped(
    "directives.ignored-namespace",
    "ignored model_namespace, as Drake ignores it in a file that is added with the namespace "
    "{scope}",
    meaning="Drake ignores `model_namespace` of a filter group in a file that is itself added with "
    "a namespace; so do we.",
    remedy="Remove it, and write the scope in the names of members and groups.",
    hint="remove it, and write members and groups with their scope in that namespace",
    effect=NO_EFFECT,
)
DIRECTIVES_INCLUDE_CYCLE = invalid(
    "directives.include-cycle",
    "{file} includes itself",
    meaning="Files of directives include each other in a cycle.",
    remedy="Break the cycle.",
)
DIRECTIVES_INCLUDE_CYCLE_TOO_DEEP = DIRECTIVES_INCLUDE_CYCLE.variant(
    "the files of directives include each other, or are nested too deep"
)
DIRECTIVES_KIND = invalid(
    "directives.kind",
    "{key} must be {expected}, not {kind}",
    meaning="A mapping, a list or a single value is used where another kind is expected.",
    remedy="Follow the table of fields in Drake's documentation.",
)
DIRECTIVES_MISSING_FIELD = invalid(
    "directives.missing-field",
    "{key} requires the field {field}",
    meaning="A required field is missing.",
    remedy="Add the field.",
)
DIRECTIVES_MISSING_FIELD_TEXT = DIRECTIVES_MISSING_FIELD.variant(
    "{key} requires a text in the field {field}"
)
DIRECTIVES_NOT_A_VECTOR = invalid(
    "directives.not-a-vector",
    "{key} must be a list of three numbers",
    meaning="A value must be a list of three numbers.",
    remedy="Write three numbers.",
)
DIRECTIVES_NOT_ONE_MODEL = invalid(
    "directives.not-one-model",
    "{file} is a file of directives",
    meaning="The file of `add_model` does not contain exactly one model.",
    remedy="Use a file with one model, or `add_directives` for a file of directives.",
    hint="use add_directives",
)
DIRECTIVES_NOT_ONE_MODEL_INSIDE = DIRECTIVES_NOT_ONE_MODEL.variant(
    "{file} must contain exactly one model", hint=""
)
DIRECTIVES_NOTHING = noted(
    "directives.nothing",
    "{key} has no value; using an empty {expected}, which Drake refuses",
    meaning="A field has no value and is read as empty, which Drake refuses.",
    remedy="Remove the field.",
)
DIRECTIVES_ONE_KEY = invalid(
    "directives.one-key",
    "a directive must have exactly one key, one of: {known}",
    meaning="An item of the list is not exactly one directive.",
    remedy="Start a new list item for each directive.",
)
DIRECTIVES_POSITION_COUNT = invalid(
    "directives.position-count",
    "{type} joint {joint} requires {size:position|positions}, not {count}",
    meaning="The default position of a joint has the wrong number of values.",
    remedy="Give as many values as the joint has positions.",
)
DIRECTIVES_RANDOM = invalid(
    "directives.random",
    "{tag} is random ({yaml_tag}); a scene requires a definite value",
    meaning="A pose is a random distribution, but a scene needs one value.",
    remedy="Write `!Rpy`, `!AngleAxis` or `!Identity` with fixed values.",
    hint="use !Rpy, !AngleAxis or !Identity",
)
DIRECTIVES_RELATIVE_FILE = assumed(
    "directives.relative-file",
    "the relative path {uri!r} refers to the folder of this file; Drake refuses relative paths",
    meaning="A file name without a scheme is read relative to the folder of the directives, which "
    "Drake refuses.",
    remedy="Write a `package://` URI.",
    hint="write package://",
)
DIRECTIVES_ROTATION = invalid(
    "directives.rotation",
    "unknown rotation {tag}; expected one of: {known}",
    meaning="A rotation has an unknown kind, or no axis.",
    remedy="Use `!Rpy`, `!AngleAxis` or `!Identity`.",
)
DIRECTIVES_ROTATION_NO_AXIS = DIRECTIVES_ROTATION.variant(
    "!AngleAxis requires an angle and an axis that is not zero"
)
DIRECTIVES_SYNTAX = invalid(
    "directives.syntax",
    "the file is not valid YAML: {reason}",
    meaning="The file is not valid YAML, or exceeds the limits of the reader.",
    remedy="Correct the file at the line of the message.",
)
DIRECTIVES_SYNTAX_EMPTY = DIRECTIVES_SYNTAX.variant("the file is empty")
DIRECTIVES_SYNTAX_BYTES = DIRECTIVES_SYNTAX.variant(
    "the file has more than {limit:byte|bytes}, the limit yaml_bytes"
)
DIRECTIVES_SYNTAX_TOO_MANY = DIRECTIVES_SYNTAX.variant(
    "the file has more than {limit:element|elements}, the limit yaml_elements, or "
    "{depth:level|levels} of nesting"
)
DIRECTIVES_SYNTAX_DOCUMENTS = DIRECTIVES_SYNTAX.variant("the file has more than one document")
DIRECTIVES_SYNTAX_KEY = DIRECTIVES_SYNTAX.variant("a key must be a scalar")
DIRECTIVES_SYNTAX_DUPLICATE_KEY = DIRECTIVES_SYNTAX.variant("duplicate key {key}")
DIRECTIVES_SYNTAX_ALIAS = DIRECTIVES_SYNTAX.variant("invalid alias {alias}")
DIRECTIVES_SYNTAX_CHARACTER = DIRECTIVES_SYNTAX.variant(
    "the character {character} is not allowed in a name or value: no model file in XML could refer "
    "to it"
)
DIRECTIVES_UNKNOWN_DIRECTIVE = invalid(
    "directives.unknown-directive",
    "unknown directive {directive!r}; expected one of: {known}",
    meaning="The directive is unknown.",
    remedy="Use one of the directives that the message lists.",
)
DIRECTIVES_UNKNOWN_FIELD = invalid(
    "directives.unknown-field",
    "unknown field {field!r} of {key}",
    meaning="A directive has an unknown field.",
    remedy="Correct the name of the field, or remove it.",
)
DIRECTIVES_UNKNOWN_FILE = invalid(
    "directives.unknown-file",
    "cannot find {uri!r}; tried {tried}",
    meaning="The file that a directive names was not found; lenient loading leaves the directive "
    "out.",
    remedy="Correct the URI, or name its package in `package_map`.",
    leniency="the directive is left out",
)
DIRECTIVES_UNKNOWN_FRAME = invalid(
    "directives.unknown-frame",
    "unknown frame or link {frame!r}",
    meaning="The frame or link does not exist, or the name is ambiguous; lenient loading leaves "
    "out what names it.",
    remedy="Write the full name.",
    leniency="what names it is left out",
)
DIRECTIVES_UNKNOWN_FRAME_AMBIGUOUS = DIRECTIVES_UNKNOWN_FRAME.variant(
    "the name {frame!r} is ambiguous; it may refer to {candidates}",
    hint="write the scoped name",
    leniency="",
)
DIRECTIVES_UNKNOWN_FRAME_OF_MODEL = DIRECTIVES_UNKNOWN_FRAME.variant(
    "model {model} has {count:body|bodies}; the pose requires the name of one", leniency=""
)
DIRECTIVES_UNKNOWN_JOINT = invalid(
    "directives.unknown-joint",
    "unknown joint {joint!r} in model {model}",
    meaning="The model has no joint of this name.",
    remedy="Correct the name.",
)
DIRECTIVES_UNKNOWN_NAMESPACE = invalid(
    "directives.unknown-namespace",
    "unknown namespace {namespace!r}",
    meaning="The namespace does not exist.",
    remedy="Add it by `add_model_instance` first.",
    hint="add it with add_model_instance first",
)
DIRECTIVES_UNUSED_POSE = dropped(
    "directives.unused-pose",
    "the pose of {link} is not used, because {link} is fixed to the world",
    meaning="An initial pose is that of a link which is not free, or which another one carries; "
    "where Drake makes a joint of the pose, for a base frame or a frame of the link, it refuses "
    "it.",
    remedy="Remove the pose, or give that of the link that is free.",
    also=(Fate.INVALID,),
    hint="remove it, or give the pose of the link that is free",
    effect=NO_EFFECT,
)
DIRECTIVES_UNUSED_POSE_CARRIED = DIRECTIVES_UNUSED_POSE.variant(
    "the pose of {link} is not used, because joints carry it on {base}"
)
DIRECTIVES_UNUSED_POSE_SECOND = DIRECTIVES_UNUSED_POSE.variant(
    "the pose of {link} is not used, because that of another frame of the same body or tree is"
)
DIRECTIVES_UNUSED_POSE_CYCLE = DIRECTIVES_UNUSED_POSE.variant(
    "the pose of {link} is measured from what {link} carries"
)
DIRECTIVES_WELD_WORLD = invalid(
    "directives.weld-world",
    "the world cannot be the child of a weld",
    meaning="The world is the child of a weld.",
    hint="exchange parent and child",
)
DEFORMABLE = dropped(
    "drake.deformable",
    "deformable links are not supported; the link is read as a rigid body",
    meaning="A deformable body is read as a rigid one, because no target supports it.",
    effect=Lost("deformation"),
)
DEFORMABLE_SHAPE = invalid(
    "drake.deformable-shape",
    "a deformable link must have one <collision>, not {count}",
    meaning="A deformable link must have exactly one collision.",
    remedy="Give the link one collision.",
)
DUPLICATE_JOINT = invalid(
    "drake.duplicate-joint",
    "duplicate joint name {joint}",
    meaning="A `<drake:joint>` has the name of another joint.",
    remedy="Rename one of them.",
    hint="rename it",
)
EMPTY_GROUP = invalid(
    "drake.empty-group",
    "filter group {group} has no members",
    meaning="A collision filter group has no members and no member groups.",
    remedy="Add members, or remove the group.",
)
EMPTY_MEMBER = noted(
    "drake.empty-member",
    "a member of filter group {group} has no name; it is ignored",
    meaning="A member of a collision filter group names no link.",
    remedy="Name a link, or remove the member.",
)
FRICTION_ORDER = invalid(
    "drake.friction-order",
    "the dynamic friction {dynamic:g} is greater than the static friction {static:g}",
    meaning="The dynamic coefficient of friction is greater than the static one.",
    remedy="Exchange the coefficients.",
)
IDLE_ACTUATOR = dropped(
    "drake.idle-actuator",
    "joint {joint} has no actuator, because {reason}; ignored its rotor inertia, gear ratio and "
    "gains",
    meaning="A joint without actuator states rotor inertia, gear ratio or gains, which have no "
    "effect.",
    remedy="Give the joint an effort limit other than zero, or remove them.",
    effect=NO_EFFECT,
)
IDLE_RENDERER = noted(
    "drake.idle-renderer",
    "drake:accepting_renderer has no effect without the perception role",
    meaning="A visual names a renderer, but perception does not use the visual.",
    remedy="Remove the renderer, or use the visual for perception.",
)
IGNORED = noted(
    "drake.ignored",
    "ignored this filter group, as its ignore attribute requests",
    meaning="An element is left out because of `ignore` or `drake_ignore`.",
)
IGNORED_ELEMENT = IGNORED.variant("ignored <{tag}>, as its drake_ignore requests")
JOINT_POSE = invalid(
    "drake.joint-pose",
    "<drake:joint> does not support <pose>",
    meaning="A `<drake:joint>` has a `<pose>`, which Drake does not allow.",
    remedy="Pose the frames that the joint connects.",
    hint="set the poses of the frames that it connects",
)
JOINT_TYPE = invalid(
    "drake.joint-type",
    "unknown type {type!r} of <drake:joint>; expected one of: {known}",
    meaning="A `<drake:joint>` has a type that it cannot have.",
    remedy="Use a plain `<joint>` for the standard types.",
    hint="write <joint> for a standard type",
)
JOINT_TYPE_OF_SDF = JOINT_TYPE.variant(hint="")
MATERIAL_MODEL = invalid(
    "drake.material-model",
    "unknown material model {model!r}; expected one of: {known}",
    meaning="The material model of a deformable body is unknown.",
    remedy="Use one of the models that the message lists.",
)
MIMIC = invalid(
    "drake.mimic",
    "joint {follower} mimics the unknown joint {leader!r} of model {model}",
    meaning="A joint mimics itself or an unknown joint.",
    remedy="Correct the name of the leader.",
)
MIMIC_ITSELF = MIMIC.variant("joint {follower} cannot mimic itself")
MIMIC_IGNORED = dropped(
    "drake.mimic-ignored",
    "a mimic joint requires joints with one degree of freedom; joint {joint} has {count}",
    meaning="A joint that has no single degree of freedom cannot mimic another joint.",
    remedy="Remove `<drake:mimic>`.",
    effect=Lost("couplings"),
)
MISSING = invalid(
    "drake.missing",
    "<{tag}> requires a <{child}>",
    meaning="A required child element or value is missing.",
    remedy="Add the element or value that the message names.",
)
MISSING_NUMBER = MISSING.variant("<{tag}> requires a number")
MISSING_NAME = MISSING.variant("<{tag}> requires a name")
MISSING_FRICTION = MISSING.variant(
    "<drake_compliance> requires both <static_friction> and <dynamic_friction>"
)
MISSING_RENDERER = MISSING.variant("<drake:accepting_renderer> requires the name of a renderer")
NO_CURVE = invalid(
    "drake.no-curve",
    "a curvilinear joint requires <drake:curves> with a line segment or an arc",
    meaning="A curvilinear joint has no line segment and no arc.",
    remedy="Add lines or arcs to `<drake:curves>`.",
)
NO_ROLE = noted(
    "drake.no-role",
    "both the illustration and the perception role are disabled; this visual is ignored",
    meaning="A visual is used neither for illustration nor for perception, so it is left out.",
)
OLD_COMPLIANCE = dropped(
    "drake.old-compliance",
    "<{tag}> is obsolete; it is ignored",
    meaning="`<drake_compliance>` is obsolete and has no effect.",
    remedy="Use `<drake:proximity_properties>`.",
    hint="use <drake:proximity_properties>",
    effect=NO_EFFECT,
)
OUT_OF_RANGE = invalid(
    "drake.out-of-range",
    "<{tag}> is {value:g}; it must be {bound}",
    meaning="A number is outside the range that is allowed for it.",
    remedy="Choose a value inside the range that the message states.",
)
OUT_OF_RANGE_LIMITS = OUT_OF_RANGE.variant(
    "the lower limit {lower:g} is above the upper limit {upper:g}"
)
OUT_OF_RANGE_VECTOR = OUT_OF_RANGE.variant("each of the three numbers must be at least {minimum:g}")
OUT_OF_RANGE_POSITIVE = OUT_OF_RANGE.variant(
    "{key} of <{tag}> is {value:g}; it must be greater than 0"
)
OUT_OF_RANGE_BETWEEN = OUT_OF_RANGE.variant(
    "<{tag}> is {value:g}; it must be greater than {low:g} and less than {high:g}"
)
PLAIN_JOINT = noted(
    "drake.plain-joint",
    "joint type {type} is an extension of Drake; accepted in <joint>",
    meaning="A plain `<joint>` has a joint type of Drake; it is read as a `<drake:joint>`.",
    remedy="Write `<drake:joint>`.",
    hint="write <drake:joint>",
)
RIGID_AND_COMPLIANT = invalid(
    "drake.rigid-and-compliant",
    "a shape cannot be both rigid and compliant",
    meaning="A shape is declared both rigid and compliant.",
    remedy="Remove one of the declarations.",
)
RIGID_MODULUS = assumed(
    "drake.rigid-modulus",
    "a rigid shape has no hydroelastic modulus; it is ignored",
    meaning="A rigid shape states a hydroelastic modulus, which is ignored.",
    remedy="Remove the modulus.",
)
SAME_BODY = invalid(
    "drake.same-body",
    "both ends of <{tag}> are on link {link}",
    meaning="Both ends of a joint, constraint or spring are on the same link.",
    remedy="Correct one of the names.",
)
SAME_BODY_OF_JOINT = SAME_BODY.variant("both ends of joint {joint} are on link {link}")
SAME_BODY_OF_WELD = SAME_BODY.variant("{parent} and {child} are on the same link")
SCOPED_GROUP = invalid(
    "drake.scoped-group",
    "the filter group name {name!r} must not contain ::",
    meaning="The name of a collision filter group contains a scope.",
    remedy="Define the group in the model of that scope.",
)
SKEW_CURVE = invalid(
    "drake.skew-curve",
    "the initial tangent of the curve does not lie in its plane",
    meaning="The initial tangent of a curve is not in the plane of the curve.",
    remedy="Make the tangent perpendicular to the plane normal.",
    hint="make the initial tangent perpendicular to the plane normal",
)
SOFT_HYDROELASTIC = invalid(
    "drake.soft-hydroelastic",
    "<drake:soft_hydroelastic> is obsolete",
    meaning="`<drake:soft_hydroelastic>` is the old name of a compliant shape and is no longer "
    "supported.",
    remedy="Write `<drake:compliant_hydroelastic>`.",
    hint="write <drake:compliant_hydroelastic>",
)
TENDON_JOINT = invalid(
    "drake.tendon-joint",
    "a tendon requires joints with one degree of freedom; joint {joint} is {type}",
    meaning="A tendon names a joint twice, or a joint with several degrees of freedom.",
    remedy="Name each joint once, and only joints with one degree of freedom.",
)
TENDON_JOINT_TWICE = TENDON_JOINT.variant("the tendon has joint {joint} twice")
TWO_FRICTIONS = assumed(
    "drake.two-frictions",
    "both drake:proximity_properties and the standard elements give friction; using the former",
    meaning="Friction is stated twice; Drake's coefficients are used.",
    hint="remove one of them",
)
UNKNOWN_CURVE = invalid(
    "drake.unknown-curve",
    "unknown curve <{tag}>; expected one of: {known}",
    meaning="A curve contains an element that is neither a line segment nor an arc.",
    remedy="Use `<drake:line_segment>` or `<drake:circular_arc>`.",
)
UNKNOWN_FRAME = invalid(
    "drake.unknown-frame",
    "unknown frame or link {frame!r} in model {model}",
    meaning="A frame or link of this name does not exist.",
    remedy="Correct the name.",
)
UNKNOWN_JOINT = invalid(
    "drake.unknown-joint",
    "unknown joint {joint!r} in model {model}",
    meaning="A joint of this name does not exist.",
    remedy="Correct the name.",
)
UNKNOWN_LINK = invalid(
    "drake.unknown-link",
    "unknown link {link!r} in model {model}",
    meaning="A link of this name does not exist.",
    remedy="Correct the name.",
)
UNKNOWN_LINK_OF_FRAME = UNKNOWN_LINK.variant("the frame is fixed to the unknown link {link!r}")
UNKNOWN_MEMBER = invalid(
    "drake.unknown-member",
    "unknown member {link!r}: there is no such link",
    meaning="A member of a collision filter group is not a link.",
    remedy="Correct the name.",
)
UNKNOWN_MEMBER_OF_MODEL = UNKNOWN_MEMBER.variant(
    "unknown member {link!r}: model {model} has no such link"
)
URDF_DIFFUSE_MAP = invalid(
    "drake.urdf-diffuse-map",
    "URDF does not support <drake:diffuse_map>",
    meaning="`<drake:diffuse_map>` is not supported in URDF.",
    remedy='Write `<texture filename="..."/>`.',
    hint='write <texture filename="..."/>',
)
VISUAL_PREFIX = invalid(
    "drake.visual-prefix",
    "<{tag}> in <drake:visual> must be written <{prefix}{tag}>",
    meaning="An element within `<drake:visual>` lacks the prefix `drake:`.",
    remedy="Add the prefix.",
)
ZERO_AXIS = invalid(
    "drake.zero-axis",
    "<{tag}> must not be a zero vector",
    meaning="A direction is zero.",
    remedy="Give the vector a length other than zero.",
)
