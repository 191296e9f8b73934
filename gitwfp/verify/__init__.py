"""Whether a plan is any good: rules that return findings. Pure."""
