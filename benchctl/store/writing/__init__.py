"""Everything that adds to a store: a run's writer, imports, and what is added to a closed run."""
