"""Runs of other stores, and the shards of one run, brought together."""
