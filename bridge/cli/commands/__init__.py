"""The commands: one function for each, which takes the options and the output."""
