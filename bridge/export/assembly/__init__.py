"""A scene as several files of one model each, and a file of Drake's directives that assembles them."""
