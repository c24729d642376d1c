"""The model as it is exported, with stops, friction, couplings and forces, in motion."""
