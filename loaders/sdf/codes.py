"""Codes of the SDFormat reader."""

from __future__ import annotations

from loaders.code import (
    LOOKS_ONLY,
    NO_EFFECT,
    Fate,
    Lost,
    approximated,
    assumed,
    dropped,
    invalid,
    noted,
)

ACTOR = noted(
    "sdf.actor",
    "<{tag}> is ignored: an actor is an animation without a body",
    meaning="An actor is an animation without a body, so it is not read.",
)
APPEARANCE = noted(
    "sdf.appearance",
    "<{tag}> is ignored: it affects only rendering",
    meaning="The element only affects how something looks or sounds, so it is not read.",
)
APPEARANCE_OF_TERRAIN = APPEARANCE.variant(
    "<{tag}> is ignored: it affects only the appearance of terrain"
)
APPEARANCE_OF_WORLD = APPEARANCE.variant(
    "<{tag}> is ignored: it affects only how the world looks or sounds"
)
APPEARANCE_IN_INTERFACE = APPEARANCE.variant("<{tag}> is ignored: it affects only user interfaces")
APPEARANCE_OF_SCRIPT = APPEARANCE.variant(
    "material {name!r} states {statements}, which is not drawn"
)
ATTACHED_TO = invalid(
    "sdf.attached-to",
    "unknown name {name!r} in attached_to of <{tag}>; expected a link, joint, frame or model of "
    "{scope}",
    meaning="`attached_to` names no frame, link, joint or model in its scope.",
    remedy="Correct the name.",
    also=(Fate.SKIPPED,),
    hint="correct the name, or add the element that it names",
)
ATTACHED_TO_CYCLE = invalid(
    "sdf.attached-to-cycle",
    "cycle in the frame attached-to graph: {cycle}",
    meaning="A frame or joint is attached to itself through other frames or joints.",
    hint="attach one of them to a link",
)
AUTO_INERTIA_IGNORES = noted(
    "sdf.auto-inertia-ignores",
    "the inertia is computed from the collisions; ignoring <pose> and <inertia>",
    meaning="The inertia is computed from the collisions, so the pose and the moments in the file "
    "are ignored.",
    remedy="Remove the pose and the moments, or remove `auto`.",
    hint="remove them, or remove auto='true'",
)
AUTO_INERTIA_NO_COLLISION = assumed(
    "sdf.auto-inertia-no-collision",
    "cannot compute the inertia of a link without collisions; using the declared or default "
    "inertia",
    meaning="The inertia is to be computed from the collisions and the link has none; the values "
    "in the file, or the defaults, are used.",
    remedy="Add a collision to the link.",
    hint="add a collision",
)
AUTO_INERTIA_SHAPE = assumed(
    "sdf.auto-inertia-shape",
    "the {shape} of collision {collision} has no volume, or one too large for a number; ignored "
    "when computing the inertia",
    meaning="A shape has no volume and is ignored when the inertia is computed.",
    remedy="State mass and moments of inertia yourself.",
    hint="declare <mass> and <inertia>, and remove auto='true'",
)
AXIS_EXPRESSED_IN = invalid(
    "sdf.axis-expressed-in",
    "unknown frame {frame!r} in expressed_in of joint {joint}; expected a name in the scope of "
    "{scope}",
    meaning="`expressed_in` names no frame in its scope.",
    remedy="Correct the name.",
    also=(Fate.SKIPPED,),
)
CANONICAL_LINK = assumed(
    "sdf.canonical-link",
    "unknown canonical link {declared!r} in model {model}; using {link}",
    meaning="`canonical_link` names no link of the model; the first link is used.",
    remedy="Correct the name.",
)
DUPLICATE_NAME = invalid(
    "sdf.duplicate-name",
    "the name {name!r} is already used by the <{tag}> in line {line}",
    meaning="Two elements in one scope have the same name.",
    hint="rename one of them",
)
DUPLICATE_NAME_RENAMED = DUPLICATE_NAME.variant(
    leniency="this one is renamed, and references mean the other one"
)
ELASTIC_MODULUS = dropped(
    "sdf.elastic-modulus",
    "<{tag}> is ignored: contact stiffness is that of kp and kd, not the elastic modulus",
    meaning="Contact forces are not computed from `elastic_modulus`; only `kp` and `kd` are used.",
    remedy="State `kp` and `kd`.",
    effect=NO_EFFECT,
)
EMPTY = assumed(
    "sdf.empty",
    "the file has no world, model, light or actor; the scene is empty",
    meaning="The file has no world, model, light or actor, so the scene is empty.",
    remedy="Check that it is the right file.",
)
ENGINE_SETTING = noted(
    "sdf.engine-setting",
    "<{tag}> is ignored: it is a solver parameter of one engine",
    meaning="The element tunes the solver of one physics engine, so it is not read.",
)
ENGINE_SETTING_CONTACTS = ENGINE_SETTING.variant(
    "<{tag}> is ignored: each engine has its own limit of contacts"
)
EXTRA_AXIS = noted(
    "sdf.extra-axis",
    "{type} joint {joint} does not use <{tag}>",
    meaning="A joint states more axes than its type has; the extra axis is ignored.",
    remedy="Remove the axis.",
    hint="remove the element",
)
EXTRA_ELEMENT = dropped(
    "sdf.extra-element",
    "an included file provides one element; using the <{used}> and ignoring this <{tag}>",
    meaning="The file has more than one top-level world, model, light or actor; only the first one "
    "is read.",
    remedy="Move it to a separate file, or put all of them into a world.",
    effect=NO_EFFECT,
)
EXTRA_ELEMENT_OF_MAIN_FILE = EXTRA_ELEMENT.variant(
    "a file provides one element; using the first <{used}> and ignoring this <{tag}>",
    hint="move it to another file, or put both into a world",
)
GEARBOX_REFERENCE = assumed(
    "sdf.gearbox-reference",
    "gearbox {joint} has no valid reference body in {scope} (got {body!r}); using the parent",
    meaning="The reference body of a gearbox names no link; the parent of the joint is used.",
    remedy="Name a link of the model.",
)
GRIPPER = noted(
    "sdf.gripper",
    "<{tag}> is ignored: a gripper is a feature of Gazebo classic",
    meaning="A gripper is a behavior of Gazebo classic, so it is not read.",
)
IMAGE_GEOMETRY = dropped(
    "sdf.image-geometry",
    "<image> geometry is not supported; using an empty geometry",
    meaning="A shape made from an image is not supported and is left out.",
    remedy="Use a height map or a mesh.",
    hint="use a heightmap or a mesh",
    effect=Lost("shapes"),
)
INCLUDE_CYCLE = invalid(
    "sdf.include-cycle",
    "files include each other in a cycle: {files}",
    meaning="Files include each other in a cycle, or too deeply.",
    remedy="Break the cycle that the message lists.",
    leniency="the include is left out",
)
INCLUDE_CYCLE_TOO_DEEP = INCLUDE_CYCLE.variant(
    "includes are nested more than {limit} deep: {files}"
)
INCLUDE_EMPTY = dropped(
    "sdf.include-empty",
    "{file} has no model, light or actor; ignoring the <include>",
    meaning="An included file has no model, light or actor, so nothing is included.",
    remedy="Check that it is the right file.",
    effect=NO_EFFECT,
)
INCLUDE_NO_URI = invalid(
    "sdf.include-no-uri",
    "<include> has no <uri>",
    meaning="An `<include>` has no `<uri>`.",
    remedy="Add the `<uri>`.",
    hint="add a <uri>",
    leniency="the include is left out",
)
INCLUDE_NOT_FOUND = invalid(
    "sdf.include-not-found",
    "cannot find {uri!r}; tried {tried}",
    meaning="The `<uri>` of an `<include>` leads to no readable file; `resource.not-found` lists "
    "the places that were searched.",
    remedy="Name the folder in `paths` or the package in `package_map`.",
    also=(Fate.SKIPPED, Fate.APPROXIMATED),
)
JOINT_CHILD = invalid(
    "sdf.joint-child",
    "child {child!r} of joint {joint} is fixed to the world",
    meaning="The child of a joint is unknown, or is fixed to the world.",
    remedy="Correct the name, or exchange parent and child.",
    hint="exchange parent and child, and reverse the axis",
    leniency="joint {joint} is left out",
)
JOINT_CHILD_UNKNOWN = JOINT_CHILD.variant(
    "unknown name {name!r} in <child> of <{tag}>; expected a link, joint, frame or model of "
    "{scope}",
    hint="correct the name, or add the element that it names",
    leniency="the joint is left out",
)
JOINT_PARENT = invalid(
    "sdf.joint-parent",
    "joint {joint} is its own parent",
    meaning="The parent of a joint is unknown, or is the joint itself.",
    remedy="Correct the name.",
    leniency="joint {joint} is left out",
)
JOINT_PARENT_UNKNOWN = JOINT_PARENT.variant(
    "unknown parent {parent!r} of joint {joint}; expected a link, joint, frame or model of {scope}"
)
JOINT_SAME_BODY = invalid(
    "sdf.joint-same-body",
    "parent and child of joint {joint} are both attached to {body}",
    meaning="The parent and the child of a joint are fixed to the same link.",
    remedy="Correct the name of the parent or of the child.",
    leniency="joint {joint} is left out",
)
JOINT_TYPE = invalid(
    "sdf.joint-type",
    "unknown joint type {type!r}; expected one of: {types}",
    meaning="The joint type is unknown.",
    remedy="Use one of the types that the message lists.",
)
LIGHT_TYPE = invalid(
    "sdf.light-type",
    "unknown light type {type!r}; expected one of: {types}",
    meaning="The light type is unknown.",
    remedy="Use `point`, `directional` or `spot`.",
)
MATERIAL_SCRIPT = invalid(
    "sdf.material-script",
    "the <script> of a material has no <uri>",
    meaning="A material script has no `<uri>` or no `<name>`.",
    remedy="Add the missing element, or remove the script.",
    hint="add a <uri>",
    leniency="a material of Gazebo is meant",
)
MATERIAL_SCRIPT_NO_NAME = MATERIAL_SCRIPT.variant(
    "the <script> of a material has no <name>",
    hint="add a <name>",
    leniency="the script is ignored",
)
MERGE_DROPS = noted(
    "sdf.merge-drops",
    "<{tag}> of a merged model has no effect",
    meaning="An element of a merged model, such as `<static>`, has no effect.",
    remedy="Set it in the model that includes the merged one.",
    hint="set it in the model that includes this one",
)
MERGE_UNSUPPORTED = invalid(
    "sdf.merge-unsupported",
    "cannot merge a <{tag}>; expected a <model>",
    meaning="`merge` is used on something other than a model, or would put links directly into a "
    "world.",
    remedy="Include it without `merge`.",
    leniency="the include is left out",
)
MERGE_UNSUPPORTED_INTO_WORLD = MERGE_UNSUPPORTED.variant(
    "cannot merge a <{tag}> into a world", leniency="it is left out"
)
MIMIC = invalid(
    "sdf.mimic",
    "joint {joint} mimics unknown joint {leader!r}; expected a joint of {scope}",
    meaning="A joint mimics itself, or a joint or axis that does not exist.",
    remedy="Correct the name of the leader.",
    leniency="the joint moves independently",
)
MIMIC_ITSELF = MIMIC.variant("joint {joint} mimics itself")
MIMIC_NO_AXIS = MIMIC.variant(
    "joint {joint} mimics <{axis}> of joint {leader}, which does not have this axis"
)
MODEL_FILE_OUTSIDE = invalid(
    "sdf.model-file-outside",
    "{manifest} names the file {file}, which lies outside the folder of the model",
    meaning="A `model.config` names a file outside its own folder, by its path or by a symbolic "
    "link.",
    remedy="Move the file into the folder of the model, or pass `unsafe_paths=True` if you trust "
    "the model.",
    hint="name a file in the folder of the model",
)
NAME_CLASH = assumed(
    "sdf.name-clash",
    "the name {name!r} is already used by a <{first_tag}>; this <{tag}> is renamed to {new_name!r}",
    meaning="Before version 1.7 a joint could have the name of a link; the later element is "
    "renamed.",
    remedy="Rename one of them.",
    hint="rename one of them; references keep their meaning",
)
NEGATIVE_DYNAMICS = assumed(
    "sdf.negative-dynamics",
    "negative <{key}> {value:g} adds energy to the joint; it is kept as written",
    meaning="A damping, friction or stiffness of a joint is negative, so that the joint gains "
    "energy; it is kept as written.",
    remedy="Make the value positive.",
    hint="make it positive",
    harm=3,
)
NESTED_JOINT = assumed(
    "sdf.nested-joint",
    "unknown frame {frame!r} in expressed_in of joint {joint} in nested model {model}; using the "
    "joint frame",
    meaning="A joint in a nested model names an unknown parent, frame or leader; the message "
    "states what is used instead.",
    remedy="Correct the name.",
)
NESTED_JOINT_PARENT = NESTED_JOINT.variant(
    "unknown parent {parent!r} of joint {joint} in nested model {model}; using the world"
)
NESTED_JOINT_MIMIC = NESTED_JOINT.variant(
    "joint {joint} mimics <{axis}> of {leader!r}, which nested model {model} does not have; "
    "ignoring <mimic>"
)
NEWER_MODEL_FILE = assumed(
    "sdf.newer-model-file",
    "ignoring the file for SDFormat {version}, which is newer than 1.12",
    meaning="`model.config` lists a file for a version of SDFormat that is too new; another entry "
    "is used.",
)
NO_AXIS = assumed(
    "sdf.no-axis",
    "{type} joint {joint} has no <{tag}>; using 0 0 1",
    meaning="A joint that can move has no `<axis>`; 0 0 1 is used.",
    remedy="Add the axis.",
    hint="add the element",
)
NO_LINK = invalid(
    "sdf.no-link",
    "model {model} has no link",
    meaning="A model that is not static has no link.",
    remedy="Add a link, or make the model static.",
    hint="add a <link>, or make the model static",
    leniency="the model is empty",
)
NO_LINK_TO_MERGE = NO_LINK.variant(
    "the model to merge has no link", hint="add a <link> to it", leniency=""
)
NO_MODEL_CONFIG = invalid(
    "sdf.no-model-config",
    "no <sdf> element names a file that can be read",
    meaning="A folder has no `model.config`, or it names no readable file.",
    remedy="Add `model.config`, or name the model file itself.",
)
NO_MODEL_CONFIG_IN_FOLDER = NO_MODEL_CONFIG.variant(
    "folder {folder} has no model.config", hint="add one, or name the file of the model"
)
NO_MODEL_CONFIG_ONE_FILE = NO_MODEL_CONFIG_IN_FOLDER.variant(leniency="using {file}")
NO_NAME = invalid(
    "sdf.no-name",
    "<{tag}> has no name",
    meaning="An element that needs a name has none.",
    hint="add a name",
    leniency="the element gets a name",
)
NO_NAME_INCLUDED = NO_NAME.variant(
    hint="add a name, even if the <include> gives another one", leniency=""
)
NO_POINTS = invalid(
    "sdf.no-points",
    "<polyline> has no <point>",
    meaning="A polyline has no points.",
    remedy="Add the points of its outline.",
    hint="add points",
)
NO_URI = invalid(
    "sdf.no-uri",
    "<{tag}> has no <uri>",
    meaning="A mesh or height map names no file.",
    remedy="Add a `<uri>`.",
    hint="add a <uri>",
)
NO_VERSION = invalid(
    "sdf.no-version",
    "<{tag}> has no version",
    meaning="The root element states no version.",
    remedy='Add `version="1.12"`, or the version that the file was written for.',
    hint="use one of the versions 1.0, 1.2, 1.3, and so on to 1.12",
)
NOT_MECHANICAL = noted(
    "sdf.not-mechanical",
    "<{tag}> is ignored: it does not affect motion or contact",
    meaning="The element affects neither motion nor contact, so it is not read.",
)
NOT_MECHANICAL_FRAME = NOT_MECHANICAL.variant(
    "<{tag}> is ignored: nothing outside its element can refer to such a frame"
)
NOT_MECHANICAL_PARAMETERS = NOT_MECHANICAL.variant(
    "<{tag}> is ignored: it has parameters for a calculator of inertias in the program that loads "
    "the file, and the calculator of libsdformat has none"
)
OLD_MANIFEST = noted(
    "sdf.old-manifest",
    "{old_name} is the old name of {new_name}",
    meaning="The folder has a `manifest.xml`, which is the old name of `model.config`.",
    hint="rename the file",
)
PARAMS = invalid(
    "sdf.params",
    "unknown action {action!r}; expected one of: {actions}",
    meaning="A change that `<experimental:params>` requests cannot be made; the message states "
    "why.",
    remedy="Correct the element that the message names.",
)
PARAMS_NOTHING_TO_CHANGE = PARAMS.variant("there is no <{tag}> to {action}")
PARAMS_NO_ELEMENT_ID = PARAMS.variant("<{tag}> has no element_id; ignoring this change")
PARAMS_ADDED_NO_NAME = PARAMS.variant("the <{tag}> to add has no name", hint="add a name")
PARAMS_ID_NO_NAME = PARAMS.variant("element_id {path!r} ends with ::; expected a name")
PARAMS_UNKNOWN_PATH = PARAMS.variant("the included model has no element {path!r}")
PARAMS_NO_ACTION = PARAMS.variant("<{tag}> has no action; ignoring this change")
PARAMS_REPLACEMENT_NO_NAME = PARAMS.variant("the <{tag}> that replaces a named element has no name")
PARAMS_NAME_IN_USE = PARAMS.variant("{path!r} already has a <{tag}> with the name {name!r}")
PARAMS_UNKNOWN_ELEMENT = PARAMS.variant("the included model has no <{tag}> {path!r}")
PLACEMENT_FRAME = invalid(
    "sdf.placement-frame",
    "unknown name {name!r} in placement_frame of <{tag}>; expected a link, joint, frame or model "
    "of {scope}",
    meaning="`placement_frame` names no frame of the model.",
    remedy="Correct the name.",
    also=(Fate.SKIPPED,),
    hint="correct the name, or add the element that it names",
)
PLACEMENT_WITHOUT_POSE = invalid(
    "sdf.placement-without-pose",
    "<include> has a <placement_frame> but no <pose>",
    meaning="An `<include>` with a `<placement_frame>` has no `<pose>`.",
    remedy="Add `<pose/>` for the identity.",
    hint="add <pose/> for the identity",
)
PLUGIN = noted(
    "sdf.plugin",
    "<{tag}> is ignored: a plugin is code for another simulator",
    meaning="A plugin is code for another simulator, so it is not read.",
)
PLUGIN_NAMED = PLUGIN.variant(
    "<plugin> {plugin} is ignored: a plugin is code for another simulator"
)
POLYLINE_HEIGHT = approximated(
    "sdf.polyline-height",
    "the outlines of a polyline differ in height; using {used:g} m of the first instead of "
    "{height:g} m",
    meaning="The outlines of one polyline differ in height; all get the height of the first.",
    remedy="Make each outline a separate shape.",
    hint="make them two shapes",
)
POPULATION = dropped(
    "sdf.population",
    "<{tag}> is ignored: its distribution {type!r} is random, and nothing states the positions",
    meaning="A population places models at random, or states no valid distribution, and is left "
    "out. One of the types `grid` and `linear-x`, `-y` and `-z` in a box is created.",
    remedy="Include each model with a pose.",
    effect=Lost("links"),
)
POPULATION_INVALID = POPULATION.variant(
    "<{tag}> is ignored, as in Gazebo: {reason}", hint="correct it, or include each model"
)
POSE_CYCLE = invalid(
    "sdf.pose-cycle",
    "cycle in the pose relative-to graph: {cycle}",
    meaning="The pose of an element is relative to itself through other elements.",
    remedy="Make one of the poses relative to the model.",
    hint="make the pose of one of them relative to another frame",
)
POSE_FORMAT = invalid(
    "sdf.pose-format",
    "unknown rotation_format {rotation_format!r}; expected one of: {formats}",
    meaning="A pose has the wrong number of values, or an unknown or contradictory format.",
    remedy="Correct the pose.",
)
POSE_FORMAT_COUNT = POSE_FORMAT.variant("expected {expected:number|numbers} in a pose, got {count}")
POSE_FORMAT_NO_ANGLES = POSE_FORMAT_COUNT.variant(leniency="the angles are taken as zero")
POSE_FORMAT_TOO_FEW = POSE_FORMAT_COUNT.variant(leniency="the missing numbers are taken as zero")
POSE_FORMAT_TOO_MANY = POSE_FORMAT_COUNT.variant(leniency="the others are ignored")
POSE_FORMAT_DEGREES = POSE_FORMAT.variant(
    "a quaternion cannot be in degrees", hint="remove degrees='true'"
)
POSE_RELATIVE_TO = invalid(
    "sdf.pose-relative-to",
    "unknown name {name!r} in relative_to of <{tag}>; expected a link, joint, frame or model of "
    "{scope}",
    meaning="`relative_to` names no frame in its scope.",
    remedy="Correct the name.",
    also=(Fate.SKIPPED,),
    hint="correct the name, or add the element that it names",
)
POSE_RELATIVE_TO_IGNORED = assumed(
    "sdf.pose-relative-to-ignored",
    "the pose of <{tag}> is always relative to its parent element; ignoring relative_to {frame!r}",
    meaning="The pose of this element is always relative to its link, so `relative_to` is ignored.",
    remedy="Remove `relative_to`.",
    hint="remove relative_to",
)
RESERVED_NAME = invalid(
    "sdf.reserved-name",
    "the name {name!r} is reserved",
    meaning="The name `world` and names such as `__model__` are reserved.",
    remedy="Rename the element.",
    hint="remove the link",
    leniency="the link is left out, and references to it mean the world",
)
RESERVED_NAME_RENAMED = RESERVED_NAME.variant(
    hint="rename the element", leniency="the element is renamed"
)
RESERVED_NAME_OF_WORLD = RESERVED_NAME_RENAMED.variant(
    leniency="the element is renamed, and references to it mean the world"
)
REVERSED_LIMIT = assumed(
    "sdf.reversed-limit",
    "lower limit {lower:g} is above upper limit {upper:g}; keeping both, so that no position is "
    "allowed",
    meaning="The lower limit of a joint is above the upper limit; both are kept, and no position "
    "satisfies them.",
    hint="exchange the limits",
    harm=2,
)
ROAD = dropped(
    "sdf.road",
    "<{tag}> is ignored: a road is drawn but has no contact surface",
    meaning="A road is only drawn by Gazebo, so its surface is left out.",
    remedy="Use a mesh.",
    effect=LOOKS_ONLY,
)
ROOT_RELATIVE_TO = invalid(
    "sdf.root-relative-to",
    "the pose of the outermost model {model} cannot be relative to {frame!r}",
    meaning="The pose of the outermost model has a `relative_to`, but there is no frame outside of "
    "the model.",
    remedy="Remove `relative_to`.",
    hint="remove relative_to",
)
SCOPED_NAME = invalid(
    "sdf.scoped-name",
    "the name {name!r} contains ::, which SDFormat {version} does not allow",
    meaning="A name contains `::`, which is not allowed since version 1.8.",
    hint="use nested models",
    leniency="the name is kept",
)
SECOND_PHYSICS = noted(
    "sdf.second-physics",
    "a world uses one <physics>; ignoring this one",
    meaning="A world has several sets of physics; only the default one, or the first, is used.",
)
SECOND_SHAPE = dropped(
    "sdf.second-shape",
    "a geometry has one shape; using the <{used}> and ignoring this <{tag}>",
    meaning="A geometry has more than one shape; only the first is used.",
    hint="make it a second collision or visual",
    effect=Lost("shapes"),
)
SENSOR_TYPE = invalid(
    "sdf.sensor-type",
    "unknown sensor type {type!r}; expected one of: {known}",
    meaning="The sensor type is unknown.",
    remedy="Use a sensor type of the SDFormat specification.",
    also=(Fate.SKIPPED,),
)
SHADER = invalid(
    "sdf.shader",
    "unknown shader type {type!r}; expected one of: {types}",
    meaning="A shader has an unknown type, or no normal map although its type needs one.",
    remedy="Correct the type, or add a `<normal_map>`.",
    also=(Fate.SKIPPED,),
)
SHADER_NO_NORMAL_MAP = SHADER.variant(
    "a shader of type {type} has no <normal_map>", hint="add a <normal_map>"
)
STATE = noted(
    "sdf.state",
    "links start where the saved state puts them, up to {distance:.3g} m from the poses of the "
    "models",
    meaning="The saved state of a world gives the initial poses, as in Gazebo classic; one in a "
    "model is not read.",
    remedy="Remove `<state>` to start at the poses of the models.",
)
STATE_IGNORED = STATE.variant(
    "<{tag}> is ignored: it records the state of a running simulation and is not part of the model"
)
STATE_SCALE = dropped(
    "sdf.state-scale",
    "the model keeps its size; a saved scale is not applied",
    meaning="The scale of a model in a saved state is not applied.",
    effect=Lost("sizes"),
)
STATE_UNKNOWN = noted(
    "sdf.state-unknown",
    "the saved state has poses of models that the world does not have: {models}",
    meaning="A saved state names models that the world does not have.",
)
STATE_UNREACHED = approximated(
    "sdf.state-unreached",
    "joints that the saved poses do not fit start at the nearest position, with errors up to "
    "{error:.2g} m: {joints}",
    meaning="Saved poses of links do not fit their joints; the joints start at the nearest "
    "position.",
    remedy="Correct the poses in `<state>`, or remove it.",
)
STATE_VELOCITY = dropped(
    "sdf.state-velocity",
    "the saved velocities, up to {speed:.3g} m/s or rad/s, are not kept; everything starts at rest",
    meaning="Velocities in a saved state are not kept.",
    effect=Lost("initial velocities"),
)
STATIC_JOINT = noted(
    "sdf.static-joint",
    "joint {joint} cannot move because model {model} is static",
    meaning="A joint of a static model cannot move.",
)
UNFLATTENED = noted(
    "sdf.unflattened",
    "moved the elements named {prefix}::... into a nested model {prefix}",
    meaning="Links named `a::b` in a world of version 1.7 or older become links of a nested model "
    "`a`.",
)
UNKNOWN_MATERIAL = noted(
    "sdf.unknown-material",
    "unknown material {name!r}; ignoring the script",
    meaning="A material script or its texture was not found; the colors in the file are used.",
    remedy="State the colors in the file.",
)
UNKNOWN_MATERIAL_TEXTURE = UNKNOWN_MATERIAL.variant(
    "texture {texture!r} of the material was not found"
)
UNKNOWN_MATERIAL_PICTURE = UNKNOWN_MATERIAL.variant(
    "the picture of material {name!r} is part of Gazebo; drawn in one color of its kind"
)
UNKNOWN_VERSION = assumed(
    "sdf.unknown-version",
    "unknown version {version!r}; reading the file as version 1.12",
    meaning="The version of SDFormat is unknown; the file is read as version 1.12.",
    remedy="State the version that the file was written for.",
    hint="use one of the versions 1.0, 1.2, 1.3, and so on to 1.12",
)
ZERO_AXIS = invalid(
    "sdf.zero-axis",
    "joint {joint} has an axis of zero length",
    meaning="The axis of a joint is zero.",
    remedy="Give the axis a direction.",
)
ZERO_NORMAL = assumed(
    "sdf.zero-normal",
    "invalid plane normal 0 0 0; using 0 0 1",
    meaning="The normal of a plane is zero; 0 0 1 is used.",
    remedy="Give the normal a direction.",
)
ZERO_QUATERNION = assumed(
    "sdf.zero-quaternion",
    "invalid quaternion 0 0 0 0; using no rotation",
    meaning="A quaternion is zero; the identity is used.",
    remedy="Correct the quaternion.",
)
