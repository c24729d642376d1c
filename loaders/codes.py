"""Codes of input files, XML, meshes, Gazebo plugins, and of the checks of every scene."""

from __future__ import annotations

from loaders.diagnostics import Code, Fate

DRAKE_DUPLICATE_GROUP = Code(
    "drake.duplicate-group",
    Fate.INVALID,
    "duplicate filter group name {group}",
    meaning="Two collision filter groups have the same full name.",
    remedy="Rename one of them.",
    hint="rename one of them",
)
DRAKE_UNKNOWN_GROUP = Code(
    "drake.unknown-group",
    Fate.INVALID,
    "unknown filter group {group!r}",
    meaning="A collision filter group of this name does not exist when everything is loaded.",
    remedy="Correct the name.",
)
FILE_ARCHIVE = Code(
    "file.archive",
    Fate.INVALID,
    "",
    meaning="An archive of MJCF is damaged, has no main model, or has a member that is not read.",
    remedy="Unpack the archive, or write it again with plain files and the model as `model.xml`.",
    also=(Fate.SKIPPED,),
)
FILE_COMPRESSED = Code(
    "file.compressed",
    Fate.INVALID,
    "the file is compressed",
    meaning="The file is compressed with gzip, or is a ZIP archive in place of a model.",
    remedy="Unpack the file first.",
    hint="decompress it first",
    also=(Fate.SKIPPED,),
)
FILE_INCLUDE_CYCLE = Code(
    "file.include-cycle",
    Fate.INVALID,
    "the file includes itself, or files are nested too deep: {chain}",
    meaning="A file includes itself, directly or through other files.",
    remedy="Remove one of the includes that the message lists.",
)
FILE_INCLUDE_CYCLE_2 = FILE_INCLUDE_CYCLE.variant(
    "the model attaches itself, or models are nested too deep: {chain}"
)
FILE_LIMIT = Code(
    "file.limit",
    Fate.INVALID,
    "",
    meaning="The load, with all files together, exceeds the limit that the message names.",
    remedy=(
        "Check that the file is not hostile; raise the limit with `limits=Limits(...)` if you "
        "trust it."
    ),
)
FILE_NOT_REGULAR = Code(
    "file.not-regular",
    Fate.INVALID,
    "",
    meaning="A file is a named pipe, a socket or a device.",
    remedy="Replace it by a regular file.",
    also=(Fate.SKIPPED,),
)
FILE_READER = Code(
    "file.reader",
    Fate.INVALID,
    "{reason}",
    meaning=(
        "The reader of another package, registered for the root element, cannot be imported "
        "or fails."
    ),
    remedy="Report this to the authors of the package.",
)
FILE_READER_2 = FILE_READER.variant("{reason}", hint="report this to the authors of the package")
FILE_TOO_LARGE = Code(
    "file.too-large",
    Fate.INVALID,
    "",
    meaning="The file has more bytes, more elements or deeper nesting than the reader allows.",
    remedy="Split the file into several that include each other.",
    also=(Fate.SKIPPED,),
)
FILE_UNKNOWN_FORMAT = Code(
    "file.unknown-format",
    Fate.INVALID,
    "unknown root element <{tag}>; expected one of: {known}",
    meaning="The root element belongs to no known format.",
    remedy=(
        "Check that the file is SDFormat, URDF, a Drake directives file or another supported "
        "format."
    ),
)
FILE_UNLISTED = Code(
    "file.unlisted",
    Fate.NOTED,
    "",
    meaning="There are more diagnostics than the limit; the rest is counted.",
    remedy=(
        "Correct the problems that are listed, or raise the limit with "
        "`limits=Limits(diagnostics=...)`."
    ),
)
FILE_UNREADABLE = Code(
    "file.unreadable",
    Fate.INVALID,
    "cannot read the file: it is neither in {present} nor in one of paths={folders}",
    meaning="The file does not exist or cannot be read.",
    remedy="Check the path and the permissions of the file.",
    hint=(
        "pass the folder that you gave to setAdditionalSearchPath, which PyBullet does not tell, "
        "in paths"
    ),
    also=(Fate.SKIPPED,),
)
GAZEBO_ADDED_MASS = Code(
    "gazebo.added-mass",
    Fate.DROPPED,
    (
        "the added mass of link {link} in plugin {plugin} is left out: {values}; without it the "
        "link, "
        "if it is free, accelerates up to {ratio:.4g} times as fast as in Gazebo"
    ),
    meaning="The added mass in a plugin of Gazebo is left out; its buoyancy and drag are.",
    remedy=(
        "State `<fluid_added_mass>` in the `<inertial>`, or give the link more mass where it "
        "moves along one line."
    ),
    hint="state <fluid_added_mass> in the <inertial>",
)
GAZEBO_CONTROLLER = Code(
    "gazebo.controller",
    Fate.NOTED,
    "plugin {plugin} commands the {command} of joints {joints}, which have actuators{law}",
    meaning="A plugin of Gazebo controls joints; they have actuators with its gains.",
    remedy="Command the actuators of the simulator.",
)
GAZEBO_FLUID = Code(
    "gazebo.fluid",
    Fate.NOTED,
    "plugin {plugin} acts on links {links} with the {kind} of a fluid",
    meaning=(
        "A plugin of Gazebo acts on links with buoyancy, drag or lift, which are forces of "
        "the scene."
    ),
    remedy=(
        "Pass `bridge.passive_forces(...)` to `mujoco.set_mjcb_passive`; in PyBullet call "
        "`step()` of the handle."
    ),
    hint="bridge.passive_forces adds these forces in MuJoCo, and step() in PyBullet",
)
GAZEBO_GAIN = Code(
    "gazebo.gain",
    Fate.APPROXIMATED,
    "the controller of plugin {plugin} is kept without its {gains}",
    meaning="A gain of a plugin's controller has no counterpart in an actuator.",
    remedy="Add this part of the control in the loop of the simulation.",
)
GAZEBO_JOINT = Code(
    "gazebo.joint",
    Fate.DROPPED,
    "plugin {plugin} drives joint {joint}, which is {reason}; ignored",
    meaning=(
        "A plugin drives a joint that the model has not, or that has not one degree of freedom."
    ),
    remedy="Correct the name of the joint.",
)
GAZEBO_PLUGIN_MOVES = Code(
    "gazebo.plugin-moves",
    Fate.DROPPED,
    "plugin {plugin} does not run here; in Gazebo it would {effect}",
    meaning="A plugin of Gazebo moves something, and does not run in another simulator.",
    remedy="Apply its forces or motions in the loop of the simulation.",
    hint="apply these forces or motions in the loop of the simulation",
)
GAZEBO_PUBLISHER = Code(
    "gazebo.publisher",
    Fate.NOTED,
    "plugin {plugin} publishes {quantities} of {items}, for which the export to MJCF has sensors",
    meaning=(
        "A plugin of Gazebo publishes joint states or odometry; the export to MJCF has "
        "sensors for them."
    ),
)
MESH_EMBEDDED_TEXTURE = Code(
    "mesh.embedded-texture",
    Fate.NOTED,
    "",
    meaning="A texture inside the mesh file is left out.",
    remedy="Store the texture as a file beside the mesh.",
)
MESH_IMPLAUSIBLE_SIZE = Code(
    "mesh.implausible-size",
    Fate.ASSUMED,
    "mesh {uri} is {size:g} m large, but the longest joint offset of its model is {offset:g} m",
    meaning=(
        "The size of a mesh differs by a factor of more than 100 from the joint offsets of "
        "its model."
    ),
    remedy="Check the unit of the mesh and set its scale, for example 0.001 for millimeters.",
    hint="if the mesh is in millimeters or inches, set its scale to 0.001 or 0.0254",
)
MESH_INCOMPLETE = Code(
    "mesh.incomplete",
    Fate.DROPPED,
    "",
    meaning="Parts of a COLLADA file are broken and are left out.",
    remedy="Export the mesh again, or repair the file.",
    also=(Fate.NOTED,),
)
MESH_MENDED = Code(
    "mesh.mended",
    Fate.ASSUMED,
    "",
    meaning=(
        "A COLLADA file is not well-formed, for example `<` in a value, and was mended before "
        "reading."
    ),
    remedy="Correct the file.",
)
MESH_MISSING_TEXTURE = Code(
    "mesh.missing-texture",
    Fate.NOTED,
    "",
    meaning="A texture that the mesh names is not in a folder near the mesh.",
    remedy="Copy the texture to the folder of the mesh.",
)
MESH_OUTSIDE = Code(
    "mesh.outside",
    Fate.NOTED,
    "",
    meaning=(
        "A mesh names a material library outside the folders in which its files may lie; it "
        "is not opened."
    ),
    remedy="Copy the material library to the folder of the mesh.",
)
MESH_UNREADABLE = Code(
    "mesh.unreadable",
    Fate.DROPPED,
    "cannot read the mesh: {reason}",
    meaning="The mesh file cannot be read, so the shape is left out.",
    remedy="Export the mesh again, in OBJ, STL, COLLADA or glTF.",
)
MESH_UP_AXIS = Code(
    "mesh.up-axis",
    Fate.ASSUMED,
    "",
    meaning=(
        "A COLLADA file declares another axis than Z as up; the message states whether the "
        "mesh was rotated."
    ),
    remedy="Export the mesh with Z up and with a unit.",
)
MODEL_BAD_NUMBER = Code(
    "model.bad-number",
    Fate.INVALID,
    "",
    meaning=(
        "A scene that was changed in Python has a number that is infinite or not a number, an "
        "axis that is not a unit vector, or a matrix that is not a rotation."
    ),
    remedy="Correct the number; divide the axis by its length; make the rotation orthonormal.",
)
MODEL_DUPLICATE_NAME = Code(
    "model.duplicate-name",
    Fate.INVALID,
    "{count} {kind}s of the scene are named {name}",
    meaning="A scene that was changed in Python has two links or two joints of one name.",
    remedy="Give each a name of its own.",
    hint=(
        "give each link and each joint a name of its own, with dataclasses.replace(item, name=...)"
    ),
)
MODEL_IMPOSSIBLE_INERTIA = Code(
    "model.impossible-inertia",
    Fate.ASSUMED,
    "the inertia of link {link} is not physically valid: {defect}",
    meaning=(
        "The inertia of a link belongs to no real body: it is not positive or violates the "
        "triangle inequality."
    ),
    remedy='Correct the inertia, or let the export repair it with `inertia="repair"`.',
    hint="correct the inertia, or let the export repair it",
)
MODEL_PARALLEL_AXES = Code(
    "model.parallel-axes",
    Fate.ASSUMED,
    "the two axes of {type} joint {joint} are parallel; the mass matrix is singular",
    meaning=(
        "The two axes of a universal or revolute2 joint are parallel, so that the mass matrix "
        "is singular."
    ),
    remedy="Give the axes different directions.",
    hint="choose different directions for axis and axis2",
)
MODEL_POSE_AGAINST_JOINT = Code(
    "model.pose-against-joint",
    Fate.ASSUMED,
    (
        "joint {joint} puts link {link} {distance:.3g} m and {angle:.3g} rad from its pose X_WL at "
        "zero; engines place it by the joint"
    ),
    meaning=(
        "The pose of a link in a scene that was changed in Python is not the one that its "
        "joint gives it at zero."
    ),
    remedy=(
        "Set `X_WL` of the link to `X_WL` of the parent `@ X_PJ @ X_CJ.inverse()`, or correct "
        "the frames of the joint."
    ),
    hint=(
        "set X_WL of the link to X_WL of the parent @ X_PJ @ X_CJ.inverse(), or correct X_PJ or "
        "X_CJ"
    ),
)
MODEL_REPAIRED_INERTIA = Code(
    "model.repaired-inertia",
    Fate.SKIPPED,
    (
        "the inertia of link {link} is not physically valid: {defects}; using the nearest valid "
        "one, "
        "whose mass differs by {mass:.3g} kg and whose moments differ by at most {change:.3g} kg "
        "m^2 "
        "({percent:.3g} % of the largest)"
    ),
    meaning="Lenient loading replaced an inertia that no body can have by the nearest valid one.",
    remedy="Correct the inertia.",
    hint="correct the inertia",
    leniency="the inertia of link {link} is changed by {percent:.3g} %",
)
MODEL_SHAPE_SIZE = Code(
    "model.shape-size",
    Fate.INVALID,
    "shape {shape} measures {size:g} m; engines compute with up to {limit:g} m",
    meaning="A dimension of a shape is too large for the arithmetic of physics engines.",
    remedy="State the size in meters.",
    hint="state the size in meters",
)
MODEL_SKEW_AXES = Code(
    "model.skew-axes",
    Fate.ASSUMED,
    "the axes of universal joint {joint} are not perpendicular; used as given",
    meaning="The axes of a universal joint are not perpendicular; they are kept as written.",
    remedy="Make the axes perpendicular, or use the joint type `revolute2`.",
    hint="make the axes perpendicular, or use a revolute2 joint",
)
MODEL_UNKNOWN_NAME = Code(
    "model.unknown-name",
    Fate.INVALID,
    "{name!r} is the {end} of joint {joint}, but the scene has no such link",
    meaning="A joint of a scene that was changed in Python names a link that does not exist.",
    remedy="Add the link, or correct the name.",
    hint="add it to the links of the scene, or correct the name",
)
MODEL_ZERO_SIZE = Code(
    "model.zero-size",
    Fate.ASSUMED,
    "shape {shape} has a dimension of 0: {sizes}; used as given, but MuJoCo leaves it out",
    meaning="A dimension of a shape is 0, so that it has no volume; MuJoCo refuses such a shape.",
    remedy="Give the shape a positive size, or remove it.",
    hint="give it a positive size, or remove it",
)
RD_NOT_FOUND = Code(
    "rd.not-found",
    Fate.INVALID,
    "",
    meaning=(
        "The robot is not in the cache of the package robot_descriptions, or the package is "
        "not installed."
    ),
    remedy=(
        "Install robot_descriptions and run `robot_descriptions pull` with the name of the robot."
    ),
)
RESOURCE_NOT_FOUND = Code(
    "resource.not-found",
    Fate.DROPPED,
    "",
    meaning="The file that a URI names was not found in any of the places that the message lists.",
    remedy="Name the folder in `paths` or the package in `package_map`.",
)
RESOURCE_OUTSIDE = Code(
    "resource.outside",
    Fate.INVALID,
    "",
    meaning="A URI leads to a file outside the folders that the model may read.",
    remedy="Name its folder in `paths`, or pass `unsafe_paths=True` if you trust the file.",
    also=(Fate.SKIPPED,),
)
XML_DOCTYPE = Code(
    "xml.doctype",
    Fate.INVALID,
    "",
    meaning=(
        "The file has a DOCTYPE declaration, which is refused because entities can expand "
        "without bound."
    ),
    remedy="Remove the declaration and write out its entities.",
)
XML_FOREIGN = Code(
    "xml.foreign",
    Fate.NOTED,
    "{name} belongs to the namespace {prefix}; ignored",
    meaning="An element or attribute has the prefix of another program, so it is not read.",
)
XML_MENDED = Code(
    "xml.mended",
    Fate.NOTED,
    "ignored errors in the XML: -- in a comment, space before the declaration, or text at the end",
    meaning=(
        "The file breaks a rule of XML that real files often break, such as `--` inside a "
        "comment, and is read nevertheless."
    ),
    remedy="Correct the file so that strict XML parsers read it too.",
)
XML_MISSING = Code(
    "xml.missing",
    Fate.INVALID,
    "<{tag}> requires {required}",
    meaning="A required element or attribute is missing.",
    remedy="Add the element or attribute that the message names.",
    also=(Fate.SKIPPED,),
)
XML_MISSING_2 = XML_MISSING.variant("<joint> requires a <{child}>")
XML_MISSING_3 = XML_MISSING.variant("<transmission> requires a <{child}>")
XML_NOT_A_FLAG = Code(
    "xml.not-a-flag",
    Fate.INVALID,
    "expected true or false in <{tag}>, not {value!r}",
    meaning="A value must be `true`, `false`, `1` or `0`, and is something else.",
    remedy="Write `true` or `false`.",
    also=(Fate.SKIPPED,),
)
XML_NOT_A_NUMBER = Code(
    "xml.not-a-number",
    Fate.INVALID,
    "expected a number in <{tag}>, not {word!r}",
    meaning="A value must be a number, and is something else.",
    remedy="Write a number with a decimal point and without units.",
    also=(Fate.SKIPPED,),
)
XML_NOT_A_VECTOR = Code(
    "xml.not-a-vector",
    Fate.INVALID,
    "expected {count} numbers, not {text!r}",
    meaning="A list of numbers has too few or too many values.",
    remedy="Write as many numbers as the message states, separated by spaces.",
    also=(Fate.SKIPPED,),
)
XML_NOT_FINITE = Code(
    "xml.not-finite",
    Fate.INVALID,
    "expected a finite number in <{tag}>, not {word!r}",
    meaning="A number is infinite or not a number where only a finite value makes sense.",
    remedy="Write a finite number.",
    also=(Fate.SKIPPED,),
)
XML_NOT_WHOLE = Code(
    "xml.not-whole",
    Fate.ASSUMED,
    "{key} must be a whole number, not {value:g}; using {integer}",
    meaning="A value must be a whole number and has a fraction, which is cut off.",
    remedy="Write a whole number.",
)
XML_OUT_OF_RANGE = Code(
    "xml.out-of-range",
    Fate.INVALID,
    "{name} is {value:g}; expected at least {minimum:g}",
    meaning="A number is outside the range that is allowed for it.",
    remedy="Choose a value inside the range that the message states.",
    also=(Fate.SKIPPED,),
)
XML_OUT_OF_RANGE_2 = XML_OUT_OF_RANGE.variant(
    "<{key}> of a <{tag}> is {x:g} {y:g} {z:g}; expected numbers of at least 0",
    leniency="the default of SDFormat is used",
)
XML_OUT_OF_RANGE_3 = XML_OUT_OF_RANGE.variant("negative plane size {width:g} {depth:g}")
XML_OUT_OF_RANGE_4 = XML_OUT_OF_RANGE.variant(
    "the size of a heightmap must be positive, not {size}", hint="state its extent in meters"
)
XML_OUT_OF_RANGE_5 = XML_OUT_OF_RANGE.variant(
    "restitution_coefficient is {restitution:g}; expected at most 1"
)
XML_OUT_OF_RANGE_6 = XML_OUT_OF_RANGE.variant("<{tag}> is {value:g}; expected at most {maximum:g}")
XML_OUT_OF_RANGE_7 = XML_OUT_OF_RANGE.variant(
    "the size {x:g} {y:g} {z:g} of a box must not be negative"
)
XML_OUT_OF_RANGE_8 = XML_OUT_OF_RANGE.variant("damping and friction must not be negative")
XML_REPEATED_ELEMENT = Code(
    "xml.repeated-element",
    Fate.DROPPED,
    "repeated <{tag}>; only the first one is used",
    meaning="An element that may occur once occurs again; only the first one is used.",
    remedy="Remove the repeated element.",
)
XML_SYNTAX = Code(
    "xml.syntax",
    Fate.INVALID,
    "",
    meaning="The file is not well-formed XML.",
    remedy=(
        "Correct the file at the line and column of the message, or check that it is the right "
        "file."
    ),
    also=(Fate.SKIPPED,),
)
XML_TRAILING_TEXT = Code(
    "xml.trailing-text",
    Fate.ASSUMED,
    "expected one number, not {text!r}; using {value}",
    meaning="More text follows the expected numbers and is ignored.",
    remedy="Remove the text after the numbers.",
)
XML_TRAILING_TEXT_2 = XML_TRAILING_TEXT.variant("{word!r} is not a number; using {digits}")
XML_TRAILING_TEXT_3 = XML_TRAILING_TEXT.variant(
    "expected {count} numbers, not {words}; using the first {count}"
)
XML_UNREAD = Code(
    "xml.unread",
    Fate.DROPPED,
    "unknown {kind} {name!r} of <{tag}>; ignored",
    meaning="An element or attribute is unknown and has no effect on the result.",
    remedy="Correct its spelling, or remove it.",
)
XML_UNREAD_POSE = Code(
    "xml.unread-pose",
    Fate.INVALID,
    "unknown {kind} {name!r} of <{tag}>, which may state a pose or a shape",
    meaning=(
        "An unknown element or attribute stands where a pose or a shape is stated, so the "
        "robot would have another form without it. One that contains only zeros is "
        "`xml.unread`."
    ),
    remedy="Correct its spelling, or remove it.",
    also=(Fate.SKIPPED,),
    leniency="it is ignored",
)
