"""What the sentences and headings of a page say of the run's things in words: which is more, which is best, all or none."""
