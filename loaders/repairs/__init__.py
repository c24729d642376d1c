"""Repairs of files that break the rules of their syntax, as the parsers of Gazebo and other programs tolerate it."""
