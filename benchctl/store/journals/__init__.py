"""An open run: its journals, who writes them, and the folding that closes it."""
