"""Forces of a fluid on links, which no engine has in the form of a file: volumes below a plane, and force laws."""
