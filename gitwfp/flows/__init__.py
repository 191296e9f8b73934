"""Use cases, one a module: they fetch, call the pure core, and hand over to git."""
