"""The URDF text that PyBullet reads, one document for each of its bodies."""
