"""What an expression says: of the run, of moved data, and against a printed number."""
