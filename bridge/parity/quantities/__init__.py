"""Levels of comparison, from quantities at one position to motion and contact."""
