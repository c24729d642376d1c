"""Quantities that only contact, actuators or the start of a simulation show."""
