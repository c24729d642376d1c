"""Codes of the export to SDFormat."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "sdfout.actuator": CodeInfo(
        (
            "A joint has several actuators, or a type to which SDFormat gives none; the actuator "
            "is "
            "left out."
        ),
        "",
        (Fate.DROPPED,),
    ),
    "sdfout.actuator-property": CodeInfo(
        (
            "SDFormat has no place for a property of an actuator: it is named after its joint and "
            "has "
            "the joint's limit."
        ),
        "",
        (Fate.DROPPED, Fate.NOTED),
    ),
    "sdfout.added-actuator": CodeInfo(
        (
            "Drake gives each driven joint of an SDFormat model an actuator; it has no effect "
            "without "
            "a command."
        ),
        "",
        (Fate.NOTED,),
    ),
    "sdfout.added-scope": CodeInfo(
        "Scoped names imply a model that the source does not have; it is added.", "", (Fate.NOTED,)
    ),
    "sdfout.anchor": CodeInfo(
        (
            "An element of Drake connects a link to the world; a massless link fixed to the world "
            "stands for the world."
        ),
        "",
        (Fate.NOTED,),
    ),
    "sdfout.coupling": CodeInfo(
        "A coupling of a joint without `<axis>` is left out.",
        "Couple joints with one axis.",
        (Fate.DROPPED,),
    ),
    "sdfout.default-position": CodeInfo(
        "SDFormat has no initial positions of joints; the joint starts at zero.",
        "Write a directives file with `default_joint_positions` beside the model.",
        (Fate.DROPPED,),
    ),
    "sdfout.empty-model": CodeInfo("A model without links is left out.", "", (Fate.NOTED,)),
    "sdfout.field": CodeInfo(
        "SDFormat has no element for a value of the scene; it is left out.",
        "",
        (Fate.DROPPED, Fate.NOTED),
    ),
    "sdfout.filter-rule": CodeInfo(
        (
            "A rule between collision filter groups of several models of a world is left out: the "
            "links may collide."
        ),
        "Nest the models in one model.",
        (Fate.DROPPED,),
    ),
    "sdfout.floating-joint": CodeInfo(
        "SDFormat has no floating joint; its child moves freely because no joint holds it.",
        "",
        (Fate.NOTED,),
    ),
    "sdfout.fluid-force": CodeInfo(
        (
            "Buoyancy, drag and lift are left out: SDFormat has no element for them. The message "
            "has "
            "the values."
        ),
        "Add the plugin to the document.",
        (Fate.DROPPED,),
    ),
    "sdfout.friction": CodeInfo(
        "Drake's static friction excludes anisotropic, rolling and torsional friction.",
        "",
        (Fate.DROPPED,),
    ),
    "sdfout.joint-frame": CodeInfo(
        "The frames of a joint on parent and child do not coincide at the zero configuration.",
        "Correct the poses of the scene.",
        (Fate.APPROXIMATED,),
    ),
    "sdfout.joint-property": CodeInfo(
        "A property of a joint has no place in joints of its type; it is left out.",
        "",
        (Fate.DROPPED,),
    ),
    "sdfout.keyframe": CodeInfo(
        "SDFormat has no keyframes; a keyframe is left out.", "", (Fate.DROPPED,)
    ),
    "sdfout.material": CodeInfo(
        "A property of a material has no place in SDFormat.", "", (Fate.NOTED,)
    ),
    "sdfout.missing-file": CodeInfo(
        "A mesh or picture was not found; the document names it as the source does.",
        "Add its folder to the search paths.",
        (Fate.NOTED,),
    ),
    "sdfout.model-config": CodeInfo(
        "`model.config` describes one model, and the scene has another number of models.",
        "Leave `model.config` out, or write directives.",
        (Fate.INVALID,),
    ),
    "sdfout.name": CodeInfo(
        "Names that are not legal or not unique in SDFormat are changed; the result has the map.",
        "",
        (Fate.NOTED,),
    ),
    "sdfout.no-inertia": CodeInfo(
        (
            "A link without inertia gets the mass 0, because SDFormat gives 1 kg to a link that "
            "states none."
        ),
        "State masses in the source.",
        (Fate.NOTED,),
    ),
    "sdfout.out-of-scope": CodeInfo(
        (
            "A constraint, force element or filter group between several models of a world is left "
            "out."
        ),
        "Nest the models in one model.",
        (Fate.DROPPED,),
    ),
    "sdfout.published-sensor": CodeInfo(
        "Joint states and odometry come from plugins of Gazebo; SDFormat has no sensor for them.",
        "Add the plugin to the document.",
        (Fate.DROPPED,),
    ),
    "sdfout.read-back": CodeInfo(
        "The written file, read back, is not the exported model.", "Report a bug.", (Fate.INVALID,)
    ),
    "sdfout.reversed-joint": CodeInfo(
        (
            "The child of a joint is the world, which SDFormat does not allow; parent and child "
            "are "
            "exchanged."
        ),
        "",
        (Fate.NOTED, Fate.APPROXIMATED),
    ),
    "sdfout.rotor-inertia": CodeInfo(
        (
            "The reflected inertia of a joint is written as the rotor inertia of an actuator, "
            "which "
            "Drake alone reads."
        ),
        "",
        (Fate.NOTED,),
    ),
    "sdfout.version": CodeInfo(
        (
            "The requested version of SDFormat lacks elements of the document, which its readers "
            "ignore."
        ),
        "Ask for a later version, or for the lowest that has them.",
        (Fate.DROPPED,),
    ),
    "sdfout.world-link": CodeInfo(
        "A link named `world` gets another name and is fixed to the world.", "", (Fate.NOTED,)
    ),
    "sdfout.world-settings": CodeInfo(
        (
            "Gravity, physics, lights and other settings of a world are left out of a document "
            "without a world."
        ),
        'Use `world="auto"`.',
        (Fate.DROPPED,),
    ),
}
