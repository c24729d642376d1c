"""The demonstration on the bundled models, with pictures."""
