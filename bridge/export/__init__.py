"""What all exports share: results, output folders, provenance, fidelity reports, names, numbers and asset files."""
