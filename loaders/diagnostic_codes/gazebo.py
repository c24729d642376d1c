"""Codes of Gazebo's plugins, in SDFormat and URDF."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "gazebo.added-mass": CodeInfo(
        "The added mass in a plugin of Gazebo is left out; its buoyancy and drag are.",
        "State `<fluid_added_mass>` in the `<inertial>`, or give the link more mass where it moves along one line.",
        (Fate.DROPPED,),
    ),
    "gazebo.controller": CodeInfo(
        "A plugin of Gazebo controls joints; they have actuators with its gains.",
        "Command the actuators of the simulator.",
        (Fate.NOTED,),
    ),
    "gazebo.fluid": CodeInfo(
        "A plugin of Gazebo acts on links with buoyancy, drag or lift, which are forces of the scene.",
        "Pass `bridge.passive_forces(...)` to `mujoco.set_mjcb_passive`; in PyBullet call `step()` of the handle.",
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
        "A plugin of Gazebo publishes joint states or odometry; the export to MJCF has sensors for them.",
        "",
        (Fate.NOTED,),
    ),
}
