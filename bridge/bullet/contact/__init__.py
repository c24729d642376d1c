"""Contact between links: contact parameters, and the pairs of links that may collide."""
