"""State, dynamics and forces of bodies that PyBullet has loaded."""
