"""Passes over a finished document: defaults, sub-models, and what MJCF or MJX cannot carry."""
