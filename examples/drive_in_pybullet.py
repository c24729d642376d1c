"""Load an SDFormat arm into PyBullet and drive its joints by name.

    python examples/drive_in_pybullet.py

The handle is PyBullet's body id, so that every function of PyBullet accepts it. Joints and links
keep their names.
"""

from __future__ import annotations

from pathlib import Path

import pybullet as p

import sdfbridge

ARM = Path(__file__).parents[1] / "assets" / "arm" / "model.sdf"
GOAL = {"waist": 0.8, "shoulder": 0.2, "elbow": -0.5, "roll": 1.0}


def main() -> None:
    p.connect(p.DIRECT)
    p.setGravity(0, 0, -9.81)
    p.setTimeStep(1 / 240)
    robot = sdfbridge.load_into_pybullet(ARM)
    for name, angle in GOAL.items():
        p.setJointMotorControl2(
            robot, robot.joints[name], p.POSITION_CONTROL, targetPosition=angle, force=80
        )
    for _ in range(3 * 240):
        p.stepSimulation()
    for name, angle in GOAL.items():
        position = p.getJointState(robot, robot.joints[name])[0]
        print(f"{name:9} goal {angle:5.2f} rad, reached {position:7.4f} rad")
    print("gripper::palm is at", robot.link_pose("gripper::palm").p.round(4))
    robot.remove()
    p.disconnect()


if __name__ == "__main__":
    main()
