"""Composition: includes, merged models, parameters and ``model.config``."""
