"""What a plan is: values, ids, statuses, the task graph. Pure."""
