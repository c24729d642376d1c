"""One process for each model, under limits of time and memory."""
