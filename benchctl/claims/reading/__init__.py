"""A page as its reader sees it, and where each thing of it stands in the file."""
