"""Passes over a finished document: default classes, sub-models, and reports of what MJCF or MJX cannot hold."""
