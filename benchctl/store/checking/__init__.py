"""verify-store: every byte, and what the rows say of each other."""
