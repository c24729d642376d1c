"""Write six robots of MuJoCo Menagerie as MJCF and list how the text differs from the original.

python benchmarks/menagerie_texts.py MENAGERIE OUT

``MENAGERIE`` is a checkout of MuJoCo Menagerie, ``OUT`` a folder for the exports. The table is
``docs/data/mjcf-menagerie.csv``.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import bridge  # noqa: E402

ROBOTS = (
    "anybotics_anymal_c/anymal_c.xml",
    "franka_emika_panda/panda.xml",
    "kuka_iiwa_14/iiwa14.xml",
    "rethink_robotics_sawyer/sawyer.xml",
    "unitree_a1/a1.xml",
    "wonik_allegro/right_hand.xml",
)
TABLE = ROOT / "docs" / "data" / "mjcf-menagerie.csv"
REASONS = {
    "default": "the classes are made anew, from the attributes that several elements share",
    "geom": "shapes that neither collide nor are seen are left out",
    "geom name": "collision shapes get names, which pairs, sensors and findings use",
    "geom fromto": "`fromto` would turn the frame of the shape about its axis: `pos` and `quat`",
    "inertial": "a body whose shapes have density gets the inertia that MuJoCo computes from them",
    "material": "unused materials are left out",
    "joint axis": "an axis that few joints share is stated by each, not by a class",
    "joint solref": "the softness of an equality is in the defaults",
    "key": "a key of the initial position, where zero lies outside the limits",
    "light range": "the light of a scene has a range, a cutoff and colors of its own",
    "site size": "the looks of sites are left out (`mjcf-in.not-carried`)",
    "site rgba": "the looks of sites are left out (`mjcf-in.not-carried`)",
    "freejoint name": "each joint has a name",
    "equality solref": "the softness of an equality is in the defaults",
    "material specular": "a material states its own numbers",
    "material class": "a material states its own numbers",
    "compiler meshdir": "all files are in `assets`: `assetdir`",
    "compiler autolimits": "true is MuJoCo's default",
}
"""Reason of each difference, by element, or element and attribute; meshes and pictures are not
counted, since those of equal content, such as stand-ins, are written once.
"""


def main() -> None:
    """Export the robots and write the table."""
    menagerie, out = map(Path, sys.argv[1:])
    warnings.simplefilter("ignore")
    rows = [row for robot in ROBOTS for row in differences(menagerie / robot, out)]
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("robot", "item", "original", "written", "reason"))
        writer.writerows(rows)


def differences(source: Path, out: Path) -> list[tuple[Any, ...]]:
    """Return the rows of one robot: the counts that differ, and the difference of the motion.

    Args:
        source: The original file.
        out: Folder of the exports.
    """
    result = bridge.export_mjcf(source, out / source.stem, force=True, quiet=True)
    original, written = counts(source), counts(result.path)
    rows: list[tuple[Any, ...]] = [
        (source.stem, f"`{item}`", original[item], written[item], why)
        for item, why in REASONS.items()
        if original[item] != written[item]
    ]
    reason = "largest difference of mass matrix and bias forces, over the largest entry"
    error = max(map(relative_error, dynamics(source), dynamics(result.path)))
    return [*rows, (source.stem, "mass matrix, bias forces", "", f"{error:.1e}", reason)]


def counts(path: Path) -> Counter[str]:
    """Return the number of uses of each element and attribute, outside of the classes
    except for the classes themselves.
    """
    root = ElementTree.parse(path).getroot()
    found = Counter[str]()
    for section in root:
        for element in section.iter():
            is_counted = section.tag != "default" or element.tag == "default"
            if is_counted:
                found.update((element.tag, *(f"{element.tag} {key}" for key in element.attrib)))
    return found


def dynamics(path: Path) -> tuple[Any, Any]:
    """Return the mass matrix and the bias forces at one position and velocity."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    random = np.random.default_rng(0)
    mujoco.mj_integratePos(model, data.qpos, random.uniform(-0.5, 0.5, model.nv), 1.0)
    data.qvel[:] = random.uniform(-0.5, 0.5, model.nv)
    model.opt.gravity[:] = (0.0, 0.0, -9.81)
    mujoco.mj_forward(model, data)
    matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, matrix)
    return matrix, data.qfrc_bias.copy()


def relative_error(one: Any, other: Any) -> float:
    """Return the largest difference over the largest entry."""
    return float(np.abs(one - other).max() / np.abs(one).max())


if __name__ == "__main__":
    main()
