"""Bounds: how large an error known causes may explain in this model."""
