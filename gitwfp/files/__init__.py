"""A plan as files: the one reader, the writer as a value."""
