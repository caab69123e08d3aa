"""benchctl: benchmark runs whose published numbers are checked against their rows.

The package's rooms are drawn in site/design/architecture.md. Importing this
module loads nothing heavy: the command line must start as fast as click does.
"""

__version__ = "0.1.0"
__all__ = ["__version__"]
