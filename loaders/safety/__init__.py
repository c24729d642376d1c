"""Protection against hostile files: a fence around libraries, limits on one load, text that is safe to print."""
