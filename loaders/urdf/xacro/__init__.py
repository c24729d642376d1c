"""Expansion of xacro files, behind a fence."""
