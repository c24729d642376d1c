"""Codes of `bridge.load_into_pybullet`."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "pybullet.acceleration-limit": CodeInfo(
        "PyBullet does not support acceleration limits of joints.",
        "Limit the acceleration in the controller.",
        (Fate.DROPPED,),
    ),
    "pybullet.added-mass": CodeInfo(
        "PyBullet does not support an added-mass matrix.", "", (Fate.DROPPED,)
    ),
    "pybullet.appearance": CodeInfo(
        "Shininess and textures other than the color texture are not drawn.", "", (Fate.NOTED,)
    ),
    "pybullet.ball-constraint": CodeInfo(
        "PyBullet's solver enforces a ball constraint, within 1e-4 m in 1 s at 1 kHz.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.ball-limit": CodeInfo(
        "PyBullet does not support limits or dry friction of ball joints.", "", (Fate.DROPPED,)
    ),
    "pybullet.ball-without-inertia": CodeInfo(
        (
            "A link on a ball joint has no inertia; it gets 1e-9 kg m², because PyBullet's state "
            "would become NaN."
        ),
        "Give the link an inertia.",
        (Fate.ASSUMED,),
    ),
    "pybullet.base-without-inertia": CodeInfo(
        "A free base link has no inertia; it gets 1e-12 kg m².",
        "Give the link an inertia.",
        (Fate.ASSUMED,),
    ),
    "pybullet.bitmask-per-link": CodeInfo(
        (
            "The collisions of one link have different bitmasks; the link collides with whatever "
            "any "
            "of them may hit."
        ),
        "Split the link.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.bushing": CodeInfo(
        "A bushing is a force that is computed at each step.",
        "Advance the simulation with `step()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.console": CodeInfo(
        "PyBullet printed this text while it loaded the model.", "", (Fate.NOTED,)
    ),
    "pybullet.contact-combination": CodeInfo(
        (
            "PyBullet combines the contact parameters of two surfaces by its own rule, which the "
            "message states."
        ),
        "Give a rigid ground a friction and a restitution of 1.",
        (Fate.NOTED,),
    ),
    "pybullet.contact-pair": CodeInfo(
        "The links of a contact pair may touch with all their shapes.", "", (Fate.APPROXIMATED,)
    ),
    "pybullet.contact-policy": CodeInfo(
        "The collision policy ignores bitmasks and `self_collide`, which the source states.",
        'Use `policy="sdformat"`.',
        (Fate.NOTED,),
    ),
    "pybullet.contact-property": CodeInfo(
        "Some contact parameters have no counterpart in PyBullet.", "", (Fate.DROPPED,)
    ),
    "pybullet.control-range": CodeInfo(
        "PyBullet has no actuators with a range of control.", "", (Fate.NOTED,)
    ),
    "pybullet.controller-gains": CodeInfo(
        (
            "The controllers of the model differ from PyBullet's motors; their forces are "
            "computed at "
            "each step."
        ),
        "Call `apply_control()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.coupling": CodeInfo(
        "A coupling with a ball or free joint is not supported by PyBullet and is left out.",
        "",
        (Fate.DROPPED,),
    ),
    "pybullet.coupling-across-bodies": CodeInfo(
        (
            "A coupling between two PyBullet bodies couples velocities only, so that positions "
            "drift "
            "apart slowly."
        ),
        "Join the models.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.cut-links": CodeInfo(
        (
            "A moving link is split across two PyBullet bodies with half of its inertia each, "
            "which the solver holds "
            "together."
        ),
        "Check `gaps()` of the handle, and reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.deformable": CodeInfo(
        "A deformable link is loaded as a rigid body.",
        "Load it with `loadSoftBody`.",
        (Fate.DROPPED,),
    ),
    "pybullet.dry-friction": CodeInfo(
        "Dry friction of joints is right only for the time step at loading.",
        "Set the time step before loading, or use `step()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.effort-limit": CodeInfo(
        "PyBullet reports effort limits in `getJointInfo` but does not enforce them.",
        "Use `apply_efforts` of the handle, or `force=` of PyBullet's motors.",
        (Fate.NOTED,),
    ),
    "pybullet.empty-range": CodeInfo(
        "The lower limit of a joint is above the upper limit, so the joint has no limits.",
        "Exchange the limits in the source.",
        (Fate.DROPPED,),
    ),
    "pybullet.flag-ignored": CodeInfo(
        "A flag that would change the model is ignored.",
        "Use the option `policy` instead.",
        (Fate.NOTED,),
    ),
    "pybullet.floating-dynamics": CodeInfo(
        "PyBullet does not support damping, friction and springs of free links.",
        "",
        (Fate.DROPPED,),
    ),
    "pybullet.fluid-force": CodeInfo(
        "Buoyancy, drag or lift of a fluid is a force that is computed at each step.",
        "Advance the simulation with `step()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.folded-links": CodeInfo(
        (
            "Welded links are merged with the link that carries them, so that the body fits into "
            "PyBullet."
        ),
        "Ask for poses by the name of the link.",
        (Fate.NOTED,),
    ),
    "pybullet.friction-product": CodeInfo(
        (
            "PyBullet multiplies the friction coefficients of two surfaces; the message states the "
            "largest difference."
        ),
        "Give the ground a friction of 1.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.gear": CodeInfo(
        "PyBullet's solver enforces a coupling as a gear, within 5e-6 in 1 s at 1 kHz.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.hull-margin": CodeInfo(
        "PyBullet inflates the convex hulls of links by 1 mm.",
        "Use primitive shapes.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.inactive-constraint": CodeInfo(
        "A constraint that the source switches off is left out.", "", (Fate.DROPPED,)
    ),
    "pybullet.keyframes": CodeInfo(
        "PyBullet has no named states of a model.",
        "Set one with `robot.set_positions(dict(zip(key.joints, key.positions)))`, for a key of "
        "`robot.mechanism.keyframes`.",
        (Fate.NOTED,),
    ),
    "pybullet.lent-inertia": CodeInfo(
        (
            "A free base link without mass gets, as PyBullet's base, the inertia of a link that is "
            "welded to it."
        ),
        "Change that mass at link index -1.",
        (Fate.NOTED,),
    ),
    "pybullet.light": CodeInfo("PyBullet does not support lights in a model.", "", (Fate.NOTED,)),
    "pybullet.link-without-gravity": CodeInfo(
        "The weight of a link without gravity is compensated by a force at each step.",
        "Advance the simulation with `step()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.load-failed": CodeInfo(
        "PyBullet refused the body; the message has its output.",
        "Report the model as a bug.",
        (Fate.INVALID,),
    ),
    "pybullet.locked-joint": CodeInfo(
        "Only a rotor gives the joint an inertia, such as the first of two hinges about one line "
        "with a massless link "
        "between them. PyBullet has no rotors, and does not move the joint, whatever acts on it.",
        "Give the link of the joint, or the link between two joints, an inertia about the axis.",
        (Fate.DROPPED,),
    ),
    "pybullet.long-path": CodeInfo(
        "The path of the temporary folder is too long for PyBullet.",
        "Set `TMPDIR` to a folder with a shorter path.",
        (Fate.INVALID,),
    ),
    "pybullet.loop": CodeInfo(
        "PyBullet's solver closes a kinematic loop; the message states the error.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.merged-filters": CodeInfo(
        "Links that PyBullet merged into one also collide where the model excludes one of them.",
        "Weld fewer links.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.moved-products": CodeInfo(
        "The small products of inertia of a free base would turn PyBullet's frame of the base; a "
        "heavier link that is "
        "welded to it holds them. The motion is exact.",
        "Read the inertias of both links by `mechanism_from_pybullet()` of the handle.",
        (Fate.NOTED,),
    ),
    "pybullet.mujoco-element": CodeInfo(
        "PyBullet does not have constraints of one joint or of tendons, nor MuJoCo's soft bodies.",
        "",
        (Fate.DROPPED,),
    ),
    "pybullet.mujoco-sensor": CodeInfo(
        "PyBullet does not have the sensors of MuJoCo.", "", (Fate.NOTED,)
    ),
    "pybullet.mujoco-settings": CodeInfo(
        "Settings of MuJoCo that change the motion are left out.", "", (Fate.DROPPED,)
    ),
    "pybullet.mujoco-solver": CodeInfo(
        "Settings of MuJoCo's solver are left out.", "", (Fate.NOTED,)
    ),
    "pybullet.name-shortened": CodeInfo(
        "A name is longer than PyBullet allows and is shortened there.",
        "Use names of at most 1000 bytes.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.no-texture-coordinates": CodeInfo(
        "A mesh with a texture has no texture coordinates, so the texture is not drawn.",
        "Use a mesh with texture coordinates.",
        (Fate.NOTED,),
    ),
    "pybullet.physics": CodeInfo(
        "The physics settings are for another engine and are not applied.",
        "Call `setPhysicsEngineParameter`.",
        (Fate.NOTED,),
    ),
    "pybullet.restitution": CodeInfo(
        "After a bounce, bodies are up to 0.09 of their speed too fast in PyBullet.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.rigid-distance": CodeInfo(
        "A fixed distance is held by forces at each step, within 5e-4 m in 1 s at 1 kHz.",
        "Advance the simulation with `step()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.rigid-tendon": CodeInfo(
        "A rigid tendon is held by forces that are computed at each step.",
        "Advance the simulation with `step()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.rotated-fixed-base": CodeInfo(
        "PyBullet's `calculateInverseDynamics` ignores the rotation of a fixed base.",
        "Use the inverse dynamics of the handle.",
        (Fate.NOTED,),
    ),
    "pybullet.rotor-inertia": CodeInfo(
        (
            "PyBullet does not support rotor inertia; the message states how much of the inertia "
            "at "
            "each joint is missing."
        ),
        "Add it to the link where everything that carries the link is fixed.",
        (Fate.DROPPED,),
    ),
    "pybullet.sensor": CodeInfo("PyBullet does not support sensors in a model.", "", (Fate.NOTED,)),
    "pybullet.several-bodies": CodeInfo(
        "A model with more joints than one PyBullet body holds is loaded as several bodies.",
        "Use the handle, which finds links and joints by name.",
        (Fate.NOTED,),
    ),
    "pybullet.shape-as-hull": CodeInfo(
        (
            "A shape that PyBullet lacks, such as an ellipsoid, collides as a convex hull; the "
            "message states the error."
        ),
        "",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.shape-dropped": CodeInfo(
        "A height map on a moving link, or one whose image cannot be read, is left out.",
        "Use a mesh.",
        (Fate.DROPPED,),
    ),
    "pybullet.soft-stop": CodeInfo(
        "PyBullet does not support joint limits that yield; its limits are rigid.",
        "",
        (Fate.DROPPED,),
    ),
    "pybullet.spring": CodeInfo(
        "The spring of a joint is a force that is computed at each step.",
        "Advance the simulation with `step()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.spring-damper": CodeInfo(
        "A spring-damper is a force that is computed at each step.",
        "Advance the simulation with `step()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.stated-tendon": CodeInfo(
        "PyBullet does not support tendons of MuJoCo.", "", (Fate.DROPPED,)
    ),
    "pybullet.stiff-damping": CodeInfo(
        "PyBullet computes joint damping explicitly; at its present time step that is unstable, "
        "and the joints named "
        "diverge.",
        "Call `apply_physics()`, if the file's time step is short enough, or "
        "`pybullet.setTimeStep` with a step below "
        "the one stated.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.surface-per-link": CodeInfo(
        (
            "The collisions of one link have different contact parameters; those of the first are "
            "used."
        ),
        "Split the link.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.surface-velocity": CodeInfo(
        "PyBullet does not support surface velocities.", "", (Fate.DROPPED,)
    ),
    "pybullet.tendon": CodeInfo(
        "An elastic tendon is a force that is computed at each step.",
        "Advance the simulation with `step()` of the handle.",
        (Fate.APPROXIMATED,),
    ),
    "pybullet.tendon-joint": CodeInfo(
        (
            "A tendon contains a joint that is not a single degree of freedom of the tree, so it "
            "is "
            "left out."
        ),
        "",
        (Fate.DROPPED,),
    ),
    "pybullet.too-many-joints": CodeInfo(
        (
            "The model exceeds the 127 joints or 121 coordinates of one PyBullet body, and has "
            "too few links with "
            "mass where it could be split."
        ),
        "Give the links mass and inertia, or weld joints that need not move.",
        (Fate.INVALID,),
    ),
    "pybullet.turned-base": CodeInfo(
        "PyBullet's frame of a free base has the principal axes of the link's inertia; they are "
        "more than one degree "
        "from the axes of the link. The motion is exact.",
        "Use `link_pose` and `set_positions` of the handle in place of "
        "`getBasePositionAndOrientation` and "
        "`resetBasePositionAndOrientation`.",
        (Fate.NOTED,),
    ),
    "pybullet.velocity-decay": CodeInfo(
        "PyBullet does not support velocity decay of a single link.",
        "Call `changeDynamics` with `linearDamping` and `angularDamping`.",
        (Fate.DROPPED,),
    ),
    "pybullet.velocity-limit": CodeInfo(
        "PyBullet reports velocity limits in `getJointInfo` but does not enforce them.",
        "Limit your commands.",
        (Fate.DROPPED,),
    ),
    "pybullet.visual-roles": CodeInfo(
        "PyBullet draws every visual, whatever its role.", "", (Fate.NOTED,)
    ),
    "pybullet.wind": CodeInfo("PyBullet does not support wind.", "", (Fate.DROPPED,)),
}
