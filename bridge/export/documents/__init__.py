"""Documents of SDFormat and URDF with the files beside them."""
