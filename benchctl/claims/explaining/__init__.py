"""One claim put into the open: what it says, what it asks, the rows behind it, and its verdict."""
