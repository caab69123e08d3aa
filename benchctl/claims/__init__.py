"""Pages in, verdicts out: every number of a hand-written page is read, and compared with its run.

A page is read as its reader sees it (`reading`), its comments strictly (`markers`), and its bindings become claims
(`attaching`). What the claims ask is measured (`answers`), `checks` hold it against the page, and `judging` says
more of what is false. `examine` does that to one page, `verify` to all that were asked for, and `outputs` write it down.
`explaining` and `mutation` work on what was examined and leave the page alone; `fixing` and `suggesting` write into
pages, where that was asked for.
"""
