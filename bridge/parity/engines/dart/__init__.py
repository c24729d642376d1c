"""DART, the default engine of Gazebo, in a separate process."""
