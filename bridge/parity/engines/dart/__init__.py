"""DART, the default engine of Gazebo, in a process of its own."""
