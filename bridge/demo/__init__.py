"""Demonstration on the bundled models, and pictures of both simulators."""
