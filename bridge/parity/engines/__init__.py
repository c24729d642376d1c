"""Adapters of the simulators, which answer the same queries by scoped names."""
