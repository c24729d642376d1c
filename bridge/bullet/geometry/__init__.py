"""Shapes, meshes and textures in the forms that PyBullet reads."""
