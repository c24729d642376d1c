"""Extensions of the loaders by other packages."""
