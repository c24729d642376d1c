"""Write ``docs/sensors.md``: every type of sensor and the fields of every message, from the table in
`bridge.sensors`.

Run it from the root of the project: ``python docs/make_sensors_page.py``.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bridge import sensors  # noqa: E402

HEAD = """# Sensors
<!-- words: lidar, ray sensor, imu, force torque sensor, depth camera, rangefinder -->

This page is generated from `bridge.sensors.SENSOR_KINDS` by `docs/make_sensors_page.py`.

A sensor of a file means what Gazebo publishes for it. MuJoCo has sensors of its own, which the export uses; PyBullet has none, and its handle
computes them. In both, one call returns the messages of Gazebo, with the same fields, units and frames:

```python
import mujoco, pybullet, sdfbridge

scene = sdfbridge.load_string(
    "<sdf version='1.9'><model name='robot'><link name='base'>"
    "<sensor name='imu' type='imu'/></link></model></sdf>",
    format="sdf",
)
mjcf = sdfbridge.to_mjcf(scene)
model = mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)
data = mujoco.MjData(model)
mujoco.mj_step(model, data)
mjcf.read(data)["imu"].linear_acceleration

pybullet.connect(pybullet.DIRECT)
robot = sdfbridge.load_into_pybullet(scene)
robot.apply_physics()
robot.step()
robot.sensors["imu"].read().linear_acceleration
```

The result of `export_mjcf` has the same `read`. Both accelerations are in m/s^2, in the axes of the sensor.

A sensor has the scope of its model, as joints have: `robot::imu` in a world, `imu` in a file of one model; two sensors of one model with one
name are told apart by their link. Each camera of a multicamera is a sensor, `eyes::left`. The sensors of MuJoCo that stand for one start
with its name; `result.names` has the names that had to change. Plugins of ROS 1 that are sensors (`libgazebo_ros_imu.so`,
`libgazebo_ros_ft_sensor.so`, and GPS and magnetometer of `hector_gazebo`) have the name of their link or joint: `tool_imu`.

## Types

What MuJoCo's own sensors read where that is not the message is named in `FIDELITY.md` (`mjcf.sensor-reading`); `read` returns the message in any
case. Noise and rates are in no message; they are named (`mjcf.sensor-parameters`, `pybullet.sensor-parameters`).

| type in SDFormat | Gazebo publishes | MuJoCo | PyBullet | MuJoCo's own sensors read instead |
|---|---|---|---|---|
"""
MIDDLE = """
## Messages

| message | field | meaning |
|---|---|---|
"""
TAIL = """
## When they are read

* **MuJoCo**: `sensordata` is that of the state in which MuJoCo computed it; after `mj_step` that is the state before the step, so call
  `mj_forward` for the present one. `read` casts the rays of lidars itself, on what the sensor sees: `gpu_ray`, `lidar` and `gpu_lidar` see
  visuals, `ray` sees collisions. Both pass the body that has the sensor. `read(data, images=True)` renders the images of cameras, within the
  planes of the file and without the rays that MuJoCo draws; that needs a display or `MUJOCO_GL=egl`.
* **PyBullet**: forces of joints and contacts are those of the last step. PyBullet's own reactions (`getJointState`) lack the torque of the
  motor, and count products of velocities twice, which is up to half of a force in fast motion; `read` corrects both, and is NaN at a link
  whose inertia PyBullet's base has (`pybullet.lent-inertia`, `pybullet.moved-products`). PyBullet reports no accelerations: an IMU has that of the last
  `robot.step()`, and NaN after anything else that changes the motion. Rays see collisions. Images come from the software renderer; a sphere lies
  within 0.2 pixels of where a pinhole shows it, in MuJoCo within 0.5.

## Cameras
<!-- words: camera image, render, depth image, segmentation -->

A camera is a pinhole: by `<projection>`, else by `<intrinsics>`, else by the field of view. A field of view of pi or more is refused, a
wide-angle lens below that becomes a pinhole and is named. gz-sim ignores the pose in `<camera>`, Gazebo classic adds it; it is named, and used
in a multicamera, which only Gazebo classic has.

MuJoCo draws the rays of range finders into pictures, also into depth. In your own renderer, switch
`mujoco.mjtVisFlag.mjVIS_RANGEFINDER` off, as `read` does.

## Accuracy

Measured in `tests/bridge/test_sensors.py` against closed forms, on turned sensors, at rest and in motion, on fixed and reversed joints, in both
engines: orientation, angular velocity, heights and fields to 1e-9; accelerations to 1e-9 in MuJoCo and to the size of a step in PyBullet; forces
and torques of joints to 1e-5 and 0.02 N; latitude and longitude to 3e-9 degrees (0.3 mm). Both simulators and the reference agree to 1e-12 in
what follows from the state alone; `compare` has a row for it.
"""


def _fields(message: type) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of each field of a dataclass."""
    for node in ast.walk(ast.parse(inspect.getsource(message))):
        body = getattr(node, "body", [])
        for item, text in pairwise(body):
            match item, text:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=v)):
                    yield name, " ".join(str(v).split())


def page() -> str:
    """Return the page."""
    rows = []
    for kind in sensors.SENSOR_KINDS:
        types = ", ".join(f"`{name}`" for name in kind.types)
        cells = (kind.gazebo, kind.mujoco or "-", kind.pybullet or "-", kind.difference or "-")
        rows.append(f"| {types} | {' | '.join(cells)} |\n")
    messages = dict.fromkeys(kind.message for kind in sensors.SENSOR_KINDS if kind.message)
    listed = [sensors.Contact, sensors.Optics]
    found = [
        f"| `{message.__name__}` | `{name}` | {text} |\n"
        for message in (*messages, *listed)
        for name, text in _fields(message)
    ]
    return HEAD + "".join(rows) + MIDDLE + "".join(found) + TAIL


if __name__ == "__main__":
    (ROOT / "docs" / "sensors.md").write_text(page(), encoding="utf-8")
