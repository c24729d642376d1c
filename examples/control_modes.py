"""Use PyBullet's joint control modes on a joint selected by name.

    python examples/control_modes.py

mode                 controls                  note
POSITION_CONTROL     a position                solver motor: state force=, the file's effort limit
is not enforced VELOCITY_CONTROL     a velocity                force=0 switches the motor off;
force=f at 0 rad/s is dry friction TORQUE_CONTROL       a torque, for one step    apply_efforts also
enforces the effort limit
"""

from __future__ import annotations

from pathlib import Path

import pybullet as p

from sdfbridge import load_into_pybullet

ARM = Path(__file__).parents[1] / "assets" / "arm" / "model.sdf"


def main() -> None:
    p.connect(p.DIRECT)
    p.setTimeStep(1 / 1000)
    robot = load_into_pybullet(ARM)  # without gravity, only the control mode acts
    elbow = robot.joints["elbow"]
    modes = {
        "position": (p.POSITION_CONTROL, {"targetPosition": -0.5, "force": 80}),
        "velocity": (p.VELOCITY_CONTROL, {"targetVelocity": -0.3, "force": 80}),
        "off": (
            p.VELOCITY_CONTROL,
            {"force": 0},
        ),  # also required before torques: the motor would resist them
        "torque": (p.TORQUE_CONTROL, {"force": -0.1}),
    }
    for name, (mode, goal) in modes.items():
        robot.set_positions(dict.fromkeys(("waist", "shoulder", "elbow"), 0.0))
        for _ in range(1000):
            p.setJointMotorControl2(robot, elbow, mode, **goal)
            p.stepSimulation()
        q, v = p.getJointState(robot, elbow)[:2]
        print(f"{name:9} elbow at {q:8.4f} rad, {v:8.4f} rad/s")
    robot.remove()
    p.disconnect()


if __name__ == "__main__":
    main()
