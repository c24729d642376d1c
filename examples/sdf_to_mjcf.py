"""Convert SDFormat to a folder of MJCF files and print the diagnostics.

    python examples/sdf_to_mjcf.py [FOLDER]

Writes the bundled arm to out/arm: arm.xml, scene.xml with a floor and a light, assets/,
FIDELITY.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco

import sdfbridge

ARM = Path(__file__).parents[1] / "assets" / "arm" / "model.sdf"


def main(folder: Path) -> None:
    result = sdfbridge.export_mjcf(ARM, folder)
    for entry in result.diagnostics:
        print(entry)
    for path in sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file()):
        print(path)

    model = mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))
    data = mujoco.MjData(model)
    if result.initial_key is not None:  # the key "home", unless that is zero
        mujoco.mj_resetDataKeyframe(model, data, result.initial_key)
    data.joint("elbow").qpos[0] = 0.5
    mujoco.mj_forward(model, data)
    print("gripper::palm is at", data.body("gripper::palm").xpos)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/arm"))
