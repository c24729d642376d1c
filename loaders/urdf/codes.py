"""Codes of the readers of URDF, SRDF and xacro files."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "srdf.duplicate-state": CodeInfo(
        "Two states of a group have the same name; the second is not read.",
        "Rename one of them.",
        (Fate.DROPPED,),
    ),
    "srdf.empty-state": CodeInfo(
        "A state of a group names no joints.", "Add joints or remove it.", (Fate.DROPPED,)
    ),
    "srdf.not-used": CodeInfo(
        "An SRDF with the name of the robot's file lies beside it and is not used.",
        "Name it in `srdf` to use its collision filters and states.",
        (Fate.NOTED,),
    ),
    "srdf.planning": CodeInfo(
        "The element is for motion planning and does not affect the mechanics, so it is not read.",
        "",
        (Fate.NOTED,),
    ),
    "srdf.root": CodeInfo(
        "The root element is not `<robot>`, so the file is not SRDF.",
        "Check that it is the right file.",
        (Fate.INVALID,),
    ),
    "srdf.same-link": CodeInfo(
        "A pair of disabled collisions names one link twice; a link never collides with itself.",
        "Correct one of the names.",
        (Fate.ASSUMED,),
    ),
    "srdf.state-joint": CodeInfo(
        "A state has a position of a fixed, floating or other joint, which is not read.",
        "Set the position of such a joint in the simulator.",
        (Fate.DROPPED, Fate.NOTED),
    ),
    "srdf.state-value": CodeInfo(
        "The position of a joint in a state is not a finite number, or three for a planar joint.",
        "Correct the value.",
        (Fate.DROPPED,),
    ),
    "srdf.unknown-joint": CodeInfo(
        "A state names a joint that the robot does not have, such as a virtual joint.",
        "Correct the name.",
        (Fate.DROPPED,),
    ),
    "srdf.unknown-link": CodeInfo(
        "A pair of disabled collisions names an unknown link.", "Correct the name.", (Fate.DROPPED,)
    ),
    "urdf.actuator-ignored": CodeInfo(
        (
            "A transmission drives a joint that has several axes or an effort limit of zero, so "
            "its "
            "actuator is left out."
        ),
        "Give the joint an effort limit, or remove the transmission.",
        (Fate.DROPPED,),
    ),
    "urdf.appearance": CodeInfo(
        "The element only tells Gazebo how to draw, so it is not read.", "", (Fate.NOTED,)
    ),
    "urdf.canonical-body": CodeInfo(
        "`<canonicalBody>` is not read: the canonical link is the root link.", "", (Fate.NOTED,)
    ),
    "urdf.colour-range": CodeInfo(
        "A color component is outside 0 to 1 and is clipped.",
        "Write colors between 0 and 1.",
        (Fate.ASSUMED,),
    ),
    "urdf.continuous-limit": CodeInfo(
        "A continuous joint has position limits, which are ignored.",
        "Remove the limits, or make the joint revolute.",
        (Fate.ASSUMED,),
    ),
    "urdf.controller-setting": CodeInfo(
        "The element is for controllers and does not affect the mechanics, so it is not read.",
        "",
        (Fate.NOTED,),
    ),
    "urdf.duplicate-material": CodeInfo(
        (
            "A material is defined twice with different values; where it is only named, the first "
            "definition is used."
        ),
        "Rename one of the materials.",
        (Fate.ASSUMED,),
    ),
    "urdf.duplicate-name": CodeInfo(
        (
            "Two elements have the same name; links and joints cannot, shapes and actuators are "
            "renamed."
        ),
        "Rename one of them.",
        (Fate.INVALID, Fate.ASSUMED),
    ),
    "urdf.embedded-sdf": CodeInfo(
        "A `<gazebo>` element contains a part of a model in SDFormat, which is left out.",
        "Write the model in SDFormat.",
        (Fate.DROPPED,),
    ),
    "urdf.engine-setting": CodeInfo(
        "The element tunes the solver of one physics engine, so it is not read.", "", (Fate.NOTED,)
    ),
    "urdf.gazebo-pose": CodeInfo(
        (
            "A `<gazebo>` element states where Gazebo puts the robot; the root link stays at the "
            "origin."
        ),
        "Place the robot when you load it.",
        (Fate.DROPPED,),
    ),
    "urdf.inertia-scaling": CodeInfo(
        "PyBullet's `inertia_scaling` is not read; inertias stay as written.",
        "Write the scaled inertia.",
        (Fate.DROPPED,),
    ),
    "urdf.infinite-limit": CodeInfo(
        "A limit is infinite, which not every URDF reader accepts.",
        "Use a continuous joint, or a large finite limit.",
        (Fate.NOTED,),
    ),
    "urdf.joint-type": CodeInfo(
        "The joint type is unknown.",
        "Use one of the types that the message lists.",
        (Fate.INVALID,),
    ),
    "urdf.joint-type-extension": CodeInfo(
        (
            "The joint type `ball` or `spherical` is not in the specification; it is read as a "
            "ball "
            "joint."
        ),
        "",
        (Fate.NOTED,),
    ),
    "urdf.limit-ignored": CodeInfo(
        "Limits of this joint type are not defined and are ignored.",
        "Remove the limits.",
        (Fate.DROPPED,),
    ),
    "urdf.loop": CodeInfo(
        (
            "A joint connects a link with itself or closes a kinematic loop, which a URDF cannot "
            "express."
        ),
        "Remove the joint, or use SDFormat.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "urdf.mimic": CodeInfo(
        (
            "A joint mimics itself, an unknown joint, or a joint with another number of degrees of "
            "freedom."
        ),
        "Correct the name of the leader.",
        (Fate.INVALID,),
    ),
    "urdf.mimic-ignored": CodeInfo(
        "A joint that has no single degree of freedom cannot mimic another joint.",
        "Remove `<mimic>`.",
        (Fate.DROPPED,),
    ),
    "urdf.missing-inertia": CodeInfo(
        "A link has no `<inertial>`.", "Add mass and inertia to the link.", (Fate.ASSUMED,)
    ),
    "urdf.missing-limit": CodeInfo(
        (
            "A revolute or prismatic joint lacks a limit that the specification requires; the "
            "message states the "
            "value that is used."
        ),
        "State the limits, or make the joint continuous.",
        (Fate.ASSUMED,),
    ),
    "urdf.missing-name": CodeInfo(
        "The robot has no name; the message states the name that is used.",
        "Add a name to `<robot>`.",
        (Fate.ASSUMED,),
    ),
    "urdf.mujoco-options": CodeInfo(
        (
            "The `<mujoco>` of a URDF has options for MuJoCo's compiler, of which only the "
            "folders of "
            "meshes are used."
        ),
        "",
        (Fate.NOTED,),
    ),
    "urdf.no-links": CodeInfo(
        "The robot has no links, so the scene is empty.", "Add a link.", (Fate.ASSUMED,)
    ),
    "urdf.no-shape": CodeInfo(
        "A collision or visual has no known shape and is left out.",
        "Use one of the shapes that the hint lists.",
        (Fate.DROPPED,),
    ),
    "urdf.no-texture": CodeInfo(
        "A `<texture>` names no file.", "Add a file name, or remove the texture.", (Fate.NOTED,)
    ),
    "urdf.planar-damping": CodeInfo(
        "A planar joint states one damping, which is used for each of its three axes.",
        "Write three values, as Drake requires.",
        (Fate.NOTED,),
    ),
    "urdf.planar-friction": CodeInfo(
        "A planar joint states one friction, which is used for each of its three axes.",
        "",
        (Fate.ASSUMED,),
    ),
    "urdf.plugin": CodeInfo(
        "A plugin is code for another simulator, so it is not read.", "", (Fate.NOTED,)
    ),
    "urdf.quaternion-length": CodeInfo(
        "A quaternion is not of unit length and is divided by its length.",
        "Write the quaternion with more digits.",
        (Fate.ASSUMED,),
    ),
    "urdf.quaternion-version": CodeInfo(
        (
            "An `<origin>` has a quaternion in a file of a version before 1.1, in which URDF has "
            "none; it is ignored, "
            "as in urdfdom, and the rotation is that of `rpy`."
        ),
        (
            'State `version="1.1"` in `<robot>` if the quaternion is meant, or state the rotation '
            "in "
            "`rpy`."
        ),
        (Fate.DROPPED,),
    ),
    "urdf.reduction": CodeInfo(
        "The mechanical reduction of a transmission is not a number other than zero; 1 is used.",
        "Correct the reduction.",
        (Fate.ASSUMED,),
    ),
    "urdf.repeated-material": CodeInfo(
        "A material is defined again with the same values.",
        "Remove the second definition.",
        (Fate.NOTED,),
    ),
    "urdf.reversed-limit": CodeInfo(
        (
            "The lower limit of a joint is above the upper limit; the joint is read as unlimited, "
            "as "
            "in PyBullet."
        ),
        "Exchange the limits.",
        (Fate.ASSUMED,),
    ),
    "urdf.second-shape": CodeInfo(
        "A geometry has more than one shape; only the first is used.",
        "Make it a second collision or visual.",
        (Fate.DROPPED,),
    ),
    "urdf.several-roots": CodeInfo(
        "The links form several trees, and a URDF should have one root link.",
        "Connect the trees by joints.",
        (Fate.ASSUMED,),
    ),
    "urdf.srdf": CodeInfo(
        "The file is an SRDF, which describes groups and collisions of the robot of a URDF.",
        "Load the URDF, with `srdf=` or `--srdf` and this file.",
        (Fate.INVALID,),
    ),
    "urdf.transmission-extra": CodeInfo(
        "A simple transmission has more than one joint or actuator; only the first is used.",
        "Write one transmission for each joint.",
        (Fate.DROPPED,),
    ),
    "urdf.transmission-type": CodeInfo(
        "Only simple transmissions are supported; this one is left out.",
        "Use `SimpleTransmission`.",
        (Fate.DROPPED,),
    ),
    "urdf.two-parents": CodeInfo(
        "A link is the child of two joints, which a URDF cannot express.",
        "Remove one of the joints, or use SDFormat.",
        (Fate.INVALID,),
    ),
    "urdf.two-rotations": CodeInfo(
        "An `<origin>` has both `rpy` and `quat_xyzw`, of which URDF allows one.",
        "Remove one of them.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "urdf.unknown-joint": CodeInfo(
        "A transmission names an unknown joint.", "Correct the name.", (Fate.DROPPED,)
    ),
    "urdf.unknown-link": CodeInfo(
        "A joint names an unknown link.", "Correct the name.", (Fate.INVALID, Fate.SKIPPED)
    ),
    "urdf.unknown-material": CodeInfo(
        "A material has no color and is not defined before.",
        "Define the material, or state its color.",
        (Fate.ASSUMED,),
    ),
    "urdf.unknown-reference": CodeInfo(
        "A `<gazebo>` element refers to an unknown link or joint and has no effect.",
        "Correct the reference.",
        (Fate.DROPPED,),
    ),
    "urdf.version": CodeInfo(
        (
            "The version of a `<robot>` is not 1.0, 1.1 or 1.2; an older or unreadable one is "
            "read as 1.0, a newer one "
            "as 1.2."
        ),
        "State the version of URDF that the file has, or none for 1.0.",
        (Fate.ASSUMED,),
    ),
    "urdf.world-inertial": CodeInfo(
        "The link `world` is the world itself, so its mass is ignored.",
        "Remove the `<inertial>` of the link.",
        (Fate.ASSUMED,),
    ),
    "urdf.zero-axis": CodeInfo(
        "The axis of a joint is zero.", "Give the axis a direction, or remove it.", (Fate.INVALID,)
    ),
    "urdf.zero-normal": CodeInfo(
        "The normal of a plane is zero.", "Give the normal a direction.", (Fate.INVALID,)
    ),
    "urdf.zero-quaternion": CodeInfo(
        "A quaternion has only zeros, so it is no rotation.",
        "Write `0 0 0 1` for no rotation.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "urdf.zero-scale": CodeInfo(
        "The scale of a mesh has a component of zero, which makes the mesh flat.",
        "Write a scale other than zero.",
        (Fate.INVALID,),
    ),
    "xacro.expanded": CodeInfo(
        (
            "The file was expanded by xacro; other messages name places in its sources, also "
            "those in "
            "macros."
        ),
        "",
        (Fate.NOTED,),
    ),
    "xacro.failed": CodeInfo(
        "xacro cannot expand the file; the message has its error.",
        "Correct the file.",
        (Fate.INVALID,),
    ),
    "xacro.include-not-found": CodeInfo(
        (
            "A file that a xacro file includes, or its package, is not found; lenient loading "
            "leaves "
            "the include out."
        ),
        "Add the folder of the package to `paths` or `package_map`.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xacro.missing-argument": CodeInfo(
        (
            "An argument of a xacro file has no value; for lenient loading it is empty, and false "
            "as "
            "a condition."
        ),
        "Pass `xacro_args={'name': 'value'}`, or `name:=value` on the command line.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xacro.not-allowed": CodeInfo(
        "Expanding a xacro file runs code that it contains, which is not allowed by default.",
        "Pass `allow_xacro=True` or `--xacro` if you trust the file.",
        (Fate.INVALID,),
    ),
    "xacro.not-installed": CodeInfo(
        "The package xacro is not installed.",
        'Run `pip install "sdfbridge[xacro]"`.',
        (Fate.INVALID,),
    ),
    "xacro.unknown-macro": CodeInfo(
        "A macro is called that no file defines; lenient loading leaves the call out.",
        "Correct the name, or include the file that defines it.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
}
