"""A store behind a URL."""
