"""Logs of an arm that Drake and DART simulate, with a difference planted in the simulated arm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

JOINTS = ("base", "shoulder", "elbow")
GRAVITY = (0.0, 0.0, -9.81)
LOWEST = 1e-12


@dataclass(frozen=True, kw_only=True)
class Arm:
    """An arm of three links, and what acts on it."""

    masses: tuple[float, ...] = (2.0, 1.5, 0.8)
    damping: tuple[float, ...] = (0.05, 0.08, 0.04)
    friction: tuple[float, ...] = (0.0, 0.0, 0.0)
    armature: tuple[float, ...] = (0.02, 0.015, 0.01)
    effort: tuple[float, ...] = (60.0, 60.0, 40.0)
    p: tuple[float, ...] = (60.0, 70.0, 40.0)
    d: tuple[float, ...] = (4.0, 4.0, 2.0)
    gravity: tuple[float, float, float] = GRAVITY
    delay: int = 0
    order: tuple[int, ...] = (0, 1, 2)
    sign: tuple[float, ...] = (1.0, 1.0, 1.0)

    def urdf(self, *, armature: bool = True) -> str:
        lengths, axes = (0.3, 0.35, 0.25), ("0 0 1", "0 1 0", "0 1 0")
        links, joints = ['<link name="world"/>'], []
        parent, place = "world", "0 0 0.1"
        for k, name in enumerate(JOINTS):
            m, h = self.masses[k], lengths[k]
            i = 0.06 - 0.01 * k  # stays when the mass changes
            links.append(
                f'<link name="l{k}"><inertial><origin xyz="0.02 0.01 {h / 2}"/><mass value="{m}"/>'
                f'<inertia ixx="{i}" iyy="{1.1 * i}" izz="{0.5 * i}" ixy="0" ixz="0" iyz="0"/>'
                "</inertial></link>"
            )
            joints.append(
                f'<joint name="{name}" type="continuous"><parent link="{parent}"/>'
                f'<child link="l{k}"/><origin xyz="{place}"/><axis xyz="{axes[k]}"/>'
                f'<limit effort="{self.effort[k]}" velocity="100"/>'
                f'<dynamics damping="{self.damping[k]}" friction="{self.friction[k]}"/></joint>'
            )
            parent, place = f"l{k}", f"0 0 {h}"
        return f'<robot name="arm">{"".join(links + joints)}</robot>'

    def overrides(self) -> str:
        """What a URDF cannot state."""
        lines = [f"[options]\ngravity = {list(self.gravity)}\ntime_step = 0.002\n"]
        lines += [
            f"[joints.{name}]\narmature = {a}\n"
            for name, a in zip(JOINTS, self.armature, strict=True)
        ]
        return "".join(lines)


Act = Callable[[np.ndarray, np.ndarray, int], np.ndarray]
Stepper = Callable[[Arm, float, int, np.ndarray, Act], tuple[np.ndarray, np.ndarray]]


def in_drake(
    arm: Arm, step: float, count: int, start: np.ndarray, act: Act
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities at each step, in Drake."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.systems.analysis import Simulator

    plant = MultibodyPlant(time_step=step)
    Parser(plant).AddModelsFromString(arm.urdf(), "urdf")
    plant.mutable_gravity_field().set_gravity_vector(np.array(arm.gravity))
    for name, inertia in zip(JOINTS, arm.armature, strict=True):
        joint = plant.GetJointByName(name)
        actuator = (
            plant.GetJointActuatorByName(name)
            if plant.HasJointActuatorNamed(name)
            else plant.AddJointActuator(name, joint)
        )
        actuator.set_default_rotor_inertia(inertia)
        actuator.set_default_gear_ratio(1.0)
    plant.Finalize()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    plant.SetPositions(context, start)
    simulator.Initialize()
    q, v = [], []
    for i in range(count):
        q.append(plant.GetPositions(context).copy())
        v.append(plant.GetVelocities(context).copy())
        plant.get_actuation_input_port().FixValue(context, act(q[-1], v[-1], i))
        simulator.AdvanceTo((i + 1) * step)
    return np.array(q), np.array(v)


def in_dart(
    arm: Arm, step: float, count: int, start: np.ndarray, act: Act
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities at each step, in DART, which has no armature."""
    import tempfile

    import dartpy

    assert arm.armature == (0.0, 0.0, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        path.write_text(arm.urdf())
        skeleton = dartpy.utils.DartLoader().parseSkeleton(str(path))
    world = dartpy.simulation.World()
    world.setTimeStep(step)
    world.setGravity(np.array(arm.gravity))
    world.addSkeleton(skeleton)
    for k in range(3):
        skeleton.getJoint(JOINTS[k]).setDampingCoefficient(0, arm.damping[k])
        skeleton.getJoint(JOINTS[k]).setCoulombFriction(0, arm.friction[k])
    skeleton.setPositions(start)
    skeleton.setVelocities(np.zeros(3))
    q, v = [], []
    for i in range(count):
        q.append(np.array(skeleton.getPositions()))
        v.append(np.array(skeleton.getVelocities()))
        skeleton.setForces(act(q[-1], v[-1], i))
        world.step()
    return np.array(q), np.array(v)


def targets(count: int, step: float) -> np.ndarray:
    """Commanded positions: two sines for each joint."""
    t = step * np.arange(count)[:, None]
    slow, fast = np.array([3.0, 4.0, 5.0]), np.array([11.0, 9.0, 13.0])
    return (
        np.array([0.5, 0.6, -0.7]) * np.sin(slow * t)
        + np.array([0.15, 0.1, 0.2]) * np.sin(fast * t)
        + np.array([0.2, 0.4, 0.6])
    )


def write_log(
    path: Path,
    arm: Arm,
    simulate: Callable[..., Any] = in_drake,
    *,
    count: int = 400,
    step: float = 2e-3,
    efforts: bool = False,
    speeds: bool = False,
    stated: Arm | None = None,
) -> None:
    """Write the CSV of a controlled motion; a log of efforts has what the stated arm commands, one
    of speeds commands velocities alone.
    """
    goals = targets(count, step)
    rates = np.gradient(goals, step, axis=0) if speeds else np.zeros_like(goals)
    order, sign = list(arm.order), np.array(arm.sign)
    # column k of the log is joint order[k], with a sign
    of_joint = np.empty((count, 3))
    of_joint[:, order] = goals * sign
    commanded = np.empty((count, 3))

    def act(q: np.ndarray, v: np.ndarray, i: int) -> np.ndarray:
        if efforts:
            controller = stated or arm
            wanted = np.array(controller.p) * (of_joint[i] - q) - np.array(controller.d) * v
            limited = np.clip(wanted, -np.array(controller.effort), np.array(controller.effort))
            commanded[i] = limited
            limited = commanded[max(0, i - arm.delay)]
        else:
            goal = of_joint[max(0, i - arm.delay)]
            limited = np.array(arm.p) * (goal - q) + np.array(arm.d) * (rates[i] - v)
        return np.clip(limited, -np.array(arm.effort), np.array(arm.effort))

    start = of_joint[0]
    q, v = simulate(arm, step, count, start, act)
    columns = {"time": step * np.arange(count)}
    for k, name in enumerate(JOINTS):
        j = order[k]
        columns[f"{name}.position"] = q[:, j] * sign[k]
        columns[f"{name}.velocity"] = v[:, j] * sign[k]
        if efforts:
            columns[f"{name}.command_effort"] = commanded[:, j] * sign[k]
        elif speeds:
            columns[f"{name}.command_velocity"] = rates[:, k]
        else:
            columns[f"{name}.command_position"] = goals[:, k]
    rows = np.column_stack(list(columns.values()))
    lines = [",".join(columns), *(",".join(f"{x:.15g}" for x in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def write_model(folder: Path, arm: Arm) -> Path:
    """Write the URDF and its overrides; return the path of the URDF."""
    (folder / "arm.toml").write_text(arm.overrides())
    (folder / "arm.urdf").write_text(arm.urdf())
    return folder / "arm.urdf"


def gains(arm: Arm) -> dict[str, tuple[float, float]]:
    return dict(zip(JOINTS, zip(arm.p, arm.d, strict=True), strict=True))


def changed(arm: Arm, **fields: Sequence[float] | int) -> Arm:
    return replace(
        arm, **{k: tuple(v) if isinstance(v, list | tuple) else v for k, v in fields.items()}
    )
