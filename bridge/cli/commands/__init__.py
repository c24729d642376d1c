"""The commands: one module each, with a function of the same name that takes the options and the output."""
