"""Expansion of xacro files, with checks of the files that xacro opens and limits on its process."""
