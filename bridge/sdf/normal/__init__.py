"""The normal form: the scene that an SDFormat document represents exactly, and what had to be changed or left out for it."""
