"""Results, output folders, provenance, fidelity reports, names, numbers and asset files of all
exports.
"""
