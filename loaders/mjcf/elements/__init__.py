"""Conversion of a compiled model to the elements of a scene."""
