"""Codes of input files, XML, meshes, Gazebo plugins, and of the checks of every scene."""

from __future__ import annotations

from .diagnostics import CodeInfo, Fate

CODES = {
    "file.archive": CodeInfo(
        "An archive of MJCF is damaged, has no main model, or has a member that is not read.",
        "Unpack the archive, or write it again with plain files and the model as `model.xml`.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "file.compressed": CodeInfo(
        "The file is compressed with gzip, or is a ZIP archive in place of a model.",
        "Unpack the file first.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "file.include-cycle": CodeInfo(
        "A file includes itself, directly or through other files.",
        "Remove one of the includes that the message lists.",
        (Fate.INVALID,),
    ),
    "file.limit": CodeInfo(
        "The load, with all files together, exceeds the limit that the message names.",
        (
            "Check that the file is not hostile; raise the limit with `limits=Limits(...)` if you "
            "trust it."
        ),
        (Fate.INVALID,),
    ),
    "file.not-regular": CodeInfo(
        "A file is a named pipe, a socket or a device.",
        "Replace it by a regular file.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "file.reader": CodeInfo(
        (
            "The reader of another package, registered for the root element, cannot be imported or "
            "fails."
        ),
        "Report this to the authors of the package.",
        (Fate.INVALID,),
    ),
    "file.too-large": CodeInfo(
        "The file has more bytes, more elements or deeper nesting than the reader allows.",
        "Split the file into several that include each other.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "file.unknown-format": CodeInfo(
        "The root element belongs to no known format.",
        (
            "Check that the file is SDFormat, URDF, a Drake directives file or another supported "
            "format."
        ),
        (Fate.INVALID,),
    ),
    "file.unlisted": CodeInfo(
        "There are more diagnostics than the limit; the rest is counted.",
        (
            "Correct the problems that are listed, or raise the limit with "
            "`limits=Limits(diagnostics=...)`."
        ),
        (Fate.NOTED,),
    ),
    "file.unreadable": CodeInfo(
        "The file does not exist or cannot be read.",
        "Check the path and the permissions of the file.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "gazebo.added-mass": CodeInfo(
        "The added mass in a plugin of Gazebo is left out; its buoyancy and drag are.",
        (
            "State `<fluid_added_mass>` in the `<inertial>`, or give the link more mass where it "
            "moves along one line."
        ),
        (Fate.DROPPED,),
    ),
    "gazebo.controller": CodeInfo(
        "A plugin of Gazebo controls joints; they have actuators with its gains.",
        "Command the actuators of the simulator.",
        (Fate.NOTED,),
    ),
    "gazebo.fluid": CodeInfo(
        (
            "A plugin of Gazebo acts on links with buoyancy, drag or lift, which are forces of the "
            "scene."
        ),
        (
            "Pass `bridge.passive_forces(...)` to `mujoco.set_mjcb_passive`; in PyBullet call "
            "`step()` of the handle."
        ),
        (Fate.NOTED,),
    ),
    "gazebo.gain": CodeInfo(
        "A gain of a plugin's controller has no counterpart in an actuator.",
        "Add this part of the control in the loop of the simulation.",
        (Fate.APPROXIMATED,),
    ),
    "gazebo.joint": CodeInfo(
        "A plugin drives a joint that the model has not, or that has not one degree of freedom.",
        "Correct the name of the joint.",
        (Fate.DROPPED,),
    ),
    "gazebo.plugin-moves": CodeInfo(
        "A plugin of Gazebo moves something, and does not run in another simulator.",
        "Apply its forces or motions in the loop of the simulation.",
        (Fate.DROPPED,),
    ),
    "gazebo.publisher": CodeInfo(
        (
            "A plugin of Gazebo publishes joint states or odometry; the export to MJCF has sensors "
            "for them."
        ),
        "",
        (Fate.NOTED,),
    ),
    "mesh.embedded-texture": CodeInfo(
        "A texture inside the mesh file is left out.",
        "Store the texture as a file beside the mesh.",
        (Fate.NOTED,),
    ),
    "mesh.implausible-size": CodeInfo(
        (
            "The size of a mesh differs by a factor of more than 100 from the joint offsets of its "
            "model."
        ),
        "Check the unit of the mesh and set its scale, for example 0.001 for millimeters.",
        (Fate.ASSUMED,),
    ),
    "mesh.incomplete": CodeInfo(
        "Parts of a COLLADA file are broken and are left out.",
        "Export the mesh again, or repair the file.",
        (Fate.DROPPED, Fate.NOTED),
    ),
    "mesh.mended": CodeInfo(
        (
            "A COLLADA file is not well-formed, for example `<` in a value, and was mended before "
            "reading."
        ),
        "Correct the file.",
        (Fate.ASSUMED,),
    ),
    "mesh.missing-texture": CodeInfo(
        "A texture that the mesh names is not in a folder near the mesh.",
        "Copy the texture to the folder of the mesh.",
        (Fate.NOTED,),
    ),
    "mesh.outside": CodeInfo(
        (
            "A mesh names a material library outside the folders in which its files may lie; it is "
            "not opened."
        ),
        "Copy the material library to the folder of the mesh.",
        (Fate.NOTED,),
    ),
    "mesh.unreadable": CodeInfo(
        "The mesh file cannot be read, so the shape is left out.",
        "Export the mesh again, in OBJ, STL, COLLADA or glTF.",
        (Fate.DROPPED,),
    ),
    "mesh.up-axis": CodeInfo(
        (
            "A COLLADA file declares another axis than Z as up; the message states whether the "
            "mesh "
            "was rotated."
        ),
        "Export the mesh with Z up and with a unit.",
        (Fate.ASSUMED,),
    ),
    "model.bad-number": CodeInfo(
        "A scene that was changed in Python has a number that is infinite or not a number, an "
        "axis that is not "
        "a unit vector, or a matrix that is not a rotation.",
        "Correct the number; divide the axis by its length; make the rotation orthonormal.",
        (Fate.INVALID,),
    ),
    "model.duplicate-name": CodeInfo(
        "A scene that was changed in Python has two links or two joints of one name.",
        "Give each a name of its own.",
        (Fate.INVALID,),
    ),
    "model.impossible-inertia": CodeInfo(
        (
            "The inertia of a link belongs to no real body: it is not positive or violates the "
            "triangle inequality."
        ),
        'Correct the inertia, or let the export repair it with `inertia="repair"`.',
        (Fate.ASSUMED,),
    ),
    "model.parallel-axes": CodeInfo(
        (
            "The two axes of a universal or revolute2 joint are parallel, so that the mass matrix "
            "is "
            "singular."
        ),
        "Give the axes different directions.",
        (Fate.ASSUMED,),
    ),
    "model.pose-against-joint": CodeInfo(
        (
            "The pose of a link in a scene that was changed in Python is not the one that its "
            "joint "
            "gives it at zero."
        ),
        (
            "Set `X_WL` of the link to `X_WL` of the parent `@ X_PJ @ X_CJ.inverse()`, or correct "
            "the "
            "frames of the joint."
        ),
        (Fate.ASSUMED,),
    ),
    "model.repaired-inertia": CodeInfo(
        "Lenient loading replaced an inertia that no body can have by the nearest valid one.",
        "Correct the inertia.",
        (Fate.SKIPPED,),
    ),
    "model.shape-size": CodeInfo(
        "A dimension of a shape is too large for the arithmetic of physics engines.",
        "State the size in meters.",
        (Fate.INVALID,),
    ),
    "model.skew-axes": CodeInfo(
        "The axes of a universal joint are not perpendicular; they are kept as written.",
        "Make the axes perpendicular, or use the joint type `revolute2`.",
        (Fate.ASSUMED,),
    ),
    "model.unknown-name": CodeInfo(
        "A joint of a scene that was changed in Python names a link that does not exist.",
        "Add the link, or correct the name.",
        (Fate.INVALID,),
    ),
    "model.zero-size": CodeInfo(
        "A dimension of a shape is 0, so that it has no volume; MuJoCo refuses such a shape.",
        "Give the shape a positive size, or remove it.",
        (Fate.ASSUMED,),
    ),
    "rd.not-found": CodeInfo(
        (
            "The robot is not in the cache of the package robot_descriptions, or the package is "
            "not "
            "installed."
        ),
        "Install robot_descriptions and run `robot_descriptions pull` with the name of the robot.",
        (Fate.INVALID,),
    ),
    "resource.not-found": CodeInfo(
        "The file that a URI names was not found in any of the places that the message lists.",
        "Name the folder in `paths` or the package in `package_map`.",
        (Fate.DROPPED,),
    ),
    "resource.outside": CodeInfo(
        "A URI leads to a file outside the folders that the model may read.",
        "Name its folder in `paths`, or pass `unsafe_paths=True` if you trust the file.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.doctype": CodeInfo(
        (
            "The file has a DOCTYPE declaration, which is refused because entities can expand "
            "without "
            "bound."
        ),
        "Remove the declaration and write out its entities.",
        (Fate.INVALID,),
    ),
    "xml.foreign": CodeInfo(
        "An element or attribute has the prefix of another program, so it is not read.",
        "",
        (Fate.NOTED,),
    ),
    "xml.mended": CodeInfo(
        (
            "The file breaks a rule of XML that real files often break, such as `--` inside a "
            "comment, and is read "
            "nevertheless."
        ),
        "Correct the file so that strict XML parsers read it too.",
        (Fate.NOTED,),
    ),
    "xml.missing": CodeInfo(
        "A required element or attribute is missing.",
        "Add the element or attribute that the message names.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-a-flag": CodeInfo(
        "A value must be `true`, `false`, `1` or `0`, and is something else.",
        "Write `true` or `false`.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-a-number": CodeInfo(
        "A value must be a number, and is something else.",
        "Write a number with a decimal point and without units.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-a-vector": CodeInfo(
        "A list of numbers has too few or too many values.",
        "Write as many numbers as the message states, separated by spaces.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-finite": CodeInfo(
        "A number is infinite or not a number where only a finite value makes sense.",
        "Write a finite number.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-whole": CodeInfo(
        "A value must be a whole number and has a fraction, which is cut off.",
        "Write a whole number.",
        (Fate.ASSUMED,),
    ),
    "xml.out-of-range": CodeInfo(
        "A number is outside the range that is allowed for it.",
        "Choose a value inside the range that the message states.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.repeated-element": CodeInfo(
        "An element that may occur once occurs again; only the first one is used.",
        "Remove the repeated element.",
        (Fate.DROPPED,),
    ),
    "xml.syntax": CodeInfo(
        "The file is not well-formed XML.",
        (
            "Correct the file at the line and column of the message, or check that it is the right "
            "file."
        ),
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.trailing-text": CodeInfo(
        "More text follows the expected numbers and is ignored.",
        "Remove the text after the numbers.",
        (Fate.ASSUMED,),
    ),
    "xml.unread": CodeInfo(
        "An element or attribute is unknown and has no effect on the result.",
        "Correct its spelling, or remove it.",
        (Fate.DROPPED,),
    ),
    "xml.unread-pose": CodeInfo(
        (
            "An unknown element or attribute stands where a pose or a shape is stated, so the "
            "robot would have another "
            "form without it. One that contains only zeros is `xml.unread`."
        ),
        "Correct its spelling, or remove it.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
}
