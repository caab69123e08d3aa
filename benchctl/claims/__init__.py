"""Pages in, verdicts out: every number of a hand-written page is read, and compared with its run.

A page is read strictly (`page`, `binding`, `scope`, `numbers`), its bindings become claims
(`attach`, `tabular`), the store is asked once for each scope (`verify`), and the checks say what is
true (`checks`). Nothing here rewrites a page.
"""
