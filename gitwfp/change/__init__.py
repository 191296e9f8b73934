"""What can happen to a plan: the closed union of changes, change sets, the merge. Pure."""
