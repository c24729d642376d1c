"""The normal form of a scene: what an SDFormat document represents exactly, and the changes that lead to it."""
