"""Pinocchio: its own readers of URDF and MJCF on the original file."""
