"""Drake: its parser, and its names for the links, joints and velocities of a mechanism."""
