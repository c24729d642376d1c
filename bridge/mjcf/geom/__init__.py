"""The MJCF elements of shapes: geoms, assets, contact parameters, contact pairs and excludes."""
