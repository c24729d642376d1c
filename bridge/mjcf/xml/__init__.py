"""The MJCF document tree: elements, number format, and the context that every section receives."""
