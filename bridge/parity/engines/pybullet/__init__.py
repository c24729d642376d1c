"""Shapes and surfaces, read from running engines: where they are, how far they reach, what friction
they have.
"""
