"""Codes of the SDFormat reader."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "sdf.actor": CodeInfo(
        "An actor is an animation without a body, so it is not read.", "", (Fate.NOTED,)
    ),
    "sdf.appearance": CodeInfo(
        "The element only affects how something looks or sounds, so it is not read.",
        "",
        (Fate.NOTED,),
    ),
    "sdf.attached-to": CodeInfo(
        "`attached_to` names no frame, link, joint or model in its scope.",
        "Correct the name.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.attached-to-cycle": CodeInfo(
        "A frame or joint is attached to itself through other frames or joints.",
        "Attach one of them to a link.",
        (Fate.INVALID,),
    ),
    "sdf.auto-inertia-ignores": CodeInfo(
        (
            "The inertia is computed from the collisions, so the pose and the moments in the file "
            "are "
            "ignored."
        ),
        "Remove the pose and the moments, or remove `auto`.",
        (Fate.NOTED,),
    ),
    "sdf.auto-inertia-no-collision": CodeInfo(
        (
            "The inertia is to be computed from the collisions and the link has none; the values "
            "in the file, or the "
            "defaults, are used."
        ),
        "Add a collision to the link.",
        (Fate.ASSUMED,),
    ),
    "sdf.auto-inertia-shape": CodeInfo(
        "A shape has no volume and is ignored when the inertia is computed.",
        "State mass and moments of inertia yourself.",
        (Fate.ASSUMED,),
    ),
    "sdf.axis-expressed-in": CodeInfo(
        "`expressed_in` names no frame in its scope.",
        "Correct the name.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.canonical-link": CodeInfo(
        "`canonical_link` names no link of the model; the first link is used.",
        "Correct the name.",
        (Fate.ASSUMED,),
    ),
    "sdf.duplicate-name": CodeInfo(
        "Two elements in one scope have the same name.",
        "Rename one of them.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.elastic-modulus": CodeInfo(
        "Contact forces are not computed from `elastic_modulus`; only `kp` and `kd` are used.",
        "State `kp` and `kd`.",
        (Fate.DROPPED,),
    ),
    "sdf.empty": CodeInfo(
        "The file has no world, model, light or actor, so the scene is empty.",
        "Check that it is the right file.",
        (Fate.ASSUMED,),
    ),
    "sdf.engine-setting": CodeInfo(
        "The element tunes the solver of one physics engine, so it is not read.", "", (Fate.NOTED,)
    ),
    "sdf.extra-axis": CodeInfo(
        "A joint states more axes than its type has; the extra axis is ignored.",
        "Remove the axis.",
        (Fate.NOTED,),
    ),
    "sdf.extra-element": CodeInfo(
        (
            "The file has more than one top-level world, model, light or actor; only the first "
            "one is "
            "read."
        ),
        "Move it to a separate file, or put all of them into a world.",
        (Fate.DROPPED,),
    ),
    "sdf.gearbox-reference": CodeInfo(
        "The reference body of a gearbox names no link; the parent of the joint is used.",
        "Name a link of the model.",
        (Fate.ASSUMED,),
    ),
    "sdf.gripper": CodeInfo(
        "A gripper is a behavior of Gazebo classic, so it is not read.", "", (Fate.NOTED,)
    ),
    "sdf.image-geometry": CodeInfo(
        "A shape made from an image is not supported and is left out.",
        "Use a height map or a mesh.",
        (Fate.DROPPED,),
    ),
    "sdf.include-cycle": CodeInfo(
        "Files include each other in a cycle, or too deeply.",
        "Break the cycle that the message lists.",
        (Fate.INVALID,),
    ),
    "sdf.include-empty": CodeInfo(
        "An included file has no model, light or actor, so nothing is included.",
        "Check that it is the right file.",
        (Fate.DROPPED,),
    ),
    "sdf.include-no-uri": CodeInfo(
        "An `<include>` has no `<uri>`.", "Add the `<uri>`.", (Fate.INVALID, Fate.SKIPPED)
    ),
    "sdf.include-not-found": CodeInfo(
        (
            "The `<uri>` of an `<include>` leads to no readable file; `resource.not-found` lists "
            "the places that were"
            " searched."
        ),
        "Name the folder in `paths` or the package in `package_map`.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.joint-child": CodeInfo(
        "The child of a joint is unknown, or is fixed to the world.",
        "Correct the name, or exchange parent and child.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.joint-parent": CodeInfo(
        "The parent of a joint is unknown, or is the joint itself.",
        "Correct the name.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.joint-same-body": CodeInfo(
        "The parent and the child of a joint are fixed to the same link.",
        "Correct the name of the parent or of the child.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.joint-type": CodeInfo(
        "The joint type is unknown.",
        "Use one of the types that the message lists.",
        (Fate.INVALID,),
    ),
    "sdf.light-type": CodeInfo(
        "The light type is unknown.", "Use `point`, `directional` or `spot`.", (Fate.INVALID,)
    ),
    "sdf.material-script": CodeInfo(
        "A material script has no `<uri>` or no `<name>`.",
        "Add the missing element, or remove the script.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.merge-drops": CodeInfo(
        "An element of a merged model, such as `<static>`, has no effect.",
        "Set it in the model that includes the merged one.",
        (Fate.NOTED,),
    ),
    "sdf.merge-unsupported": CodeInfo(
        (
            "`merge` is used on something other than a model, or would put links directly into a "
            "world."
        ),
        "Include it without `merge`.",
        (Fate.INVALID,),
    ),
    "sdf.mimic": CodeInfo(
        "A joint mimics itself, or a joint or axis that does not exist.",
        "Correct the name of the leader.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.model-file-outside": CodeInfo(
        "A `model.config` names a file outside its own folder, by its path or by a symbolic link.",
        (
            "Move the file into the folder of the model, or pass `unsafe_paths=True` if you trust "
            "the "
            "model."
        ),
        (Fate.INVALID,),
    ),
    "sdf.name-clash": CodeInfo(
        "Before version 1.7 a joint could have the name of a link; the later element is renamed.",
        "Rename one of them.",
        (Fate.ASSUMED,),
    ),
    "sdf.negative-dynamics": CodeInfo(
        (
            "A damping, friction or stiffness of a joint is negative, so that the joint gains "
            "energy; it is kept as "
            "written."
        ),
        "Make the value positive.",
        (Fate.ASSUMED,),
    ),
    "sdf.nested-joint": CodeInfo(
        (
            "A joint in a nested model names an unknown parent, frame or leader; the message "
            "states "
            "what is used instead."
        ),
        "Correct the name.",
        (Fate.ASSUMED,),
    ),
    "sdf.newer-model-file": CodeInfo(
        (
            "`model.config` lists a file for a version of SDFormat that is too new; another entry "
            "is "
            "used."
        ),
        "",
        (Fate.ASSUMED,),
    ),
    "sdf.no-axis": CodeInfo(
        "A joint that can move has no `<axis>`; 0 0 1 is used.", "Add the axis.", (Fate.ASSUMED,)
    ),
    "sdf.no-link": CodeInfo(
        "A model that is not static has no link.",
        "Add a link, or make the model static.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.no-model-config": CodeInfo(
        "A folder has no `model.config`, or it names no readable file.",
        "Add `model.config`, or name the model file itself.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.no-name": CodeInfo(
        "An element that needs a name has none.", "Add a name.", (Fate.INVALID, Fate.SKIPPED)
    ),
    "sdf.no-points": CodeInfo(
        "A polyline has no points.", "Add the points of its outline.", (Fate.INVALID,)
    ),
    "sdf.no-uri": CodeInfo(
        "A mesh or height map names no file.", "Add a `<uri>`.", (Fate.INVALID,)
    ),
    "sdf.no-version": CodeInfo(
        "The root element states no version.",
        'Add `version="1.12"`, or the version that the file was written for.',
        (Fate.INVALID,),
    ),
    "sdf.not-mechanical": CodeInfo(
        "The element affects neither motion nor contact, so it is not read.", "", (Fate.NOTED,)
    ),
    "sdf.old-manifest": CodeInfo(
        "The folder has a `manifest.xml`, which is the old name of `model.config`.",
        "Rename the file.",
        (Fate.NOTED,),
    ),
    "sdf.params": CodeInfo(
        "A change that `<experimental:params>` requests cannot be made; the message states why.",
        "Correct the element that the message names.",
        (Fate.INVALID,),
    ),
    "sdf.placement-frame": CodeInfo(
        "`placement_frame` names no frame of the model.",
        "Correct the name.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.placement-without-pose": CodeInfo(
        "An `<include>` with a `<placement_frame>` has no `<pose>`.",
        "Add `<pose/>` for the identity.",
        (Fate.INVALID,),
    ),
    "sdf.plugin": CodeInfo(
        "A plugin is code for another simulator, so it is not read.", "", (Fate.NOTED,)
    ),
    "sdf.polyline-height": CodeInfo(
        "The outlines of one polyline differ in height; all get the height of the first.",
        "Make each outline a separate shape.",
        (Fate.APPROXIMATED,),
    ),
    "sdf.population": CodeInfo(
        "A population, which places models at random, is not supported and is left out.",
        "Include each model with a pose.",
        (Fate.DROPPED,),
    ),
    "sdf.pose-cycle": CodeInfo(
        "The pose of an element is relative to itself through other elements.",
        "Make one of the poses relative to the model.",
        (Fate.INVALID,),
    ),
    "sdf.pose-format": CodeInfo(
        "A pose has the wrong number of values, or an unknown or contradictory format.",
        "Correct the pose.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.pose-relative-to": CodeInfo(
        "`relative_to` names no frame in its scope.",
        "Correct the name.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.pose-relative-to-ignored": CodeInfo(
        "The pose of this element is always relative to its link, so `relative_to` is ignored.",
        "Remove `relative_to`.",
        (Fate.ASSUMED,),
    ),
    "sdf.reserved-name": CodeInfo(
        "The name `world` and names such as `__model__` are reserved.",
        "Rename the element.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.reversed-limit": CodeInfo(
        (
            "The lower limit of a joint is above the upper limit; both are kept, and no position "
            "satisfies them."
        ),
        "Exchange the limits.",
        (Fate.ASSUMED,),
    ),
    "sdf.road": CodeInfo(
        "A road is only drawn by Gazebo, so its surface is left out.",
        "Use a mesh.",
        (Fate.DROPPED,),
    ),
    "sdf.root-relative-to": CodeInfo(
        (
            "The pose of the outermost model has a `relative_to`, but there is no frame outside of "
            "the model."
        ),
        "Remove `relative_to`.",
        (Fate.INVALID,),
    ),
    "sdf.scoped-name": CodeInfo(
        "A name contains `::`, which is not allowed since version 1.8.",
        "Use nested models.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.second-physics": CodeInfo(
        "A world has several sets of physics; only the default one, or the first, is used.",
        "",
        (Fate.NOTED,),
    ),
    "sdf.second-shape": CodeInfo(
        "A geometry has more than one shape; only the first is used.",
        "Make it a second collision or visual.",
        (Fate.DROPPED,),
    ),
    "sdf.sensor-type": CodeInfo(
        "The sensor type is unknown.",
        "Use a sensor type of the SDFormat specification.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.shader": CodeInfo(
        "A shader has an unknown type, or no normal map although its type needs one.",
        "Correct the type, or add a `<normal_map>`.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "sdf.state": CodeInfo(
        (
            "The saved state of a world gives the initial poses, as in Gazebo classic; one in a "
            "model "
            "is not read."
        ),
        "Remove `<state>` to start at the poses of the models.",
        (Fate.NOTED,),
    ),
    "sdf.state-scale": CodeInfo(
        "The scale of a model in a saved state is not applied.", "", (Fate.DROPPED,)
    ),
    "sdf.state-unknown": CodeInfo(
        "A saved state names models that the world does not have.", "", (Fate.NOTED,)
    ),
    "sdf.state-unreached": CodeInfo(
        "Saved poses of links do not fit their joints; the joints start at the nearest position.",
        "Correct the poses in `<state>`, or remove it.",
        (Fate.APPROXIMATED,),
    ),
    "sdf.state-velocity": CodeInfo(
        "Velocities in a saved state are not kept.", "", (Fate.DROPPED,)
    ),
    "sdf.static-joint": CodeInfo("A joint of a static model cannot move.", "", (Fate.NOTED,)),
    "sdf.unflattened": CodeInfo(
        "Links named `a::b` in a world of version 1.7 or older become links of a nested model `a`.",
        "",
        (Fate.NOTED,),
    ),
    "sdf.unknown-material": CodeInfo(
        "A material script or its texture was not found; the colors in the file are used.",
        "State the colors in the file.",
        (Fate.NOTED,),
    ),
    "sdf.unknown-version": CodeInfo(
        "The version of SDFormat is unknown; the file is read as version 1.12.",
        "State the version that the file was written for.",
        (Fate.ASSUMED,),
    ),
    "sdf.zero-axis": CodeInfo(
        "The axis of a joint is zero.", "Give the axis a direction.", (Fate.INVALID,)
    ),
    "sdf.zero-normal": CodeInfo(
        "The normal of a plane is zero; 0 0 1 is used.",
        "Give the normal a direction.",
        (Fate.ASSUMED,),
    ),
    "sdf.zero-quaternion": CodeInfo(
        "A quaternion is zero; the identity is used.", "Correct the quaternion.", (Fate.ASSUMED,)
    ),
}
