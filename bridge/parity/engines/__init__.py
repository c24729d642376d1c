"""Engines: simulators behind one interface, asked by canonical names."""
