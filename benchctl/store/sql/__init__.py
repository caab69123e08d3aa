"""A person's SQL: what may run, what it reads, and its answer."""
