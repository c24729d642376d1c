"""Name of the target in diagnostics."""

TARGET = "sdf"
