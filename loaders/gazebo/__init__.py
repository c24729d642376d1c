"""Gazebo's plugins, in SDFormat and in URDF: what has a counterpart is carried, what moves something is reported."""
