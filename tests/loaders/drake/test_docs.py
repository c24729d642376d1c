"""Every Drake extension is documented."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


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
