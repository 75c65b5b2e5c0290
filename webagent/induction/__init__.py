"""From successful trajectories to workflows."""
