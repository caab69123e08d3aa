"""Suite in, plan out: which cells run, in which order, and what is refused and why.

Pure: what the machine holds, what the trees are and what the gold derivation said
come in as values (`World`), so a plan can be made, compared and tested without one.
"""
