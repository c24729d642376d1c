"""Geometry in the forms that targets read: triangles, mesh files, convex parts, height maps."""
