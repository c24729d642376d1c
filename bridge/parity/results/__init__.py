"""Results of a comparison: rows, outcomes and the verdict."""
