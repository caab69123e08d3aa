"""What things are: frozen types, with no behaviour beyond validation.

Three nouns come from people's files and are validated by pydantic (Suite,
RunRecord, ProjectFile); the others are made by this program, cell by cell, and
are plain frozen dataclasses, because a cell must cost next to nothing.
"""
