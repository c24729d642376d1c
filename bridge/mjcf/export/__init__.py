"""Results of an export: the folder with its README and fidelity report, the scene around the model, and the MjSpec."""
