"""Codes of the export to URDF."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "urdfout.actuator": CodeInfo(
        (
            "An actuator drives a tendon, or a joint with several axes or without effort; it is "
            "left "
            "out."
        ),
        "",
        (Fate.DROPPED,),
    ),
    "urdfout.actuator-property": CodeInfo(
        (
            "A transmission has no place for a property of an actuator; its effort limit is that "
            "of "
            "the joint."
        ),
        "",
        (Fate.DROPPED,),
    ),
    "urdfout.anchor": CodeInfo(
        (
            "An element of Drake refers to the world; a massless link fixed to the world stands "
            "for "
            "it."
        ),
        "",
        (Fate.NOTED,),
    ),
    "urdfout.chain": CodeInfo(
        (
            "A joint of several degrees of freedom becomes a chain of joints with one axis, and "
            "links "
            "without mass."
        ),
        "Allow Drake's joints, or use a reader with such joints.",
        (Fate.APPROXIMATED,),
    ),
    "urdfout.constraint": CodeInfo(
        "A constraint has no element, or refers to a joint that has not one axis; it is left out.",
        "",
        (Fate.DROPPED,),
    ),
    "urdfout.coupling": CodeInfo(
        "A coupling of a joint with several axes, or a second one of the same joint, is left out.",
        "Couple each joint with one axis to one other.",
        (Fate.DROPPED,),
    ),
    "urdfout.field": CodeInfo(
        "Neither URDF nor the extensions in use have a place for a value; it is left out.",
        "Allow more `extensions`, or write SDFormat.",
        (Fate.DROPPED, Fate.NOTED),
    ),
    "urdfout.fluid-force": CodeInfo(
        (
            "Buoyancy, drag and lift are left out: URDF has no element for them. The message has "
            "the "
            "values."
        ),
        "Add the plugin to the document.",
        (Fate.DROPPED,),
    ),
    "urdfout.frame-link": CodeInfo("Massless links represent frames.", "", (Fate.NOTED,)),
    "urdfout.gearbox": CodeInfo(
        (
            "URDF has no gearboxes. One of the two revolute joints that a gearbox couples mimics "
            "the other one, as in "
            "simulators here."
        ),
        "",
        (Fate.APPROXIMATED,),
    ),
    "urdfout.idle-gearbox": CodeInfo(
        (
            "A gearbox is left out: it couples nothing, because its reference link is not "
            "connected to both of its "
            "links by revolute joints."
        ),
        "Add the missing revolute joint, or correct `gearbox_reference_body`.",
        (Fate.DROPPED,),
    ),
    "urdfout.joined-links": CodeInfo(
        (
            "Two links may touch in MuJoCo, and never do by Drake's rules: one joint connects "
            "them, "
            "or both are fixed."
        ),
        "Write SDFormat.",
        (Fate.DROPPED,),
    ),
    "urdfout.joint-property": CodeInfo(
        "A property of a joint has no place in joints of its type; it is left out.",
        "",
        (Fate.DROPPED,),
    ),
    "urdfout.joint-type": CodeInfo("URDF has no such joint.", "Write SDFormat.", (Fate.INVALID,)),
    "urdfout.link-frame": CodeInfo(
        "The frame of a link moves to its joint, where URDF requires it; the result has the map.",
        "",
        (Fate.NOTED,),
    ),
    "urdfout.loop": CodeInfo(
        (
            "A joint closes a loop of links; it is left out, or a ball constraint of Drake stands "
            "for "
            "it."
        ),
        "Write SDFormat.",
        (Fate.DROPPED, Fate.NOTED),
    ),
    "urdfout.material": CodeInfo(
        "A property of a material has no place in URDF.", "", (Fate.NOTED,)
    ),
    "urdfout.merged-models": CodeInfo(
        (
            "Several models become one; SDFormat's rule that links of one model do not collide now "
            "applies to all."
        ),
        "",
        (Fate.APPROXIMATED, Fate.NOTED),
    ),
    "urdfout.missing-file": CodeInfo(
        "A mesh or picture was not found; the document names it as the source does.",
        "Add its folder to the search paths.",
        (Fate.NOTED,),
    ),
    "urdfout.name": CodeInfo(
        "Names that are not legal or not unique in URDF are changed; the result has the map.",
        "",
        (Fate.NOTED,),
    ),
    "urdfout.no-inertia": CodeInfo(
        (
            "PyBullet gives a link without `<inertial>` 1 kg; the mass 0 is written for links that "
            "are not the root."
        ),
        "",
        (Fate.NOTED,),
    ),
    "urdfout.published-sensor": CodeInfo(
        "Joint states and odometry come from plugins of Gazebo; a document has no sensor for them.",
        "Add the plugin to the document.",
        (Fate.DROPPED,),
    ),
    "urdfout.read-back": CodeInfo(
        "The written file, read back, is not the exported model.", "Report a bug.", (Fate.INVALID,)
    ),
    "urdfout.reversed-joint": CodeInfo(
        "A joint leads towards the root; its parent and child are exchanged.",
        "",
        (Fate.NOTED, Fate.APPROXIMATED),
    ),
    "urdfout.root-pose": CodeInfo(
        (
            "A free root link is not at the origin; most readers ignore the element that states "
            "its "
            "pose."
        ),
        "Pass the pose to the simulator that loads the document.",
        (Fate.APPROXIMATED,),
    ),
    "urdfout.rotor-inertia": CodeInfo(
        (
            "The reflected inertia of a joint is written as the rotor inertia of an actuator, "
            "which "
            "Drake alone reads."
        ),
        "",
        (Fate.NOTED,),
    ),
    "urdfout.several-roots": CodeInfo(
        "The model is not one tree.",
        "Export a folder, with a file for each tree; connect them by joints; or write SDFormat.",
        (Fate.INVALID,),
    ),
    "urdfout.shape": CodeInfo(
        (
            "URDF has no such shape, and not all readers for which the document is written know "
            "it; a mesh is written, "
            "a box for a plane, or it is left out."
        ),
        "Use a mesh.",
        (Fate.APPROXIMATED, Fate.DROPPED, Fate.NOTED),
    ),
    "urdfout.static": CodeInfo("Fixed joints take the place of a static model.", "", (Fate.NOTED,)),
    "urdfout.surface": CodeInfo(
        (
            "A contact property has no place, or differs between the collisions of a link; it is "
            "left "
            "out."
        ),
        "",
        (Fate.DROPPED,),
    ),
}
