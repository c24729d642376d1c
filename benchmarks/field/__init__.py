"""Files of public repositories: what loads, what runs, and what agrees."""
