"""What helps whoever reads a verdict."""
