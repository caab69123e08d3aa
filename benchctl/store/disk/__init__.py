"""What stands in a run's folder: how it is named, written, and believed."""
