"""What should change in a plan, and whether it may. Pure."""
