"""The URDF text that PyBullet reads: one document for each PyBullet body."""
