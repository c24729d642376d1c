"""The name of the target MJCF in diagnostics."""

TARGET = "mjcf"
"""The target of this package's diagnostics and the prefix of their codes."""
