"""What `load_into_pybullet` returns: one body, or a sequence of bodies."""
