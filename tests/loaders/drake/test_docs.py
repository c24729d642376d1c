"""Every code of a diagnostic is documented, and provoked by a test."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
CODE = re.compile(r'"((?:drake|directives)\.[a-z-]+)"')


def codes(paths):
    return {code for path in paths for code in CODE.findall(path.read_text())}


def reported():
    return codes([*(ROOT / "loaders" / "drake").glob("*.py"), *(ROOT / "loaders" / "directives").glob("*.py")])


def test_every_code_is_documented_once_and_in_order():
    rows = re.findall(r"^\| `((?:drake|directives)\.[a-z-]+)` \|", (ROOT / "docs" / "drake.md").read_text(), re.M)
    assert rows == sorted(reported())


def test_every_code_is_provoked_by_a_test():
    tests = [*(ROOT / "tests/loaders/drake").glob("*.py"), *(ROOT / "tests/loaders/directives").glob("*.py")]
    assert reported() <= codes(path for path in tests if path.name != Path(__file__).name)


def test_every_element_is_documented():
    text = (ROOT / "docs" / "drake.md").read_text()
    source = "".join(path.read_text() for path in (ROOT / "loaders" / "drake").glob("*.py"))
    tops = set(re.findall(r'"(drake:[a-z_]+)"', source))
    parts = re.compile(
        r"drake:(?:parent|child|curves|is_periodic|initial_tangent|plane_normal|line_segment|circular_arc"
        r"|member|member_group|ignored_collision_filter_group|rigid_hydroelastic|compliant_hydroelastic"
        r"|soft_hydroelastic|youngs_modulus|poissons_ratio|mass_density|mass_damping|stiffness_damping"
        r"|material_model|point_on_plane|outward_normal|wall_boundary_condition|tendon_constraint_joint"
        r"|bushing_)$"
    )
    assert {tag for tag in tops if not parts.match(tag) and f"`{tag}`" not in text} == set()
