"""The normal form of a scene: what a URDF document represents exactly."""
