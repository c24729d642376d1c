"""Codes of the MJCF export."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "mjcf.acceleration-limit": CodeInfo(
        "MuJoCo does not support acceleration limits of joints.",
        "Limit the acceleration in the controller.",
        (Fate.DROPPED,),
    ),
    "mjcf.actuator": CodeInfo(
        "An actuator drives a joint that is not a hinge or slide of the tree, so it is left out.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.actuator-interfaces": CodeInfo(
        "The hardware interfaces of an actuator have no counterpart in MuJoCo.", "", (Fate.NOTED,)
    ),
    "mjcf.added-mass": CodeInfo(
        "MuJoCo does not support an added-mass matrix; its fluid forces follow from the shapes.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.assumed-gain": CodeInfo(
        (
            "The source states no gain for the requested controller; the message states the gain "
            "that "
            "is used."
        ),
        "State the gains in the source, or tune the exported ones.",
        (Fate.ASSUMED,),
    ),
    "mjcf.ball-soft-constraint": CodeInfo(
        "A ball constraint is enforced by MuJoCo's soft constraints; the message states the error.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.bushing": CodeInfo(
        "MuJoCo does not support bushings; the message has the parameters.",
        "Call `mujoco.set_mjcb_passive(bridge.passive_forces(...))`.",
        (Fate.DROPPED,),
    ),
    "mjcf.collide-without-contact": CodeInfo(
        (
            "A shape that reports contacts without forces is exported as a geom that collides "
            "with nothing, so MuJoCo"
            " reports no contacts."
        ),
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.contact-dissipation": CodeInfo(
        (
            "The dissipation of a contact is exact at rest only, or cannot be written because no "
            "stiffness is stated."
        ),
        "State a stiffness, or one kind of damping only.",
        (Fate.DROPPED, Fate.APPROXIMATED),
    ),
    "mjcf.contact-pair": CodeInfo(
        "A contact pair names a collision that has no geom.", "", (Fate.DROPPED,)
    ),
    "mjcf.contact-pairs": CodeInfo(
        (
            "More than 2000 pairs of geoms may collide, or bounce off each other, so no explicit "
            "pairs are written."
        ),
        "Reduce the number of shapes, or filter collisions.",
        (Fate.DROPPED,),
    ),
    "mjcf.contact-policy": CodeInfo(
        "The collision policy ignores bitmasks and `self_collide`, which the source states.",
        'Use `policy="sdformat"`.',
        (Fate.NOTED,),
    ),
    "mjcf.contact-solver": CodeInfo(
        "A contact parameter belongs to another contact solver and is left out.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.contact-stiffness": CodeInfo(
        (
            "A contact stiffness is exact for one mass only, is limited by the time step, or "
            "cannot be written "
            "because the link has no moving mass."
        ),
        'Use `contacts="pairs"`, or reduce the time step.',
        (Fate.DROPPED, Fate.APPROXIMATED),
    ),
    "mjcf.control-range": CodeInfo(
        (
            'The limits of a `"dcmotor"` exceed what its inertia allows in one time step, so the '
            "control range ends "
            "earlier."
        ),
        "State the true limits, or reduce the time step.",
        (Fate.ASSUMED,),
    ),
    "mjcf.coupling": CodeInfo(
        "MuJoCo couples hinges and slides only, so a coupling of other joints is left out.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.coupling-soft-constraint": CodeInfo(
        "A coupling is enforced by MuJoCo's soft constraints; the message states the error.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.curve": CodeInfo(
        "The ends of a curve do not limit a curvilinear joint; only the limits of its axis do.",
        "State limits of the axis.",
        (Fate.NOTED,),
    ),
    "mjcf.deformable": CodeInfo(
        "A deformable link is exported as a rigid body.", "", (Fate.DROPPED,)
    ),
    "mjcf.density": CodeInfo(
        "The density of a shape does not change its mass: the inertia of the link is used.",
        'Use `inertia="from_geometry"`.',
        (Fate.NOTED,),
    ),
    "mjcf.distance-soft-constraint": CodeInfo(
        "A fixed distance is enforced by MuJoCo's soft constraints; the message states the error.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.empty-range": CodeInfo(
        (
            "The lower limit of a joint is above the upper limit, so the joint is exported without "
            "limits."
        ),
        "Exchange the limits in the source.",
        (Fate.DROPPED,),
    ),
    "mjcf.empty-shape": CodeInfo(
        "A shape has no extent, so MuJoCo refuses it and it is left out.",
        "Give the shape a positive size.",
        (Fate.DROPPED,),
    ),
    "mjcf.filter-groups": CodeInfo(
        "Collision filter groups are exported as the pairs of links that they exclude.",
        "",
        (Fate.NOTED,),
    ),
    "mjcf.fluid-force": CodeInfo(
        "MJCF has no element for buoyancy, drag by coefficients, or a wing; the message has the "
        "parameters. "
        "MuJoCo's own model of a fluid computes other forces, from shapes, and is exact for none "
        "of them.",
        "Call `mujoco.set_mjcb_passive(bridge.passive_forces(...))`.",
        (Fate.DROPPED,),
    ),
    "mjcf.force-torque-axes": CodeInfo(
        (
            "A force-torque sensor measures in the axes of a link, or of the sensor on it, and "
            "MuJoCo measures on the "
            "body of the other link of the joint. The axes agree at joint position 0, and turn "
            "with the joint."
        ),
        (
            "Turn the reading as the hint states, by the rotation R_PC of the child in the parent "
            "of "
            "the joint."
        ),
        (Fate.APPROXIMATED,),
    ),
    "mjcf.force-torque-sign": CodeInfo(
        "A force-torque sensor reads the opposite sign to the one that the source requests.",
        "Negate the reading.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.free-joint": CodeInfo(
        (
            "MuJoCo has one damping, friction, stiffness and inertia for all directions of a free "
            "joint."
        ),
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.friction-combination": CodeInfo(
        (
            "MuJoCo uses the larger friction of two shapes, unlike the simulator of the collision "
            "policy."
        ),
        'Use `contacts="pairs"`.',
        (Fate.APPROXIMATED,),
    ),
    "mjcf.friction-direction": CodeInfo(
        "MuJoCo does not support different friction in two directions of a geom.",
        "Write a `<pair>`, which has two sliding coefficients.",
        (Fate.DROPPED,),
    ),
    "mjcf.heightmap": CodeInfo(
        "The image of a height map cannot be read, so the shape is left out.",
        "Use a PNG image.",
        (Fate.DROPPED,),
    ),
    "mjcf.hydroelastic": CodeInfo(
        "MuJoCo does not support hydroelastic contact; it uses point contact.", "", (Fate.DROPPED,)
    ),
    "mjcf.idle-followers": CodeInfo(
        (
            "A joint that follows another has an effort limit and no gains; only its leader gets "
            "an "
            "actuator."
        ),
        "Give the joint controller gains to drive it too.",
        (Fate.NOTED,),
    ),
    "mjcf.impossible-inertia": CodeInfo(
        "The inertia of a link belongs to no real body, so MuJoCo refuses it.",
        'Correct the inertia, or use `inertia="repair"`.',
        (Fate.INVALID,),
    ),
    "mjcf.inertia-from-geometry": CodeInfo(
        (
            "The mass and inertia of a link are computed from its collision shapes, as requested "
            "by "
            '`inertia="from_geometry"`.'
        ),
        "",
        (Fate.ASSUMED,),
    ),
    "mjcf.joint-coordinate": CodeInfo(
        (
            "The MuJoCo position of a joint is a multiple of its position in the model, for "
            "example an angle instead "
            "of an arc length; or that of a ball joint is about other axes, those of the link."
        ),
        (
            "Scale the value by the factor in the message; rotate the vector part of the "
            "quaternion "
            "of a ball joint."
        ),
        (Fate.NOTED,),
    ),
    "mjcf.joint-feedback": CodeInfo(
        "A joint requests force feedback, which MuJoCo gives only through sensors.",
        "Add a force and a torque sensor to the model.",
        (Fate.NOTED,),
    ),
    "mjcf.keyframe-actuator": CodeInfo(
        "A state names an actuator that the export does not have.",
        "Correct the state, or remove the actuator from it.",
        (Fate.DROPPED,),
    ),
    "mjcf.keyframe-joint": CodeInfo(
        "A state names a joint that has no position or velocity of that size in MuJoCo.",
        "Correct the state, or remove the joint from it.",
        (Fate.DROPPED,),
    ),
    "mjcf.keyframe-limits": CodeInfo(
        "A state of the source is outside the joint limits.",
        "Correct the state in the source.",
        (Fate.NOTED,),
    ),
    "mjcf.keyframe-pose": CodeInfo(
        "A state poses a link that is not kinematic or does not exist.",
        "Correct the state, or remove the link from it.",
        (Fate.DROPPED,),
    ),
    "mjcf.light": CodeInfo(
        "The type of a light is not supported by MuJoCo.",
        "Use a directional, point or spot light.",
        (Fate.DROPPED,),
    ),
    "mjcf.light-joint": CodeInfo(
        (
            "Full effort moves a joint so far in one time step that the integration may become "
            "unstable."
        ),
        'State the true effort limit or rotor inertia, or use `actuators="dcmotor"`.',
        (Fate.NOTED,),
    ),
    "mjcf.light-parameters": CodeInfo(
        "Some parameters of a light, such as its range, are not supported by MuJoCo.",
        "",
        (Fate.NOTED,),
    ),
    "mjcf.locked-joint": CodeInfo(
        "The limits of a joint leave a single position, which an equality constraint holds.",
        "Use a fixed joint.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.loop-soft-constraint": CodeInfo(
        "A kinematic loop is closed by MuJoCo's soft constraints; the message states the error.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.massless-link": CodeInfo(
        "A link that moves has no mass; it gets the smallest mass and inertia that MuJoCo accepts.",
        "Give the link mass and inertia.",
        (Fate.ASSUMED,),
    ),
    "mjcf.material": CodeInfo(
        "Some properties of a material, such as a texture map, are not supported by MuJoCo.",
        "",
        (Fate.NOTED,),
    ),
    "mjcf.mjx": CodeInfo(
        "MJX does not support the model; the message states why.",
        "Use MuJoCo Warp, or change what the message names.",
        (Fate.NOTED,),
    ),
    "mjcf.model-scopes": CodeInfo(
        "Nested models are exported only as prefixes of names.", "", (Fate.NOTED,)
    ),
    "mjcf.moving-plane": CodeInfo(
        "A plane is on a link that moves, which MuJoCo does not support.",
        "Use a box.",
        (Fate.DROPPED,),
    ),
    "mjcf.mujoco-element": CodeInfo(
        (
            "A sensor, equality or soft body of MuJoCo names an item that is not in the document "
            "or "
            "has no limit."
        ),
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.never-closes": CodeInfo(
        (
            "Two points that should coincide cannot meet within the joint limits; the constraint "
            "uses MuJoCo's "
            "default softness."
        ),
        "Move the points, or widen the limits.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.no-actuators": CodeInfo(
        "The model has actuators, which are not exported by default.",
        'Use `actuators="motor"`.',
        (Fate.NOTED,),
    ),
    "mjcf.no-inertia": CodeInfo(
        'A link has no inertia, and `inertia="error"` was requested.',
        'State the inertia, or use `inertia="keep"`.',
        (Fate.INVALID,),
    ),
    "mjcf.no-shape": CodeInfo(
        "A collision or visual has an empty geometry, so there is no geom.", "", (Fate.NOTED,)
    ),
    "mjcf.no-speed-line": CodeInfo(
        'A `"dcmotor"` has no velocity or effort limit, so its effort does not fall with speed.',
        "State both limits of the joint.",
        (Fate.ASSUMED,),
    ),
    "mjcf.no-texture-coordinates": CodeInfo(
        "A mesh with a texture has no texture coordinates; MuJoCo chooses them.",
        "Use a mesh with texture coordinates.",
        (Fate.NOTED,),
    ),
    "mjcf.open-at-zero": CodeInfo(
        "Two points that should coincide are apart at the zero configuration.",
        "Start from a configuration that closes the loop.",
        (Fate.NOTED,),
    ),
    "mjcf.parallel-axes": CodeInfo(
        (
            "The axes of a universal or revolute2 joint are parallel, so that the mass matrix is "
            "singular; one axis "
            "gets an armature of 1e-12 kg m²."
        ),
        "Turn one axis, or use a joint with one axis.",
        (Fate.ASSUMED,),
    ),
    "mjcf.physics": CodeInfo(
        "A physics setting of another engine has no counterpart in MuJoCo.", "", (Fate.NOTED,)
    ),
    "mjcf.pivoted-contact": CodeInfo(
        (
            "Links that only turn about their center of mass touch one another, for which MuJoCo's "
            "solver fails."
        ),
        'Set `solver="PGS"`, or `model.body_invweight0[body, 0]` to the inverse mass of the body.',
        (Fate.NOTED,),
    ),
    "mjcf.refused": CodeInfo(
        (
            "MuJoCo refuses to compile the export; the message names the element and the links "
            "that "
            "use it."
        ),
        "Correct the shape, mesh or picture that the message names.",
        (Fate.INVALID,),
    ),
    "mjcf.repaired-inertia": CodeInfo(
        (
            "An inertia that no body can have is replaced by the nearest valid one, as requested "
            "by "
            '`inertia="repair"`.'
        ),
        "Correct the inertia in the source.",
        (Fate.REPAIRED,),
    ),
    "mjcf.restitution": CodeInfo(
        "Restitution is exported as the damping of a soft contact; the message states the error.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.restitution-threshold": CodeInfo(
        (
            "MuJoCo does not support a velocity threshold of restitution, so contacts bounce at "
            "any "
            "speed."
        ),
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.rigid-stops": CodeInfo(
        (
            "The joint limits are stiffer than the time step can resolve; they are as stiff as "
            "MuJoCo's solver allows."
        ),
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.rolling-friction": CodeInfo(
        "Rolling friction is exact at fast rotation and viscous at slow rotation.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.screw-soft-constraint": CodeInfo(
        "A screw joint is a hinge and a slide, coupled by MuJoCo's soft constraints.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.sensor": CodeInfo(
        (
            "The type of a sensor is not supported by MuJoCo, or its joint connects no body to the "
            "tree."
        ),
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.sensor-collision": CodeInfo(
        (
            "A contact sensor names collisions that its link does not have. It watches the others "
            "that it names, or "
            "the whole link if it names no other."
        ),
        "Name collisions of the link of the sensor.",
        (Fate.ASSUMED,),
    ),
    "mjcf.sensor-parameters": CodeInfo(
        "Some parameters of a sensor, such as noise or update rate, are not supported by MuJoCo.",
        "Add them where you read the sensor.",
        (Fate.NOTED,),
    ),
    "mjcf.sensor-rays": CodeInfo(
        "A sensor has more than 100 rays, so only some of them are exported.",
        "Reduce the number of rays.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.several-joints": CodeInfo(
        (
            "A universal, revolute2 or planar joint becomes two or three joints of one body, "
            "which move as it does. A "
            "reader of the MJCF file finds these, and not the joint of the source."
        ),
        "",
        (Fate.NOTED,),
    ),
    "mjcf.sleep": CodeInfo(
        "MuJoCo does not put a resting model to sleep by default.", "", (Fate.NOTED,)
    ),
    "mjcf.slip": CodeInfo("MuJoCo does not support force-dependent slip.", "", (Fate.DROPPED,)),
    "mjcf.static-friction": CodeInfo(
        "MuJoCo has one coefficient of friction, so the static coefficient is left out.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.surface-velocity": CodeInfo(
        (
            "The surface velocity of a link is left out, because the source states an axis and no "
            "speed."
        ),
        "Set `surfacevel` of its geoms, in MuJoCo 3.11 and later.",
        (Fate.DROPPED,),
    ),
    "mjcf.tendon": CodeInfo(
        "A tendon contains a joint that is not a hinge or slide of the tree, so it is left out.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.tendon-damping": CodeInfo(
        (
            "MuJoCo would apply the damping of a tendon inside of its bounds too, so the damping "
            "is "
            "left out."
        ),
        "Call `mujoco.set_mjcb_passive(bridge.passive_forces(...))`.",
        (Fate.DROPPED,),
    ),
    "mjcf.tendon-soft-constraint": CodeInfo(
        (
            "The rigid bounds of a tendon are enforced by MuJoCo's soft constraints; the message "
            "states the overshoot."
        ),
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.texture-transparency": CodeInfo(
        "MuJoCo draws the transparent parts of a texture as opaque.",
        "Split the mesh, and give the transparent part a transparent color.",
        (Fate.NOTED,),
    ),
    "mjcf.time-step": CodeInfo(
        (
            "The time step of the source is not positive and finite; the message states the one "
            "that "
            "is used."
        ),
        "State a positive time step.",
        (Fate.ASSUMED,),
    ),
    "mjcf.too-deep": CodeInfo(
        "The model has more nested bodies than MuJoCo reads from XML.",
        "Use `bridge.to_mjspec`.",
        (Fate.INVALID,),
    ),
    "mjcf.torsional-friction": CodeInfo(
        "A torsional friction coefficient and its patch radius are exported as a length.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.velocity-decay": CodeInfo(
        "MuJoCo does not support velocity decay of a link.",
        "Use the damping of joints.",
        (Fate.DROPPED,),
    ),
    "mjcf.velocity-limit": CodeInfo(
        (
            'MuJoCo does not support velocity limits; only the effort of a `"dcmotor"` actuator '
            "vanishes at the limit."
        ),
        'Use `actuators="dcmotor"`, or limit the speed in the controller.',
        (Fate.DROPPED, Fate.APPROXIMATED),
    ),
    "mjcf.view-target": CodeInfo(
        "A light or a camera turns to a link that does not exist.",
        "Correct its target.",
        (Fate.DROPPED,),
    ),
    "mjcf.visual": CodeInfo(
        "MuJoCo cannot choose shadows or renderers for a single visual.", "", (Fate.NOTED,)
    ),
    "mjcf.visual-names": CodeInfo(
        "Visuals that share their name with another shape are exported without a name.",
        "Give each visual a unique name.",
        (Fate.NOTED,),
    ),
    "mjcf.welded-contact": CodeInfo(
        "Links that cannot move relative to each other do not collide in MuJoCo.", "", (Fate.NOTED,)
    ),
    "mjcf.wind": CodeInfo(
        "The wind has no effect, because the source states no density of the air.",
        "Set `density` and `viscosity` of `<option>`.",
        (Fate.DROPPED,),
    ),
    "mjcf.yielding-stops": CodeInfo(
        (
            "Joint limits with a stated stiffness are exact only for the effective inertia at the "
            "zero configuration."
        ),
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.zero-effort": CodeInfo(
        "A joint has an effort limit of zero or less, which is read as no limit.",
        "State the limit, or remove it.",
        (Fate.ASSUMED,),
    ),
    "mjcf.zero-outside-limits": CodeInfo(
        "The zero configuration is outside the joint limits.",
        "Start from the keyframe that is named.",
        (Fate.NOTED,),
    ),
}
