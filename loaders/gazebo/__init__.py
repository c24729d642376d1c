"""Plugins of Gazebo, in SDFormat and in URDF: those with a counterpart are read, others are
reported.
"""
