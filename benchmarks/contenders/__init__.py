"""Programs that do the same work on the same pages, each a process of its own in its own environment."""
