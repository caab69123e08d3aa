"""What the public sees: run and cell pages, the mkdocs plugin that puts them into a site, and the last check.

Figures and agents' text never pass through markdown: they are rendered to escaped HTML
and put into the finished page, behind the search index.
"""
