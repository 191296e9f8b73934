"""Requests in words: from the text that people write to operations on a plan, without a model."""

from gitwfp.policy.request.reader import Leftover
from gitwfp.policy.request.understanding import Understood, mode_of, understand

__all__ = ["Leftover", "Understood", "mode_of", "understand"]
