"""Handles that `load_into_pybullet` returns: a body, or a sequence of bodies."""
