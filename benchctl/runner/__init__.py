"""Plan in, rows out: preflight, then strictly one cell at a time.

The only room that spends anything. It decides nothing about what a cell means
(planning), what an answer is worth (grading) or how a row is kept (store).
"""
