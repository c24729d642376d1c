"""Places of files: folders that are searched, folders that may be read, and the cache of robot_descriptions."""
