"""The MJCF document tree: elements, number format, options, names, and the context that every section receives."""
