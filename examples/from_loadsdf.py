"""Migrate from PyBullet's ``loadSDF``: a world with several models.

    python examples/from_loadsdf.py

Before                                            After
ids = p.loadSDF(path)                             world = load_world_into_pybullet(path)
arm = ids[1]  # depends on the order              arm = world["left"]  # by the model's name
for i in ids: p.removeBody(i)                     world.remove()
p.setGravity(...)  # loadSDF reads no physics     world.apply_physics()  # on request
p.getLinkState(ids[1], 3)                         world.link_pose("left::forearm")
loadSDF ignores or misreads <include>, nested models, frames, expressed_in, static, friction and
inertia.
"""

from __future__ import annotations

from pathlib import Path

import pybullet as p

import sdfbridge

ASSETS = Path(__file__).parents[1] / "assets"
WORLD = """
<sdf version="1.11"><world name="bench">
  <gravity>0 0 -9.81</gravity>
  <physics name="ms" type="ode"><max_step_size>0.001</max_step_size></physics>
  <model name="floor"><static>true</static><link name="slab"><pose>0 0 -0.05 0 0 0</pose>
    <collision name="c"><geometry><box><size>4 4 0.1</size></box></geometry></collision></link>
  </model>
  <include><uri>model://arm</uri><name>left</name><pose>0 0.6 0 0 0 0</pose></include>
  <include><uri>model://arm</uri><name>right</name><pose>0 -0.6 0 0 0 3.14</pose></include>
</world></sdf>
"""


def main() -> None:
    p.connect(p.DIRECT)
    with sdfbridge.load_world_into_pybullet(
        sdfbridge.load_string(WORLD, format="sdf", paths=[ASSETS])
    ) as world:
        world.apply_physics()
        for body in world:
            print(f"{body.name}: PyBullet's body {int(body)}, {p.getNumJoints(body)} joints")
        world.set_positions({"left::elbow": -0.4, "right::elbow": -0.4})
        for _ in range(200):
            world.step()
        for name in ("left", "right"):
            elbow = world[name].joints[f"{name}::elbow"]
            print(f"{name} elbow: {p.getJointState(world[name], elbow)[0]:.6f} rad")
    print(f"{p.getNumBodies()} bodies are left")
    p.disconnect()


if __name__ == "__main__":
    main()
