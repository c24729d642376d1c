"""Composition of a file with the files that it includes: merging, parameters and ``model.config``."""
