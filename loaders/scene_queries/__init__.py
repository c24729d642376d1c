"""Queries of scene data: names, connectivity, excluded collision pairs, and the conformance format."""
