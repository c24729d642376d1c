"""Elements of an SDFormat document, each from one item of the normal form."""
