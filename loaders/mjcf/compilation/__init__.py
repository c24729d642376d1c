"""Compilation of an MJCF model: the loaders read text and files, MuJoCo compiles the numbers."""
