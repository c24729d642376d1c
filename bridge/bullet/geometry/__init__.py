"""Shapes, meshes and textures in the formats that PyBullet reads."""
