"""The MJCF elements of a body: joints, inertia, sites, sensors and keyframes."""
