"""Codes of geometry, lowering, the directives target and parity."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "dart.constraint": CodeInfo(
        "DART has no distance constraints and no tendons.",
        "Compare other engines.",
        (Fate.DROPPED,),
    ),
    "dart.coupling": CodeInfo(
        "DART couples joints with one axis only.", "Compare other engines.", (Fate.DROPPED,)
    ),
    "dart.force-element": CodeInfo(
        "DART has no bushings, no springs between links, and no springs of ball joints.",
        "Compare other engines.",
        (Fate.DROPPED,),
    ),
    "dart.one-way-coupling": CodeInfo(
        (
            "In DART a joint follows another one like a motor of any strength, without a reaction "
            "on "
            "the other one."
        ),
        "Compare other engines.",
        (Fate.DROPPED,),
    ),
    "dart.rotor-inertia": CodeInfo(
        "DART has no inertia of rotors.", "Add it to the inertia of the links.", (Fate.DROPPED,)
    ),
    "dart.shape": CodeInfo(
        "DART gets no mesh, height map or polyline, which it would read from files itself.",
        "Use primitive shapes for collision.",
        (Fate.DROPPED,),
    ),
    "dmdout.joined-links": CodeInfo(
        (
            "Two links may touch in MuJoCo, and never do by Drake's rules: one joint connects "
            "them, "
            "or both are fixed."
        ),
        "Write SDFormat.",
        (Fate.DROPPED,),
    ),
    "dmdout.name": CodeInfo(
        "Names in directives start with that of their model.", "", (Fate.NOTED,)
    ),
    "dmdout.out-of-scope": CodeInfo(
        (
            "Directives connect models by welds only; another joint or element between models is "
            "left "
            "out."
        ),
        "Write SDFormat.",
        (Fate.DROPPED,),
    ),
    "dmdout.read-back": CodeInfo(
        "The written files, read back, are not the exported scene; nothing is written.",
        "Report a bug.",
        (Fate.INVALID,),
    ),
    "dmdout.split-model": CodeInfo(
        (
            "One model becomes several, between whose links SDFormat's rule for collisions in a "
            "model "
            "does not hold."
        ),
        "Write SDFormat.",
        (Fate.APPROXIMATED,),
    ),
    "dmdout.world-settings": CodeInfo(
        "Directives have no place for gravity, physics, lights and other settings of a world.",
        "Write SDFormat.",
        (Fate.DROPPED, Fate.NOTED),
    ),
    "drake.continuous-limits": CodeInfo(
        "Drake keeps the limits of a continuous joint.",
        "Remove the limits, or make the joint revolute.",
        (Fate.APPROXIMATED,),
    ),
    "drake.friction": CodeInfo(
        "Drake takes mu2 of SDFormat for the dynamic friction of a shape, and 1 where URDF states "
        "the friction in "
        "elements of Gazebo or PyBullet only.",
        "State mu_dynamic among the proximity properties of Drake.",
        (Fate.APPROXIMATED,),
    ),
    "drake.link-without-gravity": CodeInfo(
        "Drake applies gravity to a link that is declared without gravity.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "drake.replaced-inertia": CodeInfo(
        "Drake replaces an inertia that no body can have, and gives a massless link an inertia.",
        "State the true inertia of the link.",
        (Fate.APPROXIMATED,),
    ),
    "drake.screw-limits": CodeInfo(
        "Drake ignores the limits of a screw joint.", "", (Fate.DROPPED,)
    ),
    "drake.shared-damping": CodeInfo(
        (
            "Drake has one coefficient of damping for both axes of a universal joint, that of the "
            "first one."
        ),
        "Give both axes the same damping.",
        (Fate.DROPPED,),
    ),
    "drake.universal-limits": CodeInfo(
        "Drake ignores the limits of a universal joint.", "", (Fate.DROPPED,)
    ),
    "lower.coupling-without-freedom": CodeInfo(
        (
            "A coupling names a joint that is not a degree of freedom of the spanning tree, "
            "because "
            "it is fixed or cut."
        ),
        "Couple joints that are part of the tree.",
        (Fate.DROPPED,),
    ),
    "lower.curve-of-several-pieces": CodeInfo(
        "A curvilinear joint along more than one line or arc is held at its start.",
        "Use a single line or arc.",
        (Fate.DROPPED,),
    ),
    "lower.gearbox-without-hinges": CodeInfo(
        (
            "A gearbox couples nothing, because its reference link is not connected to both of its "
            "links by hinges."
        ),
        "Add a hinge from the reference link to each of the two links.",
        (Fate.DROPPED,),
    ),
    "lower.kinematic": CodeInfo(
        "A kinematic link stays where it is placed, because no force moves it.", "", (Fate.NOTED,)
    ),
    "lower.kinematic-in-joint": CodeInfo(
        "A kinematic link is the child of a joint, so forces move it like any other link.",
        "Remove the joint, or the kinematic flag.",
        (Fate.DROPPED,),
    ),
    "lower.loop": CodeInfo(
        (
            "A joint closes a kinematic loop: it becomes a constraint, or connects the two halves "
            "of "
            "a split link."
        ),
        "",
        (Fate.NOTED,),
    ),
    "lower.massless-free-link": CodeInfo(
        "A link that moves freely has no mass; it gets 1e-9 kg.",
        (
            'Hold the link, with `base="fixed"`, or give it mass and inertia. `loadURDF` holds a '
            "base "
            "without mass."
        ),
        (Fate.ASSUMED,),
    ),
    "lower.repaired-inertia": CodeInfo(
        (
            "An inertia that no body can have is replaced by the nearest valid one, as requested "
            "by "
            '`inertia="repair"`.'
        ),
        "State the true inertia in the source.",
        (Fate.REPAIRED,),
    ),
    "lower.static-joint": CodeInfo(
        "A joint cannot move, because its links are static or welded together.", "", (Fate.NOTED,)
    ),
    "lower.tendon-inertia": CodeInfo(
        (
            "A tendon with inertia connects branches of the tree; MuJoCo neglects the inertia "
            "between "
            "them."
        ),
        "",
        (Fate.APPROXIMATED,),
    ),
    "lower.thin-link": CodeInfo(
        (
            "A link can turn about an axis about which nothing has inertia, such as a point mass; "
            "it "
            "gets 1e-9 kg m² more."
        ),
        "Give the link its true inertia.",
        (Fate.ASSUMED,),
    ),
    "mesh.cone": CodeInfo("A cone is exported as a mesh with 64 sides.", "", (Fate.APPROXIMATED,)),
    "mesh.convex-hull": CodeInfo(
        "A mesh that is not convex collides as its convex hull.",
        'Use `collision_meshes="decompose"`, or build the shape from convex parts.',
        (Fate.APPROXIMATED,),
    ),
    "mesh.convex-parts": CodeInfo(
        "A mesh that is not convex collides as several convex parts.",
        "Raise the number of convex parts if the error in the message is too large.",
        (Fate.APPROXIMATED,),
    ),
    "mesh.decomposition": CodeInfo(
        "A mesh could not be decomposed into convex parts and collides as its convex hull.",
        "Read the reason in the message, or build the shape from convex parts yourself.",
        (Fate.APPROXIMATED,),
    ),
    "mesh.degenerate": CodeInfo(
        (
            "A cone or an outline of a polyline has no volume, or is too large or too intricate; "
            "it "
            "is left out."
        ),
        "Correct its dimensions or points.",
        (Fate.DROPPED,),
    ),
    "mesh.flat": CodeInfo(
        "A flat mesh is given a small thickness so that it can collide.",
        "Use a box instead.",
        (Fate.APPROXIMATED,),
    ),
    "mesh.missing": CodeInfo(
        "The mesh file was not found, so the shape is left out.",
        "Name its folder in `paths` or its package in `package_map`.",
        (Fate.DROPPED,),
    ),
    "mesh.no-coacd": CodeInfo(
        "Meshes are to be decomposed into convex parts, but the package coacd is not installed.",
        'Run `pip install "sdfbridge[convex]"`.',
        (Fate.INVALID,),
    ),
    "mesh.polyline": CodeInfo(
        "An extruded polyline becomes a mesh, which collides as its convex hull.",
        "Split the outline into convex shapes.",
        (Fate.APPROXIMATED,),
    ),
    "mesh.polyline-not-simple": CodeInfo(
        (
            "An outline of an extruded polyline intersects itself or is too intricate, so its mesh "
            "does not have its area."
        ),
        "Correct the order of the points.",
        (Fate.APPROXIMATED,),
    ),
    "texture.format": CodeInfo(
        "The image is not a PNG file and could not be converted, so the texture is left out.",
        "Convert the image to PNG.",
        (Fate.NOTED,),
    ),
    "texture.unreadable": CodeInfo(
        "The image file of a texture cannot be read, so the texture is left out.",
        "Check the path and the permissions of the image.",
        (Fate.NOTED,),
    ),
}
