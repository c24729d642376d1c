"""Shapes of links: which a document states, and what stands for the others."""
