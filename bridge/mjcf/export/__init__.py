"""Output of a document: files, an ``MjSpec``, the scene around the model, README and fidelity report."""
