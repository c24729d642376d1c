"""Migrate from PyBullet's ``loadURDF``; then run episodes and drive a joint in three ways.

    python examples/from_loadurdf.py

Before                                            After
robot = p.loadURDF(path, pos, orn)                robot = load_into_pybullet(path, pos, orn)
p.loadURDF(path, useFixedBase=True)               load_into_pybullet(path, useFixedBase=True)
p.loadURDF(path, globalScaling=2)                 load_into_pybullet(path, globalScaling=2)  #
inertias grow as well p.loadURDF(path, flags=p.URDF_USE_INERTIA_FROM..) not needed: inertia, order
and cylinders are those of the file p.loadURDF(path, flags=p.URDF_USE_SELF_COLLISION) not needed:
the file and policy= define which links collide p.loadURDF(path, flags=p.URDF_ENABLE_SLEEPING)
load_into_pybullet(path, flags=p.URDF_ENABLE_SLEEPING) client.loadURDF(path)  # a BulletClient
load_into_pybullet(path, physicsClientId=client) p.getBasePositionAndOrientation(robot)[0]
robot.link_pose("base").p  # the link, not its center of mass ids = p.loadSDF(path)
bodies = load_world_into_pybullet(path) index = next(i for i in range(p.getNumJoints...)) index =
robot.joints["elbow"] p.resetJointState(robot, index, 0.3)
robot.set_positions({"elbow": 0.3}) p.getLinkState(robot, i)[4]  # single precision
robot.link_pose("forearm").p  # double precision p.setJointMotorControl2(robot, i, ..., force=0)
not needed: motors are off, damping is the model's
"""

from __future__ import annotations

from pathlib import Path

import pybullet as p

from sdfbridge import load_into_pybullet

ARM = Path(__file__).parents[1] / "assets" / "arm" / "model.sdf"
START = {"waist": 0.5, "shoulder": 0.2, "elbow": -0.4}


def main() -> None:
    p.connect(p.DIRECT)
    p.setTimeStep(1 / 240)
    p.setGravity(0, 0, -9.81)
    with load_into_pybullet(ARM) as robot:
        for episode in range(3):
            robot.set_positions(START)  # coupled joints follow; all velocities are zero
            for _ in range(120):
                robot.apply_efforts(
                    {"elbow": 2.0 * episode}
                )  # for one step, limited to the effort limit
                robot.step()  # apply springs and similar forces, then stepSimulation
            print(f"episode {episode}: the elbow ends at {robot.positions()['elbow']:.4f} rad")

        elbow = robot.joints["elbow"]
        robot.set_positions(START)
        p.setJointMotorControl2(robot, elbow, p.POSITION_CONTROL, targetPosition=-0.5, force=80)
        for _ in range(480):
            p.stepSimulation()
        print(f"position control: {robot.positions()['elbow']:.4f} rad")
        p.setJointMotorControl2(robot, elbow, p.VELOCITY_CONTROL, targetVelocity=0.2, force=80)
        for _ in range(120):
            p.stepSimulation()
        print(f"velocity control: {robot.velocities()['elbow']:.4f} rad/s")
        p.setJointMotorControl2(robot, elbow, p.VELOCITY_CONTROL, force=0)  # switch the motor off
    p.disconnect()


if __name__ == "__main__":
    main()
