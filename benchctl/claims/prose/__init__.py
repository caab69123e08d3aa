"""What a page's own sentences and tables say of their numbers, before any data is asked."""
