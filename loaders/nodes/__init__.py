"""Parts of `loaders.node`: the syntax of numbers, and the report of what no reader read."""
