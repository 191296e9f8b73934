"""Plans of coding work that live in git as code does."""

__version__ = "0.1.0"
