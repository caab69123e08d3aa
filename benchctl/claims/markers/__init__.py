"""The comments of a page that bind: parsed strictly, nothing looked up."""
