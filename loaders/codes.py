"""Codes of input files, XML, meshes, Gazebo plugins, and of the checks of every scene."""

from __future__ import annotations

from loaders.code import (
    NO_EFFECT,
    Code,
    Condition,
    Fate,
    Lost,
    approximated,
    assumed,
    dropped,
    invalid,
    noted,
    repaired,
)

DRAKE_DUPLICATE_GROUP = invalid(
    "drake.duplicate-group",
    "duplicate filter group name {group}",
    meaning="Two collision filter groups have the same full name.",
    hint="rename one of them",
)
DRAKE_UNKNOWN_GROUP = invalid(
    "drake.unknown-group",
    "unknown filter group {group!r}",
    meaning="A collision filter group of this name does not exist when everything is loaded.",
    remedy="Correct the name.",
)
FILE_ARCHIVE = invalid(
    "file.archive",
    "cannot read the file: {reason}",
    meaning="An archive of MJCF is damaged, has no main model, or has a member that is not read.",
    remedy="Unpack the archive, or write it again with plain files and the model as `model.xml`.",
    also=(Fate.SKIPPED,),
)
FILE_COMPRESSED = invalid(
    "file.compressed",
    "the file is compressed",
    meaning="The file is compressed with gzip, or is a ZIP archive in place of a model.",
    remedy="Unpack the file first.",
    hint="decompress it first",
    also=(Fate.SKIPPED,),
)
FILE_COMPRESSED_ARCHIVE = FILE_COMPRESSED.variant(
    "the file is a ZIP archive",
    hint="unpack it; archives of MJCF end in .mjz or .zip, and are not included",
)
FILE_INCLUDE_CYCLE = invalid(
    "file.include-cycle",
    "the file includes itself, or files are nested too deep: {chain}",
    meaning="A file includes itself, directly or through other files.",
    remedy="Remove one of the includes that the message lists.",
)
FILE_INCLUDE_CYCLE_ATTACHED = FILE_INCLUDE_CYCLE.variant(
    "the model attaches itself, or models are nested too deep: {chain}"
)
FILE_LIMIT = invalid(
    "file.limit",
    "the {source} {verb} more than {limit} {option}",
    meaning="The load, with all files together, exceeds the limit that the message names.",
    remedy="Check that the file is not hostile; raise the limit with `limits=Limits(...)` if you "
    "trust it.",
)
FILE_NOT_REGULAR = invalid(
    "file.not-regular",
    "cannot read the file: {reason}",
    meaning="A file is a named pipe, a socket or a device.",
    also=(Fate.SKIPPED,),
    hint="replace it by a regular file",
)
FILE_READER = invalid(
    "file.reader",
    "{reason}",
    meaning="The reader of another package, registered for the root element, cannot be imported or "
    "fails.",
    hint="report this to the authors of the package",
)
FILE_READER_NO_SCENE = FILE_READER.variant(
    "the reader {reader} returned no scene and no error", hint=""
)
FILE_TOO_LARGE = invalid(
    "file.too-large",
    "cannot read the file: {reason}",
    meaning="The file has more bytes, more elements or deeper nesting than the reader allows.",
    remedy="Split the file into several that include each other.",
    also=(Fate.SKIPPED,),
)
FILE_TOO_LARGE_ELEMENTS = FILE_TOO_LARGE.variant(
    "the file has more than {most:element|elements}, {depth:level|levels} of nesting or "
    "{names:different name|different names}",
    hint="split the file and include its parts",
)
FILE_UNKNOWN_FORMAT = invalid(
    "file.unknown-format",
    "unknown root element <{tag}>; expected one of: {known}",
    meaning="The root element belongs to no known format.",
    remedy="Check that the file is SDFormat, URDF, a Drake directives file or another supported "
    "format.",
)
FILE_UNLISTED = noted(
    "file.unlisted",
    "not listed: {count:more diagnostic|more diagnostics} of severity {severity}",
    meaning="There are more diagnostics than the limit; the rest is counted.",
    remedy="Correct the problems that are listed, or raise the limit with "
    "`limits=Limits(diagnostics=...)`.",
)
FILE_UNREADABLE = invalid(
    "file.unreadable",
    "cannot read the file: {reason}",
    meaning="The file does not exist or cannot be read.",
    remedy="Check the path and the permissions of the file.",
    also=(Fate.SKIPPED,),
)
FILE_UNREADABLE_MISSING = FILE_UNREADABLE.variant(hint="check the path")
FILE_UNREADABLE_FOLDER = FILE_UNREADABLE.variant(hint="name a file in the folder")
FILE_UNREADABLE_BY_PYBULLET = FILE_UNREADABLE.variant(
    "cannot read the file: it is neither in {present} nor in one of paths={folders}",
    hint="pass the folder that you gave to setAdditionalSearchPath, which PyBullet does not tell, "
    "in paths",
)
GAZEBO_ADDED_MASS = dropped(
    "gazebo.added-mass",
    "the added mass of link {link} in plugin {plugin} is left out: {values}; without it the link, "
    "if it is free, accelerates up to {ratio:.4g} times as fast as in Gazebo",
    meaning="The added mass in a plugin of Gazebo is left out; its buoyancy and drag are.",
    remedy="State `<fluid_added_mass>` in the `<inertial>`, or give the link more mass where it "
    "moves along one line.",
    hint="state <fluid_added_mass> in the <inertial>",
    effect=Lost("added mass"),
)
GAZEBO_CONTROLLER = noted(
    "gazebo.controller",
    "plugin {plugin} commands the {command} of {joints} by actuators{law}",
    meaning="A plugin of Gazebo controls joints; they have actuators with its gains.",
    remedy="Command the actuators of the simulator.",
)
GAZEBO_FLUID = noted(
    "gazebo.fluid",
    "plugin {plugin} acts on {links} with the {kind} of a fluid",
    meaning="A plugin of Gazebo acts on links with buoyancy, drag or lift, which are forces of the "
    "scene.",
    remedy="Pass `bridge.passive_forces(...)` to `mujoco.set_mjcb_passive`; in PyBullet call "
    "`step()` of the handle.",
    hint="bridge.passive_forces adds these forces in MuJoCo, and step() in PyBullet",
)
GAZEBO_GAIN = approximated(
    "gazebo.gain",
    "the controller of plugin {plugin} is kept without its {gains}",
    meaning="A gain of a plugin's controller has no counterpart in an actuator.",
    remedy="Add this part of the control in the loop of the simulation.",
)
GAZEBO_JOINT = dropped(
    "gazebo.joint",
    "plugin {plugin} drives joint {joint}, which is {reason}; it is ignored",
    meaning="A plugin drives a joint that the model has not, or that has not one degree of "
    "freedom.",
    remedy="Correct the name of the joint.",
    effect=Lost("actuators"),
)
GAZEBO_PLUGIN_MOVES = dropped(
    "gazebo.plugin-moves",
    "plugin {plugin} does not run here; in Gazebo it would {effect}",
    meaning="A plugin of Gazebo moves something, and does not run in another simulator.",
    remedy="Apply its forces or motions in the loop of the simulation.",
    hint="apply these forces or motions in the loop of the simulation",
    effect=Lost("plugins that move something"),
)
GAZEBO_PUBLISHER = noted(
    "gazebo.publisher",
    "plugin {plugin} publishes {quantities} of {items}; it becomes a sensor",
    meaning="A plugin of Gazebo is a sensor, or publishes joint states or odometry.",
    effect=NO_EFFECT,
)
GAZEBO_PUBLISHER_SETTING = GAZEBO_PUBLISHER.variant("plugin {plugin}: {settings:is|are} not used")
GAZEBO_PUBLISHER_LOST = GAZEBO_PUBLISHER.variant(
    "plugin {plugin} measures {items}; no sensor is made of it", fate=Fate.DROPPED
)
GAZEBO_SETTING = dropped(
    "gazebo.setting",
    "plugin {plugin}: {settings:is|are} left out, without a place in an actuator",
    meaning="Settings of a plugin have no counterpart, such as in an actuator.",
    hint="do what they say in the loop of the simulation",
    effect=Lost("settings of plugins"),
)
GAZEBO_SETTING_UNREAD = GAZEBO_SETTING.variant("plugin {plugin}: {settings:is|are} not used")
GAZEBO_SETTING_WITHOUT_EFFECT = GAZEBO_SETTING.variant(
    "plugin {plugin}: {settings:is|are} left out, without effect on the motion",
    fate=Fate.NOTED,
    hint="",
)
MESH_EMBEDDED_TEXTURE = noted(
    "mesh.embedded-texture",
    "a texture inside the mesh file is left out: {reason}",
    meaning="A texture inside the mesh file cannot be read, or the cache, in which it would become "
    "a file, cannot be written.",
    remedy="Store the texture as a file beside the mesh, or make the cache writable.",
)
MESH_IMPLAUSIBLE_SIZE = assumed(
    "mesh.implausible-size",
    "mesh {uri} is {size:g} m large, but the longest joint offset of its model is {offset:g} m",
    meaning="The size of a mesh differs by a factor of more than 100 from the joint offsets of its "
    "model.",
    remedy="Check the unit of the mesh and set its scale, for example 0.001 for millimeters.",
    hint="if the mesh is in millimeters or inches, set its scale to 0.001 or 0.0254",
    harm=2,
)
MESH_INCOMPLETE = dropped(
    "mesh.incomplete",
    "ignored an invalid part of the file: {reason}",
    meaning="Parts of a COLLADA file are broken and are left out.",
    remedy="Export the mesh again, or repair the file.",
    effect=Lost("shapes"),
)
MESH_INCOMPLETE_APPEARANCE = MESH_INCOMPLETE.variant(fate=Fate.NOTED)
MESH_LOOKS = noted(
    "mesh.looks",
    "the mesh states {what}, which is not drawn (materials or parts: {count})",
    meaning="Materials of a mesh file state something that is not carried: opacity or emitted "
    "light by a texture of its own, colors of vertices beside a material, textures that do not "
    "repeat.",
    remedy="State the look by a color or one color texture.",
)
MESH_MENDED = assumed(
    "mesh.mended",
    "mended the file: {reason}",
    meaning="A COLLADA file is not well-formed, for example `<` in a value, and was mended before "
    "reading.",
    remedy="Correct the file.",
)
MESH_MISSING = dropped(
    "mesh.missing",
    "mesh {uri} was not found; the shape is left out",
    meaning="The mesh file was not found, so the shape is left out.",
    remedy="Name its folder in `paths` or its package in `package_map`.",
    hint="add its folder to paths",
    effect=Lost("shapes"),
    harm=2,
)
MESH_MISSING_TEXTURE = noted(
    "mesh.missing-texture",
    "cannot find texture {texture!r} in the folders of the mesh",
    meaning="A texture that the mesh names is not in a folder near the mesh.",
    remedy="Copy the texture to the folder of the mesh.",
)
MESH_OUTSIDE = noted(
    "mesh.outside",
    "the mesh names files outside the folder of its model, which are not opened: {files}",
    meaning="A mesh names material libraries or textures outside the model or package that it "
    "belongs to; they are not opened, whether they exist or not.",
    remedy="Copy the files into the model, or put a `model.config` or `package.xml` into the "
    "folder that holds the model with its files.",
    hint="copy the files into the folder of the model",
)
MESH_UNREADABLE = dropped(
    "mesh.unreadable",
    "cannot read the mesh: {reason}",
    meaning="The mesh file cannot be read, so the shape is left out.",
    remedy="Export the mesh again, in OBJ, STL, COLLADA or glTF.",
    effect=Lost("shapes"),
    harm=2,
)
MESH_UP_AXIS = assumed(
    "mesh.up-axis",
    "the file declares {up_axis}; rotated to Z up, unlike in Gazebo, RViz and PyBullet",
    meaning="A COLLADA file declares another axis than Z as up; the message states whether the "
    "mesh was rotated.",
    remedy="Export the mesh with Z up and with a unit.",
)
MESH_UP_AXIS_NOT_TURNED = MESH_UP_AXIS.variant(
    "the file declares {up_axis} {reason}; not rotated, as in Gazebo, RViz and PyBullet",
    hint='if the robot stands in pieces, use up_axis="stated"',
)
MESH_UP_AXIS_OF_ROBOT = MESH_UP_AXIS.variant(
    "the file declares {up_axis} {reason}; rotated to Z up, as all such files of the robot: its "
    "links would stand apart otherwise, or up_axis asks for it",
    hint='use up_axis="z" to read it as Gazebo, RViz and PyBullet do',
)
MODEL_BAD_NUMBER = invalid(
    "model.bad-number",
    "a number of the pose, the inertia or an axis of {kind} {name} is not finite",
    meaning="A scene that was changed in Python has a number that is infinite or not a number, an "
    "axis that is not a unit vector, or a matrix that is not a rotation.",
    remedy="Correct the number; divide the axis by its length; make the rotation orthonormal.",
    hint="replace what is infinite or not a number",
)
MODEL_BAD_NUMBER_AXIS = MODEL_BAD_NUMBER.variant(
    "an axis of joint {name} is not a unit vector", hint="divide it by its length"
)
MODEL_BAD_NUMBER_ROTATION = MODEL_BAD_NUMBER.variant(
    "the rotation of the pose of {kind} {name} is not orthogonal, or mirrors",
    hint="make it orthonormal in double precision, with a determinant of 1",
)
MODEL_DUPLICATE_NAME = invalid(
    "model.duplicate-name",
    "{count} {kind}s of the scene are named {name}",
    meaning="A scene that was changed in Python has two links or two joints of one name.",
    remedy="Give each a name of its own.",
    hint="give each link and each joint a name of its own, with dataclasses.replace(item, "
    "name=...)",
)
MODEL_IMPOSSIBLE_INERTIA = assumed(
    "model.impossible-inertia",
    "the inertia of link {link} is not physically valid: {defect}",
    meaning="The inertia of a link belongs to no real body: it is not positive or violates the "
    "triangle inequality.",
    remedy='Correct the inertia, or let the export repair it with `inertia="repair"`.',
    hint="correct the inertia, or let the export repair it",
    harm=3,
)
MODEL_PARALLEL_AXES = assumed(
    "model.parallel-axes",
    "the two axes of {type} joint {joint} are parallel; the mass matrix is singular",
    meaning="The two axes of a universal or revolute2 joint are parallel, so that the mass matrix "
    "is singular.",
    remedy="Give the axes different directions.",
    hint="choose different directions for axis and axis2",
)
MODEL_POSE_AGAINST_JOINT = assumed(
    "model.pose-against-joint",
    "joint {joint} puts link {link} {distance:.3g} m and {angle:.3g} rad from its pose X_WL at "
    "zero; engines place it by the joint",
    meaning="The pose of a link in a scene that was changed in Python is not the one that its "
    "joint gives it at zero.",
    remedy="Set `X_WL` of the link to `X_WL` of the parent `@ X_PJ @ X_CJ.inverse()`, or correct "
    "the frames of the joint.",
    hint="set X_WL of the link to X_WL of the parent @ X_PJ @ X_CJ.inverse(), or correct X_PJ or "
    "X_CJ",
)
MODEL_REPAIRED_INERTIA = Code(
    "model.repaired-inertia",
    Fate.SKIPPED,
    "the inertia of link {link} is not physically valid: {defects}; using the nearest valid one, "
    "whose mass differs by {mass:.3g} kg and whose moments differ by at most {change:.3g} kg m^2 "
    "({percent:.3g} % of the largest)",
    meaning="Lenient loading replaced an inertia that no body can have by the nearest valid one.",
    remedy="Correct the inertia.",
    hint="correct the inertia",
    leniency="the inertia of link {link} is changed by {percent:.3g} %",
)
MODEL_SHAPE_SIZE = invalid(
    "model.shape-size",
    "shape {shape} measures {size:g} m; engines compute with up to {limit:g} m",
    meaning="A dimension of a shape is too large for the arithmetic of physics engines.",
    hint="state the size in meters",
)
MODEL_SKEW_AXES = assumed(
    "model.skew-axes",
    "the axes of universal joint {joint} are not perpendicular; they are used as given",
    meaning="The axes of a universal joint are not perpendicular; they are kept as written.",
    remedy="Make the axes perpendicular, or use the joint type `revolute2`.",
    hint="make the axes perpendicular, or use a revolute2 joint",
)
MODEL_UNKNOWN_NAME = invalid(
    "model.unknown-name",
    "{name!r} is the {end} of joint {joint}, but the scene has no such link",
    meaning="A joint of a scene that was changed in Python names a link that does not exist.",
    remedy="Add the link, or correct the name.",
    hint="add it to the links of the scene, or correct the name",
)
MODEL_ZERO_SIZE = assumed(
    "model.zero-size",
    "shape {shape} has a dimension of 0: {sizes:g}; it is used as given, but MuJoCo leaves it out",
    meaning="A dimension of a shape is 0, so that it has no volume; MuJoCo refuses such a shape.",
    remedy="Give the shape a positive size, or remove it.",
    hint="give it a positive size, or remove it",
    harm=1,
)
RD_NOT_FOUND = invalid(
    "rd.not-found",
    "robot_descriptions has no URDF, xacro or MJCF file of robot {name}",
    meaning="The robot is not in the cache of the package robot_descriptions or mujoco-menagerie, "
    "or not among the files of example-robot-data, or the package is not installed.",
    remedy="Install the package, and let it download the robot; the hint names the command.",
)
RD_NOT_FOUND_IMPORT = RD_NOT_FOUND.variant(
    "cannot import robot_descriptions: {reason}", hint="run pip install robot_descriptions"
)
RD_NOT_FOUND_PACKAGE = RD_NOT_FOUND.variant(
    "the package robot_descriptions is not installed", hint="run pip install robot_descriptions"
)
RD_NOT_FOUND_FORM = RD_NOT_FOUND.variant(
    "invalid robot name {name!r}; use letters, digits and underscores",
    hint="write, say, rd://panda_description",
)
RD_NOT_FOUND_NAME = RD_NOT_FOUND.variant(
    "robot_descriptions has no robot {name}",
    hint="run robot_descriptions list for the available robots",
)
RD_NOT_FOUND_CACHE = RD_NOT_FOUND.variant(
    "robot {name} is not in the cache of robot_descriptions: there is no folder {folder}"
)
RD_NOT_FOUND_EXAMPLE = RD_NOT_FOUND.variant("example-robot-data has no URDF file named {name}")
RD_NOT_FOUND_NO_EXAMPLES = RD_NOT_FOUND.variant(
    "the package example-robot-data is not installed", hint="run pip install example-robot-data"
)
RD_NOT_FOUND_MENAGERIE = RD_NOT_FOUND.variant("mujoco-menagerie has no robot {name}: {reason}")
RD_NOT_FOUND_MENAGERIE_CACHE = RD_NOT_FOUND.variant(
    "robot {name} is not in the cache of mujoco-menagerie: there is no folder {folder}"
)
RD_NOT_FOUND_NO_MENAGERIE = RD_NOT_FOUND.variant(
    "the package mujoco-menagerie is not installed", hint="run pip install mujoco-menagerie"
)
OVERRIDES_APPLIED = repaired(
    "overrides.applied",
    "{item}: {key} was {old}, the overrides state {new}",
    meaning="The file of overrides changes a value of the source.",
)
OVERRIDES_KEY = invalid(
    "overrides.key",
    "unknown key {key!r} of {owner}",
    meaning="A table of the overrides has a key that it may not have.",
    remedy="Use one of the keys of the page on overrides.",
)
OVERRIDES_NAME = invalid(
    "overrides.name",
    "no {kind} is called {name!r}",
    meaning="A name or a pattern of the overrides matches no link, joint or collision.",
    remedy="Correct the name; `sdfbridge info` lists those of the model.",
)
OVERRIDES_SYNTAX = invalid(
    "overrides.syntax",
    "the overrides are not TOML: {reason}",
    meaning="The file of overrides is not well-formed TOML.",
    remedy="Correct the file.",
)
OVERRIDES_VALUE = invalid(
    "overrides.value",
    "{key} of {owner}: expected {expected}, not {value}",
    meaning="A value of the overrides is not what its key expects, or its joint cannot have it.",
    remedy="Correct the value.",
)
RESOURCE_NOT_FOUND = dropped(
    "resource.not-found",
    "cannot find {uri!r}; tried {tried}",
    meaning="The file that a URI names was not found in any of the places that the message lists.",
    remedy="Name the folder in `paths` or the package in `package_map`.",
    hint="add its folder to package_map or paths",
    leniency="the file is not used",
    effect=NO_EFFECT,
    harm=1,
)
RESOURCE_NOT_FOUND_FETCH = RESOURCE_NOT_FOUND.variant(
    hint="add its folder to package_map or paths, or download it with fetch=True"
)
RESOURCE_NOT_FOUND_SUBSTITUTION = RESOURCE_NOT_FOUND.variant(
    "{uri!r} contains a xacro substitution", hint="run xacro on the file first"
)
RESOURCE_NOT_FOUND_SCHEME = RESOURCE_NOT_FOUND.variant(
    "{uri!r} has the unknown scheme {scheme}://",
    hint="use package://, model:// or file://, or give folders for the scheme in schemes",
)
RESOURCE_NOT_FOUND_FUEL = RESOURCE_NOT_FOUND.variant(
    "{uri!r} is not the URI of a Fuel model, and other files are not downloaded",
    hint="download the file, and give its path",
)
RESOURCE_NOT_FOUND_NO_FOLDER = RESOURCE_NOT_FOUND.variant(
    "cannot find {uri!r}: there is no folder to search"
)
RESOURCE_NOT_FOUND_DOWNLOAD = RESOURCE_NOT_FOUND.variant("cannot download {uri!r}: {reason}")
RESOURCE_OUTSIDE = invalid(
    "resource.outside",
    "{uri!r} refers to {path}, which lies outside the model's folder, its packages and the given "
    "paths",
    meaning="A URI leads to a file outside the folders that the model may read.",
    remedy="Name its folder in `paths`, or pass `unsafe_paths=True` if you trust the file.",
    hint="add its folder to paths, or use unsafe_paths=True",
    leniency="the file is not used",
)
RESOURCE_OUTSIDE_READ = RESOURCE_OUTSIDE.variant("cannot read the file: {reason}", leniency="")
URDF_QUATERNION_VERSION = invalid(
    "urdf.quaternion-version",
    "quat_xyzw is part of URDF since version 1.1; the version of this file is {version}",
    meaning="An `<origin>` has a quaternion in a file of a version before 1.1, in which URDF has "
    "none, so that readers disagree on the rotation. Lenient loading ignores it, as urdfdom does.",
    remedy='State `version="1.1"` in `<robot>` if the quaternion is meant, or state the rotation '
    "in `rpy`.",
    hint='state version="1.1" in <robot>, or the rotation in rpy',
    leniency="it is ignored, and the rotation is that of rpy",
    harm=2,
)
URDF_HELD_ROOT = noted(
    "urdf.held-root",
    "root link {link} has a mass of 0, which fixes it to the world, as in PyBullet",
    meaning="The root link of a URDF states a mass of 0, which fixes it to the world, as in "
    "PyBullet. If links with mass are welded to it, this is an assumption: Drake lets them move.",
    remedy='Give the link its mass, or remove its `<inertial>`. `base="free"`, `--base free` or, '
    "in PyBullet, `useFixedBase=False` lets it move.",
    also=(Fate.ASSUMED,),
)
URDF_HELD_ROOT_OF_MASS = URDF_HELD_ROOT.variant(
    URDF_HELD_ROOT.message
    + "; simulators that add up welded links let it move with their {mass:g} kg",
    fate=Fate.ASSUMED,
    hint="remove its <inertial> if it moves, or weld it to a link named world if it does not",
)
URDF_SEVERAL_ROOTS = assumed(
    "urdf.several-roots",
    "{count:link has|links have} no parent: {links}; each is a floating base",
    meaning="The links form several trees, and a URDF should have one root link.",
    remedy="Connect the trees by joints.",
    hint="connect them by joints",
)
XML_DOCTYPE = invalid(
    "xml.doctype",
    "a DOCTYPE is not allowed",
    meaning="The file has a DOCTYPE declaration, which is refused because entities can expand "
    "without bound.",
    remedy="Remove the declaration and write out its entities.",
    hint="remove the DOCTYPE; entities are not supported",
)
XML_FOREIGN = noted(
    "xml.foreign",
    "{name} belongs to the namespace {prefix}; it is ignored",
    meaning="An element or attribute has the prefix of another program, so it is not read.",
)
XML_MENDED = noted(
    "xml.mended",
    "ignored errors in the XML: -- in a comment, space before the declaration, or text at the end",
    meaning="The file breaks a rule of XML that real files often break, such as `--` inside a "
    "comment, and is read nevertheless.",
    remedy="Correct the file so that strict XML parsers read it too.",
)
XML_MENDED_ACCEPTED = XML_MENDED.variant(
    "not well-formed XML ({reason}); read as TinyXML reads it, the parser of Gazebo, ROS and "
    "MuJoCo",
    fate=Fate.ASSUMED,
)
XML_MENDED_SAVED = XML_MENDED.variant(
    "read <...-string> in a URI as text: Gazebo saves the URIs of a model that came as text so, "
    "without escapes"
)
XML_MISSING = invalid(
    "xml.missing",
    "<{tag}> requires {required}",
    meaning="A required element or attribute is missing.",
    remedy="Add the element or attribute that the message names.",
)
XML_MISSING_CHILD = XML_MISSING.variant("<{tag}> requires a <{child}>")
XML_MISSING_MASS = XML_MISSING.variant("<inertial> requires a <mass>", leniency="it is left out")
XML_MISSING_MASS_OF_DENSITY = XML_MISSING_MASS.variant(
    leniency="the mass follows from the density of the collisions"
)
XML_NOT_A_FLAG = invalid(
    "xml.not-a-flag",
    "expected true or false in <{tag}>, not {value!r}",
    meaning="A value must be `true`, `false`, `1` or `0`, and is something else.",
    remedy="Write `true` or `false`.",
    also=(Fate.SKIPPED,),
)
XML_NOT_A_NUMBER = invalid(
    "xml.not-a-number",
    "expected a number in <{tag}>, not {word!r}",
    meaning="A value must be a number, and is something else.",
    remedy="Write a number with a decimal point and without units.",
    also=(Fate.SKIPPED,),
)
XML_NOT_A_VECTOR = invalid(
    "xml.not-a-vector",
    "expected {count:number|numbers}, not {text!r}",
    meaning="A list of numbers has too few or too many values.",
    remedy="Write as many numbers as the message states, separated by spaces.",
)
XML_NOT_A_VECTOR_COLOR = XML_NOT_A_VECTOR.variant(
    "expected 3 or 4 numbers in a color, got {count}", leniency="the color is ignored"
)
XML_NOT_FINITE = invalid(
    "xml.not-finite",
    "expected a finite number in <{tag}>, not {word!r}",
    meaning="A number is infinite or not a number where only a finite value makes sense.",
    remedy="Write a finite number.",
    also=(Fate.SKIPPED,),
)
XML_NOT_WHOLE = assumed(
    "xml.not-whole",
    "{key} must be a whole number, not {value:g}; using {integer}",
    meaning="A value must be a whole number and has a fraction, which is cut off.",
    remedy="Write a whole number.",
)
XML_OUT_OF_RANGE = invalid(
    "xml.out-of-range",
    "{name} is {value:g}; expected at least {minimum:g}",
    meaning="A number is outside the range that is allowed for it.",
    remedy="Choose a value inside the range that the message states.",
)
XML_OUT_OF_RANGE_COLOR = XML_OUT_OF_RANGE.variant(
    "color {color} is outside 0..1", leniency="the color is clipped"
)
XML_OUT_OF_RANGE_VECTOR = XML_OUT_OF_RANGE.variant(
    "<{key}> of a <{tag}> is {x:g} {y:g} {z:g}; expected numbers of at least 0",
    leniency="the default of SDFormat is used",
)
XML_OUT_OF_RANGE_PLANE = XML_OUT_OF_RANGE.variant("negative plane size {width:g} {depth:g}")
XML_OUT_OF_RANGE_HEIGHTMAP = XML_OUT_OF_RANGE.variant(
    "the size of a heightmap must be positive, not {size}", hint="state its extent in meters"
)
XML_OUT_OF_RANGE_RESTITUTION = XML_OUT_OF_RANGE.variant(
    "restitution_coefficient is {restitution:g}; expected at most 1"
)
XML_OUT_OF_RANGE_ABOVE = XML_OUT_OF_RANGE.variant(
    "<{tag}> is {value:g}; expected at most {maximum:g}"
)
XML_OUT_OF_RANGE_BOX = XML_OUT_OF_RANGE.variant(
    "the size {x:g} {y:g} {z:g} of a box must not be negative"
)
XML_REPEATED_ELEMENT = dropped(
    "xml.repeated-element",
    "repeated <{tag}>; only the first one is used",
    meaning="An element that may occur once occurs again; only the first one is used.",
    remedy="Remove the repeated element.",
    effect=Condition("the first of repeated elements counts"),
)
XML_SYNTAX = invalid(
    "xml.syntax",
    "the file is not well-formed XML: {reason} at column {column}",
    meaning="The file is not well-formed XML.",
    remedy="Correct the file at the line and column of the message, or check that it is the right "
    "file.",
    also=(Fate.SKIPPED,),
    hint="correct the XML there, or check that this is the right file",
)
XML_SYNTAX_OPEN_TAG = XML_SYNTAX.variant(
    "the file is not well-formed XML: {reason} at column {column}; the start tag <{tag}> of line "
    "{line} is still open there"
)
XML_SYNTAX_EMPTY = XML_SYNTAX.variant("the file is empty; expected an XML document")
XML_SYNTAX_ENCODING = XML_SYNTAX.variant("the file is not well-formed XML: {reason}", hint="")
XML_TRAILING_TEXT = assumed(
    "xml.trailing-text",
    "expected one number, not {text!r}; using {value}",
    meaning="More text follows the expected numbers and is ignored.",
    remedy="Remove the text after the numbers.",
)
XML_TRAILING_TEXT_IN_WORD = XML_TRAILING_TEXT.variant("{word!r} is not a number; using {digits}")
XML_TRAILING_TEXT_NUMBERS = XML_TRAILING_TEXT.variant(
    "expected {count:number|numbers}, not {words}; the others are ignored"
)
XML_UNREAD = dropped(
    "xml.unread",
    "unknown {kind} {name!r} of <{tag}>; it is ignored",
    meaning="An element or attribute is unknown and has no effect on the result.",
    remedy="Correct its spelling, or remove it.",
    effect=Condition("elements of the file that the reader does not know have no meaning"),
)
XML_UNREAD_POSE = invalid(
    "xml.unread-pose",
    "unknown {kind} {name!r} of <{tag}>, which may state a pose or a shape",
    meaning="An unknown element or attribute stands where a pose or a shape is stated, so the "
    "robot would have another form without it. One that contains only zeros is `xml.unread`.",
    remedy="Correct its spelling, or remove it.",
    leniency="it is ignored",
    harm=2,
)
