"""Codes of the MJCF export about links, joints, sensors and lights."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "mjcf.acceleration-limit": CodeInfo(
        "MuJoCo does not support acceleration limits of joints.",
        "Limit the acceleration in the controller.",
        (Fate.DROPPED,),
    ),
    "mjcf.added-mass": CodeInfo(
        "MuJoCo does not support an added-mass matrix; its fluid forces follow from the shapes.", "", (Fate.DROPPED,)
    ),
    "mjcf.deformable": CodeInfo("A deformable link is exported as a rigid body.", "", (Fate.DROPPED,)),
    "mjcf.empty-range": CodeInfo(
        "The lower limit of a joint is above the upper limit, so the joint is exported without limits.",
        "Exchange the limits in the source.",
        (Fate.DROPPED,),
    ),
    "mjcf.force-torque-axes": CodeInfo(
        (
            "A force-torque sensor measures in the axes of a link, or of the sensor on it, and MuJoCo measures on the "
            "body of the other link of the joint. The axes agree at joint position 0, and turn with the joint."
        ),
        "Turn the reading as the hint states, by the rotation R_PC of the child in the parent of the joint.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.force-torque-sign": CodeInfo(
        "A force-torque sensor reads the opposite sign to the one that the source requests.",
        "Negate the reading.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.free-joint": CodeInfo(
        "MuJoCo has one damping, friction, stiffness and inertia for all directions of a free joint.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.impossible-inertia": CodeInfo(
        "The inertia of a link belongs to no real body, so MuJoCo refuses it.",
        'Correct the inertia, or use `inertia="repair"`.',
        (Fate.INVALID,),
    ),
    "mjcf.inertia-from-geometry": CodeInfo(
        (
            "The mass and inertia of a link are computed from its collision shapes, as requested by "
            '`inertia="from_geometry"`.'
        ),
        "",
        (Fate.ASSUMED,),
    ),
    "mjcf.joint-coordinate": CodeInfo(
        (
            "The MuJoCo position of a joint is a multiple of its position in the model, for example an angle instead "
            "of an arc length; or that of a ball joint is about other axes, those of the link."
        ),
        "Scale the value by the factor in the message; rotate the vector part of the quaternion of a ball joint.",
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
        "A state of the source is outside the joint limits.", "Correct the state in the source.", (Fate.NOTED,)
    ),
    "mjcf.keyframe-pose": CodeInfo(
        "A state poses a link that is not kinematic or does not exist.",
        "Correct the state, or remove the link from it.",
        (Fate.DROPPED,),
    ),
    "mjcf.light": CodeInfo(
        "The type of a light is not supported by MuJoCo.", "Use a directional, point or spot light.", (Fate.DROPPED,)
    ),
    "mjcf.light-joint": CodeInfo(
        "Full effort moves a joint so far in one time step that the integration may become unstable.",
        'State the true effort limit or rotor inertia, or use `actuators="dcmotor"`.',
        (Fate.NOTED,),
    ),
    "mjcf.light-parameters": CodeInfo(
        "Some parameters of a light, such as its range, are not supported by MuJoCo.", "", (Fate.NOTED,)
    ),
    "mjcf.massless-link": CodeInfo(
        "A link that moves has no mass; it gets the smallest mass and inertia that MuJoCo accepts.",
        "Give the link mass and inertia.",
        (Fate.ASSUMED,),
    ),
    "mjcf.no-inertia": CodeInfo(
        'A link has no inertia, and `inertia="error"` was requested.',
        'State the inertia, or use `inertia="keep"`.',
        (Fate.INVALID,),
    ),
    "mjcf.parallel-axes": CodeInfo(
        (
            "The axes of a universal or revolute2 joint are parallel, so that the mass matrix is singular; one axis "
            "gets an armature of 1e-12 kg m²."
        ),
        "Turn one axis, or use a joint with one axis.",
        (Fate.ASSUMED,),
    ),
    "mjcf.repaired-inertia": CodeInfo(
        'An inertia that no body can have is replaced by the nearest valid one, as requested by `inertia="repair"`.',
        "Correct the inertia in the source.",
        (Fate.REPAIRED,),
    ),
    "mjcf.rigid-stops": CodeInfo(
        "The joint limits are stiffer than the time step can resolve; they are as stiff as MuJoCo's solver allows.",
        "Reduce the time step.",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.sensor": CodeInfo(
        "The type of a sensor is not supported by MuJoCo, or its joint connects no body to the tree.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.sensor-collision": CodeInfo(
        (
            "A contact sensor names collisions that its link does not have. It watches the others that it names, or "
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
            "A universal, revolute2 or planar joint becomes two or three joints of one body, which move as it does. A "
            "reader of the MJCF file finds these, and not the joint of the source."
        ),
        "",
        (Fate.NOTED,),
    ),
    "mjcf.velocity-decay": CodeInfo(
        "MuJoCo does not support velocity decay of a link.", "Use the damping of joints.", (Fate.DROPPED,)
    ),
    "mjcf.velocity-limit": CodeInfo(
        'MuJoCo does not support velocity limits; only the effort of a `"dcmotor"` actuator vanishes at the limit.',
        'Use `actuators="dcmotor"`, or limit the speed in the controller.',
        (Fate.DROPPED, Fate.APPROXIMATED),
    ),
    "mjcf.view-target": CodeInfo(
        "A light or a camera turns to a link that does not exist.", "Correct its target.", (Fate.DROPPED,)
    ),
    "mjcf.yielding-stops": CodeInfo(
        "Joint limits with a stated stiffness are exact only for the effective inertia at the zero configuration.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.zero-effort": CodeInfo(
        "A joint has an effort limit of zero or less, which is read as no limit.",
        "State the limit, or remove it.",
        (Fate.ASSUMED,),
    ),
    "mjcf.zero-outside-limits": CodeInfo(
        "The zero configuration is outside the joint limits.", "Start from the keyframe that is named.", (Fate.NOTED,)
    ),
}
