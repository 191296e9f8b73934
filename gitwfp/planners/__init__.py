"""The kinds of planners: who turns a request into operations."""
