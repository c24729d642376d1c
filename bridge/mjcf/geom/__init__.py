"""The MJCF elements of shapes: geoms, assets, contact parameters, pairs and exclusions."""
