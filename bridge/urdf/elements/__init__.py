"""The elements of a URDF document."""
