"""Numbers and units: find them in text, read them, compare them with a true value, print them."""
