"""Newton: the exported model in it, and its own readers of MJCF and URDF."""
